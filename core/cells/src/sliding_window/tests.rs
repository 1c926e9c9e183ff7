use super::*;
use crate::testing::{MS, YEAR, assert_at_most, next_random};
use crate::window_shape::EPOCH_BITS;
use std::sync::atomic::AtomicU64 as SharedTime;
use std::thread;

/// A cell with its shape; as many lines as the shape needs.
pub(super) struct Window {
    pub(super) shape: WindowShape,
    pub(super) cell: Box<WindowCell>,
}

impl Window {
    /// The one that takes over from this.
    pub(super) fn succeeded(&self, window: u64, buckets: u32, now: u64) -> Self {
        let (shape, old) = (WindowShape::new(window, buckets).unwrap(), (&*self.cell, &self.shape));
        let cell: Box<WindowCell> = if shape.slots() <= 14 {
            Box::new(LineCell::succeeding(old, &shape, now))
        } else {
            Box::new(WindowCell::<[Slot; 62]>::succeeding(old, &shape, now))
        };
        Self { shape, cell }
    }

    pub(super) fn new(window: u64, buckets: u32) -> Self {
        let shape = WindowShape::new(window, buckets).unwrap();
        let cell: Box<WindowCell> = if shape.slots() <= 14 {
            Box::new(LineCell::new(&shape, 0))
        } else {
            Box::new(WindowCell::<[Slot; 62]>::new(&shape, 0))
        };
        Self { shape, cell }
    }

    pub(super) fn attempt(&self, n: u32, now: u64) -> u32 {
        self.count(n, now).total()
    }

    pub(super) fn count(&self, n: u32, now: u64) -> Attempt {
        self.cell.count_attempt(&self.shape, n, now)
    }

    pub(super) fn renew(&self, attempt: Attempt, now: u64, max: u32) -> Renewal {
        self.cell.renew(&self.shape, attempt, now, max)
    }

    pub(super) fn acquire(&self, n: u32, now: u64, max: u32) -> Result<Reservation, Exceeded> {
        self.cell.try_acquire(&self.shape, n, now, max)
    }

    pub(super) fn acquires(&self, n: u32, now: u64, max: u32) -> bool {
        self.acquire(n, now, max).is_ok()
    }

    pub(super) fn total(&self, now: u64) -> u32 {
        self.cell.total(&self.shape, now)
    }

    pub(super) fn retry_after(&self, n: u32, now: u64, max: u32) -> Option<u64> {
        self.cell.retry_after(&self.shape, n, now, max)
    }

    /// The first and the fourth invariant, of a cell at rest.
    pub(super) fn assert_at_rest(&self) {
        let head = self.cell.head();
        assert!(!head.is_sweeping());
        assert_eq!(self.cell.slots.iter().map(Slot::count).sum::<u32>(), head.total(), "total and slots differ");
        for place in head.live(&self.shape) {
            assert_eq!(self.cell.slot(place).tag(), place.tag, "a slot is of another epoch");
        }
    }
}

#[test]
fn a_cell_is_its_words_and_nothing_else() {
    // Not aligned to a cache line: a table of a million keys would be half padding, and a hot cell is come to once a block.
    assert_eq!((size_of::<LineCell>(), align_of::<LineCell>()), (64, 8));
    assert_eq!((size_of::<WindowCell<[Slot; 30]>>(), align_of::<WindowCell<[Slot; 30]>>()), (128, 8));
}

#[test]
fn an_event_counts_for_the_window_and_at_most_one_bucket_more() {
    let window = Window::new(1200 * MS, 12);
    assert_eq!(window.attempt(1, 150 * MS), 1);
    assert_eq!(window.total(150 * MS + 1200 * MS), 1, "the closed interval of the window holds it");
    assert_eq!(window.total(1400 * MS - 1), 1);
    assert_eq!(window.total(1400 * MS), 0);
    assert_eq!(window.attempt(1, 1400 * MS), 1);
    window.assert_at_rest();
}

#[test]
fn a_burst_across_a_bucket_edge_is_held_to_the_limit() {
    // Where a ring has no more slots than the window has buckets, the second burst passes.
    for buckets in [1, 2, 12, 13, 14, 60] {
        let window = Window::new(u64::from(buckets) * 100 * MS, buckets);
        let late = 100 * MS - 1;
        assert!(window.acquires(10, late, 10));
        assert!(!window.acquires(1, late + 1, 10));
        assert!(!window.acquires(1, late + u64::from(buckets) * 100 * MS, 10), "{buckets} buckets");
        assert!(window.acquires(10, late + u64::from(buckets) * 100 * MS + 1, 10));
        window.assert_at_rest();
    }
}

