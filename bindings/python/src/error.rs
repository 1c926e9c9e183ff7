//! What is raised: the classes of `sqlthrottle._errors`, each with the codes that are the same in every language.

use crate::guard::Panicked;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyTuple, PyType};
use sqlthrottle::LoadError;
use std::fmt::Display;

const MODULE: &str = "sqlthrottle._errors";

static RULE_ERROR: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static ARGUMENT_ERROR: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static CLOSED_ERROR: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static BASE: PyOnceLock<Py<PyType>> = PyOnceLock::new();

/// Rules that were refused, with the code of each fault.
#[cold]
pub(crate) fn refused(py: Python<'_>, error: &LoadError) -> PyErr {
    let mut codes: Vec<_> = error.faults().iter().map(|fault| fault.code).collect();
    if codes.is_empty() {
        codes.push("file.unreadable");
    }
    match PyTuple::new(py, codes) {
        Ok(codes) => raised(py, &RULE_ERROR, "RuleError", (error.to_string(), codes)),
        Err(failed) => failed,
    }
}

/// A value that is out of its range.
#[cold]
pub(crate) fn value(py: Python<'_>, message: impl Display) -> PyErr {
    raised(py, &ARGUMENT_ERROR, "ArgumentError", (message.to_string(),))
}

/// A throttle that was closed.
#[cold]
pub(crate) fn closed(py: Python<'_>) -> PyErr {
    raised(py, &CLOSED_ERROR, "ThrottleClosedError", ())
}

/// A call that has panicked.
#[cold]
pub(crate) fn panicked(py: Python<'_>, _: Panicked) -> PyErr {
    let message = "the native module has failed, which is a fault of it; where and why was written to stderr";
    raised(py, &BASE, "SqlThrottleError", (message, "guard.panic"))
}

fn raised<'py, A>(py: Python<'py>, class: &'static PyOnceLock<Py<PyType>>, name: &str, arguments: A) -> PyErr
where
    A: pyo3::call::PyCallArgs<'py>,
{
    match class.import(py, MODULE, name).and_then(|class| class.call1(arguments)) {
        Ok(error) => PyErr::from_value(error),
        // Python has no memory for it, or is about to end.
        Err(failed) => failed,
    }
}
