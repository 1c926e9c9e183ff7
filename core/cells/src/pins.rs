//! Whether a cell is in use, so that it is let go only while it is not.

#[cfg(test)]
#[cfg(loom)]
mod model;

use crate::sync::{AtomicU32, Ordering};

/// Set once the cell is let go, or succeeded by another.
const RETIRED: u32 = 1 << 31;

/// How many threads are counting on a cell just now, and whether it has been let go.
///
/// A table lets a cell go by [`retire`](Self::retire), and then looks at what it counts: whoever pins it before is seen,
/// whoever comes later is told. References to the cell may outlive it in caches; they are of no use any more, and harmless.
///
/// A cell that is to be measured otherwise is [superseded](Self::supersede) instead, whoever has it pinned: nobody would ever
/// find one in use by others all the time without a pin. Another cell takes over what it counts, and whoever has counted on
/// it asks [`is_retired`](Self::is_retired) afterwards: where it is not, the count was taken over; where it is, that is not
/// known, and the count is to be made again on the cell that came after.
///
/// # Invariants
///
/// 1. While a pin is held, the cell is not let go.
/// 2. What was counted under a pin is seen by the thread that lets the cell go.
/// 3. Of what is counted by a change of one word of the cell, the thread that supersedes it, and then changes that word itself,
///    if only to what it is already, sees all that is not told afterwards that the cell is retired.
///
/// The third holds without an order of everything between the two words. Of two changes of one word one is the later: either
/// the count is among what the other thread reads, or the count reads what that has written, and with it that the cell is
/// retired.
#[derive(Debug, Default)]
pub struct Pins(AtomicU32);

/// A cell is kept from being let go while this lives.
#[derive(Debug)]
#[must_use = "the cell may be let go as soon as this is dropped"]
pub struct Pin<'a>(&'a Pins);

impl Pin<'_> {
    /// Keeps the cell until [`Pins::unpin`]: for one who owns a reference to it, which a borrow of it cannot go with.
    pub fn keep(self) {
        std::mem::forget(self);
    }
}

impl Pins {
    /// Of a cell that nobody uses.
    #[must_use]
    pub fn new() -> Self {
        Self(AtomicU32::new(0))
    }

    /// Keeps the cell from being let go; none where it has been already.
    #[inline]
    pub fn pin(&self) -> Option<Pin<'_>> {
        let pin = Pin(self);
        // Acquires what a revival released. A pin of a retired cell changes nothing: its bit stays, and the count goes back.
        if self.0.fetch_add(1, Ordering::Acquire) & RETIRED == 0 { Some(pin) } else { None }
    }

    /// Ends a pin that was [kept](Pin::keep). Once for each.
    #[inline]
    pub fn unpin(&self) {
        // Releases what was counted to the thread that retires the cell.
        self.0.fetch_sub(1, Ordering::Release);
    }

    /// Has the cell succeeded by another, whoever is using it.
    pub fn supersede(&self) {
        self.0.fetch_or(RETIRED, Ordering::AcqRel);
    }

    /// Whether the cell has been let go, or is succeeded by another.
    #[inline]
    #[must_use]
    pub fn is_retired(&self) -> bool {
        self.0.load(Ordering::Acquire) & RETIRED != 0
    }

    /// Lets the cell go, unless someone is using it. Returns whether it did.
    pub fn retire(&self) -> bool {
        let unused = if cfg!(mutant = "eviction_in_use") { self.0.load(Ordering::Relaxed) & !RETIRED } else { 0 };
        self.0.compare_exchange(unused, RETIRED, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    /// Forgets who is counting, after a fork: threads of the parent do not exist in the child. Only where no other thread
    /// uses the cell.
    pub fn clear(&self) {
        self.0.fetch_and(RETIRED, Ordering::Relaxed);
    }

    /// Takes a retired cell back: it turned out to count something. Only for the thread that retired it.
    pub fn revive(&self) {
        self.0.fetch_and(!RETIRED, Ordering::Release);
    }
}

impl Drop for Pin<'_> {
    #[inline]
    fn drop(&mut self) {
        self.0.unpin();
    }
}

#[cfg(test)]
#[cfg(not(loom))]
mod tests {
    use super::*;

    #[test]
    fn a_cell_in_use_is_not_let_go() {
        let pins = Pins::new();
        let (one, two) = (pins.pin().unwrap(), pins.pin().unwrap());
        assert!(!pins.retire());
        drop(one);
        assert!(!pins.retire());
        drop(two);
        assert!(pins.retire());
    }

    #[test]
    fn a_cell_in_use_is_superseded_and_its_users_are_told() {
        let pins = Pins::new();
        let pin = pins.pin().unwrap();
        assert!(!pins.is_retired());
        pins.supersede();
        assert!(pins.is_retired() && pins.pin().is_none());
        drop(pin);
        assert!(pins.is_retired() && pins.pin().is_none() && !pins.retire());
    }

    #[test]
    fn a_cell_that_was_let_go_is_not_used_until_it_is_taken_back() {
        let pins = Pins::new();
        assert!(pins.retire());
        assert!(pins.pin().is_none());
        assert!(pins.pin().is_none(), "an attempt leaves nothing behind");
        pins.revive();
        drop(pins.pin().unwrap());
        assert!(pins.retire());
    }
}
