//! Thresholds that the host gives.

use crate::error;
use crate::seconds;
use pyo3::prelude::*;
use sqlthrottle::{Delay, Fingerprint, Strategy, Threshold};

/// A fingerprint, by its hexadecimal digits.
pub(crate) fn fingerprint(py: Python<'_>, digits: &str) -> PyResult<Fingerprint> {
    digits.parse().map_err(|invalid| error::value(py, invalid))
}

/// What a `Threshold` of Python says.
pub(crate) fn read(said: &Bound<'_, PyAny>) -> PyResult<Threshold> {
    let py = said.py();
    let count = |name: &str| -> PyResult<u32> {
        let number: i64 = said.getattr(name)?.extract()?;
        u32::try_from(number).map_err(|_| error::value(py, format_args!("{name} is out of its bounds: {number}")))
    };
    let rate: String = said.getattr("rate")?.str()?.extract()?;
    Ok(Threshold::new(count("max_count")?)
        .window(seconds::read(&said.getattr("window")?, "window")?)
        .buckets(count("buckets")?)
        .share(rate.parse().map_err(|invalid| error::value(py, invalid))?)
        .strategy(strategy(said)?)
        .max_delayed(count("max_delayed")?))
}

fn strategy(said: &Bound<'_, PyAny>) -> PyResult<Strategy> {
    let name: String = said.getattr("strategy")?.extract()?;
    let span = |field: &str| seconds::read(&said.getattr(field)?, field);
    Ok(match name.as_str() {
        "abort" => Strategy::Abort,
        "ignore" => Strategy::Ignore,
        "delay" if said.getattr("delay")?.is_none() => Strategy::Delay(Delay::UntilAllowed { max: span("max_delay")? }),
        "delay" => Strategy::Delay(Delay::Fixed(span("delay")?)),
        other => match other.strip_prefix("custom:") {
            Some(custom) => Strategy::Custom(custom.into()),
            None => return Err(error::value(said.py(), format_args!("there is no strategy {other:?}"))),
        },
    })
}
