//! When to look for lapsed leases, and where.

use crate::sync::{AtomicU32, AtomicU64, Ordering};
use std::ops::Range;

/// The end of no lease.
const NEVER: u64 = u64::MAX;

/// A time before which no lease lapses, and a hand that goes round the places when it has come.
///
/// One thread at a time moves the hand. Others do not wait for it: they go on as if nothing had lapsed, so one that is put
/// to sleep there makes lapsed places be found later, and delays nobody.
///
/// # Invariant
///
/// At rest, the earlier of `due` and `next` is no later than the end of any lease that runs. Every lease that begins is
/// noted in `next`, and so is every one that the hand finds running. When the hand has gone round, `next` becomes `due`:
/// each lease that runs then either was there for the hand to find in this round, or began meanwhile.
pub(super) struct Watch {
    due: AtomicU64,
    next: AtomicU64,
    /// The place to be looked at next.
    hand: AtomicU32,
    /// 1 while a thread moves the hand.
    taken: AtomicU32,
}

impl Watch {
    pub(super) fn new() -> Self {
        Self {
            due: AtomicU64::new(NEVER),
            next: AtomicU64::new(NEVER),
            hand: AtomicU32::new(0),
            taken: AtomicU32::new(0),
        }
    }

    /// Whether a lease may have lapsed.
    #[inline]
    pub(super) fn is_due(&self, now: u64) -> bool {
        now >= self.due.load(Ordering::Acquire) || now >= self.next.load(Ordering::Acquire)
    }

    /// Notes a lease that has begun, after it can be found.
    ///
    /// It is seldom the first to end, and yet a look whether it is would not do: one that sees the time from before a turn
    /// passes for noted in a round that did not find it. What is changed, even by nothing, is the latest there is; and the
    /// turn that follows acquires it, so the next round finds the lease.
    #[inline]
    pub(super) fn note(&self, until: u64) {
        self.next.fetch_min(until, Ordering::AcqRel);
    }

    /// Takes the hand, unless another thread has it.
    pub(super) fn take_hand(&self) -> Option<Hand<'_>> {
        let taken = self.taken.compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed);
        // Only made where it was taken: to drop another would give it back in the middle of what its owner does.
        taken.is_ok().then(|| Hand(self))
    }

    /// Forgets all leases, and whoever had the hand. Only for a watch that no other thread uses.
    pub(super) fn clear(&self) {
        self.due.store(NEVER, Ordering::Relaxed);
        self.next.store(NEVER, Ordering::Relaxed);
        self.hand.store(0, Ordering::Relaxed);
        self.taken.store(0, Ordering::Relaxed);
    }
}

/// The hand, in the hands of the one thread that may move it.
pub(super) struct Hand<'a>(&'a Watch);

impl Hand<'_> {
    /// Moves the hand past the next places, at most so many of those there are, and says whether they complete a round.
    pub(super) fn pass(&self, most: u32, places: u32) -> (Range<u32>, bool) {
        let hand = self.0.hand.load(Ordering::Relaxed);
        let start = hand.min(places);
        let end = start.saturating_add(most).min(places);
        // Back to the start at once: there may be more places by the time of the next round.
        let completes_round = end == places;
        self.0.hand.store(if completes_round { 0 } else { end }, Ordering::Relaxed);
        (start..end, completes_round)
    }

    /// Notes a lease that was found running. Nobody else turns, so here a look will do.
    pub(super) fn note(&self, until: u64) {
        if until < self.0.next.load(Ordering::Acquire) {
            self.0.note(until);
        }
    }

    /// Begins a new round, when all leases that the hand found running in the last one are noted.
    pub(super) fn turn(&self) {
        let next = self.0.next.swap(NEVER, Ordering::AcqRel);
        self.0.due.store(next, Ordering::Release);
    }
}

impl Drop for Hand<'_> {
    fn drop(&mut self) {
        self.0.taken.store(0, Ordering::Release);
    }
}

#[cfg(test)]
#[cfg(not(loom))]
mod tests {
    use super::*;

    #[test]
    fn a_hand_that_is_taken_is_not_given_back_by_those_who_wanted_it() {
        let watch = Watch::new();
        let hand = watch.take_hand().unwrap();
        assert!(watch.take_hand().is_none());
        assert!(watch.take_hand().is_none());
        drop(hand);
        assert!(watch.take_hand().is_some());
    }
}
