//! Asking a cluster for what a check lacks, in a thread of the caller's choice.

use crate::check::ticket_of;
use crate::decision::sqlthrottle_decision_t;
use crate::engine::sqlthrottle_engine_t;
use crate::error::{Error, Result};
use crate::guard::{call, decide, with_engine};
use crate::handle::{self, Opaque as _, opaque};
use crate::statement::{read_context, sqlthrottle_context_t, sqlthrottle_statement_t, with_statement};
use crate::status::sqlthrottle_status_t::{self, SQLTHROTTLE_ERROR_VALUE, SQLTHROTTLE_OK};
use sqlthrottle::{Context, RefillRequest, Refilled};
use sqlthrottle_cells::lock::Lock;

/// What a check lacks, and after sqlthrottle_refill() what the cluster has answered. It belongs to one statement; the functions that
/// end in `_refilled` free it.
#[derive(Debug)]
pub struct sqlthrottle_refill_t {
    _opaque: (),
}

/// What is to be asked for, and what was answered.
#[derive(Debug)]
pub(crate) struct Refill {
    request: RefillRequest,
    answer: Lock<Option<Refilled>>,
}

opaque!(sqlthrottle_refill_t, Refill, "refill");

impl Refill {
    pub(crate) fn new(request: RefillRequest) -> Self {
        Self { request, answer: Lock::new(None) }
    }

    /// What the cluster has answered.
    fn taken(self) -> Result<Refilled> {
        self.answer.lock().take().ok_or_else(|| {
            Error::new(SQLTHROTTLE_ERROR_VALUE, "the refill was not asked for: call sqlthrottle_refill() first")
        })
    }
}

impl sqlthrottle_refill_t {
    /// Frees a refill and takes what was answered.
    ///
    /// # Safety
    ///
    /// As for [`handle::free`].
    pub(crate) unsafe fn take(refill: *mut Self) -> Result<Refilled> {
        if refill.is_null() {
            return Err(Error::null(Self::NOUN));
        }
        // SAFETY: the handle is all there is to the struct; the rest is the caller's promise.
        match unsafe { handle::free(refill) } {
            Some(refill) => refill.taken(),
            None => Err(handle::freed(Self::NOUN)),
        }
    }
}

/// Asks the cluster for what a check lacks. This version has no backend that asks one, and refuses rules with `scope: cluster` where
/// they are read: no check is answered with SQLTHROTTLE_REFILL_NEEDED yet, and a program that is ready for it need not change.
///
/// It works in this thread, which it blocks for as long as the rule file's `timeout` allows. It never
/// decides: call the function next that ends in `_refilled`, with the statement, request or ticket it is for.
///
/// Where the cluster does not answer, that function decides by the rule's `on_failure`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sqlthrottle_refill(
    engine: *const sqlthrottle_engine_t,
    refill: *mut sqlthrottle_refill_t,
) -> sqlthrottle_status_t {
    // SAFETY: the caller's promise.
    unsafe {
        with_engine(engine, |engine| {
            let refill = handle::get(refill)?;
            let answer = engine.refill(&refill.request);
            *refill.answer.lock() = Some(answer);
            Ok(SQLTHROTTLE_OK)
        })
    }
}

/// Decides on a statement after its refill. It is not answered with SQLTHROTTLE_REFILL_NEEDED again. Frees `refill`, whatever it
/// returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sqlthrottle_check_refilled(
    engine: *const sqlthrottle_engine_t,
    statement: *const sqlthrottle_statement_t,
    refill: *mut sqlthrottle_refill_t,
    decision: *mut sqlthrottle_decision_t,
) -> sqlthrottle_status_t {
    // SAFETY: the caller's promise.
    unsafe {
        let refilled = sqlthrottle_refill_t::take(refill);
        decide(handle::get(engine), decision, |engine, out| {
            let refilled = refilled?;
            with_statement(statement, |statement, _| {
                out.write(&engine.check_refilled(statement, refilled));
                Ok(())
            })
        })
    }
}

/// Decides on a request after its refill. `context` may be NULL. Frees `refill`, whatever it returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sqlthrottle_check_request_refilled(
    engine: *const sqlthrottle_engine_t,
    context: *const sqlthrottle_context_t,
    refill: *mut sqlthrottle_refill_t,
    decision: *mut sqlthrottle_decision_t,
) -> sqlthrottle_status_t {
    // SAFETY: the caller's promise.
    unsafe {
        let refilled = sqlthrottle_refill_t::take(refill);
        decide(handle::get(engine), decision, |engine, out| {
            let refilled = refilled?;
            let mut requested = Context::new();
            read_context(context, &mut requested)?;
            out.write(&engine.check_request_refilled(&requested, refilled));
            Ok(())
        })
    }
}

