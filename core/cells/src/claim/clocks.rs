//! Clocks that step, stand still, leap or lag, for limiters of every kind.

use super::tests::{LEASE, Limiter, one_of_each};
use super::*;
use crate::testing::{HOUR, MS, SECOND, YEAR};
use std::thread;

const MAX: u32 = 5;

/// Until when what was taken at a time counts, of each of the limiters: window and bucket, full bucket, window, lease.
const MEMORY: [u64; 4] = [1300 * MS, 5 * SECOND, SECOND, LEASE];

/// Takes by weights of one as often as it can, and says how often.
fn take(limiter: &Limiter, now: u64) -> u32 {
    let mut reservations = Reservations::new();
    (0..=2 * MAX).take_while(|_| reservations.acquire(&[limiter.claim(MAX, now)], 1).is_ok()).count() as u32
}

#[test]
fn an_hour_back_neither_opens_nor_shuts() {
    for (limiter, memory) in one_of_each().iter().zip(MEMORY) {
        let (then, back) = (2 * HOUR, HOUR);
        let mut reservations = Reservations::new();
        for _ in 0..3 {
            assert!(reservations.acquire(&[limiter.claim(MAX, then)], 1).is_ok());
        }
        assert_eq!((limiter.counted(back), take(limiter, back)), (3, 2), "what is left is there: {limiter:?}");
        assert_eq!((limiter.counted(back), take(limiter, back + MS)), (5, 0));
        // By the clock that went on, it opens when it would have.
        assert_eq!(take(limiter, then + memory), MAX, "{limiter:?}");
    }
}

#[test]
fn a_wait_by_a_clock_that_stepped_back_ends_when_the_limiter_opens() {
    for (limiter, memory) in one_of_each().iter().zip(MEMORY).take(3) {
        assert_eq!(take(limiter, 2 * HOUR), MAX);
        let wait = limiter.claim(MAX, HOUR).over(MAX).and_then(|over| over.wait.nanos()).unwrap();
        assert!(wait <= HOUR + memory, "{limiter:?}");
        assert!(limiter.claim(MAX, HOUR + wait - 1).over(MAX).is_some());
        assert_eq!(take(limiter, HOUR + wait), MAX);
    }
}

#[test]
fn a_place_is_free_when_it_is_given_back_whatever_the_clock_says() {
    let places = &one_of_each()[3];
    let mut reservations = Reservations::new();
    assert_eq!(take(places, 2 * HOUR), MAX);
    for now in [0, HOUR, 2 * HOUR, 2 * HOUR + LEASE - 1] {
        assert_eq!(take(places, now), 0, "at {now} ns");
    }
    assert_eq!(take(places, 2 * HOUR + LEASE), MAX);
    // One that is held by a clock an hour ahead comes back at once, and is taken by the one that is behind.
    let places = &one_of_each()[3];
    assert_eq!(take(places, 2 * HOUR), MAX);
    assert!(reservations.acquire(&[places.claim(MAX + 1, 2 * HOUR)], 1).is_ok());
    assert!(places.claim(MAX + 1, HOUR).over(1).is_some());
    reservations.undo(&[places.claim(MAX + 1, 0)]);
    assert!(reservations.acquire(&[places.claim(MAX + 1, HOUR)], 1).is_ok());
    assert_eq!(places.counted(HOUR), 6);
}

#[test]
fn a_year_forward_opens_once_and_no_more_than_once() {
    for limiter in &one_of_each() {
        for years in 1..5 {
            assert_eq!(take(limiter, years * YEAR), MAX, "{limiter:?}");
            assert_eq!(take(limiter, years * YEAR), 0);
            assert_eq!(take(limiter, (years - 1) * YEAR), 0, "nor for a clock that is a year behind");
        }
    }
}

#[test]
fn a_look_by_a_clock_that_leapt_and_came_back_leaves_no_trace() {
    for (limiter, memory) in one_of_each().iter().zip(MEMORY).take(3) {
        assert_eq!(take(limiter, HOUR), MAX);
        let before = limiter.words();
        // The weight is refused at any time.
        assert!(limiter.claim(MAX, YEAR).over(MAX + 1).is_some());
        assert!(Reservations::new().acquire(&[limiter.claim(MAX, YEAR)], MAX + 1).is_err());
        assert_eq!(limiter.words(), before, "{limiter:?}");
        assert_eq!(take(limiter, HOUR + memory), MAX, "the year does not lock it");
    }
}

#[test]
fn a_clock_that_stands_still_gives_the_limit_and_what_is_given_back() {
    for limiter in &one_of_each() {
        let (now, claims) = (HOUR, [limiter.claim(MAX, HOUR)]);
        let mut reservations = Reservations::new();
        for _ in 0..1000 {
            assert!(reservations.acquire(&claims, 1).is_ok());
            reservations.undo(&claims);
            assert_eq!(limiter.counted(now), 0, "{limiter:?}");
        }
        assert_eq!((take(limiter, now), limiter.counted(now), take(limiter, now)), (MAX, 5, 0));
    }
}

#[test]
fn a_suspend_before_the_undo_gives_nothing_back_twice() {
    for limiter in &one_of_each() {
        for suspended in [8 * HOUR, YEAR] {
            let limiter = limiter.like();
            let claims = [limiter.claim(MAX, HOUR)];
            let mut early = Reservations::new();
            assert!(early.acquire(&claims, 1).is_ok());
            let awake = HOUR + suspended;
            assert_eq!(take(&limiter, awake), MAX, "{limiter:?}");
            early.undo(&claims);
            assert_eq!((limiter.counted(awake), take(&limiter, awake)), (5, 0), "{limiter:?}");
        }
    }
}

#[test]
fn threads_whose_clocks_lag_take_the_limit_between_them() {
    let max = 20_000;
    for (limiter, memory) in [Limiter::sliding_window(1200 * MS, 12), Limiter::fixed_window(SECOND, 0)]
        .into_iter()
        .zip([MEMORY[0], MEMORY[2]])
    {
        // The newest time is seen first; all others count as that.
        assert!(Reservations::new().acquire(&[limiter.claim(max, 2 * HOUR)], 1).is_ok());
        let taken: usize = thread::scope(|scope| {
            let limiter = &limiter;
            let run = move |lag: u64| {
                let mut reservations = Reservations::new();
                let of = |turn: u64| [limiter.claim(max, 2 * HOUR - turn % 7 * lag)];
                (0..15_000).filter(|turn| reservations.acquire(&of(*turn), 1).is_ok()).count()
            };
            let threads = [0, MS, HOUR / 7].map(|lag| scope.spawn(move || run(lag)));
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        assert_eq!(taken + 1, max as usize, "{limiter:?}");
        assert_eq!(limiter.counted(2 * HOUR), u64::from(max));
        assert_eq!(limiter.counted(2 * HOUR + memory), 0);
    }
}
