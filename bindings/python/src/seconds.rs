//! Spans of time: Python has seconds, as numbers or as a `timedelta`.

use crate::error;
use pyo3::prelude::*;
use std::time::Duration;

/// A span that is not negative, exact to a nanosecond for what a rule may say; what `name` says is for the exception.
pub(crate) fn read(object: &Bound<'_, PyAny>, name: &str) -> PyResult<Duration> {
    let seconds: f64 = if object.hasattr("total_seconds")? {
        object.call_method0("total_seconds")?.extract()?
    } else {
        object.extract()?
    };
    Duration::try_from_secs_f64(seconds).map_err(|_| {
        error::value(object.py(), format_args!("{name} must be a span of 0 seconds or more, not {seconds}"))
    })
}
