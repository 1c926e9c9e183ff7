//! The `sqlthrottle` command, which the wheel carries.

use crate::error;
use crate::guard::guarded;
use pyo3::prelude::*;
use std::ffi::OsString;

/// Runs the command with its arguments, the first of which is its name, and returns its exit code.
#[pyfunction]
#[pyo3(signature = (arguments, /))]
pub(crate) fn run(py: Python<'_>, arguments: Vec<OsString>) -> PyResult<u8> {
    py.detach(|| guarded(|| sqlthrottle_cli::run(arguments).code())).map_err(|panicked| error::panicked(py, panicked))
}
