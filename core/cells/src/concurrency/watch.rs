//! When to look for lapsed leases, and where.

use crate::sync::{AtomicU32, AtomicU64, Ordering};
use std::ops::Range;

/// The end of no lease.
const NEVER: u64 = u64::MAX;

/// A time before which no lease lapses, and a hand that goes round the places when it has come.
///
/// # Invariant
///
/// At rest, the earlier of `due` and `next` is no later than the end of any lease that runs. Every lease that begins is
/// noted in `next`, and so is every one that the hand finds running. When the hand has gone round, `next` becomes `due`:
/// each lease that runs then either was there for the hand to find, or began meanwhile.
///
/// While a thread that has part of a round to look at sleeps, the rest may be done without what it finds. The leases there
/// are noted when it wakes up, and if they lapse meanwhile they are found that much later.
pub(super) struct Watch {
    due: AtomicU64,
    next: AtomicU64,
    /// The place to be looked at next.
    hand: AtomicU32,
}

impl Watch {
    pub(super) fn new() -> Self {
        Self { due: AtomicU64::new(NEVER), next: AtomicU64::new(NEVER), hand: AtomicU32::new(0) }
    }

    /// Whether a lease may have lapsed.
    #[inline]
    pub(super) fn is_due(&self, now: u64) -> bool {
        now >= self.due.load(Ordering::Acquire) || now >= self.next.load(Ordering::Acquire)
    }

    /// Notes a lease that runs, after it can be found. It is seldom the first to end of those noted, so this is mostly one
    /// load.
    #[inline]
    pub(super) fn note(&self, until: u64) {
        if until < self.next.load(Ordering::Acquire) {
            self.next.fetch_min(until, Ordering::AcqRel);
        }
    }

    /// The next places to look at, at most so many of those there are, and whether they complete a round.
    pub(super) fn claim(&self, most: u32, places: u32) -> (Range<u32>, bool) {
        let mut hand = self.hand.load(Ordering::Relaxed);
        loop {
            let start = if hand < places { hand } else { 0 };
            let end = start.saturating_add(most).min(places);
            let is_last = end == places;
            let moved = if is_last { 0 } else { end };
            match self.hand.compare_exchange(hand, moved, Ordering::AcqRel, Ordering::Relaxed) {
                Ok(_) => return (start..end, is_last),
                Err(newer) => hand = newer,
            }
        }
    }

    /// Begins a new round, when all leases that the last one found are noted.
    pub(super) fn turn(&self) {
        // Between the two, the old time is due still: one looks once too often, not once too little.
        let next = self.next.swap(NEVER, Ordering::AcqRel);
        self.due.store(next, Ordering::Release);
    }

    /// Forgets all leases. Only for a watch that no other thread uses.
    pub(super) fn clear(&self) {
        self.due.store(NEVER, Ordering::Relaxed);
        self.next.store(NEVER, Ordering::Relaxed);
        self.hand.store(0, Ordering::Relaxed);
    }
}
