//! A rule's limiter for one key, as one core has it at hand.

use crate::decision::RuleName;
use crate::limit::{Limiter, Measure, Pinned};
use crate::stripe;
use sqlthrottle_cells::WindowShape;
use sqlthrottle_cells::sliding_window::{Lease, WindowCell};
use std::sync::Arc;

/// Most counts that a core takes beforehand. With 64, one check in 65 comes to the cell.
const MAX_BLOCK: u32 = 64;

/// What a core keeps of a rule for one key: the limiter, to be found without a look-up, and a block of counts taken from
/// it beforehand, so that most checks write to nothing that another core reads.
///
/// Whoever counts on a limiter for a core does so by the one that the core has at hand, so on one core nothing is refused
/// for counts that are taken and not spent.
#[derive(Debug)]
pub(super) struct AtHand {
    /// A copy of the rule's name, so that a decision which is handed out touches nothing that another core touches.
    name: RuleName,
    limiter: Arc<Limiter>,
    /// That of the limiter, if it is a window: the block is counted by it.
    shape: Option<Arc<WindowShape>>,
    lease: Lease,
    /// The maximum by which the block was taken.
    max: u32,
    /// Whether the block is one of attempts over the limit.
    floods: bool,
    /// The last block with what was counted together with it, and what was counted before it in the same epoch.
    taken: u32,
    recent: u32,
}

/// An attempt to be counted in a window.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attempted {
    /// How many executions.
    pub(super) n: u32,
    /// When.
    pub(super) now: u64,
    /// The most that the window may hold.
    pub(super) max: u32,
}

impl AtHand {
    pub(super) fn new(name: &RuleName, limiter: Arc<Limiter>) -> Self {
        let name = match name {
            RuleName::Threshold(name) => RuleName::Threshold(Arc::from(&**name)),
            RuleName::Rule(name) => RuleName::Rule(Arc::from(&**name)),
            name => name.clone(),
        };
        let shape = shape_of(&limiter);
        Self { name, limiter, shape, lease: Lease::default(), max: 0, floods: false, taken: 0, recent: 0 }
    }

    /// The name of the rule.
    #[inline]
    pub(super) fn name(&self) -> &RuleName {
        &self.name
    }

    /// The limiter; none where it has been let go, or is measured otherwise.
    #[inline]
    pub(super) fn limiter(&self, measure: &Measure) -> Option<Pinned> {
        if self.limiter.is_measured_by(measure) { Pinned::new(Arc::clone(&self.limiter)).ok() } else { None }
    }

    /// Keeps another limiter. What was taken of the one before goes with that.
    pub(super) fn keep(&mut self, limiter: Arc<Limiter>) {
        (self.lease, self.taken, self.recent) = (Lease::default(), 0, 0);
        self.shape = shape_of(&limiter);
        self.limiter = limiter;
    }

    /// Counts out of the block, if it holds so many, its epoch is still the newest and the rule says what it said when the block
    /// was taken: the same window and maximum, and where that is one of attempts over the limit, that all such are refused.
    /// Returns what the window is known to count with it.
    ///
    /// The block was charged to the limiter when it was taken, so it may be spent also where that is succeeded by another since:
    /// what it was charged for was taken over.
    #[inline]
    pub(super) fn spend(
        &mut self,
        measure: &Measure,
        Attempted { n, now, max }: Attempted,
        refuses_all: bool,
    ) -> Option<u32> {
        let shape = self.shape.as_ref()?;
        if max != self.max || self.floods && !refuses_all || !measure.is_window(shape) {
            return None;
        }
        self.lease.spend(shape, n, now)
    }

    /// Nanoseconds until the epoch of `now` is forgotten.
    pub(super) fn memory(&self, now: u64) -> u64 {
        self.shape.as_ref().map_or(0, |shape| shape.memory(now))
    }

