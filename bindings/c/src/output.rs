//! What goes out: structs that may grow, texts and single values.

use crate::error::{Error, Result};
use crate::growing::{Growing, check_size};
use crate::status::sqlthrottle_status_t::{self, SQLTHROTTLE_ERROR_BUFFER, SQLTHROTTLE_OK};
use std::ffi::{CString, c_char};
use std::mem::MaybeUninit;
use std::{cmp, ptr};

/// A struct of the caller's, to be filled.
pub(crate) struct Out<T> {
    pub(crate) to: *mut T,
    size: usize,
}

impl<T: Growing> Out<T> {
    /// # Safety
    ///
    /// The pointer is NULL, or as many bytes may be written there as the size at its beginning says.
    #[inline]
    pub(crate) unsafe fn of(to: *mut T, name: &str) -> Result<Self> {
        // SAFETY: the caller's promise.
        let size = unsafe { check_size(to, name) }?;
        Ok(Self { to, size })
    }

    /// Has the struct filled, all of it but its size. To one that the caller knows in an older version goes what that
    /// version has; what a newer version has beyond ours is zero.
    #[inline]
    pub(crate) fn fill(&mut self, fill: impl FnOnce(*mut T)) {
        if self.size >= size_of::<T>() {
            fill(self.to);
            let beyond = self.size - size_of::<T>();
            if beyond != 0 {
                // SAFETY: as many bytes are there.
                unsafe { self.to.cast::<u8>().add(size_of::<T>()).write_bytes(0, beyond) };
            }
        } else {
            let mut whole = MaybeUninit::zeroed();
            fill(whole.as_mut_ptr());
            let beyond = size_of::<usize>();
            // SAFETY: both have so many bytes, and one is a local.
            unsafe {
                let (from, to) = (whole.as_ptr().cast::<u8>(), self.to.cast::<u8>());
                ptr::copy_nonoverlapping(from.add(beyond), to.add(beyond), self.size - beyond);
            }
        }
    }
}

/// Writes a value where the caller wants one.
///
/// # Safety
///
/// The pointer is NULL, or a value may be written there.
pub(crate) unsafe fn put_if_wanted<T>(to: *mut T, value: T) {
    if !to.is_null() {
        // SAFETY: the caller's promise.
        unsafe { to.write(value) };
    }
}

/// The place of a value that the caller has to want.
pub(crate) fn wanted<T>(to: *mut T, name: &str) -> Result<*mut T> {
    if to.is_null() { Err(Error::null(name)) } else { Ok(to) }
}

/// The place of a pointer that the caller has to want: NULL until it is known, so that it may be freed whatever comes.
///
/// # Safety
///
/// It is NULL, or a pointer may be written there.
pub(crate) unsafe fn cleared<T>(to: *mut *mut T, name: &str) -> Result<*mut *mut T> {
    let to = wanted(to, name)?;
    // SAFETY: the caller's promise.
    unsafe { to.write(ptr::null_mut()) };
    Ok(to)
}

/// Writes a text and a NUL behind it into a buffer, and says how long it has to be. False where that is too short, and nothing is
/// written.
///
/// # Safety
///
/// So many bytes may be written to the buffer, and to `needed` a value unless it is NULL.
pub(crate) unsafe fn fits(text: &[u8], buffer: *mut c_char, capacity: usize, needed: *mut usize) -> bool {
    // SAFETY: the caller's promise.
    unsafe { put_if_wanted(needed, text.len() + 1) };
    if buffer.is_null() || capacity <= text.len() {
        return false;
    }
    // SAFETY: there is room for the text and the NUL.
    unsafe {
        ptr::copy_nonoverlapping(text.as_ptr().cast(), buffer, text.len());
        buffer.add(text.len()).write(0);
    }
    true
}

/// The same, with an error where the buffer is too short.
///
/// # Safety
///
/// As for [`fits`].
pub(crate) unsafe fn put_text(
    text: &[u8],
    buffer: *mut c_char,
    capacity: usize,
    needed: *mut usize,
) -> Result<sqlthrottle_status_t> {
    // SAFETY: the caller's promise.
    if unsafe { fits(text, buffer, capacity, needed) } {
        return Ok(SQLTHROTTLE_OK);
    }
    let capacity = if buffer.is_null() { 0 } else { capacity };
    let message = format_args!("the buffer has room for {capacity} bytes, and {} are needed", text.len() + 1);
    Err(Error::new(SQLTHROTTLE_ERROR_BUFFER, message))
}

