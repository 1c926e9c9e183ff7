use super::*;
use crate::testing::{HOUR, MS, SECOND, YEAR, assert_at_most, next_random};
use std::sync::atomic::AtomicU64 as SharedTime;
use std::thread;

/// A cell with its shape.
pub(super) struct Bucket {
    pub(super) shape: TokenBucketShape,
    pub(super) cell: TokenBucketCell,
}

impl Bucket {
    pub(super) fn new(capacity: u32, tokens: u64, nanos: u64) -> Self {
        let shape = TokenBucketShape::new(capacity, Rate::new(tokens, nanos).unwrap());
        Self { shape, cell: TokenBucketCell::new() }
    }

    /// The same bucket with what is spent of another.
    pub(super) fn succeeding(self, old: &Self, now: u64) -> Self {
        let cell = TokenBucketCell::succeeding((&old.cell, &old.shape), &self.shape, now);
        Self { cell, ..self }
    }

    pub(super) fn acquire(&self, n: u32, now: u64) -> Result<Reservation, Exceeded> {
        self.cell.try_acquire(&self.shape, n, now)
    }

    pub(super) fn acquires(&self, n: u32, now: u64) -> bool {
        self.acquire(n, now).is_ok()
    }

    pub(super) fn attempt(&self, n: u32, now: u64) -> u64 {
        self.cell.count_attempt(&self.shape, n, now)
    }

    pub(super) fn spent(&self, now: u64) -> u64 {
        self.cell.spent(&self.shape, now)
    }

    pub(super) fn available(&self, now: u64) -> u32 {
        self.cell.available(&self.shape, now)
    }

    pub(super) fn retry_after(&self, n: u32, now: u64) -> Option<u64> {
        self.cell.retry_after(&self.shape, n, now)
    }

    /// Takes everything there is.
    fn drain(&self, now: u64) -> u64 {
        let available = self.available(now);
        assert!(self.acquires(available, now) && !self.acquires(1, now));
        u64::from(available)
    }
}

#[test]
fn a_full_bucket_gives_its_capacity_and_then_what_comes() {
    let bucket = Bucket::new(100, 1000, SECOND);
    assert!(bucket.acquires(100, 5 * SECOND));
    assert_eq!(bucket.acquire(1, 5 * SECOND), Err(Exceeded { spent: 100 }));
    assert!(!bucket.acquires(1, 5 * SECOND + MS - 1));
    assert!(bucket.acquires(1, 5 * SECOND + MS));
    assert!(!bucket.acquires(1, 5 * SECOND + MS));
    assert_eq!(bucket.available(5 * SECOND + 51 * MS), 50);
    assert_eq!(bucket.available(5 * SECOND + 101 * MS), 100);
    assert_eq!(bucket.available(6 * SECOND), 100, "what a full bucket is given spills over");
}

#[test]
fn a_refusal_leaves_the_cell_as_it_was() {
    let bucket = Bucket::new(5, 1, SECOND);
    assert!(bucket.acquires(3, SECOND));
    let before = (bucket.cell.position(), bucket.cell.seen.load(Ordering::Relaxed));
    assert_eq!(bucket.acquire(3, SECOND), Err(Exceeded { spent: 3 }));
    assert_eq!(bucket.acquire(6, YEAR), Err(Exceeded { spent: 0 }));
    assert_eq!(bucket.acquire(u32::MAX, SECOND), Err(Exceeded { spent: 3 }));
    assert_eq!((bucket.cell.position(), bucket.cell.seen.load(Ordering::Relaxed)), before);
}

#[test]
fn a_bucket_without_capacity_lets_nothing_pass() {
    let bucket = Bucket::new(0, 1000, SECOND);
    assert!(!bucket.acquires(1, YEAR));
    assert!(bucket.attempt(1, YEAR) > 0);
    assert_eq!(bucket.retry_after(1, YEAR), None);
}

