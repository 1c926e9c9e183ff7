//! The cell of a sliding window: how much happened in the last `window`, for any number of threads at once.

mod head;
mod lease;
mod renewal;
mod slot;

#[cfg(test)]
#[cfg(loom)]
mod model;
#[cfg(test)]
#[cfg(not(loom))]
mod properties;
#[cfg(test)]
#[cfg(not(loom))]
mod tests;

pub use lease::Lease;
pub use renewal::{Attempt, Renewal};
pub use slot::Slot;

use crate::sync::{AtomicU64, Ordering};
use crate::window_shape::{Place, WindowShape};
use head::Head;
use slot::{count, tag, word};
use std::fmt;

/// Bits of a count: what a slot and the total can hold.
const COUNT_BITS: u32 = 26;
/// The most they can hold.
const MAX_COUNT: u32 = (1 << COUNT_BITS) - 1;

/// How much is counted in a sliding window.
///
/// A head word holds the newest epoch seen and the running total; a ring of slots, one more than the window has buckets,
/// holds the count of each live epoch with a tag that tells it from the epochs which had the slot before. [`LineCell`]
/// is as long as a cache line; more buckets take a longer cell. Sized for one [`WindowShape`], which comes with every call.
///
/// Times are nanoseconds of a monotone clock since its zero. Threads may read them in one order and come here in another:
/// an older time counts as the newest epoch seen, so it neither opens the window nor holds it shut. A clock that can step
/// is to be made monotone before its time comes here.
///
/// # Invariants
///
/// 1. The total is never below the sum of the live slots, and equals it at rest. Counts enter the total before a slot,
///    and leave the slot before the total.
/// 2. In any interval as long as the window, at most `max` is acquired, counted with a total of at most `max`, or renewed
///    ([`renew`](Self::renew) has the argument).
/// 3. A count is given up no later than the window and one bucket after it was recorded or renewed.
/// 4. While the head is not *sweeping*, every slot carries the tag of its live epoch.
///
/// # How epochs pass
///
/// The thread that finds the head behind its clock moves it on with the *sweeping* flag set. Then, and whoever comes by
/// meanwhile does the same, it empties each slot whose tag is not the live one, by a compare-and-swap that also sets the
/// tag, so just one thread takes a given count out, and subtracts it from the total. A thread that has seen all slots
/// live clears the flag. Nothing is counted under a flagged head, so no count is ever taken against a ring that is half
/// swept; nobody waits for anybody, since each can finish the work of a thread that was put to sleep.
///
/// A tag is the lap of the ring, modulo 32, and the *phase*, a bit of the head that changes whenever the head moves so far
/// that nothing stays live: after idleness of any length no stale slot has a live tag. A tag comes back after 32 laps at
/// the earliest: only a sweeper that sleeps that long between reading a slot and swapping it, and wakes to the same count
/// in it, takes a live count for the stale one it read.
///
/// A thread may sleep between adding to the total and adding to its slot. Its count then joins the slot's later epoch: it
/// is kept longer, never lost.
#[repr(C)]
pub struct WindowCell<S: ?Sized = [Slot]> {
    head: AtomicU64,
    slots: S,
}

/// A cell as long as a cache line, for shapes of up to 13 buckets.
pub type LineCell = WindowCell<[Slot; 14]>;

#[cfg(not(loom))]
const _: () = assert!(size_of::<LineCell>() == 64);

/// A count that was acquired, and can be given back once.
#[derive(Debug, PartialEq, Eq)]
#[must_use = "a reservation that is not undone is spent"]
pub struct Reservation {
    place: Place,
    /// Of the head under which it was counted, or a later one where the slot had turned. Tags come round after 32 laps of
    /// the ring, which a core may well keep what it has taken beforehand for; epochs do not within a year.
    epoch: u64,
    n: u32,
    total: u32,
}

impl Reservation {
    /// What the window counted with it.
    pub const fn total(&self) -> u32 {
        self.total
    }

