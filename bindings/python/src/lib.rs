//! The native module of the Python package, `sqlthrottle._native`: what its classes are made of.
//!
//! A method is three steps: what came in is read ([`text`], [`statement`]), the engine is asked, and what it answers is handed out
//! ([`decision`]). Nothing about rules is decided here. A check is one call from Python: what it does seldom, such as starting the
//! thread that looks after the rule file, or asking a provider of thresholds, it has a method of the subclass in Python do.
//!
//! All classes are frozen and may be used by any number of threads, with a GIL or without.

#![allow(missing_docs, reason = "classes and methods are documented where Python declares them")]
#![allow(clippy::doc_markdown, reason = "documentation of classes and methods is read in Python")]
#![allow(clippy::needless_pass_by_value, reason = "arguments of methods are owned by the call")]

mod answer;
mod check;
mod clock;
mod command;
mod context;
mod decision;
mod engine;
mod error;
mod guard;
mod interpreter;
mod names;
mod prepared;
mod seconds;
mod spare;
mod statement;
mod text;
mod threshold;
mod window;

/// Declares that it needs no GIL.
#[pyo3::pymodule(name = "_native", gil_used = false)]
mod native {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::clock::ManualClock;
    #[pymodule_export]
    use crate::command::run;
    #[pymodule_export]
    use crate::context::{Context, set_ambient};
    #[pymodule_export]
    use crate::decision::Decision;
    #[pymodule_export]
    use crate::engine::Engine;
    #[pymodule_export]
    use crate::prepared::Prepared;
    #[pymodule_export]
    use crate::window::SlidingWindow;

    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::interpreter::only_one(module.py())
    }
}
