//! The limiters of one rule in this process: a bounded table of keys.

use super::Key;
use crate::clock::Reading;
use crate::limit::{CellKind, Limiter, Measure, Pinned};
use hashbrown::HashTable;
use smallvec::SmallVec;
use sqlthrottle_cells::lock::Lock;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// How many limiters are looked at for one to let go when the table is full. A newcomer costs no more than this, however
/// many keys there are.
const PROBES: usize = 16;

/// Keys a shard is to hold before there are two of them: enough that a full shard with anything to let go is likely to
/// show it.
const KEYS_A_SHARD: usize = 512;

/// Most shards: enough that threads seldom look into the same one.
const MAX_SHARDS: usize = 64;

/// Limiters of a shard that are taken out of it at once to be shown, so that look-ups do not wait for all of them.
const SHOWN_AT_ONCE: usize = 64;

/// The limiters of one rule, by key, at most `max_keys` of them.
///
/// A look-up locks a shard, clones a reference and leaves; nothing is counted under a lock. Callers bring a hash of the key, under a key of its own that no attacker knows; keys are compared in full.
///
/// Whoever looks up says how the rule is measured by then. A limiter that is measured otherwise is replaced by one that
/// takes over what it counts, at once and whoever counts on it just now: who does is [told](Limiter::is_succeeded).
///
/// # Invariants
///
/// 1. At no moment are more than `max_keys` keys tracked.
/// 2. A key that has a limiter keeps it, or one that succeeds it, until the limiter equals a fresh one and nobody has it pinned.
///    So letting go of it changes no count, and no flood of other keys resets a throttled one. References to it may remain: a
///    limiter that was let go cannot be pinned. A fork is the exception: a shard that a thread of the parent was changing
///    begins empty in the child.
/// 3. A newcomer that finds no place shares the one overflow limiter with its like, and is counted.
///
/// A tracked key takes, besides its limiter, 64 bytes and at most 10 of the index.
pub(crate) struct KeyTable {
    max_keys: AtomicUsize,
    /// Places taken: keys tracked, and keys about to be.
    taken: AtomicUsize,
    shards: Box<[Lock<Shard>]>,
    overflow: Lock<Option<Arc<Limiter>>>,
    overflowed: AtomicU64,
    /// Leases that lapsed in limiters which have been let go.
    leaked: AtomicU64,
}

/// A panic of who has one leaves it whole: entry and index change together, and what can panic between them (an allocation)
/// comes first.
#[derive(Default)]
struct Shard {
    /// Into `entries`, by hash.
    index: HashTable<u32>,
    entries: Vec<Entry>,
    /// Where the search for a limiter to let go was left, so that all get their turn.
    hand: usize,
}

struct Entry {
    hash: u64,
    limiter: Arc<Limiter>,
    key: Key,
}

/// The limiter of a key.
#[derive(Debug)]
pub(crate) struct Lookup {
    pub(crate) limiter: Pinned,
    /// Whether it is the limiter that keys without a place share.
    pub(crate) overflow: bool,
}

impl KeyTable {
    /// A table for at most `max_keys` keys. Memory is taken as keys come.
    pub(crate) fn new(max_keys: usize) -> Self {
        let shards = (max_keys / KEYS_A_SHARD).clamp(1, MAX_SHARDS).next_power_of_two();
        Self {
            max_keys: AtomicUsize::new(bounded(max_keys)),
            taken: AtomicUsize::new(0),
            shards: (0..shards).map(|_| Lock::default()).collect(),
            overflow: Lock::default(),
            overflowed: AtomicU64::new(0),
            leaked: AtomicU64::new(0),
        }
    }

    /// Allows another number of keys from now on. Where there are more already, they stay until they are let go.
    pub(crate) fn set_max_keys(&self, max_keys: usize) {
        self.max_keys.store(bounded(max_keys), Ordering::Relaxed);
    }

    /// The limiter of a key, pinned, so that what is counted on it is not lost: its own, which it gets if it is new and there
    /// is a place or one can be made, else the overflow limiter.
    ///
    /// `now` is by the reading of the measure; `clock` tells the time by any other, that of a limiter which was measured
    /// otherwise.
    pub(crate) fn get(
        &self,
        hash: u64,
        key: &Key,
        measure: &Measure,
        now: u64,
        mut clock: impl FnMut(Reading) -> u64,
    ) -> Lookup {
        loop {
            let (limiter, overflow) = self.find(hash, key, measure, now, &mut clock);
            if let Ok(limiter) = Pinned::new(limiter) {
                return Lookup { limiter, overflow };
            }
            // It was let go, or replaced, between the two, and is in the table no more.
        }
    }

