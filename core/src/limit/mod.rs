//! Limiters: the state of one rule for one key.

mod credit;
mod measure;
mod sliding_window;

pub(crate) use credit::{Credit, SetAside};
pub(crate) use measure::{Measure, nanos};
pub use sliding_window::{SlidingWindow, WindowError};

use crate::clock::Reading;
use sqlthrottle_cells::WindowShape;
use sqlthrottle_cells::claim::Claim;
use sqlthrottle_cells::concurrency::ConcurrencyCell;
use sqlthrottle_cells::fixed_window::{FixedWindowCell, FixedWindowShape};
use sqlthrottle_cells::pins::{Pin, Pins};
use sqlthrottle_cells::share_counter::ShareCounter;
use sqlthrottle_cells::sliding_window::{Slot, WindowCell};
use sqlthrottle_cells::token_bucket::{TokenBucketCell, TokenBucketShape};
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// The state of one rule for one key: a cell that counts, the draws of its share, and who is counting on it just now.
///
/// It knows how it is measured, so that what a check read of it stays true for that check even if the rules change
/// meanwhile: rules with another measure bring a limiter that [succeeds](Limiter::succeeding) it. Maxima are no part of
/// that; they come with every call.
///
/// Whoever lets something pass by what he counted on it looks afterwards whether it [is succeeded](Limiter::is_succeeded), and if
/// so counts on the successor instead. What was counted on both may be refused early there; never does too much pass.
pub(crate) struct Limiter<C: ?Sized = dyn Cell> {
    share: ShareCounter,
    pins: Pins,
    cell: C,
}

/// A cell with its measure.
pub(crate) trait Cell: Send + Sync {
    /// The same, of its kind.
    fn kind(&self) -> CellKind<'_>;

    /// What a cluster has granted, where it counts for the rule.
    fn credit(&self) -> Option<&Credit> {
        None
    }
}

/// A cell of a known kind, with its measure.
#[derive(Clone, Copy)]
pub(crate) enum CellKind<'a> {
    SlidingWindow(&'a WindowCell, &'a Arc<WindowShape>),
    TokenBucket(&'a TokenBucketCell, &'a Arc<TokenBucketShape>),
    FixedWindow(&'a FixedWindowCell, &'a Arc<FixedWindowShape>),
    Concurrency(&'a ConcurrencyCell),
}

/// A credit, and what counts in this process when the cluster does not answer.
struct Credited {
    credit: Credit,
    local: Arc<Limiter>,
}

impl Cell for Credited {
    fn kind(&self) -> CellKind<'_> {
        self.local.cell()
    }

    fn credit(&self) -> Option<&Credit> {
        Some(&self.credit)
    }
}

/// A cell, and the shape that all limiters of its rule have in common.
struct Shaped<S, C> {
    shape: Arc<S>,
    cell: C,
}

impl<const SLOTS: usize> Cell for Shaped<WindowShape, WindowCell<[Slot; SLOTS]>> {
    fn kind(&self) -> CellKind<'_> {
        CellKind::SlidingWindow(&self.cell, &self.shape)
    }
}

impl Cell for Shaped<TokenBucketShape, TokenBucketCell> {
    fn kind(&self) -> CellKind<'_> {
        CellKind::TokenBucket(&self.cell, &self.shape)
    }
}

impl Cell for Shaped<FixedWindowShape, FixedWindowCell> {
    fn kind(&self) -> CellKind<'_> {
        CellKind::FixedWindow(&self.cell, &self.shape)
    }
}

impl Cell for ConcurrencyCell {
    fn kind(&self) -> CellKind<'_> {
        CellKind::Concurrency(self)
    }
}

/// Evaluates an expression in which a constant is the number of slots that a cell for the shape has: up to 13 buckets take a
/// cache line, more the next power of two.
macro_rules! with_slots {
    ($shape:expr, $slots:ident => $cell:expr) => {{
        macro_rules! cell {
            ($number:expr) => {{
                const $slots: usize = $number;
                $cell
            }};
        }
        match $shape.slots() {
            ..=14 => cell!(14),
            15..=30 => cell!(30),
            31..=62 => cell!(62),
            63..=126 => cell!(126),
            127..=254 => cell!(254),
            255..=510 => cell!(510),
            _ => cell!(WindowShape::MAX_BUCKETS as usize + 1),
        }
    }};
}
use with_slots;

