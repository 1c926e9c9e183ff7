//! A static library of somebody else's that is written in Rust too, and so brings Rust's own library with it.

use std::panic;

/// How many of its calls have panicked: all, which it catches, as a library does that C calls.
#[unsafe(no_mangle)]
pub extern "C" fn other_caught(calls: u32) -> u32 {
    let mut caught = 0;
    for call in 0..calls {
        caught += u32::from(panic::catch_unwind(|| panic::panic_any(call.to_string())).is_err());
    }
    caught
}
