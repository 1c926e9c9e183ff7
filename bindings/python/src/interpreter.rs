//! The interpreter that has the module.

use pyo3::exceptions::PyImportError;
use pyo3::ffi;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicI64, Ordering};

/// The number of the first interpreter that has imported the module. Numbers are not negative.
static FIRST: AtomicI64 = AtomicI64::new(-1);

/// Refuses a second interpreter of the process: classes and look-ups that are kept belong to one. From Python 3.12 on the interpreter
/// refuses by itself.
pub(crate) fn only_one(py: Python<'_>) -> PyResult<()> {
    let number = current(py);
    match FIRST.compare_exchange(-1, number, Ordering::AcqRel, Ordering::Acquire) {
        Err(first) if first != number => Err(PyImportError::new_err(
            "sqlthrottle serves one interpreter of a process, and another interpreter has imported it before",
        )),
        _ => Ok(()),
    }
}

#[allow(unsafe_code, reason = "no safe function says which interpreter it is")]
fn current(_: Python<'_>) -> i64 {
    // SAFETY: the thread is attached to an interpreter, which so is there.
    unsafe { ffi::PyInterpreterState_GetID(ffi::PyInterpreterState_Get()) }
}
