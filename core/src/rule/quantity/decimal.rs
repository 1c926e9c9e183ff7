//! Decimal numbers, exact, and the unit behind one.

use super::{Misread, Wrong, quoted, starts_with_digit, too_large};

/// A decimal number, exact: `mantissa` / 10 ^ `scale`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Decimal {
    pub(super) mantissa: u128,
    pub(super) scale: u32,
}

/// Why a product is not a number of the smallest unit.
pub(super) enum Inexact {
    TooLarge,
    Fraction,
}

impl Inexact {
    pub(super) fn told(self, text: &str, unit: &str) -> Misread {
        match self {
            Self::TooLarge => too_large(text),
            Self::Fraction => {
                let found = format!("{} is not {unit}", quoted(text));
                Misread::new(Wrong::Malformed, found, "write fewer digits after the point")
            }
        }
    }
}

impl Decimal {
    /// The number a text begins with, and what follows it. None where it begins with no number; the number is none where
    /// it has more digits than any use for them.
    pub(super) fn split(text: &str) -> Option<(Option<Self>, &str)> {
        let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
        let whole = digits(text);
        if whole == 0 || (whole > 1 && text.starts_with('0')) {
            return None;
        }
        let (whole, rest) = text.split_at(whole);
        let (fraction, rest) = match rest.strip_prefix('.') {
            None => ("", rest),
            Some(rest) => match digits(rest) {
                0 => return None,
                fraction => rest.split_at(fraction),
            },
        };
        let fraction = fraction.trim_end_matches('0');
        let number = if whole.len() + fraction.len() > 30 {
            None
        } else {
            let digits = whole.bytes().chain(fraction.bytes());
            let mantissa = digits.fold(0, |number: u128, digit| number * 10 + u128::from(digit - b'0'));
            Some(Self { mantissa, scale: fraction.len() as u32 })
        };
        Some((number, rest))
    }

    pub(super) fn times(self, factor: u64) -> Result<u64, Inexact> {
        let product = self.mantissa.checked_mul(u128::from(factor)).ok_or(Inexact::TooLarge)?;
        let divisor = 10_u128.pow(self.scale);
        if product % divisor != 0 {
            return Err(Inexact::Fraction);
        }
        u64::try_from(product / divisor).map_err(|_| Inexact::TooLarge)
    }
}

/// The number and the unit that a text consists of.
pub(super) fn number_and_unit<'a>(text: &'a str, noun: &str, example: &str) -> Result<(Decimal, &'a str), Misread> {
    if text.strip_prefix('-').is_some_and(starts_with_digit) {
        return Err(Misread::new(Wrong::Negative, format!("{} is negative", quoted(text)), example));
    }
    match Decimal::split(text) {
        None => Err(Misread::new(Wrong::Malformed, format!("{} is not {noun}", quoted(text)), example)),
        Some((None, _)) => Err(too_large(text).expecting(example)),
        Some((Some(number), unit)) => Ok((number, unit)),
    }
}

/// The fault of a unit that there is not, with the one that was probably meant.
pub(super) fn unknown_unit(text: &str, unit: &str, spellings: &[(&str, &str)], example: &str) -> Misread {
    let known = unit.trim().to_lowercase();
    let found = format!("{} has an unknown unit", quoted(text));
    let meant = spellings.iter().find(|(spelling, _)| *spelling == known);
    let expected = meant.map_or_else(
        || example.to_owned(),
        |(_, unit_meant)| format!("did you mean `{}{unit_meant}`? {example}", &text[..text.len() - unit.len()]),
    );
    Misread::new(Wrong::Malformed, found, expected)
}
