//! Whole numbers, durations, sizes, proportions, rates and times, as people write them in a rule file.
//!
//! Every reader here is exact: a value that cannot be held as written is a fault, never a rounded value.

mod decimal;
mod duration;
mod millionths;
mod proportion;
mod rate;
mod size;
mod timestamp;

pub(crate) use millionths::Millionths;
pub(crate) use proportion::share;
pub(crate) use rate::{rate, write_rate};
pub(crate) use size::Bytes;
pub(crate) use timestamp::{InvalidTimestamp, timestamp, write_timestamp};

use std::fmt::Write;

/// Longest part of a value that a message repeats, in characters.
const SHOWN_CHARS: usize = 64;

/// In what way a value is wrong; the last part of a fault's code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wrong {
    /// A list or a map where a single value belongs, or the reverse.
    Type,
    /// Not written as such a value is.
    Malformed,
    /// None of the names there are.
    Unknown,
    /// Below zero.
    Negative,
    /// Zero, where zero means nothing.
    Zero,
    /// A proportion of nothing: `1/0`.
    DividedByZero,
    /// Below the least value.
    TooSmall,
    /// Above the greatest value.
    TooLarge,
    /// A list or a text of nothing.
    Empty,
    /// A text of too many characters.
    TooLong,
    /// A list of too many values.
    TooMany,
    /// There a second time.
    Duplicate,
}

/// Why a value was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Misread {
    pub(crate) wrong: Wrong,
    /// What was found: `` `60` has no unit ``.
    pub(crate) found: String,
    /// What would be right.
    pub(crate) expected: String,
}

impl Misread {
    pub(crate) fn new(wrong: Wrong, found: impl Into<String>, expected: impl Into<String>) -> Self {
        Self { wrong, found: found.into(), expected: expected.into() }
    }
}

/// A value that has a textual form, a zero and an order, so that bounds can be checked and told.
pub(crate) trait Quantity: Copy + PartialOrd {
    /// What such a value is called: `a duration`.
    const NOUN: &'static str;

    /// Reads the textual form.
    fn read(text: &str) -> Result<Self, Misread>;

    /// The shortest textual form.
    fn write(self) -> String;

    /// Whether it is zero.
    fn is_zero(self) -> bool;
}

/// The text in backquotes for a message: cut where it is long, control characters escaped.
pub(crate) fn quoted(text: &str) -> String {
    if text.is_empty() {
        return "an empty value".to_owned();
    }
    let mut out = String::from("`");
    for (i, c) in text.chars().enumerate() {
        if i == SHOWN_CHARS {
            out.push('…');
            break;
        }
        if c.is_control() {
            // Writing to a String cannot fail.
            let _ = write!(out, "{}", c.escape_default());
        } else {
            out.push(c);
        }
    }
    out.push('`');
    out
}

macro_rules! whole_number {
    ($type:ty) => {
        impl Quantity for $type {
            const NOUN: &'static str = "a whole number";

            fn read(text: &str) -> Result<Self, Misread> {
                whole(text)?.try_into().map_err(|_| too_large(text))
            }

            fn write(self) -> String {
                self.to_string()
            }

            fn is_zero(self) -> bool {
                self == 0
            }
        }
    };
}

whole_number!(u32);
whole_number!(usize);

impl Misread {
    fn expecting(self, expected: &str) -> Self {
        Self { expected: expected.to_owned(), ..self }
    }
}

fn suggestion(value: impl std::fmt::Display) -> String {
    format!("did you mean `{value}`?")
}

fn too_large(text: &str) -> Misread {
    Misread::new(Wrong::TooLarge, format!("{} is too large", quoted(text)), "write a smaller value")
}

fn whole(text: &str) -> Result<u64, Misread> {
    const EXAMPLE: &str = "write a whole number in plain digits";
    if let Some(rest) = text.strip_prefix('-')
        && starts_with_digit(rest)
    {
        return Err(Misread::new(Wrong::Negative, format!("{} is negative", quoted(text)), EXAMPLE));
    }
    let plain = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if plain && (text == "0" || !text.starts_with('0')) {
        return text.parse().map_err(|_| too_large(text));
    }
    let bare: String = text.chars().filter(|c| !matches!(c, '_' | ',' | ' ' | '+')).collect();
    let bare = bare.trim_start_matches('0');
    let found = format!("{} is not a whole number", quoted(text));
    let expected = if !bare.is_empty() && bare.len() <= 20 && bare.bytes().all(|b| b.is_ascii_digit()) {
        suggestion(bare)
    } else {
        EXAMPLE.to_owned()
    };
    Err(Misread::new(Wrong::Malformed, found, expected))
}

fn starts_with_digit(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::time::Duration;

    #[test]
    fn whole_numbers_are_plain_digits() {
        assert_eq!(u32::read("4294967295"), Ok(u32::MAX));
        for (text, wrong) in [
            ("4294967296", Wrong::TooLarge),
            ("99999999999999999999", Wrong::TooLarge),
            ("-1", Wrong::Negative),
            ("1.0", Wrong::Malformed),
            ("0x10", Wrong::Malformed),
            ("010", Wrong::Malformed),
            ("", Wrong::Malformed),
        ] {
            assert_eq!(u32::read(text).unwrap_err().wrong, wrong, "{text}");
        }
        assert_eq!(u32::read("1_000").unwrap_err().expected, "did you mean `1000`?");
    }

    #[test]
    fn messages_are_short_and_hold_no_control_characters() {
        let shown = quoted(&format!("\u{1b}[31m{}", "x".repeat(1_000_000)));
        assert!(shown.chars().count() < 100 && !shown.contains('\u{1b}'), "{shown}");
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "\\PC*") {
            let _ = (Duration::read(&text).is_ok(), Bytes::read(&text).is_ok(), share(&text).is_ok(), u32::read(&text).is_ok());
            let _ = (Millionths::read(&text).is_ok(), rate(&text).is_ok(), timestamp(&text).is_ok());
        }

        #[test]
        fn what_is_written_reads_back(nanos: u64, size: u32) {
            let duration = Duration::from_nanos(nanos);
            prop_assert_eq!(Duration::read(&duration.write()), Ok(duration));
            let bytes = Bytes(size as usize);
            prop_assert_eq!(Bytes::read(&bytes.write()), Ok(bytes));
            let part = Millionths(size);
            prop_assert_eq!(Millionths::read(&part.write()), Ok(part));
            if let Some(speed) = crate::rule::Rate::new(size, duration) {
                prop_assert_eq!(rate(&write_rate(speed)), Ok(speed));
            }
            let moment = std::time::UNIX_EPOCH + Duration::from_secs(u64::from(size));
            prop_assert_eq!(timestamp(&write_timestamp(moment)).ok(), Some(moment));
        }
    }
}
