//! Several limiters taken together: all of them, or none.

#[cfg(test)]
#[cfg(not(loom))]
mod clocks;
#[cfg(test)]
#[cfg(loom)]
mod model;
#[cfg(test)]
#[cfg(not(loom))]
mod properties;
#[cfg(test)]
#[cfg(not(loom))]
mod tests;

use crate::WindowShape;
use crate::concurrency::{ConcurrencyCell, Permit};
use crate::fixed_window::{self, FixedWindowCell, FixedWindowShape};
use crate::sliding_window::{self, WindowCell};
use crate::token_bucket::{self, TokenBucketCell, TokenBucketShape};

/// A limiter that a statement wants to pass, with what its rule allows and the time by the clock that the rule reads.
///
/// Times are nanoseconds since the zero of that clock; the claims of one statement may be of different clocks.
#[derive(Clone, Copy, Debug)]
pub enum Claim<'a> {
    /// The whole weight within `max` in a sliding window.
    SlidingWindow {
        /// What is counted.
        cell: &'a WindowCell,
        /// How the window is divided.
        shape: &'a WindowShape,
        /// The most that the window may count.
        max: u32,
        /// The time.
        now: u64,
    },
    /// As many tokens as the weight.
    TokenBucket {
        /// What is spent.
        cell: &'a TokenBucketCell,
        /// The capacity and the rate.
        shape: &'a TokenBucketShape,
        /// The time.
        now: u64,
    },
    /// The whole weight within `max` in the window of now.
    FixedWindow {
        /// What is counted.
        cell: &'a FixedWindowCell,
        /// Where windows begin.
        shape: &'a FixedWindowShape,
        /// The most that a window may count.
        max: u32,
        /// The time.
        now: u64,
    },
    /// One place, whatever the weight.
    Concurrency {
        /// What is held.
        cell: &'a ConcurrencyCell,
        /// The most that may be held.
        max: u32,
        /// Nanoseconds after which the place is free again if nobody has given it back.
        lease: u64,
        /// The time.
        now: u64,
    },
}

/// What stands against a claim: how much is counted already, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Over {
    /// What the limiter counts, without what was refused: events in a window, tokens that are spent, places held.
    pub counted: u64,
    /// What there is to wait for.
    pub wait: Wait,
}

/// What a claim that was refused has to wait for. The later variants are the tighter ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wait {
    /// Until a place is given back, which may be at any moment.
    Release,
    /// So many nanoseconds, if nothing else happens. Exact: one less is too early. None at all where there was no room only
    /// in the race with another thread.
    Nanos(u64),
    /// Nothing helps: the weight alone is beyond the limit, or the clock ends before.
    Never,
}

impl Wait {
    /// Nanoseconds until it may pass; none where no time can be named.
    pub const fn nanos(self) -> Option<u64> {
        match self {
            Self::Nanos(nanos) => Some(nanos),
            Self::Release | Self::Never => None,
        }
    }
}

/// The refusal of claims: which of them is the tightest, and what stands against it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Its number among the claims.
    pub claim: usize,
    /// What stands against it.
    pub over: Over,
}

impl Claim<'_> {
    /// What stands against a statement of weight `n`; none where there is room.
    ///
    /// To look writes nothing, except to take back places whose lease has lapsed, or to finish what another thread has begun.
    pub fn over(&self, n: u32) -> Option<Over> {
        if self.has_room(n) { None } else { Some(self.examine(n)) }
    }

    #[inline]
    fn has_room(&self, n: u32) -> bool {
        let fits = |counted: u32, max: u32| n <= max && counted <= max - n;
        match *self {
            Self::SlidingWindow { cell, shape, max, now } => {
                fits(cell.total(shape, now), max.min(WindowCell::MAX_LIMIT))
            }
            Self::TokenBucket { cell, shape, now } => {
                cell.spent(shape, now).saturating_add(u64::from(n)) <= u64::from(shape.capacity())
            }
            Self::FixedWindow { cell, shape, max, now } => fits(cell.total(shape, now), max.min(shape.max_limit())),
            Self::Concurrency { cell, max, now, .. } => cell.has_room(now, max),
        }
    }

    /// What stands against it, though that may have gone in the meantime.
    #[cold]
    fn examine(&self, n: u32) -> Over {
        let until = |nanos: Option<u64>| nanos.map_or(Wait::Never, Wait::Nanos);
        match *self {
            Self::SlidingWindow { cell, shape, max, now } => {
                Over { counted: u64::from(cell.total(shape, now)), wait: until(cell.retry_after(shape, n, now, max)) }
            }
            Self::TokenBucket { cell, shape, now } => {
                Over { counted: cell.spent(shape, now), wait: until(cell.retry_after(shape, n, now)) }
            }
            Self::FixedWindow { cell, shape, max, now } => {
                Over { counted: u64::from(cell.total(shape, now)), wait: until(cell.retry_after(shape, n, now, max)) }
            }
            Self::Concurrency { cell, max, .. } => {
                Over { counted: u64::from(cell.in_use()), wait: if max == 0 { Wait::Never } else { Wait::Release } }
            }
        }
    }

    #[inline]
    fn reserve(&self, n: u32) -> Option<Reserved> {
        match *self {
            Self::SlidingWindow { cell, shape, max, now } => {
                cell.try_acquire(shape, n, now, max).ok().map(Reserved::SlidingWindow)
            }
            Self::TokenBucket { cell, shape, now } => cell.try_acquire(shape, n, now).ok().map(Reserved::TokenBucket),
            Self::FixedWindow { cell, shape, max, now } => {
                cell.try_acquire(shape, n, now, max).ok().map(Reserved::FixedWindow)
            }
            Self::Concurrency { cell, max, lease, now } => {
                cell.acquire(now, lease, max).ok().map(Reserved::Concurrency)
            }
        }
    }

    fn undo(&self, reserved: Reserved) {
        match (*self, reserved) {
            (Self::SlidingWindow { cell, .. }, Reserved::SlidingWindow(reservation)) => cell.undo(reservation),
            (Self::TokenBucket { cell, .. }, Reserved::TokenBucket(reservation)) => cell.undo(reservation),
            (Self::FixedWindow { cell, shape, .. }, Reserved::FixedWindow(reservation)) => {
                cell.undo(shape, reservation);
            }
            (Self::Concurrency { cell, .. }, Reserved::Concurrency(permit)) => {
                // One whose lease has lapsed is back already.
                let _ = cell.release(permit);
            }
            // Of other claims than those it was acquired with: not theirs to give back.
            _ => {}
        }
    }
}

