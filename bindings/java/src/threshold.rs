//! `NativeEngine`: thresholds that the host gives, and durations that it reports.

use crate::array::{self, Room};
use crate::error::{Error, Result};
use crate::guard::with_engine;
use crate::handle::get;
use crate::reply::Payload;
use jni_sys::{JNIEnv, jbyteArray, jint, jlong, jobject};
use sqlthrottle::{Delay, Engine, Fingerprint, Share, Strategy, Threshold};
use std::time::Duration;

/// `rate` is null where there is no threshold. Strategies are numbered as in `Threshold.java`.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_com_jd_sword_sqlthrottle_NativeEngine_setThreshold(
    env: *mut JNIEnv,
    _: jobject,
    handle: jlong,
    fingerprint: jbyteArray,
    max_count: jint,
    window: jlong,
    buckets: jint,
    rate: jbyteArray,
    strategy: jint,
    delay: jlong,
    max_delayed: jint,
    custom: jbyteArray,
    time_to_live: jlong,
) -> jbyteArray {
    // SAFETY: the caller's promise.
    unsafe {
        with_engine(env, get(handle), |engine| {
            let fingerprint = self::fingerprint(env, fingerprint)?;
            let (mut rate_room, mut custom_room) = (Room::new(), Room::new());
            let custom = array::read(env, custom, &mut custom_room).unwrap_or_default();
            let threshold = match array::read(env, rate, &mut rate_room) {
                None => None,
                Some(rate) => Some(
                    Threshold::new(count(max_count))
                        .window(nanos(window))
                        .buckets(count(buckets))
                        .share(share(rate)?)
                        .strategy(self::strategy(strategy, nanos(delay), custom)?)
                        .max_delayed(count(max_delayed)),
                ),
            };
            engine.set_threshold(&fingerprint, threshold, nanos(time_to_live))?;
            Ok(Payload::Nothing)
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_com_jd_sword_sqlthrottle_NativeEngine_thresholdFailed(
    env: *mut JNIEnv,
    _: jobject,
    handle: jlong,
    fingerprint: jbyteArray,
) -> jbyteArray {
    // SAFETY: the caller's promise.
    unsafe {
        with_engine(env, get(handle), |engine: &Engine| {
            engine.threshold_failed(&self::fingerprint(env, fingerprint)?);
            Ok(Payload::Nothing)
        })
    }
}

/// Digests, each behind a byte that says how long it is.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_com_jd_sword_sqlthrottle_NativeEngine_thresholdsDue(
    env: *mut JNIEnv,
    _: jobject,
    handle: jlong,
    most: jint,
) -> jbyteArray {
    // SAFETY: the caller's promise.
    unsafe {
        with_engine(env, get(handle), |engine: &Engine| {
            let due = engine.thresholds_due(usize::try_from(most).unwrap_or(0));
            let mut bytes = Vec::with_capacity(due.len() * 33);
            for fingerprint in &due {
                bytes.push(fingerprint.len() as u8);
                bytes.extend(fingerprint.as_bytes());
            }
            Ok(Payload::Bytes(bytes))
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_com_jd_sword_sqlthrottle_NativeEngine_recordDuration(
    env: *mut JNIEnv,
    _: jobject,
    handle: jlong,
    fingerprint: jbyteArray,
    duration: jlong,
) -> jbyteArray {
    // SAFETY: the caller's promise.
    unsafe {
        with_engine(env, get(handle), |engine: &Engine| {
            engine.record_duration(&self::fingerprint(env, fingerprint)?, nanos(duration));
            Ok(Payload::Nothing)
        })
    }
}

/// # Safety
///
/// As for [`array::read`].
unsafe fn fingerprint(env: *mut JNIEnv, digest: jbyteArray) -> Result<Fingerprint> {
    let mut room = Room::new();
    // SAFETY: the caller's promise.
    let digest = unsafe { array::read(env, digest, &mut room) }.unwrap_or_default();
    Fingerprint::from_bytes(digest).ok_or_else(|| {
        Error::value(format_args!("a fingerprint has 32, 20 or 16 bytes, and this has {}", digest.len()))
    })
}

fn share(rate: &[u8]) -> Result<Share> {
    String::from_utf8_lossy(rate).parse().map_err(Error::value)
}

fn strategy(number: jint, delay: Duration, custom: &[u8]) -> Result<Strategy> {
    Ok(match number {
        0 => Strategy::Abort,
        1 => Strategy::Ignore,
        2 => Strategy::Delay(Delay::Fixed(delay)),
        3 => Strategy::Delay(Delay::UntilAllowed { max: delay }),
        4 => Strategy::Custom(String::from_utf8_lossy(custom).into()),
        other => return Err(Error::value(format_args!("there is no strategy {other}"))),
    })
}

/// A count of Java's, of which a negative one is out of every bound.
fn count(number: jint) -> u32 {
    u32::try_from(number).unwrap_or(0)
}

/// Nanoseconds that are not negative.
fn nanos(number: jlong) -> Duration {
    Duration::from_nanos(u64::try_from(number).unwrap_or(0))
}
