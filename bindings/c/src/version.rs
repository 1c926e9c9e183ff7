//! Which library this is.

use std::ffi::c_char;

/// The version of this interface. It grows with every change of the header, and `sqlthrottle_abi_version()` tells it of the library
/// that is loaded: a program may call what was there in the version that it was compiled with.
pub const SQLTHROTTLE_ABI_VERSION: u32 = 1;

/// The version of the interface that the loaded library has, to be compared with SQLTHROTTLE_ABI_VERSION, that of the header:
/// a library works with every program whose header has its version or a lower one.
#[unsafe(no_mangle)]
pub extern "C" fn sqlthrottle_abi_version() -> u32 {
    SQLTHROTTLE_ABI_VERSION
}

/// The version of the library, such as `0.1.0`: a text that ends with NUL, never to be freed.
#[unsafe(no_mangle)]
pub extern "C" fn sqlthrottle_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}
