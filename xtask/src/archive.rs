//! The static library, with no symbols to be seen but those of the header.
//!
//! An archive as rustc makes it carries Rust's own library with all its symbols, so a program that links two of them, of two compilers or
//! of one, has some twice. Here its objects become one, in which all but the functions of the header are local.

use crate::Result;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Makes of an archive another beside it in which these functions are the only symbols that a linker sees, and tells its path.
///
/// On Linux, with GNU ld, objcopy and ar, or what LD, OBJCOPY and AR name. Elsewhere it is the archive itself.
pub(crate) fn of_public_symbols(archive: &Path, functions: &[String]) -> Result<PathBuf> {
    if !cfg!(target_os = "linux") {
        return Ok(archive.to_owned());
    }
    if !archive.is_file() {
        return Err(format!("{}: no such file; `make c-library` builds it", archive.display()).into());
    }
    let object = archive.with_file_name("libsqlthrottle.o");
    let symbols = archive.with_file_name("libsqlthrottle.symbols");
    let made = archive.with_file_name("libsqlthrottle.a");
    fs::write(&symbols, functions.join("\n"))?;

    // What no function needs is left out, and sections that another archive may have too are made this one's own.
    let wanted = functions.iter().flat_map(|function| ["--undefined", function]);
    run(tool("LD", "ld")
        .args(["--relocatable", "--gc-sections", "--force-group-allocation", "--strip-debug"])
        .args(wanted)
        .arg("--output")
        .args([&object, archive]))?;
    // Rust's own library comes with a form of it for optimisers, which is none once several are put together: tools take offence at it.
    let left_out = ["--remove-section", ".llvmbc", "--remove-section", ".llvmcmd"];
    run(tool("OBJCOPY", "objcopy").arg("--keep-global-symbols").arg(&symbols).args(left_out).arg(&object))?;
    if made.exists() {
        fs::remove_file(&made)?;
    }
    run(tool("AR", "ar").arg("rcsD").args([&made, &object]))?;
    Ok(made)
}

fn tool(variable: &str, name: &str) -> Command {
    Command::new(std::env::var_os(variable).unwrap_or_else(|| OsString::from(name)))
}

fn run(command: &mut Command) -> Result<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    let status = command.status().map_err(|error| format!("{name}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{name} has failed: {status}").into()) }
}
