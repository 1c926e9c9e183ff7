//! Proportions: `2/3`.

use super::decimal::Decimal;
use super::{Misread, Wrong, quoted, suggestion, too_large, whole};
use crate::strategy::Share;

/// Reads a proportion: `2/3`, or `1` for all. It is reduced.
pub(crate) fn share(text: &str) -> Result<Share, Misread> {
    const EXAMPLE: &str = "write a proportion above 0 and up to 1, such as `2/3`, or `1` for all";
    let malformed = |expected: String| {
        Misread::new(Wrong::Malformed, format!("{} is not a proportion of two whole numbers", quoted(text)), expected)
    };
    let (p, q) = match text.split_once('/') {
        Some((p, q)) => (p, q),
        None if text.starts_with('-') || text.bytes().all(|b| b.is_ascii_digit()) => (text, "1"),
        None => {
            return Err(malformed(decimal_as_share(text).map_or_else(|| EXAMPLE.to_owned(), suggestion)));
        }
    };
    let part = |part: &str| {
        whole(part).map_err(|misread| match misread.wrong {
            Wrong::Malformed => malformed(EXAMPLE.to_owned()),
            wrong => Misread::new(wrong, format!("{}: {}", quoted(text), misread.found), EXAMPLE),
        })
    };
    let (p, q) = (part(p)?, part(q)?);
    if q == 0 {
        return Err(Misread::new(Wrong::DividedByZero, format!("{} divides by zero", quoted(text)), EXAMPLE));
    }
    if p == 0 {
        let found = format!("{} is none of the statements", quoted(text));
        return Err(Misread::new(Wrong::Zero, found, format!("{EXAMPLE}; `mode: observe` counts and lets all pass")));
    }
    if p > q {
        return Err(Misread::new(Wrong::TooLarge, format!("{} is above one", quoted(text)), EXAMPLE));
    }
    let divisor = greatest_common_divisor(p, q);
    let parts = u32::try_from(p / divisor).ok().zip(u32::try_from(q / divisor).ok());
    parts.and_then(|(p, q)| Share::new(p, q)).ok_or_else(|| too_large(text).expecting(EXAMPLE))
}

pub(super) fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

/// `0.5` and `50%` as `1/2`, where the share is a proper one.
fn decimal_as_share(text: &str) -> Option<Share> {
    let (digits, divisor) = text.strip_suffix('%').map_or((text, 1), |digits| (digits, 100));
    let (number, rest) = Decimal::split(digits)?;
    let (p, q) = (u64::try_from(number?.mantissa).ok()?, 10_u64.checked_pow(number?.scale)?.checked_mul(divisor)?);
    let common = greatest_common_divisor(p, q);
    if !rest.is_empty() {
        return None;
    }
    Share::new(u32::try_from(p / common).ok()?, u32::try_from(q / common).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proportion(text: &str) -> Result<String, Wrong> {
        share(text).map(|share| share.to_string()).map_err(|misread| misread.wrong)
    }

    #[test]
    fn proportions_are_reduced() {
        let cases = [
            ("2/3", Ok("2/3")),
            ("4/6", Ok("2/3")),
            ("1", Ok("1/1")),
            ("1/1", Ok("1/1")),
            ("7/7", Ok("1/1")),
            ("1/4294967295", Ok("1/4294967295")),
            ("1/4294967296", Err(Wrong::TooLarge)),
            ("1/99999999999999999999", Err(Wrong::TooLarge)),
            ("3/2", Err(Wrong::TooLarge)),
            ("2", Err(Wrong::TooLarge)),
            ("0", Err(Wrong::Zero)),
            ("0/3", Err(Wrong::Zero)),
            ("1/0", Err(Wrong::DividedByZero)),
            ("0/0", Err(Wrong::DividedByZero)),
            ("-1/2", Err(Wrong::Negative)),
            ("1/-2", Err(Wrong::Negative)),
            ("0.5", Err(Wrong::Malformed)),
            ("1/2/3", Err(Wrong::Malformed)),
            ("/", Err(Wrong::Malformed)),
            ("", Err(Wrong::Malformed)),
            ("half", Err(Wrong::Malformed)),
        ];
        for (text, expected) in cases {
            assert_eq!(proportion(text), expected.map(str::to_owned), "{text}");
        }
        assert_eq!(share("0.5").unwrap_err().expected, "did you mean `1/2`?");
        assert_eq!(share("75%").unwrap_err().expected, "did you mean `3/4`?");
    }
}
