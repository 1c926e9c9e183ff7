//! How the limiters of a rule count: what a limit fixes besides its maximum.

use crate::clock::Reading;
use crate::rule::Limit;
use sqlthrottle_cells::WindowShape;
use sqlthrottle_cells::fixed_window::FixedWindowShape;
use sqlthrottle_cells::token_bucket::{Part, Rate, TokenBucketShape};
use std::sync::Arc;
use std::time::Duration;

/// How a limiter counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Measure {
    SlidingWindow(Arc<WindowShape>),
    TokenBucket(Arc<TokenBucketShape>),
    FixedWindow(Arc<FixedWindowShape>),
    Concurrency,
    /// By credit that a cluster grants, and so in this process when it does not answer.
    Shared(Arc<Self>),
}

impl Measure {
    /// That of a limit; none for one that counts nothing. `wall` is how far the wall clock is ahead of the engine's, in
    /// nanoseconds.
    ///
    /// # Errors
    ///
    /// What is wrong with it, which no validated rule is.
    pub(crate) fn of(limit: &Limit, wall: u64) -> Result<Option<Self>, String> {
        Ok(Some(match *limit {
            Limit::SlidingWindow { window, buckets, .. } => {
                let shape = WindowShape::new(nanos(window), buckets).map_err(|error| error.to_string())?;
                Self::SlidingWindow(Arc::new(shape))
            }
            Limit::TokenBucket { capacity, rate } => {
                let rate = Rate::new(u64::from(rate.tokens()), nanos(rate.per())).map_err(|error| error.to_string())?;
                Self::TokenBucket(Arc::new(TokenBucketShape::new(capacity, rate)))
            }
            Limit::FixedWindow { window, .. } => {
                let shape = FixedWindowShape::new(nanos(window), wall).map_err(|error| error.to_string())?;
                Self::FixedWindow(Arc::new(shape))
            }
            Limit::Concurrency { .. } => Self::Concurrency,
            Limit::Block | Limit::Unlimited => return Ok(None),
        }))
    }

    /// Whether it is a window of that shape.
    #[inline]
    pub(crate) fn is_window(&self, shape: &Arc<WindowShape>) -> bool {
        matches!(self, Self::SlidingWindow(mine) if Arc::ptr_eq(mine, shape) || mine == shape)
    }

    /// The cheapest reading of the clock that serves it.
    pub(crate) fn reading(&self) -> Reading {
        match self {
            Self::SlidingWindow(shape) => {
                let bucket = shape.bucket_nanos();
                Reading::of_window(bucket.saturating_mul(u64::from(shape.buckets())), bucket)
            }
            // Aligned to the wall clock, which does not stand still in a suspend.
            Self::FixedWindow(_) => Reading::WithSuspend,
            Self::TokenBucket(shape) => {
                Reading::of_bucket(shape.capacity(), |nanos| shape.rate().arrived(nanos, Part::NONE))
            }
            Self::Concurrency => Reading::Coarse,
            // A lease may be good for no more than a millisecond.
            Self::Shared(measure) => match measure.reading() {
                Reading::Coarse | Reading::Precise => Reading::Precise,
                Reading::WithSuspend => Reading::WithSuspend,
            },
        }
    }
}

/// A span in nanoseconds; one beyond 584 years is that.
pub(crate) fn nanos(span: Duration) -> u64 {
    u64::try_from(span.as_nanos()).unwrap_or(u64::MAX)
}
