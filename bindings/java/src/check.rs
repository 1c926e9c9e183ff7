//! `NativeEngine`: what it decides.

use crate::answer;
use crate::array::{self, Room};
use crate::context::{self, Parameters};
use crate::guard::{decide, quietly};
use crate::handle::get;
use jni_sys::{JNIEnv, jboolean, jbyteArray, jint, jlong, jobject};
use sqlthrottle::{Context, Decision, Dialect, Engine, Fakes, Permit, Statement, Ticket};

/// The check asks no cluster, and so does not block.
const NO_REFILL: jint = 1;
/// What the statement would hold is given back at once, be it places or a wait.
const RELEASE: jint = 2;
/// Of a statement that may be sent and holds nothing, nothing is written.
const PASS_UNSAID: jint = 4;

/// Whether a check may ask a cluster.
#[inline]
pub(crate) fn may_refill(flags: jint) -> bool {
    flags & NO_REFILL == 0
}

/// Writes a decision as it is asked for.
///
/// # Safety
///
/// As for [`answer::write`].
#[inline]
pub(crate) unsafe fn finish(engine: &Engine, decision: &mut Decision, flags: jint, to: jlong) -> jlong {
    if flags & RELEASE != 0 {
        if let Some(permit) = decision.permit.take() {
            engine.release(permit);
        }
        if let Some(ticket) = decision.ticket.take() {
            engine.give_up(ticket);
        }
    }
    let to = if flags & PASS_UNSAID != 0 && answer::passes(decision) { 0 } else { to };
    // SAFETY: the caller's promise.
    unsafe { answer::write(decision, to) }
}

/// The dialect of a number; none for 0, which is that of the rules.
#[inline]
pub(crate) fn dialect(number: jint) -> Option<Dialect> {
    let place = usize::try_from(number).ok()?.checked_sub(1)?;
    Dialect::ALL.get(place).copied()
}

#[inline]
pub(crate) fn fakes(bits: jint) -> Fakes {
    match bits {
        1 => Fakes::Rows,
        2 => Fakes::Count,
        3 => Fakes::RowsAndCount,
        _ => Fakes::None,
    }
}

/// A weight is positive in Java, where numbers have a sign.
#[inline]
pub(crate) fn weight(executions: jint) -> u32 {
    executions.unsigned_abs()
}

/// # Safety
///
/// What Java promises of handles, arrays and answers; so it is for every method of this crate.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_com_jd_sword_sqlthrottle_NativeEngine_check(
    env: *mut JNIEnv,
    _: jobject,
    handle: jlong,
    sql: jbyteArray,
    context: jbyteArray,
    dialect: jint,
    fakes: jint,
    weight: jint,
    flags: jint,
    answer: jlong,
) -> jlong {
    // SAFETY: the caller's promise.
    let engine: &Engine = unsafe { get(handle) };
    // SAFETY: the caller's promise.
    unsafe {
        decide(engine, answer, || {
            let (mut text, mut encoded) = (Room::new(), Room::new());
            let mut parameters = Parameters::new();
            let mut statement = Statement::new(array::read(env, sql, &mut text)?);
            if let Some(encoded) = array::read(env, context, &mut encoded) {
                context::read(encoded, statement.context_mut(), &mut parameters).ok()?;
                statement.set_params(&parameters);
            }
            statement.set_dialect(self::dialect(dialect));
            statement.set_fakes(self::fakes(fakes));
            statement.set_weight(self::weight(weight));
            let mut decision = engine.check_statement(&statement);
            if may_refill(flags) {
                engine.settle(&mut decision, |refilled| engine.check_refilled(&statement, refilled));
            }
            Some(finish(engine, &mut decision, flags, answer))
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_com_jd_sword_sqlthrottle_NativeEngine_checkRequest(
    env: *mut JNIEnv,
    _: jobject,
    handle: jlong,
    context: jbyteArray,
    flags: jint,
    answer: jlong,
) -> jlong {
    // SAFETY: the caller's promise.
    let engine: &Engine = unsafe { get(handle) };
    // SAFETY: the caller's promise.
    unsafe {
        decide(engine, answer, || {
            let mut encoded = Room::new();
            let mut requested = Context::new();
            if let Some(encoded) = array::read(env, context, &mut encoded) {
                context::read(encoded, &mut requested, &mut Parameters::new()).ok()?;
            }
            let mut decision = engine.check_request(&requested);
            if may_refill(flags) {
                engine.settle(&mut decision, |refilled| engine.check_request_refilled(&requested, refilled));
            }
            Some(finish(engine, &mut decision, flags, answer))
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_com_jd_sword_sqlthrottle_NativeEngine_resume(
    _: *mut JNIEnv,
    _: jobject,
    handle: jlong,
    ticket: jlong,
    flags: jint,
    answer: jlong,
) -> jlong {
    // SAFETY: the caller's promise.
    let engine: &Engine = unsafe { get(handle) };
    // SAFETY: the caller's promise.
    unsafe {
        decide(engine, answer, || {
            let ticket = Ticket::from_number(ticket.cast_unsigned())?;
            let mut decision = if may_refill(flags) { engine.resume_blocking(ticket) } else { engine.resume(ticket) };
            Some(finish(engine, &mut decision, flags, answer))
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_com_jd_sword_sqlthrottle_NativeEngine_release(
    _: *mut JNIEnv,
    _: jobject,
    handle: jlong,
    permit: jlong,
) -> jboolean {
    // SAFETY: the caller's promise.
    let engine: &Engine = unsafe { get(handle) };
    quietly(|| Permit::from_number(permit.cast_unsigned()).is_some_and(|permit| engine.release(permit)))
}

#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_com_jd_sword_sqlthrottle_NativeEngine_giveUp(
    _: *mut JNIEnv,
    _: jobject,
    handle: jlong,
    ticket: jlong,
) -> jboolean {
    // SAFETY: the caller's promise.
    let engine: &Engine = unsafe { get(handle) };
    quietly(|| Ticket::from_number(ticket.cast_unsigned()).is_some_and(|ticket| engine.give_up(ticket)))
}
