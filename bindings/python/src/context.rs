//! `Context`: who sends statements, and where to, as the ambient context keeps it.

use crate::text::{mapping, optional, string, text};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

type Bytes = Box<[u8]>;

/// The look-up of the context variable.
static AMBIENT: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
/// Whether there was ever a context in this process. Until then no check looks for one.
static OPENED: AtomicBool = AtomicBool::new(false);

/// Who sends statements, and where to: what is said here, and else what the outer one says.
#[pyclass(frozen, module = "sqlthrottle._native", name = "Context")]
#[derive(Debug, Default)]
pub(crate) struct Context {
    pub(crate) user: Option<Bytes>,
    pub(crate) client: Option<Bytes>,
    pub(crate) database: Option<Bytes>,
    pub(crate) tags: Vec<(Bytes, Bytes)>,
}

impl Context {
    pub(crate) fn read(
        user: Option<&Bound<'_, PyAny>>,
        client: Option<&Bound<'_, PyAny>>,
        database: Option<&Bound<'_, PyAny>>,
        tags: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let owned = |object, name| PyResult::Ok(optional(object, name)?.map(|bytes| bytes.into_owned().into()));
        let mut read = Self {
            user: owned(user, "user")?,
            client: owned(client, "client")?,
            database: owned(database, "database")?,
            tags: Vec::new(),
        };
        for (name, value) in tags.map(mapping).transpose()?.into_iter().flatten() {
            read.set_tag(&text(&name, "the name of a tag")?, &text(&value, "the value of a tag")?);
        }
        Ok(read)
    }

    fn set_tag(&mut self, name: &[u8], value: &[u8]) {
        match self.tags.iter_mut().find(|(known, _)| **known == *name) {
            Some((_, known)) => *known = value.into(),
            None => self.tags.push((name.into(), value.into())),
        }
    }
}

#[pymethods]
impl Context {
    /// What is said here, and else what `outer` says.
    #[new]
    #[pyo3(signature = (outer, user, client, database, tags, /))]
    fn new(
        outer: Option<&Bound<'_, Self>>,
        user: Option<&Bound<'_, PyAny>>,
        client: Option<&Bound<'_, PyAny>>,
        database: Option<&Bound<'_, PyAny>>,
        tags: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let inner = Self::read(user, client, database, tags)?;
        OPENED.store(true, Ordering::Relaxed);
        let Some(outer) = outer.map(Bound::get) else {
            return Ok(inner);
        };
        let mut whole = Self {
            user: inner.user.or_else(|| outer.user.clone()),
            client: inner.client.or_else(|| outer.client.clone()),
            database: inner.database.or_else(|| outer.database.clone()),
            tags: outer.tags.clone(),
        };
        for (name, value) in &inner.tags {
            whole.set_tag(name, value);
        }
        Ok(whole)
    }

    fn __repr__(&self) -> String {
        let said = |bytes: &Option<Bytes>| bytes.as_deref().map(|bytes| string(bytes).into_owned());
        let tags: Vec<_> = self.tags.iter().map(|(name, value)| (string(name), string(value))).collect();
        format!(
            "<Context user={:?} client={:?} database={:?} tags={tags:?}>",
            said(&self.user),
            said(&self.client),
            said(&self.database)
        )
    }
}

/// Says by which call the context of the caller is found.
#[pyfunction]
#[pyo3(signature = (get, /))]
pub(crate) fn set_ambient(py: Python<'_>, get: Py<PyAny>) {
    // The package is imported once; whoever imports it anew has another module.
    let _ = AMBIENT.set(py, get);
}

/// The context of the caller, where there is one.
#[inline]
pub(crate) fn ambient(py: Python<'_>) -> PyResult<Option<Bound<'_, Context>>> {
    if OPENED.load(Ordering::Relaxed) { look_up(py) } else { Ok(None) }
}

#[inline(never)]
fn look_up(py: Python<'_>) -> PyResult<Option<Bound<'_, Context>>> {
    match AMBIENT.get(py) {
        Some(get) => Ok(get.bind(py).call0()?.extract()?),
        None => Ok(None),
    }
}
