//! A module with one function, which does nothing.

/// Takes a text, and returns none.
#[pyo3::pymodule(gil_used = false)]
mod baseline {
    use pyo3::pyfunction;

    /// Takes a text, and does nothing.
    #[pyfunction]
    fn nothing(_sql: &str) {}
}
