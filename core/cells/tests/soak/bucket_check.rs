//! The log of a token bucket.

use crate::event::Event;
use sqlthrottle_cells::token_bucket::{TokenBucketCell, TokenBucketShape};

/// When tokens arrive: one each so many nanoseconds, and one at `origin`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrivals {
    origin: u64,
    token: u64,
}

impl Arrivals {
    /// Of a bucket at rest. After changes of the rate its tokens come at times that only it knows, so a copy of it is emptied
    /// to see when the next one does.
    pub(crate) fn of(cell: &TokenBucketCell, shape: &TokenBucketShape, token: u64, now: u64) -> Self {
        let copy = TokenBucketCell::succeeding((cell, shape), shape, now);
        let available = copy.available(shape, now);
        assert!(copy.try_acquire(shape, available, now).is_ok() || available == 0);
        let next = copy.retry_after(shape, 1, now).expect("a bucket with a capacity has a next token");
        Self { origin: now + next, token }
    }

    /// How many have arrived, beside those before the origin.
    fn by(self, at: u64) -> i128 {
        (i128::from(at) - i128::from(self.origin)).div_euclid(i128::from(self.token)) + 1
    }
}

/// Checks the events of a round that began with so many tokens spent at `start`, and ended with `spent` at `newest`; true
/// where that was a single number. `is_final` tells that no undo can have come too late.
pub(crate) fn check(
    arrivals: Arrivals,
    (before, start): (u64, u64),
    events: &[Event],
    (spent, newest): (u64, u64),
    is_final: bool,
) -> bool {
    let position = arrivals.by(start) + i128::from(before);
    // As if each had happened as early as it can have: then no more is spent than really was. All that happened up to the
    // last of some, however late that was, has had to find room.
    let mut events = events.to_vec();
    events.sort_unstable_by_key(|event| event.from);
    // Of a bucket that was full, nobody knows since when: a clock that stepped back finds it as it was.
    let (mut least, mut last) = (if before > 0 { position } else { i128::MIN / 2 }, start);
    for event in &events {
        least = least.max(arrivals.by(event.from)) + i128::from(event.n);
        last = last.max(event.to);
        assert!(least <= arrivals.by(last) + i128::from(event.max), "a bucket of {} gave more: {event:?}", event.max);
    }
    events.sort_unstable_by_key(|event| event.to);
    let most = events.iter().fold(position, |most, event| most.max(arrivals.by(event.to)) + i128::from(event.n));
    let at_end = |position: i128| (position - arrivals.by(newest)).max(0);
    let (least, most) = (at_end(least), at_end(most));
    let spent = i128::from(spent);
    assert!(spent >= least, "{spent} tokens are spent, and {least} were taken and are not back");
    assert!(!is_final || spent <= most, "{spent} tokens are spent, and no more than {most} were taken");
    is_final && least == most
}
