//! Statements that are checked again and again.

use crate::decision::sqlthrottle_decision_t;
use crate::engine::sqlthrottle_engine_t;
use crate::guard::{OfEngine, call, decide, with_engine};
use crate::handle::{self, opaque};
use crate::output::cleared;
use crate::refill::sqlthrottle_refill_t;
use crate::statement::{Flags, sqlthrottle_statement_t, with_statement};
use crate::status::sqlthrottle_status_t::{self, SQLTHROTTLE_OK};
use sqlthrottle::{Engine, Prepared};

/// A statement that was read once and is checked by reference. One serves any number of threads.
#[derive(Debug)]
pub struct sqlthrottle_prepared_t {
    _opaque: (),
}

/// With how it is to be checked.
#[derive(Debug)]
pub(crate) struct Noted {
    prepared: Prepared,
    flags: Flags,
}

impl OfEngine for Noted {
    fn engine(&self) -> &Engine {
        self.prepared.engine()
    }
}

opaque!(sqlthrottle_prepared_t, Noted, "prepared statement");

/// Reads a statement once, so that it can be checked many times without its text: sqlthrottle_check_prepared().
///
/// Text, context and parameters are copied, and every check goes by them: where they change from one execution to the next, and rules
/// read them, sqlthrottle_check_statement() is the one to call. Permits are released, and waits resumed, by a handle to the engine.
///
/// Writes `prepared`, to be freed with sqlthrottle_prepared_free(); it keeps the engine until then. It is never out of date: where
/// rules have changed, its next check goes by the new ones.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sqlthrottle_prepare(
    engine: *const sqlthrottle_engine_t,
    statement: *const sqlthrottle_statement_t,
    prepared: *mut *mut sqlthrottle_prepared_t,
) -> sqlthrottle_status_t {
    // SAFETY: the caller's promise.
    unsafe {
        with_engine(engine, |engine| {
            let prepared = cleared(prepared, "prepared")?;
            with_statement(statement, |statement, flags| {
                prepared.write(handle::new(Noted { prepared: engine.prepare(statement), flags }));
                Ok(SQLTHROTTLE_OK)
            })
        })
    }
}

/// Decides on a prepared statement, as sqlthrottle_check_statement() would, without looking up its text.
///
/// `weight` is how many executions the check speaks for, 0 for the weight that it was prepared with. Otherwise as sqlthrottle_check().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sqlthrottle_check_prepared(
    prepared: *const sqlthrottle_prepared_t,
    weight: u32,
    decision: *mut sqlthrottle_decision_t,
) -> sqlthrottle_status_t {
    // SAFETY: the caller's promise.
    unsafe {
        decide(handle::get(prepared), decision, |Noted { prepared, flags }, out| {
            let weight = weight_of(prepared, weight);
            let mut decision = prepared.check_weight(weight);
            if !flags.no_refill {
                prepared.engine().settle(&mut decision, |refilled| prepared.check_weight_refilled(weight, refilled));
            }
            out.write(&decision);
            Ok(())
        })
    }
}

/// Decides on a prepared statement after its refill; `weight` is that of the check. Frees `refill`, whatever it returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sqlthrottle_check_prepared_refilled(
    prepared: *const sqlthrottle_prepared_t,
    weight: u32,
    refill: *mut sqlthrottle_refill_t,
    decision: *mut sqlthrottle_decision_t,
) -> sqlthrottle_status_t {
    // SAFETY: the caller's promise.
    unsafe {
        let refilled = sqlthrottle_refill_t::take(refill);
        decide(handle::get(prepared), decision, |Noted { prepared, .. }, out| {
            out.write(&prepared.check_weight_refilled(weight_of(prepared, weight), refilled?));
            Ok(())
        })
    }
}

/// Frees a prepared statement. No other thread may be in a call with it. Does nothing with NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sqlthrottle_prepared_free(prepared: *mut sqlthrottle_prepared_t) {
    call(|| {
        // SAFETY: the caller's promise.
        drop(unsafe { handle::free(prepared) });
        Ok(SQLTHROTTLE_OK)
    });
}

/// The weight that is asked for; 0 for the one that it was prepared with.
fn weight_of(prepared: &Prepared, asked: u32) -> u32 {
    if asked == 0 { prepared.weight() } else { asked }
}