#[test]
fn a_saturated_window_carries_its_share_of_the_limit() {
    for buckets in [1, 4, 12, 20] {
        let window = Window::new(u64::from(buckets) * 10 * MS, buckets);
        let (max, windows) = (1000, 50);
        let mut admitted = 0;
        for now in (0..windows * u64::from(buckets) * 10 * MS).step_by(MS as usize) {
            while window.acquires(100, now, max) {
                admitted += 100;
            }
        }
        let floor = windows * u64::from(max) * u64::from(buckets) / u64::from(buckets + 1);
        assert!(admitted >= floor, "{buckets} buckets: {admitted} of {floor}");
    }
}

#[test]
fn a_refusal_leaves_the_cell_as_it_was() {
    let window = Window::new(1200 * MS, 12);
    assert!(window.acquires(3, MS, 5));
    let (head, slot) = (window.cell.head(), window.cell.slots[0].word());
    assert_eq!(window.acquire(3, MS, 5), Err(Exceeded { total: 3 }));
    assert_eq!(window.acquire(6, MS, 5), Err(Exceeded { total: 3 }));
    assert_eq!(window.acquire(u32::MAX, MS, u32::MAX), Err(Exceeded { total: 3 }));
    assert_eq!((window.cell.head(), window.cell.slots[0].word()), (head, slot));
}

#[test]
fn an_undone_reservation_is_as_if_it_had_not_been() {
    let window = Window::new(1200 * MS, 12);
    let first = window.acquire(3, MS, 5).unwrap();
    let second = window.acquire(2, 301 * MS, 5).unwrap();
    assert_eq!(second.total(), 5);
    window.cell.undo(first);
    assert_eq!(window.total(301 * MS), 2);
    assert!(window.acquires(3, 302 * MS, 5));
    window.cell.undo(second);
    assert_eq!(window.total(302 * MS), 3);
    window.assert_at_rest();
}

#[test]
fn an_undo_after_its_slot_turned_gives_nothing_back_twice() {
    let window = Window::new(300 * MS, 3);
    for turned in [400, 800, 31 * 400, 33 * 400, 100_000] {
        let start = window.cell.head().epoch() * 100 * MS;
        let early = window.acquire(5, start, 5).unwrap();
        let now = start + turned * MS;
        assert!(window.acquires(5, now, 5), "the first five are forgotten after {turned} ms");
        window.cell.undo(early);
        assert!(!window.acquires(1, now, 5), "an undo of what has turned over must not admit more");
        window.assert_at_rest();
        window.cell.reset(&window.shape, now);
        window.total(now);
    }
}

#[test]
fn an_undo_after_the_tags_came_round_takes_nothing_from_another() {
    // After 64 laps of one bucket's ring, 32 where it was never idle, its slot has the tag again that it had.
    for buckets in [1, 3, 13] {
        let window = Window::new(u64::from(buckets) * 100 * MS, buckets);
        for turned in (1..=65).map(|laps| laps * u64::from(buckets + 1)) {
            let start = window.cell.head().epoch();
            let early = window.acquire(5, start * 100 * MS, 5).unwrap();
            for epoch in start + 1..=start + turned {
                window.attempt(0, epoch * 100 * MS);
            }
            let now = (start + turned) * 100 * MS;
            assert!(window.acquires(5, now, 5));
            window.cell.undo(early);
            assert!(!window.acquires(1, now, 5), "{buckets} buckets, after {turned}");
            window.cell.reset(&window.shape, now);
        }
    }
}

#[test]
fn a_renewed_attempt_counts_from_then_on() {
    let window = Window::new(1200 * MS, 12);
    let waits = window.count(3, 150 * MS);
    assert_eq!(window.attempt(2, 250 * MS), 5);
    assert!(matches!(window.renew(waits, 1050 * MS, 5), Renewal::Renewed { total: 5, .. }));
    window.assert_at_rest();
    assert_eq!(window.total(1400 * MS), 5, "what was made at 150 ms counts as of 1050 ms");
    assert_eq!(window.total(1500 * MS), 3);
    assert_eq!(window.total(2300 * MS - 1), 3);
    assert_eq!(window.total(2300 * MS), 0);

    let waits = window.count(1, 2410 * MS);
    assert!(
        matches!(window.renew(waits, 2490 * MS, 5), Renewal::Renewed { total: 1, .. }),
        "where it is the newest already"
    );
    window.assert_at_rest();
}

