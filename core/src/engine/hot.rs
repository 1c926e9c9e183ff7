//! Statement texts that come again and again, and what becomes of them: one look-up from text to limiter.

use super::at_hand::AtHand;
use super::generations::Generations;
use super::shape::Shape;
use crate::fingerprint::Dialect;
use crate::stripe::Striped;
use ahash::RandomState;
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

/// Texts that each stripe can tell to have come before, in its doorkeeper.
const SEEN: usize = 1 << 11;

/// The texts of late, in a table for each core.
///
/// A check takes its own core's table and is done there: nothing it writes is written by another core. Should another
/// thread hold the table, the check takes the longer way, by the normalised text; nobody waits.
///
/// A text enters at its second coming: texts with fresh constants come once, and would only push out the others. Whether a
/// text has come before is told by a few bits of its hash, the *doorkeeper* of Einziger, Friedman and Manes, `TinyLFU` (ACM
/// Transactions on Storage, 2017).
#[derive(Debug)]
pub(super) struct Hot {
    hasher: RandomState,
    stripes: Striped<Mutex<Texts>>,
}

#[derive(Debug)]
struct Texts {
    known: Generations<Known>,
    seen: Box<[u32]>,
}

/// What a core knows of a text.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) shape: Arc<Shape>,
    pub(super) at_hand: AtHand,
}

/// The hash of a text, under a key that no attacker knows.
#[derive(Clone, Copy, Debug)]
pub(super) struct TextHash(u64);

impl Hot {
    /// Tables of at most `bytes` together.
    pub(super) fn new(bytes: usize) -> Self {
        let stripes = Striped::new(|copies| {
            let known = Generations::new(bytes / copies);
            Mutex::new(Texts { known, seen: vec![0; SEEN].into() })
        });
        Self { hasher: RandomState::new(), stripes }
    }

    #[inline]
    pub(super) fn hash(&self, sql: &[u8]) -> TextHash {
        TextHash(self.hasher.hash_one(sql))
    }

    /// What this core knows of a text, handed to `decide` while the core's table is held.
    #[inline]
    pub(super) fn find<T>(
        &self,
        TextHash(hash): TextHash,
        dialect: Dialect,
        sql: &[u8],
        decide: impl FnOnce(&mut Known) -> T,
    ) -> Option<T> {
        let mut texts = lock(self.stripes.mine())?;
        texts.known.get(hash, dialect, sql).map(decide)
    }

    /// Takes note of a text that [`find`](Self::find) did not know: keeps what `known` makes of it, once it has come before.
    pub(super) fn note(&self, TextHash(hash): TextHash, dialect: Dialect, sql: &[u8], known: impl FnOnce() -> Known) {
        let Some(mut texts) = lock(self.stripes.mine()) else { return };
        let (place, tag) = (hash as usize % SEEN, (hash >> 32) as u32 | 1);
        if std::mem::replace(&mut texts.seen[place], tag) != tag {
            return;
        }
        // Another thread of this stripe may have kept it meanwhile.
        if texts.known.get(hash, dialect, sql).is_some() {
            return;
        }
        let known = known();
        let owned = known.at_hand.bytes();
        let outlived = texts.known.insert(hash, dialect, sql, known, owned);
        drop(texts);
        drop(outlived);
    }
}

/// The table, unless another thread holds it. One that panicked while it did left it whole: entries change one at a time.
#[inline]
fn lock(texts: &Mutex<Texts>) -> Option<MutexGuard<'_, Texts>> {
    match texts.try_lock() {
        Ok(texts) => Some(texts),
        Err(TryLockError::Poisoned(texts)) => Some(texts.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}
