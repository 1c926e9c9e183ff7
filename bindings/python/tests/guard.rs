//! The guard of the native module, as it ships; the module as a whole is tested from Python.

#![allow(clippy::unwrap_used, reason = "rules of a test are written right")]

#[path = "../src/guard.rs"]
mod guard;

use guard::{counted, decide, guarded};
use sqlthrottle::{Engine, RuleFile, Verdict};
use std::panic::panic_any;

/// A payload that panics where it is dropped.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("dropped");
    }
}

fn engine(on_error: &str) -> Engine {
    Engine::new(RuleFile::parse(format!("on_error: {on_error}")).unwrap()).unwrap()
}

#[test]
fn a_check_that_panics_is_decided_by_on_error_and_counted() {
    for (on_error, verdict) in [("allow", Verdict::Allow), ("abort", Verdict::Abort)] {
        let engine = engine(on_error);
        assert_eq!(decide(&engine, || panic!("deliberate"), |decision| decision.verdict), verdict);
        assert_eq!(decide(&engine, || panic_any(Bomb), |decision| decision.verdict), verdict);
        assert_eq!(engine.snapshot().guard_errors, 2);
        // It is whole, and decides by itself again.
        assert_eq!(decide(&engine, || engine.check("select 1"), |decision| decision), engine.check("select 1"));
        assert_eq!(engine.snapshot().guard_errors, 2);
    }
}

#[test]
fn any_other_call_that_panics_says_so_and_is_counted() {
    let engine = engine("allow");
    assert!(counted(&engine, || panic_any(Bomb)).is_err());
    assert_eq!(engine.snapshot().guard_errors, 1);
    assert_eq!(counted(&engine, || 7).unwrap(), 7);
    assert!(guarded(|| panic!("deliberate")).is_err());
    assert_eq!(engine.snapshot().guard_errors, 1);
}
