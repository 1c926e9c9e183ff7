//! Values that are out of range, and texts of any bytes.

use crate::assert_fails;
use crate::c_api::*;
use sqlthrottle_c::check::{sqlthrottle_check, sqlthrottle_check_request, sqlthrottle_resume};
use sqlthrottle_c::clock::{sqlthrottle_clock_advance, sqlthrottle_clock_set_wall};
use sqlthrottle_c::decision::{
    sqlthrottle_decision_t, sqlthrottle_fingerprint_t, sqlthrottle_reason_name, sqlthrottle_verdict_name,
};
use sqlthrottle_c::engine::*;
use sqlthrottle_c::fingerprint::{sqlthrottle_fingerprint, sqlthrottle_fingerprint_text, sqlthrottle_normalize};
use sqlthrottle_c::report::{sqlthrottle_rule_name, sqlthrottle_string_free, sqlthrottle_top};
use sqlthrottle_c::threshold::*;
use sqlthrottle_c::window::sqlthrottle_window_new;
use std::ffi::{CStr, c_char};
use std::ptr::{null, null_mut};

#[test]
fn a_number_that_stands_for_nothing_is_an_error_that_says_it() {
    let engine = Engine::new("").unwrap();
    for (field, words) in [
        (Statement { dialect: 7, ..Statement::new("select 1") }, ["dialect", "7"]),
        (Statement { dialect: u32::MAX, ..Statement::new("select 1") }, ["dialect", "4294967295"]),
        (Statement { fakes: 4, ..Statement::new("select 1") }, ["fakes", "0x4"]),
        (Statement { flags: 2, ..Statement::new("select 1") }, ["flags", "0x2"]),
        (Statement { flags: 1 << 31, ..Statement::new("select 1") }, ["flags", "0x80000000"]),
    ] {
        for failure in [engine.check_statement(&field).err(), engine.prepare(&field).err()] {
            let failure = failure.expect("a refusal");
            assert_eq!(
                (failure.status, &failure.codes[..]),
                (SQLTHROTTLE_ERROR_VALUE, &["argument.value".to_owned()][..])
            );
            assert!(words.iter().all(|word| failure.message.contains(word)), "{}", failure.message);
        }
    }
    let mut decision = sqlthrottle_decision_t::default();
    let to = &raw mut decision;
    let given = engine.as_ptr();
    unsafe {
        assert_fails(sqlthrottle_check_request(given, null(), 2, to), SQLTHROTTLE_ERROR_VALUE, &["flags", "0x2"]);
        assert_fails(sqlthrottle_resume(given, 1, 4, to), SQLTHROTTLE_ERROR_VALUE, &["flags", "0x4"]);
        let no = null_mut();
        let status = sqlthrottle_fingerprint(given, c"x".as_ptr(), 1, 99, no, 0, null_mut());
        assert_fails(status, SQLTHROTTLE_ERROR_VALUE, &["dialect", "99"]);
        let status = sqlthrottle_normalize(null(), c"x".as_ptr(), 1, 99, no, 0, null_mut());
        assert_fails(status, SQLTHROTTLE_ERROR_VALUE, &["dialect", "99"]);
        let unknown = [sqlthrottle_verdict_name(7), sqlthrottle_reason_name(15), sqlthrottle_reason_name(u32::MAX)];
        assert!(unknown.iter().all(|name| CStr::from_ptr(*name) == c"unknown"));
    }
}

#[test]
fn options_are_what_the_header_says() {
    let open = |asks_provider, reserved| {
        let size = size_of::<sqlthrottle_options_t>();
        let options = sqlthrottle_options_t { size, clock: null(), asks_provider, reserved };
        let mut engine = null_mut();
        let status = unsafe { sqlthrottle_engine_from_rules(null(), 0, &raw const options, &raw mut engine) };
        assert!(engine.is_null());
        status
    };
    assert_fails(open(2, 0), SQLTHROTTLE_ERROR_VALUE, &["asks_provider", "2", "0 or 1"]);
    assert_fails(open(0, 1), SQLTHROTTLE_ERROR_VALUE, &["reserved", "1", "0"]);
}

