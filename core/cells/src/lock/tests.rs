use super::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;

#[test]
fn one_has_it_and_who_only_tries_does_not_wait() {
    let lock = Lock::new(1);
    let mut guard = lock.try_lock().unwrap();
    // Twice, for the first leaves it as it is.
    assert!(lock.try_lock().is_none() && lock.try_lock().is_none());
    *guard += 1;
    drop(guard);
    let read = lock.read();
    assert!(lock.try_lock().is_none());
    assert_eq!(*read, 2);
    let changed = read.change();
    assert!(lock.try_lock().is_none());
    drop(changed);
    assert_eq!(*lock.try_lock().unwrap(), 2);
}

#[test]
fn a_panic_gives_it_back_as_it_is() {
    let lock = Lock::new(1);
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        *lock.lock() += 1;
        let _guard = lock.read();
        panic!("with the value in hand");
    }));
    assert!(panicked.is_err());
    assert_eq!(lock.try_lock().as_deref(), Some(&2));
}

#[test]
fn no_count_is_lost_between_threads() {
    let (lock, rounds) = (Lock::new([0_u64; 2]), 30_000);
    let count = |mut counts: Guard<'_, [u64; 2]>| {
        assert_eq!(counts[0], counts[1]);
        counts[0] += 1;
        counts[1] += 1;
    };
    let tried: u64 = thread::scope(|scope| {
        let one = scope.spawn(|| (0..rounds).for_each(|_| count(lock.lock())));
        let two = scope.spawn(|| (0..rounds).for_each(|_| count(lock.read().change())));
        let tried = (0..rounds).filter(|_| lock.try_lock().map(count).is_some()).count() as u64;
        one.join().unwrap();
        two.join().unwrap();
        tried
    });
    assert_eq!(*lock.read(), [2 * rounds + tried; 2]);
}

/// A lock that a thread of the parent had for a use when the process forked for the first time; what the value owns is seen
/// from outside.
fn abandoned(taken_for: u32) -> (Lock<Arc<u8>>, Arc<u8>) {
    let left = Arc::new(1);
    let lock = Lock::new(Arc::clone(&left));
    assert!(lock.take(taken_for, 0, || unreachable!()));
    (lock, left)
}

#[test]
fn what_was_half_changed_is_neither_kept_nor_dropped() {
    for taken_for in [CHANGING, READING] {
        let (lock, left) = abandoned(CHANGING);
        assert!(lock.take(taken_for, 1, || Arc::new(2)));
        assert_eq!(**Guard(&lock), 2);
        drop(lock);
        assert_eq!(Arc::strong_count(&left), 2, "dropped");
    }
}

#[test]
fn what_was_only_read_is_kept() {
    for taken_for in [CHANGING, READING] {
        let (lock, left) = abandoned(READING);
        assert!(lock.take(taken_for, 1, || unreachable!()));
        assert!(!lock.take(taken_for, 1, || unreachable!()), "a second one has it");
        assert!(Arc::ptr_eq(&Guard(&lock), &left));
        drop(lock);
        assert_eq!(Arc::strong_count(&left), 1, "leaked");
    }
}

#[test]
fn who_takes_over_is_a_holder_like_any_other() {
    let (lock, _left) = abandoned(CHANGING);
    assert!(lock.take(READING, 1, || Arc::new(2)));
    assert!(!lock.take(READING, 1, || unreachable!()));
    // In the child of that child, its parent's thread has been reading what it took over.
    assert!(lock.take(CHANGING, 2, || unreachable!()));
    assert!(lock.take(CHANGING, 3, || Arc::new(3)));
    assert_eq!(**Guard(&lock), 3);
}

#[test]
fn a_fresh_value_that_cannot_be_made_leaves_the_lock_abandoned() {
    let (lock, _left) = abandoned(CHANGING);
    let panicked = catch_unwind(AssertUnwindSafe(|| lock.take(CHANGING, 1, || panic!("out of something"))));
    assert!(panicked.is_err());
    assert!(lock.take(CHANGING, 1, || Arc::new(2)));
    assert_eq!(**Guard(&lock), 2);
}