#[test]
fn the_long_run_rate_is_exact() {
    for (tokens, nanos) in [
        (3, 7 * SECOND),
        (1, 24 * HOUR),
        (1000, SECOND),
        (5_000_000, SECOND),
        (7_000_003, SECOND),
        (999_999_999, SECOND),
    ] {
        for start in [0, 500 * YEAR] {
            let bucket = Bucket::new(1_000_000, tokens, nanos);
            let mut taken = bucket.drain(start);
            // A taker that comes at odd moments, but always before the bucket is full again.
            let longest = (u128::from(nanos) * 900_000 / u128::from(tokens)) as u64;
            let (steps, mut now, mut random) = (20_000, start, 1);
            for _ in 0..steps {
                random = next_random(random);
                let step = random % longest;
                if u64::MAX - now < step {
                    break;
                }
                now += step;
                taken += bucket.drain(now);
            }
            let came = u128::from(now - start) * u128::from(tokens) / u128::from(nanos);
            let rate_alone = u128::from(taken - 1_000_000);
            assert!(came.abs_diff(rate_alone) <= 1, "{tokens} per {nanos} ns from {start}: {rate_alone} of {came}");
        }
    }
}

#[test]
fn an_undone_reservation_is_as_if_it_had_not_been() {
    let bucket = Bucket::new(10, 1, SECOND);
    let first = bucket.acquire(3, SECOND).unwrap();
    let second = bucket.acquire(5, 2 * SECOND).unwrap();
    assert_eq!(bucket.available(2 * SECOND), 3);
    bucket.cell.undo(second);
    assert_eq!(bucket.available(2 * SECOND), 8);
    bucket.cell.undo(first);
    assert_eq!(bucket.available(2 * SECOND), 10);
    assert_eq!(bucket.cell.position(), 0);
}

#[test]
fn an_undo_after_the_bucket_was_full_again_gives_nothing_back_twice() {
    let bucket = Bucket::new(10, 1, SECOND);
    let early = bucket.acquire(10, 0).unwrap();
    bucket.cell.undo(early);
    let early = bucket.acquire(10, 0).unwrap();
    assert_eq!(bucket.available(10 * SECOND), 10, "all of it came back by itself");
    bucket.cell.undo(early);
    assert_eq!(bucket.drain(10 * SECOND), 10);

    let early = bucket.acquire(10, 50 * SECOND).unwrap();
    assert!(bucket.acquires(10, 60 * SECOND));
    bucket.cell.undo(early);
    assert_eq!(bucket.drain(60 * SECOND), 0, "what was given back by the rate is not given back by the undo");
}

#[test]
fn an_undo_after_another_acquisition_does_not_admit_more() {
    // Without the reservation the bucket would have been full at 9 s, so only one of its ten is truly wanting.
    let bucket = Bucket::new(10, 1, SECOND);
    let early = bucket.acquire(10, 0).unwrap();
    assert_eq!(bucket.drain(9 * SECOND), 9);
    bucket.cell.undo(early);
    assert!(bucket.drain(9 * SECOND) <= 1);
}

#[test]
fn undos_out_of_their_order_lose_and_do_not_admit_more() {
    let bucket = Bucket::new(10, 1, SECOND);
    let (first, second) = (bucket.acquire(4, 0).unwrap(), bucket.acquire(4, 0).unwrap());
    bucket.cell.undo(first);
    assert_eq!(bucket.available(0), 2);
    bucket.cell.undo(second);
    assert_eq!(bucket.available(0), 6);
    // The position of the first is reached again, by another: it is not the first's to give back.
    let (first, second) = (bucket.acquire(1, 0).unwrap(), bucket.acquire(1, 0).unwrap());
    bucket.cell.undo(second);
    bucket.cell.undo(first);
    assert_eq!(bucket.drain(0), 6);
}