#[test]
fn a_threshold_is_within_its_bounds_and_a_fingerprint_has_a_length() {
    let engine = Engine::new("").unwrap();
    let fingerprint = engine.check("select 1").0.fingerprint;
    let right = sqlthrottle_threshold_t {
        size: size_of::<sqlthrottle_threshold_t>(),
        window_ns: 0,
        delay_ns: 0,
        max_count: 1,
        buckets: 0,
        share: 0,
        share_of: 0,
        strategy: 0,
        max_delayed: 0,
    };
    let set = |threshold: &sqlthrottle_threshold_t| unsafe {
        sqlthrottle_set_threshold(engine.as_ptr(), &raw const fingerprint, threshold, 1)
    };
    assert_eq!(set(&right), SQLTHROTTLE_OK);
    let wrong = |threshold, words: &[&str]| assert_fails(set(&threshold), SQLTHROTTLE_ERROR_VALUE, words);
    wrong(sqlthrottle_threshold_t { strategy: 4, ..right }, &["strategy", "4"]);
    wrong(sqlthrottle_threshold_t { share: 3, share_of: 2, ..right }, &["share", "3 of 2"]);
    wrong(sqlthrottle_threshold_t { share: 1, ..right }, &["share", "1 of 0"]);
    wrong(sqlthrottle_threshold_t { share_of: 1, ..right }, &["share", "0 of 1"]);
    let refused = |threshold, code: &str| {
        assert_eq!(set(&threshold), SQLTHROTTLE_ERROR_REFUSED);
        assert!(last_codes().iter().any(|found| found.starts_with(code)), "{:?}", last_codes());
    };
    refused(sqlthrottle_threshold_t { max_count: 0, ..right }, "threshold.max_count");
    refused(sqlthrottle_threshold_t { buckets: u32::MAX, ..right }, "threshold.buckets");
    refused(sqlthrottle_threshold_t { window_ns: u64::MAX, ..right }, "threshold.window");
    refused(sqlthrottle_threshold_t { strategy: 2, delay_ns: u64::MAX, ..right }, "threshold.delay");
    refused(sqlthrottle_threshold_t { max_delayed: u32::MAX, ..right }, "threshold.max_delayed");

    for length in [0, 15, 17, 33, u32::MAX] {
        let wrong = sqlthrottle_fingerprint_t { length, ..fingerprint };
        let (given, of) = (engine.as_ptr(), &raw const wrong);
        let words: &[&str] = &["length", &length.to_string(), "32, 20 or 16"];
        unsafe {
            assert_fails(sqlthrottle_set_threshold(given, of, null(), 1), SQLTHROTTLE_ERROR_VALUE, words);
            assert_fails(sqlthrottle_threshold_failed(given, of), SQLTHROTTLE_ERROR_VALUE, words);
            if length == 0 {
                // As decisions have it on statements that are not read: there is nothing to take note of.
                assert_eq!(sqlthrottle_record_duration(given, of, 1), SQLTHROTTLE_NOTHING);
            } else {
                assert_fails(sqlthrottle_record_duration(given, of, 1), SQLTHROTTLE_ERROR_VALUE, words);
            }
            if length != 0 {
                let status = sqlthrottle_fingerprint_text(of, null_mut(), 0, null_mut());
                assert_fails(status, SQLTHROTTLE_ERROR_VALUE, words);
            }
        }
    }
}

#[test]
fn the_largest_numbers_are_numbers() {
    let clock = Clock::new();
    let engine = Engine::with_clock("default_threshold: {max_count: 1, window: 1m}", &clock, true).unwrap();
    let fingerprint = engine.check("select 1").0.fingerprint;
    let given = engine.as_ptr();
    let mut room = fingerprint;
    let (mut count, mut text) = (usize::MAX, null_mut());
    let heaviest = engine.check_statement(&Statement { weight: u32::MAX, ..Statement::new("begin") }).unwrap();
    assert!(heaviest.is_allowed());
    unsafe {
        assert_eq!(sqlthrottle_set_threshold(given, &raw const fingerprint, null(), u64::MAX), SQLTHROTTLE_OK);
        assert_eq!(sqlthrottle_record_duration(given, &raw const fingerprint, u64::MAX), SQLTHROTTLE_OK);
        assert_eq!(sqlthrottle_record_duration(given, &raw const fingerprint, u64::MAX), SQLTHROTTLE_OK);
        assert_eq!(sqlthrottle_thresholds_due(given, &raw mut room, usize::MAX, &raw mut count), SQLTHROTTLE_OK);
        assert_eq!(count, 0);
        assert_eq!(sqlthrottle_top(given, usize::MAX, &raw mut text, null_mut()), SQLTHROTTLE_OK);
        sqlthrottle_string_free(text);
        let status = sqlthrottle_rule_name(given, usize::MAX, null_mut(), 0, null_mut());
        assert_fails(status, SQLTHROTTLE_ERROR_UNKNOWN, &[&usize::MAX.to_string()]);
        for _ in 0..2 {
            assert_eq!(sqlthrottle_clock_advance(clock.as_ptr(), u64::MAX), SQLTHROTTLE_OK);
        }
        for wall in [i64::MIN, i64::MAX] {
            assert_eq!(sqlthrottle_clock_set_wall(clock.as_ptr(), wall), SQLTHROTTLE_OK);
            let _ = engine.check("select 1");
        }
        for (window, buckets) in [(0, 1), (1, 0), (u64::MAX, u32::MAX), (1_000_000_000, 1022), (1, 1)] {
            let mut made = null_mut();
            let status = sqlthrottle_window_new(window, buckets, null(), &raw mut made);
            assert_fails(status, SQLTHROTTLE_ERROR_VALUE, &["bucket"]);
            assert!(made.is_null());
        }
    }
    assert_eq!(engine.snapshot()["guard_errors"], 0);
}

