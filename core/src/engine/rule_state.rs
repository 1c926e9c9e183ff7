//! What a rule has counted so far: what stays when the rules are read again.

use super::waiting::Places;
use crate::decision::RuleName;
use crate::metrics::Counters;
use crate::quota::KeyTable;
use crate::rule::Part;
use sqlthrottle_cells::share_counter::ShareCounter;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The limiters and counters of a rule.
///
/// It follows the rule's [`Identity`] from one rule set to the next, so that a file which is read again, with other maxima or
/// another window, forgets nothing.
#[derive(Debug)]
pub(super) struct RuleState {
    /// One that no other rule of the engine has, or ever had.
    pub(super) number: u32,
    pub(super) identity: Identity,
    pub(super) limiters: KeyTable,
    /// The draws of the share, where the rule has no limiters.
    pub(super) share: ShareCounter,
    pub(super) counters: Counters,
    pub(super) places: Places,
    expired: AtomicBool,
    /// Until when the cluster that counts for it is taken not to answer, by the precise clock; zero where it does.
    failed: AtomicU64,
}

/// What tells whether a rule of one file is the rule of another: its name, the kind of its limiter and what it counts by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Identity {
    pub(super) name: RuleName,
    pub(super) limit: &'static str,
    pub(super) per: Box<[Part]>,
}

impl RuleState {
    pub(super) fn new(number: u32, identity: Identity, max_keys: usize) -> Self {
        Self {
            number,
            limiters: KeyTable::new(if identity.per.is_empty() { 1 } else { max_keys }),
            identity,
            share: ShareCounter::new(),
            counters: Counters::default(),
            places: Places::default(),
            expired: AtomicBool::new(false),
            failed: AtomicU64::new(0),
        }
    }

    /// Allows another number of keys, if it counts by any.
    pub(super) fn set_max_keys(&self, max_keys: usize) {
        if !self.identity.per.is_empty() {
            self.limiters.set_max_keys(max_keys);
        }
    }

    pub(super) fn name(&self) -> &RuleName {
        &self.identity.name
    }

    /// Ends the rule, once and for all: a wall clock that is set back does not bring it back. Returns whether it is this call
    /// that did. What it has counted is let go [off the check](super::Inner::tidy): it may be a million keys.
    pub(super) fn expire(&self) -> bool {
        !self.expired.swap(true, Ordering::AcqRel)
    }

    /// Takes note that the cluster does not answer, and is not to be asked until then: by a rule, not by a key, so that a
    /// cluster which is down is not asked for each of many keys.
    pub(super) fn fail(&self, until: u64) {
        self.failed.fetch_max(until, Ordering::AcqRel);
    }

    /// For how many nanoseconds from now on the cluster is not to be asked; none where it is.
    pub(super) fn failure(&self, now: impl FnOnce() -> u64) -> Option<u64> {
        match self.failed.load(Ordering::Acquire) {
            0 => None,
            until => until.checked_sub(now()).filter(|left| *left > 0),
        }
    }

    pub(super) fn is_expired(&self) -> bool {
        self.expired.load(Ordering::Acquire)
    }
}
