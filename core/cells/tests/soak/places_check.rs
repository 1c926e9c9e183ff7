//! The places of concurrency limits that threads hold.

use sqlthrottle_cells::concurrency::{ConcurrencyCell, Permit};
use std::sync::atomic::{AtomicI64, Ordering};

/// A place that a thread holds.
#[derive(Debug)]
pub(crate) struct Held {
    pub(crate) permit: Permit,
    /// The end of its lease.
    pub(crate) until: u64,
}

impl Held {
    /// Gives it back. What is not over by `newest` has to be there to be given back.
    pub(crate) fn release(self, cell: &ConcurrencyCell, newest: impl Fn() -> u64) {
        let is_released = cell.release(self.permit);
        assert!(is_released || self.until <= newest(), "a place was lost before its lease lapsed");
        assert!(!cell.release(self.permit), "a place was given back twice");
    }
}

/// How many places of a limiter whose leases never lapse threads know they hold.
#[derive(Debug, Default)]
pub(crate) struct Known(AtomicI64);

impl Known {
    /// One more, after it was acquired.
    pub(crate) fn acquired(&self, max: u32) {
        let others = self.0.fetch_add(1, Ordering::SeqCst);
        assert!(others < i64::from(max), "{others} places of {max} were held, and one was given");
    }

    /// One less, before it is given back.
    pub(crate) fn releasing(&self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Checks that just those places are held whose lease runs. Only while no thread works.
pub(crate) fn check<'a>(cell: &ConcurrencyCell, held: impl Iterator<Item = &'a Held>, newest: u64) {
    cell.reap(newest);
    let running = held.filter(|held| held.until > newest).count();
    assert_eq!(cell.in_use() as usize, running, "places in use, and places whose lease runs");
}
