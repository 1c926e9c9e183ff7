//! What a rule that is over its limit does to a statement, and which of several rules has its way.

use super::contest::Claims;
use super::{Contest, Side, Subject, Times};
use crate::decision::{Reason, Verdict};
use crate::engine::active_rule::Allows;
use crate::strategy::Strategy;
use sqlthrottle_cells::claim::{Reservations, Wait};
use std::sync::Arc;

/// What a rule that is over its limit does to a statement.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct Sentence {
    pub(in crate::engine) verdict: Verdict,
    pub(in crate::engine) reason: Reason,
    /// The number of the side.
    pub(in crate::engine) side: usize,
    strength: Strength,
    wait: Wait,
}

/// The order in which rules prevail. What a host decides by itself it may let pass, so a plain abort goes before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Strength {
    Delay,
    Ignore,
    Custom,
    Abort,
}

impl Sentence {
    /// Of equals the one with the longest wait prevails.
    const fn rank(&self) -> (Strength, Wait) {
        (self.strength, self.wait)
    }
}

impl Side<'_> {
    /// What it does to a statement; none where it lets that pass.
    pub(super) fn sentence(&self, number: usize, subject: &Subject) -> Option<Sentence> {
        let exceeded = self.handled()?;
        let over = if matches!(self.rule.allows, Allows::Nothing) { Reason::Blocked } else { Reason::OverLimit };
        let (strength, verdict, reason) = match &self.rule.then.strategy {
            _ if exceeded.is_down => (Strength::Abort, Verdict::Abort, Reason::ClusterDown),
            _ if exceeded.never => (Strength::Abort, Verdict::Abort, Reason::Never),
            Strategy::Abort => (Strength::Abort, Verdict::Abort, over),
            // A host that does not know a strategy of that name aborts.
            Strategy::Custom(_) => (Strength::Custom, Verdict::Abort, over),
            Strategy::Ignore if subject.can_fake => (Strength::Ignore, Verdict::Ignore, over),
            Strategy::Ignore => (Strength::Abort, Verdict::Abort, Reason::IgnoreUnavailable),
            Strategy::Delay(_) => (Strength::Delay, Verdict::Delay, over),
        };
        Some(Sentence { verdict, reason, side: number, strength, wait: exceeded.wait })
    }
}

impl Contest<'_> {
    /// What the strongest of the rules that are over says, the first of equals.
    pub(in crate::engine) fn strongest(&self, observed: bool, subject: &Subject) -> Option<Sentence> {
        let mut strongest: Option<Sentence> = None;
        for (number, side) in self.sides.iter().enumerate().filter(|(_, side)| side.rule.observed == observed) {
            if let Some(sentence) = side.sentence(number, subject)
                && strongest.as_ref().is_none_or(|other| sentence.rank() > other.rank())
            {
                strongest = Some(sentence);
            }
        }
        strongest
    }

    /// Takes from all limiters that have room, or from none: then one that had room is over, because another thread was
    /// quicker; or from none because the rules have changed meanwhile, and a limiter is succeeded by another. Returns whether
    /// it took.
    pub(in crate::engine) fn reserve(
        &mut self,
        observed: bool,
        weight: u32,
        reservations: &mut Reservations,
        times: &mut Times<'_>,
    ) -> bool {
        let Claims { claims, of } = self.claims(observed);
        match reservations.acquire(&claims, weight) {
            Ok(()) if of.iter().any(|(_, at)| self.drawn[*at].limiter.is_succeeded()) => {
                reservations.undo(&claims);
                drop(claims);
                for (side, at) in of {
                    self.drawn[at].draw_successor(self.sides[side].rule, times);
                }
                false
            }
            Ok(()) => {
                drop(claims);
                self.take_places(reservations, &of);
                true
            }
            Err(refusal) => {
                drop(claims);
                let (side, at) = of[refusal.claim];
                self.drawn[at].is_over = true;
                self.sides[side].exceed(refusal.over, at, weight);
                self.sides[side].draw_share(&self.drawn);
                false
            }
        }
    }

    /// Takes note of the places that were reserved; `of` says whose each claim is.
    fn take_places(&mut self, reservations: &Reservations, of: &[(usize, usize)]) {
        for (claim, place) in reservations.permits() {
            let (side, at) = of[claim];
            let lease = self.sides[side].rule.allows.meter().map_or(0, |meter| meter.lease);
            self.longest_lease = self.longest_lease.max(lease);
            self.places.push((Arc::clone(&self.drawn[at].limiter), place));
        }
    }
}
