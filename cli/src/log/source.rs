//! Where a log comes from: a file or standard input, plain or compressed, told by its first bytes.

use bzip2::read::MultiBzDecoder;
use flate2::read::MultiGzDecoder;
use std::fs::File;
use std::io::{self, Cursor, ErrorKind, Read};
use std::path::Path;

/// Bytes of the compressed input that are read at a time.
const CHUNK: usize = 128 * 1024;

/// A log, opened.
pub struct Source {
    /// How the log is called in messages.
    pub name: String,
    /// Its bytes on disk; none where that is not known.
    pub len: Option<u64>,
    /// The bytes as they are on disk.
    pub input: Box<dyn Read + Send>,
}

impl std::fmt::Debug for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Source").field("name", &self.name).field("len", &self.len).finish_non_exhaustive()
    }
}

/// Opens a file, or standard input where the path is `-`.
///
/// # Errors
///
/// Where there is no such file, it may not be read, or it is a directory.
pub fn open(path: &Path) -> io::Result<Source> {
    if path == Path::new("-") {
        return Ok(Source { name: "<stdin>".to_owned(), len: None, input: Box::new(io::stdin()) });
    }
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(io::Error::new(ErrorKind::IsADirectory, "it is a directory"));
    }
    let len = metadata.is_file().then_some(metadata.len());
    Ok(Source { name: path.display().to_string(), len, input: Box::new(file) })
}

/// Undoes the compression that the first bytes of an input tell: gzip, bzip2 or none; of several members all are read.
///
/// # Errors
///
/// Where the input fails at once, or is compressed in another way.
pub fn decompress(mut input: Box<dyn Read + Send>) -> io::Result<Box<dyn Read + Send>> {
    let mut first = Vec::with_capacity(6);
    input.by_ref().take(6).read_to_end(&mut first)?;
    let unread = |input| io::BufReader::with_capacity(CHUNK, Cursor::new(first.clone()).chain(input));
    let other = |name| Err(io::Error::new(ErrorKind::Unsupported, format!("{name} is not read; decompress it first")));
    match first.as_slice() {
        [0x1f, 0x8b, ..] => Ok(Box::new(Compressed(MultiGzDecoder::new(unread(input))))),
        [b'B', b'Z', b'h', b'1'..=b'9', ..] => Ok(Box::new(Compressed(MultiBzDecoder::new(unread(input))))),
        [0xfd, b'7', b'z', b'X', b'Z', ..] => other("xz"),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => other("zstd"),
        [b'P', b'K', 3, 4, ..] => other("zip"),
        _ => Ok(Box::new(Cursor::new(first).chain(input))),
    }
}

/// Says of a decoder's failure what it means for the log.
struct Compressed<R>(R);

impl<R: Read> Read for Compressed<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.0.read(into).map_err(|error| match error.kind() {
            ErrorKind::Interrupted => error,
            ErrorKind::UnexpectedEof => io::Error::new(ErrorKind::UnexpectedEof, "the compressed data ends early"),
            kind => io::Error::new(kind, format!("the compressed data is damaged: {error}")),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    const TEXT: &[u8] = b"a line\nand another\n";

    fn gz(text: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn bz2(text: &[u8]) -> Vec<u8> {
        let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::default());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn read(bytes: Vec<u8>) -> (Vec<u8>, io::Result<()>) {
        let mut text = Vec::new();
        let result = decompress(Box::new(Cursor::new(bytes))).and_then(|mut input| input.read_to_end(&mut text));
        (text, result.map(|_| ()))
    }

    #[test]
    fn compression_is_told_by_the_first_bytes() {
        for bytes in [TEXT.to_vec(), gz(TEXT), bz2(TEXT), b"".to_vec(), b"a".to_vec()] {
            let expected = if bytes.len() < 2 { bytes.clone() } else { TEXT.to_vec() };
            let (text, result) = read(bytes);
            result.unwrap();
            assert_eq!(text, expected);
        }
    }

    #[test]
    fn members_written_one_after_another_are_all_read() {
        for part in [gz(TEXT), bz2(TEXT)] {
            let (text, result) = read([part.clone(), part].concat());
            result.unwrap();
            assert_eq!(text, [TEXT, TEXT].concat());
        }
    }

    #[test]
    fn compressed_data_that_ends_early_is_said_to() {
        let long: Vec<u8> = (0..200_000_u32).flat_map(|i| format!("line {i}\n").into_bytes()).collect();
        for mut bytes in [gz(&long), bz2(&long)] {
            bytes.truncate(bytes.len() - 100);
            let (text, result) = read(bytes);
            assert_eq!(result.unwrap_err().to_string(), "the compressed data ends early");
            assert!(!text.is_empty() && long.starts_with(&text));
        }
    }

    #[test]
    fn damaged_and_foreign_data_is_named() {
        let mut bytes = gz(TEXT);
        let len = bytes.len();
        bytes[len - 6] ^= 0xff;
        assert!(read(bytes).1.unwrap_err().to_string().starts_with("the compressed data is damaged"));
        let (_, result) = read(b"\xfd7zXZ\0rest".to_vec());
        assert_eq!(result.unwrap_err().to_string(), "xz is not read; decompress it first");
    }
}
