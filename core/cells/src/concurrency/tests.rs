use super::*;
use crate::testing::{HOUR, MS, SECOND, YEAR, next_random};
use std::collections::HashSet;
use std::sync::atomic::{AtomicI64, AtomicU64 as SharedTime};
use std::thread;

const LEASE: u64 = 60 * SECOND;

/// Holds that many places.
fn hold(cell: &ConcurrencyCell, places: u32, now: u64, max: u32) -> Vec<Permit> {
    (0..places).map(|_| cell.acquire(now, LEASE, max).unwrap()).collect()
}

#[test]
fn no_more_than_the_maximum_is_held() {
    let cell = ConcurrencyCell::new();
    let permits = hold(&cell, 3, 0, 3);
    assert_eq!(cell.acquire(0, LEASE, 3), Err(Full { in_use: 3 }));
    assert!(cell.release(permits[1]));
    assert_eq!(cell.in_use(), 2);
    assert!(cell.acquire(0, LEASE, 3).is_ok());
    assert_eq!(cell.acquire(0, LEASE, 3), Err(Full { in_use: 3 }));
    assert_eq!(ConcurrencyCell::new().acquire(0, LEASE, 0), Err(Full { in_use: 0 }));
}

#[test]
fn a_permit_comes_back_once() {
    let cell = ConcurrencyCell::new();
    let permits = hold(&cell, 2, 0, 2);
    assert!(cell.release(permits[0]));
    assert!(!cell.release(permits[0]));
    assert_eq!(cell.in_use(), 1);
    let again = cell.acquire(0, LEASE, 2).unwrap();
    assert_eq!(again.place, permits[0].place, "the place released last is held again first");
    assert!(!cell.release(permits[0]), "a late release is not one of the next holder's");
    assert_eq!(cell.in_use(), 2);
    assert!(cell.release(again) && cell.release(permits[1]));
    assert_eq!((cell.in_use(), cell.leaked()), (0, 0));
}

#[test]
fn a_permit_that_was_never_given_does_nothing() {
    let (cell, large) = (ConcurrencyCell::new(), ConcurrencyCell::new());
    for permit in hold(&large, 100, 0, 100) {
        assert!(!cell.release(permit));
    }
    let held = hold(&cell, 1, 0, 1);
    for (place, generation) in [(0, 0), (0, 2), (0, 3), (0, u64::MAX), (1, 1), (5, 1), (u32::MAX, 1)] {
        assert!(!cell.release(Permit { place, generation }));
    }
    assert!(cell.release(held[0]));
}

#[test]
fn a_place_whose_lease_lapsed_is_free_and_leaked_once() {
    let cell = ConcurrencyCell::new();
    let permits = hold(&cell, 2, 0, 3);
    let third = cell.acquire(SECOND, LEASE, 3).unwrap();
    assert_eq!(cell.acquire(LEASE - 1, LEASE, 3), Err(Full { in_use: 3 }));
    let fourth = cell.acquire(LEASE, LEASE, 3).unwrap();
    assert_eq!((cell.in_use(), cell.leaked()), (2, 2));
    assert!(permits.iter().all(|permit| !cell.release(*permit)), "they come too late");
    assert!(cell.release(third) && cell.release(fourth));
    cell.reap(YEAR);
    assert_eq!((cell.in_use(), cell.leaked()), (0, 2));
    assert_eq!((cell.take_leaked(), cell.take_leaked(), cell.leaked()), (2, 0, 0));
}

#[test]
fn a_lapsed_place_is_found_by_whoever_asks() {
    let cell = ConcurrencyCell::new();
    let _ = hold(&cell, 5, 0, 10);
    cell.reap(LEASE - 1);
    assert_eq!(cell.in_use(), 5);
    assert!(!cell.is_fresh(LEASE - 1));
    assert!(cell.is_fresh(LEASE));
    assert_eq!((cell.in_use(), cell.leaked()), (0, 5));
    // Where no refusal is near, acquisitions find them all the same.
    let _ = hold(&cell, 5, LEASE, 100);
    let _ = hold(&cell, 1, 2 * LEASE, 100);
    assert_eq!((cell.in_use(), cell.leaked()), (1, 10));
}

