//! What is kept by a key, within a bound of memory.

use hashbrown::HashTable;
use smallvec::SmallVec;

/// A cache in two generations.
///
/// What is new, and what is met again in the old generation, goes into the young one. When that is full, the old one leaves
/// and the young one takes its place. So a flood of new keys cannot push out those in use. This is the second-chance
/// rule of page replacement, with two lists in place of a reference bit.
///
/// A generation may be tens of thousands of entries, so it leaves in portions: whatever is kept lets go of twice the bytes it
/// takes, until nothing of that generation is left. What is not gone yet is found as before. So nobody pays for more than
/// twice what he brings, both generations and what is left of a third have room within the same bytes, and the third is gone
/// by the time when half of the next is there.
///
/// Callers bring a hash of the key, under a key of its own where an attacker may choose what is hashed, and compare in full.
#[derive(Debug)]
pub(super) struct Generations<E> {
    young: HashTable<Kept<E>>,
    old: HashTable<Kept<E>>,
    /// What is left of the generation before the old one.
    leaving: HashTable<Kept<E>>,
    /// Before this bucket nothing of it is left.
    hand: usize,
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

/// What had to make room: a few entries, and the table that they were the last of.
#[derive(Debug)]
#[must_use = "to be dropped where no lock is held"]
pub(super) struct Outlived<E> {
    entries: SmallVec<[Kept<E>; 2]>,
    table: HashTable<Kept<E>>,
}

impl<E> Default for Outlived<E> {
    fn default() -> Self {
        Self { entries: SmallVec::new(), table: HashTable::new() }
    }
}

impl<E> Generations<E> {
    /// A cache of at most `bytes`.
    pub(super) fn new(bytes: usize) -> Self {
        Self {
            young: HashTable::new(),
            old: HashTable::new(),
            leaving: HashTable::new(),
            hand: 0,
            outlived: Outlived::default(),
            bytes: 0,
            budget: bytes / 2,
        }
    }

    /// An entry of the young generation.
    #[inline]
    pub(super) fn young(&self, hash: u64, is: impl Fn(&E) -> bool) -> Option<&E> {
        self.young.find(hash, |kept| is(&kept.entry)).map(|kept| &kept.entry)
    }

    /// An entry that is not young.
    pub(super) fn old(&self, hash: u64, is: impl Fn(&E) -> bool) -> Option<&E> {
        let found = [&self.old, &self.leaving].into_iter().find_map(|table| table.find(hash, |kept| is(&kept.entry)));
        found.map(|kept| &kept.entry)
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

    /// Moves an entry that is not young to the young generation.
    #[cold]
    fn rejuvenate(&mut self, hash: u64, is: impl Fn(&E) -> bool) -> Option<&mut E> {
        let found = [&mut self.old, &mut self.leaving]
            .into_iter()
            .find_map(|table| table.find_entry(hash, |kept| is(&kept.entry)).ok());
        let (kept, _) = found?.remove();
        Some(self.place(kept))
    }

    /// Keeps an entry that is in no generation, unless it is too large for any. `owned`: the bytes it refers to and has
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

    /// Every entry.
    pub(super) fn iter(&self) -> impl Iterator<Item = &E> {
        self.young.iter().chain(&self.old).chain(&self.leaving).map(|kept| &kept.entry)
    }

    /// What was let go of late. It is dropped with the next that is let go, if nobody takes it.
    pub(super) fn take_outlived(&mut self) -> Outlived<E> {
        std::mem::take(&mut self.outlived)
    }

    /// How many entries are kept.
    pub(super) fn len(&self) -> usize {
        self.young.len() + self.old.len() + self.leaving.len()
    }

    /// Tables are between seven eighths full and half of that.
    const fn cost(owned: usize) -> usize {
        owned.saturating_add(size_of::<Kept<E>>() * 3 / 2)
    }

    fn place(&mut self, kept: Kept<E>) -> &mut E {
        let cost = kept.cost as usize;
        // Not while there is a third: where generations have become smaller, the young one waits for what is left of a large
        // one.
        if self.bytes + cost > self.budget && self.leaving.is_empty() {
            let young = std::mem::take(&mut self.young);
            self.leaving = std::mem::replace(&mut self.old, young);
            (self.hand, self.bytes) = (0, 0);
        }
        self.bytes += cost;
        self.let_go(cost.saturating_mul(2));
        &mut self.young.insert_unique(kept.hash, kept, |kept| kept.hash).into_mut().entry
    }

    /// Lets go of so many bytes of the generation that leaves, and of the rest of the last entry.
    fn let_go(&mut self, bytes: usize) {
        if self.leaving.is_empty() {
            return;
        }
        self.outlived.entries.clear();
        let mut left = bytes;
        while left > 0 && !self.leaving.is_empty() {
            if let Ok(found) = self.leaving.get_bucket_entry(self.hand) {
                let (kept, _) = found.remove();
                left = left.saturating_sub(kept.cost as usize);
                self.outlived.entries.push(kept);
            }
            self.hand += 1;
        }
        if self.leaving.is_empty() {
            self.outlived.table = std::mem::take(&mut self.leaving);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::rc::Rc;

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
    fn a_generation_leaves_in_portions_and_is_found_until_it_is_gone() {
        struct Counted(u64, Rc<Cell<usize>>);
        impl Drop for Counted {
            fn drop(&mut self) {
                self.1.set(self.1.get() - 1);
            }
        }
        let (cost, room) = (Generations::<Counted>::cost(0), 10_000);
        let mut cache = Generations::new(room * cost);
        let alive = Rc::new(Cell::new(0));
        for number in 0..5 * room as u64 {
            let before = alive.get();
            alive.set(before + 1);
            cache.insert(number, Counted(number, Rc::clone(&alive)), 0);
            drop(cache.take_outlived());
            assert!(alive.get() + 1 >= before, "{} at once", before - alive.get());
            assert!(alive.get() <= room && alive.get() == cache.len());
        }
        // Whatever is there is found, in whichever generation it is, and found once.
        let kept: Vec<u64> = cache.iter().map(|counted| counted.0).collect();
        for number in &kept {
            assert!(
                cache.old(*number, |counted| counted.0 == *number).is_some()
                    || cache.young(*number, |_| true).is_some()
            );
        }
        assert_eq!(kept.len(), cache.len());
    }

    #[test]
    fn what_is_met_again_on_its_way_out_stays() {
        let mut cache = cache(100);
        for number in 0..102 {
            insert(&mut cache, number);
        }
        let leaving: Vec<u64> = cache.leaving.iter().map(|kept| kept.entry).collect();
        assert!(leaving.len() > 40, "{}", leaving.len());
        let last = *leaving.last().unwrap();
        assert!(knows(&mut cache, last) && !cache.leaving.iter().any(|kept| kept.entry == last));
        for number in 102..140 {
            insert(&mut cache, number);
        }
        assert!(cache.leaving.is_empty() && knows(&mut cache, last));
    }

    #[test]
    fn a_cache_that_is_made_smaller_lets_go_of_its_large_generations_in_portions() {
        let mut cache = cache(10_000);
        (0..9_000).for_each(|number| insert(&mut cache, number));
        cache.set_bytes(100 * Generations::<u64>::cost(0));
        let (mut before, mut number) = (cache.len(), 9_000);
        while cache.len() > 100 {
            insert(&mut cache, number);
            assert!(cache.len() + 1 >= before, "{} at once", before - cache.len());
            (before, number) = (cache.len(), number + 1);
            assert!(number < 40_000, "{before} are left");
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
