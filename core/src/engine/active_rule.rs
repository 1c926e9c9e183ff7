//! A rule in force: what it says, as a check needs it.

use super::credit::Shared;
use super::rule_state::{Identity, RuleState};
use crate::clock::Reading;
use crate::decision::RuleName;
use crate::error::{Fault, LoadError};
use crate::limit::{Measure, nanos};
use crate::rule::{Count, Limit, Mode, Part, Rule, RuleFile, Then, Threshold};
use std::sync::Arc;
use std::time::SystemTime;

/// A rule in force. A threshold is one too.
#[derive(Debug)]
pub(super) struct ActiveRule {
    /// What decisions call it: a threshold of a provider has a name of its own, and shares its state with the others.
    pub(super) name: RuleName,
    pub(super) state: Arc<RuleState>,
    pub(super) allows: Allows,
    pub(super) then: Then,
    /// Whether it is only observed.
    pub(super) observed: bool,
    pub(super) expires: Option<SystemTime>,
    /// How it shares its limit with other instances, if it does.
    pub(super) shared: Option<Box<Shared>>,
}

/// How much a rule allows.
#[derive(Debug)]
pub(super) enum Allows {
    /// So much, of what is tried.
    Attempts(Meter),
    /// So much, of what passes.
    Admitted(Meter),
    Nothing,
    Everything,
}

/// How the limiters of a rule are used.
#[derive(Debug)]
pub(super) struct Meter {
    pub(super) measure: Measure,
    /// How they read the clock.
    pub(super) reading: Reading,
    pub(super) max: u32,
    /// After which a place that is held is free again, in nanoseconds.
    pub(super) lease: u64,
}

impl Allows {
    /// What a limit comes to; `wall` is how far the wall clock is ahead of the engine's, in nanoseconds.
    pub(super) fn of(limit: &Limit, wall: u64) -> Result<Self, String> {
        let Some(measure) = Measure::of(limit, wall)? else {
            return Ok(if *limit == Limit::Block { Self::Nothing } else { Self::Everything });
        };
        let (max, lease, attempts) = match *limit {
            Limit::SlidingWindow { max, count, .. } => (max, 0, count == Count::Attempts),
            Limit::FixedWindow { max, .. } => (max, 0, false),
            Limit::TokenBucket { capacity, .. } => (capacity, 0, false),
            Limit::Concurrency { max, lease } => (max, nanos(lease), false),
            Limit::Block | Limit::Unlimited => (0, 0, false),
        };
        let meter = Meter { reading: measure.reading(), measure, max, lease };
        Ok(if attempts { Self::Attempts(meter) } else { Self::Admitted(meter) })
    }

    /// How its limiters are used, if it has any.
    pub(super) const fn meter(&self) -> Option<&Meter> {
        match self {
            Self::Attempts(meter) | Self::Admitted(meter) => Some(meter),
            Self::Nothing | Self::Everything => None,
        }
    }
}

impl ActiveRule {
    /// What it counts by.
    pub(super) fn per(&self) -> &[Part] {
        &self.state.identity.per
    }

    /// Whether it exempts what it matches from every other rule.
    pub(super) const fn exempts(&self) -> bool {
        matches!(self.allows, Allows::Everything) && !self.observed
    }

    /// Whether it has ended by then.
    pub(super) fn is_over(&self, wall: SystemTime) -> bool {
        self.state.is_expired() || self.expires.is_some_and(|expires| wall >= expires)
    }
}

/// What a rule or a threshold says besides what it matches.
pub(super) struct Terms<'a> {
    name: RuleName,
    limit: Limit,
    then: Then,
    per: &'a [Part],
    observed: bool,
    expires: Option<SystemTime>,
    shared: Option<Box<Shared>>,
}

impl<'a> Terms<'a> {
    /// Those of a rule of a file.
    pub(super) fn of_rule(rule: &'a Rule, file: &RuleFile) -> Self {
        Self {
            name: RuleName::Rule(rule.name.as_str().into()),
            limit: rule.limit,
            then: rule.then.clone(),
            per: &rule.per,
            observed: rule.mode.map_or(file.mode, |mode| mode.max(file.mode)) == Mode::Observe,
            expires: rule.expires,
            shared: Shared::of(rule, file.cluster.as_ref()),
        }
    }

    /// Those of a threshold, which is a rule of one kind; `mode` is the file's.
    pub(super) fn of_threshold(name: RuleName, threshold: &Threshold, per: &'a [Part], mode: Mode) -> Self {
        let Threshold { max_count: max, window, buckets, .. } = *threshold;
        let limit = Limit::SlidingWindow { max, window, buckets, count: Count::Attempts };
        let then =
            Then { strategy: threshold.strategy.clone(), share: threshold.share, max_delayed: threshold.max_delayed };
        Self { name, limit, then, per, observed: mode == Mode::Observe, expires: None, shared: None }
    }

    pub(super) const fn expires(&self) -> Option<SystemTime> {
        self.expires
    }

    /// What its state follows from one set to the next.
    pub(super) fn identity(&self) -> Identity {
        Identity { name: self.name.clone(), limit: self.limit.name(), per: self.per.into() }
    }

    /// The rule in force, counted in a state; `wall` is how far the wall clock is ahead of the engine's, in nanoseconds.
    ///
    /// # Errors
    ///
    /// A limit that cannot be used, which no validated file holds.
    pub(super) fn in_force(self, state: Arc<RuleState>, wall: u64) -> Result<Arc<ActiveRule>, LoadError> {
        let Self { name, limit, then, observed, expires, shared, .. } = self;
        let local = shared.as_ref().map_or(limit, |shared| shared.local());
        let allows = Allows::of(&local, wall).map_err(|error| {
            let expected = "write another limit".to_owned();
            LoadError::with_faults(vec![Fault::unplaced("rule.limit.unusable", name.to_string(), error, expected)])
        })?;
        let allows = if shared.is_some() { allows.shared() } else { allows };
        Ok(Arc::new(ActiveRule { name, state, allows, then, observed, expires, shared }))
    }
}
