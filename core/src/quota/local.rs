//! The limiters of one rule in this process: a bounded table of keys.

use crate::limit::Limiter;
use ahash::RandomState;
use hashbrown::HashTable;
use std::fmt;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// How many limiters are looked at for one to let go when the table is full. A newcomer costs no more than this, however
/// many keys there are.
const PROBES: usize = 16;

/// Keys a shard is to hold before there are two of them: enough that a full shard with anything to let go is likely to
/// show it.
const KEYS_A_SHARD: usize = 512;

/// Most shards: enough that a write in one is seldom in the way of a look into another.
const MAX_SHARDS: usize = 64;

/// The limiters of one rule, by key, at most `max_keys` of them.
///
/// A look-up takes a shard's lock for reading, clones a reference and leaves; nothing is counted under a lock. The table
/// is keyed by a hash that no attacker can predict, and keys are compared in full.
///
/// # Invariants
///
/// 1. At no moment are more than `max_keys` keys tracked.
/// 2. A key that has a limiter keeps it until the limiter equals a fresh one and nobody has it pinned. So letting go of it
///    changes no count, and no flood of other keys resets a throttled one. References to it may remain: a limiter that was
///    let go cannot be pinned.
/// 3. A newcomer that finds no place shares the one overflow limiter with its like, and is counted.
///
/// A tracked key takes, besides its bytes and its limiter, 40 bytes and at most 10 of the index.
pub(crate) struct KeyTable<L: Limiter + ?Sized> {
    params: L::Params,
    max_keys: usize,
    /// Places taken: keys tracked, and keys about to be.
    taken: AtomicUsize,
    hasher: RandomState,
    shards: Box<[RwLock<Shard<L>>]>,
    overflow: Arc<L>,
    overflowed: AtomicU64,
}

struct Shard<L: ?Sized> {
    /// Into `entries`, by hash.
    index: HashTable<u32>,
    entries: Vec<Entry<L>>,
    /// Where the search for a limiter to let go was left, so that all get their turn.
    hand: usize,
}

struct Entry<L: ?Sized> {
    hash: u64,
    key: Box<[u8]>,
    limiter: Arc<L>,
}

/// The limiter of a key.
pub(crate) struct Lookup<L: ?Sized> {
    pub(crate) limiter: Arc<L>,
    /// Whether it is the limiter that keys without a place share.
    pub(crate) overflow: bool,
}

impl<L: Limiter + ?Sized> KeyTable<L> {
    /// A table for at most `max_keys` keys. Memory is taken as keys come.
    pub(crate) fn new(params: L::Params, max_keys: usize, now: u64) -> Self {
        // An index is 32 bits wide; this many keys would not fit in memory before that many fit in the index.
        let max_keys = max_keys.min(u32::MAX as usize);
        let shards = (max_keys / KEYS_A_SHARD).clamp(1, MAX_SHARDS).next_power_of_two();
        let shard = || RwLock::new(Shard { index: HashTable::new(), entries: Vec::new(), hand: 0 });
        Self {
            max_keys,
            taken: AtomicUsize::new(0),
            hasher: RandomState::new(),
            shards: (0..shards).map(|_| shard()).collect(),
            overflow: L::fresh(&params, now),
            overflowed: AtomicU64::new(0),
            params,
        }
    }

    /// What all limiters of the table have in common.
    #[cfg(test)]
    pub(crate) fn params(&self) -> &L::Params {
        &self.params
    }

    /// Hands the limiter of a key to `count`, pinned, so that what is counted is not lost.
    pub(crate) fn with<T>(&self, key: &[u8], now: u64, count: impl FnOnce(&Lookup<L>) -> T) -> T {
        loop {
            let lookup = self.get(key, now);
            if lookup.overflow {
                // It is not a key's, and never let go.
                return count(&lookup);
            }
            if let Some(_pin) = lookup.limiter.pins().pin() {
                return count(&lookup);
            }
            // It was let go between the two, and is in the table no more.
        }
    }

