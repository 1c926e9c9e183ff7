//! The short way of a single threshold: a count out of what the core has at hand.

use super::Inner;
use crate::decision::{Decision, Reason, Verdict};
use crate::engine::active_rule::{Allows, Meter};
use crate::engine::asked::{Asked, Sent};
use crate::engine::at_hand::{AtHand, Attempted};
use crate::engine::hands::Hands;
use crate::engine::plan::Threshold;
use crate::engine::shape::Shape;
use crate::strategy::Strategy;
use std::time::Duration;

/// What the window at hand says to an attempt.
enum Counted {
    /// Within the limit, with this total.
    Within(u32),
    /// Over it, with this total; in so many nanoseconds there is room, if ever.
    Over(u32, Option<u64>),
}

impl Inner {
    /// Decides by a single threshold.
    #[inline]
    pub(in crate::engine) fn decide_threshold(
        &self,
        threshold: &Threshold,
        shape: &Shape,
        sent: Sent,
        hands: &mut Hands,
    ) -> Decision {
        let (rule, core) = (&threshold.rule, hands.core);
        if let Allows::Attempts(meter) = &rule.allows
            && let Some(at_hand) = hands.at_hand(&threshold.key)
        {
            let attempted = Attempted {
                n: sent.weight.saturating_mul(shape.statements),
                now: self.clock.read(meter.reading),
                max: meter.max,
            };
            match count(at_hand, meter, attempted, threshold.refuses_all) {
                Some(Counted::Within(total)) => {
                    let counters = rule.state.counters.of_core(core);
                    counters.passed.add_alone();
                    counters.match_at(attempted.now);
                    return Decision {
                        rule: Some(at_hand.name().clone()),
                        count: u64::from(total),
                        limit: u64::from(meter.max),
                        ..Decision::allow(shape.name(), Reason::Allowed)
                    };
                }
                Some(Counted::Over(total, retry_after)) => {
                    return refused(threshold, shape, sent, core, at_hand, meter, attempted, total, retry_after);
                }
                None => {}
            }
        }
        self.decide(&threshold.participants, shape, &Asked::known(sent), Some(hands))
    }
}

/// Counts an attempt on what is at hand, where that can be: where nothing is counted, there is none, and the long way is to
/// count.
#[inline]
fn count(at_hand: &mut AtHand, meter: &Meter, attempted: Attempted, refuses_all: bool) -> Option<Counted> {
    let Attempted { n, now, max } = attempted;
    match at_hand.spend(&meter.measure, attempted, refuses_all) {
        Some(total) if total <= max => return Some(Counted::Within(total)),
        // By a core that has tried more than the limit in this epoch: nothing passes until it is forgotten.
        Some(total) => return Some(Counted::Over(total, (n <= max).then(|| at_hand.memory(now)))),
        None => {}
    }
    at_hand.window(&meter.measure, |window| {
        if let Some(total) = window.take_block(attempted) {
            return Some(Counted::Within(total));
        }
        if !refuses_all {
            return None;
        }
        let total = window.take_attempts(attempted);
        Some(if total <= max { Counted::Within(total) } else { Counted::Over(total, window.retry_after(attempted)) })
    })?
}

/// Refuses a statement by a threshold that refuses all that is over the limit, and whose statements do not wait.
#[expect(clippy::too_many_arguments, reason = "they are what the decision is made of")]
fn refused(
    threshold: &Threshold,
    shape: &Shape,
    sent: Sent,
    core: usize,
    at_hand: &AtHand,
    meter: &Meter,
    attempted: Attempted,
    total: u32,
    retry_after: Option<u64>,
) -> Decision {
    let (verdict, reason) = if attempted.n > meter.max {
        (Verdict::Abort, Reason::Never)
    } else if threshold.rule.then.strategy != Strategy::Ignore {
        (Verdict::Abort, Reason::OverLimit)
    } else if shape.can_fake(sent.fakes) {
        (Verdict::Ignore, Reason::OverLimit)
    } else {
        (Verdict::Abort, Reason::IgnoreUnavailable)
    };
    let counters = threshold.rule.state.counters.of_core(core);
    counters.refused(verdict, true);
    counters.match_at(attempted.now);
    Decision {
        verdict,
        rule: Some(at_hand.name().clone()),
        count: u64::from(total),
        limit: u64::from(meter.max),
        retry_after: retry_after.map(Duration::from_nanos),
        ..Decision::allow(shape.name(), reason)
    }
}
