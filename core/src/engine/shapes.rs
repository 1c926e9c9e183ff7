//! The shapes that have been seen, within a bound of memory.

use super::shape::Shape;
use crate::fingerprint::Dialect;
use ahash::RandomState;
use hashbrown::HashTable;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

/// Parts of the cache, each with a lock of its own.
const SHARDS: usize = 16;
/// What a shape costs besides its text: the shape, its entry and its place in the table, rounded up.
const OVERHEAD: usize = 256;

/// Shapes by dialect and normalised text.
///
/// Each shard has two generations. New shapes go into the young one; when that holds half of what the shard may, the old
/// one is dropped and the young one takes its place. A shape met in the old generation moves to the young one, so a flood
/// of new shapes cannot push out those in use, and what is dropped costs nothing but another first sight: counts live in
/// the limiters. This is the second-chance rule of page replacement, with two lists in place of a reference bit.
///
/// The table is keyed by a hash that no attacker can predict, and texts are compared in full.
#[derive(Debug)]
pub(super) struct Shapes {
    shards: [RwLock<Shard>; SHARDS],
    hasher: RandomState,
    /// Most bytes of a generation.
    budget: usize,
}

#[derive(Debug, Default)]
struct Shard {
    young: HashTable<Entry>,
    old: HashTable<Entry>,
    /// Bytes of the young generation.
    bytes: usize,
}

#[derive(Debug)]
struct Entry {
    hash: u64,
    dialect: Dialect,
    text: Box<[u8]>,
    shape: Arc<Shape>,
}

impl Shapes {
    /// A cache of at most `bytes`.
    pub(super) fn new(bytes: usize) -> Self {
        Self { shards: Default::default(), hasher: RandomState::new(), budget: bytes / SHARDS / 2 }
    }

    /// The shape of a normalised text, read by `read` where it is not known.
    pub(super) fn get(&self, dialect: Dialect, text: &[u8], read: impl FnOnce() -> Shape) -> Arc<Shape> {
        let hash = self.hasher.hash_one(text);
        let shard = &self.shards[(hash >> 32) as usize % SHARDS];
        let find = |entries: &HashTable<Entry>| {
            entries
                .find(hash, |entry| entry.dialect == dialect && *entry.text == *text)
                .map(|entry| Arc::clone(&entry.shape))
        };
        let known = self::read(shard);
        if let Some(shape) = find(&known.young) {
            return shape;
        }
        let old = find(&known.old);
        drop(known);
        // Outside the lock: two threads may read the same new shape, and one of the two is kept.
        let shape = old.unwrap_or_else(|| Arc::new(read()));
        let cost = text.len() + OVERHEAD;
        if cost > self.budget {
            return shape;
        }
        // Dropped when the lock is given back: thousands of entries may be.
        let mut outlived = HashTable::new();
        let mut shard = shard.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(shape) = find(&shard.young) {
            return shape;
        }
        if shard.bytes + cost > self.budget {
            let young = std::mem::take(&mut shard.young);
            outlived = std::mem::replace(&mut shard.old, young);
            shard.bytes = 0;
        }
        shard.bytes += cost;
        let entry = Entry { hash, dialect, text: text.into(), shape: Arc::clone(&shape) };
        shard.young.insert_unique(hash, entry, |entry| entry.hash);
        drop(shard);
        drop(outlived);
        shape
    }

    /// How many shapes are remembered; one that is in both generations counts twice.
    pub(super) fn len(&self) -> usize {
        self.shards.iter().map(|shard| read(shard)).map(|shard| shard.young.len() + shard.old.len()).sum()
    }
}

/// A shard is whole between any two of its statements, so a panic of a holder leaves nothing half done.
fn read(shard: &RwLock<Shard>) -> RwLockReadGuard<'_, Shard> {
    shard.read().unwrap_or_else(PoisonError::into_inner)
}
