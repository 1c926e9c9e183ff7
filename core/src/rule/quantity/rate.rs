//! Rates: `1000/s`, `10/5s`.

use super::decimal::Decimal;
use super::duration::unit_meant;
use super::proportion::greatest_common_divisor;
use super::{Misread, Quantity, Wrong, quoted, starts_with_digit, suggestion, whole};
use crate::rule::Rate;
use std::time::Duration;

const EXAMPLE: &str = "write a whole number and the time it comes in, such as `1000/s` or `10/5s`";

/// Reads a rate: so many in a unit of time, `5/m`, or in several, `10/5s`.
pub(crate) fn rate(text: &str) -> Result<Rate, Misread> {
    let malformed = |meant: Option<String>| {
        let expected = meant.map_or_else(|| EXAMPLE.to_owned(), |meant| format!("{} {EXAMPLE}", suggestion(meant)));
        Misread::new(Wrong::Malformed, format!("{} is not a rate", quoted(text)), expected)
    };
    let told = |misread: Misread| Misread::new(misread.wrong, format!("{}: {}", quoted(text), misread.found), EXAMPLE);
    let Some((tokens, per)) = text.split_once('/') else {
        return Err(match whole(text) {
            Ok(tokens) => malformed(Some(format!("{tokens}/s"))),
            Err(misread) if misread.wrong == Wrong::Negative => told(misread),
            Err(_) => malformed(None),
        });
    };
    let tokens = whole(tokens).map_err(|misread| match misread.wrong {
        Wrong::Malformed => malformed(whole_multiple(tokens, per)),
        _ => told(misread),
    })?;
    let written = if per.starts_with(|c: char| c.is_ascii_alphabetic()) { format!("1{per}") } else { per.to_owned() };
    let per = Duration::read(&written).map_err(|misread| match misread.wrong {
        Wrong::Malformed => malformed(unit_meant(per).map(|unit| format!("{tokens}/{unit}"))),
        _ => told(misread),
    })?;
    if per.is_zero() {
        return Err(Misread::new(Wrong::DividedByZero, format!("{} divides by zero", quoted(text)), EXAMPLE));
    }
    if tokens == 0 {
        let expected = format!("{EXAMPLE}; `block: true` lets nothing pass");
        return Err(Misread::new(Wrong::Zero, format!("{} is nothing at all", quoted(text)), expected));
    }
    exact(tokens, per).ok_or_else(|| {
        if u128::from(tokens) >= per.as_nanos() {
            let found = format!("{} is one a nanosecond or more", quoted(text));
            Misread::new(Wrong::TooLarge, found, "write less: `999999999/s` is the most in a second")
        } else if per > Duration::from_secs(366 * 86_400) {
            let found = format!("{} counts over more than 366 days", quoted(text));
            Misread::new(Wrong::TooSmall, found, "write what comes in `366d` or less")
        } else {
            Misread::new(Wrong::TooLarge, format!("{} has too many digits", quoted(text)), EXAMPLE)
        }
    })
}

/// The rate as it is written; where its number is too large for that, in its lowest terms.
fn exact(tokens: u64, per: Duration) -> Option<Rate> {
    if let Ok(tokens) = u32::try_from(tokens) {
        return Rate::new(tokens, per);
    }
    let nanos = u64::try_from(per.as_nanos()).ok()?;
    let divisor = greatest_common_divisor(tokens, nanos);
    Rate::new(u32::try_from(tokens / divisor).ok()?, Duration::from_nanos(nanos / divisor))
}

/// `0.5/s` as `1/2s`: whole numbers in the lowest terms.
fn whole_multiple(tokens: &str, per: &str) -> Option<String> {
    let (number, rest) = Decimal::split(tokens)?;
    let Decimal { mantissa, scale } = number?;
    let times = 10_u64.checked_pow(scale)?;
    let tokens = u64::try_from(mantissa).ok().filter(|tokens| *tokens > 0 && rest.is_empty())?;
    let divisor = greatest_common_divisor(tokens, times);
    let unit = per.starts_with(|c: char| c.is_ascii_alphabetic());
    unit.then(|| format!("{}/{}{per}", tokens / divisor, times / divisor)).filter(|meant| rate(meant).is_ok())
}

/// The shortest form that reads as the rate.
pub(crate) fn write_rate(rate: Rate) -> String {
    let per = rate.per().write();
    let unit = per.strip_prefix('1').filter(|unit| !starts_with_digit(unit)).unwrap_or(&per);
    format!("{}/{unit}", rate.tokens())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<String, Wrong> {
        rate(text).map(write_rate).map_err(|misread| misread.wrong)
    }

    #[test]
    fn rates_are_exact() {
        let cases = [
            ("1000/s", Ok("1000/s")),
            ("5/m", Ok("5/m")),
            ("10/5s", Ok("10/5s")),
            ("10/60s", Ok("10/m")),
            ("3/1.5s", Ok("3/1500ms")),
            ("1/366d", Ok("1/366d")),
            ("999999999/s", Ok("999999999/s")),
            ("1/2ns", Ok("1/2ns")),
            ("5000000000/h", Ok("1/720ns")),
            ("1000000000/s", Err(Wrong::TooLarge)),
            ("1/ns", Err(Wrong::TooLarge)),
            ("99999999999999999999/d", Err(Wrong::TooLarge)),
            ("1/367d", Err(Wrong::TooSmall)),
            ("1/99999999999999999999d", Err(Wrong::TooLarge)),
            ("0/s", Err(Wrong::Zero)),
            ("1/0", Err(Wrong::DividedByZero)),
            ("1/0s", Err(Wrong::DividedByZero)),
            ("0/0", Err(Wrong::DividedByZero)),
            ("-1/s", Err(Wrong::Negative)),
            ("-1", Err(Wrong::Negative)),
            ("1/-5s", Err(Wrong::Negative)),
            ("1000", Err(Wrong::Malformed)),
            ("1/5", Err(Wrong::Malformed)),
            ("0.5/s", Err(Wrong::Malformed)),
            ("1/", Err(Wrong::Malformed)),
            ("/s", Err(Wrong::Malformed)),
            ("1/s/s", Err(Wrong::Malformed)),
            ("1 / s", Err(Wrong::Malformed)),
            ("fast", Err(Wrong::Malformed)),
            ("", Err(Wrong::Malformed)),
        ];
        for (text, expected) in cases {
            assert_eq!(read(text), expected.map(str::to_owned), "{text}");
        }
    }

    #[test]
    fn a_rate_that_is_nearly_right_is_suggested() {
        let cases = [("1000", "1000/s"), ("0.5/s", "1/2s"), ("2.5/m", "5/2m"), ("7/min", "7/m"), ("7/Sec", "7/s")];
        for (text, meant) in cases {
            let expected = rate(text).unwrap_err().expected;
            assert!(expected.starts_with(&format!("did you mean `{meant}`?")), "{text}: {expected}");
        }
    }
}
