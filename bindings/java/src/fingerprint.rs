//! `NativeEngine`: what statements have in common.

use crate::array::{self, Room};
use crate::check::dialect;
use crate::guard::with_engine;
use crate::handle::get;
use crate::reply::Payload;
use jni_sys::{JNIEnv, jbyteArray, jint, jlong, jobject};
use sqlthrottle::{Engine, Normalizer};

/// Hexadecimal digits.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_com_jd_sword_sqlthrottle_NativeEngine_fingerprint(
    env: *mut JNIEnv,
    _: jobject,
    handle: jlong,
    sql: jbyteArray,
    dialect: jint,
) -> jbyteArray {
    // SAFETY: the caller's promise.
    unsafe {
        with_engine(env, get(handle), |engine| {
            let mut room = Room::new();
            let sql = array::read(env, sql, &mut room).unwrap_or_default();
            Ok(normalizer(engine, dialect).normalize(sql).fingerprint().to_string().into())
        })
    }
}

/// The bytes of the normalised text.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_com_jd_sword_sqlthrottle_NativeEngine_normalize(
    env: *mut JNIEnv,
    _: jobject,
    handle: jlong,
    sql: jbyteArray,
    dialect: jint,
) -> jbyteArray {
    // SAFETY: the caller's promise.
    unsafe {
        with_engine(env, get(handle), |engine| {
            let mut room = Room::new();
            let sql = array::read(env, sql, &mut room).unwrap_or_default();
            Ok(Payload::Bytes(normalizer(engine, dialect).normalize(sql).as_bytes().to_vec()))
        })
    }
}

/// What reads a text as the engine would.
fn normalizer(engine: &Engine, number: jint) -> Normalizer {
    let mut normalizer = Normalizer::new(engine.fingerprint_options());
    if let Some(dialect) = dialect(number) {
        normalizer.set_dialect(dialect);
    }
    normalizer
}
