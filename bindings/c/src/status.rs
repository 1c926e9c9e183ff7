//! What every function that can fail returns.

use std::ffi::c_char;

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

impl sqlthrottle_status_t {
    /// The code of an error that has no other, as sqlthrottle_last_error_code() writes it.
    pub(crate) const fn code(self) -> &'static str {
        match self {
            Self::SQLTHROTTLE_OK => "ok",
            Self::SQLTHROTTLE_NOTHING => "nothing",
            Self::SQLTHROTTLE_ERROR_NULL => "argument.null",
            Self::SQLTHROTTLE_ERROR_SIZE => "argument.size",
            Self::SQLTHROTTLE_ERROR_VALUE => "argument.value",
            Self::SQLTHROTTLE_ERROR_FREED => "argument.freed",
            Self::SQLTHROTTLE_ERROR_BUFFER => "argument.buffer",
            Self::SQLTHROTTLE_ERROR_REFUSED => "rules.refused",
            Self::SQLTHROTTLE_ERROR_UNKNOWN => "argument.unknown",
            Self::SQLTHROTTLE_ERROR_PANIC => "panic",
        }
    }
}

/// The name of a status, such as `SQLTHROTTLE_ERROR_NULL`: a text that ends with NUL, never to be freed; `unknown` of a number that
/// is none.
#[unsafe(no_mangle)]
pub extern "C" fn sqlthrottle_status_name(status: i32) -> *const c_char {
    let name = match status {
        0 => c"SQLTHROTTLE_OK",
        1 => c"SQLTHROTTLE_NOTHING",
        -1 => c"SQLTHROTTLE_ERROR_NULL",
        -2 => c"SQLTHROTTLE_ERROR_SIZE",
        -3 => c"SQLTHROTTLE_ERROR_VALUE",
        -4 => c"SQLTHROTTLE_ERROR_FREED",
        -5 => c"SQLTHROTTLE_ERROR_BUFFER",
        -6 => c"SQLTHROTTLE_ERROR_REFUSED",
        -7 => c"SQLTHROTTLE_ERROR_UNKNOWN",
        -8 => c"SQLTHROTTLE_ERROR_PANIC",
        _ => c"unknown",
    };
    name.as_ptr()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CStr;

    #[test]
    fn a_status_is_called_as_the_header_calls_it() {
        use sqlthrottle_status_t::*;
        for status in [
            SQLTHROTTLE_OK,
            SQLTHROTTLE_NOTHING,
            SQLTHROTTLE_ERROR_NULL,
            SQLTHROTTLE_ERROR_SIZE,
            SQLTHROTTLE_ERROR_VALUE,
            SQLTHROTTLE_ERROR_FREED,
            SQLTHROTTLE_ERROR_BUFFER,
            SQLTHROTTLE_ERROR_REFUSED,
            SQLTHROTTLE_ERROR_UNKNOWN,
            SQLTHROTTLE_ERROR_PANIC,
        ] {
            // SAFETY: a text that ends with NUL.
            let name = unsafe { CStr::from_ptr(sqlthrottle_status_name(status as i32)) };
            assert_eq!(name.to_str(), Ok(format!("{status:?}").as_str()));
        }
    }
}
