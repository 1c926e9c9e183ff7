//! What statements have in common.

use crate::decision::sqlthrottle_fingerprint_t;
use crate::engine::sqlthrottle_engine_t;
use crate::error::{Error, Result};
use crate::guard::{call, with_engine};
use crate::input::bytes;
use crate::output::put_text;
use crate::statement::dialect;
use crate::status::sqlthrottle_status_t;
use crate::threshold;
use sqlthrottle::{FingerprintOptions, Normalizer};
use std::ffi::c_char;

/// Writes the fingerprint of a statement into a buffer: hexadecimal digits and a NUL, 65 bytes unless the rule file says another `hash`.
///
/// `engine` says how texts are normalised; NULL for the defaults. `dialect` is of sqlthrottle_dialect_t; 0 for the one of the engine's
/// rules. `needed`, unless NULL, is told the bytes with the NUL.
///
/// Returns SQLTHROTTLE_ERROR_BUFFER where `capacity` is less than `needed`. It is for tools and logs: a decision has the fingerprint
/// of its statement already.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sqlthrottle_fingerprint(
    engine: *const sqlthrottle_engine_t,
    sql: *const c_char,
    sql_length: usize,
    dialect: u32,
    buffer: *mut c_char,
    capacity: usize,
    needed: *mut usize,
) -> sqlthrottle_status_t {
    // SAFETY: the caller's promise.
    unsafe {
        with_normalizer(engine, dialect, |normalizer| {
            let digits = normalizer.normalize(bytes(sql, sql_length, "sql")?).fingerprint().to_string();
            put_text(digits.as_bytes(), buffer, capacity, needed)
        })
    }
}

/// Writes the normalised text of a statement into a buffer, with a NUL behind it: what its fingerprint is the hash of, and what people may
/// see, because no byte of a constant is in it.
///
/// It is at most a little longer than the statement. Bytes of identifiers that are no UTF-8 stay as they are. Otherwise as
/// sqlthrottle_fingerprint().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sqlthrottle_normalize(
    engine: *const sqlthrottle_engine_t,
    sql: *const c_char,
    sql_length: usize,
    dialect: u32,
    buffer: *mut c_char,
    capacity: usize,
    needed: *mut usize,
) -> sqlthrottle_status_t {
    // SAFETY: the caller's promise.
    unsafe {
        with_normalizer(engine, dialect, |normalizer| {
            let normalized = normalizer.normalize(bytes(sql, sql_length, "sql")?);
            put_text(normalized.as_bytes(), buffer, capacity, needed)
        })
    }
}

/// Writes a fingerprint, such as that of a decision, into a buffer: hexadecimal digits and a NUL, an empty text for no fingerprint.
///
/// `needed`, unless NULL, is told the bytes with the NUL. Returns SQLTHROTTLE_ERROR_BUFFER where `capacity` is less than `needed`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sqlthrottle_fingerprint_text(
    fingerprint: *const sqlthrottle_fingerprint_t,
    buffer: *mut c_char,
    capacity: usize,
    needed: *mut usize,
) -> sqlthrottle_status_t {
    call(|| {
        // SAFETY: the caller's promise.
        unsafe {
            let none = fingerprint.as_ref().ok_or_else(|| Error::null("fingerprint"))?.length == 0;
            let digits = if none { String::new() } else { threshold::fingerprint(fingerprint)?.to_string() };
            put_text(digits.as_bytes(), buffer, capacity, needed)
        }
    })
}

/// A call that reads a text as an engine would, or where that is NULL by the defaults.
///
/// # Safety
///
/// The engine is NULL, or as for [`with_engine`].
unsafe fn with_normalizer(
    engine: *const sqlthrottle_engine_t,
    number: u32,
    act: impl FnOnce(&mut Normalizer) -> Result<sqlthrottle_status_t>,
) -> sqlthrottle_status_t {
    let act = |options| {
        let mut normalizer = Normalizer::new(options);
        if let Some(dialect) = dialect(number)? {
            normalizer.set_dialect(dialect);
        }
        act(&mut normalizer)
    };
    if engine.is_null() {
        return call(|| act(FingerprintOptions::default()));
    }
    // SAFETY: the caller's promise.
    unsafe { with_engine(engine, |engine| act(engine.fingerprint_options())) }
}
