//! The rules in force, and what they come to for a shape.

use super::active_rule::{ActiveRule, Terms};
use super::amended::Amended;
use super::hands::LimiterKey;
use super::keys;
use super::plan::{Participant, Plan};
use super::rule_state::{Identity, RuleState};
use crate::decision::{Reason, RuleName};
use crate::error::{Fault, LoadError};
use crate::fingerprint::Fingerprint;
use crate::rule::matcher::{Matcher, ShapeFacts};
use crate::rule::{FingerprintPrefix, Mode, Part, Rule, RuleFile};
use ahash::RandomState;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

/// The rules in force. It never changes: other rules are another set.
pub(super) struct RuleSet {
    /// What they were made of, rules that admin statements added among them.
    pub(super) file: RuleFile,
    /// How many of its rules, the last ones, admin statements added.
    added: usize,
    /// Rules that were read and do not hold, because admin statements removed them.
    removed: Vec<Rule>,
    /// How many sets there have been.
    pub(super) version: u64,
    /// Whether checks of texts that are known go by it: it is found by others a moment before.
    announced: AtomicBool,
    /// Whether a rule reads bound parameters, and the database that a statement is sent to.
    pub(super) reads_params: bool,
    pub(super) reads_database: bool,
    matcher: Matcher,
    /// Thresholds, rules and the default threshold, in the order in which their limiters are reserved.
    all: Vec<Arc<ActiveRule>>,
    /// By prefix, in order: no prefix begins another, so the one before a fingerprint is the only one that may match. With its
    /// place among all.
    thresholds: Vec<(FingerprintPrefix, usize)>,
    default: Option<Arc<ActiveRule>>,
    by_state: HashMap<u32, usize>,
    /// The number of the next rule that has not been there before.
    next: u32,
    /// What the thresholds of a provider are counted in, whichever they are.
    pub(super) provided: Arc<RuleState>,
}

