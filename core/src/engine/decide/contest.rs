//! The rules that take part in one check, each with the limiters that count it and how it stands to them.

use super::Times;
use crate::engine::active_rule::{ActiveRule, Allows, Meter};
use crate::engine::asked::Asked;
use crate::engine::credit::Funds;
use crate::engine::hands::{Hands, LimiterKey};
use crate::engine::keys;
use crate::engine::permits::Places;
use crate::engine::plan::{Participant, Participants};
use crate::engine::shape::Shape;
use crate::limit::{Measure, Pinned, nanos};
use crate::quota::Lookup;
use crate::strategy::{Delay, Strategy};
use ahash::RandomState;
use smallvec::SmallVec;
use sqlthrottle_cells::WindowShape;
use sqlthrottle_cells::claim::{Claim, Over, Wait};
use sqlthrottle_cells::sliding_window::{Attempt, WindowCell};
use std::ops::Range;
use std::sync::Arc;

/// Rules and limiters of one check for which no memory is asked for.
const USUAL: usize = 8;
/// How long a statement that is to wait for a place waits before it looks again, in nanoseconds: a place may be given back at
/// any moment.
const LOOK_AGAIN: u64 = 10_000_000;

/// The rules that take part in one check.
pub(in crate::engine) struct Contest<'p> {
    pub(in crate::engine) sides: SmallVec<[Side<'p>; USUAL]>,
    pub(in crate::engine) drawn: SmallVec<[Drawn; USUAL]>,
    /// Whether the statement has waited: then its rules have counted it when it came first.
    pub(in crate::engine) has_waited: bool,
    /// Places that were reserved for it, and the longest of their leases, in nanoseconds.
    pub(in crate::engine) places: Places,
    pub(in crate::engine) longest_lease: u64,
}

/// A rule that takes part in a check.
pub(in crate::engine) struct Side<'p> {
    pub(in crate::engine) rule: &'p Arc<ActiveRule>,
    /// Its limiters among those drawn: one for each key.
    pub(in crate::engine) limiters: Range<usize>,
    pub(in crate::engine) standing: Standing,
    /// Whether its share was drawn for the statement before, which then is of it.
    drew: bool,
}

/// A limiter that counts a statement.
pub(in crate::engine) struct Drawn {
    pub(in crate::engine) key: LimiterKey,
    pub(in crate::engine) limiter: Pinned,
    pub(in crate::engine) overflow: bool,
    /// When it is asked, by the clock of its rule.
    pub(in crate::engine) now: u64,
    /// What is counted of an attempt, where the rule counts those.
    pub(in crate::engine) attempt: Option<Attempt>,
    /// Whether it has no room for what is to be admitted.
    pub(in crate::engine) is_over: bool,
    /// What it is to be asked for.
    pub(in crate::engine) funds: Funds,
}

/// How a rule stands to a statement.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) enum Standing {
    Within,
    Exceeded(Exceeded),
}

/// A rule that is over its limit.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct Exceeded {
    /// What its limiter counts: with the statement where it counts attempts, and without where it counts what is admitted.
    pub(in crate::engine) counted: u64,
    pub(in crate::engine) wait: Wait,
    /// Whether the weight alone is beyond the limit.
    pub(in crate::engine) never: bool,
    /// Whether it is taken to be, because the cluster that counts for it does not answer.
    pub(in crate::engine) is_down: bool,
    /// Whether the statement is of the share that the strategy is applied to; none until that is drawn.
    pub(in crate::engine) handled: Option<bool>,
    /// The limiter, among those drawn; that of a rule which lets nothing pass is none.
    pub(in crate::engine) limiter: Option<usize>,
}

impl<'p> Contest<'p> {
    pub(in crate::engine) fn new(has_waited: bool) -> Self {
        let (sides, drawn) = (SmallVec::new(), SmallVec::new());
        Self { sides, drawn, has_waited, places: Places::new(), longest_lease: 0 }
    }

