//! The cell of a fixed window: how much happened in the window that the clock is in.

mod shape;

#[cfg(test)]
#[cfg(loom)]
mod model;
#[cfg(test)]
#[cfg(not(loom))]
mod properties;
#[cfg(test)]
#[cfg(not(loom))]
mod tests;

pub use shape::{FixedWindowShape, WindowTooShort};

pub use crate::sliding_window::Exceeded;
use crate::sync::{AtomicU64, Ordering};
use std::fmt;

/// How much is counted in a fixed window.
///
/// One word: the number of the newest window seen, and the count in it. Numbers take the upper bits, as many as the
/// windows of 584 years need at this length, so they never come round: a year of idleness or five hundred are alike, and
/// a later window is told from an earlier one by comparing words.
///
/// Times are nanoseconds of a monotone clock since its zero. An older time counts as one in the newest window seen, so a
/// clock that steps back reopens no window that is over.
///
/// # Invariants
///
/// 1. In each window at most `max` is acquired, or counted with a total of at most `max`. Two windows side by side may give
///    twice that within less than one window's time: it is what fixed windows are.
/// 2. The number never falls.
///
/// There is nothing to repair after a fork: whatever happens is one change of one word.
pub struct FixedWindowCell(AtomicU64);

#[cfg(not(loom))]
const _: () = assert!(size_of::<FixedWindowCell>() == 8);

/// A count that was acquired, and can be given back once.
#[derive(Debug, PartialEq, Eq)]
#[must_use = "a reservation that is not undone is spent"]
pub struct Reservation {
    number: u64,
    n: u32,
    total: u32,
}

impl Reservation {
    /// What the window counted with it.
    pub const fn total(&self) -> u32 {
        self.total
    }
}

impl FixedWindowCell {
    /// A cell that has counted nothing, at any time.
    pub fn new() -> Self {
        Self(AtomicU64::new(0))
    }

    /// A cell that takes over what an `old` one counts, when the window's length or its offset changes: in the window that
    /// `now` lies in, or where the clock is behind, in the one in which the newest window of the old cell begins.
    ///
    /// What is counted on the old cell from now on is not taken over. A changed limit takes no new cell: it comes with every
    /// call.
    pub fn succeeding((old, old_shape): (&Self, &FixedWindowShape), shape: &FixedWindowShape, now: u64) -> Self {
        let newest = Count::of(old.word(), old_shape);
        let now = now.max(old_shape.start(newest.number));
        let total = newest.at(old_shape, now).total.min(shape.max_count());
        Self(AtomicU64::new(Count { number: shape.number(now), total }.word(shape)))
    }

    /// Counts `n` whatever the total, and returns the total with it; the attempt is within a limit that is not below it.
    pub fn count_attempt(&self, shape: &FixedWindowShape, n: u32, now: u64) -> u32 {
        loop {
            let word = self.word();
            let count = Count::of(word, shape).at(shape, now);
            let total = count.total.saturating_add(n).min(shape.max_count());
            let next = Count { total, ..count }.word(shape);
            // A full count is not written again by a flood.
            if next == word || self.exchange(word, next) {
                return total;
            }
        }
    }

    /// Counts `n` if the total with it is at most `max`. A refusal writes nothing.
    ///
    /// # Errors
    ///
    /// [`Exceeded`], and nothing is counted, when the total would be more than `max`.
    #[inline]
    pub fn try_acquire(&self, shape: &FixedWindowShape, n: u32, now: u64, max: u32) -> Result<Reservation, Exceeded> {
        let max = max.min(shape.max_limit());
        loop {
            let word = self.word();
            let Count { number, total } = Count::of(word, shape).at(shape, now);
            if n > max || total > max - n {
                return Err(Exceeded { total });
            }
            let total = total + n;
            if self.exchange(word, Count { number, total }.word(shape)) {
                return Ok(Reservation { number, n, total });
            }
        }
    }

    /// Gives back what was acquired, unless its window is over: then it is forgotten already, and to take it from the count
    /// of another window would admit more than the limit there.
    #[expect(clippy::needless_pass_by_value, reason = "what is taken by value cannot be undone twice")]
    pub fn undo(&self, shape: &FixedWindowShape, reservation: Reservation) {
        let Reservation { number, n, .. } = reservation;
        loop {
            let word = self.word();
            let count = Count::of(word, shape);
            if count.number != number {
                return;
            }
            let total = count.total.saturating_sub(n);
            if self.exchange(word, Count { number, total }.word(shape)) {
                return;
            }
        }
    }

    /// What counts now. Writes nothing.
    pub fn total(&self, shape: &FixedWindowShape, now: u64) -> u32 {
        Count::of(self.word(), shape).at(shape, now).total
    }

    /// Nanoseconds until `n` more are within `max` if nothing else happens; none where `n` alone is beyond it, or no other
    /// window begins within the 584 years of a clock. Exact: one nanosecond less is too early.
    pub fn retry_after(&self, shape: &FixedWindowShape, n: u32, now: u64, max: u32) -> Option<u64> {
        let room = max.min(shape.max_limit()).checked_sub(n)?;
        let count = Count::of(self.word(), shape).at(shape, now);
        if count.total <= room {
            return Some(0);
        }
        let next = count.number + 1;
        let start = shape.start(next);
        (shape.number(start) == next).then(|| start.saturating_sub(now))
    }

    /// Changes nothing, but after all counts that were made before, and before all that are made from now on: for who takes
    /// over what the cell counts while others may still be at it.
    pub fn fence(&self) {
        self.0.fetch_add(0, Ordering::AcqRel);
    }

    /// Whether the cell equals a new one, so that nothing is lost with it.
    pub fn is_fresh(&self, shape: &FixedWindowShape, now: u64) -> bool {
        self.total(shape, now) == 0
    }

    /// Nothing else is published by the word, so it orders nothing.
    fn word(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Acquires what was done before a [fence](Self::fence), if there was one.
    fn exchange(&self, old: u64, new: u64) -> bool {
        self.0.compare_exchange(old, new, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }
}

impl Default for FixedWindowCell {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for FixedWindowCell {
    /// Where the number ends and the count begins depends on the shape, so the word is shown as it is.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FixedWindowCell({:#018x})", self.word())
    }
}

/// What a word says: how much is counted in which window.
#[derive(Clone, Copy)]
struct Count {
    number: u64,
    total: u32,
}

impl Count {
    #[inline]
    fn of(word: u64, shape: &FixedWindowShape) -> Self {
        Self { number: word >> shape.count_bits(), total: word as u32 & shape.max_count() }
    }

    #[inline]
    fn word(self, shape: &FixedWindowShape) -> u64 {
        self.number << shape.count_bits() | u64::from(self.total)
    }

    /// The same count, or none where a later window has begun.
    #[inline]
    fn at(self, shape: &FixedWindowShape, now: u64) -> Self {
        if shape.is_in(self.number, now) {
            return self;
        }
        let number = shape.number(now);
        if number > self.number { Self { number, total: 0 } } else { self }
    }
}
