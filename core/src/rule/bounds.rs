//! The least and greatest value of every field, stated once for files and for rules built in code.

use super::quantity::{Bytes, Millionths, Misread, Quantity, Wrong, quoted};
use sqlthrottle_cells::fixed_window::FixedWindowShape;
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
    pub(crate) missing: &'static str,
    pub(crate) empty: &'static str,
    pub(crate) too_long: &'static str,
    pub(crate) too_many: &'static str,
    pub(crate) duplicate: &'static str,
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
            Wrong::Empty => self.empty,
            Wrong::TooLong => self.too_long,
            Wrong::TooMany => self.too_many,
            Wrong::Duplicate => self.duplicate,
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
            missing: concat!($field, ".missing"),
            empty: concat!($field, ".empty"),
            too_long: concat!($field, ".too_long"),
            too_many: concat!($field, ".too_many"),
            duplicate: concat!($field, ".duplicate"),
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

impl<T: Copy> Bounds<T> {
    /// The same bounds for another field.
    const fn of(&self, codes: Codes) -> Self {
        bounds(codes, self.min, self.max)
    }

    /// The same from another least value.
    const fn from(self, min: T) -> Self {
        Self { min, ..self }
    }
}

const HOUR: Duration = Duration::from_secs(3_600);
const MINUTE: Duration = Duration::from_secs(60);
const MILLISECOND: Duration = Duration::from_millis(1);

/// A limiter's cell counts in 26 bits; what is left above the bound absorbs weights and races.
pub(crate) const MAX_COUNT: Bounds<u32> = bounds(codes!("threshold.max_count"), 1, 60_000_000);
/// The least window holds one bucket of the least length.
pub(crate) const WINDOW: Bounds<Duration> =
    bounds(codes!("threshold.window"), LEAST_BUCKET, Duration::from_secs(366 * 86_400));
/// Finer than this, a window only costs memory: at 240 buckets the coarseness is below half a percent.
pub(crate) const BUCKETS: Bounds<u32> = bounds(codes!("threshold.buckets"), 1, 240);
/// A bucket below a millisecond measures the scheduler rather than the statements.
pub(crate) const LEAST_BUCKET: Duration = MILLISECOND;
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

/// Zero is never, and besides them.
pub(crate) const WATCH: Bounds<Duration> = bounds(codes!("watch"), Duration::from_millis(100), HOUR);

pub(crate) const TOKEN_BUCKET_CAPACITY: Bounds<u32> = MAX_COUNT.of(codes!("rule.limit.token_bucket.capacity"));
/// Only its codes are used: a [`Rate`](super::Rate) is bounded by its form.
pub(crate) const TOKEN_BUCKET_RATE: Codes = codes!("rule.limit.token_bucket.rate");
pub(crate) const SLIDING_WINDOW_MAX: Bounds<u32> = MAX_COUNT.of(codes!("rule.limit.sliding_window.max"));
pub(crate) const SLIDING_WINDOW_WINDOW: Bounds<Duration> = WINDOW.of(codes!("rule.limit.sliding_window.window"));
pub(crate) const SLIDING_WINDOW_BUCKETS: Bounds<u32> = BUCKETS.of(codes!("rule.limit.sliding_window.buckets"));
pub(crate) const FIXED_WINDOW_MAX: Bounds<u32> = MAX_COUNT.of(codes!("rule.limit.fixed_window.max"));
pub(crate) const FIXED_WINDOW_WINDOW: Bounds<Duration> = WINDOW.of(codes!("rule.limit.fixed_window.window"));
/// Every place that is held has an entry in a table.
pub(crate) const CONCURRENCY_MAX: Bounds<u32> = bounds(codes!("rule.limit.concurrency.max"), 1, 1_000_000);
pub(crate) const CONCURRENCY_LEASE: Bounds<Duration> = WINDOW.of(codes!("rule.limit.concurrency.lease"));

