//! Handles that are used after they were freed, and ones that outlive others.

use crate::assert_fails;
use crate::c_api::*;
use sqlthrottle_c::check::*;
use sqlthrottle_c::clock::{sqlthrottle_clock_advance, sqlthrottle_clock_free, sqlthrottle_clock_set_wall};
use sqlthrottle_c::decision::sqlthrottle_decision_t;
use sqlthrottle_c::engine::*;
use sqlthrottle_c::fingerprint::{sqlthrottle_fingerprint, sqlthrottle_normalize};
use sqlthrottle_c::prepared::{
    sqlthrottle_check_prepared, sqlthrottle_check_prepared_refilled, sqlthrottle_prepare, sqlthrottle_prepared_free,
};
use sqlthrottle_c::refill::*;
use sqlthrottle_c::report::*;
use sqlthrottle_c::status::sqlthrottle_status_t;
use sqlthrottle_c::threshold::*;
use sqlthrottle_c::window::*;
use std::collections::HashSet;
use std::ptr::{null, null_mut};
use std::thread;

const ONE_PLACE: &str = "rules: [{name: r, limit: {concurrency: {max: 1, lease: 1h}}}]";

fn assert_freed(noun: &str, status: sqlthrottle_status_t) {
    assert_fails(status, SQLTHROTTLE_ERROR_FREED, &[noun, "freed"]);
}

#[test]
fn a_freed_engine_is_an_error_in_every_function_and_may_be_freed_again() {
    let engine = Engine::new(ONE_PLACE).unwrap();
    let permit = engine.check("select 1").0.permit;
    let fingerprint = engine.check("select 1").0.fingerprint;
    let (gone, of) = (engine.as_ptr(), &raw const fingerprint);
    let mut decision = sqlthrottle_decision_t::default();
    let before = decision.verdict;
    let to: *mut sqlthrottle_decision_t = &raw mut decision;
    let (mut room, mut count, mut text, mut other, mut prepared) = (fingerprint, 0, null_mut(), null_mut(), null_mut());
    unsafe {
        sqlthrottle_engine_free(gone);
        sqlthrottle_engine_free(gone);
        let statement = Statement::new("select 1");
        for status in [
            sqlthrottle_engine_clone(gone, &raw mut other),
            sqlthrottle_reload(gone, null(), 0, null_mut()),
            sqlthrottle_refresh(gone, null_mut()),
            sqlthrottle_after_fork(gone),
            sqlthrottle_check(gone, null(), 0, to),
            statement.hand_over(|statement| sqlthrottle_check_statement(gone, statement, to)),
            sqlthrottle_check_request(gone, null(), 0, to),
            sqlthrottle_resume(gone, 1, 0, to),
            sqlthrottle_give_up(gone, 1),
            sqlthrottle_release(gone, permit),
            statement.hand_over(|statement| sqlthrottle_prepare(gone, statement, &raw mut prepared)),
            sqlthrottle_refill(gone, null_mut()),
            statement.hand_over(|statement| sqlthrottle_check_refilled(gone, statement, null_mut(), to)),
            sqlthrottle_check_request_refilled(gone, null(), null_mut(), to),
            sqlthrottle_resume_refilled(gone, 1, null_mut(), to),
            sqlthrottle_set_threshold(gone, of, null(), 1),
            sqlthrottle_threshold_failed(gone, of),
            sqlthrottle_thresholds_due(gone, &raw mut room, 1, &raw mut count),
            sqlthrottle_record_duration(gone, of, 1),
            sqlthrottle_fingerprint(gone, null(), 0, 0, null_mut(), 0, null_mut()),
            sqlthrottle_normalize(gone, null(), 0, 0, null_mut(), 0, null_mut()),
            sqlthrottle_admin(gone, null(), 0, &raw mut text, null_mut()),
            sqlthrottle_snapshot(gone, &raw mut text, null_mut()),
            sqlthrottle_metrics(gone, &raw mut text, null_mut()),
            sqlthrottle_top(gone, 1, &raw mut text, null_mut()),
            sqlthrottle_rule_name(gone, 0, null_mut(), 0, null_mut()),
        ] {
            assert_freed("engine", status);
        }
    }
    assert!(other.is_null() && prepared.is_null() && text.is_null(), "an error writes nothing");
    assert_eq!((decision.verdict, count), (before, 0), "an error writes nothing");
}

