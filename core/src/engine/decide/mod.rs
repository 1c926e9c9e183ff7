//! From the rules that take part to a verdict.
//!
//! [`decide`](Inner::decide) goes step by step: [credit](super::credit) of rules that a cluster counts is set aside, attempts
//! are recorded, the other limits looked at, shares drawn; then the strongest of the rules that are over has its way, or the
//! statement takes from all that have room. What most statements need of that, a single threshold, has a
//! [short way](threshold).

mod contest;
mod outcome;
mod sentence;
mod threshold;
mod times;

pub(super) use contest::{Contest, Drawn, Side, Standing};
pub(super) use sentence::Sentence;
pub(super) use times::Times;

use super::Inner;
use super::active_rule::ActiveRule;
use super::asked::Asked;
use super::hands::Hands;
use super::plan::{Participants, Plan};
use super::shape::Shape;
use super::waiting::Waiter;
use crate::decision::{Decision, Permit, Reason, Verdict};
use crate::fingerprint::Fingerprint;
use sqlthrottle_cells::claim::Reservations;
use std::sync::Arc;
use std::time::Duration;

/// What is decided about: a statement or a request, as far as its verdict depends on it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Subject {
    /// None for a request.
    pub(super) fingerprint: Option<Fingerprint>,
    /// Whether the caller can stand in for its result.
    pub(super) can_fake: bool,
    pub(super) weight: u32,
}

/// What comes of a statement that passes.
pub(super) struct Passed {
    permit: Option<Permit>,
    /// What rules that are only observed would have done.
    would: Option<Sentence>,
}

impl Inner {
    /// Decides by a plan.
    pub(in crate::engine) fn decide_plan(
        &self,
        plan: &Plan,
        shape: &Shape,
        asked: &Asked<'_, '_>,
        hands: Option<&mut Hands>,
    ) -> Decision {
        match (plan, hands) {
            (Plan::Pass(reason), _) => Decision::allow(shape.name(), *reason),
            (Plan::Exempt(rule), _) => exempt(rule, shape),
            (Plan::Threshold(threshold), Some(hands)) => self.decide_threshold(threshold, shape, asked.sent, hands),
            (Plan::Threshold(threshold), None) => self.decide(&threshold.participants, shape, asked, None),
            (Plan::Rules(participants), hands) => self.decide(participants, shape, asked, hands),
            (Plan::ByContext(participants), hands) => self.decide_by_context(participants, shape, asked, hands),
            (Plan::ThresholdNeeded, _) => {
                let undecided = Decision::allow(shape.name(), Reason::Undecided);
                Decision { verdict: Verdict::ThresholdNeeded, ..undecided }
            }
        }
    }

    /// Decides by the rules that match the context.
    fn decide_by_context(
        &self,
        participants: &Participants,
        shape: &Shape,
        asked: &Asked<'_, '_>,
        hands: Option<&mut Hands>,
    ) -> Decision {
        let Some(hands) = hands else {
            return self.decide_plan(&participants.of_context(asked.context), shape, asked, None);
        };
        let key = participants.context_key(shape.planned.number, asked.context);
        let hash = self.hot.hasher().hash_one(key);
        let plan = hands.plan(hash, &key).unwrap_or_else(|| {
            let plan = Arc::new(participants.of_context(asked.context));
            hands.keep_plan(hash, key, Arc::clone(&plan));
            plan
        });
        self.decide_plan(&plan, shape, asked, Some(hands))
    }

    /// Decides by the rules that take part.
    fn decide(
        &self,
        participants: &Arc<Participants>,
        shape: &Shape,
        asked: &Asked<'_, '_>,
        mut hands: Option<&mut Hands>,
    ) -> Decision {
        let mut times = Times::new(&self.clock);
        let hasher = self.hot.hasher();
        let mut contest = Contest::new(false);
        let exempting = contest.gather(participants, shape, asked, &mut times, hasher, hands.as_deref_mut());
        if let Some(rule) = exempting {
            return exempt(rule, shape);
        }
        let subject = Subject {
            fingerprint: shape.name(),
            can_fake: shape.can_fake(asked.sent.fakes),
            weight: asked.sent.weight.saturating_mul(shape.statements),
        };
        if let Err(request) = contest.set_aside(subject.weight, &mut times, asked.refilled) {
            return Decision::refill_needed(shape.name(), request);
        }
        if contest.sides.is_empty() {
            return Decision::allow(shape.name(), participants.otherwise);
        }
        contest.record_attempts(subject.weight, &mut times);
        match self.settle(&mut contest, &subject, &mut times, hands) {
            Ok(passed) => contest.allowed(&subject, passed),
            Err(sentence) => self.refuse(&mut contest, &subject, &sentence, &mut times),
        }
    }

    /// Lets the rules that are over have their way, or takes from all that have room.
    ///
    /// # Errors
    ///
    /// What the strongest rule says, where one says anything. Nothing is taken then from limits on what is admitted.
    pub(in crate::engine) fn settle(
        &self,
        contest: &mut Contest<'_>,
        subject: &Subject,
        times: &mut Times<'_>,
        hands: Option<&mut Hands>,
    ) -> Result<Passed, Sentence> {
        let mut unkept = Reservations::new();
        let reservations = hands.map_or(&mut unkept, |hands| &mut hands.reservations);
        contest.look(false, subject.weight);
        contest.draw_shares(false);
        loop {
            if let Some(sentence) = contest.strongest(false, subject) {
                contest.give_back(|_| true);
                return Err(sentence);
            }
            if contest.reserve(false, subject.weight, reservations, times) {
                break;
            }
        }
        // Rules that are only observed go on as if enforced: of them too either all are taken from, or none.
        let mut would = None;
        if contest.has_observed() {
            contest.look(true, subject.weight);
            contest.draw_shares(true);
            would = loop {
                let would = contest.strongest(true, subject);
                if would.is_some() || contest.reserve(true, subject.weight, reservations, times) {
                    break would;
                }
            };
            if would.is_some() {
                contest.give_back(|side| side.rule.observed);
            }
        }
        Ok(Passed { permit: self.hold(contest, times), would })
    }

    /// Does what a rule says.
    pub(in crate::engine) fn refuse(
        &self,
        contest: &mut Contest<'_>,
        subject: &Subject,
        sentence: &Sentence,
        times: &mut Times<'_>,
    ) -> Decision {
        let mut decision = contest.refused(subject, sentence);
        if sentence.verdict == Verdict::Delay {
            let waiter = Waiter::new(contest, subject, sentence, times);
            let (wait, now) = (waiter.due.saturating_sub(waiter.since), waiter.since);
            self.wait(waiter, wait, now, &mut decision);
        }
        contest.count(subject, Some((sentence.side, decision.verdict)));
        decision
    }

    /// Sends a statement to wait, or aborts it where too many are waiting.
    pub(in crate::engine) fn wait(&self, waiter: Waiter, wait: u64, now: u64, decision: &mut Decision) {
        let max = waiter.rule.then.max_delayed;
        decision.ticket = self.waiting.enter(waiter, max, now);
        if decision.ticket.is_some() {
            decision.verdict = Verdict::Delay;
            decision.delay = Some(Duration::from_nanos(wait));
        } else {
            (decision.verdict, decision.reason) = (Verdict::Abort, Reason::MaxDelayed);
        }
    }
}

/// A decision of a rule that lets a statement pass, whatever others say.
fn exempt(rule: &ActiveRule, shape: &Shape) -> Decision {
    rule.state.counters.passed.add();
    Decision { rule: Some(rule.name.clone()), ..Decision::allow(shape.name(), Reason::Exempt) }
}
