//! From a count to a verdict: what the threshold, its share and its strategy say.

use super::Inner;
use super::shape::Shape;
use super::waiting::{Taken, Waiter};
use crate::decision::{Decision, Reason, Ticket, Verdict};
use crate::rule::{Mode, RuleState};
use crate::statement::Statement;
use crate::strategy::{Delay, Strategy};
use std::sync::Arc;
use std::time::Duration;

impl Inner {
    /// Counts a statement against its rule and decides.
    pub(super) fn decide(&self, statement: &Statement<'_>, shape: &Shape, rule: &Arc<RuleState>) -> Decision {
        let threshold = &rule.threshold;
        let weight = statement.weight.saturating_mul(shape.statements);
        let now = self.clock.now();
        rule.counters.matched.add();
        // A threshold counts attempts: recorded first, whatever becomes of the statement.
        let ((count, handled, retry_after, wait), overflow) = rule.limiter(&shape.fingerprint, now, |limiter| {
            let count = limiter.window().count_attempt(&rule.window, weight, now);
            if count <= threshold.max_count {
                return (count, false, None, 0);
            }
            let room_for = |needed| limiter.window().retry_after(&rule.window, needed, now, threshold.max_count);
            // No share lets a statement through that is over the limit all by itself.
            let handled = weight > threshold.max_count || limiter.share().draw(threshold.share);
            let wait = match threshold.strategy {
                Strategy::Delay(Delay::Fixed(time)) => nanos(time),
                // The statement is among the attempts already, so it waits for no more room.
                Strategy::Delay(Delay::UntilAllowed { max }) => room_for(0).unwrap_or(0).clamp(1, nanos(max).max(1)),
                Strategy::Abort | Strategy::Ignore => 0,
            };
            (count, handled, room_for(weight), wait)
        });
        let mut decision = Decision {
            rule: Some(rule.name.clone()),
            count: u64::from(count),
            limit: u64::from(threshold.max_count),
            overflow,
            ..Decision::allow(Some(shape.fingerprint), Reason::Allowed)
        };
        if count <= threshold.max_count {
            rule.counters.passed.add();
            return decision;
        }
        decision.retry_after = retry_after.map(Duration::from_nanos);
        if !handled {
            rule.counters.passed_over.add();
            decision.reason = Reason::PassedOver;
            return decision;
        }
        let (verdict, reason) = Self::refuse(weight, statement, shape, rule);
        if self.mode == Mode::Observe {
            rule.counters.passed.add();
            rule.counters.would_refuse(verdict);
            decision.observed = Some(verdict);
            return decision;
        }
        decision.verdict = verdict;
        decision.reason = reason;
        if verdict == Verdict::Delay {
            let (rule, fingerprint) = (Arc::clone(rule), shape.fingerprint);
            let waiter = Waiter { rule, fingerprint, weight, since: now, due: now.saturating_add(wait) };
            self.wait(waiter, wait, now, &mut decision);
        }
        rule.counters.refused(decision.verdict);
        decision
    }

    /// What the rule's strategy comes to for this statement and caller.
    fn refuse(weight: u32, statement: &Statement<'_>, shape: &Shape, rule: &RuleState) -> (Verdict, Reason) {
        if weight > rule.threshold.max_count {
            return (Verdict::Abort, Reason::Never);
        }
        match rule.threshold.strategy {
            Strategy::Abort => (Verdict::Abort, Reason::OverLimit),
            Strategy::Ignore if shape.can_fake(statement.fakes) => (Verdict::Ignore, Reason::OverLimit),
            Strategy::Ignore => (Verdict::Abort, Reason::IgnoreUnavailable),
            Strategy::Delay(_) => (Verdict::Delay, Reason::OverLimit),
        }
    }

