//! The rate at which tokens arrive, and the exact arithmetic of their number.

use std::fmt;

/// Tokens per nanoseconds, as a fraction that is never rounded: 3 per 7 seconds are just that, forever.
///
/// The number of tokens that have arrived by the time `t` is `floor(t * tokens / nanos)` for every `t`. A check cannot
/// afford a division of 128 bits, which takes longer than the rest of it. It multiplies by a reciprocal of 128 bits
/// instead, rounded up, which gives the same number: Granlund and Montgomery, "Division by Invariant Integers using
/// Multiplication" (PLDI 1994). With `factor = (tokens * 2^128 + r) / nanos`, where `r < nanos`, the product is too high by
/// `t * r / (nanos * 2^128)`, which is less than `2^-64`, hence less than `1 / nanos`; and a fraction with that denominator
/// lies at least as far below the next whole number, so the floor is the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rate {
    tokens: u64,
    nanos: u64,
    factor: u128,
}

/// Why tokens cannot arrive at a rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RateError {
    /// No token ever arrives.
    NoTokens,
    /// A token or more arrives in each nanosecond, which no clock tells apart.
    TooHigh,
}

impl fmt::Display for RateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoTokens => f.write_str("a rate has at least one token"),
            Self::TooHigh => f.write_str("a rate is less than a token per nanosecond"),
        }
    }
}

impl std::error::Error for RateError {}

impl Rate {
    /// So many tokens in so many nanoseconds.
    ///
    /// # Errors
    ///
    /// When there are no tokens, or as many as nanoseconds, or more.
    pub const fn new(tokens: u64, nanos: u64) -> Result<Self, RateError> {
        if tokens == 0 {
            return Err(RateError::NoTokens);
        }
        if tokens >= nanos {
            return Err(RateError::TooHigh);
        }
        // A long division of tokens * 2^128, a digit of 64 bits at a time. The quotient has two digits, as tokens < nanos.
        let (dividend, divisor) = ((tokens as u128) << 64, nanos as u128);
        let (high, rest) = (dividend / divisor, dividend % divisor);
        let (low, rest) = ((rest << 64) / divisor, (rest << 64) % divisor);
        Ok(Self { tokens, nanos, factor: (high << 64 | low) + (rest > 0) as u128 })
    }

    /// How many tokens have arrived by the time `now`, where a part of one was there at the zero of its clock.
    #[inline]
    pub const fn arrived(&self, now: u64, first: Part) -> u64 {
        self.flow(now, first).0
    }

    /// The first time by which so many tokens have arrived; none where that is beyond the span of a clock.
    pub const fn arrival(&self, tokens: u64, first: Part) -> Option<u64> {
        // In parts of a token, as many as there are nanoseconds. What they do not tell of the first part may be worth one of
        // them, together with what the factor is too high by: then it is there a nanosecond before.
        let (high, low) = (first.0 >> 64, first.0 as u64 as u128);
        let there = (high * self.nanos as u128 + ((low * self.nanos as u128) >> 64)) >> 64;
        let wanting = (tokens as u128 * self.nanos as u128).saturating_sub(there);
        let at = wanting.div_ceil(self.tokens as u128);
        if at > 0 && at - 1 <= u64::MAX as u128 && self.arrived((at - 1) as u64, first) >= tokens {
            return Some((at - 1) as u64);
        }
        if at <= u64::MAX as u128 { Some(at as u64) } else { None }
    }

    /// The part of a token that has arrived by the time `now`, beside whole ones.
    pub(super) const fn part(&self, now: u64, first: Part) -> Part {
        self.flow(now, first).1
    }

    /// The part of a token that has to be there at the zero of the clock, for that one to be there by the time `now`.
    pub(super) const fn first(&self, now: u64, part: Part) -> Part {
        Part(part.0.wrapping_sub(self.part(now, Part::NONE).0))
    }

    /// Whole tokens, and what is there of the next. None is lost by overflow: fewer arrive than nanoseconds pass.
    #[inline]
    const fn flow(&self, now: u64, first: Part) -> (u64, Part) {
        let (high, low) = (self.factor >> 64, self.factor as u64 as u128);
        let now = now as u128;
        let lower = now * low;
        let upper = now * high + (lower >> 64);
        let (part, whole) = (upper << 64 | lower as u64 as u128).overflowing_add(first.0);
        ((upper >> 64) as u64 + whole as u64, Part(part))
    }
}

/// A part of a token, in units of which a token has `2^128`: what is there by a rate of one of the next token is one to the
/// last bit, as the number of whole tokens is exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part(u128);

impl Part {
    /// Nothing of it.
    pub const NONE: Self = Self(0);

