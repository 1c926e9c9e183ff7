//! Text that is read whole.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Longest input, in bytes: it is held in memory whole, because a statement may be as long.
const LONGEST_INPUT: u64 = 1 << 30;

/// Reads a file; `-` is standard input.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let input: Box<dyn Read> = if path == Path::new("-") { Box::new(io::stdin()) } else { Box::new(File::open(path)?) };
    let mut text = Vec::new();
    input.take(LONGEST_INPUT + 1).read_to_end(&mut text)?;
    if text.len() as u64 > LONGEST_INPUT {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "longer than 1 GiB; divide it"));
    }
    Ok(text)
}
