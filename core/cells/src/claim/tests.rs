use super::*;
use crate::sliding_window::{LineCell, Slot};
use crate::testing::{HOUR, MS, SECOND};
use crate::token_bucket::Rate;
use std::iter;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

pub(super) const LEASE: u64 = 60 * SECOND;

/// A limiter of any kind with its shape.
#[derive(Debug)]
pub(super) enum Limiter {
    SlidingWindow(Box<WindowCell>, WindowShape),
    TokenBucket(TokenBucketCell, TokenBucketShape),
    FixedWindow(FixedWindowCell, FixedWindowShape),
    Concurrency(ConcurrencyCell),
}

impl Limiter {
    pub(super) fn sliding_window(length: u64, buckets: u32) -> Self {
        let shape = WindowShape::new(length, buckets).unwrap();
        let cell: Box<WindowCell> = if shape.slots() <= 14 {
            Box::new(LineCell::new(&shape, 0))
        } else {
            Box::new(WindowCell::<[Slot; 62]>::new(&shape, 0))
        };
        Self::SlidingWindow(cell, shape)
    }

    pub(super) fn token_bucket(capacity: u32, tokens: u64, nanos: u64) -> Self {
        let shape = TokenBucketShape::new(capacity, Rate::new(tokens, nanos).unwrap());
        Self::TokenBucket(TokenBucketCell::new(), shape)
    }

    pub(super) fn fixed_window(length: u64, offset: u64) -> Self {
        Self::FixedWindow(FixedWindowCell::new(), FixedWindowShape::new(length, offset).unwrap())
    }

    pub(super) fn concurrency() -> Self {
        Self::Concurrency(ConcurrencyCell::new())
    }

    /// A new one of the same shape.
    pub(super) fn like(&self) -> Self {
        match self {
            Self::SlidingWindow(_, shape) => {
                Self::sliding_window(shape.bucket_nanos() * u64::from(shape.buckets()), shape.buckets())
            }
            Self::TokenBucket(_, shape) => Self::TokenBucket(TokenBucketCell::new(), *shape),
            Self::FixedWindow(_, shape) => Self::FixedWindow(FixedWindowCell::new(), *shape),
            Self::Concurrency(_) => Self::concurrency(),
        }
    }

    /// A claim on it; the capacity of a bucket is its own.
    pub(super) fn claim(&self, max: u32, now: u64) -> Claim<'_> {
        match self {
            Self::SlidingWindow(cell, shape) => Claim::SlidingWindow { cell, shape, max, now },
            Self::TokenBucket(cell, shape) => Claim::TokenBucket { cell, shape, now },
            Self::FixedWindow(cell, shape) => Claim::FixedWindow { cell, shape, max, now },
            Self::Concurrency(cell) => Claim::Concurrency { cell, max, lease: LEASE, now },
        }
    }

    pub(super) fn counted(&self, now: u64) -> u64 {
        match self {
            Self::SlidingWindow(cell, shape) => u64::from(cell.total(shape, now)),
            Self::TokenBucket(cell, shape) => cell.spent(shape, now),
            Self::FixedWindow(cell, shape) => u64::from(cell.total(shape, now)),
            Self::Concurrency(cell) => u64::from(cell.in_use()),
        }
    }

    /// Every word there is to see: equal where nothing was written.
    pub(super) fn words(&self) -> String {
        match self {
            Self::SlidingWindow(cell, _) => format!("{:?}", cell.words().collect::<Vec<_>>()),
            Self::TokenBucket(cell, _) => format!("{cell:?}"),
            Self::FixedWindow(cell, _) => format!("{cell:?}"),
            Self::Concurrency(cell) => format!("{cell:?}"),
        }
    }
}

/// One of each kind: 5 in a second, 5 at one a second, 5 in a second, 5 at once.
pub(super) fn one_of_each() -> [Limiter; 4] {
    [
        Limiter::sliding_window(1200 * MS, 12),
        Limiter::token_bucket(5, 1, SECOND),
        Limiter::fixed_window(SECOND, 0),
        Limiter::concurrency(),
    ]
}

fn claims(limiters: &[Limiter], now: u64) -> Vec<Claim<'_>> {
    limiters.iter().map(|limiter| limiter.claim(5, now)).collect()
}

fn counted(limiters: &[Limiter], now: u64) -> Vec<u64> {
    limiters.iter().map(|limiter| limiter.counted(now)).collect()
}

