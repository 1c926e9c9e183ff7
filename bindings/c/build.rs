//! How the shared library is linked.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let os = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    if os == "linux" {
        // Programs look for this name when they start: it changes when an older program can no longer be served.
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libsqlthrottle.so.0");
        // The last error of a thread is dropped when the thread ends, which may be after `dlclose`.
        println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    }
    if os == "macos" {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-install_name,@rpath/libsqlthrottle.0.dylib");
    }
}
