//! `NativePrepared`: texts that were read once.

use crate::array::{self, Room};
use crate::check::{dialect, fakes, finish, may_refill, weight};
use crate::context::{self, Malformed, Parameters};
use crate::error::Error;
use crate::guard::{decide, quietly, with_engine};
use crate::handle::{self, get};
use crate::reply::Payload;
use jni_sys::{JNIEnv, jbyteArray, jclass, jint, jlong, jobject};
use sqlthrottle::{Engine, Fakes, Prepared, Statement};

#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_com_jd_sword_sqlthrottle_NativeEngine_prepare(
    env: *mut JNIEnv,
    _: jobject,
    handle: jlong,
    sql: jbyteArray,
    context: jbyteArray,
    dialect: jint,
) -> jbyteArray {
    // SAFETY: the caller's promise.
    let engine: &Engine = unsafe { get(handle) };
    // SAFETY: the caller's promise.
    unsafe {
        with_engine(env, engine, |engine| {
            let (mut text, mut encoded) = (Room::new(), Room::new());
            let mut parameters = Parameters::new();
            let mut statement = Statement::new(array::read(env, sql, &mut text).unwrap_or_default());
            if let Some(encoded) = array::read(env, context, &mut encoded) {
                context::read(encoded, statement.context_mut(), &mut parameters)
                    .map_err(|Malformed| Error::value("the context cannot be read"))?;
                statement.set_params(&parameters);
            }
            statement.set_dialect(self::dialect(dialect));
            Ok(Payload::Number(handle::new(engine.prepare(&statement))))
        })
    }
}

/// By the context that it was prepared with.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_com_jd_sword_sqlthrottle_NativePrepared_check(
    _: *mut JNIEnv,
    _: jobject,
    handle: jlong,
    fakes: jint,
    weight: jint,
    flags: jint,
    answer: jlong,
) -> jlong {
    // SAFETY: the caller's promise.
    let prepared: &Prepared = unsafe { get(handle) };
    let (fakes, weight, engine) = (self::fakes(fakes), self::weight(weight), prepared.engine());
    // SAFETY: the caller's promise.
    unsafe {
        decide(engine, answer, || {
            let mut decision = prepared.check_as(fakes, weight);
            if may_refill(flags) {
                engine.settle(&mut decision, |refilled| prepared.check_as_refilled(fakes, weight, refilled));
            }
            Some(finish(engine, &mut decision, flags, answer))
        })
    }
}

/// By another context.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_com_jd_sword_sqlthrottle_NativePrepared_checkIn(
    env: *mut JNIEnv,
    _: jobject,
    handle: jlong,
    context: jbyteArray,
    fakes: jint,
    weight: jint,
    flags: jint,
    answer: jlong,
) -> jlong {
    // SAFETY: the caller's promise.
    let prepared: &Prepared = unsafe { get(handle) };
    let engine = prepared.engine();
    // SAFETY: the caller's promise.
    unsafe {
        decide(engine, answer, || {
            let mut encoded = Room::new();
            let mut parameters = Parameters::new();
            let mut statement = Statement::new(prepared.sql());
            context::read(array::read(env, context, &mut encoded)?, statement.context_mut(), &mut parameters).ok()?;
            statement.set_params(&parameters);
            statement.set_dialect(prepared.dialect());
            statement.set_fakes(self::fakes(fakes));
            statement.set_weight(self::weight(weight));
            let mut decision = prepared.check_statement(&statement);
            if may_refill(flags) {
                engine.settle(&mut decision, |refilled| engine.check_refilled(&statement, refilled));
            }
            Some(finish(engine, &mut decision, flags, answer))
        })
    }
}

/// The number of what is stood in for when it is ignored; 0 for nothing.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_com_jd_sword_sqlthrottle_NativePrepared_faked(
    _: *mut JNIEnv,
    _: jobject,
    handle: jlong,
) -> jint {
    // SAFETY: the caller's promise.
    let prepared: &Prepared = unsafe { get(handle) };
    quietly(|| match prepared.faked() {
        Fakes::Rows => 1,
        Fakes::Count => 2,
        _ => 0,
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_com_jd_sword_sqlthrottle_NativePrepared_free(
    _: *mut JNIEnv,
    _: jclass,
    handle: jlong,
) {
    // SAFETY: the caller's promise.
    unsafe { handle::free::<Prepared>(handle) };
}
