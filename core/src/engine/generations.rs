//! What is kept by a key, within a bound of memory.

use hashbrown::HashTable;

/// A cache in two generations.
///
/// What is new, and what is met again in the old generation, goes into the young one. When that is full, the old one is
/// dropped and the young one takes its place. So a flood of new keys cannot push out those in use. This is the second-chance
/// rule of page replacement, with two lists in place of a reference bit.
///
/// Callers bring a hash of the key, under a key of its own where an attacker may choose what is hashed, and compare in full.
#[derive(Debug)]
pub(super) struct Generations<E> {
    young: HashTable<Kept<E>>,
    old: HashTable<Kept<E>>,
    outlived: Outlived<E>,
    /// Bytes of the young generation, and the most that a generation may have.
    bytes: usize,
    budget: usize,
}

#[derive(Debug)]
struct Kept<E> {
    hash: u64,
    cost: u32,
    entry: E,
}

/// A generation that was dropped. It may be thousands of entries: to be dropped where no lock is held.
#[derive(Debug)]
#[must_use = "to be dropped where no lock is held"]
pub(super) struct Outlived<E>(#[expect(dead_code, reason = "kept until it is dropped")] HashTable<Kept<E>>);

impl<E> Default for Outlived<E> {
    fn default() -> Self {
        Self(HashTable::new())
    }
}

impl<E> Generations<E> {
    /// A cache of at most `bytes`.
    pub(super) fn new(bytes: usize) -> Self {
        let (young, old) = (HashTable::new(), HashTable::new());
        Self { young, old, outlived: Outlived::default(), bytes: 0, budget: bytes / 2 }
    }

    /// An entry of the young generation.
    #[inline]
    pub(super) fn young(&self, hash: u64, is: impl Fn(&E) -> bool) -> Option<&E> {
        self.young.find(hash, |kept| is(&kept.entry)).map(|kept| &kept.entry)
    }

    /// An entry of the old generation.
    pub(super) fn old(&self, hash: u64, is: impl Fn(&E) -> bool) -> Option<&E> {
        self.old.find(hash, |kept| is(&kept.entry)).map(|kept| &kept.entry)
    }

    /// An entry, to be changed; it is young now.
    #[inline]
    pub(super) fn get(&mut self, hash: u64, is: impl Fn(&E) -> bool) -> Option<&mut E> {
        match self.young.find_bucket_index(hash, |kept| is(&kept.entry)) {
            Some(index) => self.young.get_bucket_mut(index).map(|kept| &mut kept.entry),
            None => self.rejuvenate(hash, is),
        }
    }

    /// Where an entry is, until another one is kept or let go; it is young now.
    #[inline]
    pub(super) fn locate(&mut self, hash: u64, is: impl Fn(&E) -> bool) -> Option<usize> {
        let young = self.young.find_bucket_index(hash, |kept| is(&kept.entry));
        if young.is_some() || self.rejuvenate(hash, &is).is_none() {
            return young;
        }
        self.young.find_bucket_index(hash, |kept| is(&kept.entry))
    }

    /// The entry at a place.
    #[inline]
    pub(super) fn at(&mut self, place: usize) -> Option<&mut E> {
        self.young.get_bucket_mut(place).map(|kept| &mut kept.entry)
    }

    /// Moves an entry from the old generation to the young one.
    #[cold]
    fn rejuvenate(&mut self, hash: u64, is: impl Fn(&E) -> bool) -> Option<&mut E> {
        let (kept, _) = self.old.find_entry(hash, |kept| is(&kept.entry)).ok()?.remove();
        Some(self.place(kept))
    }

    /// Keeps an entry that is in neither generation, unless it is too large for any. `owned`: the bytes it refers to and has
    /// to itself.
    pub(super) fn insert(&mut self, hash: u64, entry: E, owned: usize) {
        if self.has_room(owned)
            && let Ok(cost) = u32::try_from(Self::cost(owned))
        {
            self.place(Kept { hash, cost, entry });
        }
    }

    /// Says that an entry refers to another number of bytes by now. It is young.
    pub(super) fn recharge(&mut self, hash: u64, is: impl Fn(&E) -> bool, owned: usize) {
        if let Some(kept) = self.young.find_mut(hash, |kept| is(&kept.entry)) {
            let cost = u32::try_from(Self::cost(owned)).unwrap_or(u32::MAX);
            self.bytes = (self.bytes - kept.cost as usize).saturating_add(cost as usize);
            kept.cost = cost;
        }
    }

    /// Whether an entry that refers to so many bytes of its own would be kept.
    pub(super) fn has_room(&self, owned: usize) -> bool {
        Self::cost(owned) <= self.budget.min(u32::MAX as usize)
    }

    /// Allows so many bytes from now on. What is too much goes with its generation.
    pub(super) fn set_bytes(&mut self, bytes: usize) {
        self.budget = bytes / 2;
    }

    /// Forgets every entry.
    pub(super) fn clear(&mut self) {
        *self = Self { budget: self.budget, ..Self::new(0) };
    }

    /// Every entry. One that is about to outlive its generation may be shown twice.
    pub(super) fn iter(&self) -> impl Iterator<Item = &E> {
        self.young.iter().chain(self.old.iter()).map(|kept| &kept.entry)
    }

    /// What was dropped of late.
    pub(super) fn take_outlived(&mut self) -> Outlived<E> {
        std::mem::take(&mut self.outlived)
    }

    /// How many entries are kept.
    pub(super) fn len(&self) -> usize {
        self.young.len() + self.old.len()
    }

    /// Tables are between seven eighths full and half of that.
    const fn cost(owned: usize) -> usize {
        owned.saturating_add(size_of::<Kept<E>>() * 3 / 2)
    }

    fn place(&mut self, kept: Kept<E>) -> &mut E {
        let cost = kept.cost as usize;
        if self.bytes + cost > self.budget {
            let young = std::mem::take(&mut self.young);
            self.outlived = Outlived(std::mem::replace(&mut self.old, young));
            self.bytes = 0;
        }
        self.bytes += cost;
        &mut self.young.insert_unique(kept.hash, kept, |kept| kept.hash).into_mut().entry
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cache with room for so many numbers.
    fn cache(numbers: usize) -> Generations<u64> {
        Generations::new(numbers * Generations::<u64>::cost(0))
    }

    fn insert(cache: &mut Generations<u64>, number: u64) {
        cache.insert(number, number, 0);
    }

    fn knows(cache: &mut Generations<u64>, number: u64) -> bool {
        cache.get(number, |entry| *entry == number).is_some()
    }

    #[test]
    fn what_is_in_use_outlives_a_flood() {
        let mut cache = cache(100);
        insert(&mut cache, 0);
        for number in 1..100_000 {
            assert!(!knows(&mut cache, number));
            insert(&mut cache, number);
            assert!(knows(&mut cache, 0), "after {number}");
            assert!(cache.len() <= 100);
        }
        assert!(!knows(&mut cache, 1));
    }

    #[test]
    fn a_working_set_that_outgrows_the_cache_does_not_make_it_grow() {
        let mut cache = cache(100);
        for number in 0..3000 {
            insert(&mut cache, number);
            // Everything so far is met again, the late ones above all.
            for other in (0..=number).rev() {
                knows(&mut cache, other);
            }
            assert!(cache.len() <= 100, "{} are kept", cache.len());
        }
    }

    #[test]
    fn keys_of_one_hash_are_told_apart() {
        let mut cache = cache(100);
        for number in 0..10 {
            cache.insert(7, number, 0);
        }
        assert_eq!(cache.get(7, |entry| *entry == 3), Some(&mut 3));
        assert_eq!(cache.get(7, |entry| *entry == 10), None);
    }

    #[test]
    fn what_is_larger_than_a_generation_is_not_kept() {
        let mut cache = cache(10);
        insert(&mut cache, 1);
        cache.insert(2, 2, 1 << 20);
        cache.insert(3, 3, usize::MAX);
        assert!(knows(&mut cache, 1) && !knows(&mut cache, 2) && !knows(&mut cache, 3));
    }
}