    /// Counts on the window that is at hand, with a block for the counts to come; none where it has been let go, is measured
    /// otherwise, or was succeeded by another while this was counted: then that is to be counted again on the other.
    #[inline]
    pub(super) fn window<T>(&mut self, measure: &Measure, count: impl FnOnce(&mut Window<'_>) -> T) -> Option<T> {
        let Self { limiter, lease, max, floods, taken, recent, .. } = self;
        if !limiter.is_measured_by(measure) {
            return None;
        }
        let _pin = limiter.pins().pin()?;
        let (cell, shape) = limiter.window()?;
        let counted = count(&mut Window { cell, shape, lease, lease_max: max, floods, taken, recent });
        if limiter.is_succeeded() {
            *lease = Lease::default();
            return None;
        }
        Some(counted)
    }

    /// Gives back what was taken beforehand, for one who counts on the limiter by himself.
    pub(super) fn give_back(&mut self) {
        if let Some((cell, _)) = self.limiter.window() {
            self.lease.give_back(cell);
        }
        (self.taken, self.recent) = (0, 0);
    }

    /// The bytes it refers to and has to itself.
    pub(super) fn bytes(&self) -> usize {
        self.name.as_str().len()
    }
}

impl Drop for AtHand {
    /// What was taken beforehand is not lost with what took it.
    fn drop(&mut self) {
        if let Some(_pin) = self.limiter.pins().pin()
            && let Some((cell, _)) = self.limiter.window()
        {
            self.lease.give_back(cell);
        }
    }
}

fn shape_of(limiter: &Limiter) -> Option<Arc<WindowShape>> {
    limiter.window().map(|(_, shape)| Arc::clone(shape))
}

/// A window that a core has at hand and pinned.
pub(super) struct Window<'a> {
    cell: &'a WindowCell,
    shape: &'a WindowShape,
    lease: &'a mut Lease,
    lease_max: &'a mut u32,
    floods: &'a mut bool,
    taken: &'a mut u32,
    recent: &'a mut u32,
}

impl Window<'_> {
    /// Counts an attempt together with a block for the counts to come, if there is room for both. Returns what the window
    /// counts with the attempt; none where nothing was counted, and nothing is taken beforehand any more.
    ///
    /// A block is at most what the core has counted in the same epoch, and what all cores hold unspent at most half of what
    /// is left of the limit: a statement that is seldom sent takes nothing beforehand, and the last counts of a limit are
    /// taken one by one.
    pub(super) fn take_block(&mut self, Attempted { n, now, max }: Attempted) -> Option<u32> {
        // What the last block leaves is given back.
        let counted = self.lease.ran_out(self.shape, n, now).map(|left| self.taken.saturating_sub(left));
        *self.recent = counted.map_or(0, |counted| self.recent.saturating_add(counted));
        self.lease.give_back(self.cell);
        let room = max.saturating_sub(self.cell.total(self.shape, now)).saturating_sub(n);
        let cores = u32::try_from(stripe::count()).unwrap_or(u32::MAX);
        let block = (*self.recent).min(MAX_BLOCK).min(room / cores.saturating_mul(2));
        (*self.taken, *self.lease_max, *self.floods) = (n.saturating_add(block), max, false);
        self.lease.take(self.cell, self.shape, (n, block), now, max)
    }

    /// Counts an attempt over the limit, and a block for attempts to come, once this core alone has tried more than `max` in
    /// the epoch: nothing passes then until the epoch is forgotten. Returns what the window counts with the attempt. To be
    /// asked where [`take_block`](Self::take_block) found no room.
    pub(super) fn take_attempts(&mut self, Attempted { n, now, max }: Attempted) -> u32 {
        let block = if *self.recent > max { MAX_BLOCK } else { 0 };
        (*self.taken, *self.floods) = (n.saturating_add(block), true);
        self.lease.take_attempts(self.cell, self.shape, (n, block), now)
    }

    /// Nanoseconds until there is room for so many more.
    pub(super) fn retry_after(&self, Attempted { n, now, max }: Attempted) -> Option<u64> {
        self.cell.retry_after(self.shape, n, now, max)
    }
}
