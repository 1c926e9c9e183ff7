//! A fingerprint, or the beginning of one, as a rule file names it.

use super::quantity::{Misread, Wrong};
use crate::fingerprint::{Fingerprint, HashKind};
use std::fmt;
use std::str::FromStr;

/// A fingerprint, or the first twelve or more digits of one, as a rule file names it. Lower case.
///
/// ```
/// use sqlthrottle::rule::FingerprintPrefix;
///
/// let prefix = FingerprintPrefix::new("9F2C41D07B6E")?;
/// assert_eq!(prefix.as_str(), "9f2c41d07b6e");
/// assert!(FingerprintPrefix::new("9f2c").is_err());
/// # Ok::<(), sqlthrottle::rule::InvalidPrefix>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FingerprintPrefix(String);

/// Why a text names no fingerprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InvalidPrefix {
    /// It holds something other than hexadecimal digits.
    NotHexadecimal,
    /// It ends in an ellipsis, as the digits left out of a printed fingerprint do.
    Elided,
    /// It has fewer digits than [`FingerprintPrefix::MIN_DIGITS`].
    TooShort,
    /// It has more digits than [`FingerprintPrefix::MAX_DIGITS`].
    TooLong,
}

impl fmt::Display for InvalidPrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotHexadecimal => {
                "write 12 to 64 hexadecimal digits of a fingerprint (`sqlthrottle fingerprint` prints it)"
            }
            Self::Elided => "leave out the ellipsis: the first 12 or more digits are enough",
            Self::TooShort => "write at least 12 digits, so that no other statement is meant",
            Self::TooLong => "write at most 64 digits",
        })
    }
}

impl std::error::Error for InvalidPrefix {}

impl FingerprintPrefix {
    /// Fewest digits: a shorter beginning would soon be another statement's too.
    pub const MIN_DIGITS: usize = 12;
    /// Most digits: those of the longest hash.
    pub const MAX_DIGITS: usize = 2 * HashKind::Sha256.bytes();

    /// Reads 12 to 64 hexadecimal digits of either case.
    ///
    /// # Errors
    ///
    /// Another number of digits, or anything but digits.
    pub fn new(digits: &str) -> Result<Self, InvalidPrefix> {
        let kept = digits.trim_end_matches('…').trim_end_matches("...");
        let elided = kept.len() < digits.len();
        // Length is judged last, so that a text that is no fingerprint at all is not called a short one.
        if kept.is_empty() || !kept.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            Err(InvalidPrefix::NotHexadecimal)
        } else if elided {
            Err(InvalidPrefix::Elided)
        } else if digits.len() < Self::MIN_DIGITS {
            Err(InvalidPrefix::TooShort)
        } else if digits.len() > Self::MAX_DIGITS {
            Err(InvalidPrefix::TooLong)
        } else {
            Ok(Self(digits.to_ascii_lowercase()))
        }
    }

    /// The digits, lower case.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the fingerprint begins with these digits. One that is longer than the fingerprint never does.
    pub fn matches(&self, fingerprint: &Fingerprint) -> bool {
        let bytes = fingerprint.as_bytes();
        self.0.len() <= bytes.len() * 2
            && self.0.bytes().enumerate().all(|(i, digit)| {
                let byte = bytes[i / 2];
                let nibble = if i % 2 == 0 { byte >> 4 } else { byte & 15 };
                char::from(digit).to_digit(16) == Some(u32::from(nibble))
            })
    }

    /// Whether fingerprints of this kind are long enough to begin with it.
    pub(crate) fn fits(&self, hash: HashKind) -> Result<(), Misread> {
        let (digits, most) = (self.0.len(), hash.bytes() * 2);
        if digits <= most {
            return Ok(());
        }
        Err(Misread::new(
            Wrong::TooLarge,
            format!("the fingerprint has {digits} digits, one of {} has {most}", hash.name()),
            "write its first 12 or more digits, or the right `fingerprint: {hash: …}`",
        ))
    }

    /// What is said of a prefix that begins, or begins with, one that stands elsewhere.
    pub(crate) fn overlapping(other: &Self, elsewhere: &str) -> Misread {
        let found = format!("{elsewhere} names `{other}`, and one of the two begins with the other");
        Misread::new(Wrong::Malformed, found, "write more digits, or keep one of them")
    }

    /// Pairs of places in the list where the first begins with the second or is equal to it; the first is the later one
    /// of a pair of equals. In `O(n log n)`.
    pub(crate) fn overlaps<'a>(prefixes: impl IntoIterator<Item = &'a Self>) -> Vec<(usize, usize)> {
        let mut sorted: Vec<(&str, usize)> = prefixes.into_iter().enumerate().map(|(i, p)| (p.as_str(), i)).collect();
        // All that begin with a prefix stand right behind it, so the last one that nothing covers is the only candidate.
        sorted.sort_unstable();
        let mut overlaps = Vec::new();
        let mut uncovered: Option<(&str, usize)> = None;
        for (digits, i) in sorted {
            match uncovered {
                Some((begin, j)) if digits.starts_with(begin) => overlaps.push((i, j)),
                _ => uncovered = Some((digits, i)),
            }
        }
        overlaps
    }
}

