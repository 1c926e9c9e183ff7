//! Every interleaving of a few threads on the shipped cell, by the model checker.

use super::*;
use loom::sync::Arc;
use loom::thread;

const SECOND: u64 = 1_000_000_000;

fn bucket(capacity: u32) -> (TokenBucketShape, Arc<TokenBucketCell>) {
    let shape = TokenBucketShape::new(capacity, Rate::new(1, SECOND).unwrap());
    (shape, Arc::new(TokenBucketCell::new()))
}

/// Takes one by one what there is.
fn drain(cell: &TokenBucketCell, shape: &TokenBucketShape, now: u64) -> u32 {
    let mut taken = 0;
    while cell.try_acquire(shape, 1, now).is_ok() {
        taken += 1;
    }
    taken
}

#[test]
fn of_three_that_want_the_last_tokens_one_gets_them() {
    loom::model(|| {
        let (shape, cell) = bucket(3);
        let spawn = || {
            let cell = Arc::clone(&cell);
            thread::spawn(move || cell.try_acquire(&shape, 2, 0).is_ok())
        };
        let (one, two) = (spawn(), spawn());
        let here = cell.try_acquire(&shape, 2, 0).is_ok();
        let passed = [here, one.join().unwrap(), two.join().unwrap()];
        assert_eq!(passed.into_iter().filter(|passed| *passed).count(), 1);
        assert_eq!(cell.spent(&shape, 0), 2);
    });
}

#[test]
fn threads_at_different_times_keep_to_what_came() {
    loom::model(|| {
        let (shape, cell) = bucket(1);
        assert!(cell.try_acquire(&shape, 1, 0).is_ok());
        let other = Arc::clone(&cell);
        let thread = thread::spawn(move || u32::from(other.try_acquire(&shape, 1, SECOND).is_ok()));
        let here = u32::from(cell.try_acquire(&shape, 1, 2 * SECOND).is_ok());
        let there = thread.join().unwrap();
        // A token came at each second, and the bucket holds one.
        assert!((1..=2).contains(&(here + there)));
        assert!(here + there + drain(&cell, &shape, 2 * SECOND) <= 2);
    });
}

#[test]
fn an_undo_that_races_a_refill_admits_no_more() {
    loom::model(|| {
        let (shape, cell) = bucket(2);
        let reservation = cell.try_acquire(&shape, 2, 0).unwrap();
        let other = Arc::clone(&cell);
        let thread = thread::spawn(move || other.undo(reservation));
        // One token is back by itself; with the undo there are two, and never three.
        let taken = drain(&cell, &shape, SECOND);
        thread.join().unwrap();
        let rest = drain(&cell, &shape, SECOND);
        assert!((1..=2).contains(&(taken + rest)), "{taken} and {rest}");
    });
}

#[test]
fn two_that_take_and_undo_leave_no_more_than_there_was() {
    loom::model(|| {
        let (shape, cell) = bucket(2);
        let other = Arc::clone(&cell);
        let thread = thread::spawn(move || {
            if let Ok(reservation) = other.try_acquire(&shape, 1, 0) {
                other.undo(reservation);
            }
            u32::from(other.try_acquire(&shape, 1, 0).is_ok())
        });
        if let Ok(reservation) = cell.try_acquire(&shape, 1, 0) {
            cell.undo(reservation);
        }
        let there = thread.join().unwrap();
        assert!(there + drain(&cell, &shape, 0) <= 2);
    });
}
