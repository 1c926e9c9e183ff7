//! What the last error says, to whom, and for how long.

use crate::c_api::*;
use sqlthrottle_c::engine::sqlthrottle_reload;
use sqlthrottle_c::error::{sqlthrottle_last_error_code, sqlthrottle_last_error_count};
use std::ptr::{null, null_mut};
use std::sync::Barrier;
use std::thread;

#[test]
fn a_thread_that_has_not_failed_has_no_error() {
    let quiet = || {
        assert_eq!((sqlthrottle_last_error_count(), last_message()), (0, String::new()));
        let status = unsafe { sqlthrottle_last_error_code(0, null_mut(), 0, null_mut()) };
        assert_eq!(status, SQLTHROTTLE_ERROR_UNKNOWN);
    };
    thread::spawn(quiet).join().unwrap();
}

#[test]
fn two_threads_do_not_see_the_errors_of_each_other() {
    let engine = Engine::new("").unwrap();
    let both = Barrier::new(2);
    let fail = |rules: &str, code: &str| {
        for _ in 0..100 {
            both.wait();
            assert!(engine.reload(rules).is_err());
            both.wait();
            assert_eq!(last_codes(), [code]);
        }
    };
    thread::scope(|scope| {
        scope.spawn(|| fail("mode: sideways", "mode.unknown"));
        scope.spawn(|| fail("on_error: panic", "on_error.unknown"));
    });
}

#[test]
fn it_stays_until_the_next_one() {
    let engine = Engine::new("").unwrap();
    assert_eq!(unsafe { sqlthrottle_reload(engine.as_ptr(), null(), 1, null_mut()) }, SQLTHROTTLE_ERROR_NULL);
    let message = last_message();
    assert!(message.contains("rules is NULL"), "{message}");
    assert!(engine.check("select 1").is_allowed());
    engine.reload("mode: observe").unwrap();
    assert!(!engine.release(1));
    assert_eq!((last_codes(), last_message()), (vec!["argument.null".to_owned()], message));
    assert!(engine.reload("rules: 1").is_err());
    assert_ne!(last_codes(), ["argument.null"]);
}

/// Every fault at once, each with its place, what was found, what would be right, and its code.
#[test]
fn rules_are_refused_with_all_that_is_wrong_with_them() {
    let failure = Engine::new(
        "mode: sideways\nrules:\n  - {name: r, limit: {sliding_window: {max: 0, window: 1m}}}\n  - {limit: {concurrency: {max: 1}}}\n",
    )
    .err()
    .unwrap();
    assert_eq!(failure.status, SQLTHROTTLE_ERROR_REFUSED);
    assert_eq!(failure.codes.len(), 3, "{failure}");
    let lines: Vec<&str> = failure.message.lines().collect();
    assert_eq!(lines.len(), 3, "{failure}");
    for (line, (code, place)) in lines.iter().zip(failure.codes.iter().zip(["1", "3", "4"])) {
        assert!(line.contains(code.as_str()) && line.contains(place), "{line}");
    }
    assert!(lines[0].contains("sideways") && lines[0].contains("enforce"), "{failure}");
    assert_eq!(unsafe { sqlthrottle_last_error_code(3, null_mut(), 0, null_mut()) }, SQLTHROTTLE_ERROR_UNKNOWN);
}