    fn find(
        &self,
        hash: u64,
        key: &Key,
        measure: &Measure,
        now: u64,
        clock: &mut dyn FnMut(Reading) -> u64,
    ) -> (Arc<Limiter>, bool) {
        let shard = self.shard_of(hash).read();
        if let Some(limiter) = shard.find(hash, key)
            && limiter.is_measured_by(measure)
        {
            return (limiter, false);
        }
        let mut shard = shard.change();
        if let Some(limiter) =
            shard.renewed(hash, key, measure, now, clock).or_else(|| self.admit(&mut shard, hash, key, measure, now))
        {
            return (limiter, false);
        }
        drop(shard);
        (self.overflow(measure, now, clock), true)
    }

    /// The limiter of a key as it is, or that of keys without a place; none where there is none.
    pub(crate) fn peek(&self, hash: u64, key: &Key, overflow: bool) -> Option<Arc<Limiter>> {
        if overflow { self.overflow.read().clone() } else { self.shard_of(hash).read().find(hash, key) }
    }

    /// How many keys are tracked.
    pub(crate) fn len(&self) -> usize {
        self.shards.iter().map(|shard| shard.read().entries.len()).sum()
    }

    /// Takes note of a check that was counted by the overflow limiter.
    pub(crate) fn count_overflow(&self) {
        self.overflowed.fetch_add(1, Ordering::Relaxed);
    }

    /// How many checks were counted by the overflow limiter.
    pub(crate) fn overflow_count(&self) -> u64 {
        self.overflowed.load(Ordering::Relaxed)
    }

    /// How many places of concurrency limits are held, and how many leases have lapsed, over all keys.
    pub(crate) fn places(&self, now: u64) -> (u64, u64) {
        let (mut held, mut leaked) = (0, self.leaked.load(Ordering::Relaxed));
        self.for_each(|limiter| {
            if let CellKind::Concurrency(cell) = limiter.cell() {
                cell.reap(now);
                held += u64::from(cell.in_use());
                leaked += cell.leaked();
            }
        });
        (held, leaked)
    }

    /// Forgets everything that is counted: a rule has expired, or is gone.
    pub(crate) fn clear(&self) {
        for shard in &self.shards {
            let gone = std::mem::take(&mut *shard.lock()).entries;
            self.taken.fetch_sub(gone.len(), Ordering::Relaxed);
            for entry in gone {
                self.keep_leaked(&entry.limiter);
            }
        }
        if let Some(limiter) = self.overflow.lock().take() {
            self.keep_leaked(&limiter);
        }
    }

    /// Keeps the count of leases that have lapsed in a limiter which is let go.
    fn keep_leaked(&self, limiter: &Limiter) {
        if let CellKind::Concurrency(cell) = limiter.cell() {
            self.leaked.fetch_add(cell.take_leaked(), Ordering::Relaxed);
        }
    }

    /// Puts in order what threads of a parent process were at. Only where no other thread uses the table.
    pub(crate) fn after_fork(&self) {
        self.for_each(Limiter::after_fork);
        // Some threads had a place and no key yet; and what they were changing is empty.
        self.taken.store(self.len(), Ordering::Relaxed);
    }

    /// Shows every limiter, some of a shard at a time. What comes, goes or moves meanwhile may or may not be seen.
    fn for_each(&self, mut each: impl FnMut(&Limiter)) {
        let mut some: SmallVec<[Arc<Limiter>; SHOWN_AT_ONCE]> = SmallVec::new();
        for shard in &self.shards {
            let mut shown = 0;
            loop {
                let entries = shard.read();
                let next = entries.entries.iter().skip(shown).take(SHOWN_AT_ONCE);
                some.extend(next.map(|entry| Arc::clone(&entry.limiter)));
                drop(entries);
                if some.is_empty() {
                    break;
                }
                shown += some.len();
                some.drain(..).for_each(|limiter| each(&limiter));
            }
        }
        let overflow = self.overflow.read().clone();
        if let Some(limiter) = overflow {
            each(&limiter);
        }
    }

