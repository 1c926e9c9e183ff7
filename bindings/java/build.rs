//! How the native library is linked.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux") {
        // A JVM unloads the library with the class loader that has loaded it; what threads keep of it is dropped when they end, which
        // may be later.
        println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    }
}
