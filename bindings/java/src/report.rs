//! `NativeEngine`: what it tells of itself, and admin statements.

use crate::array::{self, Room};
use crate::guard::with_engine;
use crate::handle::get;
use jni_sys::{JNIEnv, jbyteArray, jint, jlong, jobject};
use sqlthrottle::Engine;

/// JSON: what was added or removed, or the rules.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_com_jd_sword_sqlthrottle_NativeEngine_admin(
    env: *mut JNIEnv,
    _: jobject,
    handle: jlong,
    statement: jbyteArray,
) -> jbyteArray {
    // SAFETY: the caller's promise.
    unsafe {
        with_engine(env, get(handle), |engine| {
            let mut room = Room::new();
            let statement = array::read(env, statement, &mut room).unwrap_or_default();
            Ok(engine.admin(statement)?.to_json().into())
        })
    }
}

/// JSON.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_com_jd_sword_sqlthrottle_NativeEngine_snapshot(
    env: *mut JNIEnv,
    _: jobject,
    handle: jlong,
) -> jbyteArray {
    // SAFETY: the caller's promise.
    unsafe { with_engine(env, get(handle), |engine: &Engine| Ok(engine.snapshot().to_json().into())) }
}

/// Prometheus text.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_com_jd_sword_sqlthrottle_NativeEngine_metrics(
    env: *mut JNIEnv,
    _: jobject,
    handle: jlong,
) -> jbyteArray {
    // SAFETY: the caller's promise.
    unsafe { with_engine(env, get(handle), |engine: &Engine| Ok(engine.snapshot().prometheus().into())) }
}

/// JSON.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_com_jd_sword_sqlthrottle_NativeEngine_top(
    env: *mut JNIEnv,
    _: jobject,
    handle: jlong,
    most: jint,
) -> jbyteArray {
    // SAFETY: the caller's promise.
    unsafe {
        with_engine(env, get(handle), |engine: &Engine| {
            Ok(engine.top(usize::try_from(most).unwrap_or(0)).to_json().into())
        })
    }
}
