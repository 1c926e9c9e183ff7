//! What a check reads first: which rules are in force, whether they are carried out, and the dialect of the file.

use crate::fingerprint::Dialect;
use crate::rule::Mode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

/// What is in force, in one word, so that no check sees a part of it before a change and a part after.
#[derive(Debug)]
pub(super) struct Current {
    word: AtomicU64,
    /// When the next rule expires, in nanoseconds since the Unix epoch; beyond all times where none does.
    expiry: AtomicU64,
}

/// What was in force at some moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct InForce(u64);

/// Bits for the dialect, and for it with the mode. The others count epochs: a million a second for five years.
const DIALECT_BITS: u32 = 4;
const LOW_BITS: u32 = DIALECT_BITS + 2;

impl Current {
    /// The first epoch.
    pub(super) fn new(mode: Mode, dialect: Dialect) -> Self {
        Self { word: AtomicU64::new(InForce::new(1, mode, dialect).0), expiry: AtomicU64::new(u64::MAX) }
    }

    #[inline]
    pub(super) fn get(&self) -> InForce {
        // Acquires the rule set that was stored before the epoch began.
        InForce(self.word.load(Ordering::Acquire))
    }

    /// Whether a rule may have expired by a time of day, which is read where any ever does.
    pub(super) fn is_over(&self, wall: impl FnOnce() -> SystemTime) -> bool {
        let expiry = self.expiry.load(Ordering::Acquire);
        expiry < u64::MAX && since_epoch(wall()) >= expiry
    }

    /// Says when the next rule expires.
    pub(super) fn expect(&self, expiry: Option<SystemTime>) {
        self.expiry.store(expiry.map_or(u64::MAX, since_epoch), Ordering::Release);
    }

    /// Begins an epoch in which what is remembered of every shape is to be looked at anew.
    pub(super) fn renew(&self) {
        self.word.fetch_add(1 << LOW_BITS, Ordering::AcqRel);
    }

    /// Begins an epoch with another mode and dialect, and returns it; none where another epoch than `now` has begun.
    pub(super) fn change(&self, now: InForce, mode: Mode, dialect: Dialect) -> Option<InForce> {
        let next = InForce::new(now.epoch() + 1, mode, dialect);
        self.word.compare_exchange(now.0, next.0, Ordering::AcqRel, Ordering::Acquire).ok().map(|_| next)
    }
}

/// Nanoseconds since the Unix epoch; zero before it, and 2554 for what is later.
fn since_epoch(time: SystemTime) -> u64 {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX - 1)
}

impl InForce {
    fn new(epoch: u64, mode: Mode, dialect: Dialect) -> Self {
        let place = |found: Option<usize>| found.unwrap_or(0) as u64;
        let mode = place(Mode::ALL.iter().position(|other| *other == mode));
        let dialect = place(Dialect::ALL.iter().position(|other| *other == dialect));
        Self(epoch << LOW_BITS | mode << DIALECT_BITS | dialect)
    }

    /// Grows with every change. What was remembered in another epoch is out of date.
    #[inline]
    pub(super) const fn epoch(self) -> u64 {
        self.0 >> LOW_BITS
    }

    #[inline]
    pub(super) fn mode(self) -> Mode {
        Mode::ALL[(self.0 >> DIALECT_BITS) as usize % 4 % Mode::ALL.len()]
    }

    /// The dialect of statements that do not say theirs.
    #[inline]
    pub(super) fn dialect(self) -> Dialect {
        Dialect::ALL[self.0 as usize % (1 << DIALECT_BITS) % Dialect::ALL.len()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_holds_every_mode_and_dialect() {
        let current = Current::new(Mode::Enforce, Dialect::Generic);
        let mut epoch = current.get().epoch();
        for mode in Mode::ALL {
            for dialect in Dialect::ALL {
                let before = current.get();
                assert_eq!(current.change(before, mode, dialect), Some(current.get()));
                assert_eq!(current.change(before, mode, dialect), None);
                current.renew();
                let now = current.get();
                assert_eq!((now.mode(), now.dialect(), now.epoch()), (mode, dialect, epoch + 2));
                epoch = now.epoch();
            }
        }
        assert!(Dialect::ALL.len() <= 1 << DIALECT_BITS);
    }
}
