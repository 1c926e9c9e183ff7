//! Permits and tickets that come back twice, late, elsewhere, or from nowhere.

use crate::c_api::*;
use sqlthrottle_c::check::sqlthrottle_resume;
use std::thread;

const RULES: &str = "
rules:
  - {name: held, match: {tables: [held]}, limit: {concurrency: {max: 2, lease: 1h}}}
  - name: delayed
    match: {tables: [delayed]}
    limit: {sliding_window: {max: 1, window: 1h}}
    then: {strategy: delay, delay: 1s, max_delayed: 2}
";
const HELD: &str = "select * from held";
const DELAYED: &str = "select * from delayed";
const SECOND: u64 = 1_000_000_000;

/// Numbers that a program might make up, or keep in a variable that it never set.
const MADE_UP: [u64; 8] = [0, 1, 63, 64, u32::MAX as u64, 1 << 32, 0xdead_beef_dead_beef, u64::MAX];

fn in_use(engine: &Engine) -> u64 {
    engine.snapshot()["rules"][0]["in_use"].as_u64().unwrap()
}

#[test]
fn a_permit_gives_back_once_and_only_where_it_is_from() {
    let (engine, other) = (Engine::new(RULES).unwrap(), Engine::new(RULES).unwrap());
    let permits = [engine.check(HELD).0.permit, engine.check(HELD).0.permit];
    let others = [other.check(HELD).0.permit, other.check(HELD).0.permit];
    assert!(permits.iter().chain(&others).all(|permit| *permit != 0));
    assert_eq!(engine.check(HELD).0.permit, 0, "what is refused holds nothing");
    for number in MADE_UP.into_iter().chain(others) {
        assert!(!engine.release(number), "{number}");
    }
    assert!(!permits.iter().any(|permit| other.release(*permit)));
    assert_eq!((in_use(&engine), in_use(&other)), (2, 2));

    assert!(engine.another().release(permits[0]), "a clone is the same engine");
    assert!(!engine.release(permits[0]));
    assert_eq!(in_use(&engine), 1);
    // The place is another's now, to which the old permit means nothing.
    let next = engine.check(HELD).0.permit;
    assert!(!engine.release(permits[0]));
    assert_eq!(in_use(&engine), 2);
    assert!(engine.release(next) && engine.release(permits[1]));
    assert_eq!(in_use(&engine), 0);
}

/// 0 says that there is none, so the first permit of a thread must not be it: each thread counts by itself.
#[test]
fn no_permit_is_zero_in_any_thread() {
    let engines: Vec<_> = (0..4).map(|_| Engine::new(RULES).unwrap()).collect();
    thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| {
                for engine in &engines {
                    let decision = engine.check(HELD);
                    assert_eq!(decision.is_allowed(), decision.0.permit != 0);
                    assert_eq!(engine.release(decision.0.permit), decision.is_allowed());
                }
            });
        }
    });
    for engine in &engines {
        assert_eq!(in_use(engine), 0);
    }
}

#[test]
fn a_ticket_is_good_for_one_call_and_only_where_it_is_from() {
    let clock = Clock::new();
    let engine = Engine::with_clock(RULES, &clock, false).unwrap();
    let other = Engine::with_clock(RULES, &clock, false).unwrap();
    for engine in [&engine, &other] {
        assert!(engine.check(DELAYED).is_allowed());
    }
    let tickets = [engine.check(DELAYED).0.ticket, engine.check(DELAYED).0.ticket];
    assert!(other.check(DELAYED).0.ticket != 0 && tickets.iter().all(|ticket| *ticket != 0));
    clock.advance(SECOND);
    for number in MADE_UP.into_iter().filter(|number| *number != 0).chain(tickets) {
        let unknown = other.resume(number);
        assert_eq!((unknown.verdict(), unknown.reason()), ("abort", "max_delay"), "{number}");
    }
    let none = Decision::of(|decision| unsafe { sqlthrottle_resume(engine.as_ptr(), 0, 0, decision) }).unwrap_err();
    assert_eq!(none.status, SQLTHROTTLE_ERROR_VALUE, "0 says that there is no ticket");
    assert_eq!(engine.snapshot()["waiting"], 2);
    assert!(engine.another().resume(tickets[0]).is_allowed(), "a clone is the same engine");
    let again = engine.resume(tickets[0]);
    assert_eq!((again.verdict(), again.reason()), ("abort", "max_delay"));
    // Five seconds after it was due it has lapsed.
    clock.advance(5 * SECOND + 1);
    assert_eq!(engine.resume(tickets[1]).verdict(), "abort");
    assert_eq!(engine.snapshot()["waiting"], 0);
}

/// A place whose lease has lapsed is another's: who comes late does not take it from there.
#[test]
fn a_permit_whose_lease_has_lapsed_gives_nothing_back_of_others() {
    let clock = Clock::new();
    let engine = Engine::with_clock(RULES, &clock, false).unwrap();
    let late = engine.check(HELD).0.permit;
    clock.advance(3601 * SECOND);
    let held = [engine.check(HELD).0.permit, engine.check(HELD).0.permit];
    assert!(held.iter().all(|permit| *permit != 0));
    assert!(!engine.release(late));
    assert_eq!(in_use(&engine), 2);
    assert!(held.iter().all(|permit| engine.release(*permit)));
}