impl Limiter {
    /// A limiter that has counted nothing.
    pub(crate) fn fresh(measure: &Measure, now: u64) -> Arc<Self> {
        let share = ShareCounter::new();
        match measure {
            Measure::SlidingWindow(shape) => Self::with_total(share, shape, now, 0),
            Measure::TokenBucket(shape) => Self::shaped(share, shape, TokenBucketCell::new()),
            Measure::FixedWindow(shape) => Self::shaped(share, shape, FixedWindowCell::new()),
            Measure::Concurrency => Arc::new(Limiter { share, pins: Pins::new(), cell: ConcurrencyCell::new() }),
            Measure::Shared(measure) => Self::credited(share, Self::fresh(measure, now)),
        }
    }

    /// A limiter that takes over what an `old` one counts, when the measure changes; a fresh one where that is of another
    /// kind. Whoever counts on the old one just now is told.
    ///
    /// `now` is by the reading of the new measure, `old_now` by that of the old one: where only one of them counts the time that
    /// the machine was suspended, they have little to do with each other, and what was counted keeps its age.
    pub(crate) fn succeeding(old: &Self, measure: &Measure, now: u64, old_now: u64) -> Arc<Self> {
        old.pins.supersede();
        let share = ShareCounter::succeeding(&old.share);
        match (old.cell(), measure) {
            (CellKind::SlidingWindow(cell, old), Measure::SlidingWindow(shape)) => {
                cell.fence();
                // By a clock that is behind the newest epoch it is that far in the future by either.
                let latest = now.saturating_add(cell.latest(old, old_now) - old_now);
                Self::with_total(share, shape, latest, cell.total(old, old_now))
            }
            (CellKind::TokenBucket(cell, old), Measure::TokenBucket(shape)) => {
                cell.fence();
                Self::shaped(share, shape, TokenBucketCell::succeeding((cell, old), shape, now))
            }
            (CellKind::FixedWindow(cell, old), Measure::FixedWindow(shape)) => {
                cell.fence();
                Self::shaped(share, shape, FixedWindowCell::succeeding((cell, old), shape, now))
            }
            // The credit is asked for anew.
            (_, Measure::Shared(measure)) => Self::credited(share, Self::succeeding(old, measure, now, old_now)),
            _ => Self::fresh(measure, now),
        }
    }

    /// Whether another one has taken over what it counts, or it was let go: what is counted on it now may count for nothing.
    #[inline]
    pub(crate) fn is_succeeded(&self) -> bool {
        self.pins.is_retired()
    }

    /// The reading of the clock that it is counted by.
    pub(crate) fn reading(&self) -> Reading {
        let local = match self.cell() {
            CellKind::SlidingWindow(_, shape) => Measure::SlidingWindow(Arc::clone(shape)),
            CellKind::TokenBucket(_, shape) => Measure::TokenBucket(Arc::clone(shape)),
            CellKind::FixedWindow(_, shape) => Measure::FixedWindow(Arc::clone(shape)),
            CellKind::Concurrency(_) => Measure::Concurrency,
        };
        if self.credit().is_some() { Measure::Shared(Arc::new(local)).reading() } else { local.reading() }
    }

    fn credited(share: ShareCounter, local: Arc<Self>) -> Arc<Self> {
        Arc::new(Limiter { share, pins: Pins::new(), cell: Credited { credit: Credit::default(), local } })
    }

    fn shaped<S, C>(share: ShareCounter, shape: &Arc<S>, cell: C) -> Arc<Self>
    where
        Shaped<S, C>: Cell + 'static,
    {
        Arc::new(Limiter { share, pins: Pins::new(), cell: Shaped { shape: Arc::clone(shape), cell } })
    }

    fn with_total(share: ShareCounter, shape: &Arc<WindowShape>, now: u64, total: u32) -> Arc<Self> {
        with_slots!(shape, SLOTS => {
            Self::shaped(share, shape, WindowCell::<[Slot; SLOTS]>::with_total(shape, now, total))
        })
    }

    /// The draws of the share.
    pub(crate) fn share(&self) -> &ShareCounter {
        &self.share
    }

