//! Hands what libFuzzer makes up to [`log_readers`](sqlthrottle_fuzz::log_readers).
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| sqlthrottle_fuzz::log_readers::run(data));
