//! `SlidingWindow`: the sliding window as a type of its own.

use crate::clock::ManualClock;
use crate::{error, seconds};
use pyo3::prelude::*;
use sqlthrottle::Clock;

/// Counts events of any kind as thresholds count statements. Threads may share it.
///
/// :param window: seconds.
/// :param buckets: in how many parts the window is counted: more are finer.
/// :raises ArgumentError: the window or the buckets are out of their bounds.
#[pyclass(frozen, module = "sqlthrottle", name = "SlidingWindow")]
#[derive(Debug)]
pub(crate) struct SlidingWindow(sqlthrottle::SlidingWindow);

#[pymethods]
impl SlidingWindow {
    #[new]
    #[pyo3(signature = (window, buckets=12, *, clock=None))]
    fn new(window: &Bound<'_, PyAny>, buckets: i64, clock: Option<&Bound<'_, ManualClock>>) -> PyResult<Self> {
        let py = window.py();
        let clock = clock.map_or_else(Clock::system, |clock| clock.get().0.clone().into());
        let window = seconds::read(window, "window")?;
        let buckets = u32::try_from(buckets)
            .map_err(|_| error::value(py, format_args!("a window has no {buckets} buckets; it has 1 to 1021")))?;
        sqlthrottle::SlidingWindow::new(window, buckets, clock).map(Self).map_err(|refused| error::value(py, refused))
    }

    /// Records an event, and says how many count now, with this one.
    fn record(&self) -> u64 {
        self.0.record()
    }

    /// How many events count now: all of the last ``window`` seconds, and at most one bucket more.
    fn count(&self) -> u64 {
        self.0.count()
    }

    /// Forgets all events.
    fn reset(&self) {
        self.0.reset();
    }

    fn __repr__(&self) -> String {
        format!("<SlidingWindow with {}>", self.0.count())
    }
}