pub(crate) const THEN_SHARE: Codes = codes!("rule.then.share");
pub(crate) const THEN_DELAY: Bounds<Duration> = DELAY.of(codes!("rule.then.delay"));
pub(crate) const THEN_MAX_DELAY: Bounds<Duration> = MAX_DELAY.of(codes!("rule.then.max_delay"));
pub(crate) const THEN_MAX_DELAYED: Bounds<u32> = MAX_DELAYED.of(codes!("rule.then.max_delayed"));

pub(crate) const CONNECT_TIMEOUT: Bounds<Duration> =
    bounds(codes!("cluster.redis.connect_timeout"), MILLISECOND, MINUTE);
pub(crate) const TIMEOUT: Bounds<Duration> = bounds(codes!("cluster.redis.timeout"), MILLISECOND, MINUTE);
pub(crate) const POOL: Bounds<u32> = bounds(codes!("cluster.redis.pool"), 1, 1_024);
pub(crate) const LEASE_FRACTION: Bounds<Millionths> =
    bounds(codes!("cluster.lease.fraction"), Millionths(0), Millionths(1_000_000));
pub(crate) const LEASE_TTL: Bounds<Duration> = bounds(codes!("cluster.lease.ttl"), MILLISECOND, HOUR);

/// What `on_failure` may say of a limit of its own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FailureBounds {
    pub(crate) codes: Codes,
    pub(crate) max: Bounds<u32>,
    pub(crate) window: Bounds<Duration>,
    pub(crate) share: Codes,
}

/// Its window is counted in the default number of buckets.
const FAILURE_WINDOW: Bounds<Duration> = WINDOW.from(Duration::from_millis(12));
pub(crate) const CLUSTER_ON_FAILURE: FailureBounds = FailureBounds {
    codes: codes!("cluster.on_failure"),
    max: MAX_COUNT.of(codes!("cluster.on_failure.max")),
    window: FAILURE_WINDOW.of(codes!("cluster.on_failure.window")),
    share: codes!("cluster.on_failure.share"),
};
pub(crate) const RULE_ON_FAILURE: FailureBounds = FailureBounds {
    codes: codes!("rule.on_failure"),
    max: MAX_COUNT.of(codes!("rule.on_failure.max")),
    window: FAILURE_WINDOW.of(codes!("rule.on_failure.window")),
    share: codes!("rule.on_failure.share"),
};

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

/// Reads `watch`: a duration within [`WATCH`], or zero for never.
pub(crate) fn read_watch(text: &str) -> Result<Duration, Misread> {
    let duration = Duration::read(text)?;
    check_watch(duration).map(|()| duration)
}

/// The same for one that was built in code.
pub(crate) fn check_watch(watch: Duration) -> Result<(), Misread> {
    if watch.is_zero() {
        return Ok(());
    }
    WATCH
        .check(watch)
        .map(drop)
        .map_err(|misread| Misread { expected: misread.expected + ", or `0` for never", ..misread })
}

/// Whether the buckets of a window are long enough; both are within their own bounds.
pub(crate) fn bucket_length(window: Duration, buckets: u32) -> Result<(), Misread> {
    let least = LEAST_BUCKET * buckets;
    if window >= least {
        return Ok(());
    }
    let most = window.as_nanos() / LEAST_BUCKET.as_nanos();
    let (window, least) = (window.write(), least.write());
    let fewer = if most > 1 { " or fewer" } else { "" };
    Err(Misread::new(
        Wrong::TooLarge,
        format!("{buckets} buckets divide a window of `{window}` into parts below a millisecond"),
        format!("write `buckets: {most}`{fewer}, or a window of at least `{least}`"),
    ))
}

/// Whether a fixed window counts so many; both are within their own bounds.
pub(crate) fn fixed_window_max(max: u32, window: Duration) -> Result<(), Misread> {
    let nanos = u64::try_from(window.as_nanos()).unwrap_or(u64::MAX);
    let most = FixedWindowShape::new(nanos, 0).map_or(0, |shape| shape.max_limit());
    if max <= most {
        return Ok(());
    }
    let window = window.write();
    Err(Misread::new(
        Wrong::TooLarge,
        format!("{max} in `{window}` are more than a window as short as that counts"),
        format!("write `{most}` or less, or a longer window"),
    ))
}
