//! The limiters that all threads share, and their parameters.

use crate::Tally;
use crate::bucket_check::{self, Arrivals};
use crate::places_check::{self, Known};
use crate::random::Random;
use crate::time::{HOUR, MS, SECOND, Time};
use crate::window_check::{Span, WindowLog};
use crate::worker::{Round, Worker};
use sqlthrottle_cells::WindowShape;
use sqlthrottle_cells::claim::Claim;
use sqlthrottle_cells::concurrency::ConcurrencyCell;
use sqlthrottle_cells::fixed_window::{FixedWindowCell, FixedWindowShape};
use sqlthrottle_cells::sliding_window::LineCell;
use sqlthrottle_cells::token_bucket::{Rate, TokenBucketCell, TokenBucketShape};
use std::sync::atomic::{AtomicU64, Ordering};

/// The limiters by number, in the order in which most threads claim them.
pub(crate) const WINDOW: usize = 0;
pub(crate) const BUCKET: usize = 1;
pub(crate) const FIXED: usize = 2;
/// Places whose leases never lapse.
pub(crate) const PLACES: usize = 3;
/// Places whose leases do.
pub(crate) const LEASED: usize = 4;
pub(crate) const COUNT: usize = 5;

pub(crate) struct Limiters {
    window: (LineCell, WindowShape),
    bucket: (TokenBucketCell, TokenBucketShape),
    fixed: (FixedWindowCell, FixedWindowShape),
    places: [ConcurrencyCell; 2],
    maxima: [u32; COUNT],
    lease: u64,
    pub(crate) known: Known,
    /// The newest time at which something is known to have been counted by the cell.
    seen: [AtomicU64; COUNT],
    window_log: WindowLog,
    fixed_log: WindowLog,
    /// Nanoseconds that a token takes.
    token: u64,
    arrivals: Arrivals,
    /// Tokens spent at the end of the last round, and when that was.
    spent: (u64, u64),
}

fn window_shape(random: &mut Random) -> WindowShape {
    let buckets = random.of(&[1, 2, 3, 12, 13]);
    WindowShape::new(random.of(&[MS, 5 * MS, 300 * MS]) * u64::from(buckets), buckets).expect("a possible window")
}

fn fixed_shape(random: &mut Random) -> FixedWindowShape {
    FixedWindowShape::new(random.of(&[MS, 7 * MS, SECOND, HOUR]), 0).expect("a possible window")
}

/// A bucket, and what a token takes: of some a token comes many times in a step of the clock, of others once in many.
fn bucket_shape(random: &mut Random) -> (TokenBucketShape, u64) {
    let token = random.of(&[7919, 100_000, MS + 1, SECOND]);
    (TokenBucketShape::new(1 + random.below(300) as u32, Rate::new(1, token).expect("a possible rate")), token)
}

fn sliding(shape: &WindowShape) -> Span {
    Span::Sliding { bucket: shape.bucket_nanos(), buckets: u64::from(shape.buckets()) }
}

fn fixed(shape: &FixedWindowShape) -> Span {
    Span::Fixed { length: shape.length_nanos() }
}

impl Limiters {
    pub(crate) fn new(random: &mut Random) -> Self {
        let (window, fixed_window, (bucket, token)) = (window_shape(random), fixed_shape(random), bucket_shape(random));
        let cell = TokenBucketCell::new();
        let arrivals = Arrivals::of(&cell, &bucket, token, 0);
        let mut limiters = Self {
            window: (LineCell::new(&window, 0), window),
            bucket: (cell, bucket),
            fixed: (FixedWindowCell::new(), fixed_window),
            places: [ConcurrencyCell::new(), ConcurrencyCell::new()],
            maxima: [0; COUNT],
            lease: HOUR,
            known: Known::default(),
            seen: Default::default(),
            window_log: WindowLog::new(sliding(&window)),
            fixed_log: WindowLog::new(fixed(&fixed_window)),
            token,
            arrivals,
            spent: (0, 0),
        };
        limiters.change_maxima(random);
        limiters
    }

