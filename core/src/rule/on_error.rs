//! What is answered when the guard itself fails.

use crate::name::named;

/// The answer when the guard itself fails: a panic that a binding has caught.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OnError {
    /// The statement passes.
    #[default]
    Allow,
    /// The statement is aborted.
    Abort,
}

impl OnError {
    /// Both, in the order of the documentation.
    pub const ALL: [Self; 2] = [Self::Allow, Self::Abort];

    /// The name used in rule files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Abort => "abort",
        }
    }
}

named!(OnError, "answer to an error");
