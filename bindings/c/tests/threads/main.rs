//! Eight threads that check, prepare, resume, release and reload, all on one engine, with totals that have to be exact.
//!
//! `make c-soak` runs it for a minute, under the address sanitizer.

// A test that cannot go on says so by panicking.
#![allow(clippy::unwrap_used, clippy::expect_used)]
#![allow(unsafe_code, clippy::undocumented_unsafe_blocks, reason = "called as C calls it")]

#[path = "../shared/c_api.rs"]
mod c_api;
mod tally;
mod worker;

use c_api::{Clock, Engine, Prepared, Statement};
use std::env;
use std::sync::atomic::AtomicU64;
use std::thread;
use std::time::{Duration, Instant};
use tally::{Tally, Window};
use worker::Worker;

const THREADS: u64 = 8;
/// Of each thread, in a round.
const OPERATIONS: u64 = 2000;

/// What all threads share for a round.
struct Round {
    engine: Engine,
    clock: Clock,
    prepared: Prepared,
    window: Window,
    /// Statements that are running by a permit.
    running: AtomicU64,
}

// The header says it of each of them.
unsafe impl Sync for Round {}

impl Round {
    fn new() -> Self {
        let clock = Clock::new();
        let engine = Engine::with_clock(&worker::rules(0), &clock, false).unwrap();
        let prepared = engine.prepare(&Statement::new(worker::COUNTED)).unwrap();
        let window = Window::new(&clock);
        Self { engine, clock, prepared, window, running: AtomicU64::new(0) }
    }

    /// Has all threads do their operations, and compares what they saw with what is counted.
    fn run(&self) {
        let tallies: Vec<Tally> = thread::scope(|scope| {
            let threads: Vec<_> =
                (0..THREADS).map(|thread| scope.spawn(move || Worker::new(self, thread).work(OPERATIONS))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        tallies.into_iter().sum::<Tally>().assert_counted(&self.engine, &self.window);
    }
}

#[test]
fn the_totals_of_eight_threads_are_exact() {
    for _ in 0..2 {
        Round::new().run();
    }
}

/// For `C_SOAK_SECONDS`, 60 unless it says otherwise.
#[test]
#[ignore = "takes a minute: make c-soak"]
fn soak() {
    let seconds = env::var("C_SOAK_SECONDS").map_or(60, |seconds| seconds.parse().expect("C_SOAK_SECONDS is a number"));
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut rounds = 0_u64;
    while Instant::now() < end {
        Round::new().run();
        rounds += 1;
    }
    println!("{rounds} rounds of {} operations", THREADS * OPERATIONS);
    assert!(rounds > 0);
}