    /// The same as an attempt that was made and is within the limit: it can be renewed, and not be given back.
    pub fn into_attempt(self) -> Attempt {
        let Self { place, epoch, n, total } = self;
        Attempt { place, epoch, n, total }
    }
}

/// The refusal of an acquisition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exceeded {
    /// What the window counts, without what was refused.
    pub total: u32,
}

impl<const SLOTS: usize> WindowCell<[Slot; SLOTS]> {
    /// A cell that has counted nothing.
    ///
    /// # Panics
    ///
    /// When the shape has more slots than the cell, as does every other function that is given such a shape.
    pub fn new(shape: &WindowShape, now: u64) -> Self {
        Self::with_total(shape, now, 0)
    }

    /// A cell that takes over what an `old` one counts, when the window or its buckets change: as if it all happened now, the
    /// latest it can have. By a clock that is behind the newest epoch of the old cell it happened at the start of that
    /// epoch, so a count is forgotten no earlier than a window of the new length after it.
    ///
    /// What is counted on the old cell from now on is not taken over. A changed limit takes no new cell: it comes with every
    /// call.
    ///
    /// # Panics
    ///
    /// When the shape has more slots than the cell.
    pub fn succeeding<S: AsRef<[Slot]> + ?Sized>(
        (old, old_shape): (&WindowCell<S>, &WindowShape),
        shape: &WindowShape,
        now: u64,
    ) -> Self {
        Self::with_total(shape, old.latest(old_shape, now), old.total(old_shape, now))
    }

    /// A cell that counts `total` as if it all happened at `now`. At most [`WindowCell::MAX_COUNT`] is taken over.
    ///
    /// # Panics
    ///
    /// When the shape has more slots than the cell.
    pub fn with_total(shape: &WindowShape, now: u64, total: u32) -> Self {
        let total = total.min(MAX_COUNT);
        let epoch = shape.epoch(now);
        let mut words = [0; SLOTS];
        for place in shape.live(epoch, 0) {
            words[place.index] = word(place.tag, 0);
        }
        words[shape.place(epoch, 0).index] += total;
        let head = Head::new(epoch, 0, total);
        Self { head: AtomicU64::new(head.0), slots: words.map(Slot::new) }
    }
}

impl WindowCell {
    /// The most a cell counts. Of more, the latest are kept, so a cell that is full stays full while the flood lasts.
    pub const MAX_COUNT: u32 = MAX_COUNT;

    /// The highest limit: one below the most that is counted, so that what exceeds it can be told.
    pub const MAX_LIMIT: u32 = MAX_COUNT - 1;
}

impl<S: AsRef<[Slot]> + ?Sized> WindowCell<S> {
    /// Counts `n` whatever the total; the attempt is within a limit that is not below the total with it.
    pub fn count_attempt(&self, shape: &WindowShape, n: u32, now: u64) -> Attempt {
        let n = n.min(MAX_COUNT);
        loop {
            let head = self.current(shape, now);
            let added = n.min(MAX_COUNT - head.total());
            let place = head.place(shape);
            if added > 0 {
                if self.exchange(head, head.plus(added)).is_err() {
                    continue;
                }
                self.slot(place).add(added);
            }
            if added < n {
                self.make_newer(shape, head, n - added);
            }
            return Attempt { place, epoch: head.epoch(), n, total: head.total() + added };
        }
    }

    /// Counts `n` if the total with it is at most `max`. A refusal in an epoch that is known already is one load.
    ///
    /// # Errors
    ///
    /// [`Exceeded`], and nothing is counted, when the total would be more than `max`.
    pub fn try_acquire(&self, shape: &WindowShape, n: u32, now: u64, max: u32) -> Result<Reservation, Exceeded> {
        let max = max.min(WindowCell::MAX_LIMIT);
        loop {
            let head = self.current(shape, now);
            if n > max || head.total() > max - n {
                return Err(Exceeded { total: head.total() });
            }
            let next = head.plus(n);
            if self.exchange(head, next).is_ok() {
                // The slot may have turned since: the reservation is where the count went, not where it was meant to go.
                let place = head.place(shape);
                let tag = self.slot(place).add(n);
                let epoch = if tag == place.tag { head } else { self.head() }.epoch();
                return Ok(Reservation { place: Place { tag, ..place }, epoch, n, total: next.total() });
            }
        }
    }