#[test]
fn all_are_taken() {
    let limiters = one_of_each();
    let mut reservations = Reservations::new();
    assert_eq!(reservations.acquire(&claims(&limiters, SECOND), 3), Ok(()));
    assert_eq!(counted(&limiters, SECOND), [3, 3, 3, 1], "a place is one whatever the weight");
    assert_eq!(reservations.permits().map(|(number, _)| number).collect::<Vec<_>>(), [3]);
    assert_eq!(Reservations::new().acquire(&[], 1), Ok(()), "nothing stands against a statement without limiters");
}

#[test]
fn a_refusal_by_any_of_them_writes_nothing_to_any() {
    for full in 0..4 {
        let limiters = one_of_each();
        let mut reservations = Reservations::new();
        for limiter in &limiters {
            assert_eq!(reservations.acquire(&[limiter.claim(5, 0)], 1), Ok(()));
        }
        let rest = if full == 3 { 4 } else { 1 };
        for _ in 0..rest {
            assert_eq!(reservations.acquire(&[limiters[full].claim(5, 0)], 4), Ok(()));
        }
        // In epochs and windows that the cells have not seen yet as well.
        for now in [0, 150 * MS, 999 * MS] {
            let before: Vec<_> = limiters.iter().map(Limiter::words).collect();
            let refusal = reservations.acquire(&claims(&limiters, now), 1).unwrap_err();
            assert_eq!((refusal.claim, refusal.over.counted), (full, 5));
            assert_eq!(limiters.iter().map(Limiter::words).collect::<Vec<_>>(), before);
        }
    }
}

#[test]
fn what_was_taken_is_given_back_once() {
    let limiters = one_of_each();
    let claims = claims(&limiters, SECOND);
    let mut reservations = Reservations::new();
    assert_eq!(reservations.acquire(&claims, 2), Ok(()));
    assert_eq!(reservations.acquire(&claims, 3), Ok(()));
    reservations.undo(&claims);
    assert_eq!(counted(&limiters, SECOND), [2, 2, 2, 1], "what was acquired before is spent");
    reservations.undo(&claims);
    assert_eq!(counted(&limiters, SECOND), [2, 2, 2, 1]);
    assert_eq!(reservations.permits().count(), 0);
}

#[test]
fn what_cannot_be_given_back_is_not_given_back_twice() {
    let limiters = one_of_each();
    let mut reservations = Reservations::new();
    assert_eq!(reservations.acquire(&claims(&limiters, 0), 5), Ok(()));
    // All have forgotten by then, and are full again: the place by its lease.
    let later = claims(&limiters, 2 * LEASE);
    assert!(Reservations::new().acquire(&later, 5).is_ok());
    for _ in 0..4 {
        assert!(Reservations::new().acquire(&later[3..], 5).is_ok());
    }
    reservations.undo(&later);
    assert_eq!(counted(&limiters, 2 * LEASE), [5; 4]);
}

#[test]
fn other_claims_are_given_nothing_back() {
    let (taken, others) = (one_of_each(), one_of_each());
    let mut reservations = Reservations::new();
    assert_eq!(reservations.acquire(&claims(&others, 0), 2), Ok(()));
    assert_eq!(reservations.acquire(&claims(&taken, 0), 2), Ok(()));
    let mut wrong = claims(&others, 0);
    wrong.rotate_left(1);
    reservations.undo(&wrong[..3]);
    assert_eq!(counted(&taken, 0), [2, 2, 2, 1]);
    assert_eq!(counted(&others, 0), [2, 2, 2, 1]);
}

#[test]
fn the_tightest_is_named() {
    let limiters = one_of_each();
    let [window, bucket, fixed, places] = &limiters;
    let mut reservations = Reservations::new();
    assert_eq!(reservations.acquire(&claims(&limiters, 250 * MS), 5), Ok(()));
    for _ in 0..4 {
        assert_eq!(reservations.acquire(&[places.claim(5, 250 * MS)], 1), Ok(()));
    }
    let now = 500 * MS;
    let mut refused = |claims: &[Claim<'_>], n| {
        let Refusal { claim, over } = reservations.acquire(claims, n).unwrap_err();
        (claim, over.wait)
    };
    // One token is there at 1 s, the fixed window over at 1 s, the sliding window at 1500 ms.
    let all = claims(&limiters, now);
    assert_eq!(refused(&all, 1), (0, Wait::Nanos(1000 * MS)));
    assert_eq!(refused(&all[1..], 1), (0, Wait::Nanos(500 * MS)), "the first of equals");
    assert_eq!(refused(&all, 4), (1, Wait::Nanos(3500 * MS)), "the bucket has four at 4 s");
    assert_eq!(refused(&all[3..], 1), (0, Wait::Release));
    assert_eq!(refused(&[places.claim(5, now), fixed.claim(5, now)], 1), (1, Wait::Nanos(500 * MS)));
    assert_eq!(refused(&[window.claim(5, now), bucket.claim(5, now), fixed.claim(5, now)], 6), (0, Wait::Never));
    assert_eq!(refused(&[window.claim(5, now), fixed.claim(0, now)], 1), (1, Wait::Never));
    assert_eq!(refused(&[window.claim(5, now), places.claim(0, now)], 1), (1, Wait::Never));
    assert_eq!(Wait::Nanos(7).nanos(), Some(7));
    assert_eq!([Wait::Release, Wait::Never].map(Wait::nanos), [None; 2]);
}