/// Decides on a statement that has waited after its refill, by the ticket of the decision that said SQLTHROTTLE_REFILL_NEEDED. Frees
/// `refill`, whatever it returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sqlthrottle_resume_refilled(
    engine: *const sqlthrottle_engine_t,
    ticket: u64,
    refill: *mut sqlthrottle_refill_t,
    decision: *mut sqlthrottle_decision_t,
) -> sqlthrottle_status_t {
    // SAFETY: the caller's promise.
    unsafe {
        let refilled = sqlthrottle_refill_t::take(refill);
        decide(handle::get(engine), decision, |engine, out| {
            out.write(&engine.resume_refilled(ticket_of(ticket)?, refilled?));
            Ok(())
        })
    }
}

/// Frees a refill that is not going to be used. Does nothing with NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sqlthrottle_refill_free(refill: *mut sqlthrottle_refill_t) {
    call(|| {
        // SAFETY: the caller's promise.
        drop(unsafe { handle::free(refill) });
        Ok(SQLTHROTTLE_OK)
    });
}

/// No rules of the header's engines are counted by a cluster so far, so these engines are made here.
#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{sqlthrottle_check_request, sqlthrottle_check_statement, sqlthrottle_resume};
    use crate::decision::sqlthrottle_verdict_t::{
        self, SQLTHROTTLE_ALLOW, SQLTHROTTLE_DELAY, SQLTHROTTLE_REFILL_NEEDED,
    };
    use crate::prepared::{
        sqlthrottle_check_prepared, sqlthrottle_check_prepared_refilled, sqlthrottle_prepare, sqlthrottle_prepared_free,
    };
    use crate::statement::{sqlthrottle_flags_t, sqlthrottle_text_t};
    use crate::status::sqlthrottle_status_t::{SQLTHROTTLE_ERROR_FREED, SQLTHROTTLE_ERROR_NULL};
    use sqlthrottle::{ClusterQuota, Engine, ManualClock, QuotaAsk, QuotaError, QuotaGrant, RuleFile};
    use std::mem::MaybeUninit;
    use std::ptr::{self, null, null_mut};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Duration;

    const NO_REFILL: u32 = sqlthrottle_flags_t::SQLTHROTTLE_NO_REFILL as u32;
    const RULES: &str = "
cluster: {redis: {url: 'redis://127.0.0.1'}, namespace: shop}
rules:
  - name: shared
    limit: {fixed_window: {max: 100, window: 1h}}
    scope: cluster
    then: {strategy: delay, delay: until_allowed, max_delay: 10s}
  - {name: requests, on: request, limit: {fixed_window: {max: 100, window: 1h}}, scope: cluster}