    /// The limiter of a key: its own, which it gets if it is new and there is a place or one can be made, else the
    /// overflow limiter.
    fn get(&self, key: &[u8], now: u64) -> Lookup<L> {
        let hash = self.hasher.hash_one(key);
        let shard = self.shard_of(hash);
        if let Some(limiter) = read(shard).find(hash, key) {
            return Lookup { limiter, overflow: false };
        }
        let mut shard = write(shard);
        // Another thread may have brought the key between the two locks.
        let tracked = shard.find(hash, key).or_else(|| self.admit(&mut shard, hash, key, now));
        drop(shard);
        if let Some(limiter) = tracked {
            return Lookup { limiter, overflow: false };
        }
        self.overflowed.fetch_add(1, Ordering::Relaxed);
        Lookup { limiter: Arc::clone(&self.overflow), overflow: true }
    }

    /// How many keys are tracked.
    pub(crate) fn len(&self) -> usize {
        self.shards.iter().map(|shard| read(shard).entries.len()).sum()
    }

    /// How many look-ups were answered with the overflow limiter.
    pub(crate) fn overflow_count(&self) -> u64 {
        self.overflowed.load(Ordering::Relaxed)
    }

    /// The limiter that keys without a place share.
    #[cfg(test)]
    pub(crate) fn overflow(&self) -> &L {
        &self.overflow
    }

    /// Shows every key with its limiter, a shard at a time. What comes or goes meanwhile may or may not be seen. Newcomers
    /// to a shard wait while it is shown, so `each` is to be quick, and is not to come back to the table.
    #[cfg(test)]
    pub(crate) fn for_each(&self, mut each: impl FnMut(&[u8], &L)) {
        for shard in &self.shards {
            for entry in &read(shard).entries {
                each(&entry.key, &entry.limiter);
            }
        }
    }

    /// A place for a newcomer: one of those never taken, or that of a limiter that can be let go.
    fn admit(&self, shard: &mut Shard<L>, hash: u64, key: &[u8], now: u64) -> Option<Arc<L>> {
        if !self.take_place() {
            shard.let_go(&self.params, now)?;
        }
        let limiter = L::fresh(&self.params, now);
        shard.insert(Entry { hash, key: key.into(), limiter: Arc::clone(&limiter) });
        Some(limiter)
    }

    /// Reserves one of the `max_keys` places. A limiter let go leaves its place to the newcomer, so none is given back.
    fn take_place(&self) -> bool {
        let mut taken = self.taken.load(Ordering::Relaxed);
        while taken < self.max_keys {
            match self.taken.compare_exchange_weak(taken, taken + 1, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return true,
                Err(now_taken) => taken = now_taken,
            }
        }
        false
    }

    fn shard_of(&self, hash: u64) -> &RwLock<Shard<L>> {
        // The index of a shard uses the lowest and the seven highest bits.
        let shard = (hash >> 32) as usize & (self.shards.len() - 1);
        &self.shards[shard]
    }
}

/// A panic under a lock is none of the table's doing and leaves a shard whole: entry and index change together, and what
/// can panic between them (an allocation) comes first.
fn read<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

fn write<T>(lock: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}

impl<L: Limiter + ?Sized> Shard<L> {
    fn find(&self, hash: u64, key: &[u8]) -> Option<Arc<L>> {
        let index = self.index.find(hash, |&i| *self.entries[i as usize].key == *key)?;
        Some(Arc::clone(&self.entries[*index as usize].limiter))
    }

    fn insert(&mut self, entry: Entry<L>) {
        self.entries.reserve(1);
        self.index.reserve(1, |&i| self.entries[i as usize].hash);
        let (hash, index) = (entry.hash, self.entries.len() as u32);
        self.entries.push(entry);
        self.index.insert_unique(hash, index, |&i| self.entries[i as usize].hash);
    }

