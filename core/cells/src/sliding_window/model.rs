//! Every interleaving of a few threads on the shipped cell, by the model checker.
//!
//! `RUSTFLAGS="--cfg loom" cargo test -p sqlthrottle-cells --release --lib model`

use super::*;
use loom::sync::Arc;
use loom::thread;

const MS: u64 = 1_000_000;

/// A window of one bucket: two slots are all that a turn needs.
fn window() -> (WindowShape, Arc<WindowCell<[Slot; 2]>>) {
    let shape = WindowShape::new(MS, 1).unwrap();
    (shape, Arc::new(WindowCell::new(&shape, 0)))
}

fn explore(run: impl Fn() + Sync + Send + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(4);
    model.check(run);
}

fn assert_at_rest(shape: &WindowShape, cell: &WindowCell<[Slot; 2]>) {
    let head = cell.head();
    assert!(!head.is_sweeping());
    assert_eq!(cell.slots.iter().map(Slot::count).sum::<u32>(), head.total());
    for place in head.live(shape) {
        assert_eq!(cell.slot(place).tag(), place.tag);
    }
}

#[test]
fn of_two_that_want_the_last_place_one_gets_it() {
    explore(|| {
        let (shape, cell) = window();
        let other = Arc::clone(&cell);
        let thread = thread::spawn(move || other.try_acquire(&shape, 2, 0, 3).is_ok());
        let here = cell.try_acquire(&shape, 2, 0, 3).is_ok();
        assert!(here != thread.join().unwrap());
        assert_at_rest(&shape, &cell);
        assert_eq!(cell.total(&shape, 0), 2);
    });
}

#[test]
fn a_turn_gives_back_each_count_once() {
    // Two threads turn the window past what it holds, by different distances, and each takes of what became free.
    for (one, two) in [(2, 2), (2, 3), (2, 66)] {
        explore(move || {
            let (shape, cell) = window();
            cell.count_attempt(&shape, 2, 0);
            cell.count_attempt(&shape, 1, MS);
            let other = Arc::clone(&cell);
            let thread = thread::spawn(move || other.try_acquire(&shape, 2, one * MS, 3).is_ok());
            let here = cell.try_acquire(&shape, 2, two * MS, 3).is_ok();
            let there = thread.join().unwrap();
            // The two at the start are forgotten from 2 ms on, and the one of 1 ms from 3 ms on. Both can pass only where
            // the window of the first is over for the second.
            assert!(here || there);
            assert!(!(here && there) || two > one + 1);
            assert_at_rest(&shape, &cell);
            assert_eq!(cell.total(&shape, (two + 2) * MS), 0);
        });
    }
}

#[test]
fn a_count_that_is_slow_to_reach_its_slot_is_not_lost() {
    explore(|| {
        let (shape, cell) = window();
        let other = Arc::clone(&cell);
        let thread = thread::spawn(move || other.count_attempt(&shape, 1, 0).total());
        let total = cell.count_attempt(&shape, 1, MS).total();
        let first = thread.join().unwrap();
        assert!(matches!((first, total), (1, 2) | (2, 1)));
        assert_at_rest(&shape, &cell);
        assert_eq!(cell.total(&shape, MS), 2);
        assert_eq!(cell.total(&shape, 3 * MS), 0);
    });
}

#[test]
fn an_undo_that_races_a_turn_gives_back_once() {
    explore(|| {
        let (shape, cell) = window();
        let reservation = cell.try_acquire(&shape, 1, 0, 2).unwrap();
        cell.count_attempt(&shape, 1, MS);
        let other = Arc::clone(&cell);
        let thread = thread::spawn(move || other.undo(reservation));
        let total = cell.count_attempt(&shape, 1, 2 * MS).total();
        thread.join().unwrap();
        assert!((2..=3).contains(&total));
        assert_at_rest(&shape, &cell);
        assert_eq!(cell.total(&shape, 2 * MS), 2);
    });
}

#[test]
fn of_a_renewal_and_a_newcomer_that_want_the_last_place_one_gets_it() {
    explore(|| {
        let (shape, cell) = window();
        let waits = cell.count_attempt(&shape, 1, 0);
        let other = Arc::clone(&cell);
        let thread = thread::spawn(move || other.renew(&shape, waits, MS, 1));
        // At no moment is the attempt gone from the total, wherever its count is.
        assert_eq!(cell.count_attempt(&shape, 1, MS).total(), 2);
        let renewal = thread.join().unwrap();
        assert_at_rest(&shape, &cell);
        let renewed = match renewal {
            Renewal::Renewed { total: 1, .. } => 1,
            Renewal::Exceeded { total: 2, .. } => 0,
            unexpected => panic!("{unexpected:?}"),
        };
        assert_eq!(cell.total(&shape, 2 * MS), 1 + renewed);
        assert_eq!(cell.total(&shape, 3 * MS), 0);
    });
}

#[test]
fn renewals_at_once_leave_no_room_to_others() {
    explore(|| {
        let (shape, cell) = window();
        let [one, two] = [(); 2].map(|()| cell.count_attempt(&shape, 1, 0));
        let other = Arc::clone(&cell);
        let thread = thread::spawn(move || other.renew(&shape, one, MS, 2));
        assert!(matches!(cell.renew(&shape, two, MS, 2), Renewal::Renewed { total: 2, .. }));
        assert!(cell.try_acquire(&shape, 1, MS, 2).is_err());
        assert!(matches!(thread.join().unwrap(), Renewal::Renewed { total: 2, .. }));
        assert_at_rest(&shape, &cell);
        assert_eq!(cell.total(&shape, 2 * MS), 2);
        assert!(cell.try_acquire(&shape, 1, 2 * MS, 2).is_err());
        assert_eq!(cell.total(&shape, 3 * MS), 0);
    });
}

#[test]
fn a_renewal_that_races_a_turn_is_kept_or_forgotten() {
    // The turn takes the slot that the attempt leaves; a farther one also that which it goes to; the farthest comes back
    // to the tags that both have.
    for turn in [2, 3, 64] {
        explore(move || {
            let (shape, cell) = window();
            let waits = cell.count_attempt(&shape, 1, 0);
            let other = Arc::clone(&cell);
            let thread = thread::spawn(move || other.renew(&shape, waits, MS, 1));
            let acquired = cell.try_acquire(&shape, 1, turn * MS, 1).is_ok();
            let renewed = match thread.join().unwrap() {
                Renewal::Renewed { total, .. } => {
                    assert_eq!(total, 1);
                    true
                }
                Renewal::Exceeded { total, .. } => {
                    assert!(acquired && total == 2);
                    false
                }
                Renewal::Forgotten => false,
            };
            assert_at_rest(&shape, &cell);
            // A renewal at 1 ms and an acquisition at 2 ms are within one window.
            assert!(!(renewed && acquired && turn == 2));
            assert_eq!(cell.total(&shape, (turn + 2) * MS), 0);
        });
    }
}

#[test]
fn a_reader_never_sees_less_than_what_counts() {
    explore(|| {
        let (shape, cell) = window();
        cell.count_attempt(&shape, 1, 0);
        cell.count_attempt(&shape, 1, MS);
        let other = Arc::clone(&cell);
        let thread = thread::spawn(move || other.count_attempt(&shape, 1, 2 * MS));
        assert!(cell.total(&shape, 2 * MS) >= 1);
        thread.join().unwrap();
        assert_eq!(cell.total(&shape, 2 * MS), 2);
    });
}
