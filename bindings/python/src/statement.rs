//! Statements, as the parameters of a method say them.

use crate::context::Context;
use crate::names;
use crate::text::{mapping, of_str, optional, text};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyFloat, PyInt, PyString};
use smallvec::SmallVec;
use sqlthrottle::{Dialect, Fakes, Statement};

/// Tags and parameters that are kept without asking for memory.
type Few<T> = SmallVec<[T; 8]>;

/// Classes, by their module and name, whose `str` is what a constant of theirs would be.
const WRITTEN: [(&str, &str); 5] =
    [("decimal", "Decimal"), ("uuid", "UUID"), ("datetime", "date"), ("datetime", "datetime"), ("datetime", "time")];

/// What a caller says of a statement beside its text.
#[derive(Default)]
pub(crate) struct Arguments<'a, 'py> {
    pub(crate) user: Option<&'a Bound<'py, PyAny>>,
    pub(crate) client: Option<&'a Bound<'py, PyAny>>,
    pub(crate) database: Option<&'a Bound<'py, PyAny>>,
    pub(crate) tags: Option<&'a Bound<'py, PyAny>>,
    pub(crate) params: Option<&'a Bound<'py, PyAny>>,
    pub(crate) dialect: Option<Dialect>,
    pub(crate) weight: u32,
    pub(crate) fakes: Fakes,
}

impl Arguments<'_, '_> {
    /// Whether nothing is said of who sends the statement, and with what.
    #[inline]
    pub(crate) fn is_bare(&self) -> bool {
        self.user.is_none()
            && self.client.is_none()
            && self.database.is_none()
            && self.tags.is_none()
            && self.params.is_none()
    }

    /// Makes a statement of it, in a context that fills in what is not said.
    #[inline(never)]
    pub(crate) fn with<R>(
        &self,
        sql: &[u8],
        ambient: Option<&Context>,
        ask: impl FnOnce(&Statement<'_>) -> PyResult<R>,
    ) -> PyResult<R> {
        let (user, client) = (optional(self.user, "user")?, optional(self.client, "client")?);
        let database = optional(self.database, "database")?;
        let tags: Few<_> = self.tags.map(mapping).transpose()?.into_iter().flatten().collect();
        let mut read = Few::new();
        for (name, value) in &tags {
            read.push((text(name, "the name of a tag")?, text(value, "the value of a tag")?));
        }
        let params = params(self.params)?;
        let params: Few<_> = params.iter().map(Option::as_deref).collect();

        let mut statement = Statement::new(sql);
        let context = statement.context_mut();
        if let Some(ambient) = ambient {
            context.set_user(ambient.user.as_deref());
            context.set_client(ambient.client.as_deref());
            context.set_database(ambient.database.as_deref());
            for (name, value) in &ambient.tags {
                context.set_tag(name, value);
            }
        }
        if user.is_some() {
            context.set_user(user.as_deref());
        }
        if client.is_some() {
            context.set_client(client.as_deref());
        }
        if database.is_some() {
            context.set_database(database.as_deref());
        }
        for (name, value) in &read {
            context.set_tag(name, value);
        }
        statement.set_params(&params);
        statement.set_dialect(self.dialect);
        statement.set_fakes(self.fakes);
        statement.set_weight(self.weight);
        ask(&statement)
    }
}

/// The dialect of a name.
#[inline]
pub(crate) fn dialect(py: Python<'_>, name: Option<&str>) -> PyResult<Option<Dialect>> {
    name.map(|name| names::dialect(py, name)).transpose()
}

#[inline]
pub(crate) fn fakes(py: Python<'_>, name: Option<&str>) -> PyResult<Fakes> {
    name.map_or(Ok(Fakes::None), |name| names::fakes(py, name))
}

/// Bound parameters in the textual form that a constant in their place would have; none of what has no such form.
pub(crate) fn params(params: Option<&Bound<'_, PyAny>>) -> PyResult<Few<Option<Vec<u8>>>> {
    let mut read = Few::new();
    for param in params.map(PyAnyMethods::try_iter).transpose()?.into_iter().flatten() {
        read.push(param_text(&param?)?);
    }
    Ok(read)
}

fn param_text(param: &Bound<'_, PyAny>) -> PyResult<Option<Vec<u8>>> {
    if let Ok(text) = param.cast::<PyString>() {
        return Ok(Some(of_str(text)?.into_owned()));
    }
    if let Ok(bytes) = param.cast::<PyBytes>() {
        return Ok(Some(bytes.as_bytes().to_vec()));
    }
    if let Ok(truth) = param.cast::<PyBool>() {
        return Ok(Some(if truth.is_true() { b"true".to_vec() } else { b"false".to_vec() }));
    }
    if param.is_instance_of::<PyInt>() {
        // Not that of a subclass: the members of an enumeration are written by their names.
        let written = param.py().get_type::<PyInt>().call_method1("__repr__", (param,))?;
        return Ok(Some(of_str(written.cast()?)?.into_owned()));
    }
    if param.is_instance_of::<PyFloat>() || is_written(param)? {
        return Ok(Some(of_str(&param.str()?)?.into_owned()));
    }
    Ok(None)
}

fn is_written(param: &Bound<'_, PyAny>) -> PyResult<bool> {
    let class = param.get_type();
    let (module, name) = (class.module()?, class.name()?);
    let (module, name) = (module.to_str()?, name.to_str()?);
    Ok(WRITTEN.contains(&(module, name)))
}
