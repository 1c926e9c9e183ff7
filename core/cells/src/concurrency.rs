//! The cell of a concurrency limit: how many places are held at once.

mod free_list;
mod place;
mod places;
mod watch;

#[cfg(test)]
#[cfg(loom)]
mod model;
#[cfg(test)]
#[cfg(not(loom))]
mod properties;
#[cfg(test)]
#[cfg(not(loom))]
mod tests;

use crate::sync::{AtomicU32, AtomicU64, Ordering};
use free_list::FreeList;
use place::Look;
use places::Places;
use std::fmt;
use watch::Watch;

/// Places that are looked at for a lapsed lease by an acquisition, when one may have lapsed.
const GLANCE: u32 = 16;
/// Places that are looked at before an acquisition is refused, when a lease may have lapsed: two rounds of
/// [`ConcurrencyCell::EXACT_PLACES`].
const SEARCH: u32 = 2 * ConcurrencyCell::EXACT_PLACES;

/// How many places are held, and until when.
///
/// The maximum and the lease come with every call, so both can change at any moment: where the maximum falls below what is
/// held, nothing is handed out until enough has come back.
///
/// Times are nanoseconds of a monotone clock since its zero; a lease runs from the time with which it was acquired.
///
/// # Invariants
///
/// 1. At most the maximum is held at once, leases that lapsed but were not found counting as held. A place is counted
///    before it is taken, and given back before it is uncounted.
/// 2. A place comes back once: by the release of its permit, or by the lapse of its lease, which counts as leaked. The
///    generation tells the uses of a place apart, so a permit that comes late, or twice, changes nothing.
///
/// # Places and time
///
/// An acquisition takes the place that was last released or, if none is free, the next one that was never used. So the
/// table is no longer than the most that was ever held at once, whatever the maximum: who finds no free place is counted
/// for one, as are the holders of all the others. Its memory follows that, 16 bytes a place in steps of four, up to 16 MiB.
/// It is kept until the cell goes: whoever has the number of a place may look at it, so giving it back would take a lock,
/// or counting on every look.
///
/// There is no order by the end of leases: it would cost every statement what only a crash needs. Instead the cell knows a
/// time before which no lease lapses, and when that has come, each acquisition looks at a few places. One that would be
/// refused looks at more. So the cost of an acquisition is bounded, and a lapsed place is found at once where there are up
/// to [`ConcurrencyCell::EXACT_PLACES`]; of more, within as many refusals as they have multiples of that. While a thread
/// looks, others go on as if nothing had lapsed.
pub struct ConcurrencyCell {
    held: AtomicU32,
    /// Places that were ever used; those of lower numbers are held, free, or in the hands of a thread that is counted.
    grown: AtomicU32,
    free: FreeList,
    watch: Watch,
    leaked: AtomicU64,
    places: Places,
}

#[cfg(not(loom))]
const _: () = assert!(size_of::<ConcurrencyCell>() == 128);

/// A place that is held, of the cell that gave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use = "a permit that is not released holds its place until its lease lapses"]
pub struct Permit {
    place: u32,
    generation: u64,
}

/// The refusal of an acquisition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full {
    /// How many places are held.
    pub in_use: u32,
}

impl ConcurrencyCell {
    /// The highest limit: a million and some.
    pub const MAX_LIMIT: u32 = Places::MAX;

    /// Places of which a refusal looks at each before it refuses, if a lease may have lapsed.
    pub const EXACT_PLACES: u32 = 1024;

    /// A cell of which nothing is held.
    pub fn new() -> Self {
        Self {
            held: AtomicU32::new(0),
            grown: AtomicU32::new(0),
            free: FreeList::new(),
            watch: Watch::new(),
            leaked: AtomicU64::new(0),
            places: Places::new(),
        }
    }

    /// Holds a place for the length of a lease, in nanoseconds, if fewer than `max` are held. A refusal when no lease may
    /// have lapsed only loads.
    ///
    /// # Errors
    ///
    /// [`Full`] when `max` are held.
    pub fn acquire(&self, now: u64, lease: u64, max: u32) -> Result<Permit, Full> {
        if self.watch.is_due(now) {
            self.search(now, GLANCE);
        }
        self.enter(now, max.min(Self::MAX_LIMIT))?;
        let until = now.saturating_add(lease);
        loop {
            let place = self.free.pop(&self.places).or_else(|| self.grow());
            if let Some((place, held)) = place.and_then(|index| Some((index, self.places.make(index)?))) {
                let generation = held.hold(until);
                self.watch.note(until);
                return Ok(Permit { place, generation });
            }
            // All places have been used, the list was empty, and yet this thread is counted for one: another has put its
            // place on the list since, and it can only be gone again because a third was quicker.
        }
    }

    /// Whether fewer than `max` places are held, so that one more can be: what an acquisition would find, without holding
    /// anything. It takes back places whose lease has lapsed, as that does, where it would refuse without them.
    pub fn has_room(&self, now: u64, max: u32) -> bool {
        self.look(now, max.min(Self::MAX_LIMIT)).is_ok()
    }

