//! Every interleaving of a few threads on the shipped cell, by the model checker.

use super::*;
use loom::sync::Arc;
use loom::thread;

const SECOND: u64 = 1_000_000_000;

fn window() -> (FixedWindowShape, Arc<FixedWindowCell>) {
    (FixedWindowShape::new(SECOND, 0).unwrap(), Arc::new(FixedWindowCell::new()))
}

#[test]
fn of_three_that_want_the_last_place_one_gets_it() {
    loom::model(|| {
        let (shape, cell) = window();
        let spawn = || {
            let cell = Arc::clone(&cell);
            thread::spawn(move || cell.try_acquire(&shape, 2, 0, 3).is_ok())
        };
        let (one, two) = (spawn(), spawn());
        let here = cell.try_acquire(&shape, 2, 0, 3).is_ok();
        let passed = [here, one.join().unwrap(), two.join().unwrap()];
        assert_eq!(passed.into_iter().filter(|passed| *passed).count(), 1);
        assert_eq!(cell.total(&shape, 0), 2);
    });
}

#[test]
fn a_window_that_two_threads_begin_is_one() {
    loom::model(|| {
        let (shape, cell) = window();
        cell.count_attempt(&shape, 3, 0);
        let other = Arc::clone(&cell);
        let thread = thread::spawn(move || other.try_acquire(&shape, 2, SECOND, 3).is_ok());
        let here = cell.try_acquire(&shape, 2, SECOND, 3).is_ok();
        assert!(here != thread.join().unwrap());
        assert_eq!(cell.total(&shape, SECOND), 2);
    });
}

#[test]
fn a_thread_with_an_older_clock_reopens_no_window() {
    loom::model(|| {
        let (shape, cell) = window();
        cell.count_attempt(&shape, 3, 0);
        let other = Arc::clone(&cell);
        let thread = thread::spawn(move || other.try_acquire(&shape, 1, 0, 3).is_ok());
        let _ = cell.try_acquire(&shape, 3, SECOND, 3).unwrap();
        // The window of the older clock is full, and so is the newer one.
        assert!(!thread.join().unwrap());
        assert_eq!(cell.total(&shape, 0), 3);
    });
}

#[test]
fn an_undo_that_races_a_new_window_takes_nothing_from_it() {
    loom::model(|| {
        let (shape, cell) = window();
        let reservation = cell.try_acquire(&shape, 2, 0, 3).unwrap();
        let other = Arc::clone(&cell);
        let thread = thread::spawn(move || other.undo(&shape, reservation));
        let _ = cell.try_acquire(&shape, 3, SECOND, 3).unwrap();
        thread.join().unwrap();
        assert_eq!(cell.total(&shape, SECOND), 3);
        assert!(cell.try_acquire(&shape, 1, SECOND, 3).is_err());
    });
}

#[test]
fn two_that_acquire_and_undo_leave_nothing() {
    loom::model(|| {
        let (shape, cell) = window();
        let other = Arc::clone(&cell);
        let thread = thread::spawn(move || {
            if let Ok(reservation) = other.try_acquire(&shape, 2, 0, 3) {
                other.undo(&shape, reservation);
            }
        });
        if let Ok(reservation) = cell.try_acquire(&shape, 2, 0, 3) {
            cell.undo(&shape, reservation);
        }
        thread.join().unwrap();
        assert!(cell.is_fresh(&shape, 0));
    });
}
