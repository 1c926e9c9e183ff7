//! What is done to a statement over a limit: the closed list, and the share it is applied to.

mod share;

pub use share::{InvalidShare, Share};

use std::sync::Arc;
use std::time::Duration;

/// What is done to a statement over the limit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Strategy {
    /// The host raises its own error.
    #[default]
    Abort,
    /// The statement is not sent and the caller gets an empty result.
    Ignore,
    /// The host waits, then resumes.
    Delay(Delay),
    /// A strategy of the host's, by its name (the file says `custom:NAME`); a host that does not know it aborts.
    Custom(Arc<str>),
}

/// How long a delayed statement waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Delay {
    /// A fixed time, after which the delaying rule is not asked again: it spreads a burst, and bounds nothing.
    Fixed(Duration),
    /// Until the limiter allows it, asked again after each wait; aborted after `max`. The limit holds for what is sent at
    /// once and after a wait together, because a statement that has waited counts from when it is sent.
    UntilAllowed {
        /// The longest wait in all.
        max: Duration,
    },
}