#[test]
fn a_round_begins_with_the_first_place_though_there_are_more_now() {
    let cell = ConcurrencyCell::new();
    let _ = (cell.acquire(0, LEASE, 9).unwrap(), cell.acquire(0, HOUR, 9).unwrap());
    cell.reap(LEASE);
    let _ = hold(&cell, 3, LEASE, 9);
    cell.reap(2 * LEASE);
    assert_eq!((cell.in_use(), cell.leaked()), (1, 4));
    cell.reap(HOUR);
    assert_eq!((cell.in_use(), cell.leaked()), (0, 5));
}

#[test]
fn leases_may_differ_and_lapse_in_their_own_order() {
    let cell = ConcurrencyCell::new();
    let long = cell.acquire(0, HOUR, 3).unwrap();
    let _ = (cell.acquire(0, SECOND, 3).unwrap(), cell.acquire(0, MS, 3).unwrap());
    for (now, in_use) in [(MS - 1, 3), (MS, 2), (SECOND - 1, 2), (SECOND, 1), (HOUR - 1, 1)] {
        cell.reap(now);
        assert_eq!(cell.in_use(), in_use, "at {now} ns");
    }
    assert!(cell.release(long));
    assert_eq!(cell.leaked(), 2);
}

#[test]
fn a_maximum_lowered_below_what_is_held_waits_for_enough_to_come_back() {
    let cell = ConcurrencyCell::new();
    let permits = hold(&cell, 10, 0, 10);
    for permit in &permits[..7] {
        assert_eq!(cell.acquire(0, LEASE, 3), Err(Full { in_use: cell.in_use() }));
        assert!(cell.release(*permit));
    }
    assert!(cell.acquire(0, LEASE, 3).is_err());
    assert!(cell.release(permits[7]));
    assert!(cell.acquire(0, LEASE, 3).is_ok());
    assert!(cell.acquire(0, LEASE, 3).is_err());
    assert!(cell.acquire(0, LEASE, 4).is_ok(), "and a raised one needs no wait");
}

#[test]
fn a_fork_leaves_nothing_held() {
    let cell = ConcurrencyCell::new();
    let permits = hold(&cell, 6, 0, 8);
    assert!(cell.release(permits[2]));
    // What threads of the parent were at: one was counted and had taken a place, one had ended a use and no more.
    cell.enter(0, 8).unwrap();
    assert!(cell.free.pop(&cell.places).is_some());
    assert!(cell.places.get(permits[3].place).unwrap().end(permits[3].generation));
    cell.clear();
    assert!(cell.is_fresh(0));
    let anew = hold(&cell, 8, 0, 8);
    assert!(cell.acquire(0, LEASE, 8).is_err());
    assert!(permits.iter().all(|permit| !cell.release(*permit)), "permits of the parent do nothing");
    assert_eq!(cell.in_use(), 8);
    assert!(anew.into_iter().all(|permit| cell.release(permit)));
    assert_eq!((cell.in_use(), cell.leaked()), (0, 0));
}

#[test]
fn memory_follows_what_is_held_and_not_the_maximum() {
    let cell = ConcurrencyCell::new();
    assert_eq!(cell.places.bytes(), 0);
    for now in 0..1000 {
        for permit in hold(&cell, 4, now, ConcurrencyCell::MAX_LIMIT) {
            cell.release(permit);
        }
    }
    assert_eq!((cell.grown.load(Ordering::Relaxed), cell.places.bytes()), (4, 4 * 16));
    let _ = hold(&cell, 17, 0, ConcurrencyCell::MAX_LIMIT);
    assert_eq!(cell.places.bytes(), 64 * 16);
}

#[test]
fn a_million_places_are_held_and_found_again_in_bounded_steps() {
    let cell = ConcurrencyCell::new();
    let max = 1_000_000;
    let permits = hold(&cell, max, 0, max);
    assert_eq!(permits.iter().collect::<HashSet<_>>().len(), max as usize);
    assert!(cell.acquire(LEASE - 1, LEASE, max).is_err());
    assert!(permits[1..].iter().all(|permit| cell.release(*permit)));
    let kept = permits[0];
    let again = hold(&cell, max - 1, LEASE - 1, max);
    assert_eq!(cell.in_use(), max);
    // All but the one are held anew, so its lapse is the only one, and the search for it begins anywhere.
    let refusals = max / ConcurrencyCell::EXACT_PLACES;
    assert!((0..=refusals).any(|_| cell.acquire(LEASE, LEASE, max).is_ok()));
    assert_eq!((cell.in_use(), cell.leaked()), (max, 1));
    assert!(!cell.release(kept));
    cell.reap(3 * LEASE);
    assert_eq!((cell.in_use(), cell.leaked()), (0, u64::from(max) + 1));
    assert!(!cell.release(again[0]));
    let _ = hold(&cell, ConcurrencyCell::MAX_LIMIT, 3 * LEASE, u32::MAX);
    assert!(cell.acquire(3 * LEASE, LEASE, u32::MAX).is_err(), "the highest limit");
}

