//! What a rule says of its token buckets.

use super::Rate;

/// The shape of a token bucket: how many tokens it holds, and how fast they come.
///
/// Belongs to the rule, not to its cells. The capacity may differ from one call to the next. A change of the rate takes a
/// new cell, which [`TokenBucketCell::succeeding`](super::TokenBucketCell::succeeding) makes from what the old one counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TokenBucketShape {
    capacity: u32,
    rate: Rate,
}

impl TokenBucketShape {
    /// A bucket of so many tokens, filled at that rate. One without capacity lets nothing pass.
    pub const fn new(capacity: u32, rate: Rate) -> Self {
        Self { capacity, rate }
    }

    /// Tokens that a full bucket holds.
    pub const fn capacity(&self) -> u32 {
        self.capacity
    }

    /// How fast tokens come.
    pub const fn rate(&self) -> &Rate {
        &self.rate
    }

    /// The most that a bucket counts as spent: an empty bucket, and once more as much in attempts that found it empty.
    pub(super) const fn most_spent(&self) -> u64 {
        2 * self.capacity as u64
    }
}
