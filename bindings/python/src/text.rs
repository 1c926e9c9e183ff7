//! Texts as Python has them, and as the engine takes them: bytes.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};
use std::borrow::Cow;

/// What half of a surrogate pair becomes, as it has no UTF-8: the replacement character, which takes as many bytes as the half would.
const REPLACEMENT: &[u8; 3] = "\u{fffd}".as_bytes().first_chunk().unwrap();

/// The bytes of a `str`, which keeps its UTF-8, or of a `bytes`; what `name` says is for the exception.
#[inline]
pub(crate) fn text<'a>(object: &'a Bound<'_, PyAny>, name: &str) -> PyResult<Cow<'a, [u8]>> {
    if let Ok(text) = object.cast::<PyString>() {
        return of_str(text);
    }
    match object.cast::<PyBytes>() {
        Ok(bytes) => Ok(Cow::Borrowed(bytes.as_bytes())),
        Err(_) => Err(wrong(object, name)),
    }
}

/// The bytes of a text that may be missing.
#[inline]
pub(crate) fn optional<'a>(object: Option<&'a Bound<'_, PyAny>>, name: &str) -> PyResult<Option<Cow<'a, [u8]>>> {
    object.map(|object| text(object, name)).transpose()
}

/// Any mapping as a dictionary.
pub(crate) fn mapping<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
    match object.cast::<PyDict>() {
        Ok(known) => Ok(known.clone()),
        Err(_) => Ok(object.py().get_type::<PyDict>().call1((object,))?.cast_into()?),
    }
}

/// The text as a string; bytes that are no UTF-8 are replaced.
pub(crate) fn string(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

#[cold]
fn wrong(object: &Bound<'_, PyAny>, name: &str) -> PyErr {
    let is = object.get_type().name().map_or_else(|_| "something else".to_owned(), |name| name.to_string());
    PyTypeError::new_err(format!("{name} must be str or bytes, not {is}"))
}

#[inline]
pub(crate) fn of_str<'a>(text: &'a Bound<'_, PyString>) -> PyResult<Cow<'a, [u8]>> {
    match text.to_str() {
        Ok(text) => Ok(Cow::Borrowed(text.as_bytes())),
        Err(_) => replaced(text).map(Cow::Owned),
    }
}

#[cold]
fn replaced(text: &Bound<'_, PyString>) -> PyResult<Vec<u8>> {
    let encoded = text.call_method1("encode", ("utf-8", "surrogatepass"))?;
    let mut bytes = encoded.cast::<PyBytes>()?.as_bytes().to_vec();
    let mut place = 0;
    while let Some(found) = bytes.get(place..place + 3) {
        // No other character begins so and goes on so.
        if found[0] == 0xed && found[1] >= 0xa0 {
            bytes[place..place + 3].copy_from_slice(REPLACEMENT);
            place += 3;
        } else {
            place += 1;
        }
    }
    Ok(bytes)
}
