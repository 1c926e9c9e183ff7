//! Structs whose size is wrong, larger or garbage.

use crate::assert_fails;
use crate::c_api::*;
use sqlthrottle_c::check::{sqlthrottle_check, sqlthrottle_check_request, sqlthrottle_check_statement};
use sqlthrottle_c::decision::sqlthrottle_decision_t;
use sqlthrottle_c::engine::{sqlthrottle_engine_free, sqlthrottle_engine_from_rules, sqlthrottle_options_t};
use sqlthrottle_c::status::sqlthrottle_status_t;
use sqlthrottle_c::threshold::{sqlthrottle_set_threshold, sqlthrottle_threshold_t};
use std::ptr::{null, null_mut};

/// A struct as a newer program might have it: larger than ours.
#[repr(C)]
#[derive(Clone, Copy)]
struct Newer<T> {
    ours: T,
    beyond: [u8; 32],
}

/// Hands a struct over with each size that is none, and then larger ones. All but the size is right.
fn assert_input<T: Copy>(name: &str, given: T, call: impl Fn(*const T) -> sqlthrottle_status_t) {
    let ours = size_of::<T>();
    let mut newer = Newer { ours: given, beyond: [0; 32] };
    let at = |newer: &mut Newer<T>, size: usize| {
        let from = (&raw mut *newer).cast::<T>();
        unsafe { from.cast::<usize>().write(size) };
        call(from)
    };
    for size in [0, 1, ours - 1, 4097, usize::MAX, 0xdead_beef] {
        let expected = size.to_string();
        assert_fails(at(&mut newer, size), SQLTHROTTLE_ERROR_SIZE, &[name, &expected, &ours.to_string(), "sizeof"]);
    }
    assert_eq!(at(&mut newer, ours), SQLTHROTTLE_OK, "{name}");
    assert_eq!(at(&mut newer, size_of::<Newer<T>>()), SQLTHROTTLE_OK, "{name}");
    for last in [0, 31] {
        newer.beyond = [0; 32];
        newer.beyond[last] = 1;
        let status = at(&mut newer, size_of::<Newer<T>>());
        assert_fails(status, SQLTHROTTLE_ERROR_SIZE, &[name, "sqlthrottle_abi_version"]);
        assert_eq!(at(&mut newer, ours), SQLTHROTTLE_OK, "what is beyond it is not looked at");
    }
}

#[test]
fn a_struct_that_is_read_is_of_a_size_that_there_is() {
    let engine = Engine::new("").unwrap();
    let mut decision = sqlthrottle_decision_t::default();
    let to = &raw mut decision;
    Statement::new("select 1").hand_over(|statement| {
        assert_input("statement", unsafe { *statement }, |statement| unsafe {
            sqlthrottle_check_statement(engine.as_ptr(), statement, to)
        });
    });
    Context::default().hand_over(|context| {
        assert_input("context", unsafe { *context }, |context| unsafe {
            sqlthrottle_check_request(engine.as_ptr(), context, 0, to)
        });
    });
    let options = sqlthrottle_options_t { size: 0, clock: null(), asks_provider: 0, reserved: 0 };
    assert_input("options", options, |options| {
        let mut engine = null_mut();
        let status = unsafe { sqlthrottle_engine_from_rules(null(), 0, options, &raw mut engine) };
        assert_eq!(engine.is_null(), status != SQLTHROTTLE_OK);
        unsafe { sqlthrottle_engine_free(engine) };
        status
    });
    let fingerprint = engine.check("select 1").0.fingerprint;
    let threshold = sqlthrottle_threshold_t {
        size: 0,
        window_ns: 0,
        delay_ns: 0,
        max_count: 1,
        buckets: 0,
        share: 0,
        share_of: 0,
        strategy: 0,
        max_delayed: 0,
    };
    assert_input("threshold", threshold, |threshold| unsafe {
        sqlthrottle_set_threshold(engine.as_ptr(), &raw const fingerprint, threshold, 1)
    });
}

#[test]
fn a_decision_is_written_within_its_size_and_zero_beyond_what_is_known() {
    const OURS: usize = size_of::<sqlthrottle_decision_t>();
    let engine = Engine::new("rules: [{name: r, limit: {concurrency: {max: 9}}}]").unwrap();
    // As large as the largest size, and aligned as the struct is.
    let mut memory = vec![u64::MAX; 600];
    let check = |memory: &mut [u64], size: usize| {
        memory.fill(u64::MAX);
        let to = memory.as_mut_ptr().cast::<sqlthrottle_decision_t>();
        unsafe { to.cast::<usize>().write(size) };
        unsafe { sqlthrottle_check(engine.as_ptr(), c"select 1".as_ptr(), 8, to) }
    };
    let bytes = |memory: &[u64]| -> Vec<u8> { memory.iter().flat_map(|word| word.to_ne_bytes()).collect() };
    for size in [0, 1, OURS - 1, 4097, usize::MAX] {
        assert_fails(check(&mut memory, size), SQLTHROTTLE_ERROR_SIZE, &["decision", "sizeof"]);
        assert!(bytes(&memory)[8..].iter().all(|byte| *byte == 0xff), "an error writes nothing");
    }
    for size in [OURS, OURS + 1, OURS + 8, 4096] {
        assert_eq!(check(&mut memory, size), SQLTHROTTLE_OK);
        let bytes = bytes(&memory);
        assert_eq!(bytes[..8], size.to_ne_bytes(), "the size stays the caller's");
        assert!(bytes[OURS..size].iter().all(|byte| *byte == 0), "{size}");
        assert!(bytes[size..].iter().all(|byte| *byte == 0xff), "{size}");
    }
}
