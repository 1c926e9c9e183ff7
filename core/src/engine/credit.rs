//! Rules that a cluster counts, in a check: what is set aside for a statement before anything is counted, and what holds where
//! the cluster does not answer.

use super::active_rule::{ActiveRule, Allows, Meter};
use super::decide::{Contest, Drawn, Side, Standing, Times};
use super::refill::{RefillRequest, Refilled};
use crate::clock::Reading;
use crate::limit::{Measure, SetAside, nanos};
use crate::rule::{Cluster, Limit, OnFailure, Rule, Scope};
use crate::strategy::Share;
use sqlthrottle_cells::claim::{Over, Wait};
use std::sync::Arc;
use std::time::Duration;

/// How a rule shares its limit with other instances.
#[derive(Debug)]
pub(super) struct Shared {
    /// That of the cluster, of which this process keeps none but what it is granted.
    pub(super) limit: Limit,
    pub(super) max: u32,
    pub(super) namespace: Arc<str>,
    pub(super) ttl: Duration,
    /// What a lease holds; less than a statement needs where each asks for itself.
    lease: u32,
    on_failure: OnFailure,
}

/// What a limiter is to be asked for, where its rule is one that a cluster counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Funds {
    /// Room of its own: no cluster counts for the rule, or it does not answer.
    #[default]
    Local,
    /// Nothing more: so much credit is set aside.
    Credit(SetAside),
    /// Nothing: the cluster has refused, or its failure decides.
    None,
}

/// How a limiter stands to a statement by what the cluster says.
enum Funding {
    Credit(SetAside),
    /// It is over, whatever is done.
    Over(Wait),
    /// The cluster does not answer; for so long it is not asked again, as far as that is known.
    Failed(Wait),
    Unknown,
}

impl Funds {
    /// What is set aside.
    pub(super) const fn set_aside(self) -> Option<SetAside> {
        match self {
            Self::Credit(set_aside) => Some(set_aside),
            Self::Local | Self::None => None,
        }
    }
}

impl Shared {
    /// That of a rule of a file; none where its counters live in the process.
    pub(super) fn of(rule: &Rule, cluster: Option<&Cluster>) -> Option<Box<Self>> {
        let cluster = cluster.filter(|_| rule.scope == Scope::Cluster)?;
        let max = match rule.limit {
            Limit::TokenBucket { capacity: max, .. }
            | Limit::SlidingWindow { max, .. }
            | Limit::FixedWindow { max, .. }
            | Limit::Concurrency { max, .. } => max,
            Limit::Block | Limit::Unlimited => return None,
        };
        let lease = u64::from(max) * u64::from(cluster.lease.fraction_millionths) / 1_000_000;
        Some(Box::new(Self {
            limit: rule.limit,
            max,
            namespace: cluster.namespace.as_str().into(),
            ttl: cluster.lease.ttl,
            lease: u32::try_from(lease).unwrap_or(max).min(max),
            on_failure: rule.on_failure.unwrap_or(cluster.on_failure),
        }))
    }

    /// The limit that holds in this process when the cluster does not answer.
    pub(super) fn local(&self) -> Limit {
        self.on_failure.limit().unwrap_or(self.limit)
    }

    /// The share of that, where it has one of its own.
    pub(super) const fn local_share(&self) -> Option<Share> {
        match self.on_failure {
            OnFailure::Limit { share, .. } => Some(share),
            OnFailure::Local | OnFailure::Closed | OnFailure::Open => None,
        }
    }

    /// The most to ask for where so much is needed.
    pub(super) fn most(&self, least: u32) -> u32 {
        self.lease.max(least)
    }

    /// How long a lease is good for, and a failure holds, in nanoseconds.
    pub(super) fn ttl_nanos(&self) -> u64 {
        nanos(self.ttl)
    }

    /// How a limiter stands to a statement; what is found to be of use is set aside.
    fn funding(
        &self,
        rule: &ActiveRule,
        drawn: &Drawn,
        weight: u32,
        times: &mut Times<'_>,
        refilled: Option<&Refilled>,
    ) -> Funding {
        if weight > self.max {
            return Funding::Over(Wait::Never);
        }
        if let Some(credit) = drawn.limiter.credit() {
            let asked_for = refilled.and_then(|refilled| refilled.set_aside(drawn));
            // What was granted for less is not enough.
            let asked_for = asked_for.filter(|set_aside| set_aside.amount() >= weight);
            if let Some(set_aside) = asked_for.filter(|set_aside| credit.is_live(*set_aside, drawn.now)) {
                return Funding::Credit(set_aside);
            }
            if let Some(set_aside) = credit.set_aside(weight, drawn.now) {
                return Funding::Credit(set_aside);
            }
            let refusal = refilled.and_then(|refilled| refilled.refusal(drawn));
            if let Some(left) = refusal.or_else(|| credit.refusal(weight, drawn.now)) {
                return Funding::Over(Wait::Nanos(left));
            }
        }
        match (rule.state.failure(|| times.by(Reading::Precise)), refilled) {
            (Some(left), _) => Funding::Failed(Wait::Nanos(left)),
            (None, Some(_)) => Funding::Failed(Wait::Release),
            (None, None) => Funding::Unknown,
        }
    }
}

