//! The functions that change nothing that a check goes by.

use super::{STATEMENTS, Trial};
use sqlthrottle_c::decision::sqlthrottle_fingerprint_t;
use sqlthrottle_c::fingerprint::{sqlthrottle_fingerprint_text, sqlthrottle_normalize};
use sqlthrottle_c::report::{
    sqlthrottle_admin, sqlthrottle_metrics, sqlthrottle_rule_name, sqlthrottle_snapshot, sqlthrottle_string_free,
    sqlthrottle_top,
};
use sqlthrottle_c::status::sqlthrottle_status_t::{
    SQLTHROTTLE_ERROR_BUFFER, SQLTHROTTLE_ERROR_FREED, SQLTHROTTLE_ERROR_REFUSED, SQLTHROTTLE_ERROR_VALUE,
    SQLTHROTTLE_OK,
};
use sqlthrottle_c::threshold::{sqlthrottle_set_threshold, sqlthrottle_threshold_failed};
use std::ffi::{CStr, c_char};
use std::ptr::{null, null_mut};

impl Trial {
    /// What is handed out is a text that ends with NUL, and nothing where the call fails.
    pub(super) fn texts(&self, which: usize) {
        let handle = self.handle(which);
        for is_top in [false, true] {
            let (mut text, mut length) = (null_mut(), 0);
            let (to, of) = (&raw mut text, &raw mut length);
            let status = unsafe {
                if is_top {
                    sqlthrottle_top(handle.engine, 3, to, of)
                } else {
                    sqlthrottle_metrics(handle.engine, to, of)
                }
            };
            if Self::expect(handle, status, SQLTHROTTLE_OK) {
                assert_eq!(unsafe { CStr::from_ptr(text) }.count_bytes(), length);
                unsafe { sqlthrottle_string_free(text) };
            } else {
                assert!(text.is_null());
            }
        }
    }

    pub(super) fn admin(&self, which: usize, argument: u8) {
        let handle = self.handle(which);
        let (statement, expected) = [
            ("SHOW GLOBAL sql_throttle_rules", SQLTHROTTLE_OK),
            ("select 1", SQLTHROTTLE_ERROR_REFUSED),
            ("SET GLOBAL sql_throttle_add_rule = '{'", SQLTHROTTLE_ERROR_REFUSED),
        ][usize::from(argument / 12) % 3];
        let (mut answer, mut length) = (null_mut(), 0);
        let (text, of) = (statement.as_ptr().cast(), statement.len());
        let status = unsafe { sqlthrottle_admin(handle.engine, text, of, &raw mut answer, &raw mut length) };
        assert_eq!(Self::expect(handle, status, expected), !answer.is_null());
        unsafe { sqlthrottle_string_free(answer) };
    }

    /// No byte is written beyond a name that fits, and none at all of one that does not.
    pub(super) fn rule_name(&self, which: usize, argument: u8) {
        let handle = self.handle(which);
        let (index, capacity) = (usize::from(argument / 12 % 5), usize::from(argument / 60) * 4);
        let mut buffer = [0x55 as c_char; 32];
        let mut needed = 0;
        let status =
            unsafe { sqlthrottle_rule_name(handle.engine, index, buffer.as_mut_ptr(), capacity, &raw mut needed) };
        assert!(!handle.is_freed || status == SQLTHROTTLE_ERROR_FREED);
        let written = if status == SQLTHROTTLE_OK { needed } else { 0 };
        assert!(written <= capacity && buffer[written..].iter().all(|byte| *byte == 0x55));
    }

    /// No provider is asked here: what is said of a threshold does nothing, be its fingerprint one or none.
    pub(super) fn threshold(&self, which: usize, argument: u8) {
        let handle = self.handle(which);
        let length = u32::from(argument / 12);
        let fingerprint = sqlthrottle_fingerprint_t { bytes: [argument; 32], length };
        let expected = if [16, 20, 32].contains(&length) { SQLTHROTTLE_OK } else { SQLTHROTTLE_ERROR_VALUE };
        let (of, engine) = (&raw const fingerprint, handle.engine);
        Self::expect(handle, unsafe { sqlthrottle_threshold_failed(engine, of) }, expected);
        Self::expect(handle, unsafe { sqlthrottle_set_threshold(engine, of, null(), 1) }, expected);
    }

    /// Into a buffer of any length around the right one.
    pub(super) fn normalise(&self, which: usize, argument: u8) {
        let handle = self.handle(which);
        let sql = STATEMENTS[usize::from(argument / 8) % STATEMENTS.len()];
        let capacity = usize::from(argument / 8);
        let mut buffer = [0x55 as c_char; 64];
        let mut needed = 0;
        let (text, length) = (sql.as_ptr().cast(), sql.len());
        let status = unsafe {
            sqlthrottle_normalize(handle.engine, text, length, 0, buffer.as_mut_ptr(), capacity, &raw mut needed)
        };
        if handle.is_freed {
            assert_eq!((status, needed), (SQLTHROTTLE_ERROR_FREED, 0));
            return;
        }
        let fits = needed <= capacity;
        assert_eq!(status, if fits { SQLTHROTTLE_OK } else { SQLTHROTTLE_ERROR_BUFFER });
        let written = if fits { needed } else { 0 };
        assert!(buffer[written..].iter().all(|byte| *byte == 0x55));
        assert!(!fits || buffer[written - 1] == 0);
    }

    /// As many run as permits are out.
    pub(super) fn snapshot(&self, which: usize) {
        let handle = self.handle(which);
        let (mut json, mut length) = (null_mut(), 0);
        let status = unsafe { sqlthrottle_snapshot(handle.engine, &raw mut json, &raw mut length) };
        if !Self::expect(handle, status, SQLTHROTTLE_OK) {
            assert!(json.is_null());
            return;
        }
        let text = unsafe { CStr::from_ptr(json) }.to_str().unwrap_or_default().to_owned();
        unsafe { sqlthrottle_string_free(json) };
        assert_eq!(text.len(), length);
        let snapshot: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
        let held = snapshot["rules"].as_array().and_then(|rules| rules.iter().find(|rule| rule["name"] == "held"));
        let in_use = held.map(|rule| &rule["in_use"]);
        assert_eq!(in_use, Some(&self.engines[handle.of].held.len().into()), "{text}");
        assert_eq!(snapshot["guard_errors"], 0);
    }
}

/// The text of no fingerprint is empty.
pub(super) fn assert_shown() {
    let none = sqlthrottle_fingerprint_t { bytes: [0; 32], length: 0 };
    let mut needed = 0;
    let mut buffer = [1 as c_char; 1];
    let status = unsafe { sqlthrottle_fingerprint_text(&raw const none, buffer.as_mut_ptr(), 1, &raw mut needed) };
    assert_eq!((status, needed, buffer[0]), (SQLTHROTTLE_OK, 1, 0));
}
