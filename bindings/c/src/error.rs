//! Errors, and the last one of each thread.

use crate::output::fits;
use crate::status::sqlthrottle_status_t::{
    self, SQLTHROTTLE_ERROR_BUFFER, SQLTHROTTLE_ERROR_NULL, SQLTHROTTLE_ERROR_PANIC, SQLTHROTTLE_ERROR_REFUSED,
    SQLTHROTTLE_ERROR_UNKNOWN, SQLTHROTTLE_OK,
};
use sqlthrottle::LoadError;
use std::cell::RefCell;
use std::ffi::c_char;
use std::fmt::Display;
use std::ptr;

/// Why a call did nothing.
#[derive(Debug)]
pub(crate) struct Error(Box<Told>);

#[derive(Debug)]
struct Told {
    status: sqlthrottle_status_t,
    /// Of each fault its code.
    codes: Vec<&'static str>,
    message: String,
}

pub(crate) type Result<T> = std::result::Result<T, Error>;

impl Error {
    #[cold]
    pub(crate) fn new(status: sqlthrottle_status_t, message: impl Display) -> Self {
        Self(Box::new(Told { status, codes: vec![status.code()], message: message.to_string() }))
    }

    #[cold]
    pub(crate) fn null(argument: &str) -> Self {
        Self::new(SQLTHROTTLE_ERROR_NULL, format_args!("{argument} is NULL"))
    }

    #[cold]
    pub(crate) fn panicked() -> Self {
        let message = "the library has failed, which is a fault of it; where and why was written to stderr";
        Self::new(SQLTHROTTLE_ERROR_PANIC, message)
    }
}

impl From<LoadError> for Error {
    fn from(error: LoadError) -> Self {
        let mut codes: Vec<_> = error.faults().iter().map(|fault| fault.code).collect();
        if codes.is_empty() {
            codes.push("file.unreadable");
        }
        Self(Box::new(Told { status: SQLTHROTTLE_ERROR_REFUSED, codes, message: error.to_string() }))
    }
}

thread_local! {
    // Dropped with its thread, so the library has to stay in memory as long as there are threads: it is linked with
    // `-z nodelete`.
    static LAST: RefCell<Option<Error>> = const { RefCell::new(None) };
}

/// Keeps an error for whoever asks next in this thread. Where the thread is about to end, nobody will.
#[cold]
pub(crate) fn keep(error: Error) -> sqlthrottle_status_t {
    let status = error.0.status;
    let _ = LAST.try_with(|last| last.replace(Some(error)));
    status
}

/// What the last error of this thread says of itself; none where there is none.
fn last<T>(read: impl FnOnce(&Told) -> T) -> Option<T> {
    LAST.try_with(|last| last.borrow().as_ref().map(|Error(told)| read(told))).ok().flatten()
}

/// How many faults the last error of this thread has: several where a rule file has several, 0 where no call has failed.
///
/// A call that succeeds leaves the last error as it is.
#[unsafe(no_mangle)]
pub extern "C" fn sqlthrottle_last_error_count() -> usize {
    last(|told| told.codes.len()).unwrap_or(0)
}

/// Writes the code of a fault of the last error of this thread into a buffer, as text that ends with NUL.
///
/// A code is stable and the same in every language: `rule.limit.missing`. `fault` counts from 0. `needed`, unless NULL, is
/// told the bytes of the code with its NUL.
///
/// Returns SQLTHROTTLE_ERROR_UNKNOWN where there is no such fault, SQLTHROTTLE_ERROR_BUFFER where `capacity` is less than
/// `needed`: then what fits is written, with its NUL. Neither becomes the last error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sqlthrottle_last_error_code(
    fault: usize,
    buffer: *mut c_char,
    capacity: usize,
    needed: *mut usize,
) -> sqlthrottle_status_t {
    match last(|told| told.codes.get(fault).copied()).flatten() {
        // SAFETY: the caller's promise.
        Some(code) => unsafe { tell(code, buffer, capacity, needed) },
        None => SQLTHROTTLE_ERROR_UNKNOWN,
    }
}

/// Writes what the last error of this thread says into a buffer, as text that ends with NUL: of rules every fault on a line of its
/// own, with its place, what was found, what would be right and its code; an empty text where no call has failed.
///
/// `needed`, unless NULL, is told the bytes of the text with its NUL.
///
/// Returns SQLTHROTTLE_ERROR_BUFFER where `capacity` is less than `needed`: then what fits of the text is written, with its NUL. That
/// does not become the last error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sqlthrottle_last_error_message(
    buffer: *mut c_char,
    capacity: usize,
    needed: *mut usize,
) -> sqlthrottle_status_t {
    // SAFETY: the caller's promise.
    unsafe {
        last(|told| tell(&told.message, buffer, capacity, needed)).unwrap_or_else(|| tell("", buffer, capacity, needed))
    }
}

/// Tells of the last error without becoming it.
///
/// # Safety
///
/// As for [`fits`].
unsafe fn tell(text: &str, buffer: *mut c_char, capacity: usize, needed: *mut usize) -> sqlthrottle_status_t {
    // SAFETY: the caller's promise.
    if unsafe { fits(text.as_bytes(), buffer, capacity, needed) } {
        return SQLTHROTTLE_OK;
    }
    // The beginning of what went wrong is better than nothing, for a caller who looks no further.
    let beginning = beginning(text, capacity.saturating_sub(1));
    // SAFETY: the caller's promise.
    unsafe { fits(beginning.as_bytes(), buffer, capacity, ptr::null_mut()) };
    SQLTHROTTLE_ERROR_BUFFER
}

/// At most so many bytes of a text, and no part of a character.
fn beginning(text: &str, bytes: usize) -> &str {
    let end = (0..=bytes.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    &text[..end.unwrap_or(0)]
}
