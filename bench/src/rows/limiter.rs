//! Limiters alone, without the statement they belong to: several taken all or nothing, beside one taken by the same call.

use super::{Case, Duel, Work};
use crate::measure::looped;
use anyhow::{Result, ensure};
use sqlthrottle_cells::WindowShape;
use sqlthrottle_cells::claim::{Claim, Reservations};
use sqlthrottle_cells::fixed_window::{FixedWindowCell, FixedWindowShape};
use sqlthrottle_cells::sliding_window::LineCell;
use sqlthrottle_cells::token_bucket::{Rate, TokenBucketCell, TokenBucketShape};
use std::hint::black_box;

pub(super) const CASES: &[Case] = &[Case { name: "limiters-three/one", build: three_beside_one }];

/// Nanoseconds.
const SECOND: u64 = 1_000_000_000;

/// How far time goes on between two statements, in nanoseconds: windows turn, and no limit is ever reached.
const STEP: u64 = 1000;

/// Above what a window counts at that step.
const BOUNDLESS: u32 = 60_000_000;

/// A limiter of each kind that counts a rate.
struct Limiters {
    sliding: (LineCell, WindowShape),
    bucket: (TokenBucketCell, TokenBucketShape),
    fixed: (FixedWindowCell, FixedWindowShape),
}

impl Limiters {
    fn new() -> Result<Self> {
        let sliding = WindowShape::new(6 * SECOND / 5, 12)?;
        let fixed = FixedWindowShape::new(SECOND, 0)?;
        // A token comes in half a step.
        let bucket = TokenBucketShape::new(1000, Rate::new(1, STEP / 2)?);
        Ok(Self {
            sliding: (LineCell::new(&sliding, 0), sliding),
            bucket: (TokenBucketCell::new(), bucket),
            fixed: (FixedWindowCell::new(), fixed),
        })
    }

    fn claims(&self, now: u64) -> [Claim<'_>; 3] {
        [
            Claim::SlidingWindow { cell: &self.sliding.0, shape: &self.sliding.1, max: BOUNDLESS, now },
            Claim::TokenBucket { cell: &self.bucket.0, shape: &self.bucket.1, now },
            Claim::FixedWindow { cell: &self.fixed.0, shape: &self.fixed.1, max: BOUNDLESS, now },
        ]
    }
}

/// Takes the first of the limiters at each call, as many as are asked for.
fn take(count: usize) -> Result<impl FnMut() -> bool + 'static> {
    let limiters = Limiters::new()?;
    let mut reservations = Reservations::with_capacity(count);
    let mut now = 0;
    Ok(move || {
        now += STEP;
        reservations.acquire(&black_box(limiters.claims(now))[..count], 1).is_ok()
    })
}

/// All three beside the sliding window, which is the dearest of them: it changes two words where the others change one.
fn three_beside_one() -> Result<Work> {
    let (mut three, mut one) = (take(3)?, take(1)?);
    ensure!(three() && one());
    let duel = Duel::new("three limiters, all or nothing", "one limiter", looped(three), looped(one));
    Ok(Work::Duel(duel.at_least(1.0 / 2.0)))
}
