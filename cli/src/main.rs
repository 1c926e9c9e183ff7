//! The `sqlthrottle` command; see the library of this crate.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    sqlthrottle_cli::run(std::env::args_os()).into()
}
