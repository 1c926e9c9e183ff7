//! A statement that comes back from its wait.

use super::Inner;
use super::active_rule::{ActiveRule, Allows};
use super::decide::{Contest, Drawn, Sentence, Subject, Times};
use super::hands::Hands;
use super::refill::Refilled;
use super::rule_set::RuleSet;
use super::waiting::{Taken, Waiter, WaitingLimiter, WaitingPart, WaitingSide};
use crate::decision::{Decision, Reason, Ticket, Verdict};
use crate::limit::nanos;
use crate::rule::Mode;
use crate::strategy::{Delay, Strategy};
use sqlthrottle_cells::claim::{Over, Wait};
use sqlthrottle_cells::sliding_window::Renewal;
use std::sync::Arc;
use std::time::Duration;

impl Inner {
    /// Decides on a statement whose wait is over.
    pub(super) fn resume(&self, ticket: Ticket, refilled: Option<&Refilled>) -> Decision {
        let refused = Decision { verdict: Verdict::Abort, ..Decision::allow(None, Reason::MaxDelay) };
        let (waiter, now) = match self.waiting.take(ticket, &self.clock) {
            Taken::Due(waiter, now) => (waiter, now),
            Taken::Lapsed(waiter) => {
                let rule = Some(waiter.rule.name.clone());
                return Decision { rule, fingerprint: waiter.subject.fingerprint, ..refused };
            }
            Taken::Unknown => return refused,
        };
        let (_, set) = self.renewed();
        if set.file.mode == Mode::Off {
            self.end_wait(&waiter, now);
            return Decision::allow(waiter.subject.fingerprint, Reason::Off);
        }
        let early = waiter.due.saturating_sub(now);
        if early > 0 {
            return self.wait_on(waiter, early, now);
        }
        let refilled = match self.set_aside_for(&waiter, &set, refilled) {
            Ok(refilled) => refilled,
            Err(request) => {
                let needed = Decision::refill_needed(waiter.subject.fingerprint, request);
                return Decision { ticket: Some(self.waiting.put(waiter)), ..needed };
            }
        };
        match self.hot.table() {
            Some(mut table) => self.ask_again(waiter, now, &set, &refilled, Some(&mut table.hands)),
            None => self.ask_again(waiter, now, &set, &refilled, None),
        }
    }

    /// Asks the rules of a statement that comes back, as they are by now.
    fn ask_again(
        &self,
        mut waiter: Waiter,
        now: u64,
        set: &RuleSet,
        refilled: &Refilled,
        mut hands: Option<&mut Hands>,
    ) -> Decision {
        // For the answer where the rule that delayed is not asked again.
        let before = self.told(&waiter);
        let sides = std::mem::take(&mut waiter.sides);
        // A rule that is gone is not asked; one that says something else by now is asked as it is.
        let asked: Vec<(Arc<ActiveRule>, WaitingSide)> = sides
            .into_iter()
            .filter_map(|side| Some((self.successor(set, &side.rule, &waiter.subject)?, side)))
            .filter(|(_, side)| side.part != WaitingPart::Aside)
            .collect();
        let (rules, sides): (Vec<_>, Vec<_>) = asked.into_iter().unzip();
        let mut times = Times::new(&self.clock);
        let mut contest = Contest::new(true);
        for (rule, side) in rules.iter().zip(sides) {
            contest.come_back(rule, side, waiter.subject.weight, &mut times, hands.as_deref_mut());
        }
        // It has been asked for whatever was lacking.
        let _ = contest.set_aside(waiter.subject.weight, &mut times, Some(refilled));
        match self.settle(&mut contest, &waiter.subject, &mut times, hands) {
            Ok(passed) => {
                let mut decision = contest.allowed(&waiter.subject, passed);
                self.end_wait(&waiter, now);
                if decision.rule.is_none() {
                    (decision.rule, decision.count, decision.limit) = (before.rule, before.count, before.limit);
                }
                decision
            }
            Err(sentence) => self.hold_back(&waiter, &mut contest, sentence, now, &mut times),
        }
    }

    /// Lets a statement that came back wait on, or refuses it.
    fn hold_back(
        &self,
        waiter: &Waiter,
        contest: &mut Contest<'_>,
        mut sentence: Sentence,
        now: u64,
        times: &mut Times<'_>,
    ) -> Decision {
        let subject = waiter.subject;
        let state = &contest.sides[sentence.side].rule.state;
        let is_same = Arc::ptr_eq(state, &waiter.rule.state);
        if sentence.verdict == Verdict::Delay {
            // Of all its waiting, for whichever rules.
            let left = match contest.sides[sentence.side].rule.then.strategy {
                Strategy::Delay(Delay::UntilAllowed { max }) => {
                    nanos(max).saturating_sub(now.saturating_sub(waiter.since))
                }
                _ => u64::MAX,
            };
            if left > 0 {
                let mut decision = contest.refused(&subject, &sentence);
                let again = Waiter::new(contest, &subject, &sentence, times);
                let wait = again.due.saturating_sub(again.since).min(left);
                let again = Waiter { since: waiter.since, due: now.saturating_add(wait), ..again };
                if is_same {
                    return self.put_back(again, wait, decision);
                }
                // From now on it waits for that rule, and this one has let it go.
                waiter.rule.state.places.give_back();
                waiter.rule.state.counters.resumed.add();
                self.wait(again, wait, now, &mut decision);
                contest.count(&subject, Some((sentence.side, decision.verdict)));
                return decision;
            }
            (sentence.verdict, sentence.reason) = (Verdict::Abort, Reason::MaxDelay);
        }
        waiter.rule.state.places.give_back();
        waiter.rule.state.counters.aborted_waiting.add();
        self.waiting.end(waiter.since, now);
        let decision = contest.refused(&subject, &sentence);
        if !is_same {
            contest.count(&subject, Some((sentence.side, decision.verdict)));
        }
        decision
    }

