//! From a count to a verdict: what the threshold, its share and its strategy say.

use super::Inner;
use super::shape::Shape;
use super::waiting::{Taken, Waiter};
use crate::decision::{Decision, Reason, Ticket, Verdict};
use crate::limit::WindowLimiter;
use crate::rule::{Mode, RuleState, Threshold};
use crate::statement::Statement;
use crate::strategy::{Delay, Strategy};
use sqlthrottle_cells::WindowShape;
use sqlthrottle_cells::sliding_window::{Attempt, Exceeded, Renewal};
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
        let (counted, overflow) = rule.limiter(&shape.fingerprint, now, |limiter, overflow| {
            (count(limiter, &rule.window, threshold, weight, now), overflow)
        });
        let mut decision = Decision {
            rule: Some(rule.name.clone()),
            count: u64::from(counted.total()),
            limit: u64::from(threshold.max_count),
            overflow,
            ..Decision::allow(Some(shape.fingerprint), Reason::Allowed)
        };
        let Counted::Over { attempt, handled, retry_after, wait } = counted else {
            rule.counters.passed.add();
            return decision;
        };
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
            let waiter = Waiter {
                rule: Arc::clone(rule),
                fingerprint: shape.fingerprint,
                weight,
                attempt: Some(attempt),
                overflow,
                since: now,
                due: now.saturating_add(wait),
            };
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
        let mut waiter = match self.waiting.take(ticket, now) {
            Taken::Due(waiter) => waiter,
            Taken::Lapsed(waiter) => {
                let rule = Some(waiter.rule.name.clone());
                return Decision { rule, fingerprint: Some(waiter.fingerprint), ..refused };
            }
            Taken::Unknown => return refused,
        };
        let (rule, fingerprint) = (Arc::clone(&waiter.rule), waiter.fingerprint);
        let (asked, overflow) = rule
            .limiter(&fingerprint, now, |limiter, overflow| (ask_again(limiter, &mut waiter, overflow, now), overflow));
        let mut decision = Decision {
            rule: Some(rule.name.clone()),
            count: u64::from(asked.total),
            limit: u64::from(rule.threshold.max_count),
            overflow,
            ..Decision::allow(Some(fingerprint), Reason::Allowed)
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

/// What the window of a rule says to an attempt.
enum Counted {
    /// Within the limit, with this total.
    Within(u32),
    Over {
        attempt: Attempt,
        /// Whether it is of the share that the strategy is applied to.
        handled: bool,
        /// Until when such a statement had better not be tried, in nanoseconds; none where no wait helps.
        retry_after: Option<u64>,
        /// How long it waits where it is delayed, in nanoseconds.
        wait: u64,
    },
}

impl Counted {
    fn total(&self) -> u32 {
        match self {
            Self::Within(total) => *total,
            Self::Over { attempt, .. } => attempt.total(),
        }
    }
}

/// Counts an attempt.
fn count(limiter: &WindowLimiter, window: &WindowShape, threshold: &Threshold, weight: u32, now: u64) -> Counted {
    let attempt = limiter.window().count_attempt(window, weight, now);
    if attempt.total() <= threshold.max_count {
        return Counted::Within(attempt.total());
    }
    let room_for = |needed| limiter.window().retry_after(window, needed, now, threshold.max_count);
    Counted::Over {
        // No share lets a statement through that is over the limit all by itself.
        handled: weight > threshold.max_count || limiter.share().draw(threshold.share),
        retry_after: room_for(weight),
        wait: match threshold.strategy {
            Strategy::Delay(Delay::Fixed(time)) => nanos(time),
            // The statement is among the attempts already, so it waits for no more room.
            Strategy::Delay(Delay::UntilAllowed { max }) => room_for(0).unwrap_or(0).clamp(1, nanos(max).max(1)),
            Strategy::Abort | Strategy::Ignore => 0,
        },
        attempt,
    }
}

/// What a rule says to a statement that comes back.
struct Asked {
    /// What its window counts.
    total: u32,
    /// How long the statement is to wait on, in nanoseconds; none where it may pass.
    wait: Option<u64>,
}

/// Asks the rule of a statement that comes back.
///
/// A statement is counted once: where its attempt is remembered, that is what is sent now, and counts as of now; only where
/// it has waited so long that its attempt is forgotten does it need room like a new one.
///
/// A fixed wait is all that its rule asks for, whatever is counted by then, and the attempt stays where it is. Were it to
/// count for another window, a rule that has once begun to delay would never cease to while statements come in at a rate of
/// `window / (window + delay)` of its limit, though there is room for all of them.
fn ask_again(limiter: &WindowLimiter, waiter: &mut Waiter, overflow: bool, now: u64) -> Asked {
    let (rule, window) = (&waiter.rule, limiter.window());
    let (shape, max) = (&rule.window, rule.threshold.max_count);
    let early = waiter.due.saturating_sub(now);
    if early > 0 {
        return Asked { total: window.total(shape, now), wait: Some(early) };
    }
    if matches!(rule.threshold.strategy, Strategy::Delay(Delay::Fixed(_))) {
        return Asked { total: window.total(shape, now), wait: None };
    }
    let room_for = |needed| window.retry_after(shape, needed, now, max).unwrap_or(0).max(1);
    // A place for its key may have been found, or lost, meanwhile; then its attempt is among those of another limiter.
    let attempt = waiter.attempt.take().filter(|_| overflow == waiter.overflow);
    match attempt.map_or(Renewal::Forgotten, |attempt| window.renew(shape, attempt, now, max)) {
        Renewal::Renewed { total } => Asked { total, wait: None },
        Renewal::Exceeded { attempt, total } => {
            waiter.attempt = Some(attempt);
            Asked { total, wait: Some(room_for(0)) }
        }
        Renewal::Forgotten => match window.try_acquire(shape, waiter.weight, now, max) {
            Ok(acquired) => Asked { total: acquired.total(), wait: None },
            Err(Exceeded { total }) => Asked { total, wait: Some(room_for(waiter.weight)) },
        },
    }
}

/// A span in nanoseconds; one beyond 584 years is that.
fn nanos(span: Duration) -> u64 {
    u64::try_from(span.as_nanos()).unwrap_or(u64::MAX)
}
