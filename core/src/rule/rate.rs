//! How fast tokens come back to a bucket.

use std::time::Duration;

/// So many tokens in so much time: below one a nanosecond, and at least one in 366 days.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rate {
    tokens: u32,
    per: Duration,
}

impl Rate {
    /// So many tokens in each `per`; none unless it is within the bounds.
    pub const fn new(tokens: u32, per: Duration) -> Option<Self> {
        let possible = tokens > 0 && (tokens as u128) < per.as_nanos() && per.as_secs() <= 366 * 86_400;
        if possible { Some(Self { tokens, per }) } else { None }
    }

    /// So many tokens a second; none for zero and for a billion and more.
    pub const fn per_second(tokens: u32) -> Option<Self> {
        Self::new(tokens, Duration::from_secs(1))
    }

    /// How many tokens come back in each [`per`](Self::per).
    pub const fn tokens(self) -> u32 {
        self.tokens
    }

    /// In what time they come back.
    pub const fn per(self) -> Duration {
        self.per
    }
}
