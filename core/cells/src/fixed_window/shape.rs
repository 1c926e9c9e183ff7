//! How time is divided into fixed windows, and how their numbers are kept.

use std::fmt;

/// The shape of a fixed window: how long it is, and where windows begin.
///
/// Belongs to the rule, not to its cells. Window `k` spans `k * length .. (k + 1) * length` nanoseconds on a clock that is
/// `offset` ahead of the one whose times come with the calls: with the offset of the wall clock from a monotone one, read
/// once, windows of a minute begin with the minutes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FixedWindowShape {
    /// Nanoseconds.
    length: u64,
    /// Nanoseconds, less than the length.
    offset: u64,
    /// Bits of a word that hold the count; the others hold the number of any window there can be.
    count_bits: u32,
}

/// A window is shorter than [`FixedWindowShape::MIN_NANOS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WindowTooShort;

impl fmt::Display for WindowTooShort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a window lasts at least {} ns", FixedWindowShape::MIN_NANOS)
    }
}

impl std::error::Error for WindowTooShort {}

impl FixedWindowShape {
    /// Shortest window, in nanoseconds: a millisecond.
    pub const MIN_NANOS: u64 = 1_000_000;

    /// A limit that a window of any length can have: what [`FixedWindowShape::max_limit`] is for the shortest.
    pub const SAFE_LIMIT: u32 = (1 << 19) - 2;

    /// A window of that length, on a clock that is `offset` nanoseconds ahead. Only what remains of the offset after whole
    /// windows matters.
    ///
    /// # Errors
    ///
    /// When the window is too short.
    pub const fn new(length_nanos: u64, offset_nanos: u64) -> Result<Self, WindowTooShort> {
        if length_nanos < Self::MIN_NANOS {
            return Err(WindowTooShort);
        }
        // One more than the quotient, as the offset may push the end of time into the next window. So numbers never come
        // round, and what is left to the count is least for the shortest windows: half a million a millisecond.
        let last_number = u64::MAX / length_nanos + 1;
        let left = last_number.leading_zeros();
        let count_bits = if left < u32::BITS { left } else { u32::BITS - 1 };
        Ok(Self { length: length_nanos, offset: offset_nanos % length_nanos, count_bits })
    }

    /// The length of a window, in nanoseconds.
    pub const fn length_nanos(&self) -> u64 {
        self.length
    }

    /// The most a cell counts in a window. What exceeds it is not told apart.
    pub const fn max_count(&self) -> u32 {
        (1 << self.count_bits) - 1
    }

    /// The highest limit: one below the most that is counted, so that what exceeds it can be told.
    pub const fn max_limit(&self) -> u32 {
        self.max_count() - 1
    }

    pub(super) const fn count_bits(&self) -> u32 {
        self.count_bits
    }

    /// The number of the window that `now` lies in.
    #[inline]
    pub(super) const fn number(&self, now: u64) -> u64 {
        let next = now % self.length >= self.length - self.offset;
        now / self.length + next as u64
    }

    /// Whether `now` lies in the window of that number, for certain; a hot cell is spared a division.
    #[inline]
    pub(super) const fn is_in(&self, number: u64, now: u64) -> bool {
        if number == 0 {
            return now < self.length - self.offset;
        }
        // The window of a number that was reached begins within the span of time, so this start is exact. A difference that
        // comes round is that of a time before the last window of all, which counts as one in it.
        let start = number.wrapping_mul(self.length).wrapping_sub(self.offset);
        now.wrapping_sub(start) < self.length
    }

    /// The time at which a window begins: zero for one that has begun before, the end of time for one that never does.
    pub(super) const fn start(&self, number: u64) -> u64 {
        // In 128 bits, since a product out of the range of 64 may be a time still, by the offset.
        let start = (number as u128 * self.length as u128).saturating_sub(self.offset as u128);
        if start < u64::MAX as u128 { start as u64 } else { u64::MAX }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    #[test]
    fn short_windows_are_refused() {
        assert_eq!(FixedWindowShape::new(MS - 1, 0), Err(WindowTooShort));
        assert_eq!(FixedWindowShape::new(0, 7), Err(WindowTooShort));
        assert!(FixedWindowShape::new(MS, u64::MAX).is_ok());
        assert!(FixedWindowShape::new(u64::MAX, u64::MAX).is_ok());
    }

    #[test]
    fn windows_begin_where_the_offset_says() {
        let shape = FixedWindowShape::new(1000 * MS, 300 * MS).unwrap();
        assert_eq!((shape.number(0), shape.number(700 * MS - 1), shape.number(700 * MS)), (0, 0, 1));
        assert_eq!((shape.start(0), shape.start(1), shape.start(2)), (0, 700 * MS, 1700 * MS));
        let later = FixedWindowShape::new(1000 * MS, 86_400_300 * MS).unwrap();
        assert_eq!(shape, later, "whole windows of an offset do not matter");
    }

    #[test]
    fn numbers_and_counts_fit_their_bits() {
        for length in [MS, MS + 1, 67 * MS, 1000 * MS, 3_600_000 * MS, u64::MAX / 2, u64::MAX] {
            for offset in [0, 1, length / 2, length - 1] {
                let shape = FixedWindowShape::new(length, offset).unwrap();
                let last = shape.number(u64::MAX);
                assert_eq!(last << shape.count_bits() >> shape.count_bits(), last, "{length} ns, {offset} ns ahead");
                assert!(shape.max_limit() >= FixedWindowShape::SAFE_LIMIT);
                assert!(shape.start(last) > u64::MAX - length);
                assert!(shape.is_in(last, u64::MAX) && shape.is_in(0, 0));
                assert!(last == 0 || !shape.is_in(0, u64::MAX));
                assert!(shape.start(last + 1) == u64::MAX || shape.number(shape.start(last + 1)) == last + 1);
            }
        }
        let shortest = FixedWindowShape::new(MS, 0).unwrap();
        assert_eq!(shortest.max_limit(), FixedWindowShape::SAFE_LIMIT);
        assert_eq!(FixedWindowShape::new(u64::MAX, 0).unwrap().max_count(), (1 << 31) - 1);
    }
}
