//! No panic leaves the module: what catches one in Python catches an `Exception`, and the exception that a binding makes of a panic is none.

use sqlthrottle::{Decision, Engine};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The standard library has written to stderr where and why.
#[derive(Debug)]
pub(crate) struct Panicked;

/// Asks an engine for a decision, and makes of it what is handed out: within the guard, because a decision is large, and to hand it on is
/// to copy it. Where that panics, the decision is what the rule file's `on_error` says.
#[inline]
pub(crate) fn decide<T>(engine: &Engine, ask: impl FnOnce() -> Decision, made: impl Fn(Decision) -> T) -> T {
    match guarded(|| made(ask())) {
        Ok(made) => made,
        Err(Panicked) => made(engine.guard_error()),
    }
}

/// Asks an engine for something other than a decision. A panic is counted.
pub(crate) fn counted<T>(engine: &Engine, act: impl FnOnce() -> T) -> Result<T, Panicked> {
    guarded(act).inspect_err(|Panicked| {
        let _counted = guarded(|| drop(engine.guard_error()));
    })
}

/// A call that asks no engine.
#[inline]
pub(crate) fn guarded<T>(act: impl FnOnce() -> T) -> Result<T, Panicked> {
    // What a panic leaves half done: nothing of the engine's, which says so, and nothing that is used afterwards.
    catch_unwind(AssertUnwindSafe(act)).map_err(|payload| {
        // A payload may panic where it is dropped.
        std::mem::forget(payload);
        Panicked
    })
}
