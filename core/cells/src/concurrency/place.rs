//! A place that can be held.

use crate::sync::{AtomicU64, Ordering};

/// A place: free, or held until it is released or its lease lapses.
///
/// Zeroed memory is a place that was never held, which is how [`Places`](super::places::Places) makes many at once.
#[repr(C)]
pub(super) struct Place {
    /// Even while it is free, odd while it is held, and one more with each change: the odd ones are the generations, which
    /// never come round.
    state: AtomicU64,
    /// The end of the lease while it is held, the link of the free list while it is in that. Whoever reads it for the one
    /// when it is the other finds out when the state, or the head of the list, is not what it was.
    link: AtomicU64,
}

/// What a place shows to one who looks for lapsed leases.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Look {
    Free,
    /// Held, until that time.
    Held(u64),
    /// Its lease had lapsed, and it is now the caller's to put on the free list.
    Taken,
}

impl Place {
    #[cfg(loom)]
    pub(super) fn new() -> Self {
        Self { state: AtomicU64::new(0), link: AtomicU64::new(0) }
    }

    /// Holds a place that is the caller's alone, and returns its generation.
    pub(super) fn hold(&self, until: u64) -> u64 {
        let generation = self.state.load(Ordering::Relaxed) + 1;
        self.link.store(until, Ordering::Relaxed);
        // Releases the end of the lease to those who look.
        self.state.store(generation, Ordering::Release);
        generation
    }

    /// Ends the use of that generation. Just one caller is told that it did, and the place is that one's to put on the
    /// free list.
    pub(super) fn end(&self, generation: u64) -> bool {
        let ended = generation.wrapping_add(1);
        is_held(generation)
            && self.state.compare_exchange(generation, ended, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }

    /// Ends its use if the lease has lapsed.
    pub(super) fn look(&self, now: u64) -> Look {
        let state = self.state.load(Ordering::Acquire);
        if !is_held(state) {
            return Look::Free;
        }
        // The lease of this generation or, where the place has changed since, whatever is there; then ending it fails.
        let until = self.link.load(Ordering::Relaxed);
        if now < until {
            Look::Held(until)
        } else if self.end(state) {
            Look::Taken
        } else {
            Look::Free
        }
    }

    /// Ends its use, if any. Only for a place that no other thread uses.
    pub(super) fn clear(&self) {
        let state = self.state.load(Ordering::Relaxed);
        self.state.store(state + u64::from(is_held(state)), Ordering::Relaxed);
    }

    pub(super) fn link(&self) -> u64 {
        self.link.load(Ordering::Relaxed)
    }

    /// Links a place that is the caller's alone.
    pub(super) fn set_link(&self, link: u64) {
        self.link.store(link, Ordering::Relaxed);
    }
}

const fn is_held(state: u64) -> bool {
    state % 2 == 1
}