impl RuleSet {
    /// Puts rules in force, which go on with the counts of the set before. `wall` is how far the wall clock is ahead of the
    /// engine's, in nanoseconds.
    ///
    /// # Errors
    ///
    /// A limit or a pattern that cannot be used, which no validated file holds.
    pub(super) fn new(rules: Amended, previous: Option<&RuleSet>, wall: u64) -> Result<Self, LoadError> {
        let Amended { file, added, removed } = rules;
        let matcher = Matcher::new(&file).map_err(|wrong| {
            let faults = wrong.into_iter().map(|wrong| {
                let name = file.rules.get(wrong.rule as usize).map_or("", |rule| rule.name.as_str());
                let path = format!("rules.\"{name}\".match.{}", wrong.misfit.field.name());
                Fault::unplaced("rule.match.malformed", path, wrong.misfit.message, "write another value".to_owned())
            });
            LoadError::with_faults(faults.collect())
        })?;
        let mut states = States::of(previous);
        let max_keys = file.limits.max_keys;
        let mut active = |terms: Terms<'_>| {
            let state = states.take(terms.identity(), terms.expires(), max_keys);
            terms.in_force(state, wall)
        };
        let mut all = Vec::with_capacity(file.thresholds.len() + file.rules.len() + 1);
        let mut thresholds = Vec::with_capacity(file.thresholds.len());
        for (prefix, threshold) in &file.thresholds {
            let name = RuleName::threshold(prefix.as_str());
            thresholds.push((prefix.clone(), all.len()));
            all.push(active(Terms::of_threshold(name, threshold, &[], file.mode))?);
        }
        for rule in &file.rules {
            all.push(active(Terms::of_rule(rule, &file))?);
        }
        let per = [Part::Fingerprint];
        let default = file.default_threshold.as_ref();
        let default = default.map(|it| Terms::of_threshold(RuleName::DefaultThreshold, it, &per, file.mode));
        let default = default.map(active).transpose()?;
        all.extend(default.clone());
        let provided = states.take(
            Identity { name: RuleName::Provider, limit: "sliding_window", per: [Part::Fingerprint].into() },
            None,
            max_keys,
        );
        thresholds.sort_by(|a, b| a.0.cmp(&b.0));
        let by_state = all.iter().enumerate().map(|(place, rule)| (rule.state.number, place)).collect();
        let version = previous.map_or(1, |previous| previous.version + 1);
        let next = states.next;
        let is_column = |part: &Part| matches!(part, Part::Column(_));
        let reads_params =
            file.rules.iter().any(|rule| !rule.matching.columns.is_empty() || rule.per.iter().any(is_column));
        let reads_database =
            file.rules.iter().any(|rule| !rule.matching.databases.is_empty() || rule.per.contains(&Part::Database));
        Ok(Self {
            file,
            added,
            removed,
            version,
            // The first one is known to all.
            announced: AtomicBool::new(previous.is_none()),
            reads_params,
            reads_database,
            matcher,
            all,
            thresholds,
            default,
            by_state,
            next,
            provided,
        })
    }

    /// Whether an epoch has begun since it was put in force, so that every check goes by it.
    pub(super) fn is_announced(&self) -> bool {
        self.announced.load(Ordering::Acquire)
    }

    /// Says that one has begun.
    pub(super) fn announce(&self) {
        self.announced.store(true, Ordering::Release);
    }

    /// What the rules come to for a shape. `provided` is what the host's provider says of it.
    pub(super) fn plan(
        &self,
        facts: &ShapeFacts<'_>,
        provided: Option<&Arc<ActiveRule>>,
        wall: SystemTime,
        hasher: &RandomState,
    ) -> (Plan, Option<SystemTime>, Box<[String]>) {
        // A check may have begun before the set came that says so.
        if self.file.mode == Mode::Off {
            return (Plan::Pass(Reason::Off), None, Box::default());
        }
        let mut numbers = Vec::new();
        self.matcher.candidates(facts, &mut numbers);
        let naming: Vec<u32> = self.matcher.naming(facts.fingerprint).collect();
        let live = |number: &u32| {
            let rule = self.rule(*number as usize)?;
            (!rule.is_over(wall) && !self.is_off(*number)).then_some(rule)
        };
        let until = numbers.iter().chain(&naming).filter_map(live).filter_map(|rule| rule.expires).min();

        // No threshold names a kind, so none is asked about what is never checked.
        let asked = !facts.never_checked;
        let threshold = self.threshold(facts.fingerprint).filter(|_| asked);
        let provided = provided.filter(|_| asked);
        let is_named = threshold.is_some() || provided.is_some() || naming.iter().any(|number| live(number).is_some());
        let default = self.default.as_ref().filter(|_| asked && !is_named);
        let mut participants: Vec<Participant> =
            threshold.into_iter().chain(provided).map(|rule| participant(rule, facts, hasher)).collect();
        for number in &numbers {
            if let Some(rule) = live(number)
                && let Some(condition) = self.matcher.condition(*number)
            {
                participants.push(Participant {
                    asks_context: condition.asks_context(),
                    asks_constants: condition.asks_constants(facts),
                    condition: Some(Arc::clone(condition)),
                    ..participant(rule, facts, hasher)
                });
            }
        }
        participants.extend(default.map(|rule| participant(rule, facts, hasher)));
        let counts_tables = participants.iter().any(|participant| participant.rule.per().contains(&Part::Table));
        let tables = if counts_tables { keys::tables(facts) } else { Box::default() };
        let otherwise = if facts.never_checked { Reason::NotChecked } else { Reason::Allowed };
        (Plan::new(participants, otherwise), until, tables)
    }

    /// What the rules about requests come to.
    pub(super) fn plan_of_requests(&self, wall: SystemTime, hasher: &RandomState) -> (Plan, Option<SystemTime>) {
        if self.file.mode == Mode::Off {
            return (Plan::Pass(Reason::Off), None);
        }
        let live = || {
            self.matcher.requests().iter().filter_map(|number| {
                let rule = &self.all[self.thresholds.len() + *number as usize];
                (!rule.is_over(wall) && !self.is_off(*number)).then_some((*number, rule))
            })
        };
        let participants = live().filter_map(|(number, rule)| {
            let condition = Arc::clone(self.matcher.condition(number)?);
            Some(Participant {
                rule: Arc::clone(rule),
                asks_context: condition.asks_context(),
                asks_constants: false,
                condition: Some(condition),
                key: rule.per().is_empty().then(|| LimiterKey::new(rule, crate::quota::Key::of(&[]), hasher)),
            })
        });
        let until = live().filter_map(|(_, rule)| rule.expires).min();
        (Plan::new(participants.collect(), Reason::Allowed), until)
    }

    /// Whether a rule of the file is not looked at.
    pub(super) fn is_off(&self, number: u32) -> bool {
        self.file.rules.get(number as usize).is_some_and(|rule| rule.mode == Some(Mode::Off))
    }

    /// The threshold that names a fingerprint.
    pub(super) fn threshold(&self, fingerprint: &Fingerprint) -> Option<&Arc<ActiveRule>> {
        let hex = fingerprint.to_string();
        let behind = self.thresholds.partition_point(|(prefix, _)| prefix.as_str() <= hex.as_str());
        let (prefix, place) = &self.thresholds[behind.checked_sub(1)?];
        hex.starts_with(prefix.as_str()).then(|| &self.all[*place])
    }

    /// The rule whose state has a number; none where it is gone, or not looked at.
    pub(super) fn successor_of(&self, number: u32) -> Option<&Arc<ActiveRule>> {
        let place = *self.by_state.get(&number)?;
        let in_file = place.checked_sub(self.thresholds.len()).filter(|number| *number < self.file.rules.len());
        if self.file.mode == Mode::Off || in_file.is_some_and(|number| self.is_off(number as u32)) {
            return None;
        }
        let rule = &self.all[place];
        (!rule.state.is_expired()).then_some(rule)
    }

    /// What the next set is made of, but for what changes.
    pub(super) fn amended(&self) -> Amended {
        Amended { file: self.file.clone(), added: self.added, removed: self.removed.clone() }
    }

    /// Rules that were read and do not hold, because admin statements removed them.
    pub(super) fn removed(&self) -> &[Rule] {
        &self.removed
    }

    /// The states of every rule, and of a provider's thresholds.
    pub(super) fn states(&self) -> impl Iterator<Item = &Arc<RuleState>> {
        self.all.iter().map(|rule| &rule.state).chain([&self.provided])
    }

    /// Whether the state is one of its rules'.
    pub(super) fn has(&self, state: &RuleState) -> bool {
        self.by_state.contains_key(&state.number)
    }

    /// Every rule: thresholds and rules in the order of the file, the default threshold last.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Arc<ActiveRule>> {
        self.all.iter()
    }

    /// Every rule, one of the file with its number there.
    pub(super) fn iter_numbered(&self) -> impl Iterator<Item = (&Arc<ActiveRule>, Option<u32>)> {
        let number = |place: usize| {
            let number = place.checked_sub(self.thresholds.len())?;
            (number < self.file.rules.len()).then_some(number as u32)
        };
        self.all.iter().enumerate().map(move |(place, rule)| (rule, number(place)))
    }

    /// Whether any of these rules of the file has not ended.
    pub(super) fn any_live(&self, numbers: &[u32]) -> bool {
        let live = |number: u32| self.rule(number as usize).is_some_and(|rule| !rule.state.is_expired());
        numbers.iter().any(|number| live(*number) && !self.is_off(*number))
    }

    /// The rules of the file, each with its condition.
    pub(super) fn matcher(&self) -> &Matcher {
        &self.matcher
    }

    /// A rule of the file by its number.
    pub(super) fn rule(&self, number: usize) -> Option<&Arc<ActiveRule>> {
        self.all.get(self.thresholds.len() + number)
    }
}