/// Writes a text into a field of a struct, with a NUL behind it; of one that is too long, as none is that rules may have, the
/// bytes for which there is room.
///
/// # Safety
///
/// The field may be written.
#[inline]
pub(crate) unsafe fn put_field<const SIZE: usize>(text: &str, field: *mut [c_char; SIZE]) {
    let length = cmp::min(text.len(), SIZE - 1);
    // SAFETY: there is room for so much and a NUL.
    unsafe {
        ptr::copy_nonoverlapping(text.as_ptr().cast::<c_char>(), field.cast(), length);
        field.cast::<c_char>().add(length).write(0);
    }
}

/// Hands a text to the caller, who gives it back to `sqlthrottle_string_free()`.
///
/// # Safety
///
/// `text` may be written, and `length` unless it is NULL.
pub(crate) unsafe fn hand_out(
    content: String,
    text: *mut *mut c_char,
    length: *mut usize,
) -> Result<sqlthrottle_status_t> {
    // SAFETY: the caller's promise.
    let text = unsafe { cleared(text, "the place of the text") }?;
    let content = CString::new(content).or_else(|error| {
        // A NUL in a name that people have chosen ends the text for C, so it is shown as what it is.
        CString::new(String::from_utf8_lossy(&error.into_vec()).replace('\0', "\u{fffd}"))
    });
    let content = content.unwrap_or_default();
    // SAFETY: the caller's promise.
    unsafe {
        put_if_wanted(length, content.as_bytes().len());
        text.write(content.into_raw());
    }
    Ok(SQLTHROTTLE_OK)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::growing::grown::{Former, Grown, Placed};
    use std::ffi::CStr;

    fn filled<T>(placed: &mut T) {
        // SAFETY: what is there may be written as far as it says.
        let mut out = unsafe { Out::of(ptr::from_mut(placed).cast::<Grown>(), "it") }.unwrap();
        out.fill(|to| {
            // SAFETY: all of it may be written.
            unsafe { (&raw mut (*to).first).write(1) };
            // SAFETY: as above.
            unsafe { (&raw mut (*to).second).write(2) };
            // SAFETY: as above.
            unsafe { (&raw mut (*to).added).write(3) };
        });
    }

    #[test]
    fn an_older_program_is_told_what_it_knows_and_nothing_is_written_beyond() {
        let size = size_of::<Former>();
        let mut placed = Placed { given: Former { size, ..Former::default() }, beyond: [0xaa; 64] };
        filled(&mut placed);
        assert_eq!(placed, Placed { given: Former { size, first: 1, second: 2 }, beyond: [0xaa; 64] });
    }

    #[test]
    fn a_newer_program_is_told_nothing_of_what_it_alone_knows() {
        let size = size_of::<Grown>() + 32;
        let mut placed = Placed { given: Grown { size, ..Grown::default() }, beyond: [0xaa; 64] };
        filled(&mut placed);
        let beyond = std::array::from_fn(|i| if i < 32 { 0 } else { 0xaa });
        assert_eq!(placed, Placed { given: Grown { size, first: 1, second: 2, added: 3 }, beyond });
    }

    #[test]
    fn a_text_of_a_field_ends_within_it() {
        let mut field: [c_char; 4] = [1; 4];
        let text = |field: &[c_char; 4]| {
            // SAFETY: it ends with NUL, or the test has failed already.
            unsafe { CStr::from_ptr(field.as_ptr()) }.to_owned()
        };
        // SAFETY: the field may be written.
        unsafe { put_field("ab", &raw mut field) };
        assert_eq!((field[2], field[3]), (0, 1), "no more is written than the text and its NUL");
        assert_eq!(text(&field), c"ab".to_owned());
        // SAFETY: as above.
        unsafe { put_field("abcdef", &raw mut field) };
        assert_eq!(field[3], 0);
        assert_eq!(text(&field), c"abc".to_owned());
        // SAFETY: as above.
        unsafe { put_field("", &raw mut field) };
        assert_eq!(field[0], 0);
    }
}
