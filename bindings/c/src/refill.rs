//! Asking a cluster for what a check lacks, in a thread of the caller's choice.

use crate::check::ticket_of;
use crate::decision::sqlthrottle_decision_t;
use crate::engine::sqlthrottle_engine_t;
use crate::error::{Error, Result};
use crate::guard::{call, decide, with_engine};
use crate::handle::{self, opaque};
use crate::statement::{context as context_of, sqlthrottle_context_t, sqlthrottle_statement_t, with_statement};
use crate::status::sqlthrottle_status_t::{self, SQLTHROTTLE_ERROR_VALUE, SQLTHROTTLE_OK};
use sqlthrottle::{RefillRequest, Refilled};
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
        // SAFETY: the handle is all there is to the struct; the rest is the caller's promise.
        let Some(refill) = (unsafe { handle::free(refill) }) else {
            return Err(Error::null("refill, or it was freed before: it"));
        };
        refill.taken()
    }
}

/// Asks the cluster for what a check lacks, in this thread, which it blocks for as long as the rule file's `timeout` allows. It never
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
        decide(handle::get(engine), decision, |engine| {
            let refilled = refilled?;
            with_statement(statement, |statement, _| Ok(engine.check_refilled(statement, refilled)))
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
        decide(handle::get(engine), decision, |engine| {
            let refilled = refilled?;
            Ok(engine.check_request_refilled(&context_of(context)?, refilled))
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
        decide(handle::get(engine), decision, |engine| Ok(engine.resume_refilled(ticket_of(ticket)?, refilled?)))
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
