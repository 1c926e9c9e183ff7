use super::*;
use crate::testing::{HOUR, MS, SECOND, YEAR, next_random};
use std::sync::atomic::AtomicU64 as SharedTime;
use std::thread;

/// A cell with its shape.
pub(super) struct Window {
    pub(super) shape: FixedWindowShape,
    pub(super) cell: FixedWindowCell,
}

impl Window {
    pub(super) fn new(length: u64, offset: u64) -> Self {
        Self { shape: FixedWindowShape::new(length, offset).unwrap(), cell: FixedWindowCell::new() }
    }

    pub(super) fn attempt(&self, n: u32, now: u64) -> u32 {
        self.cell.count_attempt(&self.shape, n, now)
    }

    pub(super) fn acquire(&self, n: u32, now: u64, max: u32) -> Result<Reservation, Exceeded> {
        self.cell.try_acquire(&self.shape, n, now, max)
    }

    pub(super) fn acquires(&self, n: u32, now: u64, max: u32) -> bool {
        self.acquire(n, now, max).is_ok()
    }

    pub(super) fn undo(&self, reservation: Reservation) {
        self.cell.undo(&self.shape, reservation);
    }

    pub(super) fn total(&self, now: u64) -> u32 {
        self.cell.total(&self.shape, now)
    }

    pub(super) fn retry_after(&self, n: u32, now: u64, max: u32) -> Option<u64> {
        self.cell.retry_after(&self.shape, n, now, max)
    }
}

#[test]
fn each_window_has_the_whole_limit() {
    let window = Window::new(SECOND, 300 * MS);
    assert!(window.acquires(4, 0, 5));
    assert!(window.acquires(1, 700 * MS - 1, 5));
    assert_eq!(window.acquire(1, 700 * MS - 1, 5), Err(Exceeded { total: 5 }));
    assert!(window.acquires(5, 700 * MS, 5), "the second window of a clock that is 300 ms ahead");
    assert!(!window.acquires(1, 1700 * MS - 1, 5));
    assert_eq!(window.acquire(2, 1700 * MS, 5).unwrap().total(), 2);
    assert_eq!(window.total(1700 * MS), 2);
    assert_eq!(window.total(2700 * MS), 0);
}

#[test]
fn a_refusal_leaves_the_cell_as_it_was() {
    let window = Window::new(SECOND, 0);
    assert!(window.acquires(3, MS, 5));
    let word = window.cell.word();
    assert_eq!(window.acquire(3, MS, 5), Err(Exceeded { total: 3 }));
    assert_eq!(window.acquire(6, YEAR, 5), Err(Exceeded { total: 0 }));
    assert_eq!(window.acquire(u32::MAX, MS, u32::MAX), Err(Exceeded { total: 3 }));
    assert_eq!(window.cell.word(), word);
}

#[test]
fn a_clock_that_steps_back_reopens_no_window() {
    let window = Window::new(SECOND, 0);
    assert!(window.acquires(5, 2 * HOUR, 5));
    assert!(window.acquires(4, 2 * HOUR + SECOND, 5));
    for back in [1, SECOND, HOUR, 2 * HOUR] {
        assert_eq!(window.total(2 * HOUR + SECOND - back), 4, "{back} ns back");
    }
    assert!(window.acquires(1, HOUR, 5), "what is left of the newest window is there for an older clock");
    assert!(!window.acquires(1, HOUR, 5));
    assert!(!window.acquires(1, 2 * HOUR + SECOND, 5));
    assert!(window.acquires(5, 2 * HOUR + 2 * SECOND, 5));
}

#[test]
fn an_undone_reservation_is_as_if_it_had_not_been() {
    let window = Window::new(SECOND, 0);
    let first = window.acquire(3, 0, 5).unwrap();
    let second = window.acquire(2, MS, 5).unwrap();
    window.undo(first);
    assert_eq!(window.total(MS), 2);
    assert!(window.acquires(3, MS, 5));
    window.undo(second);
    assert_eq!(window.total(MS), 3);
}

#[test]
fn an_undo_after_its_window_is_over_gives_nothing_back() {
    for windows in [1, 2, 1 << 16, 1 << 32] {
        let window = Window::new(SECOND, 0);
        let early = window.acquire(5, 0, 5).unwrap();
        let now = windows * SECOND;
        assert!(window.acquires(5, now, 5));
        window.undo(early);
        assert!(!window.acquires(1, now, 5), "after {windows} windows");
    }
}

#[test]
fn retry_after_is_exact() {
    let window = Window::new(SECOND, 300 * MS);
    let now = 10 * SECOND;
    assert!(window.acquires(4, now, 5));
    assert_eq!(window.retry_after(1, now, 5), Some(0));
    assert_eq!(window.retry_after(2, now, 5), Some(700 * MS));
    assert_eq!(window.retry_after(2, now - HOUR.min(now), 5), Some(now + 700 * MS), "an older clock waits as well");
    assert_eq!(window.retry_after(6, now, 5), None);
    assert_eq!(window.retry_after(2, now, 6), Some(0), "a raised limit shortens the wait");
    assert_eq!(window.retry_after(1, now, 3), Some(700 * MS), "a lowered one is no second budget");
    assert!(!window.acquires(1, now, 3));
    assert_eq!(window.retry_after(1, u64::MAX, 5), Some(0));
    assert!(window.acquires(5, u64::MAX, 5));
    assert_eq!(window.retry_after(1, u64::MAX, 5), None, "no window begins after the end of time");
}

