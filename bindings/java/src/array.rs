//! Arrays of bytes, in and out.

use jni_sys::{JNIEnv, jbyteArray, jsize};
use smallvec::SmallVec;
use std::ptr;

/// Room for the bytes of an array. Most texts and contexts need no memory for it.
pub(crate) type Room = SmallVec<[u8; 1024]>;

/// Copies an array, so that the JVM may move it meanwhile; none for null.
///
/// # Safety
///
/// The environment is that of the calling thread, and the array null or one of bytes.
#[inline]
pub(crate) unsafe fn read(env: *mut JNIEnv, array: jbyteArray, room: &mut Room) -> Option<&[u8]> {
    if array.is_null() {
        return None;
    }
    // SAFETY: the caller's promise; the region is all of the array, and `room` has space for it.
    unsafe {
        let table = &(**env).v1_2;
        let length = (table.GetArrayLength)(env, array);
        let bytes = usize::try_from(length).unwrap_or(0);
        room.clear();
        room.reserve(bytes);
        (table.GetByteArrayRegion)(env, array, 0, length, room.as_mut_ptr().cast());
        room.set_len(bytes);
    }
    Some(room)
}

/// Makes an array of two parts. Null where the JVM has no memory for it, which it says by an exception of its own.
///
/// # Safety
///
/// The environment is that of the calling thread.
pub(crate) unsafe fn write(env: *mut JNIEnv, parts: [&[u8]; 2]) -> jbyteArray {
    let length = jsize::try_from(parts[0].len() + parts[1].len());
    // More than an array of Java holds is written as far as it does: no engine has so much to say.
    let length = length.unwrap_or(jsize::MAX);
    // SAFETY: the caller's promise; each region is within the array.
    unsafe {
        let table = &(**env).v1_2;
        let array = (table.NewByteArray)(env, length);
        if array.is_null() {
            return ptr::null_mut();
        }
        let mut start = 0;
        for part in parts {
            let part_length = jsize::try_from(part.len()).unwrap_or(jsize::MAX).min(length - start);
            (table.SetByteArrayRegion)(env, array, start, part_length, part.as_ptr().cast());
            start += part_length;
        }
        array
    }
}