#[test]
fn retry_after_is_exact() {
    let bucket = Bucket::new(10, 3, 7 * SECOND);
    let now = 100 * SECOND;
    assert_eq!(bucket.retry_after(10, now), Some(0));
    bucket.drain(now);
    for n in 1..=10 {
        let wait = bucket.retry_after(n, now).unwrap();
        assert!(bucket.available(now + wait) >= n && bucket.available(now + wait - 1) < n, "{n} tokens");
        assert_eq!(
            bucket.retry_after(n, now - SECOND),
            Some(wait + SECOND),
            "an older clock waits for the same moment"
        );
    }
    assert_eq!(bucket.retry_after(0, now), Some(0));
    assert_eq!(bucket.retry_after(11, now), None);
    assert_eq!(Bucket::new(10, 3, 7 * SECOND).retry_after(u32::MAX, 0), None);

    let slow = Bucket::new(1, 1, 300 * YEAR);
    assert!(slow.acquires(1, 0) && slow.acquires(1, 300 * YEAR));
    assert_eq!(slow.retry_after(1, 300 * YEAR), None, "600 years are beyond the clock");
}

#[test]
fn attempts_keep_an_empty_bucket_shut_while_they_last() {
    let bucket = Bucket::new(10, 1, SECOND);
    assert_eq!(bucket.attempt(10, 0), 10);
    assert_eq!(bucket.attempt(1, 0), 11);
    // Two a second, where one comes a second: none of them is within the bucket, for an hour.
    for half in 0..7200 {
        assert!(bucket.attempt(1, half * SECOND / 2) > 10);
    }
    let over = HOUR - SECOND / 2;
    assert_eq!(bucket.spent(over), 20);
    assert_eq!(bucket.retry_after(1, over), Some(10 * SECOND + SECOND / 2));
    assert_eq!(bucket.attempt(1, HOUR + 10 * SECOND), 10, "and then it opens as soon as any that is empty");
    assert_eq!(bucket.attempt(u32::MAX, HOUR + 10 * SECOND), 10 + u64::from(u32::MAX));
    assert_eq!(bucket.spent(HOUR + 10 * SECOND), 20);
}

#[test]
fn an_older_clock_neither_opens_the_bucket_nor_shuts_it() {
    let bucket = Bucket::new(10, 1, SECOND);
    assert!(bucket.acquires(4, 2 * HOUR));
    assert_eq!(bucket.available(HOUR), 6);
    assert!(bucket.acquires(6, HOUR));
    assert!(!bucket.acquires(1, HOUR));
    assert!(!bucket.acquires(1, 2 * HOUR));
    assert_eq!(bucket.available(2 * HOUR + SECOND), 1);
    assert!(bucket.acquires(1, 2 * HOUR + YEAR));
    assert_eq!(bucket.available(2 * HOUR + YEAR), 9);
}

#[test]
fn idleness_of_any_length_fills_the_bucket_and_no_more() {
    for (tokens, nanos) in [(3, 7 * SECOND), (1, HOUR), (5_000_000, SECOND), (999_999_999, SECOND)] {
        let bucket = Bucket::new(1000, tokens, nanos);
        let mut now = 0;
        for idle in [HOUR * 1000, YEAR, 2 * YEAR, 70 * YEAR, 500 * YEAR] {
            assert_eq!(bucket.drain(now), 1000);
            assert!(!bucket.cell.is_fresh(&bucket.shape, now));
            now += idle;
            assert!(bucket.cell.is_fresh(&bucket.shape, now));
        }
        assert_eq!(bucket.drain(now), 1000);
    }
}

#[test]
fn the_last_moment_of_time_is_like_any_other() {
    for (tokens, nanos) in [(3, 7 * SECOND), (u64::MAX - 1, u64::MAX), (1, u64::MAX)] {
        let bucket = Bucket::new(u32::MAX, tokens, nanos);
        bucket.acquires(u32::MAX, u64::MAX);
        bucket.attempt(u32::MAX, u64::MAX);
        bucket.attempt(u32::MAX, u64::MAX);
        assert!(!bucket.acquires(u32::MAX, u64::MAX));
        assert!(!bucket.acquires(u32::MAX, 0));
        assert!(bucket.available(u64::MAX) < u32::MAX);
        assert_eq!(bucket.retry_after(u32::MAX, u64::MAX), None);
    }
}

