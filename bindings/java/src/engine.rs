//! `NativeEngine`: opened, and given other rules.

use crate::array::{self, Room};
use crate::error::{Error, Result};
use crate::guard::{call, quietly, with_engine};
use crate::handle::{self, get};
use crate::reply::Payload;
use jni_sys::{JNIEnv, jbyteArray, jclass, jint, jlong, jobject};
use sqlthrottle::{Builder, Engine, ManualClock, RuleFile};
use std::path::PathBuf;

/// The source is the path of a file, and not rules.
const IS_PATH: jint = 1;
/// The host has a provider of thresholds.
const ASKS_PROVIDER: jint = 2;

/// `time` is the handle of `clock`, which is there to be reachable; 0 for the machine's.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_com_jd_sword_sqlthrottle_NativeEngine_open(
    env: *mut JNIEnv,
    _: jclass,
    source: jbyteArray,
    flags: jint,
    _clock: jobject,
    time: jlong,
) -> jbyteArray {
    // SAFETY: the caller's promise.
    unsafe {
        call(env, || {
            let mut room = Room::new();
            let source = array::read(env, source, &mut room).unwrap_or_default();
            let builder = if flags & IS_PATH != 0 {
                Builder::open(path(source)?)?
            } else {
                Engine::builder(RuleFile::parse(source)?)
            };
            let mut builder = builder.asks_provider(flags & ASKS_PROVIDER != 0);
            if time != 0 {
                builder = builder.clock(get::<ManualClock>(time).clone());
            }
            Ok(Payload::Number(handle::new(builder.build()?)))
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_com_jd_sword_sqlthrottle_NativeEngine_free(
    _: *mut JNIEnv,
    _: jclass,
    handle: jlong,
) {
    // SAFETY: the caller's promise.
    unsafe { handle::free::<Engine>(handle) };
}

#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_com_jd_sword_sqlthrottle_NativeEngine_reload(
    env: *mut JNIEnv,
    _: jobject,
    handle: jlong,
    source: jbyteArray,
    flags: jint,
) -> jbyteArray {
    // SAFETY: the caller's promise.
    unsafe {
        with_engine(env, get(handle), |engine| {
            let mut room = Room::new();
            let source = array::read(env, source, &mut room).unwrap_or_default();
            let rules = if flags & IS_PATH != 0 { RuleFile::open(path(source)?)? } else { RuleFile::parse(source)? };
            Ok(version(engine.reload(rules)?))
        })
    }
}

/// The version of the rules where they have changed, else 0.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_com_jd_sword_sqlthrottle_NativeEngine_refresh(
    env: *mut JNIEnv,
    _: jobject,
    handle: jlong,
) -> jbyteArray {
    // SAFETY: the caller's promise.
    unsafe { with_engine(env, get(handle), |engine| Ok(version(engine.refresh()?.unwrap_or(0)))) }
}

/// Nanoseconds between two looks at the file.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_com_jd_sword_sqlthrottle_NativeEngine_watch(
    _: *mut JNIEnv,
    _: jobject,
    handle: jlong,
) -> jlong {
    // SAFETY: the caller's promise.
    let engine: &Engine = unsafe { get(handle) };
    quietly(|| jlong::try_from(engine.watch().as_nanos()).unwrap_or(jlong::MAX))
}

#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_com_jd_sword_sqlthrottle_NativeEngine_afterFork(
    env: *mut JNIEnv,
    _: jobject,
    handle: jlong,
) -> jbyteArray {
    // SAFETY: the caller's promise.
    unsafe {
        with_engine(env, get(handle), |engine: &Engine| {
            engine.after_fork();
            Ok(Payload::Nothing)
        })
    }
}

/// What rules read of a statement beside its text: bits of 1 for bound parameters and 2 for the database.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_com_jd_sword_sqlthrottle_NativeEngine_reads(
    _: *mut JNIEnv,
    _: jobject,
    handle: jlong,
) -> jint {
    // SAFETY: the caller's promise.
    let engine: &Engine = unsafe { get(handle) };
    quietly(|| jint::from(engine.reads_params()) | jint::from(engine.reads_database()) << 1)
}

/// A path as Java has it, which is Unicode.
fn path(source: &[u8]) -> Result<PathBuf> {
    let text = str::from_utf8(source).map_err(|_| Error::value("the path is not UTF-8"))?;
    Ok(PathBuf::from(text))
}

fn version(number: u64) -> Payload {
    Payload::Number(number.cast_signed())
}