";

    /// Grants all that is asked for, or nothing for a second.
    #[derive(Default)]
    struct Quota {
        refuses: AtomicBool,
    }

    impl ClusterQuota for Quota {
        fn take(&self, ask: &QuotaAsk<'_>) -> std::result::Result<QuotaGrant, QuotaError> {
            let refuses = self.refuses.load(Ordering::Relaxed);
            let retry_after = refuses.then_some(Duration::from_secs(1));
            Ok(QuotaGrant { granted: if refuses { 0 } else { ask.most }, retry_after })
        }
    }

    struct Trial {
        engine: *mut sqlthrottle_engine_t,
        clock: ManualClock,
        quota: Arc<Quota>,
    }

    impl Drop for Trial {
        fn drop(&mut self) {
            // SAFETY: it came from `handle::new`, and nothing uses it any more.
            drop(unsafe { handle::free(self.engine) });
        }
    }

    impl Trial {
        fn new() -> Self {
            let (clock, quota) = (ManualClock::new(), Arc::new(Quota::default()));
            let builder = Engine::builder(RuleFile::parse(RULES).unwrap()).clock(clock.clone());
            let cluster: Arc<dyn ClusterQuota> = quota.clone();
            let engine = handle::new(builder.cluster(cluster).build().unwrap());
            Self { engine, clock, quota }
        }

        /// Checks a statement without asking the cluster.
        fn check(&self) -> sqlthrottle_decision_t {
            // SAFETY: both are as they say.
            answer(|decision| unsafe { sqlthrottle_check_statement(self.engine, ptr::from_ref(&STATEMENT), decision) })
        }

        fn refill(&self, refill: *mut sqlthrottle_refill_t) {
            // SAFETY: both are handles.
            assert_eq!(unsafe { sqlthrottle_refill(self.engine, refill) }, SQLTHROTTLE_OK);
        }
    }

    const STATEMENT: sqlthrottle_statement_t = sqlthrottle_statement_t {
        size: size_of::<sqlthrottle_statement_t>(),
        sql: sqlthrottle_text_t { data: c"select 1".as_ptr(), length: 8 },
        context: null(),
        parameters: null(),
        parameters_length: 0,
        dialect: 0,
        fakes: 0,
        weight: 0,
        flags: NO_REFILL,
    };

    /// What a call returns, and its decision, zero where it wrote none.
    fn asked(
        ask: impl FnOnce(*mut sqlthrottle_decision_t) -> sqlthrottle_status_t,
    ) -> (sqlthrottle_status_t, MaybeUninit<sqlthrottle_decision_t>) {
        let mut decision = MaybeUninit::<sqlthrottle_decision_t>::zeroed();
        let to = decision.as_mut_ptr();
        // SAFETY: so many bytes are there.
        unsafe { (&raw mut (*to).size).write(size_of::<sqlthrottle_decision_t>()) };
        (ask(to), decision)
    }

    fn answer(ask: impl FnOnce(*mut sqlthrottle_decision_t) -> sqlthrottle_status_t) -> sqlthrottle_decision_t {
        let (status, decision) = asked(ask);
        assert_eq!(status, SQLTHROTTLE_OK);
        // SAFETY: a call that returns OK has set all fields.
        unsafe { decision.assume_init() }
    }

    /// The refill of a decision that needs one.
    fn needed(decision: &sqlthrottle_decision_t) -> *mut sqlthrottle_refill_t {
        assert_eq!((decision.verdict, decision.permit), (SQLTHROTTLE_REFILL_NEEDED, 0));
        assert!(!decision.refill.is_null());
        decision.refill
    }

    fn assert_verdict(decision: &sqlthrottle_decision_t, verdict: sqlthrottle_verdict_t) {
        assert_eq!((decision.verdict, decision.refill), (verdict, null_mut()));
    }

    #[test]
    fn each_kind_of_check_goes_on_after_its_refill() {
        let trial = Trial::new();
        let refill = needed(&trial.check());
        trial.refill(refill);
        // SAFETY: all are handles, and the refill is freed once.
        let decision =
            answer(|to| unsafe { sqlthrottle_check_refilled(trial.engine, ptr::from_ref(&STATEMENT), refill, to) });
        assert_verdict(&decision, SQLTHROTTLE_ALLOW);

        // SAFETY: as above.
        let request = |to| unsafe { sqlthrottle_check_request(trial.engine, null(), NO_REFILL, to) };
        let refill = needed(&answer(request));
        trial.refill(refill);
        // SAFETY: as above.
        let decision = answer(|to| unsafe { sqlthrottle_check_request_refilled(trial.engine, null(), refill, to) });
        assert_verdict(&decision, SQLTHROTTLE_ALLOW);
    }

    #[test]
    fn a_prepared_statement_goes_on_after_its_refill() {
        let trial = Trial::new();
        let mut prepared = null_mut();
        // SAFETY: all are handles, and each is freed once.
        unsafe {
            assert_eq!(sqlthrottle_prepare(trial.engine, ptr::from_ref(&STATEMENT), &raw mut prepared), SQLTHROTTLE_OK);
            let refill = needed(&answer(|to| sqlthrottle_check_prepared(prepared, 0, to)));
            trial.refill(refill);
            let decision = answer(|to| sqlthrottle_check_prepared_refilled(prepared, 0, refill, to));
            assert_verdict(&decision, SQLTHROTTLE_ALLOW);
            sqlthrottle_prepared_free(prepared);
        }
    }

    #[test]
    fn a_statement_that_has_waited_goes_on_after_its_refill() {
        let trial = Trial::new();
        trial.quota.refuses.store(true, Ordering::Relaxed);
        let refill = needed(&trial.check());
        trial.refill(refill);
        // SAFETY: all are handles, and each refill is freed once.
        unsafe {
            let delayed = answer(|to| sqlthrottle_check_refilled(trial.engine, ptr::from_ref(&STATEMENT), refill, to));
            assert_verdict(&delayed, SQLTHROTTLE_DELAY);
            trial.clock.advance(Duration::from_nanos(delayed.delay_ns));
            trial.quota.refuses.store(false, Ordering::Relaxed);
            let again = answer(|to| sqlthrottle_resume(trial.engine, delayed.ticket, NO_REFILL, to));
            let refill = needed(&again);
            trial.refill(refill);
            let decision = answer(|to| sqlthrottle_resume_refilled(trial.engine, again.ticket, refill, to));
            assert_verdict(&decision, SQLTHROTTLE_ALLOW);
        }
    }

    /// Whatever it returns, it frees the refill.
    #[test]
    fn a_refill_is_good_for_one_call_and_only_once_it_was_asked_for() {
        let trial = Trial::new();
        let refill = needed(&trial.check());
        let check = |refill| {
            // SAFETY: the refill is NULL, a handle, or one that was freed, which is looked for.
            asked(|to| unsafe { sqlthrottle_check_refilled(trial.engine, ptr::from_ref(&STATEMENT), refill, to) }).0
        };
        assert_eq!(check(refill), SQLTHROTTLE_ERROR_VALUE, "it was not asked for");
        assert_eq!(check(refill), SQLTHROTTLE_ERROR_FREED);
        assert_eq!(check(null_mut()), SQLTHROTTLE_ERROR_NULL);
        let refill = needed(&trial.check());
        trial.refill(refill);
        trial.refill(refill);
        // SAFETY: all are handles, or ones that were freed, which is looked for; NULL is refused.
        unsafe {
            let status = sqlthrottle_check_refilled(trial.engine, null(), refill, null_mut());
            assert_eq!(status, SQLTHROTTLE_ERROR_NULL);
            assert_eq!(sqlthrottle_refill(trial.engine, refill), SQLTHROTTLE_ERROR_FREED);
            sqlthrottle_refill_free(refill);
        }
    }
}
