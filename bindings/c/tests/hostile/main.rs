//! Calls that no correct program makes, and what they are answered with.

// A test that cannot go on says so by panicking.
#![allow(clippy::unwrap_used, clippy::expect_used)]
#![allow(clippy::wildcard_imports, reason = "a module calls all that there is")]
#![allow(unsafe_code, clippy::undocumented_unsafe_blocks, reason = "called as C calls it")]

mod buffers;
#[path = "../shared/c_api.rs"]
mod c_api;
mod freed;
mod last_error;
mod nulls;
mod numbers;
mod sizes;
mod values;

use c_api::{Failure, success};
use sqlthrottle_c::status::sqlthrottle_status_t;

/// Panics unless a call fails like this, with a message that has these words.
fn assert_fails(status: sqlthrottle_status_t, expected: sqlthrottle_status_t, words: &[&str]) {
    let Failure { status, message, .. } = success(status).expect_err("a call that must fail");
    assert_eq!(status, expected, "{message}");
    for word in words {
        assert!(message.contains(word), "`{word}` is not in `{message}`");
    }
}
