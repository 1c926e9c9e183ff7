//! Every interleaving of two threads that want the same limiters in opposite order, by the model checker.

use super::*;
use crate::sliding_window::Slot;
use crate::token_bucket::Rate;
use loom::sync::Arc;
use loom::thread;

const MS: u64 = 1_000_000;
const SECOND: u64 = 1000 * MS;
const LEASE: u64 = 10;

fn explore(run: impl Fn() + Sync + Send + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(run);
}

/// A sliding window of one bucket, a fixed window, a bucket and some places.
struct Limiters {
    window: WindowCell<[Slot; 2]>,
    window_shape: WindowShape,
    fixed: FixedWindowCell,
    fixed_shape: FixedWindowShape,
    bucket: TokenBucketCell,
    bucket_shape: TokenBucketShape,
    places: ConcurrencyCell,
}

impl Limiters {
    fn new() -> Arc<Self> {
        let window_shape = WindowShape::new(MS, 1).unwrap();
        Arc::new(Self {
            window: WindowCell::new(&window_shape, 0),
            window_shape,
            fixed: FixedWindowCell::new(),
            fixed_shape: FixedWindowShape::new(SECOND, 0).unwrap(),
            bucket: TokenBucketCell::new(),
            bucket_shape: TokenBucketShape::new(3, Rate::new(1, SECOND).unwrap()),
            places: ConcurrencyCell::new(),
        })
    }

    fn window(&self, max: u32, now: u64) -> Claim<'_> {
        Claim::SlidingWindow { cell: &self.window, shape: &self.window_shape, max, now }
    }

    fn fixed(&self, max: u32) -> Claim<'_> {
        Claim::FixedWindow { cell: &self.fixed, shape: &self.fixed_shape, max, now: 0 }
    }

    fn bucket(&self) -> Claim<'_> {
        Claim::TokenBucket { cell: &self.bucket, shape: &self.bucket_shape, now: 0 }
    }

    fn places(&self, max: u32) -> Claim<'_> {
        Claim::Concurrency { cell: &self.places, max, lease: LEASE, now: 0 }
    }
}

fn acquires(claims: &[Claim<'_>], n: u32) -> bool {
    Reservations::new().acquire(claims, n).is_ok()
}

#[test]
fn two_in_opposite_order_keep_to_both_limits_and_leave_what_was_admitted() {
    explore(|| {
        let limiters = Limiters::new();
        let other = Arc::clone(&limiters);
        let thread = thread::spawn(move || acquires(&[other.fixed(3), other.window(3, 0)], 2));
        let here = acquires(&[limiters.window(3, 0), limiters.fixed(3)], 2);
        let there = thread.join().unwrap();
        assert!(!(here && there));
        // Both may lose; nothing is left of what was lost.
        let admitted = 2 * u32::from(here || there);
        assert_eq!(limiters.window.total(&limiters.window_shape, 0), admitted);
        assert_eq!(limiters.fixed.total(&limiters.fixed_shape, 0), admitted);
        assert_eq!(acquires(&[limiters.window(3, 0), limiters.fixed(3)], 2), admitted == 0);
    });
}

#[test]
fn of_two_in_the_same_order_one_gets_all() {
    explore(|| {
        let limiters = Limiters::new();
        let other = Arc::clone(&limiters);
        let thread = thread::spawn(move || acquires(&[other.window(3, 0), other.places(1)], 2));
        let here = acquires(&[limiters.window(3, 0), limiters.places(1)], 2);
        let there = thread.join().unwrap();
        assert!(here != there);
        assert_eq!((limiters.window.total(&limiters.window_shape, 0), limiters.places.in_use()), (2, 1));
    });
}

#[test]
fn two_that_want_each_other_s_last_place_keep_to_both_limits() {
    // Each limiter has room for the one, and not for both: whoever loses gives its place back.
    explore(|| {
        let limiters = Limiters::new();
        let other = Arc::clone(&limiters);
        let thread = thread::spawn(move || acquires(&[other.places(1), other.fixed(1)], 1));
        let here = acquires(&[limiters.fixed(1), limiters.places(1)], 1);
        let there = thread.join().unwrap();
        assert!(!(here && there));
        let admitted = u32::from(here || there);
        assert_eq!((limiters.fixed.total(&limiters.fixed_shape, 0), limiters.places.in_use()), (admitted, admitted));
    });
}

#[test]
fn a_bucket_whose_undo_comes_too_late_is_never_over_its_capacity() {
    explore(|| {
        let limiters = Limiters::new();
        let other = Arc::clone(&limiters);
        let thread = thread::spawn(move || acquires(&[other.bucket(), other.fixed(2)], 2));
        let here = acquires(&[limiters.fixed(2), limiters.bucket()], 2);
        let there = thread.join().unwrap();
        assert!(!(here && there));
        let admitted = 2 * u32::from(here || there);
        assert_eq!(limiters.fixed.total(&limiters.fixed_shape, 0), admitted);
        let spent = limiters.bucket.spent(&limiters.bucket_shape, 0);
        assert!((u64::from(admitted)..=3).contains(&spent));
    });
}

#[test]
fn a_turn_between_reserving_and_undoing_gives_back_once() {
    explore(|| {
        let limiters = Limiters::new();
        assert!(acquires(&[limiters.window(3, 0)], 1));
        let other = Arc::clone(&limiters);
        let thread = thread::spawn(move || {
            let claims = [other.window(3, 0), other.fixed(3)];
            let mut reservations = Reservations::new();
            if reservations.acquire(&claims, 2).is_ok() {
                // A later limiter, of another kind, refuses.
                reservations.undo(&claims);
            }
        });
        let here = acquires(&[limiters.window(3, 2 * MS)], 2);
        thread.join().unwrap();
        // Were it given back twice, the total would be below what is admitted, or a count would be negative.
        let total = limiters.window.total(&limiters.window_shape, 2 * MS);
        assert_eq!(total, 2 * u32::from(here));
        assert_eq!(limiters.fixed.total(&limiters.fixed_shape, 0), 0);
        assert_eq!(limiters.window.total(&limiters.window_shape, 4 * MS), 0);
    });
}
