//! The draws of a share.

use crate::strategy::Share;
use std::sync::atomic::{AtomicU64, Ordering};

/// How often a share was drawn: of any `k` draws in a row, `floor(kp/q)` or `ceil(kp/q)` are handled, whatever threads
/// they come from.
#[derive(Debug, Default)]
pub(crate) struct ShareCounter(AtomicU64);

impl ShareCounter {
    /// Whether the strategy is applied to this over-limit statement. A share of everything is not counted, so that
    /// refusing under it writes nothing.
    pub(crate) fn draw(&self, share: Share) -> bool {
        if cfg!(mutant = "random_share") {
            return share.handles(std::hash::BuildHasher::hash_one(&ahash::RandomState::new(), ()));
        }
        // The counter guards no other memory, so its own order is all the order there is.
        share.is_all() || share.handles(self.0.fetch_add(1, Ordering::Relaxed).wrapping_add(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn two_threads_handle_exactly_their_share_of_a_million() {
        let (counter, share) = (ShareCounter::default(), Share::new(2, 3).unwrap());
        let handled: usize = thread::scope(|scope| {
            let run = || (0..500_000).filter(|_| counter.draw(share)).count();
            let threads = [scope.spawn(run), scope.spawn(run)];
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        assert_eq!(handled, 666_666);
    }

    #[test]
    fn any_draws_in_a_row_are_floor_or_ceiling() {
        for (p, q) in [(1, 1), (1, 2), (2, 3), (3, 7), (99, 100)] {
            let (counter, share) = (ShareCounter::default(), Share::new(p, q).unwrap());
            let draws: Vec<u64> = (0..300).map(|_| u64::from(counter.draw(share))).collect();
            for k in [1, 2, 3, 50, 250] {
                let exact = k as u64 * u64::from(p);
                let (least, most) = (exact / u64::from(q), exact.div_ceil(u64::from(q)));
                assert!(draws.windows(k).all(|row| (least..=most).contains(&row.iter().sum())), "{share} of {k}");
            }
        }
    }

    #[test]
    fn at_two_thirds_the_first_passes() {
        let counter = ShareCounter::default();
        let share = Share::new(2, 3).unwrap();
        assert_eq!([(); 6].map(|()| counter.draw(share)), [false, true, true, false, true, true]);
    }

    #[test]
    fn everything_is_handled_without_a_count() {
        let counter = ShareCounter::default();
        assert!(counter.draw(Share::ALL));
        assert_eq!(counter.0.into_inner(), 0);
    }
}
