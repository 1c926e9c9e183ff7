//! Stops bursts of SQL before they reach a database.

#![forbid(unsafe_code)]

pub mod fingerprint;
pub mod rule;

mod clock;
mod decision;
mod engine;
mod error;
mod limit;
mod metrics;
mod quota;
mod statement;
mod strategy;
mod stripe;

pub use clock::{Clock, ManualClock};
pub use decision::{Decision, Reason, RuleName, Ticket, Verdict};
pub use engine::{Engine, Prepared};
pub use error::{Fault, LoadError};
pub use fingerprint::{Dialect, Fingerprint, FingerprintOptions, HashKind, InLists, Normalizer};
pub use limit::{SlidingWindow, WindowError};
pub use metrics::{RuleStats, Snapshot};
pub use statement::{Fakes, Statement};
pub use strategy::{Delay, Share, Strategy};