impl fmt::Display for FingerprintPrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl FromStr for FingerprintPrefix {
    type Err = InvalidPrefix;

    fn from_str(digits: &str) -> Result<Self, Self::Err> {
        Self::new(digits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twelve_to_sixty_four_digits_of_either_case() {
        assert_eq!(FingerprintPrefix::new(&"aB".repeat(32)).unwrap().as_str(), "ab".repeat(32));
        let cases = [
            ("9f2c41d07b6", InvalidPrefix::TooShort),
            ("9f2c41d07b6e…", InvalidPrefix::Elided),
            ("9f2c41d07b6e...", InvalidPrefix::Elided),
            ("…", InvalidPrefix::NotHexadecimal),
            ("", InvalidPrefix::NotHexadecimal),
            ("9f2c41d07b6g", InvalidPrefix::NotHexadecimal),
            ("０１２３４５６７８９０１", InvalidPrefix::NotHexadecimal),
        ];
        for (digits, error) in cases {
            assert_eq!(FingerprintPrefix::new(digits), Err(error), "{digits}");
        }
        assert_eq!(FingerprintPrefix::new(&"a".repeat(65)), Err(InvalidPrefix::TooLong));
    }

    #[test]
    fn a_prefix_matches_what_begins_with_it() {
        for kind in HashKind::ALL {
            let fingerprint = kind.digest(b"select ?");
            let digits = fingerprint.to_string();
            for len in FingerprintPrefix::MIN_DIGITS..=digits.len() {
                assert!(FingerprintPrefix::new(&digits[..len]).unwrap().matches(&fingerprint), "{kind:?} {len}");
            }
            let other = |digit: char| if digit == '0' { '1' } else { '0' };
            let wrong: String = digits.chars().enumerate().map(|(i, d)| if i == 11 { other(d) } else { d }).collect();
            assert!(!FingerprintPrefix::new(&wrong[..12]).unwrap().matches(&fingerprint), "{kind:?}");
        }
        let md5 = HashKind::Md5.digest(b"select ?");
        assert!(!FingerprintPrefix::new(&format!("{md5}0")).unwrap().matches(&md5));
    }

    #[test]
    fn overlaps_are_found_wherever_they_stand() {
        let list = ["aaaaaaaaaaaa", "bbbbbbbbbbbbbb", "aaaaaaaaaaaab1", "cccccccccccc", "AAAAAAAAAAAA", "bbbbbbbbbbbb"];
        let list: Vec<_> = list.iter().map(|digits| FingerprintPrefix::new(digits).unwrap()).collect();
        assert_eq!(FingerprintPrefix::overlaps(&list), [(4, 0), (2, 0), (1, 5)]);
    }
}
