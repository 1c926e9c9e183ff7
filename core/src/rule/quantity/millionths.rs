//! Parts of one, as a decimal: `0.05`.

use super::decimal::{Decimal, Inexact, number_and_unit};
use super::{Misread, Quantity, Wrong, quoted};

/// A number of millionths: `0.05` is 50,000 of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Millionths(pub(crate) u32);

impl Millionths {
    const ONE: u64 = 1_000_000;
    const EXAMPLE: &'static str = "write a number from `0` to `1`, such as `0.05`";
}

impl Quantity for Millionths {
    const NOUN: &'static str = "a part of one";

    fn read(text: &str) -> Result<Self, Misread> {
        let (number, rest): (Decimal, &str) = number_and_unit(text, Self::NOUN, Self::EXAMPLE)?;
        if !rest.is_empty() {
            let found = format!("{} is not {}", quoted(text), Self::NOUN);
            return Err(Misread::new(Wrong::Malformed, found, Self::EXAMPLE));
        }
        let millionths = number.times(Self::ONE).and_then(|n| u32::try_from(n).map_err(|_| Inexact::TooLarge));
        millionths.map(Self).map_err(|error| error.told(text, "a whole number of millionths"))
    }

    fn write(self) -> String {
        let (whole, part) = (u64::from(self.0) / Self::ONE, u64::from(self.0) % Self::ONE);
        if part == 0 {
            return whole.to_string();
        }
        format!("{whole}.{part:06}").trim_end_matches('0').to_owned()
    }

    fn is_zero(self) -> bool {
        self.0 == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_one_are_exact() {
        let cases = [
            ("0", Ok(0)),
            ("0.05", Ok(50_000)),
            ("0.000001", Ok(1)),
            ("1", Ok(1_000_000)),
            ("1.0", Ok(1_000_000)),
            ("0.0000001", Err(Wrong::Malformed)),
            ("5%", Err(Wrong::Malformed)),
            ("1/20", Err(Wrong::Malformed)),
            (".05", Err(Wrong::Malformed)),
            ("", Err(Wrong::Malformed)),
            ("-0.05", Err(Wrong::Negative)),
            ("99999999", Err(Wrong::TooLarge)),
        ];
        for (text, expected) in cases {
            assert_eq!(Millionths::read(text).map_err(|misread| misread.wrong), expected.map(Millionths), "{text}");
        }
        assert_eq!(Millionths(50_000).write(), "0.05");
    }
}
