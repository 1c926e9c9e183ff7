//! May this statement be sent now?

use crate::decision::sqlthrottle_decision_t;
use crate::engine::sqlthrottle_engine_t;
use crate::error::Result;
use crate::guard::{decide, with_engine};
use crate::handle;
use crate::input::{bytes, value};
use crate::statement::{Flags, read_context, sqlthrottle_context_t, sqlthrottle_statement_t, with_statement};
use crate::status::sqlthrottle_status_t::{self, SQLTHROTTLE_NOTHING, SQLTHROTTLE_OK};
use sqlthrottle::{Context, Permit, Statement, Ticket};
use std::ffi::c_char;

/// Decides on a statement of which nothing is known but its text.
///
/// Any bytes are a text, and NULL with no length is one. It is aborted where a rule says to ignore it, because nothing is said of
/// what can be faked.
///
/// Writes `decision`, whose `size` is set, on SQLTHROTTLE_OK alone. Takes nanoseconds, and allocates nothing, for a statement that
/// was seen before; it blocks only where a rule has `scope: cluster`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sqlthrottle_check(
    engine: *const sqlthrottle_engine_t,
    sql: *const c_char,
    sql_length: usize,
    decision: *mut sqlthrottle_decision_t,
) -> sqlthrottle_status_t {
    // SAFETY: the caller's promise.
    unsafe {
        decide(handle::get(engine), decision, |engine, out| {
            let statement = &Statement::new(bytes(sql, sql_length, "sql")?);
            let mut decision = engine.check_statement(statement);
            engine.settle(&mut decision, |refilled| engine.check_refilled(statement, refilled));
            out.write(&decision);
            Ok(())
        })
    }
}

/// Decides on a statement with its context, parameters, dialect, weight and what can be faked.
///
/// Otherwise as sqlthrottle_check(). More than 8 parameters or 4 tags take memory for the time of the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sqlthrottle_check_statement(
    engine: *const sqlthrottle_engine_t,
    statement: *const sqlthrottle_statement_t,
    decision: *mut sqlthrottle_decision_t,
) -> sqlthrottle_status_t {
    // SAFETY: the caller's promise.
    unsafe {
        decide(handle::get(engine), decision, |engine, out| {
            with_statement(statement, |statement, flags| {
                let mut decision = engine.check_statement(statement);
                if !flags.no_refill {
                    engine.settle(&mut decision, |refilled| engine.check_refilled(statement, refilled));
                }
                out.write(&decision);
                Ok(())
            })
        })
    }
}

/// Decides on a request, by the rules that say `on: request`: for gateways and web filters, which know who asks and not yet what for.
///
/// `context` may be NULL. `flags` are bits of sqlthrottle_flags_t. Otherwise as sqlthrottle_check().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sqlthrottle_check_request(
    engine: *const sqlthrottle_engine_t,
    context: *const sqlthrottle_context_t,
    flags: u32,
    decision: *mut sqlthrottle_decision_t,
) -> sqlthrottle_status_t {
    // SAFETY: the caller's promise.
    unsafe {
        decide(handle::get(engine), decision, |engine, out| {
            let flags = Flags::of(flags)?;
            let mut requested = Context::new();
            read_context(context, &mut requested)?;
            let mut decision = engine.check_request(&requested);
            if !flags.no_refill {
                engine.settle(&mut decision, |refilled| engine.check_request_refilled(&requested, refilled));
            }
            out.write(&decision);
            Ok(())
        })
    }
}

/// Decides on a statement whose wait is over, by the `ticket` of its SQLTHROTTLE_DELAY. It may be refused, and it may have to wait on.
///
/// A ticket is good for one call, on the engine that gave it or a clone, until five seconds after it was due; a later call, and one
/// with a number that is no ticket, is answered with SQLTHROTTLE_ABORT; 0 is refused with SQLTHROTTLE_ERROR_VALUE.
///
/// `flags` are bits of sqlthrottle_flags_t. Otherwise as sqlthrottle_check().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sqlthrottle_resume(
    engine: *const sqlthrottle_engine_t,
    ticket: u64,
    flags: u32,
    decision: *mut sqlthrottle_decision_t,
) -> sqlthrottle_status_t {
    // SAFETY: the caller's promise.
    unsafe {
        decide(handle::get(engine), decision, |engine, out| {
            let ticket = ticket_of(ticket)?;
            let flags = Flags::of(flags)?;
            out.write(&if flags.no_refill { engine.resume(ticket) } else { engine.resume_blocking(ticket) });
            Ok(())
        })
    }
}

/// Ends the wait of a statement that will not be resumed, because whoever asked has gone: another may wait in its place at once, and not
/// only five seconds after it was due.
///
/// Harmless where the ticket is 0, has been used, has lapsed or is another engine's, and with an engine that was freed. Returns
/// SQLTHROTTLE_OK where a wait was ended, else SQLTHROTTLE_NOTHING or an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sqlthrottle_give_up(engine: *const sqlthrottle_engine_t, ticket: u64) -> sqlthrottle_status_t {
    // SAFETY: the caller's promise.
    unsafe {
        with_engine(engine, |engine| {
            let ended = Ticket::from_number(ticket).is_some_and(|ticket| engine.give_up(ticket));
            Ok(if ended { SQLTHROTTLE_OK } else { SQLTHROTTLE_NOTHING })
        })
    }
}

/// Gives back what a statement held while it ran. To be called with the `permit` of every decision that was SQLTHROTTLE_ALLOW, once
/// the statement has ended, however it has.
///
/// Harmless where there is nothing to give back: a permit of 0, one that was released before, one whose lease has lapsed and whose
/// places others have taken, one of another engine, and an engine that was freed. Returns SQLTHROTTLE_OK where something was given back, else
/// SQLTHROTTLE_NOTHING or an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sqlthrottle_release(engine: *const sqlthrottle_engine_t, permit: u64) -> sqlthrottle_status_t {
    // SAFETY: the caller's promise.
    unsafe {
        with_engine(engine, |engine| {
            let released = Permit::from_number(permit).is_some_and(|permit| engine.release(permit));
            Ok(if released { SQLTHROTTLE_OK } else { SQLTHROTTLE_NOTHING })
        })
    }
}

/// The ticket of a number.
pub(crate) fn ticket_of(number: u64) -> Result<Ticket> {
    Ticket::from_number(number).ok_or_else(|| value(format_args!("ticket is 0, which no decision to delay has")))
}
