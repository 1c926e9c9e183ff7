//! The C header.

use crate::{Result, root};
use clap::Args;
use std::fs;

/// How the header is written.
#[derive(Args)]
pub(crate) struct Header {
    /// Fail where the header differs from what would be written, and write nothing
    #[arg(long)]
    check: bool,
}

impl Header {
    pub(crate) fn run(self) -> Result<()> {
        let path = root().join("include/sqlthrottle.h");
        let header = generate()?;
        if !self.check {
            return Ok(fs::write(path, header)?);
        }
        if fs::read_to_string(&path).unwrap_or_default() == header {
            return Ok(());
        }
        Err("include/sqlthrottle.h is not what its sources in bindings/c say; run `make header`".into())
    }
}

/// The header, as the sources of the C library say it.
fn generate() -> Result<String> {
    let library = root().join("bindings/c");
    let config = cbindgen::Config::from_file(library.join("cbindgen.toml"))?;
    let bindings = cbindgen::Builder::new().with_crate(library).with_config(config).generate()?;
    let mut header = Vec::new();
    bindings.write(&mut header);
    Ok(String::from_utf8(header)?)
}