#[test]
fn a_capacity_that_changes_keeps_what_is_spent() {
    let rate = Rate::new(1, SECOND).unwrap();
    let (large, small) = (TokenBucketShape::new(100, rate), TokenBucketShape::new(10, rate));
    let cell = TokenBucketCell::new();
    assert!(cell.try_acquire(&small, 10, 0).is_ok());
    assert_eq!(cell.retry_after(&small, 1, 0), Some(SECOND));
    assert_eq!(cell.retry_after(&large, 1, 0), Some(0), "a raised capacity shortens the wait");
    assert!(cell.try_acquire(&large, 90, 0).is_ok());
    assert!(cell.try_acquire(&small, 1, 0).is_err(), "a lowered one is no second budget");
    assert_eq!(cell.available(&small, 90 * SECOND), 0);
    assert_eq!(cell.available(&small, 91 * SECOND), 1);
}

#[test]
fn a_rate_that_changes_keeps_what_is_spent() {
    let now = YEAR;
    let shape = |capacity, tokens| TokenBucketShape::new(capacity, Rate::new(tokens, SECOND).unwrap());
    let old = Bucket::new(100, 1, SECOND);
    assert!(old.acquires(60, now));
    let succeeding = |shape| TokenBucketCell::succeeding((&old.cell, &old.shape), shape, now);
    let faster = shape(100, 10);
    let cell = succeeding(&faster);
    assert_eq!(cell.available(&faster, now), 40);
    assert_eq!(cell.retry_after(&faster, 100, now), Some(6 * SECOND));
    assert_eq!(cell.available(&faster, now - HOUR), 40, "an older clock does not empty it");

    let smaller = shape(20, 2);
    let cell = succeeding(&smaller);
    assert!(cell.try_acquire(&smaller, 1, now).is_err());
    assert_eq!(
        cell.retry_after(&smaller, 1, now),
        Some(21 * SECOND / 2),
        "what was spent is bounded by twice the capacity"
    );
    let fresh = TokenBucketCell::succeeding((&TokenBucketCell::new(), &old.shape), &smaller, now);
    assert!(fresh.is_fresh(&smaller, now) && fresh.is_fresh(&smaller, 0));
    let (most, end) = (shape(u32::MAX, 999_999_999), Bucket::new(u32::MAX, 1, SECOND));
    assert_eq!(end.attempt(u32::MAX, u64::MAX), u64::from(u32::MAX));
    let cell = TokenBucketCell::succeeding((&end.cell, &end.shape), &most, u64::MAX);
    assert_eq!(cell.available(&most, u64::MAX), 0);
}

#[test]
fn a_rate_that_changes_by_an_older_clock_gives_nothing_for_the_time_between() {
    let (old, faster) = (Bucket::new(100, 1, SECOND), Bucket::new(100, 50, SECOND));
    old.drain(2 * HOUR);
    let cell = TokenBucketCell::succeeding((&old.cell, &old.shape), &faster.shape, HOUR);
    assert_eq!(cell.available(&faster.shape, 2 * HOUR), 0);
    assert_eq!(cell.available(&faster.shape, 2 * HOUR + SECOND), 50);
}

#[test]
fn a_token_on_its_way_comes_when_the_rest_of_it_has_by_the_new_rate() {
    // Nine tenths of a token of an hour have come: what is left of it takes a tenth of a token's time by any rate.
    let (old, now) = (Bucket::new(1, 1, HOUR), 10 * HOUR + HOUR / 10 * 9);
    assert!(old.acquires(1, 10 * HOUR + 1));
    assert_eq!(old.retry_after(1, now), Some(HOUR / 10));
    let (mut rate, mut cell) = (old.shape, TokenBucketCell::succeeding((&old.cell, &old.shape), &old.shape, now));
    for (tokens, nanos, wait) in [(2, HOUR, HOUR / 20), (11, 10 * HOUR, HOUR / 11), (1, 24 * HOUR, 24 * HOUR / 10)] {
        let shape = TokenBucketShape::new(1, Rate::new(tokens, nanos).unwrap());
        cell = TokenBucketCell::succeeding((&cell, &rate), &shape, now);
        rate = shape;
        let left = cell.retry_after(&rate, 1, now).unwrap();
        assert!(wait.abs_diff(left) < 100, "{tokens} in {nanos} ns: {left}");
    }
    for tokens in (1..1000).cycle().take(100_000) {
        let shape = TokenBucketShape::new(1, Rate::new(tokens, HOUR).unwrap());
        cell = TokenBucketCell::succeeding((&cell, &rate), &shape, now);
        rate = shape;
    }
    assert!(cell.try_acquire(&rate, 1, now).is_err(), "changes alone bring no token, however many");
}