    /// Ends the wait of a statement that may go.
    fn end_wait(&self, waiter: &Waiter, now: u64) {
        waiter.rule.state.places.give_back();
        waiter.rule.state.counters.resumed.add();
        self.waiting.end(waiter.since, now);
    }

    /// The rule that goes on where another set's did, or what the provider says by now; none where it is gone or off.
    fn successor(&self, set: &RuleSet, rule: &Arc<ActiveRule>, subject: &Subject) -> Option<Arc<ActiveRule>> {
        if Arc::ptr_eq(&rule.state, &set.provided) {
            return self.provided(set, &subject.fingerprint?).something().cloned();
        }
        set.successor_of(rule.state.number).cloned()
    }

    /// Lets a statement wait on that came too early.
    fn wait_on(&self, waiter: Waiter, early: u64, now: u64) -> Decision {
        let retry_after = Some(Duration::from_nanos(early));
        let decision = Decision { retry_after, ..self.told(&waiter) };
        let due = waiter.due.max(now);
        self.put_back(Waiter { due, ..waiter }, early, decision)
    }

    /// What the rule that delays a statement says of it by now, without asking it anything.
    fn told(&self, waiter: &Waiter) -> Decision {
        let rule = &waiter.rule;
        let mut decision = Decision::allow(waiter.subject.fingerprint, Reason::OverLimit);
        decision.rule = Some(rule.name.clone());
        let side = waiter.sides.iter().find(|side| Arc::ptr_eq(&side.rule.state, &rule.state));
        if let Some((side, meter)) = side.zip(rule.allows.meter()) {
            let now = self.clock.read(meter.reading);
            let count = |limiter: &WaitingLimiter| limiter.key.counted(rule, limiter.overflow, now);
            decision.count = side.limiters.iter().map(count).max().unwrap_or(0);
            decision.limit = rule.shared.as_ref().map_or(u64::from(meter.max), |shared| u64::from(shared.max));
        }
        decision
    }

    fn put_back(&self, waiter: Waiter, wait: u64, mut decision: Decision) -> Decision {
        (decision.verdict, decision.delay) = (Verdict::Delay, Some(Duration::from_nanos(wait)));
        decision.ticket = Some(self.waiting.put(waiter));
        decision
    }
}

impl<'p> Contest<'p> {
    /// Lets a rule take part again in what is decided about a statement that has waited. The statement is not counted a second
    /// time: where its attempt is remembered, that is what is sent now.
    fn come_back(
        &mut self,
        rule: &'p Arc<ActiveRule>,
        side: WaitingSide,
        weight: u32,
        times: &mut Times<'_>,
        mut hands: Option<&mut Hands>,
    ) {
        let drew = side.part == WaitingPart::Exceeded;
        self.enter(rule, drew);
        let Some(meter) = rule.allows.meter() else { return };
        for WaitingLimiter { key, attempt, limiter, .. } in side.limiters {
            let at = self.drawn.len();
            self.draw(key, rule, meter, times, hands.as_deref_mut());
            let Some(drawn) = self.drawn.get_mut(at) else { continue };
            // A place for its key may have been found, or lost, meanwhile, or the rule be measured otherwise: then its attempt
            // is none of this limiter's.
            drawn.attempt = attempt.filter(|_| Arc::ptr_eq(&limiter, &drawn.limiter));
            if let Allows::Attempts(meter) = &rule.allows
                && let Some(over) = drawn.renew(rule, side.part, meter.max, weight, times)
                && let Some(side) = self.sides.last_mut()
            {
                side.exceed(over, at, weight);
            }
        }
    }
}

impl Drawn {
    /// Asks a window for an attempt that comes back. Where it may pass now, it counts as of now, so that in any interval of the
    /// window no more than the limit is sent, at once or after a wait. It stays the one attempt of the statement, however often
    /// that comes back. Returns what stands against it.
    fn renew(
        &mut self,
        rule: &ActiveRule,
        part: WaitingPart,
        max: u32,
        weight: u32,
        times: &mut Times<'_>,
    ) -> Option<Over> {
        let (cell, shape) = self.limiter.window()?;
        let wait_for =
            |n| cell.retry_after(shape, n, self.now, max).map_or(Wait::Never, |wait| Wait::Nanos(wait.max(1)));
        match self.attempt.take().map_or(Renewal::Forgotten, |attempt| cell.renew(shape, attempt, self.now, max)) {
            Renewal::Renewed { attempt, .. } => {
                self.attempt = Some(attempt);
                None
            }
            Renewal::Exceeded { attempt, total } => {
                self.attempt = Some(attempt);
                // One that was within the limit when it was made has its room: those that came later have not.
                let exceeded = part == WaitingPart::Exceeded;
                exceeded.then(|| Over { counted: u64::from(total), wait: wait_for(0) })
            }
            // It has waited so long that it needs room like a new one.
            Renewal::Forgotten => match cell.try_acquire(shape, weight, self.now, max) {
                // What was acquired may count for nothing: the rules have changed meanwhile.
                Ok(_) if self.limiter.is_succeeded() => {
                    self.draw_successor(rule, times);
                    self.renew(rule, part, max, weight, times)
                }
                Ok(acquired) => {
                    self.attempt = Some(acquired.into_attempt());
                    None
                }
                Err(exceeded) => Some(Over { counted: u64::from(exceeded.total), wait: wait_for(weight) }),
            },
        }
    }
}