#[test]
fn an_attempt_that_finds_no_room_may_come_back() {
    let window = Window::new(1200 * MS, 12);
    assert_eq!(window.attempt(5, 50 * MS), 5);
    let waits = window.count(2, 350 * MS);
    let slots = |window: &Window| window.cell.slots.iter().map(Slot::word).collect::<Vec<_>>();
    let before = slots(&window);
    let Renewal::Exceeded { attempt, total: 7 } = window.renew(waits, 390 * MS, 5) else { panic!("there is no room") };
    assert_eq!(slots(&window), before);
    assert!(matches!(window.renew(attempt, 1300 * MS, 5), Renewal::Renewed { total: 2, .. }));
    let waits = window.count(u32::MAX, 1300 * MS);
    assert!(
        matches!(window.renew(waits, 1400 * MS, u32::MAX), Renewal::Exceeded { .. }),
        "no limit is above the highest"
    );
    window.assert_at_rest();
}

#[test]
fn an_attempt_that_is_forgotten_takes_no_other_for_itself() {
    // After 64 laps of one bucket's ring its slot has the tag again that it had; the windows are of both widths at which
    // epochs come round and do not.
    for bucket in [MS, 300 * MS] {
        for turned in [2, 3, 4, 62, 63, 64, 65, 66, 127, 128, 129, 64 * 64] {
            let window = Window::new(bucket, 1);
            let waits = window.count(1, 0);
            for epoch in 1..=turned {
                window.attempt(1, epoch * bucket);
            }
            let now = turned * bucket;
            assert_eq!(window.renew(waits, now, 9), Renewal::Forgotten, "after {turned} buckets");
            assert_eq!(window.total(now + bucket), 1, "the others count as of when they were made");
            window.assert_at_rest();
        }
    }
}

#[test]
fn a_full_window_renews_nothing() {
    let window = Window::new(300 * MS, 3);
    let first = window.count(5, 0);
    assert_eq!(window.attempt(u32::MAX, 100 * MS), WindowCell::MAX_COUNT);
    // The first five have been passed over to the newest; nothing is left of them to move.
    assert!(matches!(window.renew(first, 200 * MS, u32::MAX), Renewal::Exceeded { .. }));
    window.assert_at_rest();
    assert_eq!(window.total(500 * MS), 0);
}

#[test]
fn retry_after_is_exact() {
    let window = Window::new(1200 * MS, 12);
    for (at, n) in [(50, 2), (130, 3), (990, 5)] {
        assert!(window.acquires(n, at * MS, 10));
    }
    let now = 1000 * MS;
    assert_eq!(window.retry_after(0, now, 10), Some(0));
    assert_eq!(window.retry_after(1, now, 10), Some(1300 * MS - now));
    assert_eq!(window.retry_after(2, now, 10), Some(1300 * MS - now));
    assert_eq!(window.retry_after(3, now, 10), Some(1400 * MS - now));
    assert_eq!(window.retry_after(10, now, 10), Some(2200 * MS - now));
    assert_eq!(window.retry_after(11, now, 10), None);
    assert_eq!(window.retry_after(1, now, 0), None);
    assert_eq!(window.retry_after(1, 900 * MS, 10), Some(400 * MS), "an older clock waits for the same moment");
    // A limit lowered below what is counted waits for more to go; one raised needs no wait.
    assert_eq!(window.retry_after(1, now, 5), Some(2200 * MS - now));
    assert_eq!(window.retry_after(1, now, 11), Some(0));
}

#[test]
fn more_than_a_cell_can_count_keeps_the_latest() {
    let window = Window::new(300 * MS, 3);
    let most = WindowCell::MAX_COUNT;
    assert_eq!(window.attempt(most - 1, 0), most - 1);
    assert_eq!(window.attempt(5, 0), most);
    assert_eq!(window.attempt(u32::MAX, 100 * MS), most);
    window.assert_at_rest();
    assert_eq!(window.total(400 * MS), most, "the flood went on at 100 ms, so it is not forgotten at 400");
    assert_eq!(window.attempt(10, 350 * MS), most);
    assert_eq!(window.attempt(0, 350 * MS), most);
    assert_eq!(window.total(500 * MS), 10);
    assert!(window.acquires(WindowCell::MAX_LIMIT - 10, 500 * MS, u32::MAX));
    assert!(!window.acquires(1, 500 * MS, u32::MAX), "the highest limit is below the most that is counted");
    window.assert_at_rest();
}

