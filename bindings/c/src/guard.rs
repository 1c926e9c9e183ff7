//! No panic leaves the library, and whatever happens the caller has an answer.

use crate::decision::sqlthrottle_decision_t;
use crate::engine::sqlthrottle_engine_t;
use crate::error::{Error, Result, keep};
use crate::handle;
use crate::output::Out;
use crate::status::sqlthrottle_status_t::{self, SQLTHROTTLE_OK};
use sqlthrottle::Engine;
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
pub(crate) unsafe fn decide<S: OfEngine>(
    subject: Result<&S>,
    decision: *mut sqlthrottle_decision_t,
    ask: impl FnOnce(&S, &mut Out<sqlthrottle_decision_t>) -> Result<()>,
) -> sqlthrottle_status_t {
    // SAFETY: the caller's promise.
    let answered = unsafe { Out::of(decision, "decision") }.and_then(|mut out| {
        let answered = subject.and_then(|subject| {
            // Written in there, because a decision is large, and to hand it on would be to copy it.
            match guarded(|| ask(subject, &mut out)) {
                Ok(answered) => answered,
                Err(Panicked) => match guarded(|| out.write(&subject.engine().guard_error())) {
                    Ok(()) => Ok(()),
                    Err(Panicked) => Err(Error::panicked()),
                },
            }
        });
        answered.inspect_err(|_| out.take_back())
    });
    finish(answered.map(|()| SQLTHROTTLE_OK))
}

/// What is asked for a decision.
pub(crate) trait OfEngine {
    /// The engine that answers where the guard itself fails.
    fn engine(&self) -> &Engine;
}

impl OfEngine for Engine {
    fn engine(&self) -> &Engine {
        self
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decision::sqlthrottle_reason_t::SQLTHROTTLE_REASON_GUARD_ERROR;
    use crate::decision::sqlthrottle_verdict_t::{self, SQLTHROTTLE_ABORT, SQLTHROTTLE_ALLOW};
    use crate::status::sqlthrottle_status_t::{SQLTHROTTLE_ERROR_NULL, SQLTHROTTLE_ERROR_PANIC};
    use sqlthrottle::{Decision, RuleFile};
    use std::mem::MaybeUninit;
    use std::panic::panic_any;
    use std::ptr;

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

    /// The decision of a check that does this instead of deciding.
    fn decided(engine: &Engine, ask: impl FnOnce(&Engine) -> Decision) -> sqlthrottle_decision_t {
        let mut decision = MaybeUninit::<sqlthrottle_decision_t>::zeroed();
        let to = decision.as_mut_ptr();
        // SAFETY: so many bytes are there, and a call that returns OK has set all fields.
        unsafe {
            (*to).size = size_of::<sqlthrottle_decision_t>();
            let status = decide(Ok(engine), to, |engine, out| {
                out.write(&ask(engine));
                Ok(())
            });
            assert_eq!(status, SQLTHROTTLE_OK);
            decision.assume_init()
        }
    }

    fn assert_guarded(on_error: &str, verdict: sqlthrottle_verdict_t, ask: fn(&Engine) -> Decision) {
        let engine = engine(on_error);
        let decision = decided(&engine, ask);
        assert_eq!((decision.verdict, decision.reason), (verdict, SQLTHROTTLE_REASON_GUARD_ERROR));
        assert_eq!((decision.permit, decision.ticket, decision.rule[0]), (0, 0, 0));
        assert_eq!(engine.snapshot().guard_errors, 1);
        // It is whole, and decides by itself again.
        let next = decided(&engine, |engine| engine.check("select 1"));
        assert_ne!(next.reason, SQLTHROTTLE_REASON_GUARD_ERROR);
        assert_eq!(engine.snapshot().guard_errors, 1);
    }

    #[test]
    fn a_check_that_panics_is_decided_by_on_error_and_counted() {
        assert_guarded("allow", SQLTHROTTLE_ALLOW, |_| panic!("deliberate"));
        assert_guarded("abort", SQLTHROTTLE_ABORT, |_| panic!("deliberate"));
        assert_guarded("abort", SQLTHROTTLE_ABORT, |_| panic_any(Bomb));
    }

    #[test]
    fn any_other_call_that_panics_says_so() {
        let engine = engine("allow");
        let handle = handle::new::<sqlthrottle_engine_t>(engine.clone());
        // SAFETY: the handle is freed at the end.
        unsafe {
            assert_eq!(with_engine(handle, |_| panic!("deliberate")), SQLTHROTTLE_ERROR_PANIC);
            assert_eq!(with_engine(handle, |_| panic_any(Bomb)), SQLTHROTTLE_ERROR_PANIC);
            assert_eq!(with_engine(handle, |_| Ok(SQLTHROTTLE_OK)), SQLTHROTTLE_OK);
            drop(handle::free(handle));
        }
        assert_eq!(engine.snapshot().guard_errors, 2);
        assert_eq!(call(|| panic!("deliberate")), SQLTHROTTLE_ERROR_PANIC);
        assert_eq!(call(|| panic_any(Bomb)), SQLTHROTTLE_ERROR_PANIC);
    }

    #[test]
    fn what_is_wrong_with_the_call_is_no_failure_of_the_guard() {
        let engine = engine("allow");
        // SAFETY: NULL is an answer's place that is refused.
        let status = unsafe { decide(Ok(&engine), ptr::null_mut(), |_, _| Ok(())) };
        assert_eq!(status, SQLTHROTTLE_ERROR_NULL);
        assert_eq!(engine.snapshot().guard_errors, 0);
    }
}