    /// Gives back what was acquired, unless its slot has turned since: then the turn has given it back already, and to do
    /// it again would admit more than the limit.
    #[expect(clippy::needless_pass_by_value, reason = "what is taken by value cannot be undone twice")]
    pub fn undo(&self, reservation: Reservation) {
        let Reservation { place, epoch, n, .. } = reservation;
        // The slots of a cell are no fewer than those of its ring. Where epochs come round, an undo in the one round of what
        // was acquired in the other is lost.
        if self.head().epoch().wrapping_sub(epoch) >= self.slots.as_ref().len() as u64 {
            return;
        }
        // MUTANT `unconditional_undo`: takes from whatever epoch has the slot. `make mutants` builds that, and expects a
        // test to fail.
        let tag = if cfg!(mutant = "unconditional_undo") { self.slot(place).tag() } else { place.tag };
        if self.slot(place).take(tag, n, n) == n {
            self.subtract(n);
        }
    }

    /// What counts now. Writes nothing, unless to finish a sweep that it comes upon.
    pub fn total(&self, shape: &WindowShape, now: u64) -> u32 {
        loop {
            let head = self.head();
            if head.is_sweeping() {
                self.sweep(shape, head);
                continue;
            }
            let ahead = shape.ahead(head.epoch(), now);
            if ahead == 0 {
                return head.total();
            }
            // Subtracting what is stale, instead of adding up what is live, keeps what has not reached its slot yet.
            let stale = usize::try_from(ahead).unwrap_or(usize::MAX);
            let stale = head.live(shape).take(stale).map(|place| self.slot(place).count()).sum::<u32>();
            if self.head() == head {
                return head.total().saturating_sub(stale);
            }
        }
    }

    /// Nanoseconds until `n` more are within `max` if nothing else happens; none where `n` alone is beyond it. Exact: one
    /// nanosecond less is too early. Writes nothing, unless to finish a sweep that it comes upon.
    pub fn retry_after(&self, shape: &WindowShape, n: u32, now: u64, max: u32) -> Option<u64> {
        let room = max.min(WindowCell::MAX_LIMIT).checked_sub(n)?;
        loop {
            let head = self.head();
            if head.is_sweeping() {
                self.sweep(shape, head);
                continue;
            }
            // So many of the oldest slots are stale by now; some more have to be.
            let stale = shape.ahead(head.epoch(), now);
            let (mut gone, mut left) = (0, head.total());
            let mut places = head.live(shape);
            while (gone < stale || left > room)
                && let Some(place) = places.next()
            {
                left = left.saturating_sub(self.slot(place).count());
                gone += 1;
            }
            // The slots are those of this head only while it is in its epoch. What has not reached its slot yet is taken to
            // be in the newest, the last of them.
            if self.head().is_stage_of(head) {
                let more = gone.saturating_sub(stale);
                return Some(if more == 0 { 0 } else { shape.until(now, shape.later(head.epoch(), stale), more) });
            }
        }
    }

    /// The time of the newest event there can be: `now`, or where the clock is behind the newest epoch, the start of that.
    pub fn latest(&self, shape: &WindowShape, now: u64) -> u64 {
        now.saturating_add(shape.until_epoch(now, self.head().epoch()))
    }

    /// Changes nothing, but after all counts that were made before, and before all that are made from now on: for who takes
    /// over what the cell counts while others may still be at it.
    pub fn fence(&self) {
        self.head.fetch_add(0, Ordering::AcqRel);
    }

    /// Whether the cell equals a new one, so that nothing is lost with it.
    pub fn is_fresh(&self, shape: &WindowShape, now: u64) -> bool {
        self.total(shape, now) == 0
    }

