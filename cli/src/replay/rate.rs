//! How many events a second, at the worst.

use crate::log::LogTime;

/// Counts events in each whole second of a log's time and remembers the busiest. Times must not run backwards.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rate {
    second: i64,
    count: u64,
    peak: u64,
}

impl Rate {
    #[inline]
    pub(super) fn record(&mut self, at: LogTime) {
        let second = at.second();
        if second != self.second {
            self.second = second;
            self.count = 0;
        }
        self.count += 1;
        self.peak = self.peak.max(self.count);
    }

    /// Events in the busiest second.
    pub(super) fn peak(&self) -> u64 {
        self.peak
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_is_that_of_the_busiest_whole_second() {
        let mut rate = Rate::default();
        // Three within one second of each other, but in two whole seconds; then three in one.
        for millis in [900, 950, 1_050, 7_000, 7_500, 7_999, 8_000] {
            rate.record(LogTime::from_micros(millis * 1_000));
        }
        assert_eq!(rate.peak(), 3);
        assert_eq!(Rate::default().peak(), 0);
    }
}