#[test]
fn ten_thousand_changes_of_a_high_rate_hand_out_no_token_more() {
    // A taker who leaves nothing, at each change of a rate of a million tokens a second for another and back.
    let (capacity, start) = (10, YEAR + 7);
    let shape = |tokens| TokenBucketShape::new(capacity, Rate::new(tokens, SECOND).unwrap());
    for (lower, higher) in [(1_000_000, 1_000_001), (999_983, 1_000_000), (1, 1_000_000)] {
        for step in [0, 1, 7, 613, 1009] {
            let shapes = [shape(higher), shape(lower)];
            let (mut cell, mut now, mut came) = (TokenBucketCell::new(), start, 0u128);
            assert!(cell.try_acquire(&shapes[0], capacity, now).is_ok());
            let mut taken = u64::from(capacity);
            for change in 0..10_000 {
                let (old, new) = (&shapes[change % 2], &shapes[(change + 1) % 2]);
                cell = TokenBucketCell::succeeding((&cell, old), new, now);
                now += step;
                came += u128::from(step * if change % 2 == 0 { lower } else { higher });
                let available = cell.available(new, now);
                assert!(cell.try_acquire(new, available, now).is_ok());
                taken += u64::from(available);
            }
            let most = u128::from(capacity) * u128::from(SECOND) + came + u128::from(SECOND);
            assert!(
                u128::from(taken) * u128::from(SECOND) <= most,
                "{taken} from {lower} and {higher}, each {step} ns"
            );
            // And none less than what came, as the bucket never was full.
            assert!(u128::from(taken + 2) * u128::from(SECOND) >= most, "{taken} of {most}");
        }
    }
}

#[test]
fn threads_take_exactly_what_there_is_while_the_clock_stands() {
    let bucket = Bucket::new(50_000, 1, SECOND);
    let taken: usize = thread::scope(|scope| {
        let run = || (0..60_000).filter(|_| bucket.acquires(1, YEAR)).count();
        let threads = [scope.spawn(run), scope.spawn(run), scope.spawn(run)];
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!((taken, bucket.available(YEAR)), (50_000, 0));
}

#[test]
fn threads_that_race_the_clock_keep_to_the_rate() {
    // As with the sliding window: what was taken was taken at some moment between the times read before and after it, so
    // an interval that holds both has to have room for it.
    let (capacity, nanos) = (40, 1000);
    let bucket = Bucket::new(capacity, 1, nanos);
    let time = SharedTime::new(0);
    let mut events: Vec<(u64, u64)> = thread::scope(|scope| {
        let (bucket, time) = (&bucket, &time);
        let run = move |seed: u64| {
            let (mut events, mut random) = (Vec::new(), seed);
            for _ in 0..40_000 {
                random = next_random(random);
                let before = time.load(Ordering::SeqCst);
                if let Ok(reservation) = bucket.acquire(1, before) {
                    if random >> 62 == 0 {
                        bucket.cell.undo(reservation);
                    } else {
                        events.push((before, time.load(Ordering::SeqCst)));
                    }
                }
                match random >> 52 & 0xff {
                    0 => time.fetch_add(50 * nanos, Ordering::SeqCst),
                    1..100 => time.fetch_add(nanos / 3, Ordering::SeqCst),
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
    for length in [0, nanos / 2, 10 * nanos, 39 * nanos, 200 * nanos] {
        assert_at_most(u64::from(capacity) + length / nanos + 1, length, &events);
    }
}
