//! How much a rule allows.

use super::Rate;
use std::time::Duration;

/// How much a rule allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Limit {
    /// A burst as large as the capacity, and beyond it what the rate lets through.
    TokenBucket {
        /// The largest burst: 1 to 60,000,000.
        capacity: u32,
        /// How fast tokens come back.
        rate: Rate,
    },
    /// At most `max` in any interval as long as the window.
    SlidingWindow {
        /// 1 to 60,000,000.
        max: u32,
        /// Up to 366 days, and at least a millisecond a bucket.
        window: Duration,
        /// How many parts the window is counted in: 1 to 240.
        buckets: u32,
        /// What is counted.
        count: Count,
    },
    /// At most `max` in each of the windows that follow one another.
    FixedWindow {
        /// 1 to 60,000,000.
        max: u32,
        /// A millisecond to 366 days. Windows begin at multiples of it by the wall clock, read once.
        window: Duration,
    },
    /// At most `max` at once.
    Concurrency {
        /// 1 to 1,000,000.
        max: u32,
        /// After which a place is free again, though nobody gave it back: a millisecond to 366 days.
        lease: Duration,
    },
    /// Nothing passes.
    Block,
    /// What matches is exempt from every other rule.
    Unlimited,
}

impl Limit {
    /// A concurrency limit with a lease of 60 seconds.
    pub const fn concurrency(max: u32) -> Self {
        Self::Concurrency { max, lease: Duration::from_secs(60) }
    }

    /// A sliding window of 12 buckets that counts what is admitted.
    pub const fn sliding_window(max: u32, window: Duration) -> Self {
        Self::SlidingWindow { max, window, buckets: 12, count: Count::Admitted }
    }

    /// The name used in rule files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::TokenBucket { .. } => "token_bucket",
            Self::SlidingWindow { .. } => "sliding_window",
            Self::FixedWindow { .. } => "fixed_window",
            Self::Concurrency { .. } => "concurrency",
            Self::Block => "block",
            Self::Unlimited => "unlimited",
        }
    }
}

/// What a sliding window counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Count {
    /// What passes.
    #[default]
    Admitted,
    /// What is tried, whatever becomes of it.
    Attempts,
}
