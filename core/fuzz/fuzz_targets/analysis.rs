//! Hands what libFuzzer makes up to [`analysis`](sqlthrottle_fuzz::analysis).
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| sqlthrottle_fuzz::analysis::run(data));
