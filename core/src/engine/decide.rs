//! From a count to a verdict: what the threshold, its share and its strategy say.

use super::Inner;
use super::at_hand::AtHand;
use super::rules::RuleState;
use super::shape::Shape;
use super::waiting::Waiter;
use crate::decision::{Decision, Reason, Verdict};
use crate::limit::WindowLimiter;
use crate::rule::Mode;
use crate::statement::Statement;
use crate::strategy::{Delay, Strategy};
use sqlthrottle_cells::sliding_window::Attempt;
use std::sync::Arc;
use std::time::Duration;

impl Inner {
    /// Counts a statement against its rule and decides.
    #[inline]
    pub(super) fn decide(
        &self,
        statement: &Statement<'_>,
        shape: &Shape,
        rule: &Arc<RuleState>,
        at_hand: &mut AtHand,
    ) -> Decision {
        let threshold = &rule.threshold;
        let weight = statement.weight.saturating_mul(shape.statements);
        let now = self.clock.read(rule.reading);
        // A threshold counts attempts: recorded first, whatever becomes of the statement.
        let (counted, overflow) = match at_hand.spend(&rule.window, weight, now) {
            Some(total) if total <= threshold.max_count => (Counted::Within(total), false),
            Some(total) => (Counted::Over(Over::flooded(rule, weight, now, total)), false),
            None => rule.limiter(at_hand, &shape.fingerprint, now, |limiter, at_hand, overflow| {
                (count(limiter, at_hand, overflow, rule, weight, now), overflow)
            }),
        };
        let total = match counted {
            Counted::Within(total) => total,
            Counted::Over(over) => return self.refuse(statement, shape, rule, over, overflow, at_hand),
        };
        rule.counters.passed.add_if_alone(at_hand.is_kept());
        Decision {
            rule: Some(at_hand.name().unwrap_or(&rule.name).clone()),
            count: u64::from(total),
            limit: u64::from(threshold.max_count),
            overflow,
            ..Decision::allow(Some(shape.fingerprint), Reason::Allowed)
        }
    }

    /// Decides on a statement that is over the limit.
    fn refuse(
        &self,
        statement: &Statement<'_>,
        shape: &Shape,
        rule: &Arc<RuleState>,
        over: Over,
        overflow: bool,
        at_hand: &AtHand,
    ) -> Decision {
        let mut decision = Decision {
            rule: Some(at_hand.name().unwrap_or(&rule.name).clone()),
            count: u64::from(over.total),
            limit: u64::from(rule.threshold.max_count),
            overflow,
            retry_after: over.retry_after.map(Duration::from_nanos),
            ..Decision::allow(Some(shape.fingerprint), Reason::PassedOver)
        };
        if !over.handled {
            rule.counters.passed_over.add();
            return decision;
        }
        let (verdict, reason) = carry_out(over.weight, statement, shape, rule);
        if self.mode == Mode::Observe {
            rule.counters.passed.add();
            rule.counters.would_refuse(verdict);
            (decision.reason, decision.observed) = (Reason::Allowed, Some(verdict));
            return decision;
        }
        (decision.verdict, decision.reason) = (verdict, reason);
        if verdict == Verdict::Delay {
            let waiter = Waiter {
                rule: Arc::clone(rule),
                fingerprint: shape.fingerprint,
                weight: over.weight,
                attempt: over.attempt,
                overflow,
                since: over.now,
                due: over.now.saturating_add(over.wait),
            };
            self.wait(waiter, over.wait, &mut decision);
        }
        rule.counters.refused(decision.verdict, at_hand.is_kept());
        decision
    }

    /// Sends a statement to wait, or aborts it where too many are waiting.
    fn wait(&self, waiter: Waiter, wait: u64, decision: &mut Decision) {
        let (max, now) = (waiter.rule.threshold.max_delayed, waiter.since);
        decision.ticket = self.waiting.enter(waiter, max, now);
        if decision.ticket.is_some() {
            decision.verdict = Verdict::Delay;
            decision.delay = Some(Duration::from_nanos(wait));
        } else {
            decision.verdict = Verdict::Abort;
            decision.reason = Reason::MaxDelayed;
        }
    }
}

