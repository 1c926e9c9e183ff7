//! How much a rule allows.

use super::Rate;
use super::bounds::{self, Bounds};
use super::quantity::{Misread, Quantity};
use crate::name::named;
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
    /// The lease of a concurrency limit that says none.
    pub(crate) const LEASE: Duration = Duration::from_secs(60);
    /// The buckets of a sliding window that says none.
    pub(crate) const BUCKETS: u32 = 12;

    /// A concurrency limit with a lease of 60 seconds.
    pub const fn concurrency(max: u32) -> Self {
        Self::Concurrency { max, lease: Self::LEASE }
    }

    /// A sliding window of 12 buckets that counts what is admitted.
    pub const fn sliding_window(max: u32, window: Duration) -> Self {
        Self::SlidingWindow { max, window, buckets: Self::BUCKETS, count: Count::Admitted }
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

    /// What is out of its bounds: the path from the limit, the code and why.
    pub(super) fn problems(&self) -> Vec<(&'static str, &'static str, Misread)> {
        fn check<T: Quantity>(bounds: Bounds<T>, value: T) -> Option<(&'static str, Misread)> {
            bounds.check(value).err().map(|misread| (bounds.codes.of(misread.wrong), misread))
        }
        let told = |path, problem: Option<(_, _)>| problem.map(|(code, misread)| (path, code, misread));
        let together = |codes: bounds::Codes, result: Result<(), Misread>| {
            result.err().map(|misread| (codes.of(misread.wrong), misread))
        };
        let mut problems = match *self {
            Self::TokenBucket { capacity, .. } => {
                vec![told("token_bucket.capacity", check(bounds::TOKEN_BUCKET_CAPACITY, capacity))]
            }
            Self::SlidingWindow { max, window, buckets, .. } => vec![
                told("sliding_window.max", check(bounds::SLIDING_WINDOW_MAX, max)),
                told("sliding_window.window", check(bounds::SLIDING_WINDOW_WINDOW, window)),
                told("sliding_window.buckets", check(bounds::SLIDING_WINDOW_BUCKETS, buckets)),
            ],
            Self::FixedWindow { max, window } => vec![
                told("fixed_window.max", check(bounds::FIXED_WINDOW_MAX, max)),
                told("fixed_window.window", check(bounds::FIXED_WINDOW_WINDOW, window)),
            ],
            Self::Concurrency { max, lease } => vec![
                told("concurrency.max", check(bounds::CONCURRENCY_MAX, max)),
                told("concurrency.lease", check(bounds::CONCURRENCY_LEASE, lease)),
            ],
            Self::Block | Self::Unlimited => Vec::new(),
        };
        // What two values come to is judged only where each is right by itself.
        if problems.iter().all(Option::is_none) {
            problems.push(match *self {
                Self::SlidingWindow { window, buckets, .. } => {
                    let codes = bounds::SLIDING_WINDOW_BUCKETS.codes;
                    told("sliding_window.buckets", together(codes, bounds::bucket_length(window, buckets)))
                }
                Self::FixedWindow { max, window } => {
                    let codes = bounds::FIXED_WINDOW_MAX.codes;
                    told("fixed_window.max", together(codes, bounds::fixed_window_max(max, window)))
                }
                _ => None,
            });
        }
        problems.into_iter().flatten().collect()
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

impl Count {
    /// Both, in the order of the documentation.
    pub const ALL: [Self; 2] = [Self::Admitted, Self::Attempts];

    /// The name used in rule files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Admitted => "admitted",
            Self::Attempts => "attempts",
        }
    }
}

named!(Count, "count");
