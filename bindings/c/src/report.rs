//! What an engine tells of itself, and admin statements.

use crate::engine::sqlthrottle_engine_t;
use crate::error::Error;
use crate::guard::{call, with_engine};
use crate::input::bytes;
use crate::output::{hand_out, put_text};
use crate::status::sqlthrottle_status_t::{self, SQLTHROTTLE_ERROR_UNKNOWN, SQLTHROTTLE_OK};
use std::ffi::{CString, c_char};

/// Does what an admin statement asks for: adds a rule, removes one, or lists them.
///
/// `SET GLOBAL sql_throttle_add_rule = '{pattern: "select.*", capacity: 100, rate: 1000}'`,
/// `SET GLOBAL sql_throttle_remove_rule = 'admin-1'` or `SHOW GLOBAL sql_throttle_rules`. For an administrator alone: never pass on what
/// an application sends.
///
/// Unless `answer` is NULL, writes the answer as JSON, to be freed with sqlthrottle_string_free(), and to `answer_length`, unless NULL,
/// its bytes without the NUL: `{"added": "admin-1"}`, `{"removed": "admin-1"}`, or `{"version": 3, "rules": [...], "removed": [...]}` as in
/// sqlthrottle_snapshot().
///
/// Returns SQLTHROTTLE_ERROR_REFUSED where it is no such statement or has faults; nothing has changed then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sqlthrottle_admin(
    engine: *const sqlthrottle_engine_t,
    statement: *const c_char,
    statement_length: usize,
    answer: *mut *mut c_char,
    answer_length: *mut usize,
) -> sqlthrottle_status_t {
    // SAFETY: the caller's promise.
    unsafe {
        with_engine(engine, |engine| {
            let said = engine.admin(bytes(statement, statement_length, "statement")?)?;
            if answer.is_null() {
                return Ok(SQLTHROTTLE_OK);
            }
            hand_out(said.to_json(), answer, answer_length)
        })
    }
}

/// Writes what the engine has done so far as JSON, to be freed with sqlthrottle_string_free(), and to `length`, unless NULL, its bytes
/// without the NUL.
///
/// An object with `version`, `rules`, `removed` (names of rules of the file that admin statements removed), `shapes`, `waiting`, `waits`, `wait_seconds`, `provider_failures`, `cluster_failures` and
/// `guard_errors`. Each of `rules` has `name`, `mode`, `matched`, `passed`, `passed_over`, `aborted`, `ignored`, `delayed`, `outranked`,
/// `resumed`, `aborted_waiting`, `lapsed`, `would_abort`, `would_ignore`, `would_delay`, `in_use`, `leaked`, `keys`, `overflow` and
/// `last_seconds`, the time since it last matched or null; docs/semantics.md says what they count.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sqlthrottle_snapshot(
    engine: *const sqlthrottle_engine_t,
    json: *mut *mut c_char,
    length: *mut usize,
) -> sqlthrottle_status_t {
    // SAFETY: the caller's promise.
    unsafe { with_engine(engine, |engine| hand_out(engine.snapshot().to_json(), json, length)) }
}

/// Writes the counters as Prometheus text, to be freed with sqlthrottle_string_free(), and to `length`, unless NULL, its bytes without the
/// NUL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sqlthrottle_metrics(
    engine: *const sqlthrottle_engine_t,
    text: *mut *mut c_char,
    length: *mut usize,
) -> sqlthrottle_status_t {
    // SAFETY: the caller's promise.
    unsafe { with_engine(engine, |engine| hand_out(engine.snapshot().prometheus(), text, length)) }
}

/// Writes the statements at the top as JSON, to be freed with sqlthrottle_string_free(), and to `length`, unless NULL, its bytes without
/// the NUL: `{"by_count": [...], "by_time": [...]}`, each at most `most` long, of objects with `fingerprint`, `normalized`, `count` and
/// `seconds`. For people and dashboards: it looks at everything that is remembered.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sqlthrottle_top(
    engine: *const sqlthrottle_engine_t,
    most: usize,
    json: *mut *mut c_char,
    length: *mut usize,
) -> sqlthrottle_status_t {
    // SAFETY: the caller's promise.
    unsafe { with_engine(engine, |engine| hand_out(engine.top(most).to_json(), json, length)) }
}

/// Writes the name of a rule into a buffer, as text that ends with NUL: that of the rule at a place of the snapshot, counted from 0. A
/// decision has the name of its rule already.
///
/// Other rules may be there after a reload. `needed`, unless NULL, is told the bytes with the NUL. Returns SQLTHROTTLE_ERROR_UNKNOWN where there are not so many rules, and
/// SQLTHROTTLE_ERROR_BUFFER where `capacity` is less than `needed`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sqlthrottle_rule_name(
    engine: *const sqlthrottle_engine_t,
    index: usize,
    buffer: *mut c_char,
    capacity: usize,
    needed: *mut usize,
) -> sqlthrottle_status_t {
    // SAFETY: the caller's promise.
    unsafe {
        with_engine(engine, |engine| {
            let name = engine.rule_name(index).ok_or_else(|| {
                Error::new(SQLTHROTTLE_ERROR_UNKNOWN, format_args!("there is no rule at index {index}"))
            })?;
            put_text(name.as_str().as_bytes(), buffer, capacity, needed)
        })
    }
}

/// Frees a text that a function of this library wrote, and that was not changed. Does nothing with NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sqlthrottle_string_free(text: *mut c_char) {
    call(|| {
        if !text.is_null() {
            // SAFETY: the caller's promise: it came from `hand_out`, and is freed once.
            drop(unsafe { CString::from_raw(text) });
        }
        Ok(SQLTHROTTLE_OK)
    });
}
