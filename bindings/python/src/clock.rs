//! `ManualClock`: a clock that a test moves.

use crate::{error, seconds};
use pyo3::prelude::*;
use std::time::{Duration, SystemTime};

/// A clock that moves only when told to, for tests.
#[pyclass(frozen, module = "sqlthrottle", name = "ManualClock")]
#[derive(Debug)]
pub(crate) struct ManualClock(pub(crate) sqlthrottle::ManualClock);

#[pymethods]
impl ManualClock {
    #[new]
    fn new() -> Self {
        Self(sqlthrottle::ManualClock::new())
    }

    /// Seconds since it was made.
    #[getter]
    fn now(&self) -> f64 {
        Duration::from_nanos(self.0.now()).as_secs_f64()
    }

    /// Moves it forward by so many seconds, and the time of day with it.
    ///
    /// :raises ArgumentError: the span is negative.
    #[pyo3(signature = (span, /))]
    fn advance(&self, span: &Bound<'_, PyAny>) -> PyResult<()> {
        self.0.advance(seconds::read(span, "span")?);
        Ok(())
    }

    /// Sets the time of day, by which rules expire; it begins at 1970 UTC.
    ///
    /// :raises ArgumentError: the time has no time zone.
    #[pyo3(signature = (time, /))]
    fn set_wall(&self, time: &Bound<'_, PyAny>) -> PyResult<()> {
        if time.getattr("tzinfo")?.is_none() {
            return Err(error::value(time.py(), "the time must have a time zone"));
        }
        let seconds: f64 = time.call_method0("timestamp")?.extract()?;
        let span = Duration::try_from_secs_f64(seconds.abs()).map_err(|out| error::value(time.py(), out))?;
        self.0.set_wall(if seconds < 0.0 { SystemTime::UNIX_EPOCH - span } else { SystemTime::UNIX_EPOCH + span });
        Ok(())
    }

    fn __repr__(&self) -> String {
        format!("<ManualClock at {} s>", self.now())
    }
}
