//! Statements, as the parameters of a method say them.

use crate::context::Context;
use crate::names;
use crate::text::{mapping, of_str, optional, text};
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyMapping, PyString};
use smallvec::SmallVec;
use sqlthrottle::{Dialect, Fakes, Statement};

/// Tags and parameters that are kept without asking for memory.
type Few<T> = SmallVec<[T; 8]>;

/// Classes, by their module and name, whose `str` is what a constant of theirs would be.
const WRITTEN: [(&str, &str); 5] =
    [("decimal", "Decimal"), ("uuid", "UUID"), ("datetime", "date"), ("datetime", "datetime"), ("datetime", "time")];

/// What a caller says of a statement beside its text.
pub(crate) struct Arguments<'py> {
    pub(crate) user: Option<Bound<'py, PyAny>>,
    pub(crate) client: Option<Bound<'py, PyAny>>,
    pub(crate) database: Option<Bound<'py, PyAny>>,
    pub(crate) tags: Option<Bound<'py, PyAny>>,
    pub(crate) params: Option<Bound<'py, PyAny>>,
    pub(crate) dialect: Option<Dialect>,
    pub(crate) weight: u32,
    pub(crate) fakes: Fakes,
}

impl Default for Arguments<'_> {
    fn default() -> Self {
        Self {
            user: None,
            client: None,
            database: None,
            tags: None,
            params: None,
            dialect: None,
            weight: 1,
            fakes: Fakes::None,
        }
    }
}

impl<'py> Arguments<'py> {
    /// What the keywords of a call say, which most calls have none of.
    #[inline]
    pub(crate) fn read(method: &str, said: Option<&Bound<'py, PyDict>>) -> PyResult<Self> {
        said.map_or_else(|| Ok(Self::default()), |said| Self::of(method, said))
    }

    #[inline(never)]
    fn of(method: &str, said: &Bound<'py, PyDict>) -> PyResult<Self> {
        let mut arguments = Self::default();
        for (name, value) in said {
            let name = name.cast::<PyString>()?.to_str()?;
            let place = match name {
                "user" => &mut arguments.user,
                "client" => &mut arguments.client,
                "database" => &mut arguments.database,
                "tags" => &mut arguments.tags,
                "params" => &mut arguments.params,
                "weight" => {
                    arguments.weight = weight(&value).map_err(|error| named(&value, name, error))?;
                    continue;
                }
                "dialect" | "fakes" if value.is_none() => continue,
                "dialect" => {
                    arguments.dialect = Some(names::dialect(value.py(), read(&value, name)?)?);
                    continue;
                }
                "fakes" => {
                    arguments.fakes = names::fakes(value.py(), read(&value, name)?)?;
                    continue;
                }
                unknown => {
                    let message = format!("{method}() got an unexpected keyword argument '{unknown}'");
                    return Err(PyTypeError::new_err(message));
                }
            };
            *place = (!value.is_none()).then_some(value);
        }
        Ok(arguments)
    }

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
        let (user, client) = (optional(self.user.as_ref(), "user")?, optional(self.client.as_ref(), "client")?);
        let database = optional(self.database.as_ref(), "database")?;
        let tags: Few<_> = self.tags.as_ref().map(mapping).transpose()?.into_iter().flatten().collect();
        let mut read = Few::new();
        for (name, value) in &tags {
            read.push((text(name, "the name of a tag")?, text(value, "the value of a tag")?));
        }
        let params = params(self.params.as_ref())?;
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

/// The text of a keyword.
fn read<'a>(value: &'a Bound<'_, PyAny>, name: &str) -> PyResult<&'a str> {
    value.extract().map_err(|error: PyErr| named(value, name, error))
}

/// An error of a type with the name of the keyword that has the wrong one.
fn named(value: &Bound<'_, PyAny>, name: &str, error: PyErr) -> PyErr {
    let py = value.py();
    if error.is_instance_of::<PyTypeError>(py) {
        return PyTypeError::new_err(format!("argument '{name}': {}", error.value(py)));
    }
    error
}

/// How many executions a statement stands for.
pub(crate) fn weight(value: &Bound<'_, PyAny>) -> PyResult<u32> {
    let read = match value.extract::<u32>() {
        Err(error) if !error.is_instance_of::<PyOverflowError>(value.py()) => return Err(error),
        read => read.ok().filter(|weight| *weight > 0),
    };
    read.ok_or_else(|| crate::error::value(value.py(), format!("weight is from 1 to {}, and not {value}", u32::MAX)))
}

/// Bound parameters in the textual form that a constant in their place would have; none of what has no such form.
pub(crate) fn params(params: Option<&Bound<'_, PyAny>>) -> PyResult<Few<Option<Vec<u8>>>> {
    let mut read = Few::new();
    let Some(params) = params else { return Ok(read) };
    // Either could be read one by one, and would be the letters, or the names.
    if params.is_instance_of::<PyString>() || params.is_instance_of::<PyBytes>() || params.cast::<PyMapping>().is_ok() {
        let message = format!("params are values in the order of their places, and no {}", params.get_type().name()?);
        return Err(PyTypeError::new_err(message));
    }
    for param in params.try_iter()? {
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
