//! Hands what libFuzzer makes up to [`lexer`](sqlthrottle_fuzz::lexer).
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| sqlthrottle_fuzz::lexer::run(data));
