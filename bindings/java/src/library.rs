//! `NativeLibrary`: that this library is the one for the jar.

use crate::answer::LAYOUT;
use crate::array;
use jni_sys::{JNIEnv, jbyteArray, jclass, jintArray, jlong, jobject, jsize};

/// Where a direct buffer is; 0 of any other.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_com_jd_sword_sqlthrottle_NativeLibrary_address(
    env: *mut JNIEnv,
    _: jclass,
    buffer: jobject,
) -> jlong {
    // SAFETY: the caller's promise.
    unsafe { ((**env).v1_4.GetDirectBufferAddress)(env, buffer) as jlong }
}

/// Null where the JVM has no memory for the array, which it says by an exception of its own.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_com_jd_sword_sqlthrottle_NativeLibrary_layout(
    env: *mut JNIEnv,
    _: jclass,
) -> jintArray {
    // SAFETY: the caller's promise; the region is all of the array.
    unsafe {
        let table = &(**env).v1_2;
        let array = (table.NewIntArray)(env, LAYOUT.len() as jsize);
        if !array.is_null() {
            (table.SetIntArrayRegion)(env, array, 0, LAYOUT.len() as jsize, LAYOUT.as_ptr());
        }
        array
    }
}

/// The version of the workspace. Null as above.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_com_jd_sword_sqlthrottle_NativeLibrary_version(
    env: *mut JNIEnv,
    _: jclass,
) -> jbyteArray {
    // SAFETY: the caller's promise.
    unsafe { array::write(env, [env!("CARGO_PKG_VERSION").as_bytes(), &[]]) }
}
