//! What is done to this repository, one command each: `cargo xtask header`.

mod archive;
mod functions;
#[cfg(feature = "header")]
mod header;
mod install;
mod place;

use clap::Parser;
use std::error::Error;
use std::path::{Path, PathBuf};

/// What is done to this repository.
#[derive(Parser)]
#[command(name = "cargo xtask")]
enum Command {
    /// Write include/sqlthrottle.h from the sources of bindings/c
    #[cfg(feature = "header")]
    Header(header::Header),
    /// Install the C library with its header, its `pkg-config` file and its package for `CMake`
    InstallC(install::InstallC),
}

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    match Command::parse() {
        #[cfg(feature = "header")]
        Command::Header(command) => command.run(),
        Command::InstallC(command) => command.run(),
    }
}

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_owned).unwrap_or_default()
}
