//! Why a method has done nothing.

use sqlthrottle::LoadError;
use std::fmt::Display;

/// What `SqlThrottleException` is made of.
#[derive(Debug)]
pub(crate) struct Error {
    /// Of each fault its code, the same in every language.
    pub(crate) codes: Vec<&'static str>,
    pub(crate) message: String,
}

pub(crate) type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// A value that is out of its range.
    #[cold]
    pub(crate) fn value(message: impl Display) -> Self {
        Self { codes: vec!["argument.value"], message: message.to_string() }
    }

    #[cold]
    pub(crate) fn panicked() -> Self {
        let message = "the native library has failed, which is a fault of it; where and why was written to stderr";
        Self { codes: vec!["guard.panic"], message: message.to_owned() }
    }
}

impl From<LoadError> for Error {
    fn from(error: LoadError) -> Self {
        let mut codes: Vec<_> = error.faults().iter().map(|fault| fault.code).collect();
        if codes.is_empty() {
            codes.push("file.unreadable");
        }
        Self { codes, message: error.to_string() }
    }
}
