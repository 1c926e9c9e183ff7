//! The draws of a share: which of the statements over a limit are handled.

use crate::sync::{AtomicU64, Ordering};
#[cfg(mutant = "random_share")]
use std::hash::{BuildHasher, RandomState};

/// How often a share was drawn: of any `k` draws in a row, `floor(kp/q)` or `ceil(kp/q)` are handled, whatever threads they
/// come from.
#[derive(Debug, Default)]
pub struct ShareCounter(AtomicU64);

impl ShareCounter {
    /// Of nothing drawn yet.
    pub fn new() -> Self {
        Self(AtomicU64::new(0))
    }

    /// One that goes on where another is: of a limiter that takes the place of another's.
    #[must_use]
    pub fn succeeding(old: &Self) -> Self {
        Self(AtomicU64::new(old.0.load(Ordering::Relaxed)))
    }

    /// Whether the next is handled, at a share of `p/q` with `0 < p <= q`. A share of everything is not counted, so that
    /// refusing under it writes nothing.
    pub fn draw(&self, p: u32, q: u32) -> bool {
        #[cfg(mutant = "random_share")]
        return RandomState::new().hash_one(()) % u64::from(q) < u64::from(p);
        #[cfg(not(mutant = "random_share"))]
        {
            // The counter guards no other memory, so its own order is all the order there is.
            p == q || handles(p, q, self.0.fetch_add(1, Ordering::Relaxed).wrapping_add(1))
        }
    }
}

/// Whether the k-th draw, counted from 1, of a share of `p/q` is handled: where `floor(kp/q)` exceeds `floor((k-1)p/q)`. So
/// error diffusion spreads a proportion evenly, as in Bresenham's line.
#[must_use]
pub const fn handles(p: u32, q: u32, k: u64) -> bool {
    // It steps exactly where the remainder of kp by q is below p.
    (k % q as u64) * p as u64 % (q as u64) < p as u64
}

#[cfg(test)]
#[cfg(not(loom))]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn two_threads_handle_exactly_their_share_of_a_million() {
        let counter = ShareCounter::new();
        let handled: usize = thread::scope(|scope| {
            let run = || (0..500_000).filter(|_| counter.draw(2, 3)).count();
            let threads = [scope.spawn(run), scope.spawn(run)];
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        assert_eq!(handled, 666_666);
    }

    #[test]
    fn any_draws_in_a_row_are_floor_or_ceiling() {
        for (p, q) in [(1, 1), (1, 2), (2, 3), (3, 7), (99, 100)] {
            let counter = ShareCounter::new();
            let draws: Vec<u64> = (0..300).map(|_| u64::from(counter.draw(p, q))).collect();
            for k in [1, 2, 3, 50, 250] {
                let exact = k as u64 * u64::from(p);
                let (least, most) = (exact / u64::from(q), exact.div_ceil(u64::from(q)));
                assert!(draws.windows(k).all(|row| (least..=most).contains(&row.iter().sum())), "{p}/{q} of {k}");
            }
        }
    }

    #[test]
    fn at_two_thirds_the_first_passes() {
        let counter = ShareCounter::new();
        assert_eq!([(); 6].map(|()| counter.draw(2, 3)), [false, true, true, false, true, true]);
    }

    #[test]
    fn everything_is_handled_without_a_count() {
        let counter = ShareCounter::new();
        assert!(counter.draw(1, 1));
        assert_eq!(counter.0.into_inner(), 0);
    }
}