impl Allows {
    /// The same for a rule that a cluster counts.
    pub(super) fn shared(self) -> Self {
        match self {
            Self::Admitted(Meter { measure, max, lease, .. }) => {
                let measure = Measure::Shared(Arc::new(measure));
                Self::Admitted(Meter { reading: measure.reading(), measure, max, lease })
            }
            other => other,
        }
    }
}

impl Contest<'_> {
    /// Sets aside what a statement takes of rules that a cluster counts, and finds those that are over. Nothing is counted yet.
    ///
    /// # Errors
    ///
    /// What is to be asked for first; never where that has been done. Nothing is set aside then.
    pub(super) fn set_aside(
        &mut self,
        weight: u32,
        times: &mut Times<'_>,
        refilled: Option<&Refilled>,
    ) -> Result<(), RefillRequest> {
        if self.sides.iter().all(|side| side.rule.shared.is_none()) {
            return Ok(());
        }
        let mut lacking = Vec::new();
        for side in &mut self.sides {
            let Some(shared) = &side.rule.shared else { continue };
            for at in side.limiters.clone() {
                let drawn = &mut self.drawn[at];
                let (wait, is_down) = match shared.funding(side.rule, drawn, weight, times, refilled) {
                    Funding::Credit(set_aside) => {
                        drawn.funds = Funds::Credit(set_aside);
                        continue;
                    }
                    Funding::Unknown => {
                        lacking.push(drawn.key);
                        continue;
                    }
                    Funding::Over(wait) => (wait, false),
                    Funding::Failed(wait) => match shared.on_failure {
                        OnFailure::Local | OnFailure::Limit { .. } => continue,
                        OnFailure::Closed => (wait, true),
                        OnFailure::Open => {
                            drawn.funds = Funds::None;
                            continue;
                        }
                    },
                };
                drawn.funds = Funds::None;
                drawn.is_over = true;
                // How much the cluster counts it does not say; that there is no room for more it does.
                let counted = if is_down || wait == Wait::Never { 0 } else { u64::from(shared.max) };
                side.exceed(Over { counted, wait }, at, weight);
                if let Standing::Exceeded(exceeded) = &mut side.standing {
                    exceeded.never = weight > shared.max;
                    exceeded.is_down |= is_down;
                }
            }
        }
        if !lacking.is_empty() {
            self.give_back(|_| true);
            return Err(RefillRequest::new(lacking, weight));
        }
        let Self { sides, drawn, .. } = self;
        sides.retain(|side| !side.is_open(drawn));
        Ok(())
    }

    /// Gives back what was set aside for some of the rules and is not spent.
    pub(super) fn give_back(&mut self, of: impl Fn(&Side<'_>) -> bool) {
        for side in self.sides.iter().filter(|side| side.rule.shared.is_some() && of(side)) {
            for drawn in &mut self.drawn[side.limiters.clone()] {
                if let Some(set_aside) = drawn.funds.set_aside()
                    && let Some(credit) = drawn.limiter.credit()
                {
                    credit.give_back(set_aside);
                    drawn.funds = Funds::None;
                }
            }
        }
    }

    /// The limit that the count of a rule is held against.
    pub(super) fn limit(&self, side: &Side<'_>) -> u64 {
        let local = || self.drawn[side.limiters.clone()].iter().any(|drawn| drawn.funds == Funds::Local);
        match &side.rule.shared {
            Some(shared) if !local() => u64::from(shared.max),
            _ => side.rule.allows.meter().map_or(0, |meter| u64::from(meter.max)),
        }
    }
}

impl Side<'_> {
    /// Whether the rule is not asked at all, because the cluster that counts for it does not answer.
    fn is_open(&self, drawn: &[Drawn]) -> bool {
        let mut drawn = drawn[self.limiters.clone()].iter();
        self.rule.shared.is_some() && self.is_within() && drawn.all(|drawn| drawn.funds == Funds::None)
    }
}

impl ActiveRule {
    /// The share of what is over the limit, by one of its limiters.
    pub(super) fn share(&self, over: Option<&Drawn>) -> Share {
        let local = self.shared.as_ref().and_then(|shared| shared.local_share());
        let is_local = over.is_some_and(|drawn| drawn.funds == Funds::Local);
        local.filter(|_| is_local).unwrap_or(self.then.share)
    }
}