    /// In two words, the upper one first: a cell is to need no more than the alignment of a word.
    pub(super) const fn words(self) -> [u64; 2] {
        [(self.0 >> 64) as u64, self.0 as u64]
    }

    /// From the same two words.
    #[inline]
    pub(super) const fn of_words([upper, lower]: [u64; 2]) -> Self {
        Self((upper as u128) << 64 | lower as u128)
    }
}

#[cfg(test)]
#[cfg(not(loom))]
mod tests {
    use super::*;
    use crate::testing::{SECOND, YEAR};
    use proptest::prelude::*;

    /// What the rate is by definition.
    fn quotient(tokens: u64, nanos: u64, now: u64) -> u64 {
        (u128::from(now) * u128::from(tokens) / u128::from(nanos)) as u64
    }

    #[test]
    fn impossible_rates_are_refused() {
        assert_eq!(Rate::new(0, SECOND), Err(RateError::NoTokens));
        assert_eq!(Rate::new(0, 0), Err(RateError::NoTokens));
        assert_eq!(Rate::new(1, 0), Err(RateError::TooHigh));
        assert_eq!(Rate::new(SECOND, SECOND), Err(RateError::TooHigh));
        assert!(Rate::new(SECOND - 1, SECOND).is_ok());
        assert!(Rate::new(1, u64::MAX).is_ok());
        assert!(Rate::new(u64::MAX - 1, u64::MAX).is_ok());
    }

    #[test]
    fn a_token_arrives_on_time_after_any_number_of_years() {
        for (tokens, nanos) in
            [(1000, SECOND), (3, 7 * SECOND), (1, 24 * 3600 * SECOND), (5_000_000, SECOND), (999_999_937, SECOND)]
        {
            let rate = Rate::new(tokens, nanos).unwrap();
            for periods in [1, 2, 10_007, 500 * YEAR / nanos] {
                let now = periods * nanos;
                assert_eq!(
                    rate.arrived(now, Part::NONE),
                    periods * tokens,
                    "{tokens} per {nanos} ns, {periods} periods"
                );
                assert_eq!(rate.arrived(now - 1, Part::NONE), periods * tokens - 1);
                assert_eq!(rate.arrival(periods * tokens, Part::NONE), Some(now));
            }
        }
    }

    #[test]
    fn the_end_of_time_is_reached_without_overflow() {
        for (tokens, nanos) in [(1, 2), (1, u64::MAX), (u64::MAX - 1, u64::MAX), (SECOND - 1, SECOND), (3, 7 * SECOND)]
        {
            let rate = Rate::new(tokens, nanos).unwrap();
            let all = rate.arrived(u64::MAX, Part::NONE);
            assert_eq!(all, quotient(tokens, nanos, u64::MAX));
            assert!(rate.arrival(all, Part::NONE).is_some());
            assert_eq!(all.checked_add(1).and_then(|beyond| rate.arrival(beyond, Part::NONE)), None);
        }
    }

    proptest! {
        #[test]
        fn the_reciprocal_divides_exactly(a in any::<u64>(), b in any::<u64>(), now in any::<u64>(), shift in 0..64u32) {
            let (tokens, nanos) = (a.min(b) >> shift, a.max(b));
            prop_assume!(0 < tokens && tokens < nanos);
            let rate = Rate::new(tokens, nanos).unwrap();
            let arrived = |now| rate.arrived(now, Part::NONE);
            prop_assert_eq!(arrived(now), quotient(tokens, nanos, now));
            // The edges are where a product that is too high would show.
            let at = rate.arrival(arrived(now), Part::NONE).unwrap();
            prop_assert!(at <= now);
            prop_assert_eq!(arrived(at), quotient(tokens, nanos, at));
            prop_assert!(at == 0 || arrived(at - 1) < arrived(now));
        }

        #[test]
        fn a_token_of_which_a_part_was_there_arrives_on_time(
            a in any::<u64>(), b in any::<u64>(), now in any::<u64>(), shift in 0..64u32, part in any::<u128>(), fine in 0..128u32,
        ) {
            let (tokens, nanos) = (a.min(b) >> shift, a.max(b));
            prop_assume!(0 < tokens && tokens < nanos);
            let (rate, first) = (Rate::new(tokens, nanos).unwrap(), Part(part >> fine));
            let whole = rate.arrived(now, Part::NONE);
            prop_assert!((whole..=whole + 1).contains(&rate.arrived(now, first)));
            for arrived in [rate.arrived(now, first), rate.arrived(now, first).saturating_add(1)] {
                let Some(at) = rate.arrival(arrived, first) else { continue };
                prop_assert!(rate.arrived(at, first) >= arrived);
                prop_assert!(at == 0 || rate.arrived(at - 1, first) < arrived);
            }
        }
    }
}
