//! A slot of the ring.

use super::{COUNT_BITS, MAX_COUNT};
use crate::sync::{AtomicU32, Ordering};
use crate::window_shape::TAG_BITS;
use std::fmt;

const _: () = assert!(TAG_BITS + COUNT_BITS == u32::BITS);

/// The count of one epoch, and the tag that tells which.
pub struct Slot(AtomicU32);

impl Slot {
    pub(super) fn new(word: u32) -> Self {
        Self(AtomicU32::new(word))
    }

    /// Acquires the head that the thread which wrote this word had seen, so a head read afterwards is no older.
    pub(super) fn word(&self) -> u32 {
        self.0.load(Ordering::Acquire)
    }

    pub(super) fn count(&self) -> u32 {
        count(self.word())
    }

    pub(super) fn tag(&self) -> u32 {
        tag(self.word())
    }

    /// Adds to the count and returns the tag it went to. It stays within its bits: the sum of all slots is at most the
    /// total. Releases the addition to the total that went before.
    pub(super) fn add(&self, n: u32) -> u32 {
        tag(self.0.fetch_add(n, Ordering::AcqRel))
    }

    /// Takes at least `least` and at most `most` out of the count, if the slot has that tag; 0 where it cannot.
    pub(super) fn take(&self, of_tag: u32, least: u32, most: u32) -> u32 {
        let mut old = self.word();
        loop {
            let taken = count(old).min(most);
            if tag(old) != of_tag || taken < least || taken == 0 {
                return 0;
            }
            match self.exchange(old, old - taken) {
                Ok(()) => return taken,
                Err(newer) => old = newer,
            }
        }
    }

    pub(super) fn exchange(&self, old: u32, new: u32) -> Result<(), u32> {
        self.0.compare_exchange(old, new, Ordering::AcqRel, Ordering::Acquire).map(drop)
    }
}

impl fmt::Debug for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Slot").field("tag", &self.tag()).field("count", &self.count()).finish()
    }
}

pub(super) const fn word(tag: u32, count: u32) -> u32 {
    tag << COUNT_BITS | count
}

pub(super) const fn tag(word: u32) -> u32 {
    word >> COUNT_BITS
}

pub(super) const fn count(word: u32) -> u32 {
    word & MAX_COUNT
}
