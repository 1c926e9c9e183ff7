//! What is answered, and what the rules count of it.

use super::{Contest, Drawn, Passed, Sentence, Side, Standing, Subject, Times};
use crate::clock::Reading;
use crate::decision::{Decision, Permit, Reason, Verdict};
use crate::engine::Inner;
use crate::engine::credit::Funds;
use crate::strategy::Strategy;
use sqlthrottle_cells::claim::Wait;
use std::sync::Arc;
use std::time::Duration;

impl Inner {
    /// What a statement that passes holds while it runs.
    pub(in crate::engine) fn hold(&self, contest: &mut Contest<'_>, times: &mut Times<'_>) -> Option<Permit> {
        let places = std::mem::take(&mut contest.places);
        if places.is_empty() {
            return None;
        }
        let now = times.by(Reading::Precise);
        self.permits.hold(places, now, now.saturating_add(contest.longest_lease))
    }
}

impl Contest<'_> {
    /// Lets the statement pass.
    pub(in crate::engine) fn allowed(&self, subject: &Subject, Passed { permit, would }: Passed) -> Decision {
        let mut decision = Decision { permit, ..Decision::allow(subject.fingerprint, Reason::Allowed) };
        decision.observed = would.as_ref().map(|would| would.verdict);
        let passed_over = |observed| {
            self.sides.iter().find(|side| {
                side.rule.observed == observed
                    && matches!(&side.standing, Standing::Exceeded(exceeded) if exceeded.handled == Some(false))
            })
        };
        if let Some(side) = passed_over(false) {
            decision.reason = Reason::PassedOver;
            self.tell(&mut decision, side);
        } else if let Some(would) = &would {
            self.tell(&mut decision, &self.sides[would.side]);
        } else if let Some(side) = passed_over(true) {
            decision.reason = Reason::PassedOver;
            self.tell(&mut decision, side);
        } else if let Some(side) = self.tightest() {
            self.tell(&mut decision, side);
        }
        self.count(subject, None);
        decision
    }

    /// Does what a rule says.
    pub(in crate::engine) fn refused(&mut self, subject: &Subject, sentence: &Sentence) -> Decision {
        let mut decision = Decision {
            verdict: sentence.verdict,
            custom: self.custom(sentence),
            ..Decision::allow(subject.fingerprint, sentence.reason)
        };
        self.tell(&mut decision, &self.sides[sentence.side]);
        // Attempts are counted by then, so what rules that are only observed say of them is known.
        self.draw_shares(true);
        decision.observed = self.strongest(true, subject).map(|would| would.verdict);
        decision
    }

    /// The strategy of the host's that is to decide in place of a sentence.
    fn custom(&self, sentence: &Sentence) -> Option<Arc<str>> {
        match &self.sides[sentence.side].rule.then.strategy {
            Strategy::Custom(name) if !matches!(sentence.reason, Reason::Never | Reason::ClusterDown) => {
                Some(Arc::clone(name))
            }
            _ => None,
        }
    }

    /// Counts what became of a statement with every rule that took part; `refusal` is the side that decided, and its verdict.
    pub(in crate::engine) fn count(&self, subject: &Subject, refusal: Option<(usize, Verdict)>) {
        for (number, side) in self.sides.iter().enumerate() {
            let counters = &side.rule.state.counters;
            match refusal {
                Some((deciding, verdict)) if number == deciding => counters.refused(verdict, false),
                // Its rules have counted it already; but those that are only observed are looked at for the first time.
                _ if self.has_waited => {
                    if let Some(would) = side.sentence(number, subject).filter(|_| side.rule.observed) {
                        counters.would_refuse(would.verdict);
                    }
                    continue;
                }
                Some(_) if side.handled().is_some() && !side.rule.observed => counters.outranked.add(),
                _ => side.count_pass(number, subject),
            }
            if let Some(drawn) = self.drawn[side.limiters.clone()].first() {
                counters.match_at(drawn.now);
            }
        }
    }

    /// The rule with the least room left, the first of equals.
    fn tightest(&self) -> Option<&Side<'_>> {
        let mut tightest: Option<(&Side<'_>, u64)> = None;
        let counting = || self.sides.iter().filter(|side| !side.limiters.is_empty());
        if counting().count() <= 1 {
            return counting().next();
        }
        for side in counting() {
            let room = self.counted(side).map_or(u64::MAX, |(counted, limit)| limit.saturating_sub(counted));
            if tightest.is_none_or(|(_, least)| room < least) {
                tightest = Some((side, room));
            }
        }
        tightest.map(|(side, _)| side)
    }

    /// What a rule counts, and its limit: of several keys the one with the least room left.
    fn counted(&self, side: &Side<'_>) -> Option<(u64, u64)> {
        side.rule.allows.meter()?;
        let limit = self.limit(side);
        let count = |at| {
            let drawn: &Drawn = &self.drawn[at];
            if drawn.funds != Funds::Local {
                return 0;
            }
            // What the attempt found is not what others have made of it since.
            drawn
                .attempt
                .as_ref()
                .map_or_else(|| drawn.limiter.counted(drawn.now), |attempt| u64::from(attempt.total()))
        };
        side.limiters.clone().map(count).max().map(|counted| (counted, limit))
    }

    /// Names the rule in a decision.
    fn tell(&self, decision: &mut Decision, side: &Side<'_>) {
        decision.rule = Some(side.rule.name.clone());
        decision.overflow = self.drawn[side.limiters.clone()].iter().any(|drawn| drawn.overflow);
        decision.limit = self.limit(side);
        match &side.standing {
            Standing::Exceeded(exceeded) => {
                decision.count = exceeded.counted;
                decision.retry_after = match exceeded.wait {
                    Wait::Nanos(nanos) => Some(Duration::from_nanos(nanos)),
                    Wait::Release | Wait::Never => None,
                };
            }
            Standing::Within => {
                decision.count = self.counted(side).map_or(0, |(counted, _)| counted);
            }
        }
    }
}

impl Side<'_> {
    /// Counts a statement that the rule does not hold up.
    fn count_pass(&self, number: usize, subject: &Subject) {
        let counters = &self.rule.state.counters;
        match &self.standing {
            Standing::Within => counters.passed.add(),
            Standing::Exceeded(exceeded) if exceeded.handled != Some(true) => counters.passed_over.add(),
            // Only of a rule that is observed: else it had held the statement up.
            Standing::Exceeded(_) => {
                counters.passed.add();
                if let Some(would) = self.sentence(number, subject) {
                    counters.would_refuse(would.verdict);
                }
            }
        }
    }
}
