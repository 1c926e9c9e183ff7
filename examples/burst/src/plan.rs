//! When what happens: calm, the burst, calm again.

use std::time::Duration;

/// The phases of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Before,
    Burst,
    After,
}

impl Phase {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Before | Self::After => "calm",
            Self::Burst => "burst",
        }
    }
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
}
