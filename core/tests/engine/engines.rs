//! Several engines in one process: what one of them has handed out means nothing to another.

use sqlthrottle::{Engine, ManualClock, Permit, Reason, RuleFile, Ticket, Verdict};
use std::collections::HashSet;
use std::time::Duration;

const SQL: &str = "select 1";

fn engine(rules: &str) -> (Engine, ManualClock) {
    let clock = ManualClock::new();
    (Engine::with_clock(RuleFile::parse(rules).unwrap(), clock.clone()).unwrap(), clock)
}

#[test]
fn a_permit_frees_no_place_of_another_engine() {
    let places = || engine("rules: [{name: places, limit: {concurrency: {max: 3}}}]").0;
    let (one, other) = (places(), places());
    let held = |engine: &Engine| [(); 3].map(|()| engine.check(SQL).permit.unwrap());
    // In the same order, so that both count alike.
    let (of_one, of_other) = (held(&one), held(&other));
    for permit in of_one {
        assert!(!other.release(permit));
    }
    assert_eq!(other.snapshot().rules[0].in_use, 3);
    assert!(!other.check(SQL).is_allowed());
    // To its own engine, and to clones of that, it is what it was.
    for (permit, engine) in of_one.into_iter().zip([&one, &one.clone(), &one]) {
        assert!(engine.release(permit) && !engine.release(permit));
    }
    assert!(of_other.into_iter().all(|permit| other.release(permit)));
}

#[test]
fn a_ticket_resumes_no_statement_of_another_engine() {
    let delaying = || {
        engine(
            "rules: [{name: slow, limit: {token_bucket: {capacity: 1, rate: 1/h}}, then: {strategy: delay, delay: 1s}}]",
        )
    };
    let ((one, clock), (other, other_clock)) = (delaying(), delaying());
    let ticket = |engine: &Engine| {
        let _ = engine.check(SQL);
        engine.check(SQL).ticket.unwrap()
    };
    let (of_one, of_other) = (ticket(&one), ticket(&other));
    for clock in [clock, other_clock] {
        clock.advance(Duration::from_secs(1));
    }
    let strange = other.resume(of_one);
    assert_eq!((strange.verdict, strange.reason, strange.rule), (Verdict::Abort, Reason::MaxDelay, None));
    assert_eq!(other.snapshot().waiting, 1);
    assert!(one.clone().resume(of_one).is_allowed() && other.resume(of_other).is_allowed());
}

#[test]
fn no_permit_and_no_ticket_is_zero() {
    assert_eq!((Permit::from_number(0), Ticket::from_number(0)), (None, None));
    let (engine, _) = engine("rules: [{name: places, limit: {concurrency: {max: 1000}}}]");
    let numbers: HashSet<u64> = (0..1000).map(|_| engine.check(SQL).permit.unwrap().number()).collect();
    assert!(numbers.len() == 1000 && !numbers.contains(&0));
    // Numbers that were never handed out are nobody's.
    for number in (1..1000).chain(numbers.iter().map(|number| number ^ 1 << 63)) {
        assert!(!Permit::from_number(number).is_some_and(|permit| engine.release(permit)), "{number}");
    }
    assert!(numbers.into_iter().all(|number| Permit::from_number(number).is_some_and(|permit| engine.release(permit))));
}
