//! What a rule that is over its limit does to a statement, and which of several rules has its way.

use super::contest::Claims;
use super::{Contest, Side, Subject};
use crate::decision::{Reason, Verdict};
use crate::engine::active_rule::Allows;
use crate::strategy::Strategy;
use sqlthrottle_cells::claim::{Over, Reservations, Wait};

/// What a rule that is over its limit does to a statement.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct Sentence {
    pub(in crate::engine) verdict: Verdict,
    pub(in crate::engine) reason: Reason,
    /// The number of the side.
    pub(in crate::engine) side: usize,
    wait: Wait,
}

impl Sentence {
    /// The order in which rules prevail: abort over ignore over delay, and of equals the one with the longest wait.
    fn strength(&self) -> (u8, Wait) {
        let verdict = match self.verdict {
            Verdict::Abort => 3,
            Verdict::Ignore => 2,
            Verdict::Delay => 1,
            Verdict::Allow | Verdict::RefillNeeded | Verdict::ThresholdNeeded => 0,
        };
        (verdict, self.wait)
    }
}

impl Side<'_> {
    /// What it does to a statement; none where it lets that pass.
    pub(super) fn sentence(&self, number: usize, subject: &Subject) -> Option<Sentence> {
        let exceeded = self.handled()?;
        let over = if matches!(self.rule.allows, Allows::Nothing) { Reason::Blocked } else { Reason::OverLimit };
        let (verdict, reason) = match &self.rule.then.strategy {
            _ if exceeded.is_down => (Verdict::Abort, Reason::ClusterDown),
            _ if exceeded.never => (Verdict::Abort, Reason::Never),
            // A host that does not know a strategy of that name aborts.
            Strategy::Abort | Strategy::Custom(_) => (Verdict::Abort, over),
            Strategy::Ignore if subject.can_fake => (Verdict::Ignore, over),
            Strategy::Ignore => (Verdict::Abort, Reason::IgnoreUnavailable),
            Strategy::Delay(_) => (Verdict::Delay, over),
        };
        Some(Sentence { verdict, reason, side: number, wait: exceeded.wait })
    }
}

impl Contest<'_> {
    /// What the strongest of the rules that are over says, the first of equals.
    pub(in crate::engine) fn strongest(&self, observed: bool, subject: &Subject) -> Option<Sentence> {
        let mut strongest: Option<Sentence> = None;
        for (number, side) in self.sides.iter().enumerate().filter(|(_, side)| side.rule.observed == observed) {
            if let Some(sentence) = side.sentence(number, subject)
                && strongest.as_ref().is_none_or(|other| sentence.strength() > other.strength())
            {
                strongest = Some(sentence);
            }
        }
        strongest
    }

    /// Takes from all limiters that have room, or from none: then one that had room is over, because another thread was
    /// quicker. Returns whether it took.
    pub(in crate::engine) fn reserve(&mut self, observed: bool, weight: u32, reservations: &mut Reservations) -> bool {
        let Claims { claims, of } = self.claims(observed);
        let lost = reservations.acquire(&claims, weight).err().map(|refusal| {
            let (side, at) = of[refusal.claim];
            (side, at, refusal.over)
        });
        drop(claims);
        let Some((side, at, over)) = lost else { return true };
        self.lose(side, at, over, weight);
        false
    }

    fn lose(&mut self, side: usize, at: usize, over: Over, weight: u32) {
        let side = &mut self.sides[side];
        self.drawn[at].is_over = true;
        side.exceed(over, at, weight);
        side.draw_share(&self.drawn);
    }
}
