//! A thread that claims limiters, in any combination.

use crate::event::Event;
use crate::limiters::{COUNT, LEASED, Limiters, PLACES};
use crate::places_check::Held;
use crate::random::Random;
use crate::time::{HOUR, MS, SECOND, Time, YEAR};
use sqlthrottle_cells::claim::{Claim, Reservations};
use std::sync::atomic::{AtomicBool, Ordering};

/// Places that a thread keeps for later.
const KEPT: usize = 4;

/// What all threads do in a round.
pub(crate) struct Round {
    pub(crate) number: u64,
    operations: u32,
    /// How far the clock leaps, once.
    leap: Option<u64>,
    leapt: AtomicBool,
    /// How far the clocks of threads may lag.
    lag: u64,
    /// The bucket comes last and is never undone, so that it counts just what was admitted.
    pub(crate) is_final_for_bucket: bool,
}

impl Round {
    pub(crate) fn new(random: &mut Random, number: u64, operations: u32) -> Self {
        let leaps = [3 * MS, 50 * MS, SECOND, HOUR, 2 * HOUR, YEAR / 50];
        Self {
            number,
            operations,
            leap: random.one_in(4).then(|| random.of(&leaps)),
            leapt: AtomicBool::new(false),
            lag: random.of(&[0, 0, 0, MS, HOUR]),
            is_final_for_bucket: random.one_in(2),
        }
    }
}

/// What a thread acquired and has not made up its mind about, and how.
#[derive(Default)]
struct Pending {
    reservations: Reservations,
    /// The limiters, by number, in the order in which they were claimed.
    order: Vec<usize>,
}

/// A thread between rounds: what it did in the last one, and what it holds.
pub(crate) struct Worker {
    random: Random,
    pending: Pending,
    /// What was admitted and not undone, by limiter.
    pub(crate) events: [Vec<Event>; COUNT],
    pub(crate) kept: [Vec<Held>; COUNT],
    pub(crate) admitted: u64,
    pub(crate) refused: u64,
    pub(crate) undone: u64,
}

impl Worker {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            random: Random::new(seed),
            pending: Pending::default(),
            events: Default::default(),
            kept: Default::default(),
            admitted: 0,
            refused: 0,
            undone: 0,
        }
    }

    pub(crate) fn work(&mut self, limiters: &Limiters, time: &Time, round: &Round) {
        let mut reservations = Reservations::with_capacity(COUNT);
        for _ in 0..round.operations {
            if self.random.one_in(64) {
                time.step();
            }
            if self.random.one_in(1000)
                && let Some(leap) = round.leap
                && !round.leapt.swap(true, Ordering::SeqCst)
            {
                time.leap(leap);
            }
            self.claim(&mut reservations, limiters, time, round);
            if self.random.one_in(2) {
                self.release_one(limiters, time);
            }
        }
        self.undo_pending(limiters);
    }

    fn claim(&mut self, reservations: &mut Reservations, limiters: &Limiters, time: &Time, round: &Round) {
        let lag = if round.lag > 0 && self.random.one_in(4) { self.random.below(round.lag / MS + 1) * MS } else { 0 };
        let now = time.now().saturating_sub(lag);
        let n = 1 + self.random.below(3) as u32;
        let order = self.order(round);
        let from = limiters.seen_since(now);
        let claims: Vec<Claim<'_>> = order.iter().map(|limiter| limiters.claim(*limiter, now)).collect();
        if reservations.acquire(&claims, n).is_err() {
            self.refused += 1;
            return;
        }
        let touches_bucket = order.contains(&crate::limiters::BUCKET);
        let may_undo = !(round.is_final_for_bucket && touches_bucket);
        match self.random.below(8) {
            0 if may_undo => {
                reservations.undo(&claims);
                self.undone += 1;
            }
            1 if may_undo => {
                self.undo_pending(limiters);
                std::mem::swap(&mut self.pending.reservations, reservations);
                self.pending.order = order;
            }
            _ => {
                let to = time.newest();
                for limiter in &order {
                    limiters.note(*limiter, now);
                    let max = limiters.max(*limiter);
                    let event = Event { from: from[*limiter], to, n: u64::from(n), round: round.number, max };
                    self.events[*limiter].push(event);
                }
                for (at, permit) in reservations.permits() {
                    let limiter = order[at];
                    let lease = limiters.lease(limiter);
                    if limiter == PLACES {
                        limiters.known.acquired(limiters.max(PLACES) as u32);
                    }
                    self.kept[limiter].push(Held { permit, until: now.saturating_add(lease) });
                }
                self.admitted += 1;
                for limiter in [PLACES, LEASED] {
                    if self.kept[limiter].len() > KEPT {
                        self.release(limiter, 0, limiters, time);
                    }
                }
            }
        }
    }

    /// Some limiters, mostly in one order; a few threads want them in the opposite one.
    fn order(&mut self, round: &Round) -> Vec<usize> {
        let chosen = 1 + self.random.below((1 << COUNT) - 1);
        let mut order: Vec<usize> = (0..COUNT).filter(|limiter| chosen >> limiter & 1 == 1).collect();
        if self.random.one_in(8) {
            order.reverse();
        }
        if round.is_final_for_bucket {
            order.sort_by_key(|limiter| *limiter == crate::limiters::BUCKET);
        }
        order
    }

    fn undo_pending(&mut self, limiters: &Limiters) {
        if self.pending.order.is_empty() {
            return;
        }
        // The time of a claim does not matter to what is given back.
        let claims: Vec<_> = self.pending.order.iter().map(|limiter| limiters.claim(*limiter, 0)).collect();
        self.pending.reservations.undo(&claims);
        self.pending.order.clear();
        self.undone += 1;
    }

    fn release_one(&mut self, limiters: &Limiters, time: &Time) {
        let limiter = self.random.of(&[PLACES, LEASED]);
        let kept = self.kept[limiter].len() as u64;
        if kept > 0 {
            let at = self.random.below(kept) as usize;
            self.release(limiter, at, limiters, time);
        }
    }

    pub(crate) fn release(&mut self, limiter: usize, at: usize, limiters: &Limiters, time: &Time) {
        let held = self.kept[limiter].swap_remove(at);
        if limiter == PLACES {
            limiters.known.releasing();
        }
        held.release(limiters.places(limiter), || time.newest());
    }
}