#[test]
fn a_length_that_no_memory_has_is_an_error_before_anything_is_read() {
    let engine = Engine::new("").unwrap();
    let mut decision = sqlthrottle_decision_t::default();
    let given = engine.as_ptr();
    unsafe {
        let status = sqlthrottle_check(given, null(), usize::MAX, &raw mut decision);
        assert_fails(status, SQLTHROTTLE_ERROR_NULL, &["sql", "NULL"]);
        let status = sqlthrottle_check(given, c"x".as_ptr(), usize::MAX, &raw mut decision);
        assert_fails(status, SQLTHROTTLE_ERROR_VALUE, &["sql", &usize::MAX.to_string()]);
        let status = sqlthrottle_reload(given, c"x".as_ptr(), isize::MAX as usize + 1, null_mut());
        assert_fails(status, SQLTHROTTLE_ERROR_VALUE, &["rules", "length"]);
        let mut other = null_mut();
        let status = sqlthrottle_engine_open(c"x".as_ptr(), usize::MAX, null(), &raw mut other);
        assert_fails(status, SQLTHROTTLE_ERROR_VALUE, &["path", "length"]);
    }
}

#[test]
fn a_nul_within_a_text_is_a_byte_like_any_other() {
    let rules = r#"rules: [{name: r, match: {tags: {page: "a\0b"}}, limit: {sliding_window: {max: 1, window: 1h}}}]"#;
    let engine = Engine::new(rules).unwrap();
    let on = |page| {
        let context = Context { tags: vec![("page", page)], ..Context::default() };
        engine.check_statement(&Statement { context, ..Statement::new("select 1") }).unwrap()
    };
    assert_eq!(on("a").rule(), None);
    assert_eq!(on("a\0c").rule(), None);
    assert_eq!(on("a\0b").rule(), Some("r"));
    assert_eq!(on("a\0b").verdict(), "abort");
    // What comes behind it is part of the shape.
    let fingerprint = |sql: &str| engine.check(sql).0.fingerprint.bytes;
    assert_ne!(fingerprint("select a\0, b from t"), fingerprint("select a\0, c from t"));
    let normalized = written(|buffer, capacity, needed| unsafe {
        sqlthrottle_normalize(engine.as_ptr(), c"select a\n".as_ptr(), 8, 0, buffer, capacity, needed)
    });
    assert_eq!(normalized, b"select a");
    // A file whose name has one is none that there can be.
    let mut other = null_mut();
    let status = unsafe { sqlthrottle_engine_open(b"a\0b".as_ptr().cast(), 3, null(), &raw mut other) };
    assert_eq!((status, last_codes()), (SQLTHROTTLE_ERROR_REFUSED, vec!["file.unreadable".to_owned()]));
    // Rules are text, in which it stands for nothing; all of it is looked at.
    assert_eq!(engine.reload("rules: []\0").map_err(|failure| failure.status), Err(SQLTHROTTLE_ERROR_REFUSED));
    let said = engine.admin("show global sql_throttle_rules\0; drop").map_err(|failure| failure.status);
    assert_eq!(said, Err(SQLTHROTTLE_ERROR_REFUSED));
}

#[test]
fn the_longest_names_have_room() {
    let rule = "\u{1F980}".repeat(128);
    let strategy = "s".repeat(64);
    let rules = format!(
        "rules: [{{name: {rule}, limit: {{sliding_window: {{max: 1, window: 1s}}}}, then: {{strategy: 'custom:{strategy}'}}}}]"
    );
    let engine = Engine::new(&rules).unwrap();
    engine.check("select 1");
    let decision = engine.check("select 1").0;
    let text = |field: &[c_char]| unsafe { CStr::from_ptr(field.as_ptr()) }.to_str().unwrap().to_owned();
    assert_eq!((text(&decision.rule), text(&decision.custom)), (rule, strategy));
}
