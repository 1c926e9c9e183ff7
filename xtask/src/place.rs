//! Putting files where others may be using what was there before.
//!
//! Everything is made beside its place and then moved there at once: a program that starts meanwhile finds the old file or the new
//! one, and one that runs keeps the library that it has loaded.

use crate::Result;
use std::fs;
use std::path::{Path, PathBuf};

/// What anyone may read, whatever the mask of who installs it, and the mode of what it is a copy of.
pub(crate) const DATA: u32 = 0o644;
/// A library that is loaded.
pub(crate) const LIBRARY: u32 = 0o755;

/// Places a copy of a file.
pub(crate) fn file(from: &Path, to: &Path, mode: u32) -> Result<()> {
    at_once(to, |aside| {
        fs::copy(from, aside).map_err(|error| format!("{}: {error}", from.display()))?;
        set_mode(aside, mode)
    })
}

/// Places a file of this text.
pub(crate) fn text(text: &str, to: &Path, mode: u32) -> Result<()> {
    at_once(to, |aside| {
        fs::write(aside, text)?;
        set_mode(aside, mode)
    })
}

/// Places a link to what has this name in the same directory.
pub(crate) fn link(name: &str, to: &Path) -> Result<()> {
    at_once(to, |aside| symlink(name, aside))
}

/// Has something made beside its place, and moves it there; what could not be made or moved is not left behind.
fn at_once(to: &Path, make: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    let mut aside = PathBuf::from(to).into_os_string();
    aside.push(".new");
    let aside = PathBuf::from(aside);
    // One that was interrupted may have left its own.
    let _ = fs::remove_file(&aside);
    let placed = make(&aside).and_then(|()| Ok(fs::rename(&aside, to)?));
    if placed.is_err() {
        let _ = fs::remove_file(&aside);
    }
    placed.map_err(|error| format!("{}: {error}", to.display()).into())
}

#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    Ok(fs::set_permissions(path, fs::Permissions::from_mode(mode))?)
}

#[cfg(unix)]
fn symlink(name: &str, at: &Path) -> Result<()> {
    Ok(std::os::unix::fs::symlink(name, at)?)
}

#[cfg(not(unix))]
fn set_mode(_: &Path, _: u32) -> Result<()> {
    Ok(())
}

#[cfg(not(unix))]
fn symlink(_: &str, _: &Path) -> Result<()> {
    Err("this system has no links of that kind".into())
}
