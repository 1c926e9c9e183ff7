//! Counts that one core has taken from a window beforehand, so that it need not come to the cell for each.

use super::{Attempt, Reservation, Slot, WindowCell};
use crate::window_shape::WindowShape;

/// A block of counts that is charged to one slot of a cell and not spent yet.
///
/// Cores that share a hot cell each take a block and spend it by themselves; the cell sees one of many counts. A block is
/// spent in the epoch whose slot it is charged to, and at no other time, so every interval of the window still holds at most
/// the limit. What is left of it at the end of the epoch is given back, unless the slot has turned.
#[derive(Debug, Default)]
pub struct Lease(Option<Block>);

#[derive(Debug)]
struct Block {
    /// What is left.
    left: Reservation,
    epoch: u64,
}

impl Lease {
    /// Counts `n` out of the block, if so many are left and its epoch is still the newest. Returns what the window is known
    /// to count with it: what other cores have taken since is not in it.
    #[inline]
    pub fn spend(&mut self, shape: &WindowShape, n: u32, now: u64) -> Option<u32> {
        let block = self.0.as_mut()?;
        if n > block.left.n || shape.ahead(block.epoch, now) > 0 {
            return None;
        }
        block.left.n -= n;
        Some(block.left.total - block.left.n)
    }

    /// Counts `n` on the cell and takes `block` more, if the total with both is at most `max`; nothing happens otherwise.
    /// What was left is to be [given back](Self::give_back) before. Returns what the window counts with the `n`.
    pub fn take<S: AsRef<[Slot]> + ?Sized>(
        &mut self,
        cell: &WindowCell<S>,
        shape: &WindowShape,
        (n, block): (u32, u32),
        now: u64,
        max: u32,
    ) -> Option<u32> {
        let mut left = cell.try_acquire(shape, n.checked_add(block)?, now, max).ok()?;
        left.n = block;
        let total = left.total - block;
        // The cell may be in a later epoch by another core's clock: then the block ends early, which harms nobody.
        self.0 = Some(Block { left, epoch: shape.epoch(now) });
        Some(total)
    }

    /// Counts `n` on the cell and takes `block` more, whatever the total: attempts that are over the limit anyhow. Returns
    /// what the window counts with the `n`.
    ///
    /// Only where the newest slot alone holds more than the limit, in the epoch of `now`: then nothing passes until that
    /// slot is forgotten, however many more are counted in it.
    pub fn take_attempts<S: AsRef<[Slot]> + ?Sized>(
        &mut self,
        cell: &WindowCell<S>,
        shape: &WindowShape,
        (n, block): (u32, u32),
        now: u64,
    ) -> u32 {
        let Attempt { place, epoch, n: counted, total } = cell.count_attempt(shape, n.saturating_add(block), now);
        let left = counted.saturating_sub(n);
        self.0 = Some(Block { left: Reservation { place, epoch, n: left, total }, epoch });
        if epoch != shape.epoch(now) {
            // Another core's clock is ahead: what is said of the epoch of `now` does not hold for the later one.
            self.give_back(cell);
        }
        total - left
    }

    /// Whether less than `n` of the block is left, in an epoch that is still the newest: more would have been of use. The
    /// number that is left, then.
    pub fn ran_out(&self, shape: &WindowShape, n: u32, now: u64) -> Option<u32> {
        let block = self.0.as_ref()?;
        (block.left.n < n && shape.ahead(block.epoch, now) == 0).then_some(block.left.n)
    }

    /// Gives back to the cell what is left.
    pub fn give_back<S: AsRef<[Slot]> + ?Sized>(&mut self, cell: &WindowCell<S>) {
        if let Some(Block { left, .. }) = self.0.take()
            && left.n > 0
        {
            cell.undo(left);
        }
    }
}

#[cfg(test)]
#[cfg(not(loom))]
mod tests {
    use super::*;
    use crate::sliding_window::LineCell;
    use std::thread;

    const MS: u64 = 1_000_000;

