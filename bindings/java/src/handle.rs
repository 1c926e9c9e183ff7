//! What Java holds by a number.
//!
//! A handle is made for one object of Java, which hands it to its own methods alone, and frees it once it is unreachable itself. As the
//! receiver of a native method an object is reachable until that returns, so no handle is freed under a call, and none twice.

use jni_sys::jlong;

/// Hands a value over to Java.
pub(crate) fn new<T: Send + Sync>(value: T) -> jlong {
    Box::into_raw(Box::new(value)) as jlong
}

/// The value of a handle.
///
/// # Safety
///
/// The handle came from [`new`] with the same type, and is not freed during the call.
#[inline]
pub(crate) unsafe fn get<'a, T: Send + Sync>(handle: jlong) -> &'a T {
    // SAFETY: the caller's promise.
    unsafe { &*(handle as *const T) }
}

/// Takes a value back.
///
/// # Safety
///
/// The handle came from [`new`] with the same type, and nothing uses it any more.
pub(crate) unsafe fn free<T: Send + Sync>(handle: jlong) {
    // SAFETY: the caller's promise.
    let value = unsafe { Box::from_raw(handle as *mut T) };
    crate::guard::quietly(|| drop(value));
}
