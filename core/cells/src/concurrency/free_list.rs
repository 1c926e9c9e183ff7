//! The places that were held and are free again.

use super::places::Places;
use crate::sync::{AtomicU64, Ordering};

/// Bits for the place on top: 0 for none, else its number and one.
const TOP_BITS: u32 = 21;
const TOP: u64 = (1 << TOP_BITS) - 1;

const _: () = assert!((Places::MAX as u64) < TOP);

/// A stack of free places, linked through the places themselves: Treiber, "Systems Programming: Coping with Parallelism"
/// (IBM RJ 5118, 1986). The last one released is the first one held again, so few places are touched.
///
/// Beside the place on top the head has a tag of 43 bits that changes with it. A thread that read the link of a place,
/// slept, and finds the same place on top takes a wrong link for the right one only if the tag came round meanwhile: after
/// eight million million changes, days at any speed, and to the very same number.
pub(super) struct FreeList(AtomicU64);

impl FreeList {
    pub(super) fn new() -> Self {
        Self(AtomicU64::new(0))
    }

    /// Takes a place off the list, which is then the caller's alone.
    pub(super) fn pop(&self, places: &Places) -> Option<u32> {
        // Acquires the links of all that are on the list, and what their last holders did.
        let mut head = self.0.load(Ordering::Acquire);
        loop {
            let index = (head & TOP).checked_sub(1)? as u32;
            // The end of a lease, where another thread took it first and holds it: then the head has changed.
            let next = places.get(index)?.link() & TOP;
            match self.0.compare_exchange(head, with_top(head, next), Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return Some(index),
                Err(newer) => head = newer,
            }
        }
    }

    /// Puts a place on the list that is the caller's alone.
    pub(super) fn push(&self, places: &Places, index: u32) {
        let Some(place) = places.get(index) else {
            return;
        };
        let mut head = self.0.load(Ordering::Relaxed);
        loop {
            place.set_link(head & TOP);
            match self.0.compare_exchange(
                head,
                with_top(head, u64::from(index) + 1),
                Ordering::AcqRel,
                Ordering::Relaxed,
            ) {
                Ok(_) => return,
                Err(newer) => head = newer,
            }
        }
    }

    /// Forgets all places. Only for a list that no other thread uses.
    pub(super) fn clear(&self) {
        let head = self.0.load(Ordering::Relaxed);
        self.0.store(with_top(head, 0), Ordering::Relaxed);
    }
}

/// The head that comes after this one.
const fn with_top(head: u64, top: u64) -> u64 {
    ((head >> TOP_BITS).wrapping_add(1) << TOP_BITS) | top
}
