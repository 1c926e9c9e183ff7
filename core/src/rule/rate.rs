//! How fast tokens come back to a bucket.

use super::quantity::{rate, write_rate};
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// So many tokens in so much time: below one a nanosecond, and at least one in 366 days.
///
/// Written and read as in a rule file:
///
/// ```
/// use sqlthrottle::rule::Rate;
///
/// assert_eq!("1000/s".parse(), Ok(Rate::per_second(1_000).unwrap()));
/// assert_eq!("10/60s".parse::<Rate>()?.to_string(), "10/m");
/// assert!("1000".parse::<Rate>().unwrap_err().to_string().contains("did you mean `1000/s`?"));
/// # Ok::<(), sqlthrottle::rule::InvalidRate>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rate {
    tokens: u32,
    per: Duration,
}

impl Rate {
    /// So many tokens in each `per`; none unless it is within the bounds.
    pub const fn new(tokens: u32, per: Duration) -> Option<Self> {
        let possible = tokens > 0
            && (tokens as u128) < per.as_nanos()
            && (per.as_secs() < 366 * 86_400 || (per.as_secs() == 366 * 86_400 && per.subsec_nanos() == 0));
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

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&write_rate(*self))
    }
}

/// A text that is no rate. The message says what would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidRate(String);

impl fmt::Display for InvalidRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InvalidRate {}

impl FromStr for Rate {
    type Err = InvalidRate;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        rate(text).map_err(|misread| InvalidRate(format!("{}; {}", misread.found, misread.expected)))
    }
}
