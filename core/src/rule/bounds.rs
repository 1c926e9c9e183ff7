//! The least and greatest value of every field, stated once for files and for rules built in code.

use super::quantity::{Bytes, Misread, Quantity, Wrong, quoted};
use std::time::Duration;

/// The fault codes of one field.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Codes {
    pub(crate) wrong_type: &'static str,
    pub(crate) malformed: &'static str,
    pub(crate) unknown: &'static str,
    pub(crate) negative: &'static str,
    pub(crate) zero: &'static str,
    pub(crate) divided_by_zero: &'static str,
    pub(crate) too_small: &'static str,
    pub(crate) too_large: &'static str,
}

impl Codes {
    /// The code of a field that is wrong in this way.
    pub(crate) const fn of(&self, wrong: Wrong) -> &'static str {
        match wrong {
            Wrong::Type => self.wrong_type,
            Wrong::Malformed => self.malformed,
            Wrong::Unknown => self.unknown,
            Wrong::Negative => self.negative,
            Wrong::Zero => self.zero,
            Wrong::DividedByZero => self.divided_by_zero,
            Wrong::TooSmall => self.too_small,
            Wrong::TooLarge => self.too_large,
        }
    }
}

/// The codes of a field: `codes!("threshold.window")`.
macro_rules! codes {
    ($field:literal) => {
        $crate::rule::bounds::Codes {
            wrong_type: concat!($field, ".wrong_type"),
            malformed: concat!($field, ".malformed"),
            unknown: concat!($field, ".unknown"),
            negative: concat!($field, ".negative"),
            zero: concat!($field, ".zero"),
            divided_by_zero: concat!($field, ".divided_by_zero"),
            too_small: concat!($field, ".too_small"),
            too_large: concat!($field, ".too_large"),
        }
    };
}
pub(crate) use codes;

/// What a field may hold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds<T> {
    pub(crate) codes: Codes,
    min: T,
    max: T,
}

const fn bounds<T>(codes: Codes, min: T, max: T) -> Bounds<T> {
    Bounds { codes, min, max }
}

const HOUR: Duration = Duration::from_secs(3_600);

/// A limiter's cell counts in 26 bits; what is left above the bound absorbs weights and races.
pub(crate) const MAX_COUNT: Bounds<u32> = bounds(codes!("threshold.max_count"), 1, 60_000_000);
/// The least window holds one bucket of the least length.
pub(crate) const WINDOW: Bounds<Duration> =
    bounds(codes!("threshold.window"), LEAST_BUCKET, Duration::from_secs(366 * 86_400));
/// Finer than this, a window only costs memory: at 240 buckets the coarseness is below half a percent.
pub(crate) const BUCKETS: Bounds<u32> = bounds(codes!("threshold.buckets"), 1, 240);
/// A bucket below a millisecond measures the scheduler rather than the statements.
pub(crate) const LEAST_BUCKET: Duration = Duration::from_millis(1);
/// A host holds a connection, and often a thread, while it waits.
pub(crate) const DELAY: Bounds<Duration> = bounds(codes!("threshold.delay"), Duration::from_nanos(1), HOUR);
/// As for [`DELAY`].
pub(crate) const MAX_DELAY: Bounds<Duration> = bounds(codes!("threshold.max_delay"), Duration::from_nanos(1), HOUR);
/// Every waiting statement keeps a ticket.
pub(crate) const MAX_DELAYED: Bounds<u32> = bounds(codes!("threshold.max_delayed"), 1, 100_000);
/// Only its codes are used: the values of a proportion are bounded by its form.
pub(crate) const RATE: Codes = codes!("threshold.rate");

pub(crate) const MAX_KEYS: Bounds<usize> = bounds(codes!("limits.max_keys"), 1, 50_000_000);
pub(crate) const MAX_RULES: Bounds<usize> = bounds(codes!("limits.max_rules"), 1, 100_000);
pub(crate) const WARN_RULES: Bounds<usize> = bounds(codes!("limits.warn_rules"), 1, 100_000);
pub(crate) const MAX_SQL_BYTES: Bounds<Bytes> = bounds(codes!("limits.max_sql_bytes"), Bytes(64), Bytes(1 << 30));
/// The greatest fits every pointer width.
pub(crate) const CACHE_BYTES: Bounds<Bytes> = bounds(codes!("limits.cache_bytes"), Bytes(64 << 10), Bytes(2 << 30));

impl<T: Quantity> Bounds<T> {
    /// Reads a value and checks it.
    pub(crate) fn read(&self, text: &str) -> Result<T, Misread> {
        match T::read(text) {
            Ok(value) => self.check(value),
            Err(misread) if matches!(misread.wrong, Wrong::TooLarge | Wrong::Negative) => {
                Err(Misread { expected: self.range(), ..misread })
            }
            Err(misread) => Err(misread),
        }
    }

    /// The value, where it is within the bounds.
    pub(crate) fn check(&self, value: T) -> Result<T, Misread> {
        let (wrong, how) = if value.is_zero() && !self.min.is_zero() {
            (Wrong::Zero, "zero")
        } else if value < self.min {
            (Wrong::TooSmall, "too small")
        } else if value > self.max {
            (Wrong::TooLarge, "too large")
        } else {
            return Ok(value);
        };
        let found = match wrong {
            Wrong::Zero => "zero".to_owned(),
            _ => format!("{} is {how}", quoted(&value.write())),
        };
        Err(Misread::new(wrong, found, self.range()))
    }

    /// What would be right.
    fn range(&self) -> String {
        format!("write {} from `{}` to `{}`", T::NOUN, self.min.write(), self.max.write())
    }
}