    /// Lets the rules take part that match a statement after all, each with its limiters. Nothing is counted yet. Returns the
    /// rule that exempts the statement from all others, if one does.
    pub(in crate::engine) fn gather(
        &mut self,
        participants: &'p Participants,
        shape: &Shape,
        asked: &Asked<'_, '_>,
        times: &mut Times<'_>,
        hasher: &RandomState,
        mut hands: Option<&mut Hands>,
    ) -> Option<&'p Arc<ActiveRule>> {
        let exempts = |participant: &&Participant| participant.rule.exempts() && participant.matches_constants(asked);
        if let Some(exempting) = participants.rules.iter().find(exempts) {
            return Some(&exempting.rule);
        }
        for participant in &participants.rules {
            let rule = &participant.rule;
            if rule.exempts() || !participant.matches_constants(asked) {
                continue;
            }
            let keys: SmallVec<[LimiterKey; 1]> = if let Some(key) = participant.key {
                SmallVec::from_buf([key])
            } else {
                let keys = keys::keys(participant, shape, asked).into_iter();
                keys.map(|key| LimiterKey::new(rule, key, hasher)).collect()
            };
            if keys.is_empty() {
                continue;
            }
            self.enter(rule, false);
            let Some(meter) = rule.allows.meter() else { continue };
            for key in keys {
                self.draw(key, rule, meter, times, hands.as_deref_mut());
            }
        }
        None
    }

    /// Lets a rule take part. `drew` tells whether its share was drawn for the statement before, which then is of it.
    pub(in crate::engine) fn enter(&mut self, rule: &'p Arc<ActiveRule>, drew: bool) {
        let standing = match rule.allows {
            Allows::Nothing => Standing::Exceeded(Exceeded::BLOCKED),
            // One that lets everything pass and is here is only observed, and exempts nothing.
            Allows::Everything | Allows::Attempts(_) | Allows::Admitted(_) => Standing::Within,
        };
        let none = self.drawn.len()..self.drawn.len();
        self.sides.push(Side { rule, limiters: none, standing, drew });
    }

    /// Finds a limiter of the rule that entered last.
    pub(in crate::engine) fn draw(
        &mut self,
        key: LimiterKey,
        rule: &ActiveRule,
        meter: &Meter,
        times: &mut Times<'_>,
        hands: Option<&mut Hands>,
    ) {
        let now = times.by(meter.reading);
        let Lookup { limiter, overflow } = match hands {
            Some(hands) => hands.limiter(&key, rule, meter, times),
            None => key.look_up(rule, meter, times),
        };
        let Some(side) = self.sides.last_mut() else { return };
        // Keys without a place share a limiter, which counts a statement once.
        let known = &self.drawn[side.limiters.clone()];
        if !known.iter().any(|drawn| Arc::ptr_eq(&drawn.limiter, &limiter)) {
            if overflow && !self.has_waited {
                rule.state.limiters.count_overflow();
            }
            self.drawn.push(Drawn { key, limiter, overflow, now, attempt: None, is_over: false, funds: Funds::Local });
            side.limiters.end = self.drawn.len();
        }
    }

    /// Counts the statement with the rules that count attempts, whatever becomes of it.
    pub(in crate::engine) fn record_attempts(&mut self, weight: u32, times: &mut Times<'_>) {
        for side in &mut self.sides {
            let Allows::Attempts(meter) = &side.rule.allows else { continue };
            for at in side.limiters.clone() {
                let drawn = &mut self.drawn[at];
                let Some(attempt) = drawn.count_attempt(side.rule, weight, times) else { continue };
                let total = attempt.total();
                drawn.attempt = Some(attempt);
                let Some((cell, shape)) = drawn.limiter.window() else { continue };
                if total > meter.max {
                    let until = cell.retry_after(shape, weight, drawn.now, meter.max);
                    side.exceed(
                        Over { counted: u64::from(total), wait: until.map_or(Wait::Never, Wait::Nanos) },
                        at,
                        weight,
                    );
                }
            }
        }
    }

    /// Looks whether the rules that count what is admitted have room.
    pub(in crate::engine) fn look(&mut self, observed: bool, weight: u32) {
        for side in &mut self.sides {
            let Allows::Admitted(meter) = &side.rule.allows else { continue };
            if side.rule.observed != observed || !side.is_within() {
                continue;
            }
            for at in side.limiters.clone() {
                let drawn = &mut self.drawn[at];
                if drawn.funds == Funds::Local
                    && let Some(over) = drawn.claim(meter).over(weight)
                {
                    drawn.is_over = true;
                    side.exceed(over, at, weight);
                }
            }
        }
    }

    /// Lets every rule that is over its limit draw whether the statement is of its share.
    pub(in crate::engine) fn draw_shares(&mut self, observed: bool) {
        for side in self.sides.iter_mut().filter(|side| side.rule.observed == observed) {
            side.draw_share(&self.drawn);
        }
    }

    /// Whether any rule is only observed.
    pub(in crate::engine) fn has_observed(&self) -> bool {
        self.sides.iter().any(|side| side.rule.observed)
    }

    /// What the limiters that count what is admitted, and have room, are to be asked for. Of a rule that is over and lets the
    /// statement pass, those of its other keys.
    pub(in crate::engine) fn claims(&self, observed: bool) -> Claims<'_> {
        let mut claims = Claims { claims: SmallVec::new(), of: SmallVec::new() };
        for (number, side) in self.sides.iter().enumerate() {
            let Allows::Admitted(meter) = &side.rule.allows else { continue };
            if side.rule.observed != observed || side.handled().is_some() {
                continue;
            }
            let asked = |at: &usize| !self.drawn[*at].is_over && self.drawn[*at].funds == Funds::Local;
            let with_room = side.limiters.clone().filter(asked);
            let mut with_room: SmallVec<[usize; USUAL]> = with_room.collect();
            // Of two statements that want the same limiters, the first at the first of them is to get them all.
            with_room.sort_unstable_by_key(|at| self.drawn[*at].key.hash());
            for at in with_room {
                claims.claims.push(self.drawn[at].claim(meter));
                claims.of.push((number, at));
            }
        }
        claims
    }
}

