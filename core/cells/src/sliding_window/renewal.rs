//! Attempts that were over the limit and come back.

use super::WindowCell;
use super::slot::Slot;
use crate::window_shape::{Place, WindowShape};

/// An attempt that was counted, and can be renewed once.
#[derive(Debug, PartialEq, Eq)]
pub struct Attempt {
    pub(super) place: Place,
    /// Of the head under which it was counted. Tags come round after 32 laps of the ring, which a statement may well wait
    /// for; epochs do not within a year.
    pub(super) epoch: u64,
    pub(super) n: u32,
    pub(super) total: u32,
}

impl Attempt {
    /// What the window counted with it.
    pub const fn total(&self) -> u32 {
        self.total
    }
}

/// What became of an attempt that came back.
#[derive(Debug, PartialEq, Eq)]
#[must_use = "only a renewed attempt is within the limit"]
pub enum Renewal {
    /// It is within the limit, and counts from now on as if it were made now.
    Renewed {
        /// The attempt as it counts now, should it come back once more.
        attempt: Attempt,
        /// What the window counts, the attempt among it.
        total: u32,
    },
    /// The window still counts more than the limit. Nothing has changed.
    Exceeded {
        /// The attempt, to come back with.
        attempt: Attempt,
        /// What the window counts, the attempt among it.
        total: u32,
    },
    /// The window has forgotten the attempt: what comes back is new to it.
    Forgotten,
}

impl<S: AsRef<[Slot]> + ?Sized> WindowCell<S> {
    /// Lets an attempt that was over the limit pass, if the total, which it is part of, is at most `max` now. It then
    /// moves to the newest epoch, so that what it stands for is counted for a whole window from now on; the total is the
    /// same before and after.
    ///
    /// # Why no interval holds more than `max` of what passes
    ///
    /// Everything that passes does so at one value of the head, whose total is at most `max`: a new attempt and an
    /// acquisition at the value they write, a renewal at the value it reads. Take the last to pass, in the order of these
    /// values, of what passes in some interval as long as the window. All others are part of the total it saw. A new one
    /// has been since it passed. So has a renewed one, because its count left no slot to a sweep: it was in the total
    /// since it was first made; its old slot had not turned when it was taken from there, later than the head was read,
    /// since otherwise it would have been forgotten; from then on it was in the total and in no slot, and then in the slot
    /// of the epoch it passed in, or of a later one if the thread was slow. Any number of threads may renew at once, and
    /// each see room: the room they see holds them all.
    ///
    /// Counts of a slot are alike, so what is taken from it may have been counted for another that is there. For each epoch
    /// there are always as many counts in it and the later ones as passed, or wait, in it and the later ones, and that is
    /// all the argument needs. [`reset`](Self::reset) breaks it: an attempt from before is not to be renewed.
    pub fn renew(&self, shape: &WindowShape, attempt: Attempt, now: u64, max: u32) -> Renewal {
        let max = max.min(WindowCell::MAX_LIMIT);
        let head = self.current(shape, now);
        if !shape.is_live(attempt.epoch, head.epoch()) {
            return Renewal::Forgotten;
        }
        let total = head.total();
        if total > max {
            return Renewal::Exceeded { attempt, total };
        }
        let newest = head.place(shape);
        let Attempt { place, n, .. } = attempt;
        if place == newest {
            return Renewal::Renewed { attempt, total };
        }
        // As with an undo: where the slot has turned since, the turn has given the count back.
        if self.slot(place).take(place.tag, n, n) != n {
            return Renewal::Forgotten;
        }
        // Between the two the sum of the slots is below the total, as the first invariant has it. The newest slot may have
        // turned meanwhile: the attempt is where its count went.
        let tag = self.slot(newest).add(n);
        let epoch = if tag == newest.tag { head } else { self.head() }.epoch();
        Renewal::Renewed { attempt: Attempt { place: Place { tag, ..newest }, epoch, n, total }, total }
    }
}
