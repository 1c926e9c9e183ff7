//! The exact proportion of over-limit statements that a strategy is applied to.

use crate::rule::read_share;
use sqlthrottle_cells::share_counter::{ShareCounter, handles};
use std::fmt;
use std::str::FromStr;

/// A proportion `p/q` with `0 < p <= q`.
///
/// Of any `k` consecutive over-limit statements, `floor(kp/q)` or `ceil(kp/q)` are handled. The k-th, counted from 1, is
/// handled where `floor(kp/q)` exceeds `floor((k-1)p/q)`, so at 2/3 the first passes.
///
/// Written and read as in a rule file:
///
/// ```
/// use sqlthrottle::Share;
///
/// assert_eq!("4/6".parse::<Share>()?.to_string(), "2/3");
/// assert_eq!("1".parse(), Ok(Share::ALL));
/// assert_eq!("0.5".parse::<Share>().unwrap_err().to_string(), "`0.5` is not a proportion of two whole numbers; did you mean `1/2`?");
/// # Ok::<(), sqlthrottle::InvalidShare>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Share {
    p: u32,
    q: u32,
}

impl Share {
    /// Every over-limit statement.
    pub const ALL: Self = Self { p: 1, q: 1 };

    /// The proportion `p/q` in its lowest terms; none unless `0 < p <= q`.
    pub const fn new(p: u32, q: u32) -> Option<Self> {
        if p == 0 || p > q {
            return None;
        }
        let (mut divisor, mut rest) = (q, p);
        while rest > 0 {
            (divisor, rest) = (rest, divisor % rest);
        }
        Some(Self { p: p / divisor, q: q / divisor })
    }

    /// Whether every over-limit statement is handled.
    pub const fn is_all(self) -> bool {
        self.p == self.q
    }

    /// Whether the k-th over-limit statement, counted from 1, is handled.
    pub const fn handles(self, k: u64) -> bool {
        handles(self.p, self.q, k)
    }

    /// Whether the next over-limit statement that the counter sees is handled.
    pub(crate) fn draw(self, counter: &ShareCounter) -> bool {
        counter.draw(self.p, self.q)
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.p, self.q)
    }
}

/// A text that is no share. The message says what would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidShare(String);

impl fmt::Display for InvalidShare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InvalidShare {}

impl FromStr for Share {
    type Err = InvalidShare;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        read_share(text).map_err(|misread| InvalidShare(format!("{}; {}", misread.found, misread.expected)))
    }
}
