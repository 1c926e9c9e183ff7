//! Schedules that try a limiter: time that stands, leaps and steps back, with something to do at each moment.

use proptest::prelude::*;

/// One step of a schedule: how time moves, and what is then done.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    /// Which of the limiter's own spans time moves by; it stays where there is none.
    span: usize,
    spans: u64,
    /// Nanoseconds beside it, either way.
    jitter: i64,
    back: bool,
    pub(crate) n: u32,
    /// Whether what was taken is given back, or what waits comes back first.
    pub(crate) turn_back: bool,
}

/// Any step. The first spans of a limiter come up more often than the later ones, of which the sixth is the last.
pub(crate) fn step() -> impl Strategy<Value = Step> {
    let jitter = prop_oneof![Just(-1), Just(0), Just(1), -2_000_000..2_000_000i64];
    let stay = usize::MAX;
    let span = prop_oneof![3 => Just(stay), 6 => Just(0), 2 => Just(1), 2 => Just(2), 1 => Just(3), 1 => Just(4), 1 => Just(5)];
    (span, 1..3u64, jitter, prop::bool::weighted(0.15), 0..6u32, prop::bool::weighted(0.3))
        .prop_map(|(span, spans, jitter, back, n, turn_back)| Step { span, spans, jitter, back, n, turn_back })
}

impl Step {
    /// The time after the step, of a limiter for which these spans matter.
    pub(crate) fn moved(&self, now: u64, spans: &[u64]) -> u64 {
        let by = spans.get(self.span).map_or(0, |span| span.saturating_mul(self.spans));
        let moved = if self.back { now.saturating_sub(by) } else { now.saturating_add(by) };
        moved.saturating_add_signed(self.jitter)
    }
}
