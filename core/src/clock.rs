//! Where time comes from. The only place that reads a clock.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A source of monotone time for an engine.
///
/// Cheap to clone; clones share their time.
#[derive(Clone, Debug)]
pub struct Clock(Source);

#[derive(Clone, Debug)]
enum Source {
    System(Instant),
    Manual(ManualClock),
}

impl Clock {
    /// The machine's monotone clock.
    pub fn system() -> Self {
        Self(Source::System(Instant::now()))
    }

    /// Time since this clock was made, in nanoseconds; never runs backwards.
    #[inline]
    pub fn now(&self) -> u64 {
        match &self.0 {
            // 2^64 nanoseconds are 584 years.
            Source::System(origin) => origin.elapsed().as_nanos() as u64,
            Source::Manual(clock) => clock.now(),
        }
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self::system()
    }
}

impl From<ManualClock> for Clock {
    fn from(clock: ManualClock) -> Self {
        Self(Source::Manual(clock))
    }
}

/// A clock that moves only when told to, for tests and for replaying logs.
///
/// Clones share their time, so one handle goes into the engine and another moves it.
#[derive(Clone, Debug, Default)]
pub struct ManualClock(Arc<AtomicU64>);

impl ManualClock {
    /// A clock that stands at zero.
    pub fn new() -> Self {
        Self::default()
    }

    /// Time since zero, in nanoseconds.
    pub fn now(&self) -> u64 {
        self.0.load(Ordering::Acquire)
    }

    /// Moves time forward, at most to the end of the 584 years that a clock spans.
    pub fn advance(&self, by: Duration) {
        let by = u64::try_from(by.as_nanos()).unwrap_or(u64::MAX);
        let _ = self.0.fetch_update(Ordering::AcqRel, Ordering::Acquire, |now| Some(now.saturating_add(by)));
    }

    /// Moves time forward to `since_zero`; a time that has passed changes nothing, because limiters run on monotone time.
    pub fn advance_to(&self, since_zero: Duration) {
        self.0.fetch_max(u64::try_from(since_zero.as_nanos()).unwrap_or(u64::MAX), Ordering::AcqRel);
    }
}
