//! The head word of a cell.

use super::COUNT_BITS;
use super::slot::count;
use crate::window_shape::{EPOCH_BITS, Place, WindowShape};

const _: () = assert!(EPOCH_BITS + 2 + COUNT_BITS == u64::BITS);

/// A head word: from the top the epoch, the phase, the sweeping flag and the total.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head(pub(super) u64);

impl Head {
    const SWEEPING: u64 = 1 << COUNT_BITS;

    pub(super) const fn new(epoch: u64, phase: u32, total: u32) -> Self {
        Self((epoch << 1 | phase as u64) << (COUNT_BITS + 1) | total as u64)
    }

    pub(super) const fn epoch(self) -> u64 {
        self.0 >> (COUNT_BITS + 2)
    }

    pub(super) const fn phase(self) -> u32 {
        (self.0 >> (COUNT_BITS + 1)) as u32 & 1
    }

    pub(super) const fn is_sweeping(self) -> bool {
        self.0 & Self::SWEEPING != 0
    }

    pub(super) const fn total(self) -> u32 {
        count(self.0 as u32)
    }

    /// Whether only the total differs.
    pub(super) const fn is_stage_of(self, other: Self) -> bool {
        self.0 >> COUNT_BITS == other.0 >> COUNT_BITS
    }

    pub(super) const fn place(self, shape: &WindowShape) -> Place {
        shape.place(self.epoch(), self.phase())
    }

    /// The places that are live, the oldest first.
    pub(super) fn live(self, shape: &WindowShape) -> impl Iterator<Item = Place> + use<> {
        shape.live(self.epoch(), self.phase())
    }

    /// The head `ahead` epochs on, with the ring still to be swept.
    pub(super) const fn moved(self, shape: &WindowShape, ahead: u64) -> Self {
        let phase = if ahead < shape.slots() as u64 { self.phase() } else { self.phase() ^ 1 };
        Self(Self::new(shape.later(self.epoch(), ahead), phase, self.total()).0 | Self::SWEEPING)
    }

    pub(super) const fn swept(self) -> Self {
        Self(self.0 & !Self::SWEEPING)
    }

    pub(super) const fn with_total(self, total: u32) -> Self {
        Self(self.0 - self.total() as u64 + total as u64)
    }

    /// The caller has seen that the total stays within its bits.
    pub(super) const fn plus(self, n: u32) -> Self {
        Self(self.0 + n as u64)
    }
}
