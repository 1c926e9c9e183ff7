//! What the tests share. Each test file uses a part of it.
#![allow(dead_code, unreachable_pub, reason = "every test file is a crate of its own")]
#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

pub mod command;
pub mod log;