    /// Removes one limiter that is fresh and that nobody has pinned, if one of the next few is.
    fn let_go(&mut self, params: &L::Params, now: u64) -> Option<()> {
        for _ in 0..PROBES.min(self.entries.len()) {
            self.hand = (self.hand + 1) % self.entries.len();
            let limiter = &*self.entries[self.hand].limiter;
            if !limiter.is_fresh(params, now) || !limiter.pins().retire() {
                continue;
            }
            // Once more: between the two, someone may have counted and left.
            if limiter.is_fresh(params, now) {
                self.remove(self.hand);
                return Some(());
            }
            limiter.pins().revive();
        }
        None
    }

    fn remove(&mut self, at: usize) {
        let is = |at: usize| move |&i: &u32| i as usize == at;
        if let Ok(found) = self.index.find_entry(self.entries[at].hash, is(at)) {
            found.remove();
        }
        // The last entry takes the place of the one removed.
        let last = self.entries.len() - 1;
        if let Some(index) = self.index.find_mut(self.entries[last].hash, is(last)) {
            *index = at as u32;
        }
        self.entries.swap_remove(at);
    }
}

impl<L: Limiter + ?Sized> fmt::Debug for KeyTable<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyTable")
            .field("keys", &self.len())
            .field("max_keys", &self.max_keys)
            .field("overflowed", &self.overflow_count())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limit::WindowLimiter;
    use sqlthrottle_cells::WindowShape;
    use std::collections::HashSet;
    use std::thread;

    const SECOND: u64 = 1_000_000_000;

    fn shape() -> WindowShape {
        WindowShape::new(60 * SECOND, 12).unwrap()
    }

    fn table(max_keys: usize) -> KeyTable<WindowLimiter> {
        KeyTable::new(shape(), max_keys, 0)
    }

    fn count(table: &KeyTable<WindowLimiter>, key: &[u8], now: u64) -> (u32, bool) {
        table.with(key, now, |found| {
            (found.limiter.window().count_attempt(table.params(), 1, now).total(), found.overflow)
        })
    }

    fn key(n: u64) -> [u8; 32] {
        // As long as a fingerprint.
        let mut key = [0; 32];
        key[..8].copy_from_slice(&n.to_le_bytes());
        key
    }

    #[test]
    fn a_key_keeps_its_own_limiter() {
        let table = table(100);
        for round in 1..=3 {
            for k in [&b"a"[..], b"b", b"", &[0], &[0, 0]] {
                assert_eq!(count(&table, k, 0), (round, false));
            }
        }
        assert_eq!((table.len(), table.overflow_count()), (5, 0));
        let mut seen = HashSet::new();
        table.for_each(|key, limiter| assert!(seen.insert(key.to_vec()) && !limiter.is_fresh(&shape(), 0)));
        assert_eq!(seen.len(), 5);
    }

    #[test]
    fn newcomers_beyond_the_bound_share_one_limiter() {
        let table = table(3);
        for n in 0..3 {
            assert_eq!(count(&table, &key(n), 0), (1, false));
        }
        assert_eq!(count(&table, &key(3), 0), (1, true));
        assert_eq!(count(&table, &key(4), 0), (2, true));
        assert_eq!(count(&table, &key(0), 0), (2, false));
        assert_eq!((table.len(), table.overflow_count()), (3, 2));
        assert_eq!(table.overflow().window().total(&shape(), 0), 2);
    }

    #[test]
    fn a_table_for_nobody_has_the_overflow_limiter_alone() {
        let table = table(0);
        assert_eq!(count(&table, b"a", 0), (1, true));
        assert_eq!(count(&table, b"b", 0), (2, true));
        assert_eq!(table.len(), 0);
    }

    #[test]
    fn only_what_equals_a_fresh_limiter_is_let_go() {
        let table = table(2);
        count(&table, b"early", 0);
        count(&table, b"late", 30 * SECOND);
        assert_eq!(count(&table, b"new", 64 * SECOND), (1, true));
        assert_eq!(count(&table, b"new", 65 * SECOND), (1, false), "the early key's window is empty now");
        assert_eq!(count(&table, b"late", 65 * SECOND), (2, false), "the late key's is not");
        assert_eq!(count(&table, b"early", 65 * SECOND), (2, true));
        assert_eq!(table.len(), 2);
    }

    #[test]
    fn a_limiter_in_use_is_not_let_go() {
        let table = table(1);
        table.with(b"held", 0, |held| {
            assert!(table.get(b"new", 0).overflow, "what the holder is about to count would be lost");
            held.limiter.window().count_attempt(&shape(), 5, 0);
        });
        assert_eq!(count(&table, b"held", 0), (6, false));
        drop(table.get(b"held", 100 * SECOND));
        assert!(!table.get(b"new", 100 * SECOND).overflow);
    }

    #[test]
    fn a_reference_to_a_limiter_that_was_let_go_is_of_no_use() {
        let table = table(1);
        let kept = table.get(b"kept", 0).limiter;
        assert!(!table.get(b"new", 0).overflow, "a mere reference keeps no place");
        assert!(kept.pins().pin().is_none());
        assert!(!Arc::ptr_eq(&kept, &table.get(b"kept", 0).limiter), "it comes back as another");
    }

    #[test]
    fn a_flood_of_keys_neither_grows_the_table_nor_resets_a_throttled_one() {
        let table = table(1000);
        let max = 10;
        for _ in 0..=max {
            count(&table, b"victim", 0);
        }
        // A key each 50 microseconds: a minute and a bit of keys, so those of the first moments are let go again.
        let (step, keys) = (50_000, 1_400_000);
        for n in 0..keys {
            let now = n * step;
            if n % 100_000 == 0 {
                assert!(table.len() <= 1000);
                assert!(count(&table, b"victim", now).0 > max, "the throttled key was reset");
            }
            count(&table, &key(n), now);
        }
        assert_eq!(table.len(), 1000);
        let newest = table.get(&key(keys), keys * step + 70 * SECOND);
        assert!(!newest.overflow, "once the flood is over, there are places again");
        assert!(table.overflow_count() > keys / 2);
    }

    #[test]
    fn let_go_keeps_the_index_in_step() {
        // Limiters are fresh at once where nothing is counted, so each newcomer takes the place of another.
        let table = table(50);
        for n in 0..20_000 {
            assert!(!table.get(&key(n), 0).overflow);
            assert!(table.len() <= 50);
        }
        let mut keys = Vec::new();
        table.for_each(|key, _| keys.push(key.to_vec()));
        assert_eq!(keys.len(), 50);
        for key in keys {
            assert_eq!(count(&table, &key, 0), (1, false));
        }
        let mut counted = 0;
        table.for_each(|_, limiter| counted += limiter.window().total(&shape(), 0));
        assert_eq!(counted, 50, "every key shown is one that is found");
    }

    #[test]
    fn threads_lose_no_count_and_never_exceed_the_bound() {
        let table = table(700);
        let (hot, cold, rounds) = (64, 5_000, 20_000);
        thread::scope(|scope| {
            for seed in 1..=3u64 {
                let table = &table;
                scope.spawn(move || {
                    for n in 0..rounds {
                        // Hot keys are counted; the cold only pass through, so their limiters are let go all the time.
                        assert!(!count(table, &key(n % hot), 0).1);
                        table.get(&key(hot + (n * 7 + seed * 13) % cold), 0);
                        if n % 1000 == 0 {
                            assert!(table.len() <= 700);
                        }
                    }
                });
            }
        });
        assert!(table.len() <= 700);
        let total: u64 = (0..hot).map(|k| u64::from(table.get(&key(k), 0).limiter.window().total(&shape(), 0))).sum();
        assert_eq!(total, 3 * rounds);
    }

    #[test]
    fn a_tracked_key_takes_little_memory() {
        assert_eq!(size_of::<Entry<WindowLimiter>>(), 40);
    }
}
