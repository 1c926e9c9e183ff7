//! A check of a known statement allocates nothing on its way through C, nor does one of a prepared statement.
//!
//! The counting allocator counts by thread, so tests that run beside each other do not see one another.

// A test that cannot go on says so by panicking.
#![allow(clippy::unwrap_used, clippy::expect_used)]
#![allow(unsafe_code, clippy::undocumented_unsafe_blocks, reason = "called as C calls it")]

#[path = "shared/c_api.rs"]
mod c_api;

use allocation_counter::measure;
use c_api::{Context, Engine, SQLTHROTTLE_OK, Statement};
use sqlthrottle_c::check::{sqlthrottle_check, sqlthrottle_check_statement};
use sqlthrottle_c::decision::sqlthrottle_decision_t;
use sqlthrottle_c::prepared::sqlthrottle_check_prepared;
use sqlthrottle_c::status::sqlthrottle_status_t;
use std::collections::HashSet;

const RULES: &str = "
rules:
  - {name: held, match: {tables: [t]}, limit: {concurrency: {max: 10}}}
  - {name: counted, match: {user: dev}, per: [user, 'tag:endpoint'], limit: {sliding_window: {max: 20, window: 1h}}}
";
const SQL: &str = "select a from t where b = 0";

/// Asks a hundred times, after a few times that it may learn the statement in, and gives back what the answer holds.
fn assert_allocates_nothing(engine: &Engine, ask: impl Fn(*mut sqlthrottle_decision_t) -> sqlthrottle_status_t) {
    let mut decision = sqlthrottle_decision_t::default();
    let mut verdicts = HashSet::with_capacity(16);
    let mut once = || {
        assert_eq!(ask(&raw mut decision), SQLTHROTTLE_OK);
        if decision.permit != 0 {
            assert!(engine.release(decision.permit));
        }
        decision.verdict as u32
    };
    for _ in 0..3 {
        once();
    }
    let count = measure(|| {
        for _ in 0..100 {
            verdicts.insert(once());
        }
    });
    assert_eq!(count.count_total, 0);
    assert!(verdicts.len() <= 2);
}

#[test]
fn a_check_of_a_known_statement_allocates_nothing() {
    let engine = Engine::new(RULES).unwrap();
    let given = engine.as_ptr();
    assert_allocates_nothing(&engine, |decision| unsafe {
        sqlthrottle_check(given, SQL.as_ptr().cast(), SQL.len(), decision)
    });
    // By a user who is known, with parameters, until the limit and beyond.
    let context = Context { user: Some("dev"), tags: vec![("endpoint", "/report")], ..Context::default() };
    let statement = Statement { context, parameters: vec![Some(b"1"); 8], ..Statement::new(SQL) };
    statement.hand_over(|statement| {
        assert_allocates_nothing(&engine, |decision| unsafe {
            sqlthrottle_check_statement(given, statement, decision)
        });
    });
}

#[test]
fn a_check_of_a_prepared_statement_allocates_nothing() {
    let engine = Engine::new(RULES).unwrap();
    let context = Context { user: Some("dev"), ..Context::default() };
    let prepared = engine.prepare(&Statement { context, ..Statement::new(SQL) }).unwrap();
    assert_allocates_nothing(&engine, |decision| unsafe { sqlthrottle_check_prepared(prepared.as_ptr(), 1, decision) });
}

/// Proves the other tests: a statement that was never seen must allocate, or nothing is counted here at all.
#[test]
fn the_counter_sees_a_statement_that_is_new() {
    let engine = Engine::new(RULES).unwrap();
    let count = measure(|| {
        engine.check("select something, new from here");
    });
    assert!(count.count_total > 0);
}
