//! A statement that comes back from its wait.

use super::Inner;
use super::at_hand::AtHand;
use super::decide::nanos;
use super::waiting::{Taken, Waiter};
use crate::decision::{Decision, Reason, Ticket, Verdict};
use crate::limit::WindowLimiter;
use crate::strategy::{Delay, Strategy};
use sqlthrottle_cells::sliding_window::{Exceeded, Renewal};
use std::sync::Arc;
use std::time::Duration;

impl Inner {
    /// Decides on a statement whose wait is over.
    pub(super) fn resume(&self, ticket: Ticket) -> Decision {
        let refused = Decision { verdict: Verdict::Abort, ..Decision::allow(None, Reason::MaxDelay) };
        let (mut waiter, now) = match self.waiting.take(ticket, &self.clock) {
            Taken::Due(waiter, now) => (waiter, now),
            Taken::Lapsed(waiter) => {
                let rule = Some(waiter.rule.name.clone());
                return Decision { rule, fingerprint: Some(waiter.fingerprint), ..refused };
            }
            Taken::Unknown => return refused,
        };
        let (rule, fingerprint) = (Arc::clone(&waiter.rule), waiter.fingerprint);
        let mut ask = |at_hand: &mut AtHand| {
            rule.limiter(at_hand, &fingerprint, now, |limiter, at_hand, overflow| {
                // What this core holds unspent does not stand in the way of what has waited.
                at_hand.give_back(limiter);
                (ask_again(limiter, &mut waiter, overflow, now), overflow)
            })
        };
        let key = self.hot.key(Some(&rule), &fingerprint);
        let (asked, overflow) = match self.hot.table().as_mut().and_then(|table| table.at_hand(&key)) {
            Some(at_hand) => ask(at_hand),
            None => ask(&mut AtHand::default()),
        };
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