    /// Forgets what has been counted. What is being counted meanwhile may stay.
    pub fn reset(&self, shape: &WindowShape, now: u64) {
        let head = self.current(shape, now);
        for place in head.live(shape) {
            let slot = self.slot(place);
            self.subtract(slot.take(slot.tag(), 0, MAX_COUNT));
        }
    }

    /// Makes the total what the slots hold, after a fork: a thread of the parent that was between the two does not exist
    /// in the child. Only for a cell that no other thread uses.
    pub fn repair(&self) {
        let total = self.slots.as_ref().iter().map(Slot::count).sum();
        let head = self.head();
        self.head.store(head.with_total(total).0, Ordering::Release);
    }

    /// The head once it is as new as `now` and swept.
    #[inline]
    fn current(&self, shape: &WindowShape, now: u64) -> Head {
        loop {
            let head = self.head();
            if head.is_sweeping() {
                self.sweep(shape, head);
                continue;
            }
            let ahead = shape.ahead(head.epoch(), now);
            if ahead == 0 {
                return head;
            }
            // One that fails was moved, or counted on, by another thread.
            let _ = self.exchange(head, head.moved(shape, ahead));
        }
    }

    /// Empties the slots that are not live under `head`, and clears its flag.
    #[cold]
    fn sweep(&self, shape: &WindowShape, head: Head) {
        for place in head.live(shape) {
            let slot = self.slot(place);
            let mut old = slot.word();
            while tag(old) != place.tag {
                // The slot was read before the head, so where the head is the same still, that was a stale word; it may
                // be a later sweep's otherwise, and not for this one to touch.
                if !self.head().is_stage_of(head) {
                    return;
                }
                match slot.exchange(old, word(place.tag, 0)) {
                    Ok(()) => {
                        self.subtract(count(old));
                        break;
                    }
                    Err(newer) => old = newer,
                }
            }
        }
        let mut seen = self.head();
        while seen.is_stage_of(head) {
            match self.exchange(seen, seen.swept()) {
                Ok(()) => return,
                Err(newer) => seen = newer,
            }
        }
    }

    /// Lets up to `n` of the oldest counts pass for counts of the newest epoch: what a full cell does in place of adding.
    #[cold]
    fn make_newer(&self, shape: &WindowShape, head: Head, n: u32) {
        let mut left = n;
        let newest = head.place(shape);
        for place in head.live(shape).take_while(|place| *place != newest) {
            // Between the two the sum is below the total, as the first invariant has it.
            let taken = self.slot(place).take(place.tag, 0, left);
            self.slot(newest).add(taken);
            left -= taken;
            if left == 0 {
                break;
            }
        }
    }

    /// The slots, for tests that look whether anything was written.
    #[cfg(test)]
    #[cfg(not(loom))]
    pub(crate) fn words(&self) -> impl Iterator<Item = u64> {
        self.slots.as_ref().iter().map(|slot| u64::from(slot.word())).chain([self.head().0])
    }

    fn slot(&self, place: Place) -> &Slot {
        &self.slots.as_ref()[place.index]
    }

    /// Acquires what the thread that wrote this head did before: where the head is swept, all its slots are.
    fn head(&self) -> Head {
        Head(self.head.load(Ordering::Acquire))
    }

    /// Releases what was done before, the sweep of the slots above all, and acquires what led to the old head.
    fn exchange(&self, old: Head, new: Head) -> Result<(), Head> {
        let swap = self.head.compare_exchange(old.0, new.0, Ordering::AcqRel, Ordering::Acquire);
        swap.map(drop).map_err(Head)
    }

    /// Takes from the total what was taken out of a slot. It cannot borrow from the flag: that count entered the total
    /// before its slot (released by the add, acquired by the taking), so this subtraction comes after the addition.
    fn subtract(&self, n: u32) {
        if n > 0 {
            self.head.fetch_sub(u64::from(n), Ordering::AcqRel);
        }
    }
}

impl<S: AsRef<[Slot]> + ?Sized> fmt::Debug for WindowCell<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let head = self.head();
        f.debug_struct("WindowCell").field("epoch", &head.epoch()).field("total", &head.total()).finish_non_exhaustive()
    }
}
