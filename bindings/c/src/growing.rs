//! Structs that begin with their size, so that they may grow.

use crate::error::{Error, Result};
use crate::status::sqlthrottle_status_t::SQLTHROTTLE_ERROR_SIZE;

/// A struct whose first field is its size in bytes, as the caller knows it.
///
/// It ends where its last field does, and has no holes: a program need not set padding, and a field that is added must not lie where
/// an older one has some. Later versions have further fields at the end, for which zero means what was so before there was the field.
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
        "the size of {name} is {size}, which is none of any version: the first has {}; set it to `sizeof` before the call",
        T::FIRST_SIZE,
    );
    Error::new(SQLTHROTTLE_ERROR_SIZE, message)
}

/// A struct as a later version might have it, and as it was.
#[cfg(test)]
pub(crate) mod grown {
    use super::Growing;
    use std::mem::offset_of;

    #[repr(C)]
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub(crate) struct Grown {
        pub(crate) size: usize,
        pub(crate) first: u32,
        pub(crate) second: u32,
        /// Of the second version.
        pub(crate) added: u64,
    }

    #[repr(C)]
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub(crate) struct Former {
        pub(crate) size: usize,
        pub(crate) first: u32,
        pub(crate) second: u32,
    }

    /// What comes after it in the memory of a program that knows the former version.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) struct Placed<T> {
        pub(crate) given: T,
        pub(crate) beyond: [u8; 64],
    }

    // SAFETY: it begins with its size; the others are numbers.
    unsafe impl Growing for Grown {
        const FIRST_SIZE: usize = offset_of!(Self, added);
    }
}

#[cfg(test)]
mod tests {
    use super::grown::{Former, Grown};
    use super::*;
    use std::ptr;

    fn checked(size: usize) -> Option<usize> {
        let given = Grown { size, ..Grown::default() };
        // SAFETY: a size is there.
        unsafe { check_size(&raw const given, "it") }.ok()
    }

    #[test]
    fn a_size_is_that_of_a_version_or_a_larger_one() {
        let (former, ours) = (size_of::<Former>(), size_of::<Grown>());
        for size in [0, 1, former - 1, MAX_SIZE + 1, usize::MAX, 0xaaaa_aaaa_aaaa_aaaa_u64 as usize] {
            assert_eq!(checked(size), None, "{size}");
        }
        for size in [former, ours, ours + 8, MAX_SIZE] {
            assert_eq!(checked(size), Some(size));
        }
        // SAFETY: NULL is refused.
        assert!(unsafe { check_size::<Grown>(ptr::null(), "it") }.is_err());
    }
}
