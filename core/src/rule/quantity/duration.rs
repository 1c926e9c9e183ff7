//! Durations: `60s`, `1.5h`.

use super::decimal::{number_and_unit, unknown_unit};
use super::{Misread, Quantity, Wrong, quoted};
use std::time::Duration;

const DURATION_UNITS: [(&str, u64); 7] = [
    ("d", 86_400_000_000_000),
    ("h", 3_600_000_000_000),
    ("m", 60_000_000_000),
    ("s", 1_000_000_000),
    ("ms", 1_000_000),
    ("us", 1_000),
    ("ns", 1),
];
const DURATION_EXAMPLE: &str = "write a number and one of ns, us, ms, s, m, h, d, such as `60s`";
const DURATION_SPELLINGS: [(&str, &str); 22] = [
    ("sec", "s"),
    ("secs", "s"),
    ("second", "s"),
    ("seconds", "s"),
    ("min", "m"),
    ("mins", "m"),
    ("minute", "m"),
    ("minutes", "m"),
    ("hr", "h"),
    ("hour", "h"),
    ("hours", "h"),
    ("day", "d"),
    ("days", "d"),
    ("s", "s"),
    ("h", "h"),
    ("d", "d"),
    ("ms", "ms"),
    ("msec", "ms"),
    ("us", "us"),
    ("µs", "us"),
    ("μs", "us"),
    ("ns", "ns"),
];

/// The unit that is probably meant by another spelling.
pub(super) fn unit_meant(spelling: &str) -> Option<&'static str> {
    let known = spelling.trim().to_lowercase();
    DURATION_SPELLINGS.into_iter().find(|(spelling, _)| *spelling == known).map(|(_, unit)| unit)
}

impl Quantity for Duration {
    const NOUN: &'static str = "a duration";

    fn read(text: &str) -> Result<Self, Misread> {
        let (number, unit) = number_and_unit(text, Self::NOUN, DURATION_EXAMPLE)?;
        if unit.is_empty() {
            // Zero is the same in every unit.
            return if number.mantissa == 0 {
                Ok(Self::ZERO)
            } else {
                let expected = format!("did you mean `{text}s`? {DURATION_EXAMPLE}");
                Err(Misread::new(Wrong::Malformed, format!("{} has no unit", quoted(text)), expected))
            };
        }
        let Some((_, factor)) = DURATION_UNITS.into_iter().find(|(name, _)| *name == unit) else {
            return Err(unknown_unit(text, unit, &DURATION_SPELLINGS, DURATION_EXAMPLE));
        };
        let nanos = number.times(factor).map_err(|error| error.told(text, "a whole number of nanoseconds"))?;
        Ok(Self::from_nanos(nanos))
    }

    fn write(self) -> String {
        let nanos = self.as_nanos();
        let fits = DURATION_UNITS.into_iter().find(|(_, size)| nanos > 0 && nanos.is_multiple_of(u128::from(*size)));
        fits.map_or_else(|| "0".to_owned(), |(unit, size)| format!("{}{unit}", nanos / u128::from(size)))
    }

    fn is_zero(self) -> bool {
        Duration::is_zero(&self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn duration(text: &str) -> Result<Duration, Wrong> {
        Duration::read(text).map_err(|misread| misread.wrong)
    }

    #[test]
    fn durations_are_exact() {
        let cases = [
            ("10ns", Ok(10)),
            ("250us", Ok(250_000)),
            ("100ms", Ok(100_000_000)),
            ("60s", Ok(60_000_000_000)),
            ("1.5s", Ok(1_500_000_000)),
            ("1.50000000000000000000000000000000s", Ok(1_500_000_000)),
            ("0.000000001s", Ok(1)),
            ("5m", Ok(300_000_000_000)),
            ("1h", Ok(3_600_000_000_000)),
            ("1d", Ok(86_400_000_000_000)),
            ("0", Ok(0)),
            ("0s", Ok(0)),
            ("18446744073709551615ns", Ok(u64::MAX)),
            ("18446744073709551616ns", Err(Wrong::TooLarge)),
            ("213504d", Err(Wrong::TooLarge)),
            ("99999999999999999999999999999999999999999d", Err(Wrong::TooLarge)),
            ("340282366920938463463374607431d", Err(Wrong::TooLarge)),
            ("0.5ns", Err(Wrong::Malformed)),
            ("60", Err(Wrong::Malformed)),
            ("60 s", Err(Wrong::Malformed)),
            ("60S", Err(Wrong::Malformed)),
            ("1e3s", Err(Wrong::Malformed)),
            ("060s", Err(Wrong::Malformed)),
            ("1.s", Err(Wrong::Malformed)),
            (".5s", Err(Wrong::Malformed)),
            ("s", Err(Wrong::Malformed)),
            ("", Err(Wrong::Malformed)),
            ("-", Err(Wrong::Malformed)),
            ("-1s", Err(Wrong::Negative)),
        ];
        for (text, expected) in cases {
            assert_eq!(duration(text), expected.map(Duration::from_nanos), "{text}");
        }
    }

    #[test]
    fn a_duration_that_is_nearly_right_is_suggested() {
        let cases = [("60", "`60s`"), ("60 s", "`60s`"), ("5min", "`5m`"), ("2 Hours", "`2h`"), ("3µs", "`3us`")];
        for (text, meant) in cases {
            let expected = Duration::read(text).unwrap_err().expected;
            assert!(expected.starts_with(&format!("did you mean {meant}?")), "{text}: {expected}");
        }
    }
}