fn participant(rule: &Arc<ActiveRule>, facts: &ShapeFacts<'_>, hasher: &RandomState) -> Participant {
    Participant {
        key: keys::of_shape(rule.per(), facts).map(|key| LimiterKey::new(rule, key, hasher)),
        rule: Arc::clone(rule),
        condition: None,
        asks_context: false,
        asks_constants: false,
    }
}

impl fmt::Debug for RuleSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RuleSet").field("version", &self.version).field("file", &self.file).finish_non_exhaustive()
    }
}

/// What the rules of the set before have counted, to be taken over by those that go on.
struct States {
    /// Each with the time at which its rule was to expire.
    known: HashMap<RuleName, (Arc<RuleState>, Option<SystemTime>)>,
    next: u32,
}

impl States {
    fn of(previous: Option<&RuleSet>) -> Self {
        let mut known = HashMap::new();
        let mut next = 1;
        if let Some(previous) = previous {
            let provided = (&previous.provided, None);
            let states = previous.all.iter().map(|rule| (&rule.state, rule.expires)).chain([provided]);
            known.extend(states.map(|(state, expires)| (state.name().clone(), (Arc::clone(state), expires))));
            next = previous.next;
        }
        Self { known, next }
    }

    /// The state of a rule: that of the rule which was the same before, or a new one. A rule that has expired stays so, unless
    /// it is to expire at another time.
    fn take(&mut self, identity: Identity, expires: Option<SystemTime>, max_keys: usize) -> Arc<RuleState> {
        if let Some((state, before)) = self.known.remove(&identity.name)
            && state.identity == identity
            && (!state.is_expired() || before == expires)
        {
            return state;
        }
        let number = self.next;
        self.next = self.next.wrapping_add(1);
        Arc::new(RuleState::new(number, identity, max_keys))
    }
}
