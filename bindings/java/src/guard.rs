//! No panic leaves the library, and whatever happens the caller has an answer.

use crate::answer;
use crate::error::{Error, Result};
use crate::reply::{self, Payload};
use jni_sys::{JNIEnv, jbyteArray, jlong};
use sqlthrottle::Engine;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Asks an engine for a decision. Where that panics, or cannot read what it is asked, the decision is what the rule file's `on_error`
/// says.
///
/// # Safety
///
/// As for [`answer::write`].
#[inline]
pub(crate) unsafe fn decide(engine: &Engine, to: jlong, ask: impl FnOnce() -> Option<jlong>) -> jlong {
    match guarded(ask) {
        Ok(Some(answered)) => answered,
        // SAFETY: the caller's promise.
        Ok(None) | Err(Panicked) => unsafe { failed(engine, to) },
    }
}

#[cold]
unsafe fn failed(engine: &Engine, to: jlong) -> jlong {
    // SAFETY: the caller's promise.
    guarded(|| unsafe { answer::write(&engine.guard_error(), to) }).unwrap_or(answer::NONE)
}

/// A call that asks an engine for something other than a decision.
///
/// # Safety
///
/// As for [`reply::write`].
pub(crate) unsafe fn with_engine(
    env: *mut JNIEnv,
    engine: &Engine,
    act: impl FnOnce(&Engine) -> Result<Payload>,
) -> jbyteArray {
    let result = guarded(|| act(engine)).unwrap_or_else(|Panicked| {
        let _counted = guarded(|| engine.guard_error());
        Err(Error::panicked())
    });
    // SAFETY: the caller's promise.
    unsafe { reply::write(env, result) }
}

/// A call that asks no engine.
///
/// # Safety
///
/// As for [`reply::write`].
pub(crate) unsafe fn call(env: *mut JNIEnv, act: impl FnOnce() -> Result<Payload>) -> jbyteArray {
    let result = guarded(act).unwrap_or_else(|Panicked| Err(Error::panicked()));
    // SAFETY: the caller's promise.
    unsafe { reply::write(env, result) }
}

/// A call that has nothing to say; what it returns where it panics is the default.
#[inline]
pub(crate) fn quietly<T: Default>(act: impl FnOnce() -> T) -> T {
    guarded(act).unwrap_or_default()
}

/// The standard library has written to stderr where and why.
#[derive(Debug)]
struct Panicked;

#[inline]
fn guarded<T>(act: impl FnOnce() -> T) -> std::result::Result<T, Panicked> {
    // What a panic leaves half done: nothing of the engine's, which says so, and answers, which are written anew.
    catch_unwind(AssertUnwindSafe(act)).map_err(|payload| {
        // A payload may panic where it is dropped.
        std::mem::forget(payload);
        Panicked
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::{Answer, Packed};
    use sqlthrottle::{Decision, RuleFile, Verdict};
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

    /// What a check returns that does this instead of deciding.
    fn decided(engine: &Engine, ask: impl FnOnce(&Engine) -> Option<Decision>) -> Packed {
        let mut to = Answer::default();
        let to = (&raw mut to) as jlong;
        // SAFETY: an answer may be written there.
        Packed(unsafe { decide(engine, to, || Some(answer::write(&ask(engine)?, to))) })
    }

    fn assert_guarded(on_error: &str, verdict: Verdict, ask: fn(&Engine) -> Option<Decision>) {
        let engine = engine(on_error);
        assert_eq!(decided(&engine, ask), Packed::of(&Decision::clone(&engine.guard_error())), "{on_error}");
        assert_eq!(engine.guard_error().verdict, verdict);
        assert_eq!(engine.snapshot().guard_errors, 3);
        // It is whole, and decides by itself again.
        let next = decided(&engine, |engine| Some(engine.check("select 1")));
        assert_eq!(next, Packed::of(&engine.check("select 1")));
        assert_eq!(engine.snapshot().guard_errors, 3);
    }

    #[test]
    fn a_check_that_panics_is_decided_by_on_error_and_counted() {
        assert_guarded("allow", Verdict::Allow, |_| panic!("deliberate"));
        assert_guarded("abort", Verdict::Abort, |_| panic!("deliberate"));
        assert_guarded("abort", Verdict::Abort, |_| panic_any(Bomb));
    }

    #[test]
    fn a_check_that_cannot_be_read_is_decided_by_on_error_and_counted() {
        assert_guarded("allow", Verdict::Allow, |_| None);
        assert_guarded("abort", Verdict::Abort, |_| None);
    }

    #[test]
    fn any_other_call_that_panics_answers_nothing() {
        assert_eq!(quietly(|| -> u64 { panic!("deliberate") }), 0);
        assert_eq!(quietly(|| -> u64 { panic_any(Bomb) }), 0);
        assert_eq!(quietly(|| 7_u64), 7);
    }
}