    /// Gives a place back; false where its lease lapsed before, and was found, or it was released already.
    pub fn release(&self, permit: Permit) -> bool {
        let is_held = self.places.get(permit.place).is_some_and(|place| place.end(permit.generation));
        if is_held {
            self.free.push(&self.places, permit.place);
            self.uncount(1);
        }
        is_held
    }

    /// How many places are held, those included of which the lease has lapsed and nobody has found out.
    pub fn in_use(&self) -> u32 {
        self.held.load(Ordering::Acquire)
    }

    /// How many leases were found to have lapsed since this was last taken.
    pub fn leaked(&self) -> u64 {
        self.leaked.load(Ordering::Relaxed)
    }

    /// Takes the count of lapsed leases, to add it to that of a rule: it is lost with the cell.
    pub fn take_leaked(&self) -> u64 {
        if self.leaked() == 0 { 0 } else { self.leaked.swap(0, Ordering::Relaxed) }
    }

    /// Finds every lease that has lapsed, for those who want to know how many are held. It looks at all places that were
    /// ever used, up to three times, but only when a lease may have lapsed and no other thread is looking already.
    pub fn reap(&self, now: u64) {
        if self.watch.is_due(now) {
            self.search(now, self.grown.load(Ordering::Acquire).saturating_mul(3));
        }
    }

    /// Whether the cell equals a new one, so that nothing is lost with it but the count of what leaked.
    pub fn is_fresh(&self, now: u64) -> bool {
        if self.in_use() > 0 {
            self.reap(now);
        }
        self.in_use() == 0
    }

    /// Takes all places back, after a fork: their holders are in the parent. Permits from before do nothing here. Also puts
    /// in order what threads of the parent were at that do not exist in the child. Only for a cell that no other thread
    /// uses.
    pub fn clear(&self) {
        let grown = self.grown.swap(0, Ordering::Relaxed);
        // Used anew they go on with the next generation, so it does not matter which of them were on the list.
        (0..grown).filter_map(|index| self.places.get(index)).for_each(place::Place::clear);
        self.free.clear();
        self.watch.clear();
        self.held.store(0, Ordering::Release);
    }

    /// Counts one more as held, unless `max` are.
    fn enter(&self, now: u64, max: u32) -> Result<(), Full> {
        loop {
            let held = self.look(now, max)?;
            // Acquires what those did who uncounted themselves: the places they gave back are on the list.
            if self.held.compare_exchange(held, held + 1, Ordering::AcqRel, Ordering::Acquire).is_ok() {
                return Ok(());
            }
        }
    }

    /// How many are held, if fewer than `max` are, lapsed leases that are found not among them.
    #[inline]
    fn look(&self, now: u64, max: u32) -> Result<u32, Full> {
        loop {
            let held = self.in_use();
            if held < max {
                return Ok(held);
            }
            // What is found may be another thread's the next moment, but then that one got on.
            if !self.watch.is_due(now) || self.search(now, SEARCH) == 0 {
                return Err(Full { in_use: held });
            }
        }
    }

    /// A place that was never used.
    fn grow(&self) -> Option<u32> {
        let mut grown = self.grown.load(Ordering::Acquire);
        while grown < Self::MAX_LIMIT {
            match self.grown.compare_exchange(grown, grown + 1, Ordering::AcqRel, Ordering::Acquire) {
                Ok(index) => return Some(index),
                Err(newer) => grown = newer,
            }
        }
        None
    }

    /// Counts places as held no more, after they were put on the list.
    fn uncount(&self, places: u32) {
        self.held.fetch_sub(places, Ordering::AcqRel);
    }

    /// Looks at so many places for lapsed leases, or fewer if none may have lapsed any more, and returns how many it found;
    /// none where another thread is looking already.
    #[cold]
    fn search(&self, now: u64, most: u32) -> u32 {
        let Some(hand) = self.watch.take_hand() else {
            return 0;
        };
        let (mut left, mut all) = (most, 0);
        while left > 0 && self.watch.is_due(now) {
            let (passed, completes_round) = hand.pass(left, self.grown.load(Ordering::Acquire));
            // Even where there are none, an attempt is used up.
            left -= passed.len().max(1) as u32;
            let mut found = 0;
            for index in passed {
                // A segment is made after the table has grown to it, and until then nothing is held there.
                match self.places.get(index).map_or(Look::Free, |place| place.look(now)) {
                    Look::Free => {}
                    Look::Held(until) => hand.note(until),
                    Look::Taken => {
                        self.free.push(&self.places, index);
                        found += 1;
                    }
                }
            }
            if found > 0 {
                self.leaked.fetch_add(u64::from(found), Ordering::Relaxed);
                self.uncount(found);
                all += found;
            }
            if completes_round {
                hand.turn();
            }
        }
        all
    }
}

impl Default for ConcurrencyCell {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for ConcurrencyCell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConcurrencyCell")
            .field("in_use", &self.in_use())
            .field("leaked", &self.leaked())
            .finish_non_exhaustive()
    }
}