    fn window() -> (WindowShape, LineCell) {
        let shape = WindowShape::new(12 * MS, 12).unwrap();
        (shape, LineCell::new(&shape, 0))
    }

    #[test]
    fn a_block_is_charged_at_once_and_spent_by_and_by() {
        let (shape, cell) = window();
        let mut lease = Lease::default();
        assert_eq!(lease.spend(&shape, 1, 0), None);
        assert_eq!(lease.take(&cell, &shape, (1, 3), 0, 10), Some(1));
        assert_eq!(cell.total(&shape, 0), 4);
        assert_eq!([(); 4].map(|()| lease.spend(&shape, 1, 0)), [Some(2), Some(3), Some(4), None]);
        assert_eq!(cell.total(&shape, 0), 4);
        assert_eq!(lease.ran_out(&shape, 1, 0), Some(0));
    }

    #[test]
    fn a_block_that_does_not_fit_is_not_taken() {
        let (shape, cell) = window();
        let mut lease = Lease::default();
        assert_eq!(lease.take(&cell, &shape, (1, 10), 0, 10), None);
        assert_eq!(cell.total(&shape, 0), 0);
        assert_eq!(lease.take(&cell, &shape, (1, 9), 0, 10), Some(1));
        assert_eq!(lease.spend(&shape, 10, 0), None, "a part of a weight is no weight");
        assert_eq!(lease.spend(&shape, 9, 0), Some(10));
    }

    #[test]
    fn a_block_ends_with_its_epoch_and_what_is_left_comes_back() {
        let (shape, cell) = window();
        let mut lease = Lease::default();
        let _ = lease.take(&cell, &shape, (1, 9), 0, 10);
        assert_eq!(lease.spend(&shape, 1, MS - 1), Some(2));
        assert_eq!(lease.spend(&shape, 1, MS), None);
        assert_eq!(lease.ran_out(&shape, 20, MS), None);
        lease.give_back(&cell);
        assert_eq!(cell.total(&shape, MS), 2);
        lease.give_back(&cell);
        assert_eq!(cell.total(&shape, MS), 2, "once");
    }

    #[test]
    fn what_is_left_when_the_slot_has_turned_does_not_come_back() {
        let (shape, cell) = window();
        let mut lease = Lease::default();
        let _ = lease.take(&cell, &shape, (1, 9), 0, 10);
        assert_eq!(cell.count_attempt(&shape, 5, 13 * MS).total(), 5);
        lease.give_back(&cell);
        assert_eq!(cell.total(&shape, 13 * MS), 5);
    }

    #[test]
    fn attempts_over_the_limit_are_taken_and_given_back_alike() {
        let (shape, cell) = window();
        let mut lease = Lease::default();
        assert_eq!(lease.take_attempts(&cell, &shape, (1, 3), 0), 1);
        assert_eq!([(); 3].map(|()| lease.spend(&shape, 1, 0)), [Some(2), Some(3), Some(4)]);
        assert_eq!(lease.take_attempts(&cell, &shape, (1, 3), 0), 5);
        lease.give_back(&cell);
        assert_eq!(cell.total(&shape, 0), 5);
    }

    #[test]
    fn cores_with_leases_admit_no_more_than_the_limit_and_waste_none_of_it() {
        let (shape, cell) = window();
        let max = 100_000;
        let admitted: u32 = thread::scope(|scope| {
            let run = |block: u32| {
                let (shape, cell) = (&shape, &cell);
                scope.spawn(move || {
                    let (mut lease, mut admitted) = (Lease::default(), 0);
                    loop {
                        let passes = lease.spend(shape, 1, 0).is_some() || {
                            lease.give_back(cell);
                            lease.take(cell, shape, (1, block), 0, max).is_some()
                                || lease.take(cell, shape, (1, 0), 0, max).is_some()
                        };
                        if !passes {
                            return admitted;
                        }
                        admitted += 1;
                    }
                })
            };
            [run(64), run(7), run(1)].into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        assert_eq!(admitted, max);
        assert_eq!(cell.total(&shape, 0), max);
    }
}
