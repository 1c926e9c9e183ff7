//! NULL for each pointer of each function, while all else is right.

use crate::c_api::*;
use sqlthrottle_c::check::*;
use sqlthrottle_c::clock::*;
use sqlthrottle_c::decision::sqlthrottle_decision_t;
use sqlthrottle_c::decision::sqlthrottle_fingerprint_t;
use sqlthrottle_c::engine::*;
use sqlthrottle_c::error::*;
use sqlthrottle_c::fingerprint::*;
use sqlthrottle_c::prepared::*;
use sqlthrottle_c::refill::*;
use sqlthrottle_c::report::*;
use sqlthrottle_c::statement::sqlthrottle_text_t;
use sqlthrottle_c::status::sqlthrottle_status_t;
use sqlthrottle_c::threshold::*;
use sqlthrottle_c::window::*;
use std::collections::BTreeSet;
use std::ffi::c_char;
use std::fs;
use std::ptr::{null, null_mut};

const SQL: *const c_char = c"select a from t".as_ptr();
const LENGTH: usize = 15;

/// A text that a function has written, and that is to be freed.
struct Text(*mut c_char);

impl Drop for Text {
    fn drop(&mut self) {
        unsafe { sqlthrottle_string_free(self.0) };
    }
}

/// Each pointer of each function, as `function(argument)`, and what a call returns in which it alone is NULL.
struct Tried(Vec<(&'static str, sqlthrottle_status_t)>);

impl Tried {
    fn all() -> Self {
        let mut tried = Self(Vec::new());
        tried.engines();
        tried.checks();
        tried.refills();
        tried.thresholds();
        tried.texts();
        tried.reports();
        tried.windows_and_clocks();
        tried
    }

    fn add(&mut self, what: &'static str, status: sqlthrottle_status_t) {
        self.0.push((what, status));
    }

    /// What returns nothing has done its part when it returns.
    fn add_free(&mut self, what: &'static str, free: impl FnOnce()) {
        free();
        self.0.push((what, SQLTHROTTLE_OK));
    }

    fn engines(&mut self) {
        let engine = Engine::new("").unwrap();
        let given = engine.as_ptr();
        unsafe {
            let mut other = null_mut();
            self.add("engine_open(path)", sqlthrottle_engine_open(null(), 1, null(), &raw mut other));
            let path = concat!(env!("CARGO_TARGET_TMPDIR"), "/no_rules.yml");
            fs::write(path, "").unwrap();
            let (path, length) = (path.as_ptr().cast(), path.len());
            self.add("engine_open(engine)", sqlthrottle_engine_open(path, length, null(), null_mut()));
            self.add("engine_from_rules(rules)", sqlthrottle_engine_from_rules(null(), 1, null(), &raw mut other));
            self.add("engine_from_rules(engine)", sqlthrottle_engine_from_rules(null(), 0, null(), null_mut()));
            assert!(other.is_null());
            self.add("engine_from_rules(options)", sqlthrottle_engine_from_rules(null(), 0, null(), &raw mut other));
            sqlthrottle_engine_free(other);
            self.add("engine_open(options)", sqlthrottle_engine_open(path, length, null(), &raw mut other));
            sqlthrottle_engine_free(other);
            other = null_mut();
            self.add("engine_clone(engine)", sqlthrottle_engine_clone(null(), &raw mut other));
            assert!(other.is_null());
            self.add("engine_clone(clone)", sqlthrottle_engine_clone(given, null_mut()));
            self.add_free("engine_free(engine)", || sqlthrottle_engine_free(null_mut()));
            self.add("reload(engine)", sqlthrottle_reload(null(), null(), 0, null_mut()));
            self.add("reload(rules)", sqlthrottle_reload(given, null(), 1, null_mut()));
            self.add("reload(version)", sqlthrottle_reload(given, null(), 0, null_mut()));
            self.add("refresh(engine)", sqlthrottle_refresh(null(), null_mut()));
            self.add("refresh(version)", sqlthrottle_refresh(given, null_mut()));
            self.add("after_fork(engine)", sqlthrottle_after_fork(null()));
        }
    }

    fn checks(&mut self) {
        let engine = Engine::new("").unwrap();
        let given = engine.as_ptr();
        let prepared = engine.prepare(&Statement::new("select 1")).unwrap();
        let mut decision = sqlthrottle_decision_t::default();
        let to = &raw mut decision;
        unsafe {
            self.add("check(engine)", sqlthrottle_check(null(), SQL, LENGTH, to));
            self.add("check(sql)", sqlthrottle_check(given, null(), 1, to));
            self.add("check(decision)", sqlthrottle_check(given, SQL, LENGTH, null_mut()));
            let statement = Statement::new("select 1");
            self.add("check_statement(engine)", statement.hand_over(|s| sqlthrottle_check_statement(null(), s, to)));
            self.add("check_statement(statement)", sqlthrottle_check_statement(given, null(), to));
            self.add(
                "check_statement(decision)",
                statement.hand_over(|s| sqlthrottle_check_statement(given, s, null_mut())),
            );
            self.add("check_request(engine)", sqlthrottle_check_request(null(), null(), 0, to));
            self.add("check_request(context)", sqlthrottle_check_request(given, null(), 0, to));
            self.add("check_request(decision)", sqlthrottle_check_request(given, null(), 0, null_mut()));
            self.add("resume(engine)", sqlthrottle_resume(null(), 1, 0, to));
            self.add("resume(decision)", sqlthrottle_resume(given, 1, 0, null_mut()));
            self.add("give_up(engine)", sqlthrottle_give_up(null(), 1));
            self.add("release(engine)", sqlthrottle_release(null(), 1));
            let mut other = null_mut();
            self.add("prepare(engine)", statement.hand_over(|s| sqlthrottle_prepare(null(), s, &raw mut other)));
            self.add("prepare(statement)", sqlthrottle_prepare(given, null(), &raw mut other));
            self.add("prepare(prepared)", statement.hand_over(|s| sqlthrottle_prepare(given, s, null_mut())));
            assert!(other.is_null());
            self.add("check_prepared(prepared)", sqlthrottle_check_prepared(null(), 1, to));
            self.add("check_prepared(decision)", sqlthrottle_check_prepared(prepared.as_ptr(), 1, null_mut()));
            self.add_free("prepared_free(prepared)", || sqlthrottle_prepared_free(null_mut()));
        }
    }

    /// No engine of the header has rules that a cluster counts, so there is no refill to be had here.
    fn refills(&mut self) {
        let engine = Engine::new("").unwrap();
        let given = engine.as_ptr();
        let prepared = engine.prepare(&Statement::new("select 1")).unwrap();
        let mut decision = sqlthrottle_decision_t::default();
        let (to, no) = (&raw mut decision, null_mut());
        let statement = Statement::new("select 1");
        unsafe {
            self.add("refill(engine)", sqlthrottle_refill(null(), no));
            self.add("refill(refill)", sqlthrottle_refill(given, no));
            let check = |engine, to| statement.hand_over(|s| sqlthrottle_check_refilled(engine, s, no, to));
            self.add("check_refilled(engine)", check(null(), to));
            self.add("check_refilled(statement)", sqlthrottle_check_refilled(given, null(), no, to));
            self.add("check_refilled(refill)", check(given, to));
            self.add("check_refilled(decision)", check(given, null_mut()));
            let check = |engine, to| sqlthrottle_check_request_refilled(engine, null(), no, to);
            self.add("check_request_refilled(engine)", check(null(), to));
            self.add("check_request_refilled(refill)", check(given, to));
            self.add("check_request_refilled(decision)", check(given, null_mut()));
            let check = |prepared, to| sqlthrottle_check_prepared_refilled(prepared, 1, no, to);
            self.add("check_prepared_refilled(prepared)", check(null(), to));
            self.add("check_prepared_refilled(refill)", check(prepared.as_ptr(), to));
            self.add("check_prepared_refilled(decision)", check(prepared.as_ptr(), null_mut()));
            self.add("resume_refilled(engine)", sqlthrottle_resume_refilled(null(), 1, no, to));
            self.add("resume_refilled(refill)", sqlthrottle_resume_refilled(given, 1, no, to));
            self.add("resume_refilled(decision)", sqlthrottle_resume_refilled(given, 1, no, null_mut()));
            self.add_free("refill_free(refill)", || sqlthrottle_refill_free(no));
        }
    }

    fn thresholds(&mut self) {
        let engine = Engine::new("").unwrap();
        let given = engine.as_ptr();
        let mut fingerprint = engine.check("select 1").0.fingerprint;
        let (of, mut count) = (&raw mut fingerprint, 0);
        unsafe {
            self.add("set_threshold(engine)", sqlthrottle_set_threshold(null(), of, null(), 1));
            self.add("set_threshold(fingerprint)", sqlthrottle_set_threshold(given, null(), null(), 1));
            self.add("set_threshold(threshold)", sqlthrottle_set_threshold(given, of, null(), 1));
            self.add("threshold_failed(engine)", sqlthrottle_threshold_failed(null(), of));
            self.add("threshold_failed(fingerprint)", sqlthrottle_threshold_failed(given, null()));
            let mut room = [sqlthrottle_fingerprint_t { bytes: [0; 32], length: 0 }; 1];
            let due = room.as_mut_ptr();
            self.add("thresholds_due(engine)", sqlthrottle_thresholds_due(null(), due, 1, &raw mut count));
            self.add("thresholds_due(fingerprints)", sqlthrottle_thresholds_due(given, null_mut(), 1, &raw mut count));
            self.add("thresholds_due(count)", sqlthrottle_thresholds_due(given, due, 1, null_mut()));
            self.add("record_duration(engine)", sqlthrottle_record_duration(null(), of, 1));
            self.add("record_duration(fingerprint)", sqlthrottle_record_duration(given, null(), 1));
        }
    }

    fn texts(&mut self) {
        let engine = Engine::new("").unwrap();
        let given = engine.as_ptr();
        let fingerprint = engine.check("select 1").0.fingerprint;
        let mut buffer: [c_char; 100] = [0; 100];
        let mut needed = 0;
        let (to, of, need) = (buffer.as_mut_ptr(), &raw const fingerprint, &raw mut needed);
        unsafe {
            self.add("fingerprint(engine)", sqlthrottle_fingerprint(null(), SQL, LENGTH, 0, to, 100, need));
            self.add("fingerprint(sql)", sqlthrottle_fingerprint(given, null(), 1, 0, to, 100, need));
            self.add("fingerprint(buffer)", sqlthrottle_fingerprint(given, SQL, LENGTH, 0, null_mut(), 100, need));
            self.add("fingerprint(needed)", sqlthrottle_fingerprint(given, SQL, LENGTH, 0, to, 100, null_mut()));
            self.add("normalize(engine)", sqlthrottle_normalize(null(), SQL, LENGTH, 0, to, 100, need));
            self.add("normalize(sql)", sqlthrottle_normalize(given, null(), 1, 0, to, 100, need));
            self.add("normalize(buffer)", sqlthrottle_normalize(given, SQL, LENGTH, 0, null_mut(), 100, need));
            self.add("normalize(needed)", sqlthrottle_normalize(given, SQL, LENGTH, 0, to, 100, null_mut()));
            self.add("fingerprint_text(fingerprint)", sqlthrottle_fingerprint_text(null(), to, 100, need));
            self.add("fingerprint_text(buffer)", sqlthrottle_fingerprint_text(of, null_mut(), 100, need));
            self.add("fingerprint_text(needed)", sqlthrottle_fingerprint_text(of, to, 100, null_mut()));
            self.add("last_error_code(buffer)", sqlthrottle_last_error_code(0, null_mut(), 100, need));
            self.add("last_error_code(needed)", sqlthrottle_last_error_code(0, to, 100, null_mut()));
            self.add("last_error_message(buffer)", sqlthrottle_last_error_message(null_mut(), 100, need));
            self.add("last_error_message(needed)", sqlthrottle_last_error_message(to, 100, null_mut()));
        }
    }

    fn reports(&mut self) {
        let engine = Engine::new("rules: [{name: r, limit: {concurrency: {max: 1}}}]").unwrap();
        let given = engine.as_ptr();
        let (mut text, mut length) = (Text(null_mut()), 0);
        let (to, long) = (&raw mut text.0, &raw mut length);
        let mut again = Text(null_mut());
        let mut more = Text(null_mut());
        let show = "show global sql_throttle_rules";
        let (admin, bytes) = (show.as_ptr().cast(), show.len());
        let mut buffer: [c_char; 100] = [0; 100];
        let name = buffer.as_mut_ptr();
        unsafe {
            self.add("admin(engine)", sqlthrottle_admin(null(), admin, bytes, to, long));
            self.add("admin(statement)", sqlthrottle_admin(given, null(), 1, to, long));
            self.add("admin(answer)", sqlthrottle_admin(given, admin, bytes, null_mut(), long));
            self.add("snapshot(engine)", sqlthrottle_snapshot(null(), to, long));
            self.add("snapshot(json)", sqlthrottle_snapshot(given, null_mut(), long));
            self.add("metrics(engine)", sqlthrottle_metrics(null(), to, long));
            self.add("metrics(text)", sqlthrottle_metrics(given, null_mut(), long));
            self.add("top(engine)", sqlthrottle_top(null(), 1, to, long));
            self.add("top(json)", sqlthrottle_top(given, 1, null_mut(), long));
            assert!((*to).is_null());
            self.add("admin(answer_length)", sqlthrottle_admin(given, admin, bytes, to, null_mut()));
            self.add("snapshot(length)", sqlthrottle_snapshot(given, &raw mut again.0, null_mut()));
            self.add("metrics(length)", sqlthrottle_metrics(given, &raw mut more.0, null_mut()));
            sqlthrottle_string_free(more.0);
            self.add("top(length)", sqlthrottle_top(given, 1, &raw mut more.0, null_mut()));
            self.add("rule_name(engine)", sqlthrottle_rule_name(null(), 0, name, 100, long));
            self.add("rule_name(buffer)", sqlthrottle_rule_name(given, 0, null_mut(), 100, long));
            self.add("rule_name(needed)", sqlthrottle_rule_name(given, 0, name, 100, null_mut()));
            self.add_free("string_free(text)", || sqlthrottle_string_free(null_mut()));
        }
    }

    fn windows_and_clocks(&mut self) {
        let (mut window, mut count) = (null_mut(), 0);
        unsafe {
            self.add("window_new(window)", sqlthrottle_window_new(1_000_000_000, 10, null(), null_mut()));
            self.add("window_new(clock)", sqlthrottle_window_new(1_000_000_000, 10, null(), &raw mut window));
            self.add("window_record(window)", sqlthrottle_window_record(null(), &raw mut count));
            self.add("window_record(count)", sqlthrottle_window_record(window, null_mut()));
            self.add("window_count(window)", sqlthrottle_window_count(null(), &raw mut count));
            self.add("window_count(count)", sqlthrottle_window_count(window, null_mut()));
            self.add("window_reset(window)", sqlthrottle_window_reset(null()));
            self.add_free("window_free(window)", || sqlthrottle_window_free(null_mut()));
            sqlthrottle_window_free(window);
            self.add("clock_new(clock)", sqlthrottle_clock_new(null_mut()));
            self.add("clock_advance(clock)", sqlthrottle_clock_advance(null(), 1));
            self.add("clock_set_wall(clock)", sqlthrottle_clock_set_wall(null(), 1));
            self.add_free("clock_free(clock)", || sqlthrottle_clock_free(null_mut()));
        }
    }
}

/// Pointers that may be NULL, and what the call returns then.
const OPTIONAL: [(&str, sqlthrottle_status_t); 34] = [
    ("engine_open(options)", SQLTHROTTLE_OK),
    ("engine_from_rules(options)", SQLTHROTTLE_OK),
    ("engine_free(engine)", SQLTHROTTLE_OK),
    ("reload(version)", SQLTHROTTLE_OK),
    ("refresh(version)", SQLTHROTTLE_NOTHING),
    ("check_request(context)", SQLTHROTTLE_OK),
    ("check_request_refilled(context)", SQLTHROTTLE_OK),
    ("prepared_free(prepared)", SQLTHROTTLE_OK),
    ("refill_free(refill)", SQLTHROTTLE_OK),
    ("set_threshold(threshold)", SQLTHROTTLE_OK),
    ("fingerprint(engine)", SQLTHROTTLE_OK),
    ("fingerprint(buffer)", SQLTHROTTLE_ERROR_BUFFER),
    ("fingerprint(needed)", SQLTHROTTLE_OK),
    ("normalize(engine)", SQLTHROTTLE_OK),
    ("normalize(buffer)", SQLTHROTTLE_ERROR_BUFFER),
    ("normalize(needed)", SQLTHROTTLE_OK),
    ("fingerprint_text(buffer)", SQLTHROTTLE_ERROR_BUFFER),
    ("fingerprint_text(needed)", SQLTHROTTLE_OK),
    ("last_error_code(buffer)", SQLTHROTTLE_ERROR_BUFFER),
    ("last_error_code(needed)", SQLTHROTTLE_OK),
    ("last_error_message(buffer)", SQLTHROTTLE_ERROR_BUFFER),
    ("last_error_message(needed)", SQLTHROTTLE_OK),
    ("admin(answer)", SQLTHROTTLE_OK),
    ("admin(answer_length)", SQLTHROTTLE_OK),
    ("snapshot(length)", SQLTHROTTLE_OK),
    ("metrics(length)", SQLTHROTTLE_OK),
    ("top(length)", SQLTHROTTLE_OK),
    ("rule_name(buffer)", SQLTHROTTLE_ERROR_BUFFER),
    ("rule_name(needed)", SQLTHROTTLE_OK),
    ("string_free(text)", SQLTHROTTLE_OK),
    ("window_new(clock)", SQLTHROTTLE_OK),
    ("window_record(count)", SQLTHROTTLE_OK),
    ("window_free(window)", SQLTHROTTLE_OK),
    ("clock_free(clock)", SQLTHROTTLE_OK),
];

/// Every pointer of every function of the header, as `function(argument)`.
fn pointers_of_the_header() -> BTreeSet<String> {
    let header = include_str!("../../../../include/sqlthrottle.h").lines().map(str::trim_start);
    let is_code = |line: &&str| !["/*", "*", "//", "#"].iter().any(|begin| line.starts_with(begin));
    let code: String = header.filter(is_code).collect::<Vec<_>>().join(" ");
    let mut pointers = BTreeSet::new();
    for declaration in code.split(';') {
        let Some((head, arguments)) = declaration.split_once('(') else { continue };
        let Some((_, name)) = head.rsplit_once("sqlthrottle_") else { continue };
        for argument in arguments.trim_end_matches(')').split(',').filter(|argument| argument.contains('*')) {
            let (_, argument) = argument.rsplit_once('*').unwrap();
            pointers.insert(format!("{name}({argument})"));
        }
    }
    pointers
}

#[test]
fn null_is_an_error_that_names_the_argument_or_is_as_good_as_nothing() {
    assert!(!pointers_of_the_header().is_empty());
    let mut tried = BTreeSet::new();
    for (what, status) in Tried::all().0 {
        let expected = OPTIONAL.iter().find(|(optional, _)| *optional == what);
        assert_eq!(status, expected.map_or(SQLTHROTTLE_ERROR_NULL, |(_, expected)| *expected), "{what}");
        assert!(tried.insert(what.to_owned()), "{what} is tried twice");
    }
    // It can be left out only where there is a refill to be had.
    tried.insert("check_request_refilled(context)".to_owned());
    assert_eq!(tried, pointers_of_the_header());
}

/// What is in a struct is an argument like another.
#[test]
fn null_in_a_struct_is_nothing_where_it_has_no_length_and_else_an_error() {
    let engine = Engine::new("").unwrap();
    let none = sqlthrottle_text_t { data: null(), length: 0 };
    let wrong = sqlthrottle_text_t { data: null(), length: 3 };
    let mut decision = sqlthrottle_decision_t::default();
    let mut check = |change: &dyn Fn(&mut sqlthrottle_c::statement::sqlthrottle_statement_t)| {
        Statement::new("select 1").hand_over(|statement| {
            let mut statement = unsafe { *statement };
            change(&mut statement);
            unsafe { sqlthrottle_check_statement(engine.as_ptr(), &raw const statement, &raw mut decision) }
        })
    };
    assert_eq!(check(&|statement| statement.context = null()), SQLTHROTTLE_OK);
    assert_eq!(check(&|statement| statement.sql = none), SQLTHROTTLE_OK);
    crate::assert_fails(check(&|statement| statement.sql = wrong), SQLTHROTTLE_ERROR_NULL, &["sql", "NULL"]);
    let parameters = |length| {
        move |statement: &mut sqlthrottle_c::statement::sqlthrottle_statement_t| {
            (statement.parameters, statement.parameters_length) = (null(), length);
        }
    };
    assert_eq!(check(&parameters(0)), SQLTHROTTLE_OK);
    crate::assert_fails(check(&parameters(1)), SQLTHROTTLE_ERROR_NULL, &["parameters", "NULL"]);
    crate::assert_fails(check(&parameters(usize::MAX)), SQLTHROTTLE_ERROR_NULL, &["parameters", "NULL"]);
}