/// What limiters are asked for, in the order in which they are reserved.
pub(in crate::engine) struct Claims<'a> {
    pub(in crate::engine) claims: SmallVec<[Claim<'a>; USUAL]>,
    /// The number of the side, and of the limiter among those drawn, of each.
    pub(in crate::engine) of: SmallVec<[(usize, usize); USUAL]>,
}

impl Participant {
    /// Whether the constants of a statement are what the rule asks for.
    fn matches_constants(&self, asked: &Asked<'_, '_>) -> bool {
        match &self.condition {
            Some(condition) if self.asks_constants => condition.of_constants(&asked.constants).is_ok(),
            _ => true,
        }
    }
}

impl Drawn {
    /// Counts an attempt in its window, or in that of the limiter which has succeeded it by then.
    fn count_attempt(&mut self, rule: &ActiveRule, weight: u32, times: &mut Times<'_>) -> Option<Attempt> {
        loop {
            let (cell, shape) = self.limiter.window()?;
            let attempt = cell.count_attempt(shape, weight, self.now);
            if !self.draw_successor(rule, times) {
                return Some(attempt);
            }
        }
    }

    /// Takes the limiter that has succeeded it, where one has since it was drawn: then what was counted on it may count for
    /// nothing. Whether one has.
    pub(in crate::engine) fn draw_successor(&mut self, rule: &ActiveRule, times: &mut Times<'_>) -> bool {
        let Some(meter) = rule.allows.meter().filter(|_| self.limiter.is_succeeded()) else { return false };
        Lookup { limiter: self.limiter, overflow: self.overflow } = self.key.look_up(rule, meter, times);
        self.is_over = false;
        true
    }

    pub(in crate::engine) fn claim(&self, meter: &Meter) -> Claim<'_> {
        self.limiter.claim(meter.max, meter.lease, self.now)
    }
}

impl Exceeded {
    /// By a rule that lets nothing pass.
    const BLOCKED: Self =
        Self { counted: 0, wait: Wait::Never, never: false, is_down: false, handled: None, limiter: None };
}

impl Side<'_> {
    pub(in crate::engine) const fn is_within(&self) -> bool {
        matches!(self.standing, Standing::Within)
    }

    /// How far it is over its limit, where the strategy is applied.
    pub(in crate::engine) fn handled(&self) -> Option<&Exceeded> {
        match &self.standing {
            Standing::Exceeded(exceeded) if exceeded.handled == Some(true) => Some(exceeded),
            _ => None,
        }
    }

    /// Takes note that a limiter is over. The first of several draws the share, and the longest wait is the rule's.
    pub(in crate::engine) fn exceed(&mut self, over: Over, at: usize, weight: u32) {
        let never = match self.rule.allows.meter() {
            Some(Meter { measure: Measure::Concurrency, .. }) | None => false,
            Some(meter) => weight > meter.max,
        };
        match &mut self.standing {
            Standing::Exceeded(exceeded) => {
                if over.wait > exceeded.wait {
                    (exceeded.wait, exceeded.counted) = (over.wait, over.counted);
                }
            }
            standing @ Standing::Within => {
                let Over { counted, wait } = over;
                let handled = self.drew.then_some(true);
                *standing =
                    Standing::Exceeded(Exceeded { counted, wait, never, is_down: false, handled, limiter: Some(at) });
            }
        }
    }

    /// Draws whether the statement is of the share, once a check.
    pub(in crate::engine) fn draw_share(&mut self, drawn: &[Drawn]) {
        if let Standing::Exceeded(exceeded) = &mut self.standing
            && exceeded.handled.is_none()
        {
            let over = exceeded.limiter.map(|at| &drawn[at]);
            let counter = over.map_or(&self.rule.state.share, |drawn| drawn.limiter.share());
            // No share lets a statement through that is over the limit all by itself, or while nobody counts.
            let all = exceeded.never || exceeded.is_down;
            exceeded.handled = Some(all || self.rule.share(over).draw(counter));
        }
    }

    /// How long a statement that it delays is to wait, in nanoseconds.
    pub(in crate::engine) fn delay(&self, drawn: &[Drawn]) -> u64 {
        let (Strategy::Delay(delay), Some(exceeded)) = (&self.rule.then.strategy, self.handled()) else { return 0 };
        let most = match delay {
            Delay::Fixed(time) => return nanos(*time),
            Delay::UntilAllowed { max } => nanos(*max).max(1),
        };
        let wait = match (&self.rule.allows, exceeded.limiter) {
            // A statement that is among the attempts already waits for no more room.
            (Allows::Attempts(meter), Some(at)) if drawn[at].attempt.is_some() => {
                let room = |(cell, shape): (&WindowCell, &Arc<WindowShape>)| {
                    cell.retry_after(shape, 0, drawn[at].now, meter.max).unwrap_or(u64::MAX)
                };
                drawn[at].limiter.window().map_or(0, room)
            }
            _ => match exceeded.wait {
                Wait::Nanos(nanos) => nanos,
                Wait::Release => LOOK_AGAIN,
                Wait::Never => u64::MAX,
            },
        };
        wait.clamp(1, most)
    }
}
