//! Hands what libFuzzer makes up to [`engine`](sqlthrottle_fuzz::engine).
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| sqlthrottle_fuzz::engine::run(data));
