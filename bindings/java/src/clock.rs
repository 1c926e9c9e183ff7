//! `NativeClock`: a clock that a test moves.

use crate::guard::{call, quietly};
use crate::handle::{self, get};
use crate::reply::Payload;
use jni_sys::{JNIEnv, jbyteArray, jclass, jlong, jobject};
use sqlthrottle::ManualClock;
use std::time::{Duration, SystemTime};

#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_com_jd_sword_sqlthrottle_NativeClock_make(
    env: *mut JNIEnv,
    _: jclass,
) -> jbyteArray {
    // SAFETY: the caller's promise.
    unsafe { call(env, || Ok(Payload::Number(handle::new(ManualClock::new())))) }
}

#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_com_jd_sword_sqlthrottle_NativeClock_free(_: *mut JNIEnv, _: jclass, handle: jlong) {
    // SAFETY: the caller's promise.
    unsafe { handle::free::<ManualClock>(handle) };
}

#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_com_jd_sword_sqlthrottle_NativeClock_now(
    _: *mut JNIEnv,
    _: jobject,
    handle: jlong,
) -> jlong {
    // SAFETY: the caller's promise.
    let clock: &ManualClock = unsafe { get(handle) };
    quietly(|| jlong::try_from(clock.now()).unwrap_or(jlong::MAX))
}

/// Nanoseconds that are not negative.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_com_jd_sword_sqlthrottle_NativeClock_advance(
    _: *mut JNIEnv,
    _: jobject,
    handle: jlong,
    nanos: jlong,
) {
    // SAFETY: the caller's promise.
    let clock: &ManualClock = unsafe { get(handle) };
    quietly(|| clock.advance(Duration::from_nanos(nanos.unsigned_abs())));
}

/// Nanoseconds since the beginning of 1970 UTC.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_com_jd_sword_sqlthrottle_NativeClock_setWall(
    _: *mut JNIEnv,
    _: jobject,
    handle: jlong,
    nanos: jlong,
) {
    // SAFETY: the caller's promise.
    let clock: &ManualClock = unsafe { get(handle) };
    quietly(|| {
        let span = Duration::from_nanos(nanos.unsigned_abs());
        clock.set_wall(if nanos < 0 { SystemTime::UNIX_EPOCH - span } else { SystemTime::UNIX_EPOCH + span });
    });
}
