//! A limit on identical statements in a sliding window.

use super::bounds::{self, Codes};
use super::quantity::Misread;
use super::text;
use crate::error::{Fault, LoadError};
use crate::strategy::{Delay, Share, Strategy};
use std::time::Duration;

/// A limit on identical statements in a sliding window.
///
/// ```
/// use sqlthrottle::rule::Threshold;
/// use sqlthrottle::{Delay, Share, Strategy};
/// use std::time::Duration;
///
/// let plain = Threshold::new(100);
/// assert_eq!((plain.window, plain.buckets, plain.share), (Duration::from_secs(60), 12, Share::ALL));
///
/// let delaying = Threshold::new(100)
///     .window(Duration::from_secs(10))
///     .buckets(10)
///     .strategy(Strategy::Delay(Delay::Fixed(Duration::from_millis(100))));
/// assert_eq!(delaying.max_delayed, 100);
/// ```
///
/// [`RuleFile::validate`](super::RuleFile::validate) says whether its values are within their bounds.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Threshold {
    /// Most statements sent in any interval of [`window`](Self::window): 1 to 60,000,000. What a share passes over and what a
    /// fixed delay lets pass comes on top.
    pub max_count: u32,
    /// The window: up to 366 days, and at least a millisecond a bucket.
    pub window: Duration,
    /// How many parts the window is counted in: 1 to 240; more are finer.
    pub buckets: u32,
    /// The part of over-limit statements the strategy is applied to (the file calls it `rate`).
    pub share: Share,
    /// What is done to a statement over the limit. A delay is at most an hour.
    pub strategy: Strategy,
    /// How many statements may wait at once: 1 to 100,000. Beyond it they are aborted.
    pub max_delayed: u32,
}

/// A field of a threshold, so that a fault can be given its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    MaxCount,
    Window,
    Buckets,
    Strategy,
    Delay,
    MaxDelay,
    MaxDelayed,
}

impl Field {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::MaxCount => "max_count",
            Self::Window => "window",
            Self::Buckets => "buckets",
            Self::Strategy => "strategy",
            Self::Delay => "delay",
            Self::MaxDelay => "max_delay",
            Self::MaxDelayed => "max_delayed",
        }
    }
}

impl Threshold {
    /// `max_count` statements in 60 seconds, counted in 12 buckets; all beyond are aborted.
    pub fn new(max_count: u32) -> Self {
        Self {
            max_count,
            window: Duration::from_secs(60),
            buckets: 12,
            share: Share::ALL,
            strategy: Strategy::Abort,
            max_delayed: 100,
        }
    }

    /// With another window.
    #[must_use]
    pub fn window(mut self, window: Duration) -> Self {
        self.window = window;
        self
    }

    /// With another number of buckets.
    #[must_use]
    pub fn buckets(mut self, buckets: u32) -> Self {
        self.buckets = buckets;
        self
    }

    /// With the strategy applied to a part of what is over the limit.
    #[must_use]
    pub fn share(mut self, share: Share) -> Self {
        self.share = share;
        self
    }

    /// With another strategy.
    #[must_use]
    pub fn strategy(mut self, strategy: Strategy) -> Self {
        self.strategy = strategy;
        self
    }

    /// With another number of statements that may wait at once.
    #[must_use]
    pub fn max_delayed(mut self, max_delayed: u32) -> Self {
        self.max_delayed = max_delayed;
        self
    }

    /// Checks its values as those of a file are checked.
    ///
    /// # Errors
    ///
    /// Every value that is out of its bounds.
    pub fn validate(&self) -> Result<(), LoadError> {
        let fault = |(field, code, misread): (Field, &'static str, Misread)| {
            Fault::unplaced(code, format!("threshold.{}", field.name()), misread.found, misread.expected)
        };
        let faults: Vec<Fault> = self.problems().into_iter().map(fault).collect();
        if faults.is_empty() { Ok(()) } else { Err(LoadError::with_faults(faults)) }
    }

    /// What is out of its bounds, by field.
    pub(super) fn problems(&self) -> Vec<(Field, &'static str, Misread)> {
        let mut problems = Vec::new();
        let mut check = |field, codes: Codes, result: Result<(), Misread>| {
            if let Err(misread) = result {
                problems.push((field, codes.of(misread.wrong), misread));
            }
        };
        check(Field::MaxCount, bounds::MAX_COUNT.codes, bounds::MAX_COUNT.check(self.max_count).map(drop));
        let window = bounds::WINDOW.check(self.window).map(drop);
        let buckets = bounds::BUCKETS.check(self.buckets).map(drop);
        let fine = if window.is_ok() && buckets.is_ok() { self.bucket_length() } else { Ok(()) };
        check(Field::Window, bounds::WINDOW.codes, window);
        check(Field::Buckets, bounds::BUCKETS.codes, buckets);
        check(Field::Buckets, bounds::BUCKETS.codes, fine);
        match self.strategy {
            Strategy::Abort | Strategy::Ignore => {}
            Strategy::Custom(ref name) => check(Field::Strategy, text::CUSTOM.codes, text::CUSTOM.check(name)),
            Strategy::Delay(Delay::Fixed(delay)) => {
                check(Field::Delay, bounds::DELAY.codes, bounds::DELAY.check(delay).map(drop));
            }
            Strategy::Delay(Delay::UntilAllowed { max }) => {
                check(Field::MaxDelay, bounds::MAX_DELAY.codes, bounds::MAX_DELAY.check(max).map(drop));
            }
        }
        check(Field::MaxDelayed, bounds::MAX_DELAYED.codes, bounds::MAX_DELAYED.check(self.max_delayed).map(drop));
        problems
    }

    /// Whether every bucket is long enough; window and buckets are within their own bounds.
    pub(super) fn bucket_length(&self) -> Result<(), Misread> {
        bounds::bucket_length(self.window, self.buckets)
    }
}