    pub(crate) fn claim(&self, limiter: usize, now: u64) -> Claim<'_> {
        let max = self.maxima[limiter];
        match limiter {
            WINDOW => Claim::SlidingWindow { cell: &self.window.0, shape: &self.window.1, max, now },
            BUCKET => Claim::TokenBucket { cell: &self.bucket.0, shape: &self.bucket.1, now },
            FIXED => Claim::FixedWindow { cell: &self.fixed.0, shape: &self.fixed.1, max, now },
            _ => Claim::Concurrency { cell: self.places(limiter), max, lease: self.lease(limiter), now },
        }
    }

    pub(crate) fn places(&self, limiter: usize) -> &ConcurrencyCell {
        &self.places[limiter - PLACES]
    }

    pub(crate) const fn lease(&self, limiter: usize) -> u64 {
        if limiter == PLACES { u64::MAX } else { self.lease }
    }

    pub(crate) fn max(&self, limiter: usize) -> u64 {
        u64::from(if limiter == BUCKET { self.bucket.1.capacity() } else { self.maxima[limiter] })
    }

    pub(crate) const fn shortest_bucket(&self) -> u64 {
        self.window.1.bucket_nanos()
    }

    /// The earliest time as which each of the limiters can count something that comes by the clock `now`. A bucket may have
    /// forgotten a newer one, which only makes it tighter.
    pub(crate) fn seen_since(&self, now: u64) -> [u64; COUNT] {
        let mut since = [now; COUNT];
        for limiter in [WINDOW, FIXED] {
            since[limiter] = now.max(self.seen[limiter].load(Ordering::SeqCst));
        }
        since
    }

    /// Notes a time by which a limiter has counted something.
    pub(crate) fn note(&self, limiter: usize, now: u64) {
        self.seen[limiter].fetch_max(now, Ordering::SeqCst);
    }

    /// Compares what the cells count with what the workers did. Only while no thread works.
    pub(crate) fn check(&mut self, workers: &mut [Worker], time: &Time, round: &Round, tally: &mut Tally) {
        let newest = time.newest();
        let total = u64::from(self.window.0.total(&self.window.1, newest));
        let events = workers.iter_mut().flat_map(|worker| worker.events[WINDOW].drain(..));
        tally.exact += u64::from(self.window_log.check(events, total, newest));

        let total = u64::from(self.fixed.0.total(&self.fixed.1, newest));
        let events = workers.iter_mut().flat_map(|worker| worker.events[FIXED].drain(..));
        tally.exact += u64::from(self.fixed_log.check(events, total, newest));

        let spent = (self.bucket.0.spent(&self.bucket.1, newest), newest);
        let events: Vec<_> = workers.iter_mut().flat_map(|worker| worker.events[BUCKET].drain(..)).collect();
        let is_exact = bucket_check::check(self.arrivals, self.spent, &events, spent, round.is_final_for_bucket);
        tally.exact += u64::from(is_exact);
        self.spent = spent;

        for limiter in [PLACES, LEASED] {
            places_check::check(self.places(limiter), workers.iter().flat_map(|worker| &worker.kept[limiter]), newest);
        }
        for worker in workers {
            worker.events[PLACES].clear();
            worker.events[LEASED].clear();
            tally.admitted += std::mem::take(&mut worker.admitted);
            tally.refused += std::mem::take(&mut worker.refused);
            tally.undone += std::mem::take(&mut worker.undone);
        }
    }

    /// Changes some parameters, and checks that what is counted stays. Only while no thread works.
    pub(crate) fn change(&mut self, random: &mut Random, time: &Time) {
        // By the clock of the thread that does it, which may be behind, as after a step back.
        let (now, newest) = (time.now(), time.newest());
        if random.one_in(2) {
            self.change_maxima(random);
        }
        if random.one_in(2) {
            let (cell, shape) = (&self.window.0, window_shape(random));
            let total = cell.total(&self.window.1, now);
            let next = LineCell::succeeding((cell, &self.window.1), &shape, now);
            assert_eq!(next.total(&shape, now), total, "a changed sliding window");
            self.window = (next, shape);
            self.succeed(WINDOW, sliding(&shape), total, (now, newest));
        }
        if random.one_in(2) {
            let (cell, shape) = (&self.fixed.0, fixed_shape(random));
            let total = cell.total(&self.fixed.1, now);
            let next = FixedWindowCell::succeeding((cell, &self.fixed.1), &shape, now);
            assert_eq!(next.total(&shape, now), total, "a changed fixed window");
            self.fixed = (next, shape);
            self.succeed(FIXED, fixed(&shape), total, (now, newest));
        }
        if random.one_in(2) {
            let (cell, (shape, token)) = (&self.bucket.0, bucket_shape(random));
            let before = cell.spent(&self.bucket.1, now);
            let next = TokenBucketCell::succeeding((cell, &self.bucket.1), &shape, now);
            let after = next.spent(&shape, now);
            let kept = before.min(2 * u64::from(shape.capacity()));
            let is_same_rate = shape.rate() == self.bucket.1.rate();
            assert!((after == kept || after + 1 == kept) || is_same_rate && after == before, "{before}, then {after}");
            (self.bucket, self.token) = ((next, shape), token);
            self.arrivals = Arrivals::of(&self.bucket.0, &self.bucket.1, self.token, newest);
            self.spent = (self.bucket.0.spent(&self.bucket.1, newest), newest);
        }
    }

    fn succeed(&mut self, limiter: usize, span: Span, total: u32, (now, newest): (u64, u64)) {
        let log = if limiter == WINDOW { &mut self.window_log } else { &mut self.fixed_log };
        let seen = self.seen[limiter].load(Ordering::SeqCst);
        let seen = log.succeed(span, u64::from(total), (now, seen, newest));
        self.seen[limiter].store(seen, Ordering::SeqCst);
    }

    fn change_maxima(&mut self, random: &mut Random) {
        self.maxima[WINDOW] = 1 + random.below(200) as u32;
        self.maxima[FIXED] = 1 + random.below(300) as u32;
        self.maxima[PLACES] = 1 + random.below(16) as u32;
        self.maxima[LEASED] = 1 + random.below(16) as u32;
        self.lease = random.of(&[MS, 20 * MS, SECOND, HOUR]);
    }

    /// Gives all places back, at the end; none is held then.
    pub(crate) fn release_all(&self, workers: &mut [Worker], time: &Time) {
        for limiter in [PLACES, LEASED] {
            for worker in &mut *workers {
                while !worker.kept[limiter].is_empty() {
                    worker.release(limiter, 0, self, time);
                }
            }
            self.places(limiter).reap(time.newest());
            assert_eq!(self.places(limiter).in_use(), 0, "places in use at the end");
        }
    }
}
