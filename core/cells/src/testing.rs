//! What the tests of all limiters share: the log of all events, schedules, and spans of time.

mod event_log;
mod schedule;

pub(crate) use event_log::EventLog;
pub(crate) use schedule::step;

/// Nanoseconds of a millisecond.
pub(crate) const MS: u64 = 1_000_000;
/// Nanoseconds of a second.
pub(crate) const SECOND: u64 = 1000 * MS;
/// Nanoseconds of an hour.
pub(crate) const HOUR: u64 = 3600 * SECOND;
/// Nanoseconds of a year.
pub(crate) const YEAR: u64 = 365 * 24 * HOUR;

/// The next of a row of numbers that look random: Knuth's generator, of which the high bits are the good ones.
pub(crate) const fn next_random(random: u64) -> u64 {
    random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407)
}
