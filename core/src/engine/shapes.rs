//! The shapes that have been seen, within a bound of memory.

use super::generations::Generations;
use super::shape::Shape;
use crate::fingerprint::Dialect;
use ahash::RandomState;
use sqlthrottle_cells::lock::Lock;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Parts of the cache, each with a lock of its own.
const SHARDS: usize = 16;

/// Shapes by dialect and normalised text. What is dropped from it costs nothing but another first sight: counts live in
/// the limiters. So a shard that a thread was changing while another one forked begins empty in the child.
#[derive(Debug)]
pub(super) struct Shapes {
    shards: [Lock<Shard>; SHARDS],
    /// Of all shards.
    bytes: AtomicUsize,
    hasher: RandomState,
}

/// It is whole between any two steps of this module, so a panic of who has one leaves nothing half done.
type Shard = Generations<Arc<Shape>>;

impl Shapes {
    /// A cache of at most `bytes`.
    pub(super) fn new(bytes: usize) -> Self {
        let shard = |_| Lock::new(fresh(bytes));
        Self { shards: std::array::from_fn(shard), bytes: AtomicUsize::new(bytes), hasher: RandomState::new() }
    }

    /// The shape of a normalised text as of an epoch. `make` reads it where it is not known, and is given the one that is out of
    /// date where there is one.
    pub(super) fn get(
        &self,
        dialect: Dialect,
        text: &[u8],
        is_current: impl Fn(&Shape) -> bool,
        make: impl FnOnce(Option<&Shape>) -> Shape,
    ) -> Arc<Shape> {
        let hash = self.hasher.hash_one(text);
        let shard = &self.shards[(hash >> 32) as usize % SHARDS];
        let is = |shape: &Arc<Shape>| shape.dialect == dialect && *shape.text == *text;
        let known = shard.read_or(|| self.fresh());
        if let Some(shape) = known.young(hash, is).filter(|shape| is_current(shape)) {
            return Arc::clone(shape);
        }
        let old = known.young(hash, is).or_else(|| known.old(hash, is)).cloned();
        drop(known);
        // Outside the lock: two threads may read the same new shape, and one of the two is kept.
        let shape = match old {
            Some(shape) if is_current(&shape) => shape,
            old => Arc::new(make(old.as_deref())),
        };
        let mut shard = shard.lock_or(|| self.fresh());
        if let Some(known) = shard.get(hash, is) {
            if is_current(known) {
                return Arc::clone(known);
            }
            *known = Arc::clone(&shape);
            shard.recharge(hash, is, shape.bytes());
            return shape;
        }
        shard.insert(hash, Arc::clone(&shape), shape.bytes());
        let outlived = shard.take_outlived();
        drop(shard);
        drop(outlived);
        shape
    }

    /// Forgets all of them, and allows so many bytes from now on: texts are normalised otherwise.
    pub(super) fn renew(&self, bytes: usize) {
        self.bytes.store(bytes, Ordering::Relaxed);
        for shard in &self.shards {
            let mut shard = shard.lock_or(|| self.fresh());
            let outlived = std::mem::replace(&mut *shard, fresh(bytes));
            drop(shard);
            drop(outlived);
        }
    }

    /// How many shapes are remembered.
    pub(super) fn len(&self) -> usize {
        self.shards.iter().map(|shard| shard.read_or(|| self.fresh()).len()).sum()
    }

    fn fresh(&self) -> Shard {
        fresh(self.bytes.load(Ordering::Relaxed))
    }
}

fn fresh(bytes: usize) -> Shard {
    Generations::new(bytes / SHARDS)
}