#[test]
fn idleness_of_any_length_empties_the_window() {
    for (length, buckets) in [(12 * MS, 12), (MS, 1), (60_000 * MS, 12), (1200 * MS, 60)] {
        let window = Window::new(length, buckets);
        let bucket = window.shape.bucket_nanos();
        let lap = bucket * u64::from(buckets + 1);
        let mut now = 0;
        let near_laps = [1, 30, 31, 32, 33, 63, 64, 65, 32 * 32].map(|laps| laps * lap);
        for idle in near_laps.into_iter().flat_map(|idle| [idle - bucket, idle, idle + bucket]).chain([YEAR, YEAR / 2])
        {
            assert!(window.acquires(7, now, 7), "open {buckets} buckets at {now}");
            assert!(!window.acquires(1, now, 7));
            // What is left after less than a lap is seen by the property tests.
            now += idle.max(lap);
            assert_eq!(window.total(now), 0);
            assert!(window.cell.is_fresh(&window.shape, now));
        }
        assert!(window.acquires(7, now, 7));
        window.assert_at_rest();
    }
}

#[test]
fn the_turn_of_the_epochs_is_like_any_other_moment() {
    // At a millisecond a bucket, epochs come round after two years and two months.
    let window = Window::new(12 * MS, 12);
    let turn = (1u64 << EPOCH_BITS) / (32 * 13) * (32 * 13) * MS;
    let mut now = 0;
    while now + YEAR < turn {
        assert!(window.acquires(1, now, 5));
        now += YEAR;
    }
    assert!(window.acquires(3, turn - 1, 5));
    assert!(window.acquires(2, turn, 5));
    assert!(!window.acquires(1, turn - 1, 5), "an older clock does not open it");
    assert_eq!(window.retry_after(1, turn, 5), Some(12 * MS));
    assert_eq!(window.retry_after(1, turn - 1, 5), Some(12 * MS + 1));
    assert_eq!(window.total(turn + 12 * MS), 2);
    assert!(window.acquires(3, turn + 12 * MS, 5));
    assert_eq!(window.total(turn + 13 * MS), 3);
    window.assert_at_rest();
}

#[test]
fn the_last_moment_of_time_is_like_any_other() {
    for (length, buckets) in [(60_000 * MS, 12), (u64::MAX, 1)] {
        let window = Window::new(length, buckets);
        assert!(window.acquires(5, u64::MAX, 5));
        assert!(!window.acquires(1, u64::MAX, 5));
        assert_eq!(window.total(u64::MAX), 5);
        assert!(window.retry_after(1, u64::MAX, 5).is_some());
        window.assert_at_rest();
    }
}

#[test]
fn a_total_carried_over_counts_as_the_latest() {
    let shape = WindowShape::new(1200 * MS, 12).unwrap();
    let cell = LineCell::with_total(&shape, 5000 * MS, 42);
    assert_eq!(cell.total(&shape, 5000 * MS), 42);
    assert_eq!(cell.total(&shape, 6299 * MS), 42);
    assert_eq!(cell.total(&shape, 6300 * MS), 0);
    assert_eq!(LineCell::with_total(&shape, 0, u32::MAX).total(&shape, 0), WindowCell::MAX_COUNT);
}

#[test]
fn a_changed_window_takes_over_what_counts_as_the_latest() {
    let old = Window::new(1200 * MS, 12);
    assert!(old.acquires(2, 4000 * MS, 50) && old.acquires(40, 5000 * MS, 50));
    let window = old.succeeded(60_000 * MS, 60, 5250 * MS);
    assert_eq!(window.total(5250 * MS), 42);
    assert_eq!(window.total(65_999 * MS), 42);
    assert_eq!(window.total(66_000 * MS), 0);
    assert_eq!(old.succeeded(300 * MS, 3, 5300 * MS).total(5300 * MS), 40, "what is forgotten is not taken over");
    assert!(old.succeeded(300 * MS, 3, YEAR).cell.is_fresh(&window.shape, YEAR));
}

