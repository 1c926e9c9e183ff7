//! Sizes in bytes: `64KiB`, `1MB`.

use super::decimal::{number_and_unit, unknown_unit};
use super::{Misread, Quantity, too_large};

/// A number of bytes: `1MiB`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Bytes(pub(crate) usize);

impl Bytes {
    /// The units; the first of several of one size is the one it is written in.
    const UNITS: [(&'static str, u64); 8] = [
        ("GiB", 1 << 30),
        ("GB", 1_000_000_000),
        ("MiB", 1 << 20),
        ("MB", 1_000_000),
        ("KiB", 1 << 10),
        ("KB", 1_000),
        ("B", 1),
        ("", 1),
    ];
    const EXAMPLE: &'static str =
        "write a number of bytes, or a number and one of B, KB, MB, GB, KiB, MiB, GiB, such as `1MiB`";
    const SPELLINGS: [(&'static str, &'static str); 10] = [
        ("k", "KiB"),
        ("m", "MiB"),
        ("g", "GiB"),
        ("kb", "KB"),
        ("mb", "MB"),
        ("gb", "GB"),
        ("kib", "KiB"),
        ("mib", "MiB"),
        ("gib", "GiB"),
        ("bytes", "B"),
    ];
}

impl Quantity for Bytes {
    const NOUN: &'static str = "a size";

    fn read(text: &str) -> Result<Self, Misread> {
        let (number, unit) = number_and_unit(text, Self::NOUN, Self::EXAMPLE)?;
        let Some((_, factor)) = Self::UNITS.into_iter().find(|(name, _)| *name == unit) else {
            return Err(unknown_unit(text, unit, &Self::SPELLINGS, Self::EXAMPLE));
        };
        let bytes = number.times(factor).map_err(|error| error.told(text, "a whole number of bytes"))?;
        usize::try_from(bytes).map(Self).map_err(|_| too_large(text))
    }

    fn write(self) -> String {
        let bytes = self.0 as u64;
        let binary = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
        let fits = binary.into_iter().find(|(_, size)| bytes >= *size && bytes.is_multiple_of(*size));
        fits.map_or_else(|| format!("{bytes}B"), |(unit, size)| format!("{}{unit}", bytes / size))
    }

    fn is_zero(self) -> bool {
        self.0 == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::quantity::Wrong;

    fn bytes(text: &str) -> Result<usize, Wrong> {
        Bytes::read(text).map(|bytes| bytes.0).map_err(|misread| misread.wrong)
    }

    #[test]
    fn sizes_are_exact() {
        let cases = [
            ("1MiB", Ok(1 << 20)),
            ("32MiB", Ok(32 << 20)),
            ("64KiB", Ok(64 << 10)),
            ("1GiB", Ok(1 << 30)),
            ("1MB", Ok(1_000_000)),
            ("2KB", Ok(2_000)),
            ("1.5KiB", Ok(1_536)),
            ("4096", Ok(4_096)),
            ("7B", Ok(7)),
            ("0.3B", Err(Wrong::Malformed)),
            ("1mib", Err(Wrong::Malformed)),
            ("MiB", Err(Wrong::Malformed)),
            ("-1", Err(Wrong::Negative)),
            ("99999999999GiB", Err(Wrong::TooLarge)),
        ];
        for (text, expected) in cases {
            assert_eq!(bytes(text), expected, "{text}");
        }
        assert!(Bytes::read("1M").unwrap_err().expected.starts_with("did you mean `1MiB`?"));
        assert!(Bytes::read("1mb").unwrap_err().expected.starts_with("did you mean `1MB`?"));
    }
}
