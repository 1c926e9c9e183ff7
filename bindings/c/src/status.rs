//! What every function that can fail returns.

use std::ffi::{CStr, c_char};

/// What became of a call. Zero is success; below zero nothing was done, and sqlthrottle_last_error_message() says why.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum sqlthrottle_status_t {
    /// Done.
    SQLTHROTTLE_OK = 0,
    /// Nothing was to be done: the permit was released before or its lease had lapsed, or the file has not changed. Not an error.
    SQLTHROTTLE_NOTHING = 1,
    /// A pointer is NULL that must not be.
    SQLTHROTTLE_ERROR_NULL = -1,
    /// The `size` of a struct is shorter than any version of it, or it says something that this version does not know.
    SQLTHROTTLE_ERROR_SIZE = -2,
    /// A value is out of its range.
    SQLTHROTTLE_ERROR_VALUE = -3,
    /// The handle has been freed.
    SQLTHROTTLE_ERROR_FREED = -4,
    /// The buffer is too short; how long it has to be has been written.
    SQLTHROTTLE_ERROR_BUFFER = -5,
    /// Rules, a threshold or an admin statement were refused: what was in force before stays in force.
    SQLTHROTTLE_ERROR_REFUSED = -6,
    /// There is nothing of that number.
    SQLTHROTTLE_ERROR_UNKNOWN = -7,
    /// The library itself has failed, which is a fault of it. Whether the call has done its work is not known. The library is whole
    /// and may be called again.
    SQLTHROTTLE_ERROR_PANIC = -8,
}

/// Statuses, each with its name, and for errors the code of one that has no other.
const STATUSES: [(sqlthrottle_status_t, &CStr, &str); 10] = [
    (sqlthrottle_status_t::SQLTHROTTLE_OK, c"SQLTHROTTLE_OK", ""),
    (sqlthrottle_status_t::SQLTHROTTLE_NOTHING, c"SQLTHROTTLE_NOTHING", ""),
    (sqlthrottle_status_t::SQLTHROTTLE_ERROR_NULL, c"SQLTHROTTLE_ERROR_NULL", "argument.null"),
    (sqlthrottle_status_t::SQLTHROTTLE_ERROR_SIZE, c"SQLTHROTTLE_ERROR_SIZE", "argument.size"),
    (sqlthrottle_status_t::SQLTHROTTLE_ERROR_VALUE, c"SQLTHROTTLE_ERROR_VALUE", "argument.value"),
    (sqlthrottle_status_t::SQLTHROTTLE_ERROR_FREED, c"SQLTHROTTLE_ERROR_FREED", "argument.freed"),
    (sqlthrottle_status_t::SQLTHROTTLE_ERROR_BUFFER, c"SQLTHROTTLE_ERROR_BUFFER", "argument.buffer"),
    (sqlthrottle_status_t::SQLTHROTTLE_ERROR_REFUSED, c"SQLTHROTTLE_ERROR_REFUSED", "rules.refused"),
    (sqlthrottle_status_t::SQLTHROTTLE_ERROR_UNKNOWN, c"SQLTHROTTLE_ERROR_UNKNOWN", "argument.unknown"),
    (sqlthrottle_status_t::SQLTHROTTLE_ERROR_PANIC, c"SQLTHROTTLE_ERROR_PANIC", "panic"),
];

impl sqlthrottle_status_t {
    /// The code of an error that has no other, as sqlthrottle_last_error_code() writes it.
    pub(crate) fn code(self) -> &'static str {
        STATUSES.iter().find(|(known, ..)| *known == self).map_or("", |(.., code)| code)
    }
}

/// The name of a status, such as `SQLTHROTTLE_ERROR_NULL`: a text that ends with NUL, never to be freed; `unknown` of a number that
/// is none.
#[unsafe(no_mangle)]
pub extern "C" fn sqlthrottle_status_name(status: i32) -> *const c_char {
    STATUSES.iter().find(|(known, ..)| *known as i32 == status).map_or(c"unknown", |(_, name, _)| name).as_ptr()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_called_as_the_header_calls_it() {
        for (status, name, code) in STATUSES {
            assert_eq!(name.to_str(), Ok(format!("{status:?}").as_str()));
            assert_eq!((status as i32) < 0, !code.is_empty(), "{status:?}");
            // SAFETY: a text that ends with NUL.
            assert_eq!(unsafe { CStr::from_ptr(sqlthrottle_status_name(status as i32)) }, name);
        }
    }
}
