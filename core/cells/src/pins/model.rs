//! Every interleaving of those who count on a cell and one who lets it go.

use super::Pins;
use loom::sync::Arc;
use loom::sync::atomic::{AtomicU32, Ordering};
use loom::thread;

/// A cell that two threads count on while a third lets it go if it counts nothing. `lost` is what was counted on it after.
#[test]
fn nothing_is_counted_on_a_cell_that_was_let_go() {
    loom::model(|| {
        let cell = Arc::new((Pins::new(), AtomicU32::new(0)));
        let count = |cell: Arc<(Pins, AtomicU32)>| {
            move || match cell.0.pin() {
                Some(_pin) => {
                    // The order of a limiter's counts is its own affair; here it is the pins' to order them.
                    cell.1.fetch_add(1, Ordering::Relaxed);
                    1
                }
                None => 0,
            }
        };
        let threads = [thread::spawn(count(Arc::clone(&cell))), thread::spawn(count(Arc::clone(&cell)))];
        let let_go = cell.0.retire() && {
            let fresh = cell.1.load(Ordering::Relaxed) == 0;
            if !fresh {
                cell.0.revive();
            }
            fresh
        };
        let counted: u32 = threads.into_iter().map(|thread| thread.join().unwrap()).sum();
        assert_eq!(cell.1.load(Ordering::Relaxed), counted);
        assert!(!let_go || counted == 0, "{counted} were lost with the cell");
    });
}

/// A cell that is superseded while two threads acquire on it. Who is not told so afterwards has been taken over; and who is, may
/// have been.
#[test]
fn what_is_counted_on_a_superseded_cell_is_taken_over_or_made_again() {
    loom::model(|| {
        let cell = Arc::new((Pins::new(), AtomicU32::new(0)));
        let acquire = |cell: Arc<(Pins, AtomicU32)>| {
            move || {
                let Some(_pin) = cell.0.pin() else { return false };
                cell.1.fetch_add(1, Ordering::Acquire);
                !cell.0.is_retired()
            }
        };
        let threads = [thread::spawn(acquire(Arc::clone(&cell))), thread::spawn(acquire(Arc::clone(&cell)))];
        cell.0.supersede();
        let taken_over = cell.1.fetch_add(0, Ordering::AcqRel);
        let passed = threads.into_iter().map(|thread| u32::from(thread.join().unwrap())).sum::<u32>();
        assert!(passed <= taken_over, "{passed} passed, and {taken_over} were taken over");
    });
}
