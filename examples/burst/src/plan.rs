//! When what happens: calm, the burst, calm again.

use std::time::Duration;

/// The phases of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Before,
    Burst,
    After,
}

/// How long each phase lasts: a fifth of a run, three fifths, and a fifth.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    run: Duration,
}

impl Plan {
    pub(crate) fn new(run: Duration) -> Self {
        Self { run }
    }

    /// The length of a run.
    pub(crate) fn run(self) -> Duration {
        self.run
    }

    /// When the burst begins and when it ends, since the start of the run.
    pub(crate) fn burst(self) -> (Duration, Duration) {
        (self.run / 5, self.run * 4 / 5)
    }

    /// The phase at a time since the start of the run.
    pub(crate) fn phase(self, at: Duration) -> Phase {
        let (begin, end) = self.burst();
        match at {
            at if at < begin => Phase::Before,
            at if at < end => Phase::Burst,
            _ => Phase::After,
        }
    }

    /// What to call the time between two moments of the run. A tenth at either end is not looked at: who sleeps until an edge
    /// wakes a moment after it.
    pub(crate) fn name(self, from: Duration, to: Duration) -> &'static str {
        let aside = to.saturating_sub(from) / 10;
        match (self.phase(from + aside), self.phase(to.saturating_sub(aside))) {
            (Phase::Before, Phase::Before) | (Phase::After, Phase::After) => "calm",
            (Phase::Before, Phase::Burst) => "burst begins",
            (Phase::Burst, Phase::After) => "burst ends",
            _ => "burst",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_calm_then_a_burst_then_calm() {
        let plan = Plan::new(Duration::from_secs(10));
        assert_eq!(plan.burst(), (Duration::from_secs(2), Duration::from_secs(8)));
        let phases = [0, 1999, 2000, 7999, 8000].map(|millis| plan.phase(Duration::from_millis(millis)));
        assert_eq!(phases, [Phase::Before, Phase::Before, Phase::Burst, Phase::Burst, Phase::After]);
    }

    #[test]
    fn a_time_that_straddles_an_edge_says_which() {
        let names = |seconds: u64, edges: &[u64]| -> Vec<&str> {
            let plan = Plan::new(Duration::from_secs(seconds));
            let name = |pair: &[u64]| plan.name(Duration::from_millis(pair[0]), Duration::from_millis(pair[1]));
            edges.windows(2).map(name).collect()
        };
        // The burst lasts from 0.8 to 3.2 seconds.
        assert_eq!(names(4, &[0, 1000, 2000, 3000, 4000]), ["burst begins", "burst", "burst", "burst ends"]);
        // From 2 to 8 seconds, seen a little late.
        let late = [1, 1001, 2001, 3001, 7001, 8001, 9001];
        assert_eq!(names(10, &late), ["calm", "calm", "burst", "burst", "burst", "calm"]);
        assert_eq!(names(10, &[1000, 9000]), ["burst"]);
    }
}
