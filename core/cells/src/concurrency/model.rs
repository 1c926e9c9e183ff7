//! Every interleaving of a few threads on the shipped cell, by the model checker.

use super::*;
use loom::sync::Arc;
use loom::thread;

const LEASE: u64 = 10;

fn explore(run: impl Fn() + Sync + Send + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(run);
}

#[test]
fn of_three_that_want_the_last_place_one_gets_it() {
    explore(|| {
        let cell = Arc::new(ConcurrencyCell::new());
        let spawn = || {
            let cell = Arc::clone(&cell);
            thread::spawn(move || cell.acquire(0, LEASE, 1).is_ok())
        };
        let (one, two) = (spawn(), spawn());
        let here = cell.acquire(0, LEASE, 1).is_ok();
        let passed = [here, one.join().unwrap(), two.join().unwrap()];
        assert_eq!(passed.into_iter().filter(|passed| *passed).count(), 1);
        assert_eq!(cell.in_use(), 1);
    });
}

#[test]
fn a_place_that_goes_from_hand_to_hand_is_held_by_one() {
    explore(|| {
        let cell = Arc::new(ConcurrencyCell::new());
        // Two places on the free list, so that its head can come back to one it had.
        let (one, two) = (cell.acquire(0, LEASE, 2).unwrap(), cell.acquire(0, LEASE, 2).unwrap());
        assert!(cell.release(one) && cell.release(two));
        let other = Arc::clone(&cell);
        let thread = thread::spawn(move || {
            let permit = other.acquire(0, LEASE, 2).unwrap();
            assert!(other.release(permit));
            other.acquire(0, LEASE, 2).unwrap()
        });
        let here = cell.acquire(0, LEASE, 2).unwrap();
        let there = thread.join().unwrap();
        assert_ne!(here.place, there.place);
        assert!(cell.acquire(0, LEASE, 2).is_err());
        assert!(cell.release(here) && cell.release(there));
        assert_eq!(cell.grown.load(Ordering::Relaxed), 2, "the table is no longer than the most that was held");
    });
}

#[test]
fn a_place_on_its_way_back_is_waited_for_and_not_replaced() {
    explore(|| {
        let cell = Arc::new(ConcurrencyCell::new());
        let permit = cell.acquire(0, LEASE, 1).unwrap();
        let other = Arc::clone(&cell);
        let thread = thread::spawn(move || other.release(permit));
        let taken = cell.acquire(0, LEASE, 1);
        assert!(thread.join().unwrap());
        assert_eq!(cell.in_use(), u32::from(taken.is_ok()));
        assert_eq!(cell.grown.load(Ordering::Relaxed), 1, "the table is no longer than the most that was held");
    });
}

#[test]
fn a_segment_that_two_threads_make_is_one() {
    explore(|| {
        let cell = Arc::new(ConcurrencyCell::new());
        let other = Arc::clone(&cell);
        let thread = thread::spawn(move || other.acquire(0, LEASE, 2).unwrap());
        let here = cell.acquire(0, LEASE, 2).unwrap();
        let there = thread.join().unwrap();
        assert_ne!(here.place, there.place);
        assert!(cell.release(here) && cell.release(there));
        assert_eq!(cell.in_use(), 0);
    });
}

#[test]
fn a_release_that_races_the_lapse_gives_back_once() {
    explore(|| {
        let cell = Arc::new(ConcurrencyCell::new());
        let permit = cell.acquire(0, LEASE, 1).unwrap();
        let other = Arc::clone(&cell);
        let thread = thread::spawn(move || other.release(permit));
        let taken = cell.acquire(LEASE, LEASE, 1);
        let released = thread.join().unwrap();
        assert_eq!(u64::from(released) + cell.leaked(), 1);
        assert_eq!(cell.in_use(), u32::from(taken.is_ok()));
        assert!(!cell.release(permit));
        assert_eq!(cell.acquire(LEASE, LEASE, 1).is_ok(), taken.is_err());
    });
}

#[test]
fn a_late_release_leaves_the_next_holder_alone() {
    explore(|| {
        let cell = Arc::new(ConcurrencyCell::new());
        let late = cell.acquire(0, LEASE, 1).unwrap();
        let other = Arc::clone(&cell);
        let thread = thread::spawn(move || {
            cell.acquire(LEASE, LEASE, 1).is_ok().then(|| assert!(cell.acquire(LEASE, LEASE, 1).is_err()))
        });
        let released = other.release(late);
        let holds = thread.join().unwrap().is_some();
        assert!(holds || released);
        assert_eq!(other.in_use(), u32::from(holds));
    });
}

#[test]
fn two_that_find_a_lapsed_place_count_it_once() {
    explore(|| {
        let cell = Arc::new(ConcurrencyCell::new());
        let _ = cell.acquire(0, LEASE, 1).unwrap();
        let other = Arc::clone(&cell);
        let thread = thread::spawn(move || other.acquire(LEASE, LEASE, 1).is_ok());
        let here = cell.acquire(LEASE, LEASE, 1).is_ok();
        let there = thread.join().unwrap();
        assert_eq!(cell.leaked(), 1);
        assert!(!(here && there));
        assert_eq!(cell.in_use(), u32::from(here || there));
        // Whoever came when the place was in another's hands was refused; at rest it is there.
        assert_eq!(cell.acquire(LEASE, LEASE, 1).is_ok(), !(here || there));
    });
}

#[test]
fn a_lease_that_begins_during_a_round_is_found_when_it_lapses() {
    explore(|| {
        let cell = Arc::new(ConcurrencyCell::new());
        let _ = cell.acquire(0, LEASE, 2).unwrap();
        let other = Arc::clone(&cell);
        // Its clock is older, so only the other thread has a reason to look at the places.
        let thread = thread::spawn(move || other.acquire(0, 2 * LEASE, 2).unwrap());
        cell.reap(LEASE);
        let _ = thread.join().unwrap();
        cell.reap(2 * LEASE);
        assert_eq!((cell.in_use(), cell.leaked()), (0, 2));
    });
}

#[test]
fn two_that_look_at_once_miss_no_lease() {
    explore(|| {
        let cell = Arc::new(ConcurrencyCell::new());
        let _ = (cell.acquire(0, LEASE, 2).unwrap(), cell.acquire(0, 2 * LEASE, 2).unwrap());
        let other = Arc::clone(&cell);
        let thread = thread::spawn(move || other.reap(LEASE));
        cell.reap(LEASE);
        thread.join().unwrap();
        assert_eq!((cell.in_use(), cell.leaked()), (1, 1));
        cell.reap(2 * LEASE);
        assert_eq!((cell.in_use(), cell.leaked()), (0, 2));
    });
}
