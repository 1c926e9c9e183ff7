//! The hash of a normalised text, and the fingerprint it yields.

use crate::name::named;
use md5::Md5;
use sha1::Sha1;
use sha2::{Digest, Sha256};
use std::fmt;
use std::str::FromStr;

/// The hash behind a fingerprint. SHA-256 unless a user already keeps fingerprints of another kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HashKind {
    /// 32 bytes, 64 hexadecimal digits.
    #[default]
    Sha256,
    /// 20 bytes, 40 hexadecimal digits.
    Sha1,
    /// 16 bytes, 32 hexadecimal digits.
    Md5,
}

impl HashKind {
    /// Every hash, in the order of the documentation.
    pub const ALL: [Self; 3] = [Self::Sha256, Self::Sha1, Self::Md5];

    /// The name used in rule files and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sha256 => "sha256",
            Self::Sha1 => "sha1",
            Self::Md5 => "md5",
        }
    }

    /// Bytes of a fingerprint of this kind.
    pub const fn bytes(self) -> usize {
        match self {
            Self::Sha256 => 32,
            Self::Sha1 => 20,
            Self::Md5 => 16,
        }
    }

    /// The fingerprint of a normalised text.
    pub fn digest(self, normalized: &[u8]) -> Fingerprint {
        match self {
            Self::Sha256 => Fingerprint::from_digest(&Sha256::digest(normalized)),
            Self::Sha1 => Fingerprint::from_digest(&Sha1::digest(normalized)),
            Self::Md5 => Fingerprint::from_digest(&Md5::digest(normalized)),
        }
    }
}

named!(HashKind, "hash");

/// The name of a shape: the hash of a normalised text. Displays as lower-case hexadecimal; `{:.12}` prints 12 digits. Read from
/// all of its digits, in either case.
///
/// ```
/// use sqlthrottle::HashKind;
///
/// let fingerprint = HashKind::Md5.digest(b"select ?");
/// assert_eq!(fingerprint.to_string().parse(), Ok(fingerprint));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint {
    bytes: [u8; 32],
    len: u8,
}

impl Fingerprint {
    fn from_digest(digest: &[u8]) -> Self {
        let mut bytes = [0; 32];
        bytes[..digest.len()].copy_from_slice(digest);
        Self { bytes, len: digest.len() as u8 }
    }

    /// The fingerprint of a digest; none where it has another length than those of [`HashKind`].
    pub fn from_bytes(digest: &[u8]) -> Option<Self> {
        HashKind::ALL.iter().any(|kind| kind.bytes() == digest.len()).then(|| Self::from_digest(digest))
    }

    /// The digest: 32, 20 or 16 bytes, as the [`HashKind`] says.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }

    /// The digest with zeros behind it, up to the length of the longest.
    pub const fn padded(&self) -> &[u8; 32] {
        &self.bytes
    }

    /// Bytes of the digest.
    #[expect(clippy::len_without_is_empty, reason = "none is empty")]
    pub const fn len(&self) -> usize {
        self.len as usize
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut hex = [0; 64];
        for (pair, byte) in hex.chunks_exact_mut(2).zip(self.as_bytes()) {
            pair[0] = DIGITS[usize::from(byte >> 4)];
            pair[1] = DIGITS[usize::from(byte & 15)];
        }
        let hex = std::str::from_utf8(&hex[..usize::from(self.len) * 2]).unwrap_or_default();
        f.pad(hex)
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fingerprint({self})")
    }
}

/// A text that is no fingerprint: other than 64, 40 or 32 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidFingerprint(());

impl fmt::Display for InvalidFingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a fingerprint has 64, 40 or 32 hexadecimal digits")
    }
}

impl std::error::Error for InvalidFingerprint {}

impl FromStr for Fingerprint {
    type Err = InvalidFingerprint;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let invalid = InvalidFingerprint(());
        let kind = HashKind::ALL.into_iter().find(|kind| kind.bytes() * 2 == text.len()).ok_or(invalid)?;
        let digit = |digit: u8| char::from(digit).to_digit(16).ok_or(invalid);
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
            *byte = (digit(pair[0])? << 4 | digit(pair[1])?) as u8;
        }
        Ok(Self { bytes, len: kind.bytes() as u8 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_is_read_from_all_of_its_digits() {
        for kind in HashKind::ALL {
            let fingerprint = kind.digest(b"select ?");
            let digits = fingerprint.to_string();
            assert_eq!(digits.parse(), Ok(fingerprint), "{kind}");
            assert_eq!(digits.to_uppercase().parse(), Ok(fingerprint));
            for text in [&digits[1..], &format!("{digits}0"), &digits.replace(&digits[..1], "g"), "", "é"] {
                assert_eq!(text.parse::<Fingerprint>(), Err(InvalidFingerprint(())), "{text}");
            }
        }
        assert!("é".repeat(16).parse::<Fingerprint>().is_err());
    }
}
