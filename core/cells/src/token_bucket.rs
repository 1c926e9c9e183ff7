//! The cell of a token bucket: a burst as large as its capacity, and beyond it what its rate lets through.

mod rate;
mod shape;

#[cfg(test)]
#[cfg(loom)]
mod model;
#[cfg(test)]
#[cfg(not(loom))]
mod properties;
#[cfg(test)]
#[cfg(not(loom))]
mod tests;

pub use rate::{Part, Rate, RateError};
pub use shape::TokenBucketShape;

use crate::sync::{AtomicU64, Ordering};
use std::fmt;

/// How many tokens of a bucket are spent.
///
/// This is the generic cell rate algorithm of ATM (ITU-T I.371, annex A; ATM Forum, Traffic Management 4.0, 4.4.2) in its
/// form of virtual scheduling, with one change: it reckons in tokens where the standard reckons in time. A time between
/// two tokens that is rounded to nanoseconds is wrong by a part in three hundred at seven million a second. The number of
/// tokens that have arrived since the clock's zero, [`Rate::arrived`], is exact at every rate.
///
/// The *position* is the standard's theoretical arrival time, as the number of a token: all up to it are spent, or spilled
/// over because the bucket was full. So `position - arrived` tokens are spent and not back yet, none where that is
/// negative; and what takes `n` at a time moves the position to `max(position, arrived) + n`, which may not lie more than
/// the capacity ahead of `arrived`. A position of zero is a full bucket, whatever the time.
///
/// Times are nanoseconds of a monotone clock since its zero. Threads may read them in one order and come here in another:
/// an older time counts as the newest at which something was taken, so it neither opens the bucket nor holds it shut. A
/// clock that can step is to be made monotone before its time comes here.
///
/// # Invariants
///
/// 1. In any interval `T`, at most `capacity + rate * T + 1` is acquired: the position moves by no less than what is
///    taken, begins no earlier than the tokens of the first moment and ends no further than the capacity beyond those of
///    the last; and the tokens of an interval are at most `rate * T`, rounded up.
/// 2. A bucket that always has a taker gives `rate * T`, to within one, after any number of years.
///
/// # Why there is no generation beside the position
///
/// Giving `n` back by moving the position back is right only if nothing else was taken since. Else the bucket might have
/// been full when that was taken, had the reservation not been: of a bucket of 10 that gives 10, then 9 as 9 have come, and
/// then takes back the 10, another 10 could be had, 19 at once. An undo therefore wants to know whether anything was taken
/// since, and the position tells. Whatever is given moves it on, by one at least; only an undo moves it back, and only the
/// latest of those that stand can. So what is taken forms a stack, a position belongs to one state of it, and comes back
/// only with that state. It has 64 bits, all the tokens of 584 years at just below one a nanosecond. A generation of fewer
/// bits would come round sooner, and leave less than the 57 that 584 years at five million a second need.
///
/// There is nothing to repair after a fork: whatever happens is one change of one word.
pub struct TokenBucketCell {
    position: AtomicU64,
    /// The newest time at which something was taken, or one slightly older: it is stored, not raised, since a thread that
    /// stores an older one makes others reckon with fewer tokens, never with more.
    seen: AtomicU64,
    /// The part of a token that the clock's zero counts as arrived. Nothing unless the rate has changed, and never changed:
    /// by it what was on its way then is on its way still, neither more of it nor less.
    first: [u64; 2],
}

#[cfg(not(loom))]
const _: () = assert!(size_of::<TokenBucketCell>() == 32);

/// Tokens that were acquired, and can be given back once.
#[derive(Debug, PartialEq, Eq)]
#[must_use = "a reservation that is not undone is spent"]
pub struct Reservation {
    before: u64,
    after: u64,
}

/// The refusal of an acquisition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exceeded {
    /// Tokens that are spent, without what was refused.
    pub spent: u64,
}

impl TokenBucketCell {
    /// A full bucket, at any time.
    pub fn new() -> Self {
        Self::at(0, 0, Part::NONE)
    }

    /// A bucket that takes over what of an `old` one is spent, when the rate changes. What the old bucket gave is not given
    /// again; where more is spent than the new one holds, it opens when its own rate has brought that back, after twice its
    /// capacity at most: what is beyond that is forgotten, also where a later change raises the capacity again.
    ///
    /// The part of a token that has come by now is taken over as well, to the last bit: with any less a token could come later
    /// by a higher rate than by the old one, and with any more, many changes would hand out many. So what comes in an
    /// interval is what each rate brings while it is in force, however often it changes.
    ///
    /// What is taken from the old bucket from now on is not taken over. A changed capacity takes no new cell: it may differ from
    /// one call to the next.
    pub fn succeeding((old, old_shape): (&Self, &TokenBucketShape), shape: &TokenBucketShape, now: u64) -> Self {
        let (old_rate, rate) = (old_shape.rate(), shape.rate());
        let now = now.max(old.seen.load(Ordering::Relaxed));
        if rate == old_rate {
            return Self::at(old.position(), now, old.first());
        }
        let first = rate.first(now, old_rate.part(now, old.first()));
        let spent = old.spent(old_shape, now).min(shape.most_spent());
        Self::at(rate.arrived(now, first).saturating_add(spent), now, first)
    }

