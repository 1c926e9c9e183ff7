//! The table of places, which grows with what is held.

use super::place::Place;
use crate::sync::{AtomicPtr, Ordering};
use std::ptr;

/// Segments of the table. Each but the first is three times as long as all before it, so that few pointers will do.
const SEGMENTS: usize = 10;

/// Places, by number, in segments that are made when the first of their places is asked for.
///
/// A place never moves and is never freed before the table, so whoever has its number may read it without a lock. Made of
/// zeroed pages, a large segment takes memory from the system as its places are touched, and no time beforehand.
pub(super) struct Places([AtomicPtr<Place>; SEGMENTS]);

impl Places {
    /// Most places there can be: 4 in the first segment, and four times as many with each other.
    pub(super) const MAX: u32 = 1 << (2 * SEGMENTS);

    pub(super) fn new() -> Self {
        Self(std::array::from_fn(|_| AtomicPtr::new(ptr::null_mut())))
    }

    /// The place of that number, if its segment has been made.
    pub(super) fn get(&self, index: u32) -> Option<&Place> {
        let (segment, offset) = locate(index)?;
        let places = self.0[segment].load(Ordering::Acquire);
        // SAFETY: a pointer that is not null is to a segment of `length(segment)` places, which is not freed before self.
        // The offset is less than that.
        (!places.is_null()).then(|| unsafe { &*places.add(offset) })
    }

    /// The place of that number; its segment is made if need be.
    ///
    /// Not by a `OnceLock`: a child that was forked while another thread made the segment would wait for it forever.
    pub(super) fn make(&self, index: u32) -> Option<&Place> {
        let (segment, _) = locate(index)?;
        if self.0[segment].load(Ordering::Acquire).is_null() {
            let made = allocate(length(segment));
            // Releases the zeroes, and acquires another thread's.
            let swap = self.0[segment].compare_exchange(ptr::null_mut(), made, Ordering::AcqRel, Ordering::Acquire);
            if swap.is_err() {
                // SAFETY: it was made above, that long, and nobody else has seen it.
                unsafe { free(made, length(segment)) };
            }
        }
        self.get(index)
    }

    /// The bytes that all segments made so far take.
    #[cfg(test)]
    #[cfg(not(loom))]
    pub(super) fn bytes(&self) -> usize {
        let made = |segment: &usize| !self.0[*segment].load(Ordering::Acquire).is_null();
        (0..SEGMENTS).filter(made).map(|segment| length(segment) * size_of::<Place>()).sum()
    }
}

impl Drop for Places {
    fn drop(&mut self) {
        for (segment, places) in self.0.iter().enumerate() {
            let places = places.load(Ordering::Acquire);
            if !places.is_null() {
                // SAFETY: it was made that long, and no other thread has the table any more.
                unsafe { free(places, length(segment)) };
            }
        }
    }
}

/// The segment of a place and where it is there.
const fn locate(index: u32) -> Option<(usize, usize)> {
    if index >= Places::MAX {
        return None;
    }
    let segment = ((index | 1).ilog2() / 2) as usize;
    Some((segment, index as usize - start(segment)))
}

/// How many places there are before a segment.
const fn start(segment: usize) -> usize {
    if segment == 0 { 0 } else { 1 << (2 * segment) }
}

const fn length(segment: usize) -> usize {
    start(segment + 1) - start(segment)
}

/// So many places that were never held.
#[cfg(not(loom))]
fn allocate(places: usize) -> *mut Place {
    use std::alloc::{Layout, alloc_zeroed, handle_alloc_error};

    let layout = Layout::new::<Place>();
    // No segment is near the range of a size, so the product and its layout are what `Layout::array` would find.
    let Ok(layout) = Layout::from_size_align(layout.size() * places, layout.align()) else {
        handle_alloc_error(layout);
    };
    // SAFETY: the size is not zero, and zeroes are valid places.
    let made = unsafe { alloc_zeroed(layout) };
    if made.is_null() {
        handle_alloc_error(layout);
    }
    made.cast()
}

/// The model checker's atomics are more than their values, so each has to be made.
#[cfg(loom)]
fn allocate(places: usize) -> *mut Place {
    let made: Box<[Place]> = std::iter::repeat_with(Place::new).take(places).collect();
    Box::into_raw(made).cast()
}

/// # Safety
///
/// The places are that many, made by [`allocate`], and nobody uses them any more.
unsafe fn free(places: *mut Place, length: usize) {
    // SAFETY: a slice on the heap is allocated with the layout that `allocate` takes, and the caller promises the rest.
    drop(unsafe { Box::from_raw(ptr::slice_from_raw_parts_mut(places, length)) });
}

#[cfg(test)]
#[cfg(not(loom))]
mod tests {
    use super::*;

    #[test]
    fn every_place_has_one_spot() {
        let mut expected = (0..SEGMENTS).flat_map(|segment| (0..length(segment)).map(move |offset| (segment, offset)));
        for index in 0..Places::MAX {
            assert_eq!(locate(index), expected.next(), "place {index}");
        }
        assert_eq!(expected.next(), None);
        assert_eq!(locate(Places::MAX), None);
        assert_eq!(locate(u32::MAX), None);
    }

    #[test]
    fn segments_are_made_when_asked_for() {
        let places = Places::new();
        assert!(places.get(0).is_none() && places.get(u32::MAX).is_none());
        assert_eq!(places.bytes(), 0);
        let first = ptr::from_ref(places.make(3).unwrap());
        assert_eq!(places.bytes(), 4 * 16);
        assert!(places.get(4).is_none());
        places.make(Places::MAX - 1).unwrap().hold(7);
        assert_eq!(places.get(Places::MAX - 1).unwrap().link(), 7);
        assert!(places.get(4).is_none(), "one in between is not");
        assert_eq!(ptr::from_ref(places.get(3).unwrap()), first, "and none moves");
        assert!(places.make(Places::MAX).is_none());
    }
}
