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

/// Asserts that no interval of a length, both ends included, holds more than `most` of what happened at some moment between
/// two times each. An interval that holds both has to have room for it, and one that holds the most begins with an event.
pub(crate) fn assert_at_most(most: u64, length: u64, events: &[(u64, u64)]) {
    for (i, &(start, _)) in events.iter().enumerate() {
        let rest = events[i..].iter().take_while(|event| event.0 <= start + length);
        let within = rest.filter(|event| event.1 <= start + length).count() as u64;
        assert!(within <= most, "{within} within {length} ns from {start}");
    }
}
