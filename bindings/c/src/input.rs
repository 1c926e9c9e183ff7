//! What comes in: pointers with lengths, and structs that may grow.

use crate::error::{Error, Result};
use crate::growing::{Growing, check_size};
use crate::status::sqlthrottle_status_t::{SQLTHROTTLE_ERROR_SIZE, SQLTHROTTLE_ERROR_VALUE};
use std::ffi::c_char;
use std::mem::MaybeUninit;
use std::ops::Deref;
use std::{ptr, slice};

/// A struct of the caller's, as this version knows it.
pub(crate) enum In<'a, T> {
    /// Of this version or a newer one.
    Whole(&'a T),
    /// Of an older version, with zero for what that has not.
    Older(T),
}

impl<T: Growing> In<'_, T> {
    /// # Safety
    ///
    /// The pointer is NULL, or the struct there is as long as it says at its beginning.
    #[inline]
    pub(crate) unsafe fn of(from: *const T, name: &str) -> Result<Self> {
        // SAFETY: the caller's promise.
        let size = unsafe { check_size(from, name) }?;
        if size >= size_of::<T>() {
            // SAFETY: so many bytes are there.
            let beyond = unsafe { slice::from_raw_parts(from.cast::<u8>().add(size_of::<T>()), size - size_of::<T>()) };
            if beyond.iter().any(|byte| *byte != 0) {
                return Err(newer(name));
            }
            // SAFETY: it is there, and lives as long as the call.
            return Ok(Self::Whole(unsafe { &*from }));
        }
        let mut whole: MaybeUninit<T> = MaybeUninit::zeroed();
        // SAFETY: both have so many bytes; all zero are a value, and so are they with those of an older version.
        unsafe {
            ptr::copy_nonoverlapping(from.cast::<u8>(), whole.as_mut_ptr().cast::<u8>(), size);
            Ok(Self::Older(whole.assume_init()))
        }
    }

    /// The same of a struct that may be left out.
    ///
    /// # Safety
    ///
    /// As for [`of`](Self::of).
    #[inline]
    pub(crate) unsafe fn if_given(from: *const T, name: &str) -> Result<Option<Self>> {
        // SAFETY: the caller's promise.
        if from.is_null() { Ok(None) } else { unsafe { Self::of(from, name) }.map(Some) }
    }
}

impl<T> Deref for In<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        match self {
            Self::Whole(whole) => whole,
            Self::Older(older) => older,
        }
    }
}

#[cold]
fn newer(name: &str) -> Error {
    let message = format_args!(
        "{name} sets a field that this version of the library does not know; compare sqlthrottle_abi_version() with SQLTHROTTLE_ABI_VERSION",
    );
    Error::new(SQLTHROTTLE_ERROR_SIZE, message)
}

/// The bytes at a pointer. NULL with no length stands for no bytes.
///
/// # Safety
///
/// So many bytes are there, and stay as they are during the call.
#[inline]
pub(crate) unsafe fn bytes<'a>(from: *const c_char, length: usize, name: &str) -> Result<&'a [u8]> {
    // SAFETY: the caller's promise.
    unsafe { items(from.cast(), length, name) }
}

/// The items at a pointer. NULL with no length stands for none.
///
/// # Safety
///
/// So many items are there, and stay as they are during the call.
#[inline]
pub(crate) unsafe fn items<'a, T>(from: *const T, length: usize, name: &str) -> Result<&'a [T]> {
    if from.is_null() {
        return if length == 0 { Ok(&[]) } else { Err(Error::null(name)) };
    }
    if length > isize::MAX as usize / size_of::<T>() {
        return Err(value(format_args!("the length of {name} is {length}, which is more than there can be")));
    }
    // SAFETY: the caller's promise; an address space holds so much.
    Ok(unsafe { slice::from_raw_parts(from, length) })
}

/// A value that is out of its range.
#[cold]
pub(crate) fn value(message: std::fmt::Arguments<'_>) -> Error {
    Error::new(SQLTHROTTLE_ERROR_VALUE, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::growing::grown::{Former, Grown, Placed};

    fn read<T>(given: &T) -> Result<Grown> {
        // SAFETY: what is there is as long as it says, or refused by its size.
        unsafe { In::of(ptr::from_ref(given).cast::<Grown>(), "it") }.map(|given| *given)
    }

    #[test]
    fn what_an_older_program_does_not_know_is_zero() {
        let given = Former { size: size_of::<Former>(), first: 1, second: 2 };
        let placed = Placed { given, beyond: [0xaa; 64] };
        let expected = Grown { size: given.size, first: 1, second: 2, added: 0 };
        assert_eq!(read(&placed).unwrap(), expected);
    }

    #[test]
    fn what_a_newer_program_sets_is_refused_and_what_it_leaves_zero_is_not() {
        let size = size_of::<Placed<Grown>>();
        let given = Grown { size, first: 1, second: 2, added: 3 };
        let mut placed = Placed { given, beyond: [0; 64] };
        assert_eq!(read(&placed).unwrap(), given);
        for last in [0, 63] {
            placed.beyond = [0; 64];
            placed.beyond[last] = 1;
            assert!(read(&placed).is_err());
        }
    }
}
