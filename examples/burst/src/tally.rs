//! What became of the statements of one kind.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counters that the clients write and the live line reads.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    passed: AtomicU64,
    refused: AtomicU64,
    failed: AtomicU64,
}

/// What became of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The database ran it.
    Passed,
    /// It never got there.
    Refused,
    /// The database answered with an error.
    Failed,
}

/// A tally at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) passed: u64,
    pub(crate) refused: u64,
    pub(crate) failed: u64,
}

impl Tally {
    pub(crate) fn add(&self, outcome: Outcome) {
        let counter = match outcome {
            Outcome::Passed => &self.passed,
            Outcome::Refused => &self.refused,
            Outcome::Failed => &self.failed,
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn counts(&self) -> Counts {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Counts { passed: read(&self.passed), refused: read(&self.refused), failed: read(&self.failed) }
    }
}

impl Counts {
    /// All of them.
    pub(crate) fn sent(self) -> u64 {
        self.passed + self.refused + self.failed
    }

    /// What has come since an earlier moment.
    pub(crate) fn since(self, earlier: Self) -> Self {
        Self {
            passed: self.passed - earlier.passed,
            refused: self.refused - earlier.refused,
            failed: self.failed - earlier.failed,
        }
    }

    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            passed: self.passed + other.passed,
            refused: self.refused + other.refused,
            failed: self.failed + other.failed,
        }
    }
}