    fn at(position: u64, seen: u64, first: Part) -> Self {
        Self { position: AtomicU64::new(position), seen: AtomicU64::new(seen), first: first.words() }
    }

    /// Takes `n` tokens if there are so many. A refusal writes nothing.
    ///
    /// # Errors
    ///
    /// [`Exceeded`], and nothing is taken, when there are fewer.
    #[inline]
    pub fn try_acquire(&self, shape: &TokenBucketShape, n: u32, now: u64) -> Result<Reservation, Exceeded> {
        loop {
            let before = self.position();
            let Moment { arrived, now, is_newest } = self.moment(shape, now);
            let base = before.max(arrived);
            let farthest = arrived.saturating_add(u64::from(shape.capacity()));
            let Some(after) = base.checked_add(u64::from(n)).filter(|after| *after <= farthest) else {
                return Err(Exceeded { spent: base - arrived });
            };
            if self.exchange(before, after) {
                if is_newest {
                    self.seen.store(now, Ordering::Relaxed);
                }
                return Ok(Reservation { before, after });
            }
        }
    }

    /// Takes `n` tokens whether or not there are so many, and returns how many are spent with them; the attempt is within
    /// the bucket if that is not above its capacity.
    ///
    /// Attempts that find the bucket empty are counted until twice its capacity is spent. So a flood that is faster than the
    /// rate keeps the bucket shut, and when it is over, the next token is there after the time in which the bucket fills,
    /// and one token more; never later, however long the flood was.
    pub fn count_attempt(&self, shape: &TokenBucketShape, n: u32, now: u64) -> u64 {
        loop {
            let before = self.position();
            let Moment { arrived, now, is_newest } = self.moment(shape, now);
            let base = before.max(arrived);
            let farthest = arrived.saturating_add(shape.most_spent());
            let after = base.saturating_add(u64::from(n)).min(farthest).max(base);
            if after == before || self.exchange(before, after) {
                if is_newest {
                    self.seen.store(now, Ordering::Relaxed);
                }
                return (base - arrived).saturating_add(u64::from(n));
            }
        }
    }

    /// Gives back what was acquired, unless something else was taken since: what then was given might have come out of a
    /// full bucket without it, and to give it back would let more through than the capacity.
    #[expect(clippy::needless_pass_by_value, reason = "what is taken by value cannot be undone twice")]
    pub fn undo(&self, reservation: Reservation) {
        let Reservation { before, after } = reservation;
        // One that fails comes too late: whoever has taken something since has taken it from what was left.
        let _ = self.exchange(after, before);
    }

    /// How many tokens are spent and not back yet; more than the capacity after attempts that found none.
    pub fn spent(&self, shape: &TokenBucketShape, now: u64) -> u64 {
        self.position().saturating_sub(self.moment(shape, now).arrived)
    }

    /// How many tokens there are.
    pub fn available(&self, shape: &TokenBucketShape, now: u64) -> u32 {
        u64::from(shape.capacity()).saturating_sub(self.spent(shape, now)) as u32
    }

    /// Nanoseconds until `n` tokens are there if nothing else happens; none where the bucket never holds so many, or only
    /// after the 584 years of a clock. Exact: one nanosecond less is too early.
    pub fn retry_after(&self, shape: &TokenBucketShape, n: u32, now: u64) -> Option<u64> {
        let room = shape.capacity().checked_sub(n)?;
        let spent = self.spent(shape, now);
        if spent <= u64::from(room) {
            return Some(0);
        }
        // It is position - room tokens that have to have arrived; more have than are beyond the span of a number.
        let arrived = self.moment(shape, now).arrived;
        let at = shape.rate().arrival(arrived.checked_add(spent - u64::from(room))?, self.first())?;
        Some(at.saturating_sub(now))
    }

    /// Changes nothing, but after all counts that were made before, and before all that are made from now on: for who takes
    /// over what the cell counts while others may still be at it.
    pub fn fence(&self) {
        self.position.fetch_add(0, Ordering::AcqRel);
    }

    /// Whether the cell equals a new one, so that nothing is lost with it but the part of a token that a change of the rate has
    /// left on its way.
    pub fn is_fresh(&self, shape: &TokenBucketShape, now: u64) -> bool {
        self.spent(shape, now) == 0
    }

    #[inline]
    fn moment(&self, shape: &TokenBucketShape, now: u64) -> Moment {
        let seen = self.seen.load(Ordering::Relaxed);
        let is_newest = now > seen;
        let now = if is_newest { now } else { seen };
        Moment { arrived: shape.rate().arrived(now, self.first()), now, is_newest }
    }

    #[inline]
    fn first(&self) -> Part {
        Part::of_words(self.first)
    }

    /// Nothing else is published by the position, nor by the newest time, so neither orders anything.
    fn position(&self) -> u64 {
        self.position.load(Ordering::Relaxed)
    }

    /// Acquires what was done before a [fence](Self::fence), if there was one.
    fn exchange(&self, old: u64, new: u64) -> bool {
        self.position.compare_exchange(old, new, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }
}

/// The time at which something is asked, and what has arrived by then.
struct Moment {
    arrived: u64,
    now: u64,
    is_newest: bool,
}

impl Default for TokenBucketCell {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for TokenBucketCell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TokenBucketCell").field("position", &self.position()).finish_non_exhaustive()
    }
}
