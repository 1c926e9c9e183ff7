//! What instances need to share limits.

use super::Limit;
use crate::strategy::Share;
use std::fmt;
use std::time::Duration;

/// How instances share the limits of rules with [`Scope::Cluster`](super::Scope::Cluster).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cluster {
    /// Where the counters live.
    pub redis: Redis,
    /// What the names of all counters begin with: 1 to 64 characters.
    pub namespace: String,
    /// How much of a limit an instance takes beforehand.
    pub lease: Lease,
    /// What is done when the cluster does not answer.
    pub on_failure: OnFailure,
}

/// A Redis server.
///
/// Debug leaves the URL out, which may hold a password.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Redis {
    /// `redis://`, `rediss://` or `unix://`.
    pub url: String,
    /// A millisecond to a minute.
    pub connect_timeout: Duration,
    /// A millisecond to a minute.
    pub timeout: Duration,
    /// Connections kept: 1 to 1,024.
    pub pool: u32,
}

impl fmt::Debug for Redis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { url: _, connect_timeout, timeout, pool } = self;
        let mut redis = f.debug_struct("Redis");
        redis.field("connect_timeout", connect_timeout).field("timeout", timeout).field("pool", pool);
        redis.finish_non_exhaustive()
    }
}

/// How much of a limit an instance takes beforehand, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lease {
    /// The part of a limit taken at a time, in millionths: 0 to 1,000,000. With 0 each check asks the cluster.
    pub fraction_millionths: u32,
    /// How long it is good for: a millisecond to an hour.
    pub ttl: Duration,
}

/// What is done when the cluster does not answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum OnFailure {
    /// The rule's own limit holds in this process.
    #[default]
    Local,
    /// What the rule matches is aborted.
    Closed,
    /// The rule is not asked.
    Open,
    /// Another limit holds in this process, a sliding window of 12 buckets.
    Limit {
        /// 1 to 60,000,000.
        max: u32,
        /// Up to 366 days, and at least 12 milliseconds.
        window: Duration,
        /// The part of over-limit statements that the rule's strategy is applied to.
        share: Share,
    },
}

impl OnFailure {
    /// The limit that holds instead of the rule's, if it is another.
    pub const fn limit(self) -> Option<Limit> {
        match self {
            Self::Limit { max, window, .. } => Some(Limit::sliding_window(max, window)),
            Self::Local | Self::Closed | Self::Open => None,
        }
    }
}

impl Cluster {
    /// A cluster by the URL of its Redis server, with the defaults of the rule file.
    pub fn new(url: impl Into<String>, namespace: impl Into<String>) -> Self {
        Self {
            redis: Redis {
                url: url.into(),
                connect_timeout: Duration::from_millis(200),
                timeout: Duration::from_millis(20),
                pool: 8,
            },
            namespace: namespace.into(),
            lease: Lease { fraction_millionths: 50_000, ttl: Duration::from_millis(500) },
            on_failure: OnFailure::Local,
        }
    }
}
