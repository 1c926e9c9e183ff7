//! What holds for any bytes, stated once and run twice: by libFuzzer, which makes the bytes up, and by `make test`, which
//! replays `corpus/` on the stable toolchain.
//!
//! Each module is one target. The tests include its file as it is, so a module depends on nothing but the crate it tries.

pub mod analysis;
pub mod c_api;
pub mod engine;
pub mod lexer;
pub mod log_readers;
pub mod rule_file;
