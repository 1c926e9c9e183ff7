//! The `sqlthrottle` command as a library, so that other packages can carry it: see [`run`].
//!
//! | Exit code | Meaning |
//! | --- | --- |
//! | 0 | done; also where the reader of the output went away early |
//! | 1 | something was not as it should be: a file cannot be read or only in part, a rule file has faults |
//! | 2 | the command line was not understood |

#![forbid(unsafe_code)]

mod args;
mod explain;
mod fingerprint;
mod input;
pub mod log;
mod output;
mod replay;
mod rules;
mod validate;

use args::{Arguments, Command};
use output::Output;
use std::ffi::OsString;
use std::process::ExitCode;

/// How the command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Exit {
    /// Done.
    Success,
    /// Something was not as it should be, and was said on standard error.
    Failure,
    /// The command line was not understood.
    Usage,
}

impl Exit {
    /// The exit code of the process.
    pub const fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Failure => 1,
            Self::Usage => 2,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        exit.code().into()
    }
}

/// Runs the command with its arguments, the first of which is its name. Reads standard input where asked to, writes to
/// standard output and standard error, and leaves ending the process to the caller.
pub fn run<I, T>(arguments: I) -> Exit
where
    I: IntoIterator<Item = T>,
    T: Into<OsString> + Clone,
{
    let arguments = match Arguments::read(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version are errors of the parser that go to standard output. Nobody may be reading any more.
            let _ = error.print();
            return if error.use_stderr() { Exit::Usage } else { Exit::Success };
        }
    };
    let mut output = Output::stdout();
    let result = match &arguments.command {
        Command::Explain(arguments) => explain::run(arguments, &mut output),
        Command::Fingerprint(arguments) => fingerprint::run(arguments, &mut output),
        Command::Replay(arguments) => replay::run(arguments, &mut output),
        Command::Validate(arguments) => validate::run(arguments, &mut output),
    };
    match result.and_then(|exit| output.finish().map(|()| exit)) {
        Ok(exit) => exit,
        Err(failure) => failure.report(),
    }
}
