//! The places that statements hold while they run.

use super::seal::Seal;
use crate::decision::Permit;
use crate::limit::{CellKind, Limiter};
use crate::stripe::Striped;
use smallvec::SmallVec;
use sqlthrottle_cells::lock::Lock;
use sqlthrottle_cells::{concurrency, forks};
use std::sync::Arc;

/// Bits of a permit that say its stripe, and its slot in there. The others are the generation of the slot.
const STRIPE_BITS: u32 = 6;
const SLOT_BITS: u32 = 26;
/// Slots that are looked at for lapsed places whenever a place is taken: more than one, so that they are found faster than
/// others come.
const GLANCE: usize = 2;

/// The places that one statement holds.
pub(super) type Places = SmallVec<[(Arc<Limiter>, concurrency::Permit); 1]>;

/// What permits stand for.
///
/// A permit is a number, so that it may cross a language boundary. Places that nobody gives back are dropped once the last
/// of their leases has lapsed: each new permit looks at two slots for such. So there are never many more than statements
/// that run.
#[derive(Debug)]
pub(super) struct Permits {
    stripes: Striped<Lock<Slots>>,
    seal: Seal,
}

/// They are whole between any two steps of this module, so a panic of who has them leaves nothing half done.
#[derive(Debug)]
struct Slots {
    /// The generation in which a slot begins.
    first: u32,
    all: Vec<Slot>,
    free: Vec<u32>,
    /// Where the search for lapsed places was left.
    hand: usize,
}

impl Default for Slots {
    /// In the child of a fork it takes the place of slots that a thread was changing. Their permits may still be given back
    /// there, so it begins far from their generations: multiples of the golden ratio keep away from each other.
    fn default() -> Self {
        let first = forks::count().wrapping_mul(0x9E37_79B9);
        Self { first, all: Vec::new(), free: Vec::new(), hand: 0 }
    }
}

#[derive(Debug)]
struct Slot {
    /// Counts the uses of the slot, so that a permit which comes late is told from the one that has the slot now.
    generation: u32,
    held: Option<Held>,
}

#[derive(Debug)]
struct Held {
    places: Places,
    /// When the last of them has lapsed.
    until: u64,
}

impl Permits {
    pub(super) fn new() -> Self {
        Self { stripes: Striped::new(Lock::default), seal: Seal::new() }
    }

    /// A permit for places that were taken at `now`, the last of which lapses at `until`; none where so many are held that no
    /// number is left, and the places are given back.
    pub(super) fn hold(&self, places: Places, now: u64, until: u64) -> Option<Permit> {
        let (stripe, slots) = self.stripes.mine_numbered();
        let mut slots = slots.lock();
        let mut lapsed: SmallVec<[Held; GLANCE]> = SmallVec::new();
        for _ in 0..GLANCE.min(slots.all.len()) {
            lapsed.extend(slots.drop_lapsed(now));
        }
        let slot = match slots.free.pop() {
            Some(slot) => slot,
            None if slots.all.len() >> SLOT_BITS == 0 => {
                let generation = slots.first;
                slots.all.push(Slot { generation, held: None });
                (slots.all.len() - 1) as u32
            }
            None => {
                drop(slots);
                give_back(places);
                return None;
            }
        };
        let entry = &mut slots.all[slot as usize];
        entry.held = Some(Held { places, until });
        let permit = loop {
            let place = u64::from(slot) << STRIPE_BITS | stripe as u64;
            let number = u64::from(entry.generation) << (STRIPE_BITS + SLOT_BITS) | place;
            if let Some(sealed) = self.seal.put_on(number) {
                break Permit(sealed);
            }
            entry.generation = entry.generation.wrapping_add(1);
        };
        drop(slots);
        // A lapsed place comes back by its own lease: to drop them is to forget what they were.
        drop(lapsed);
        Some(permit)
    }

    /// Gives places back; false where that was done already, all of their leases have lapsed, or the permit is another
    /// engine's.
    pub(super) fn release(&self, permit: Permit) -> bool {
        let number = self.seal.take_off(permit.0);
        let stripe = number as usize % (1 << STRIPE_BITS);
        let slot = (number >> STRIPE_BITS) as u32 % (1 << SLOT_BITS);
        let generation = (number >> (STRIPE_BITS + SLOT_BITS)) as u32;
        let Some(slots) = self.stripes.iter().nth(stripe) else { return false };
        let held = slots.lock().take(slot, generation);
        held.is_some_and(|held| give_back(held.places))
    }

    /// Forgets all permits: their holders are in the parent process.
    pub(super) fn clear(&self) {
        for slots in self.stripes.iter() {
            let mut slots = slots.lock();
            for slot in 0..slots.all.len() as u32 {
                let generation = slots.all[slot as usize].generation;
                slots.take(slot, generation);
            }
        }
    }
}

/// Gives places back; whether any of them was still held.
fn give_back(places: Places) -> bool {
    let mut any = false;
    for (limiter, place) in places {
        if let CellKind::Concurrency(cell) = limiter.cell() {
            any |= cell.release(place);
        }
    }
    any
}

impl Slots {
    fn take(&mut self, slot: u32, generation: u32) -> Option<Held> {
        let entry = self.all.get_mut(slot as usize).filter(|entry| entry.generation == generation)?;
        let held = entry.held.take()?;
        entry.generation = entry.generation.wrapping_add(1);
        self.free.push(slot);
        Some(held)
    }

    /// Looks at the next slot, and drops what has lapsed there.
    fn drop_lapsed(&mut self, now: u64) -> Option<Held> {
        self.hand = (self.hand + 1) % self.all.len();
        let slot = self.hand as u32;
        let entry = &self.all[self.hand];
        let lapsed = entry.held.as_ref().is_some_and(|held| held.until < now);
        let generation = entry.generation;
        if lapsed { self.take(slot, generation) } else { None }
    }
}
