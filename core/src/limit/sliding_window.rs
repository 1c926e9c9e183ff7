//! The sliding window as a type of its own.

use super::with_slots;
use crate::clock::Clock;
use sqlthrottle_cells::sliding_window::{Slot, WindowCell};
use sqlthrottle_cells::{ShapeError, WindowShape};
use std::fmt;
use std::time::Duration;

/// Counts events of the last `window`, for any number of threads at once.
///
/// The count covers every interval as long as the window that ends now, and at most one bucket more: it is never too low,
/// and an event is forgotten no later than the window and one bucket after it. Up to 67,108,863 events are counted; of
/// more, the latest.
///
/// ```
/// use sqlthrottle::{ManualClock, SlidingWindow};
/// use std::time::Duration;
///
/// let clock = ManualClock::new();
/// let failures = SlidingWindow::new(Duration::from_secs(60), 12, clock.clone())?;
/// assert_eq!(failures.record(), 1);
/// clock.advance(Duration::from_secs(30));
/// assert_eq!(failures.record(), 2);
///
/// clock.advance(Duration::from_secs(35));
/// assert_eq!(failures.count(), 1); // the first is 65 seconds old: the window, and the bucket it was in
///
/// failures.reset();
/// assert_eq!(failures.count(), 0);
/// # Ok::<(), sqlthrottle::WindowError>(())
/// ```
pub struct SlidingWindow {
    cell: Box<WindowCell>,
    shape: WindowShape,
    clock: Clock,
}

impl SlidingWindow {
    /// A window that is counted in that many buckets; 12 are usual, more forget sooner. Where they do not divide the
    /// window, it is longer by less than a nanosecond a bucket.
    ///
    /// # Errors
    ///
    /// When there are no buckets, more than 1021, buckets shorter than a millisecond, or the window is longer than 584
    /// years, the span of a clock.
    pub fn new(window: Duration, buckets: u32, clock: impl Into<Clock>) -> Result<Self, WindowError> {
        let nanos = u64::try_from(window.as_nanos()).map_err(|_| WindowError(Reason::TooLong))?;
        let shape = WindowShape::new(nanos, buckets).map_err(|error| WindowError(Reason::Shape(error)))?;
        let clock = clock.into();
        let now = clock.now();
        let cell =
            with_slots!(shape, SLOTS => Box::new(WindowCell::<[Slot; SLOTS]>::new(&shape, now)) as Box<WindowCell>);
        Ok(Self { cell, shape, clock })
    }

    /// Counts an event that happens now, and returns the count with it.
    pub fn record(&self) -> u64 {
        u64::from(self.cell.count_attempt(&self.shape, 1, self.clock.now()).total())
    }

    /// How many events count now.
    pub fn count(&self) -> u64 {
        u64::from(self.cell.total(&self.shape, self.clock.now()))
    }

    /// Forgets all events. One that another thread records meanwhile may stay.
    pub fn reset(&self) {
        self.cell.reset(&self.shape, self.clock.now());
    }
}

impl fmt::Debug for SlidingWindow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SlidingWindow")
            .field("bucket", &Duration::from_nanos(self.shape.bucket_nanos()))
            .field("buckets", &self.shape.buckets())
            .field("count", &self.count())
            .finish_non_exhaustive()
    }
}

/// A window that cannot be counted in the buckets asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowError(Reason);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reason {
    Shape(ShapeError),
    TooLong,
}

impl fmt::Display for WindowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Reason::Shape(error) => write!(f, "{error}"),
            Reason::TooLong => f.write_str("a window lasts at most 584 years"),
        }
    }
}

impl std::error::Error for WindowError {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::ManualClock;
    use std::panic::UnwindSafe;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn every_number_of_buckets_is_counted_alike() {
        for buckets in [1, 12, 13, 14, 29, 30, 61, 62, 125, 126, 253, 254, 509, 510, 1020, 1021] {
            let clock = ManualClock::new();
            let window = SlidingWindow::new(SECOND * buckets, buckets, clock.clone()).unwrap();
            for n in 1..=2 * u64::from(buckets) + 5 {
                assert_eq!(window.record(), n.min(u64::from(buckets) + 1), "{buckets} buckets");
                clock.advance(SECOND);
            }
            assert_eq!(window.count(), u64::from(buckets));
            window.reset();
            assert_eq!(window.count(), 0);
            assert_eq!(window.record(), 1);
        }
    }

    #[test]
    fn impossible_windows_are_refused_with_what_would_be_right() {
        let refused = |window, buckets| SlidingWindow::new(window, buckets, Clock::system()).unwrap_err().to_string();
        assert_eq!(refused(SECOND, 0), "a window has at least one bucket");
        assert_eq!(refused(SECOND * 2000, 1022), "a window has at most 1021 buckets");
        assert_eq!(refused(Duration::ZERO, 1), "a bucket lasts at least 1000000 ns");
        assert_eq!(refused(Duration::from_millis(11), 12), "a bucket lasts at least 1000000 ns");
        assert_eq!(refused(Duration::MAX, 12), "a window lasts at most 584 years");
    }

    #[test]
    fn threads_may_share_a_window() {
        fn shareable<T: Send + Sync + UnwindSafe>() {}
        shareable::<SlidingWindow>();
        shareable::<WindowError>();
    }
}