/// What the rule's strategy comes to for this statement and caller.
fn carry_out(weight: u32, statement: &Statement<'_>, shape: &Shape, rule: &RuleState) -> (Verdict, Reason) {
    if weight > rule.threshold.max_count {
        return (Verdict::Abort, Reason::Never);
    }
    match rule.threshold.strategy {
        Strategy::Abort | Strategy::Custom(_) => (Verdict::Abort, Reason::OverLimit),
        Strategy::Ignore if shape.can_fake(statement.fakes) => (Verdict::Ignore, Reason::OverLimit),
        Strategy::Ignore => (Verdict::Abort, Reason::IgnoreUnavailable),
        Strategy::Delay(_) => (Verdict::Delay, Reason::OverLimit),
    }
}

/// What the window of a rule says to an attempt.
enum Counted {
    /// Within the limit, with this total.
    Within(u32),
    Over(Over),
}

/// An attempt over the limit.
struct Over {
    /// What is counted of it, where it may come back.
    attempt: Option<Attempt>,
    /// What the window counts with it.
    total: u32,
    weight: u32,
    /// When it was made.
    now: u64,
    /// Whether it is of the share that the strategy is applied to.
    handled: bool,
    /// Until when such a statement had better not be tried, in nanoseconds; none where no wait helps.
    retry_after: Option<u64>,
    /// How long it waits where it is delayed, in nanoseconds.
    wait: u64,
}

impl Over {
    /// An attempt by a core that has tried more than the limit in this epoch: nothing passes until it is forgotten.
    fn flooded(rule: &RuleState, weight: u32, now: u64, total: u32) -> Self {
        let retry_after = (weight <= rule.threshold.max_count).then(|| rule.window.memory(now));
        Self { attempt: None, total, weight, now, handled: true, retry_after, wait: 0 }
    }
}

/// Counts an attempt.
fn count(
    limiter: &WindowLimiter,
    at_hand: &mut AtHand,
    overflow: bool,
    rule: &RuleState,
    weight: u32,
    now: u64,
) -> Counted {
    let (window, threshold) = (&rule.window, &rule.threshold);
    let max = threshold.max_count;
    // The limiter that keys share is not this key's to take from beforehand.
    let takes = at_hand.is_kept() && !overflow;
    if takes && let Some(total) = at_hand.take_block(limiter, window, weight, now, max) {
        return Counted::Within(total);
    }
    // One that waits must know its own count, and one that draws a share must come to the limiter.
    let delays = matches!(threshold.strategy, Strategy::Delay(_));
    let (attempt, total) = if takes && !delays && threshold.share.is_all() {
        (None, at_hand.take_attempts(limiter, window, weight, now, max))
    } else {
        let attempt = limiter.window().count_attempt(window, weight, now);
        let total = attempt.total();
        (Some(attempt), total)
    };
    if total <= max {
        return Counted::Within(total);
    }
    let room_for = |needed| limiter.window().retry_after(window, needed, now, max);
    Counted::Over(Over {
        // No share lets a statement through that is over the limit all by itself.
        handled: weight > max || threshold.share.draw(limiter.share()),
        retry_after: room_for(weight),
        wait: match threshold.strategy {
            Strategy::Delay(Delay::Fixed(time)) => nanos(time),
            // The statement is among the attempts already, so it waits for no more room.
            Strategy::Delay(Delay::UntilAllowed { max }) => room_for(0).unwrap_or(0).clamp(1, nanos(max).max(1)),
            Strategy::Abort | Strategy::Ignore | Strategy::Custom(_) => 0,
        },
        attempt,
        total,
        weight,
        now,
    })
}

/// A span in nanoseconds; one beyond 584 years is that.
pub(super) fn nanos(span: Duration) -> u64 {
    u64::try_from(span.as_nanos()).unwrap_or(u64::MAX)
}
