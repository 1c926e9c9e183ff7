//! A rule's limiter for one key, as one core has it at hand.

use crate::decision::RuleName;
use crate::limit::{Limiter, WindowLimiter};
use crate::stripe;
use sqlthrottle_cells::WindowShape;
use sqlthrottle_cells::sliding_window::Lease;
use std::sync::Arc;

/// Most counts that a core takes beforehand. With 64, one check in 65 comes to the cell.
const MAX_BLOCK: u32 = 64;

/// What a core keeps of a rule for one key: the limiter, to be found without a look-up, and a block of counts taken from
/// it beforehand, so that most checks write to nothing that another core reads.
///
/// Whoever counts on a limiter for a core does so by the one that the core has at hand, so on one core nothing is refused
/// for counts that are taken and not spent.
#[derive(Debug, Default)]
pub(super) struct AtHand {
    /// A copy of the rule's name, so that a decision which is handed out touches nothing that another core touches. None
    /// where this is not kept.
    name: Option<RuleName>,
    limiter: Option<Arc<WindowLimiter>>,
    lease: Lease,
    /// The last block with what was counted together with it, and what was counted before it in the same epoch.
    taken: u32,
    recent: u32,
}

impl AtHand {
    /// Nothing of a rule yet, to be kept by a core.
    pub(super) fn kept(name: &RuleName) -> Self {
        let name = match name {
            RuleName::Threshold(name) => RuleName::Threshold(Arc::from(&**name)),
            name => name.clone(),
        };
        Self { name: Some(name), limiter: None, lease: Lease::default(), taken: 0, recent: 0 }
    }

    /// Whether a core keeps it, and has it to itself now. What is not kept is used once, and takes nothing beforehand.
    #[inline]
    pub(super) fn is_kept(&self) -> bool {
        self.name.is_some()
    }

    /// The name of the rule, if it is kept.
    #[inline]
    pub(super) fn name(&self) -> Option<&RuleName> {
        self.name.as_ref()
    }

    /// The limiter, if it was found before; to be [put back](Self::put_back) after use.
    #[inline]
    pub(super) fn take_limiter(&mut self) -> Option<Arc<WindowLimiter>> {
        self.limiter.take()
    }

    /// Puts back the limiter that was taken.
    #[inline]
    pub(super) fn put_back(&mut self, limiter: Arc<WindowLimiter>) {
        self.limiter = Some(limiter);
    }

    /// Keeps the limiter of a rule that has but one, and never lets go of it.
    #[inline]
    pub(super) fn keep_only(&mut self, limiter: &Arc<WindowLimiter>) {
        self.limiter.get_or_insert_with(|| Arc::clone(limiter));
    }

    /// Forgets a limiter that was taken and is let go, with what was taken of it.
    pub(super) fn forget(&mut self) {
        (self.lease, self.taken, self.recent) = (Lease::default(), 0, 0);
    }

    /// Keeps another limiter. What was taken of the one before goes with that.
    pub(super) fn keep(&mut self, limiter: Arc<WindowLimiter>) {
        self.forget();
        self.limiter = Some(limiter);
    }

    /// Counts `n` out of the block, if it holds so many and its epoch is still the newest. Returns what the window is known
    /// to count with it.
    #[inline]
    pub(super) fn spend(&mut self, shape: &WindowShape, n: u32, now: u64) -> Option<u32> {
        self.lease.spend(shape, n, now)
    }

    /// Begins another block: what the last one leaves is given back.
    fn begin_block(&mut self, limiter: &WindowLimiter, shape: &WindowShape, n: u32, now: u64) {
        let counted = self.lease.ran_out(shape, n, now).map(|left| self.taken.saturating_sub(left));
        self.recent = counted.map_or(0, |counted| self.recent.saturating_add(counted));
        self.lease.give_back(limiter.window());
    }

    /// Gives back what was taken beforehand, for one who counts on the limiter by himself.
    pub(super) fn give_back(&mut self, limiter: &WindowLimiter) {
        self.lease.give_back(limiter.window());
        self.forget();
    }

    /// Counts `n` on its limiter together with a block for the counts to come, if there is room for both. Returns what the
    /// window counts with the `n`; none where nothing was counted, and nothing is taken beforehand any more.
    ///
    /// A block is at most what the core has counted in the same epoch, and what all cores hold unspent at most half of what
    /// is left of the limit: a statement that is seldom sent takes nothing beforehand, and the last counts of a limit are
    /// taken one by one.
    pub(super) fn take_block(
        &mut self,
        limiter: &WindowLimiter,
        shape: &WindowShape,
        n: u32,
        now: u64,
        max: u32,
    ) -> Option<u32> {
        self.begin_block(limiter, shape, n, now);
        let room = max.saturating_sub(limiter.window().total(shape, now)).saturating_sub(n);
        let cores = u32::try_from(stripe::count()).unwrap_or(u32::MAX);
        let block = self.recent.min(MAX_BLOCK).min(room / cores.saturating_mul(2));
        self.taken = n.saturating_add(block);
        self.lease.take(limiter.window(), shape, (n, block), now, max)
    }

    /// Counts `n` on its limiter, over the limit, and a block for attempts to come, once this core alone has tried more than
    /// `max` in the epoch: nothing passes then until the epoch is forgotten. Returns what the window counts with the `n`. To
    /// be asked where [`take_block`](Self::take_block) found no room.
    pub(super) fn take_attempts(
        &mut self,
        limiter: &WindowLimiter,
        shape: &WindowShape,
        n: u32,
        now: u64,
        max: u32,
    ) -> u32 {
        let block = if self.recent > max { MAX_BLOCK } else { 0 };
        self.taken = n.saturating_add(block);
        self.lease.take_attempts(limiter.window(), shape, (n, block), now)
    }

    /// The bytes it refers to and has to itself.
    pub(super) fn bytes(&self) -> usize {
        self.name.as_ref().map_or(0, |name| name.as_str().len())
    }
}

impl Drop for AtHand {
    /// What was taken beforehand is not lost with what took it.
    fn drop(&mut self) {
        if let Some(limiter) = &self.limiter
            && let Some(_pin) = limiter.pins().pin()
        {
            self.lease.give_back(limiter.window());
        }
    }
}
