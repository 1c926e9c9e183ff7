//! Where time comes from. The only place that reads a clock.

mod machine;

use machine::Origin;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

/// Ticks of the coarse clock that a bucket must last for it to serve: its error is then at most a 25th of the bucket by
/// which a window is longer than its limit needs.
const TICKS: u64 = 25;
/// Windows of an hour and more count the time that a machine is suspended. Shorter ones are over soon after it wakes.
const LONG: u64 = 3_600_000_000_000;

/// A source of monotone time for an engine.
///
/// Cheap to clone; clones share their time.
#[derive(Clone, Debug)]
pub struct Clock(Source);

#[derive(Clone, Debug)]
enum Source {
    System(Origin),
    Manual(ManualClock),
}

/// How a limiter reads the clock. Times of one reading are not to be compared with those of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// As of the last tick, which on many kernels is up to four milliseconds ago.
    Coarse,
    /// As exactly as it can be.
    Precise,
    /// With the time that the machine was suspended.
    WithSuspend,
}

impl Reading {
    /// The cheapest reading that serves a window of so many nanoseconds with such buckets.
    pub(crate) fn of_window(window: u64, bucket: u64) -> Self {
        if window >= LONG {
            Self::WithSuspend
        } else if bucket >= machine::tick().saturating_mul(TICKS) {
            Self::Coarse
        } else {
            Self::Precise
        }
    }

    /// The cheapest reading that serves a token bucket, by its capacity and by how many tokens arrive in a time: one that is
    /// late by a tick misses no more than fits in the bucket.
    pub(crate) fn of_bucket(capacity: u32, arrived: impl Fn(u64) -> u64) -> Self {
        if arrived(machine::tick()) < u64::from(capacity) { Self::Coarse } else { Self::Precise }
    }
}

impl Clock {
    /// The machine's monotone clock. Limits with windows of an hour and more count the time that the machine is suspended,
    /// where the system tells it (Linux).
    pub fn system() -> Self {
        Self(Source::System(Origin::now()))
    }

    /// Time since this clock was made, in nanoseconds; never runs backwards.
    #[inline]
    pub fn now(&self) -> u64 {
        self.read(Reading::Precise)
    }

    /// The time of day by the wall clock, which may be set, forwards and back.
    pub fn wall(&self) -> SystemTime {
        match &self.0 {
            Source::System(_) => SystemTime::now(),
            Source::Manual(clock) => clock.wall(),
        }
    }

    /// Time since this clock was made by a given reading, in nanoseconds.
    #[inline]
    pub(crate) fn read(&self, reading: Reading) -> u64 {
        match (&self.0, reading) {
            (Source::System(origin), Reading::Coarse) => origin.ticked(),
            (Source::System(origin), Reading::Precise) => origin.awake(),
            (Source::System(origin), Reading::WithSuspend) => origin.always(),
            (Source::Manual(clock), _) => clock.now(),
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
pub struct ManualClock(Arc<Times>);

#[derive(Debug, Default)]
struct Times {
    /// Nanoseconds since zero.
    now: AtomicU64,
    /// Nanoseconds from the Unix epoch to zero, by the wall clock.
    wall_at_zero: AtomicI64,
}

impl ManualClock {
    /// A clock that stands at zero.
    pub fn new() -> Self {
        Self::default()
    }

    /// Time since zero, in nanoseconds.
    pub fn now(&self) -> u64 {
        self.0.now.load(Ordering::Acquire)
    }

    /// Moves time forward, at most to the end of the 584 years that a clock spans.
    pub fn advance(&self, by: Duration) {
        let by = u64::try_from(by.as_nanos()).unwrap_or(u64::MAX);
        let _ = self.0.now.fetch_update(Ordering::AcqRel, Ordering::Acquire, |now| Some(now.saturating_add(by)));
    }

    /// Moves time forward to `since_zero`; a time that has passed changes nothing, because limiters run on monotone time.
    pub fn advance_to(&self, since_zero: Duration) {
        self.0.now.fetch_max(u64::try_from(since_zero.as_nanos()).unwrap_or(u64::MAX), Ordering::AcqRel);
    }

    /// The time of day, which goes on with the time since zero; that of zero is the Unix epoch unless it was set.
    pub fn wall(&self) -> SystemTime {
        let nanos = i128::from(self.0.wall_at_zero.load(Ordering::Acquire)) + i128::from(self.now());
        let span = Duration::from_nanos(u64::try_from(nanos.unsigned_abs()).unwrap_or(u64::MAX));
        if nanos < 0 { SystemTime::UNIX_EPOCH - span } else { SystemTime::UNIX_EPOCH + span }
    }

    /// Sets the time of day, forwards or back; the time since zero stays. From 1678 to 2261.
    pub fn set_wall(&self, time: SystemTime) {
        let nanos = match time.duration_since(SystemTime::UNIX_EPOCH) {
            Ok(since) => i128::try_from(since.as_nanos()).unwrap_or(i128::MAX),
            Err(before) => i128::try_from(before.duration().as_nanos()).map_or(i128::MIN, |nanos| -nanos),
        };
        let at_zero = nanos.saturating_sub(i128::from(self.now()));
        let at_zero = at_zero.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64;
        self.0.wall_at_zero.store(at_zero, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: u64 = 3_600_000_000_000;

    #[test]
    fn a_window_is_read_as_closely_as_it_needs() {
        assert_eq!(Reading::of_window(HOUR, HOUR / 12), Reading::WithSuspend);
        assert_eq!(Reading::of_window(HOUR - 1, HOUR / 12), Reading::Coarse);
        let just = machine::tick() * TICKS;
        assert_eq!(Reading::of_window(HOUR - 1, just), Reading::Coarse);
        if just > 0 {
            assert_eq!(Reading::of_window(HOUR - 1, just - 1), Reading::Precise);
        }
    }

    #[test]
    fn readings_never_run_backwards_and_a_precise_one_follows_a_coarse_one() {
        let clock = Clock::system();
        let (mut coarse, mut precise, mut always) = (0, 0, 0);
        for _ in 0..100_000 {
            let now = clock.read(Reading::Coarse);
            assert!(now >= coarse);
            coarse = now;
            let now = clock.read(Reading::Precise);
            assert!(now >= precise && now >= coarse);
            precise = now;
            let now = clock.read(Reading::WithSuspend);
            assert!(now >= always);
            always = now;
        }
        assert!(precise - coarse <= 2 * machine::tick().max(1_000_000_000), "{precise} and {coarse} have one zero");
    }
}
