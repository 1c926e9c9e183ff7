//! Hands what libFuzzer makes up to [`c_api`](sqlthrottle_fuzz::c_api).
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| sqlthrottle_fuzz::c_api::run(data));
