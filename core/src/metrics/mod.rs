//! What the rules of an engine have done so far.

mod json;
mod prometheus;
mod snapshot;

pub use snapshot::{RuleMode, RuleStats, Snapshot, Waits};

use crate::decision::Verdict;
use crate::stripe::Striped;
use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering};

/// The counters of one rule, kept apart for each core. Each is exact by itself; a snapshot taken under load may catch one a
/// check ahead of another.
#[derive(Debug)]
pub(crate) struct Counters(Striped<Counts>);

/// What one core has counted of a rule.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) passed: Counter,
    pub(crate) passed_over: Counter,
    pub(crate) aborted: Counter,
    pub(crate) ignored: Counter,
    pub(crate) delayed: Counter,
    pub(crate) outranked: Counter,
    pub(crate) resumed: Counter,
    pub(crate) aborted_waiting: Counter,
    pub(crate) lapsed: Counter,
    pub(crate) would_abort: Counter,
    pub(crate) would_ignore: Counter,
    pub(crate) would_delay: Counter,
    /// When the core last matched the rule, in nanoseconds by the rule's clock; zero for never, or at the very beginning.
    last: AtomicU64,
}

impl Default for Counters {
    fn default() -> Self {
        Self(Striped::new(Counts::default))
    }
}

/// A core counts on its own.
impl Deref for Counters {
    type Target = Counts;

    #[inline]
    fn deref(&self) -> &Counts {
        self.0.mine()
    }
}

impl Counters {
    /// Those of a core.
    #[inline]
    pub(crate) fn of_core(&self, number: usize) -> &Counts {
        self.0.of(number)
    }

    /// What all cores have counted.
    pub(crate) fn sum(&self, counter: impl Fn(&Counts) -> &Counter) -> u64 {
        self.0.iter().map(|counts| counter(counts).get()).sum()
    }

    /// When the rule was last matched, in nanoseconds by its clock; none where it never was.
    pub(crate) fn last(&self) -> Option<u64> {
        (self.matched() > 0).then(|| self.0.iter().map(|counts| counts.last.load(Ordering::Relaxed)).max().unwrap_or(0))
    }

    /// The checks that the rule took part in: what became of each is counted once.
    pub(crate) fn matched(&self) -> u64 {
        let each = |counts: &Counts| {
            let Counts { passed, passed_over, aborted, ignored, delayed, outranked, .. } = counts;
            [passed, passed_over, aborted, ignored, delayed, outranked].map(Counter::get)
        };
        self.0.iter().flat_map(each).sum()
    }
}

impl Counts {
    /// Takes note of when the rule was matched.
    #[inline]
    pub(crate) fn match_at(&self, now: u64) {
        self.last.store(now, Ordering::Relaxed);
    }

    /// Counts a refusal that is carried out.
    pub(crate) fn refused(&self, verdict: Verdict, alone: bool) {
        match verdict {
            Verdict::Allow | Verdict::RefillNeeded | Verdict::ThresholdNeeded => {}
            Verdict::Abort => self.aborted.add_if_alone(alone),
            Verdict::Ignore => self.ignored.add_if_alone(alone),
            Verdict::Delay => self.delayed.add_if_alone(alone),
        }
    }

    /// Counts a refusal that reaches nobody.
    pub(crate) fn would_refuse(&self, verdict: Verdict) {
        match verdict {
            Verdict::Allow | Verdict::RefillNeeded | Verdict::ThresholdNeeded => {}
            Verdict::Abort => self.would_abort.add(),
            Verdict::Ignore => self.would_ignore.add(),
            Verdict::Delay => self.would_delay.add(),
        }
    }
}

/// A counter of what one core does, of which most is done by the thread that has the core's table. It orders nothing else.
#[derive(Debug, Default)]
pub(crate) struct Counter {
    /// Counted by the thread that has the table: one at a time.
    alone: AtomicU64,
    /// Counted by any other.
    shared: AtomicU64,
}

impl Counter {
    /// Counts one.
    pub(crate) fn add(&self) {
        self.shared.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts one, for the thread that has the core's table to itself: cheaper, because no other can come between two steps.
    #[inline]
    pub(crate) fn add_alone(&self) {
        self.alone.store(self.alone.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }

    fn add_if_alone(&self, alone: bool) {
        if alone { self.add_alone() } else { self.add() }
    }

    pub(crate) fn get(&self) -> u64 {
        self.alone.load(Ordering::Relaxed) + self.shared.load(Ordering::Relaxed)
    }
}
