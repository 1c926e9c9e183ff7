//! Structs that begin with their size, so that they may grow.

use crate::error::{Error, Result};
use crate::status::sqlthrottle_status_t::SQLTHROTTLE_ERROR_SIZE;

/// A struct whose first field is its size in bytes, as the caller knows it.
///
/// Later versions have further fields at the end, for which zero means what was so before there was the field.
///
/// # Safety
///
/// It is `repr(C)`, its first field is a `usize`, and all bytes zero are a value of it.
pub(crate) unsafe trait Growing: Sized {
    /// Its size in the first version of the interface: `size_of::<Self>()` until a field is added, then the offset of that.
    const FIRST_SIZE: usize;
}

/// More bytes than any version will have: a larger size is one that was never set.
const MAX_SIZE: usize = 4096;

/// The size of a struct of the caller's.
///
/// # Safety
///
/// The pointer is NULL, or a `usize` is there.
#[inline]
pub(crate) unsafe fn check_size<T: Growing>(of: *const T, name: &str) -> Result<usize> {
    if of.is_null() {
        return Err(Error::null(name));
    }
    // SAFETY: the size comes first.
    let size = unsafe { of.cast::<usize>().read() };
    if size >= T::FIRST_SIZE && size <= MAX_SIZE { Ok(size) } else { Err(wrong_size::<T>(size, name)) }
}

#[cold]
fn wrong_size<T: Growing>(size: usize, name: &str) -> Error {
    let message = format_args!(
        "the size of {name} is {size}, and that of its first version {}; set it to `sizeof` before the call",
        T::FIRST_SIZE,
    );
    Error::new(SQLTHROTTLE_ERROR_SIZE, message)
}
