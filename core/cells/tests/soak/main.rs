//! Many threads for a long time on limiters of every kind, alone and several at once, while parameters change and the clock
//! steps: `make soak`.
//!
//! Time is a number that all threads share. It moves by small steps while they run, leaps once in some rounds, by up to a
//! week, and between some steps back an hour or leaps a year. After each round the threads stop, and what the cells count is compared with
//! the log of what was admitted and not undone; then some parameters change, and all threads go on with the cells that take
//! over, as after a reload. What a thread did happened at some moment between the times it read before and after: where the
//! two are the same to a limiter, its count has to be exact, elsewhere it has to lie between.

#![expect(clippy::expect_used, reason = "all of this is a test")]

mod bucket_check;
mod event;
mod limiters;
mod places_check;
mod random;
mod time;
mod window_check;
mod worker;

use limiters::Limiters;
use random::Random;
use std::env;
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use time::{Time, YEAR};
use worker::{Round, Worker};

const THREADS: usize = 8;

/// What happened, so that it can be seen that enough did.
#[derive(Debug, Default)]
struct Tally {
    rounds: u64,
    admitted: u64,
    refused: u64,
    undone: u64,
    /// Counts that were compared when nothing was uncertain about them.
    exact: u64,
    changes: u64,
}

/// Runs rounds of so many operations a thread while `goes_on` says so.
fn run(seed: u64, operations: u32, mut goes_on: impl FnMut(&Tally) -> bool) -> Tally {
    let mut random = Random::new(seed);
    let mut tally = Tally::default();
    while goes_on(&tally) {
        // A life of the limiters: until their clock has come near the end of its 584 years.
        let time = Time::default();
        let mut limiters = Limiters::new(&mut random);
        let mut workers: Vec<_> = (0..THREADS).map(|_| Worker::new(random.next())).collect();
        while goes_on(&tally) && !time.is_late() {
            let round = Round::new(&mut random, tally.rounds, operations);
            time.begin(limiters.shortest_bucket());
            thread::scope(|scope| {
                for worker in &mut workers {
                    let (limiters, time, round) = (&limiters, &time, &round);
                    scope.spawn(move || worker.work(limiters, time, round));
                }
            });
            limiters.check(&mut workers, &time, &round, &mut tally);
            match random.below(64) {
                0..4 => time.step_back(),
                // While no thread works: to windows of buckets below 269 ms, a thread that read its clock half a year ago
                // is one that is ahead.
                4 => time.leap(YEAR),
                _ => {}
            }
            if random.one_in(3) {
                limiters.change(&mut random, &time);
                tally.changes += 1;
            }
            tally.rounds += 1;
        }
        limiters.release_all(&mut workers, &time);
    }
    tally
}

#[test]
fn a_short_soak() {
    let tally = run(0x5eed, 300, |tally| tally.rounds < 100);
    assert!(tally.admitted > 1000 && tally.refused > 1000 && tally.undone > 100 && tally.exact > 50, "{tally:?}");
}

/// For `SOAK_SECONDS`, 180 unless it says otherwise, from `SOAK_SEED`, which is printed.
#[test]
#[ignore = "takes minutes: make soak"]
fn soak() {
    let number = |name| env::var(name).ok().map(|value| value.parse().unwrap_or_else(|_| panic!("{name} is a number")));
    let seed = number("SOAK_SEED")
        .unwrap_or_else(|| SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |since| since.as_secs()));
    println!("SOAK_SEED={seed}");
    let end = Instant::now() + Duration::from_secs(number("SOAK_SECONDS").unwrap_or(180));
    let tally = run(seed, 1000, |_| Instant::now() < end);
    println!("{tally:?}");
    assert!(tally.exact > 0 && tally.refused > 0 && tally.undone > 0);
}