#[test]
fn other_handles_are_errors_too_once_they_are_freed() {
    let engine = Engine::new("").unwrap();
    let prepared = engine.prepare(&Statement::new("select 1")).unwrap();
    let (statement, mut decision) = (prepared.as_ptr(), sqlthrottle_decision_t::default());
    let clock = Clock::new();
    let mut window = null_mut();
    let mut count = 7;
    unsafe {
        assert_eq!(sqlthrottle_window_new(1_000_000_000, 10, clock.as_ptr(), &raw mut window), SQLTHROTTLE_OK);
        sqlthrottle_clock_free(clock.as_ptr());
        // It goes on by the clock, which stands still.
        assert_eq!(sqlthrottle_window_record(window, &raw mut count), SQLTHROTTLE_OK);
        assert_eq!(count, 1);
        assert_freed("clock", sqlthrottle_clock_advance(clock.as_ptr(), 1));
        assert_freed("clock", sqlthrottle_clock_set_wall(clock.as_ptr(), 1));
        let mut other = null_mut();
        assert_freed("clock", sqlthrottle_window_new(1_000_000_000, 10, clock.as_ptr(), &raw mut other));
        let size = size_of::<sqlthrottle_options_t>();
        let options = sqlthrottle_options_t { size, clock: clock.as_ptr(), asks_provider: 0, reserved: 0 };
        let mut opened = null_mut();
        let status = sqlthrottle_engine_from_rules(null(), 0, &raw const options, &raw mut opened);
        assert_freed("clock", status);
        assert!(other.is_null() && opened.is_null());

        sqlthrottle_window_free(window);
        sqlthrottle_window_free(window);
        assert_freed("window", sqlthrottle_window_record(window, &raw mut count));
        assert_freed("window", sqlthrottle_window_count(window, &raw mut count));
        assert_freed("window", sqlthrottle_window_reset(window));

        sqlthrottle_prepared_free(statement);
        sqlthrottle_prepared_free(statement);
        assert_freed("prepared statement", sqlthrottle_check_prepared(statement, 1, &raw mut decision));
        let status = sqlthrottle_check_prepared_refilled(statement, 1, null_mut(), &raw mut decision);
        assert_freed("prepared statement", status);
    }
    assert_eq!(count, 1);
}

#[test]
fn a_prepared_statement_keeps_its_engine() {
    let engine = Engine::new(ONE_PLACE).unwrap();
    let other = engine.another();
    let prepared = engine.prepare(&Statement::new("select 1")).unwrap();
    drop(engine);
    let held = prepared.check();
    assert!(held.is_allowed());
    assert_eq!(prepared.check().reason(), "over_limit");
    assert!(other.release(held.0.permit));
    drop(other);
    assert!(prepared.check().is_allowed());
}

/// Each thread has a handle of its own, and frees it while the others check.
#[test]
fn a_handle_may_be_freed_while_others_are_in_use() {
    let engine = Engine::new("rules: [{name: r, limit: {sliding_window: {max: 500, window: 1h}}}]").unwrap();
    let allowed: usize = thread::scope(|scope| {
        let checking: Vec<_> = (0..4)
            .map(|_| {
                let mut own = engine.another();
                scope.spawn(move || {
                    let mut allowed = 0;
                    for _ in 0..500 {
                        allowed += usize::from(own.check("select 1").is_allowed());
                        // The old one is freed here.
                        own = own.another();
                    }
                    allowed
                })
            })
            .collect();
        drop(engine);
        checking.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(allowed, 500);
}

/// Memory does not grow with every handle that there ever was: an address serves again, but not soon.
#[test]
fn addresses_are_used_again_after_a_thousand_others() {
    let clocks: Vec<_> = (0..5000).map(|_| Clock::new().as_ptr() as usize).collect();
    for window in clocks.chunks(1000) {
        assert_eq!(HashSet::<&usize>::from_iter(window).len(), 1000);
    }
    let addresses: HashSet<usize> = clocks.into_iter().collect();
    // Other tests of this process have a few clocks at the same time.
    assert!((1000..1200).contains(&addresses.len()), "{} addresses", addresses.len());
}
