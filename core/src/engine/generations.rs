//! What is kept by a text, within a bound of memory.

use crate::fingerprint::Dialect;
use hashbrown::HashTable;

/// A cache by dialect and text, in two generations.
///
/// What is new goes into the young one. When that holds half of what the cache may, the old one is dropped and the young
/// one takes its place. What is met in the old generation moves to the young one, so a flood of new texts cannot push out
/// those in use. This is the second-chance rule of page replacement, with two lists in place of a reference bit.
///
/// Callers bring a hash of the text that no attacker can predict; texts are compared in full.
#[derive(Debug)]
pub(super) struct Generations<V> {
    young: HashTable<Entry<V>>,
    old: HashTable<Entry<V>>,
    /// Bytes of the young generation, and the most that it may have.
    bytes: usize,
    budget: usize,
}

/// What is dropped to make room. It may be thousands of entries: to be dropped where no lock is held.
#[derive(Debug)]
#[must_use = "to be dropped where no lock is held"]
pub(super) struct Outlived<V>(HashTable<Entry<V>>);

#[derive(Debug)]
struct Entry<V> {
    hash: u64,
    text: Box<[u8]>,
    dialect: Dialect,
    cost: u32,
    value: V,
}


impl<V> Generations<V> {
    /// A cache of at most `bytes`.
    pub(super) fn new(bytes: usize) -> Self {
        Self { young: HashTable::new(), old: HashTable::new(), bytes: 0, budget: bytes / 2 }
    }

    /// What is kept by a text, if it is in the young generation.
    #[inline]
    pub(super) fn young(&self, hash: u64, dialect: Dialect, text: &[u8]) -> Option<&V> {
        self.young.find(hash, |entry| entry.is(dialect, text)).map(|entry| &entry.value)
    }

    /// What is kept by a text, if it is in the old generation.
    pub(super) fn old(&self, hash: u64, dialect: Dialect, text: &[u8]) -> Option<&V> {
        self.old.find(hash, |entry| entry.is(dialect, text)).map(|entry| &entry.value)
    }

    /// What is kept by a text, to be changed.
    #[inline]
    pub(super) fn get(&mut self, hash: u64, dialect: Dialect, text: &[u8]) -> Option<&mut V> {
        let index = self.young.find_bucket_index(hash, |entry| entry.is(dialect, text));
        match index {
            Some(index) => self.young.get_bucket_mut(index).map(|entry| &mut entry.value),
            None => self.rejuvenate(hash, dialect, text),
        }
    }

    /// Moves what is kept by a text from the old generation to the young one, even beyond its bound: it was there already.
    #[cold]
    fn rejuvenate(&mut self, hash: u64, dialect: Dialect, text: &[u8]) -> Option<&mut V> {
        let found = self.old.find_entry(hash, |entry| entry.is(dialect, text)).ok()?;
        let (entry, _) = found.remove();
        self.bytes += entry.cost as usize;
        let placed = self.young.insert_unique(hash, entry, |entry| entry.hash);
        Some(&mut placed.into_mut().value)
    }

    /// Keeps a value that is in neither generation, unless it is too large for any. `owned`: the bytes it refers to.
    pub(super) fn insert(&mut self, hash: u64, dialect: Dialect, text: &[u8], value: V, owned: usize) -> Outlived<V> {
        // The table is at worst half full.
        let cost = text.len().saturating_add(owned + 2 * size_of::<Entry<V>>());
        let mut outlived = Outlived(HashTable::new());
        let Some(budgeted) = u32::try_from(cost).ok().filter(|_| cost <= self.budget) else {
            return outlived;
        };
        if self.bytes + cost > self.budget {
            let young = std::mem::take(&mut self.young);
            outlived.0 = std::mem::replace(&mut self.old, young);
            self.bytes = 0;
        }
        self.bytes += cost;
        self.young.insert_unique(hash, Entry { hash, dialect, cost: budgeted, text: text.into(), value }, |entry| entry.hash);
        outlived
    }

    /// How many values are kept; one that is in both generations counts twice.
    pub(super) fn len(&self) -> usize {
        self.young.len() + self.old.len()
    }
}

impl<V> Entry<V> {
    #[inline]
    fn is(&self, dialect: Dialect, text: &[u8]) -> bool {
        self.dialect == dialect && *self.text == *text
    }
}