    /// What counts.
    #[inline]
    pub(crate) fn cell(&self) -> CellKind<'_> {
        self.cell.kind()
    }

    /// What a cluster has granted, where it counts for the rule.
    pub(crate) fn credit(&self) -> Option<&Credit> {
        self.cell.credit()
    }

    /// Its window, if it is one.
    #[inline]
    pub(crate) fn window(&self) -> Option<(&WindowCell, &Arc<WindowShape>)> {
        match self.cell() {
            CellKind::SlidingWindow(cell, shape) => Some((cell, shape)),
            _ => None,
        }
    }

    /// Whether it is measured so.
    #[inline]
    pub(crate) fn is_measured_by(&self, measure: &Measure) -> bool {
        fn same<S: PartialEq>(a: &Arc<S>, b: &Arc<S>) -> bool {
            Arc::ptr_eq(a, b) || a == b
        }
        match (self.cell(), measure) {
            (CellKind::SlidingWindow(_, mine), Measure::SlidingWindow(shape)) => same(mine, shape),
            (CellKind::TokenBucket(_, mine), Measure::TokenBucket(shape)) => same(mine, shape),
            (CellKind::FixedWindow(_, mine), Measure::FixedWindow(shape)) => same(mine, shape),
            (CellKind::Concurrency(_), Measure::Concurrency) => true,
            (_, Measure::Shared(measure)) => self.credit().is_some() && self.is_measured_by(measure),
            // A credit that no rule asks for any more does no harm.
            _ => false,
        }
    }

    /// What a statement wants of it: to be within `max`, and where it is a place that is held, for so long, at a time.
    #[inline]
    pub(crate) fn claim(&self, max: u32, lease: u64, now: u64) -> Claim<'_> {
        match self.cell() {
            CellKind::SlidingWindow(cell, shape) => Claim::SlidingWindow { cell, shape, max, now },
            CellKind::TokenBucket(cell, shape) => Claim::TokenBucket { cell, shape, now },
            CellKind::FixedWindow(cell, shape) => Claim::FixedWindow { cell, shape, max, now },
            CellKind::Concurrency(cell) => Claim::Concurrency { cell, max, lease, now },
        }
    }

    /// What it counts now.
    pub(crate) fn counted(&self, now: u64) -> u64 {
        match self.cell() {
            CellKind::SlidingWindow(cell, shape) => u64::from(cell.total(shape, now)),
            CellKind::TokenBucket(cell, shape) => cell.spent(shape, now),
            CellKind::FixedWindow(cell, shape) => u64::from(cell.total(shape, now)),
            CellKind::Concurrency(cell) => u64::from(cell.in_use()),
        }
    }

    /// Whether it is as good as a fresh one: to let go of it changes no count. The draws of the share do not count: were a key
    /// that stopped in the middle of its share's round never let go, a flood of such keys would fill the table for good.
    pub(crate) fn is_fresh(&self, now: u64) -> bool {
        match self.cell() {
            CellKind::Concurrency(cell) => cell.is_fresh(now),
            _ => self.counted(now) == 0 && self.credit().is_none_or(|credit| credit.is_fresh(now)),
        }
    }

    /// What keeps it from being let go while someone counts on it.
    pub(crate) fn pins(&self) -> &Pins {
        &self.pins
    }

    /// Puts in order what threads of a parent process were at that do not exist in this one. Places that are held are held
    /// by the parent. Only where no other thread uses it.
    pub(crate) fn after_fork(&self) {
        self.pins.clear();
        if let Some(credit) = self.credit() {
            credit.after_fork();
        }
        match self.cell() {
            CellKind::SlidingWindow(cell, _) => cell.repair(),
            CellKind::Concurrency(cell) => cell.clear(),
            // Whatever happens there is one change of one word.
            CellKind::TokenBucket(..) | CellKind::FixedWindow(..) => {}
        }
    }
}

impl fmt::Debug for Limiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Limiter").finish_non_exhaustive()
    }
}

/// A limiter that is not let go as long as this lives.
#[derive(Debug)]
pub(crate) struct Pinned(Arc<Limiter>);

impl Pinned {
    /// Pins a limiter; gives it back where it has been let go already.
    #[inline]
    pub(crate) fn new(limiter: Arc<Limiter>) -> Result<Self, Arc<Limiter>> {
        match limiter.pins.pin().map(Pin::keep) {
            Some(()) => Ok(Self(limiter)),
            None => Err(limiter),
        }
    }
}

impl Deref for Pinned {
    type Target = Arc<Limiter>;

    #[inline]
    fn deref(&self) -> &Arc<Limiter> {
        &self.0
    }
}

impl Drop for Pinned {
    #[inline]
    fn drop(&mut self) {
        self.0.pins.unpin();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_takes_104_bytes_with_the_counts_of_its_holders() {
        let shape = WindowShape::new(60_000_000_000, 12).unwrap();
        let limiter = Limiter::fresh(&Measure::SlidingWindow(Arc::new(shape)), 0);
        // As many as allocators that round up to 16 take for 96.
        assert_eq!(size_of_val(&*limiter) + 2 * size_of::<usize>(), 104);
    }
}