#[test]
fn claims_of_different_clocks_are_waited_for_by_their_own() {
    let (one, two) = (Limiter::fixed_window(SECOND, 0), Limiter::sliding_window(1200 * MS, 12));
    let mut reservations = Reservations::new();
    let of = |since: u64| [one.claim(5, since), two.claim(5, HOUR + since)];
    assert_eq!(reservations.acquire(&of(0), 5), Ok(()));
    let refusal = reservations.acquire(&of(100 * MS), 1).unwrap_err();
    assert_eq!((refusal.claim, refusal.over.wait), (1, Wait::Nanos(1200 * MS)));
    assert!(reservations.acquire(&of(1300 * MS - 1), 1).is_err());
    assert_eq!(reservations.acquire(&of(1300 * MS), 1), Ok(()));
}

#[test]
fn places_whose_lease_has_lapsed_are_no_obstacle() {
    let [window, _, _, places] = one_of_each();
    let mut reservations = Reservations::new();
    for _ in 0..5 {
        assert_eq!(reservations.acquire(&[places.claim(5, 0)], 1), Ok(()));
    }
    assert!(reservations.acquire(&[window.claim(5, LEASE - 1), places.claim(5, LEASE - 1)], 1).is_err());
    assert_eq!(reservations.acquire(&[window.claim(5, LEASE), places.claim(5, LEASE)], 1), Ok(()));
    assert_eq!((window.counted(LEASE), places.counted(LEASE)), (1, 1));
}

#[test]
fn memory_is_asked_for_once() {
    let limiters = one_of_each();
    let claims = claims(&limiters, 0);
    let mut reservations = Reservations::with_capacity(4);
    let (memory, capacity) = (reservations.0.as_ptr(), reservations.0.capacity());
    for _ in 0..3 {
        assert_eq!(reservations.acquire(&claims, 1), Ok(()));
        reservations.undo(&claims);
    }
    assert_eq!((reservations.0.as_ptr(), reservations.0.capacity()), (memory, capacity));
}

#[test]
fn threads_in_opposite_order_admit_no_more_than_the_limits_and_leave_nothing_behind() {
    // Without a bucket, of which an undo may come too late: what is refused is given back to the last one.
    let limiters = [Limiter::sliding_window(1200 * MS, 12), Limiter::fixed_window(SECOND, 0), Limiter::concurrency()];
    let max = 20_000;
    let (admitted, held) = (AtomicU32::new(0), AtomicU32::new(0));
    thread::scope(|scope| {
        let run = |order: [usize; 3]| {
            let claims = order.map(|at| limiters[at].claim(if at == 2 { 2 } else { max }, 0));
            let mut reservations = Reservations::new();
            for _ in 0..30_000 {
                if reservations.acquire(&claims, 1).is_ok() {
                    assert!(held.fetch_add(1, Ordering::SeqCst) < 2);
                    held.fetch_sub(1, Ordering::SeqCst);
                    admitted.fetch_add(1, Ordering::SeqCst);
                    if let Limiter::Concurrency(places) = &limiters[2] {
                        assert!(reservations.permits().all(|(_, permit)| places.release(permit)));
                    }
                }
            }
        };
        let threads = [[0, 1, 2], [2, 1, 0], [1, 2, 0]].map(|order| scope.spawn(move || run(order)));
        for thread in threads {
            thread.join().unwrap();
        }
    });
    let admitted = u64::from(admitted.into_inner());
    assert_eq!(counted(&limiters, 0), [admitted, admitted, 0]);
    let mut reservations = Reservations::new();
    let more = iter::from_fn(|| reservations.acquire(&claims_of(&limiters, max), 1).ok()).take(2).count();
    assert!(admitted == u64::from(max) || more == 2, "what is left of a limit is there for whoever comes");
}

fn claims_of(limiters: &[Limiter; 3], max: u32) -> [Claim<'_>; 3] {
    [0, 1, 2].map(|at| limiters[at].claim(max, 0))
}
