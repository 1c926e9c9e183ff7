//! What tells the numbers that one engine hands out from those of another.

use ahash::RandomState;
use std::num::NonZeroU64;

/// Turns the numbers that an engine counts by into numbers that mean nothing to another engine, and back.
///
/// Every engine counts its permits and tickets from the same start, and a process may have several engines. So a number
/// leaves its engine combined with a word that is drawn when the engine is made: one that comes to a wrong engine is one of
/// `2^64` there, and hardly ever one that is out. Clones of an engine have the word in common, as a child has it after a fork.
///
/// It keeps mistakes apart, and is no secret: who is handed a number may work out the next.
#[derive(Debug)]
pub(super) struct Seal(u64);

impl Seal {
    /// Of an engine that is made just now.
    pub(super) fn new() -> Self {
        Self(RandomState::new().hash_one(0))
    }

    /// The number to hand out; none for the one number of which it would be zero, which stands for nothing everywhere.
    #[inline]
    pub(super) const fn put_on(&self, number: u64) -> Option<NonZeroU64> {
        NonZeroU64::new(number ^ self.0)
    }

    /// The number that was handed out so.
    #[inline]
    pub(super) const fn take_off(&self, sealed: NonZeroU64) -> u64 {
        sealed.get() ^ self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_comes_back_to_its_own_engine_and_as_another_to_others() {
        let (one, other) = (Seal::new(), Seal::new());
        for number in [0, 1, 64, 1 << 32, u64::MAX] {
            let sealed = one.put_on(number).unwrap();
            assert_eq!(one.take_off(sealed), number);
            assert_ne!(other.take_off(sealed), number);
        }
    }

    #[test]
    fn zero_is_no_number() {
        let seal = Seal::new();
        assert_eq!(seal.put_on(seal.0), None);
    }
}