#[test]
fn any_time_and_any_lease_will_do() {
    let cell = ConcurrencyCell::new();
    let times = [0, YEAR, 500 * YEAR, u64::MAX, 0, HOUR, u64::MAX - 1];
    for now in times {
        for lease in [0, 1, HOUR, u64::MAX] {
            if let Ok(permit) = cell.acquire(now, lease, 2) {
                cell.release(permit);
            }
            cell.reap(now);
        }
    }
    assert!(cell.is_fresh(u64::MAX));
    // A clock that steps back an hour frees nothing, and locks nothing for longer than the lease that was asked for.
    let early = cell.acquire(2 * HOUR, LEASE, 1).unwrap();
    assert!(cell.acquire(HOUR, LEASE, 1).is_err());
    assert!(cell.release(early));
    assert!(cell.acquire(HOUR, LEASE, 1).is_ok());
    assert!(cell.acquire(HOUR + LEASE, LEASE, 1).is_ok());
}

#[test]
fn threads_never_hold_more_than_the_maximum_nor_a_place_twice() {
    let (max, rounds) = (2, 60_000);
    let cell = ConcurrencyCell::new();
    let (held, grants) = (AtomicI64::new(0), AtomicU64::new(0));
    let holders: Vec<AtomicI64> = (0..max).map(|_| AtomicI64::new(0)).collect();
    thread::scope(|scope| {
        let run = || {
            for _ in 0..rounds {
                if let Ok(permit) = cell.acquire(0, LEASE, max) {
                    assert!(held.fetch_add(1, Ordering::SeqCst) < i64::from(max));
                    assert_eq!(holders[permit.place as usize].fetch_add(1, Ordering::SeqCst), 0);
                    grants.fetch_add(1, Ordering::Relaxed);
                    holders[permit.place as usize].fetch_sub(1, Ordering::SeqCst);
                    held.fetch_sub(1, Ordering::SeqCst);
                    assert!(cell.release(permit));
                }
            }
        };
        for thread in [scope.spawn(run), scope.spawn(run), scope.spawn(run)] {
            thread.join().unwrap();
        }
    });
    assert_eq!((cell.in_use(), cell.leaked()), (0, 0));
    assert!(grants.load(Ordering::Relaxed) >= rounds, "one thread alone is always served");
    assert_eq!(hold(&cell, max, 0, max).len(), max as usize);
}

#[test]
fn threads_that_race_the_clock_give_every_place_back_once() {
    // Some permits are released at once, some late, some never; the clock leaps over leases meanwhile.
    let max = 20;
    let cell = ConcurrencyCell::new();
    let time = SharedTime::new(0);
    let (granted, released) = thread::scope(|scope| {
        let (cell, time) = (&cell, &time);
        let run = move |seed: u64| {
            let (mut granted, mut released, mut kept, mut random) = (0u64, 0u64, Vec::new(), seed);
            for _ in 0..40_000 {
                random = next_random(random);
                let now = time.load(Ordering::SeqCst);
                if let Ok(permit) = cell.acquire(now, LEASE, max) {
                    granted += 1;
                    match random >> 60 {
                        0 => {}
                        1..4 => kept.push(permit),
                        _ => released += u64::from(cell.release(permit)),
                    }
                }
                if (random >> 52).is_multiple_of(256) {
                    time.fetch_add(LEASE / 2, Ordering::SeqCst);
                    released += kept.drain(..).map(|permit| u64::from(cell.release(permit))).sum::<u64>();
                }
            }
            (granted, released)
        };
        let threads = [scope.spawn(move || run(1)), scope.spawn(move || run(2))];
        let sums = threads.into_iter().map(|thread| thread.join().unwrap());
        sums.fold((0, 0), |sum, (granted, released)| (sum.0 + granted, sum.1 + released))
    });
    assert_eq!(granted, released + cell.leaked() + u64::from(cell.in_use()));
    assert!(cell.leaked() > 0 && released > 0);
    assert!(cell.is_fresh(time.load(Ordering::SeqCst) + LEASE));
    assert_eq!(granted, released + cell.leaked());
    assert_eq!(hold(&cell, max, u64::MAX, max).len(), max as usize, "no place was lost");
}
