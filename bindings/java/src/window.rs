//! `NativeWindow`: the sliding window as a type of its own.

use crate::error::Error;
use crate::guard::{call, quietly};
use crate::handle::{self, get};
use crate::reply::Payload;
use jni_sys::{JNIEnv, jbyteArray, jclass, jint, jlong, jobject};
use sqlthrottle::{Clock, ManualClock, SlidingWindow};
use std::time::Duration;

/// `time` is the handle of `clock`, which is there to be reachable; 0 for the machine's.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_com_jd_sword_sqlthrottle_NativeWindow_make(
    env: *mut JNIEnv,
    _: jclass,
    window: jlong,
    buckets: jint,
    _clock: jobject,
    time: jlong,
) -> jbyteArray {
    // SAFETY: the caller's promise.
    unsafe {
        call(env, || {
            let clock = if time == 0 { Clock::system() } else { get::<ManualClock>(time).clone().into() };
            let window = Duration::from_nanos(window.unsigned_abs());
            let buckets = u32::try_from(buckets)
                .map_err(|_| Error::value(format_args!("a window has no {buckets} buckets; it has 1 to 1021")))?;
            let window = SlidingWindow::new(window, buckets, clock).map_err(Error::value)?;
            Ok(Payload::Number(handle::new(window)))
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_com_jd_sword_sqlthrottle_NativeWindow_free(
    _: *mut JNIEnv,
    _: jclass,
    handle: jlong,
) {
    // SAFETY: the caller's promise.
    unsafe { handle::free::<SlidingWindow>(handle) };
}

/// How many events count now, with this one.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_com_jd_sword_sqlthrottle_NativeWindow_record(
    _: *mut JNIEnv,
    _: jobject,
    handle: jlong,
) -> jlong {
    // SAFETY: the caller's promise.
    let window: &SlidingWindow = unsafe { get(handle) };
    quietly(|| window.record().cast_signed())
}

#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_com_jd_sword_sqlthrottle_NativeWindow_count(
    _: *mut JNIEnv,
    _: jobject,
    handle: jlong,
) -> jlong {
    // SAFETY: the caller's promise.
    let window: &SlidingWindow = unsafe { get(handle) };
    quietly(|| window.count().cast_signed())
}

#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_com_jd_sword_sqlthrottle_NativeWindow_reset(
    _: *mut JNIEnv,
    _: jobject,
    handle: jlong,
) {
    // SAFETY: the caller's promise.
    let window: &SlidingWindow = unsafe { get(handle) };
    quietly(|| window.reset());
}
