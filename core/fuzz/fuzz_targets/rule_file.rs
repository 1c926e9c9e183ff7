//! Hands what libFuzzer makes up to [`rule_file`](sqlthrottle_fuzz::rule_file).
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| sqlthrottle_fuzz::rule_file::run(data));
