//! What the rules come to for a shape: which of them take part in a check, and how their keys are known.

use super::active_rule::{ActiveRule, Allows};
use super::hands::LimiterKey;
use crate::context::Context;
use crate::decision::Reason;
use crate::quota::Key;
use crate::rule::matcher::Condition;
use crate::strategy::Strategy;
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// What a check of a shape does. Made once a shape, and where rules ask for it, once a shape and context.
#[derive(Clone, Debug)]
pub(super) enum Plan {
    /// No rule takes part.
    Pass(Reason),
    /// A rule exempts it from all others.
    Exempt(Arc<ActiveRule>),
    /// A single threshold: the plan of most statements, and the one that is made to be quick.
    Threshold(Threshold),
    /// Rules whose part in it no context changes.
    Rules(Arc<Participants>),
    /// Rules of which some ask for the context.
    ByContext(Arc<Participants>),
    /// The host is to ask its provider of thresholds first.
    ThresholdNeeded,
}

/// The rules that take part in a check, in the order in which their limiters are reserved.
#[derive(Debug)]
pub(super) struct Participants {
    pub(super) rules: Box<[Participant]>,
    /// What is answered where none takes part after all.
    pub(super) otherwise: Reason,
    /// What some of them look at in a context: the user and the client, the database, and tags.
    asks_user: bool,
    asks_database: bool,
    tags: Box<[String]>,
}

/// A rule that takes part in a check.
#[derive(Clone, Debug)]
pub(super) struct Participant {
    pub(super) rule: Arc<ActiveRule>,
    /// What is left to be asked: of the context, or of the constants of each statement.
    pub(super) condition: Option<Arc<Condition>>,
    pub(super) asks_context: bool,
    pub(super) asks_constants: bool,
    /// The key, where the shape alone says it.
    pub(super) key: Option<LimiterKey>,
}

/// A single threshold, which counts all statements of the shape with one limiter.
#[derive(Clone, Debug)]
pub(super) struct Threshold {
    pub(super) rule: Arc<ActiveRule>,
    pub(super) key: LimiterKey,
    /// Whether all that is over the limit is refused at once: nothing waits, is drawn for, or is only observed.
    pub(super) refuses_all: bool,
    /// The same at length, for what is over the limit otherwise.
    pub(super) participants: Arc<Participants>,
}

impl Participants {
    fn new(rules: Vec<Participant>, otherwise: Reason) -> Self {
        let asking = rules.iter().filter(|participant| participant.asks_context);
        let conditions: Vec<&Condition> = asking.filter_map(|participant| participant.condition.as_deref()).collect();
        let mut tags: Vec<String> =
            conditions.iter().flat_map(|condition| condition.tags()).map(str::to_owned).collect();
        tags.sort_unstable();
        tags.dedup();
        Self {
            asks_user: conditions.iter().any(|condition| condition.asks_user()),
            asks_database: conditions.iter().any(|condition| condition.asks_database()),
            tags: tags.into(),
            rules: rules.into(),
            otherwise,
        }
    }

    /// What they come to in a context.
    pub(super) fn of_context(&self, context: &Context<'_>) -> Plan {
        let matches = |participant: &&Participant| match &participant.condition {
            Some(condition) if participant.asks_context => condition.of_context(context).is_ok(),
            _ => true,
        };
        Plan::of_context(self.rules.iter().filter(matches).cloned().collect(), self.otherwise)
    }

    /// A key that contexts have in common only if all rules look at them alike; `shape` is the number of the shape.
    pub(super) fn context_key(&self, shape: u64, context: &Context<'_>) -> Key {
        let shape = shape.to_le_bytes();
        let mut parts: SmallVec<[Option<&[u8]>; 8]> = smallvec![Some(&shape[..])];
        if self.asks_user {
            parts.extend([context.user, context.client]);
        }
        if self.asks_database {
            parts.push(context.database);
        }
        parts.extend(self.tags.iter().map(|tag| context.tag_value(tag.as_bytes())));
        Key::of(&parts)
    }
}

impl Plan {
    /// The bytes that it refers to, where they may be many: what the usual plan takes is counted with the shape.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Rules(participants) | Self::ByContext(participants) => {
                participants.rules.len() * size_of::<Participant>()
            }
            Self::Pass(_) | Self::Exempt(_) | Self::Threshold(_) | Self::ThresholdNeeded => 0,
        }
    }

    /// The plan of rules that match a shape.
    pub(super) fn new(rules: Vec<Participant>, otherwise: Reason) -> Self {
        if rules.iter().any(|participant| participant.asks_context) {
            return Self::ByContext(Arc::new(Participants::new(rules, otherwise)));
        }
        Self::of_context(rules, otherwise)
    }

    /// The plan of rules that match a shape and a context.
    pub(super) fn of_context(rules: Vec<Participant>, otherwise: Reason) -> Self {
        if let Some(exempting) =
            rules.iter().find(|participant| participant.rule.exempts() && !participant.asks_constants)
        {
            return Self::Exempt(Arc::clone(&exempting.rule));
        }
        let participants = Arc::new(Participants::new(rules, otherwise));
        match &*participants.rules {
            [] => Self::Pass(otherwise),
            [Participant { rule, key: Some(key), asks_constants: false, .. }]
                if matches!(rule.allows, Allows::Attempts(_)) =>
            {
                let refuses = matches!(rule.then.strategy, Strategy::Abort | Strategy::Ignore);
                let refuses_all = refuses && rule.then.share.is_all() && !rule.observed;
                Self::Threshold(Threshold { rule: Arc::clone(rule), key: *key, refuses_all, participants })
            }
            _ => Self::Rules(participants),
        }
    }
}