/// What a claim was granted.
#[derive(Debug)]
enum Reserved {
    SlidingWindow(sliding_window::Reservation),
    TokenBucket(token_bucket::Reservation),
    FixedWindow(fixed_window::Reservation),
    Concurrency(Permit),
}

/// What the claims of one statement were granted, to be given back together if it does not pass after all.
///
/// Made to be kept and used again: memory is asked for only where there are more claims than ever before.
///
/// # All or nothing
///
/// All limiters are looked at before any is touched, so on one thread a statement that is refused leaves every one as it
/// was. Then they are reserved in the order given, and where another thread was quicker, those before it are given back,
/// the last one first. So of two threads each may take from the other and lose: fewer are admitted for a moment, never more.
/// What was given back is back, except where to give it back could admit more than the limit: where the window has turned,
/// which has given it back already, or where others have taken from the same bucket since.
///
/// Whoever claims several limiters at once names them in one order everywhere, so that of two statements that want the same
/// the one that is first at the first limiter gets them all; and names each limiter once.
#[derive(Debug, Default)]
pub struct Reservations(Vec<Reserved>);

impl Reservations {
    /// Of nothing yet.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Of nothing yet, with the memory for so many claims.
    pub fn with_capacity(claims: usize) -> Self {
        Self(Vec::with_capacity(claims))
    }

    /// Takes all claims of a statement of weight `n`, or none. What was acquired before is spent: it cannot be undone any
    /// more.
    ///
    /// # Errors
    ///
    /// [`Refusal`] names the tightest of the claims that are refused: one that no wait helps, else the one with the longest
    /// wait, the first of equals. After that wait all of them have room, if nothing else happens and there is no
    /// concurrency limit among those refused.
    #[inline]
    pub fn acquire(&mut self, claims: &[Claim<'_>], n: u32) -> Result<(), Refusal> {
        self.0.clear();
        if !claims.iter().all(|claim| claim.has_room(n))
            && let Some(refusal) = tightest(claims, n)
        {
            return Err(refusal);
        }
        for (number, claim) in claims.iter().enumerate() {
            match claim.reserve(n) {
                Some(reserved) => self.0.push(reserved),
                None => return Err(self.lose(claims, number, n)),
            }
        }
        Ok(())
    }

    /// Gives everything back, the last one first: to the claims it was acquired with. A second time there is nothing left.
    pub fn undo(&mut self, claims: &[Claim<'_>]) {
        while let Some(reserved) = self.0.pop() {
            if let Some(claim) = claims.get(self.0.len()) {
                claim.undo(reserved);
            }
        }
    }

    /// The places that are held, each with the number of its claim, in the order of the claims.
    pub fn permits(&self) -> impl Iterator<Item = (usize, Permit)> {
        self.0.iter().enumerate().filter_map(|(number, reserved)| match reserved {
            Reserved::Concurrency(permit) => Some((number, *permit)),
            _ => None,
        })
    }

    /// Gives back what was reserved before the claim that found no room, and says what stands against them now.
    #[cold]
    fn lose(&mut self, claims: &[Claim<'_>], number: usize, n: u32) -> Refusal {
        // Before the undo: what is named has to have been in the way, even if all of it is gone afterwards.
        let over = claims[number].examine(n);
        self.undo(claims);
        tightest(claims, n).unwrap_or(Refusal { claim: number, over })
    }
}

/// The tightest of the claims that have no room.
#[cold]
fn tightest(claims: &[Claim<'_>], n: u32) -> Option<Refusal> {
    let mut tightest: Option<Refusal> = None;
    for (claim, over) in claims.iter().enumerate().filter_map(|(number, claim)| Some((number, claim.over(n)?))) {
        if tightest.is_none_or(|other| over.wait > other.over.wait) {
            tightest = Some(Refusal { claim, over });
        }
    }
    tightest
}
