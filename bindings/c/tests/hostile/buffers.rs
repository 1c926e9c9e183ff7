//! Buffers of every length around the right one.

use crate::assert_fails;
use crate::c_api::*;
use sqlthrottle_c::error::{sqlthrottle_last_error_code, sqlthrottle_last_error_message};
use sqlthrottle_c::fingerprint::{sqlthrottle_fingerprint, sqlthrottle_fingerprint_text, sqlthrottle_normalize};
use sqlthrottle_c::report::sqlthrottle_rule_name;
use sqlthrottle_c::status::sqlthrottle_status_t;
use std::ffi::c_char;
use std::fmt::Write as _;
use std::ptr::null_mut;

type Write<'a> = &'a dyn Fn(*mut c_char, usize, *mut usize) -> sqlthrottle_status_t;

/// Where a buffer is too short nothing is written into it, or of the last error, which does not become the last one itself, as much as
/// fits; else the text, its NUL, and nothing beyond.
fn assert_writes(text: &str, becomes_last: bool, write: Write<'_>) {
    let right = text.len() + 1;
    for capacity in [0, 1, right / 2, right - 1, right, right + 1, right + 50] {
        let mut memory = vec![0xaa_u8; right + 60];
        let mut needed = usize::MAX;
        let status = write(memory.as_mut_ptr().cast(), capacity, &raw mut needed);
        assert_eq!(needed, right, "{text}");
        if capacity < right {
            assert_eq!(status, SQLTHROTTLE_ERROR_BUFFER);
            if becomes_last {
                let numbers = [capacity.to_string(), right.to_string()];
                assert_fails(status, status, &["buffer", &numbers[0], &numbers[1]]);
            }
            let mut written = Vec::new();
            if !becomes_last && capacity > 0 {
                // No part of a character is shown.
                written.extend_from_slice(text.as_bytes());
                written.truncate((0..capacity).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0));
                written.push(0);
            }
            let beyond = memory.split_off(written.len());
            assert_eq!(memory, written, "{text}: {capacity}");
            assert!(beyond.iter().all(|byte| *byte == 0xaa), "{text}: {capacity}");
        } else {
            assert_eq!(status, SQLTHROTTLE_OK);
            assert_eq!(memory[..right], [text.as_bytes(), &[0]].concat());
            assert!(memory[right..].iter().all(|byte| *byte == 0xaa), "{text}: {capacity}");
        }
    }
    // Without a buffer there is no room, whatever is said of it.
    assert_eq!(write(null_mut(), usize::MAX, null_mut()), SQLTHROTTLE_ERROR_BUFFER);
}

#[test]
fn a_buffer_is_written_within_its_capacity_or_not_at_all() {
    let engine = Engine::new("rules: [{name: a rule, limit: {concurrency: {max: 1}}}]").unwrap();
    let given = engine.as_ptr();
    let (sql, length) = (c"SELECT a FROM t WHERE b = 1".as_ptr(), 27);
    let decision = engine.check("SELECT a FROM t WHERE b = 1");
    let mut digits = String::new();
    for byte in decision.0.fingerprint.bytes {
        let _ = write!(digits, "{byte:02x}");
    }
    assert_writes(&digits, true, &|buffer, capacity, needed| unsafe {
        sqlthrottle_fingerprint(given, sql, length, 0, buffer, capacity, needed)
    });
    assert_writes(&digits, true, &|buffer, capacity, needed| unsafe {
        sqlthrottle_fingerprint_text(&raw const decision.0.fingerprint, buffer, capacity, needed)
    });
    assert_writes("select a from t where b=?", true, &|buffer, capacity, needed| unsafe {
        sqlthrottle_normalize(given, sql, length, 0, buffer, capacity, needed)
    });
    assert_writes("a rule", true, &|buffer, capacity, needed| unsafe {
        sqlthrottle_rule_name(given, 0, buffer, capacity, needed)
    });
    // What tells of the last error does not become it.
    let failure = engine.reload("ü€: 1").unwrap_err();
    assert_writes(&failure.message, false, &|buffer, capacity, needed| unsafe {
        sqlthrottle_last_error_message(buffer, capacity, needed)
    });
    assert_writes(&failure.codes[0], false, &|buffer, capacity, needed| unsafe {
        sqlthrottle_last_error_code(0, buffer, capacity, needed)
    });
    assert_eq!((last_codes(), last_message()), (failure.codes, failure.message));
}

#[test]
fn no_fingerprint_is_an_empty_text() {
    let engine = Engine::new("").unwrap();
    let none = engine.check("begin").0.fingerprint;
    let shown = |fingerprint| {
        written(|buffer, capacity, needed| unsafe {
            sqlthrottle_fingerprint_text(&raw const fingerprint, buffer, capacity, needed)
        })
    };
    let request = engine.check_request(&Context::default()).unwrap().0.fingerprint;
    assert_eq!((request.length, request.bytes, shown(request)), (0, [0; 32], Vec::new()));
    assert_eq!(shown(none).len(), none.length as usize * 2);
}
