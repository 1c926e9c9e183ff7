//! How the native module is linked, and for which kind of interpreter.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // What is there with a GIL alone asks for it.
    pyo3_build_config::use_pyo3_cfgs();
    let os = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    let arguments: &[&str] = match os.as_str() {
        // Half of the wheel would be symbols. Said here, and not to maturin, because that would have every crate built again.
        "linux" => &["-Wl,--strip-all"],
        // What the interpreter has is found when the module is loaded.
        "macos" => &["-undefined", "dynamic_lookup"],
        _ => &[],
    };
    for argument in arguments {
        println!("cargo::rustc-cdylib-link-arg={argument}");
    }
}