    /// A place for a newcomer: one of those never taken, or that of a limiter that can be let go.
    fn admit(&self, shard: &mut Shard, hash: u64, key: &Key, measure: &Measure, now: u64) -> Option<Arc<Limiter>> {
        if !self.take_place() {
            self.keep_leaked(&*shard.let_go(now)?);
        }
        let limiter = Limiter::fresh(measure, now);
        shard.insert(Entry { hash, key: *key, limiter: Arc::clone(&limiter) });
        Some(limiter)
    }

    /// Reserves one of the `max_keys` places. A limiter let go leaves its place to the newcomer, so none is given back.
    fn take_place(&self) -> bool {
        let max_keys = self.max_keys.load(Ordering::Relaxed);
        let more = |taken| (taken < max_keys).then_some(taken + 1);
        self.taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok()
    }

    /// The limiter that keys without a place share.
    fn overflow(&self, measure: &Measure, now: u64, clock: &mut dyn FnMut(Reading) -> u64) -> Arc<Limiter> {
        let overflow = self.overflow.read();
        if let Some(limiter) = &*overflow
            && limiter.is_measured_by(measure)
        {
            return Arc::clone(limiter);
        }
        let mut overflow = overflow.change();
        let limiter = overflow.get_or_insert_with(|| Limiter::fresh(measure, now));
        renew(limiter, measure, now, clock);
        Arc::clone(limiter)
    }

    fn shard_of(&self, hash: u64) -> &Lock<Shard> {
        // The index of a shard uses the lowest and the seven highest bits.
        let shard = (hash >> 32) as usize & (self.shards.len() - 1);
        &self.shards[shard]
    }
}

/// An index is 32 bits wide; this many keys would not fit in memory before that many fit in the index.
fn bounded(max_keys: usize) -> usize {
    max_keys.min(u32::MAX as usize)
}

/// Replaces a limiter that is measured otherwise.
fn renew(limiter: &mut Arc<Limiter>, measure: &Measure, now: u64, clock: &mut dyn FnMut(Reading) -> u64) {
    if !limiter.is_measured_by(measure) {
        let old_now = clock(limiter.reading());
        *limiter = Limiter::succeeding(limiter, measure, now, old_now);
    }
}

impl Shard {
    fn position(&self, hash: u64, key: &Key) -> Option<usize> {
        self.index.find(hash, |&i| self.entries[i as usize].key == *key).map(|&i| i as usize)
    }

    fn find(&self, hash: u64, key: &Key) -> Option<Arc<Limiter>> {
        self.position(hash, key).map(|at| Arc::clone(&self.entries[at].limiter))
    }

    /// The limiter of a key, measured so.
    fn renewed(
        &mut self,
        hash: u64,
        key: &Key,
        measure: &Measure,
        now: u64,
        clock: &mut dyn FnMut(Reading) -> u64,
    ) -> Option<Arc<Limiter>> {
        let at = self.position(hash, key)?;
        let limiter = &mut self.entries[at].limiter;
        renew(limiter, measure, now, clock);
        Some(Arc::clone(limiter))
    }

    fn insert(&mut self, entry: Entry) {
        self.entries.reserve(1);
        self.index.reserve(1, |&i| self.entries[i as usize].hash);
        let (hash, index) = (entry.hash, self.entries.len() as u32);
        self.entries.push(entry);
        self.index.insert_unique(hash, index, |&i| self.entries[i as usize].hash);
    }

    /// Removes one limiter that is fresh and that nobody has pinned, if one of the next few is.
    fn let_go(&mut self, now: u64) -> Option<Arc<Limiter>> {
        for _ in 0..PROBES.min(self.entries.len()) {
            self.hand = (self.hand + 1) % self.entries.len();
            let limiter = &*self.entries[self.hand].limiter;
            if !limiter.is_fresh(now) || !limiter.pins().retire() {
                continue;
            }
            // Once more: between the two, someone may have counted and left.
            if limiter.is_fresh(now) {
                return Some(self.remove(self.hand).limiter);
            }
            limiter.pins().revive();
        }
        None
    }

    fn remove(&mut self, at: usize) -> Entry {
        let is = |at: usize| move |&i: &u32| i as usize == at;
        if let Ok(found) = self.index.find_entry(self.entries[at].hash, is(at)) {
            found.remove();
        }
        // The last entry takes the place of the one removed.
        let last = self.entries.len() - 1;
        if let Some(index) = self.index.find_mut(self.entries[last].hash, is(last)) {
            *index = at as u32;
        }
        self.entries.swap_remove(at)
    }
}

impl fmt::Debug for KeyTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyTable")
            .field("keys", &self.len())
            .field("overflowed", &self.overflow_count())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