    /// Sends a statement to wait, or aborts it where too many are waiting.
    fn wait(&self, waiter: Waiter, wait: u64, now: u64, decision: &mut Decision) {
        let max = waiter.rule.threshold.max_delayed;
        decision.ticket = self.waiting.enter(waiter, max, now);
        if decision.ticket.is_some() {
            decision.verdict = Verdict::Delay;
            decision.delay = Some(Duration::from_nanos(wait));
        } else {
            decision.verdict = Verdict::Abort;
            decision.reason = Reason::MaxDelayed;
        }
    }

    /// Decides on a statement whose wait is over.
    pub(super) fn resume(&self, ticket: Ticket) -> Decision {
        let now = self.clock.now();
        let refused = Decision { verdict: Verdict::Abort, ..Decision::allow(None, Reason::MaxDelay) };
        let waiter = match self.waiting.take(ticket, now) {
            Taken::Due(waiter) => waiter,
            Taken::Lapsed(waiter) => {
                let rule = Some(waiter.rule.name.clone());
                return Decision { rule, fingerprint: Some(waiter.fingerprint), ..refused };
            }
            Taken::Unknown => return refused,
        };
        let rule = Arc::clone(&waiter.rule);
        let asked = ask_again(&waiter, now);
        let mut decision = Decision {
            rule: Some(rule.name.clone()),
            count: u64::from(asked.count),
            limit: u64::from(rule.threshold.max_count),
            overflow: asked.overflow,
            ..Decision::allow(Some(waiter.fingerprint), Reason::Allowed)
        };
        let Some(wait) = asked.wait else {
            rule.places.give_back();
            rule.counters.resumed.add();
            return decision;
        };
        decision.retry_after = Some(Duration::from_nanos(wait));
        let left = match rule.threshold.strategy {
            Strategy::Delay(Delay::UntilAllowed { max }) => nanos(max).saturating_sub(now.saturating_sub(waiter.since)),
            _ => wait,
        };
        if left == 0 {
            rule.places.give_back();
            rule.counters.aborted_waiting.add();
            (decision.verdict, decision.reason) = (Verdict::Abort, Reason::MaxDelay);
            return decision;
        }
        let wait = wait.clamp(1, left);
        (decision.verdict, decision.reason) = (Verdict::Delay, Reason::OverLimit);
        decision.delay = Some(Duration::from_nanos(wait));
        decision.ticket = Some(self.waiting.put(Waiter { due: now.saturating_add(wait), ..waiter }));
        decision
    }
}

/// What a rule says to a statement that comes back.
struct Asked {
    count: u32,
    overflow: bool,
    /// How long it is to wait on, in nanoseconds; none where it may pass.
    wait: Option<u64>,
}

/// Asks the rule of a statement that comes back.
///
/// The statement is among the attempts already and is not recorded again. Only where it has waited so long that its
/// attempt is forgotten does it need room like a new one. A fixed wait is all that its rule asks for.
fn ask_again(waiter: &Waiter, now: u64) -> Asked {
    let rule = &waiter.rule;
    let max = rule.threshold.max_count;
    let early = waiter.due.saturating_sub(now);
    let fixed = matches!(rule.threshold.strategy, Strategy::Delay(Delay::Fixed(_)));
    let ((count, wait), overflow) = rule.limiter(&waiter.fingerprint, now, |limiter| {
        let (window, shape) = (limiter.window(), &rule.window);
        let over = |needed| window.retry_after(shape, needed, now, max).unwrap_or(0).max(1);
        let wait = if early > 0 {
            Some(early)
        } else if fixed {
            None
        } else if shape.remembers(waiter.since, now) {
            (window.total(shape, now) > max).then(|| over(0))
        } else {
            window.try_acquire(shape, waiter.weight, now, max).is_err().then(|| over(waiter.weight))
        };
        (window.total(shape, now), wait)
    });
    Asked { count, overflow, wait }
}

/// A span in nanoseconds; one beyond 584 years is that.
fn nanos(span: Duration) -> u64 {
    u64::try_from(span.as_nanos()).unwrap_or(u64::MAX)
}