#[test]
fn a_window_changed_by_an_older_clock_forgets_nothing_too_early() {
    for bucket in [MS, 100 * MS, 300 * MS] {
        let old = Window::new(12 * bucket, 12);
        let now = 36_000 * bucket;
        assert!(old.acquires(5, now, 5));
        for behind in [1, bucket, 1000 * bucket, now] {
            let window = old.succeeded(6 * bucket, 6, now - behind);
            for moment in [now - behind, now, now + 6 * bucket] {
                assert_eq!(window.total(moment), 5, "{behind} ns behind");
            }
            assert_eq!(window.total(now + 7 * bucket), 0);
        }
    }
}

#[test]
fn a_reset_window_is_fresh() {
    let window = Window::new(1200 * MS, 12);
    for at in [0, 300, 900] {
        window.attempt(4, at * MS);
    }
    assert!(!window.cell.is_fresh(&window.shape, 900 * MS));
    window.cell.reset(&window.shape, 900 * MS);
    assert!(window.cell.is_fresh(&window.shape, 900 * MS));
    assert!(window.acquires(9, 900 * MS, 9));
    window.assert_at_rest();
}

#[test]
fn a_fork_between_total_and_slot_is_repaired() {
    let window = Window::new(1200 * MS, 12);
    window.attempt(4, 0);
    // What a thread of the parent had done of a count, and of a sweep, when it ceased to exist.
    let head = window.cell.head();
    window.cell.exchange(head, head.plus(3).moved(&window.shape, 5)).unwrap();
    window.cell.repair();
    assert_eq!(window.total(500 * MS), 4);
    assert_eq!(window.total(1300 * MS), 0);
    window.attempt(1, 1300 * MS);
    window.assert_at_rest();
}

#[test]
fn threads_admit_exactly_the_limit_while_the_clock_stands() {
    let window = Window::new(1200 * MS, 12);
    let (max, tries) = (50_000, 60_000);
    let admitted: usize = thread::scope(|scope| {
        let run = || (0..tries).filter(|_| window.acquires(1, 77 * MS, max)).count();
        let threads = [scope.spawn(run), scope.spawn(run), scope.spawn(run)];
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(admitted, max as usize);
    assert_eq!(window.total(77 * MS), max);
    window.assert_at_rest();
}

#[test]
fn threads_see_every_total_of_attempts_once() {
    let window = Window::new(1200 * MS, 12);
    let tries = 50_000;
    let mut totals: Vec<u32> = thread::scope(|scope| {
        let run = || (0..tries).map(|_| window.attempt(1, 77 * MS)).collect::<Vec<_>>();
        let threads = [scope.spawn(run), scope.spawn(run)];
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    totals.sort_unstable();
    assert!(totals.iter().copied().eq(1..=2 * tries));
}

#[test]
fn threads_that_race_the_clock_keep_to_the_limit() {
    // Each thread reads the time, acquires, and now and then undoes; the one that acquired last moves the time, by up to
    // two windows. An operation took effect at some moment between the times read before and after it, so an interval
    // that holds both has to have room for it.
    let (buckets, max) = (3, 40);
    let window = Window::new(u64::from(buckets) * MS, buckets);
    let time = SharedTime::new(0);
    let length = u64::from(buckets) * MS;
    let mut events: Vec<(u64, u64)> = thread::scope(|scope| {
        let (window, time) = (&window, &time);
        let run = move |seed: u64| {
            let mut events = Vec::new();
            let mut random = seed;
            for _ in 0..60_000 {
                random = next_random(random);
                let before = time.load(Ordering::SeqCst);
                if let Ok(reservation) = window.acquire(1, before, max) {
                    if random >> 61 == 0 {
                        window.cell.undo(reservation);
                    } else {
                        events.push((before, time.load(Ordering::SeqCst)));
                    }
                }
                match random >> 56 {
                    0 => time.fetch_add(2 * length + 5, Ordering::SeqCst),
                    1..30 => time.fetch_add(MS / 3, Ordering::SeqCst),
                    _ => 0,
                };
            }
            events
        };
        let threads = [scope.spawn(move || run(1)), scope.spawn(move || run(2))];
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    events.sort_unstable();
    assert!(events.len() > 1000);
    assert_at_most(u64::from(max), length, &events);
    let now = time.load(Ordering::SeqCst);
    window.attempt(1, now);
    window.assert_at_rest();
    assert_eq!(window.total(now + 2 * length), 0);
}
