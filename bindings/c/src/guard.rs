//! No panic leaves the library, and whatever happens the caller has an answer.

use crate::decision::sqlthrottle_decision_t;
use crate::engine::sqlthrottle_engine_t;
use crate::error::{Error, Result, keep};
use crate::handle;
use crate::output::Out;
use crate::status::sqlthrottle_status_t::{self, SQLTHROTTLE_OK};
use sqlthrottle::{Decision, Engine};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A call that asks no engine.
pub(crate) fn call(act: impl FnOnce() -> Result<sqlthrottle_status_t>) -> sqlthrottle_status_t {
    finish(guarded(act).unwrap_or_else(|Panicked| Err(Error::panicked())))
}

/// A call that asks an engine for something other than a decision.
///
/// # Safety
///
/// As for [`handle::get`].
pub(crate) unsafe fn with_engine(
    engine: *const sqlthrottle_engine_t,
    act: impl FnOnce(&Engine) -> Result<sqlthrottle_status_t>,
) -> sqlthrottle_status_t {
    // SAFETY: the caller's promise.
    finish(unsafe { handle::get(engine) }.and_then(|engine| {
        guarded(|| act(engine)).unwrap_or_else(|Panicked| {
            let _counted = guarded(|| engine.guard_error());
            Err(Error::panicked())
        })
    }))
}

/// A call that asks an engine for a decision. Where that panics, the decision is what the rule file's `on_error` says.
///
/// # Safety
///
/// As for [`Out::of`].
#[inline]
pub(crate) unsafe fn decide(
    engine: Result<&Engine>,
    decision: *mut sqlthrottle_decision_t,
    ask: impl FnOnce(&Engine) -> Result<Decision>,
) -> sqlthrottle_status_t {
    // SAFETY: the caller's promise.
    let answered = unsafe { Out::of(decision, "decision") }.and_then(|mut out| {
        let engine = engine?;
        // Written in there, because a decision is large, and to hand it on would be to copy it.
        match guarded(|| ask(engine).map(|decision| out.write(decision))) {
            Ok(answered) => answered,
            Err(Panicked) => match guarded(|| out.write(engine.guard_error())) {
                Ok(()) => Ok(()),
                Err(Panicked) => Err(Error::panicked()),
            },
        }
    });
    finish(answered.map(|()| SQLTHROTTLE_OK))
}

/// The standard library has written to stderr where and why.
struct Panicked;

#[inline]
fn guarded<T>(act: impl FnOnce() -> T) -> std::result::Result<T, Panicked> {
    // What a panic leaves half done: nothing of the engine's, which says so, and outputs, which are not looked at then.
    catch_unwind(AssertUnwindSafe(act)).map_err(|payload| {
        // A payload may panic where it is dropped.
        std::mem::forget(payload);
        Panicked
    })
}

#[inline]
fn finish(result: Result<sqlthrottle_status_t>) -> sqlthrottle_status_t {
    match result {
        Ok(status) => status,
        Err(error) => keep(error),
    }
}
