//! The time that all threads share.

use std::sync::atomic::{AtomicU64, Ordering};

pub(crate) const MS: u64 = 1_000_000;
pub(crate) const SECOND: u64 = 1000 * MS;
pub(crate) const HOUR: u64 = 3600 * SECOND;
pub(crate) const YEAR: u64 = 365 * 24 * HOUR;

/// A clock that threads move, in nanoseconds.
#[derive(Default)]
pub(crate) struct Time {
    now: AtomicU64,
    /// The newest there ever was: no thread can have acted later.
    newest: AtomicU64,
    step: AtomicU64,
    /// How far small steps may still go in this round. A thread may be put to sleep between any two instructions, and a
    /// reservation is told from others by the laps of its ring for 32 of them: so it must not see more in one round.
    left: AtomicU64,
}

impl Time {
    pub(crate) fn now(&self) -> u64 {
        self.now.load(Ordering::SeqCst)
    }

    pub(crate) fn newest(&self) -> u64 {
        self.newest.load(Ordering::SeqCst)
    }

    /// Begins a round for limiters of which the shortest bucket is so long: the shortest ring has two.
    pub(crate) fn begin(&self, bucket: u64) {
        self.step.store(bucket / 8, Ordering::SeqCst);
        self.left.store(16 * 8, Ordering::SeqCst);
    }

    /// A small step, unless there have been enough in this round.
    pub(crate) fn step(&self) {
        let left = self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        if left.is_ok() {
            self.leap(self.step.load(Ordering::SeqCst));
        }
    }

    pub(crate) fn leap(&self, by: u64) {
        let mut now = self.now();
        loop {
            let next = now + by;
            // Before anyone can read it, so that the newest is never behind. One that nobody gets to read does no harm.
            self.newest.fetch_max(next, Ordering::SeqCst);
            match self.now.compare_exchange(now, next, Ordering::SeqCst, Ordering::SeqCst) {
                Ok(_) => return,
                Err(newer) => now = newer,
            }
        }
    }

    /// An hour back. Only while no thread works.
    pub(crate) fn step_back(&self) {
        self.now.store(self.now().saturating_sub(HOUR), Ordering::SeqCst);
    }

    /// Whether the end of the clock is near.
    pub(crate) fn is_late(&self) -> bool {
        self.now() > 500 * YEAR
    }
}