#[test]
fn more_than_a_cell_can_count_stays_full() {
    for length in [MS, SECOND, HOUR] {
        let window = Window::new(length, 0);
        let most = window.shape.max_count();
        assert_eq!(window.attempt(most - 1, 0), most - 1);
        assert_eq!(window.attempt(u32::MAX, 0), most);
        assert_eq!(window.attempt(1, 0), most);
        assert!(!window.acquires(1, 0, u32::MAX), "the highest limit is below the most that is counted");
        assert!(window.acquires(window.shape.max_limit(), length, u32::MAX));
        assert!(!window.acquires(1, length, u32::MAX));
        assert_eq!(window.total(2 * length), 0);
    }
}

#[test]
fn idleness_of_any_length_begins_a_new_window() {
    for length in [MS, SECOND, 30 * 24 * HOUR] {
        let window = Window::new(length, length / 3);
        let mut now = 0;
        for idle in [length, HOUR * 24 * 30, YEAR, 10 * YEAR, 500 * YEAR] {
            assert!(window.acquires(7, now, 7));
            assert!(!window.cell.is_fresh(&window.shape, now));
            now += idle;
            assert!(window.cell.is_fresh(&window.shape, now));
        }
    }
}

#[test]
fn the_last_moment_of_time_is_like_any_other() {
    for (length, offset) in [(MS, MS - 1), (HOUR, 7), (u64::MAX, 0), (u64::MAX, u64::MAX - 1)] {
        let window = Window::new(length, offset);
        assert!(window.acquires(5, u64::MAX, 5));
        assert!(!window.acquires(1, u64::MAX, 5));
        assert!(!window.acquires(1, 0, 5));
        assert_eq!(window.total(u64::MAX), 5);
    }
}

#[test]
fn a_total_carried_over_counts_in_the_window_of_now() {
    let old = Window::new(60 * SECOND, 0);
    assert!(old.acquires(42, 125 * SECOND, 50));
    let shape = FixedWindowShape::new(SECOND, 0).unwrap();
    let succeeding = |now| FixedWindowCell::succeeding((&old.cell, &old.shape), &shape, now);
    let cell = succeeding(130_500 * MS);
    assert_eq!(cell.total(&shape, 130_999 * MS), 42);
    assert_eq!(cell.total(&shape, 131_000 * MS), 0);
    assert!(succeeding(180 * SECOND).is_fresh(&shape, 180 * SECOND), "what is forgotten is not taken over");
    // A clock that is an hour behind, or a minute, counts as one in the newest window: its start is the latest known.
    for now in [0, 60 * SECOND] {
        let cell = succeeding(now);
        assert_eq!(cell.total(&shape, now), 42);
        assert_eq!(cell.total(&shape, 120_999 * MS), 42);
    }
    assert_eq!(old.attempt(u32::MAX, 130 * SECOND), old.shape.max_count());
    let shortest = FixedWindowShape::new(MS, 0).unwrap();
    let cell = FixedWindowCell::succeeding((&old.cell, &old.shape), &shortest, 130 * SECOND);
    assert_eq!(cell.total(&shortest, 130 * SECOND), shortest.max_count());
}

#[test]
fn threads_admit_exactly_the_limit_while_the_clock_stands() {
    let window = Window::new(SECOND, 0);
    let admitted: usize = thread::scope(|scope| {
        let run = || (0..60_000).filter(|_| window.acquires(1, YEAR, 50_000)).count();
        let threads = [scope.spawn(run), scope.spawn(run), scope.spawn(run)];
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!((admitted, window.total(YEAR)), (50_000, 50_000));
}

#[test]
fn threads_that_race_the_clock_keep_to_the_limit() {
    // What was acquired has the number of the window it was counted in, so each window can be counted up.
    let (max, length) = (40, MS);
    let window = Window::new(length, 0);
    let time = SharedTime::new(0);
    let numbers: Vec<u64> = thread::scope(|scope| {
        let (window, time) = (&window, &time);
        let run = move |seed: u64| {
            let (mut numbers, mut open, mut random) = (Vec::new(), Vec::new(), seed);
            for _ in 0..40_000 {
                random = next_random(random);
                let now = time.load(Ordering::SeqCst);
                if let Ok(reservation) = window.acquire(1, now, max) {
                    if random >> 62 == 0 {
                        open.push(reservation);
                    } else {
                        numbers.push(reservation.number);
                    }
                }
                if random >> 59 == 7 {
                    // These may be of windows long over.
                    open.drain(..).for_each(|reservation| window.undo(reservation));
                }
                match random >> 52 & 0xff {
                    0 => time.fetch_add(50 * length, Ordering::SeqCst),
                    1..6 => time.fetch_add(length / 3, Ordering::SeqCst),
                    _ => 0,
                };
            }
            numbers
        };
        let threads = [scope.spawn(move || run(1)), scope.spawn(move || run(2))];
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    let mut counts = std::collections::HashMap::new();
    for number in numbers {
        *counts.entry(number).or_insert(0) += 1;
    }
    assert!(counts.len() > 100);
    assert!(counts.values().all(|count| *count <= max));
    assert!(counts.values().any(|count| *count == max), "some window was full");
}
