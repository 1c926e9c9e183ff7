//! The rule file: what may be sent how often, and what happens beyond.

mod file;

pub use file::parse;

use crate::fingerprint::FingerprintOptions;
use crate::strategy::{Share, Strategy};
use std::time::Duration;

/// Whether decisions are carried out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Decisions are carried out.
    #[default]
    Enforce,
    /// Everything is decided and counted, and everything passes.
    Observe,
    /// Nothing is looked at.
    Off,
}

/// A limit on identical statements in a sliding window.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Threshold {
    /// Most statements in any interval of [`window`](Self::window). At least 1.
    pub max_count: u32,
    /// The window.
    pub window: Duration,
    /// How many parts the window is counted in; more are finer.
    pub buckets: u32,
    /// The part of over-limit statements the strategy is applied to (the file calls it `rate`).
    pub share: Share,
    /// What is done to a statement over the limit.
    pub strategy: Strategy,
    /// How many statements may wait at once.
    pub max_delayed: u32,
}

/// A fingerprint, or the first twelve or more digits of one, as a rule file names it. Lower case.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FingerprintPrefix(pub(crate) String);

/// How much an engine may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Most limiters a rule keeps; newcomers beyond it share one.
    pub max_keys: usize,
    /// Most rules of a file, thresholds among them.
    pub max_rules: usize,
    /// Rules from which a warning is due.
    pub warn_rules: usize,
    /// Longest printed normalised text, in bytes.
    pub max_sql_bytes: usize,
    /// Most bytes of remembered statements.
    pub cache_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_keys: 10_000,
            max_rules: 3_000,
            warn_rules: 1_000,
            max_sql_bytes: 1 << 20,
            cache_bytes: 32 << 20,
        }
    }
}

/// A rule file, read and found to be without fault.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RuleFile {
    /// Whether decisions are carried out.
    pub mode: Mode,
    /// How statements are fingerprinted (`dialect`, `fingerprint` and `max_sql_bytes`).
    pub fingerprint: FingerprintOptions,
    /// The threshold of every fingerprint that nothing names.
    pub default_threshold: Option<Threshold>,
    /// The thresholds, in the order of the file. No prefix is the beginning of another.
    pub thresholds: Vec<(FingerprintPrefix, Threshold)>,
    /// How much an engine may hold.
    pub limits: Limits,
}
