//! The most that a shape was sent in any interval of a length.

use crate::log::LogTime;
use std::time::Duration;

/// How many parts a window is counted in.
const PARTS: u64 = 12;
/// An interval of the window's length touches so many parts.
const SLOTS: usize = PARTS as usize + 1;

/// Bounds from above how many events any interval of a length holds: it is counted in twelfths, and an interval touches at
/// most thirteen of those. Never too low; too high by no more than one twelfth holds. Times must not run backwards.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Peak {
    slots: [u32; SLOTS],
    /// The number of the twelfth that was counted in last.
    newest: u64,
    total: u32,
    most: u32,
}

impl Peak {
    /// Counts so many events at a time, for intervals of so long.
    #[inline]
    pub(super) fn record(&mut self, at: LogTime, n: u32, window: Duration) {
        let part = u64::try_from(window.as_micros()).unwrap_or(u64::MAX).div_ceil(PARTS).max(1);
        let number = (at - LogTime::from_micros(0)).as_micros() as u64 / part;
        let slot = |number: u64| (number % SLOTS as u64) as usize;
        if number > self.newest {
            if number - self.newest >= SLOTS as u64 {
                (self.slots, self.total) = ([0; SLOTS], 0);
            } else {
                for passed in self.newest + 1..=number {
                    self.total -= std::mem::take(&mut self.slots[slot(passed)]);
                }
            }
            self.newest = number;
        }
        let counted = n.min(u32::MAX - self.total);
        self.slots[slot(self.newest)] += counted;
        self.total += counted;
        self.most = self.most.max(self.total);
    }

    /// The most that any interval held.
    pub(super) fn most(&self) -> u64 {
        self.most.into()
    }
}

/// The most events that went on at once.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct AtOnce {
    now: u32,
    most: u32,
}

impl AtOnce {
    pub(super) fn begin(&mut self) {
        self.now = self.now.saturating_add(1);
        self.most = self.most.max(self.now);
    }

    pub(super) fn end(&mut self) {
        self.now = self.now.saturating_sub(1);
    }

    pub(super) fn most(self) -> u64 {
        self.most.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const WINDOW: Duration = Duration::from_secs(12);

    fn peak(seconds: &[i64]) -> u64 {
        let mut peak = Peak::default();
        for second in seconds {
            peak.record(LogTime::from_micros(second * 1_000_000), 1, WINDOW);
        }
        peak.most()
    }

    #[test]
    fn events_are_forgotten_a_window_and_a_twelfth_later() {
        assert_eq!(peak(&[0, 0, 0]), 3);
        assert_eq!(peak(&[5, 17, 30]), 2);
        assert_eq!(peak(&[5, 18]), 1);
        // A long silence forgets all at once.
        assert_eq!(peak(&[5, 5, 5_000_000, 5_000_000, 5_000_001]), 3);
    }

    proptest! {
        #[test]
        fn no_interval_holds_more_and_the_excess_is_bounded(mut gaps in prop::collection::vec(0_i64..8, 1..200)) {
            let mut now = 0;
            for gap in &mut gaps {
                now += *gap;
                *gap = now;
            }
            let most_within = |seconds: i64| {
                gaps.iter().map(|begin| gaps.iter().filter(|at| (*begin..begin + seconds).contains(*at)).count()).max()
            };
            let told = peak(&gaps) as usize;
            prop_assert!(Some(told) >= most_within(12));
            prop_assert!(Some(told) <= most_within(13));
        }
    }
}
