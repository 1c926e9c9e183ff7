//! What an engine tells of itself.

use super::active_rule::ActiveRule;
use super::rule_state::RuleState;
use super::{Engine, Inner};
use crate::clock::Reading;
use crate::decision::RuleName;
use crate::metrics::{RuleMode, RuleStats, Snapshot};
use crate::rule::Mode;
use std::time::Duration;

impl Engine {
    /// Whether a rule in force reads columns, and with them [`Statement::params`](crate::Statement::params). Where none does, a
    /// host need not tell what is bound.
    ///
    /// ```
    /// use sqlthrottle::{Engine, RuleFile};
    ///
    /// let reads = |rule: &str| Ok::<_, sqlthrottle::LoadError>(Engine::new(RuleFile::parse(rule)?)?.reads_params());
    /// assert!(reads("rules: [{name: a, match: {columns: {t.a: [1]}}, limit: {block: true}}]")?);
    /// assert!(reads("rules: [{name: a, per: [\"column:t.a\"], limit: {token_bucket: {capacity: 1, rate: 1/s}}}]")?);
    /// assert!(!reads("rules: [{name: a, match: {tables: t}, per: [user], limit: {token_bucket: {capacity: 1, rate: 1/s}}}]")?);
    /// # Ok::<(), sqlthrottle::LoadError>(())
    /// ```
    pub fn reads_params(&self) -> bool {
        self.0.in_force().1.reads_params
    }

    /// Whether a rule in force reads [`Context::database`](crate::Context::database): where none does, a host need not find out which
    /// one a statement is sent to.
    ///
    /// ```
    /// use sqlthrottle::{Engine, RuleFile};
    ///
    /// let reads = |rule: &str| Ok::<_, sqlthrottle::LoadError>(Engine::new(RuleFile::parse(rule)?)?.reads_database());
    /// assert!(reads("rules: [{name: a, match: {databases: shop}, limit: {block: true}}]")?);
    /// assert!(reads("rules: [{name: a, per: [database], limit: {token_bucket: {capacity: 1, rate: 1/s}}}]")?);
    /// assert!(!reads("rules: [{name: a, match: {tables: t}, per: [user], limit: {token_bucket: {capacity: 1, rate: 1/s}}}]")?);
    /// # Ok::<(), sqlthrottle::LoadError>(())
    /// ```
    pub fn reads_database(&self) -> bool {
        self.0.in_force().1.reads_database
    }
}

impl Inner {
    pub(super) fn snapshot(&self) -> Snapshot {
        self.tidy();
        let set = self.set();
        let off = set.file.mode == Mode::Off;
        let mut rules: Vec<RuleStats> = set
            .iter_numbered()
            .map(|(rule, number)| {
                let is_off = off || number.is_some_and(|number| set.is_off(number));
                self.stats(&rule.state, rule.mode(is_off), rule.reading())
            })
            .collect();
        if self.provided.is_asked() {
            let mode = match set.file.mode {
                Mode::Enforce => RuleMode::Enforced,
                Mode::Observe => RuleMode::Observed,
                Mode::Off => RuleMode::Off,
            };
            rules.push(self.stats(&set.provided, mode, Reading::Precise));
        }
        Snapshot {
            version: set.version,
            rules,
            removed: set.removed().iter().map(|rule| RuleName::Rule(rule.name.as_str().into())).collect(),
            shapes: self.shapes.len(),
            waiting: self.waiting.len(),
            waits: self.waiting.waits(),
            provider_failures: self.provided.failures(),
            cluster_failures: self.cluster_failures.get(),
            guard_errors: self.guard_errors.get(),
        }
    }

    /// The name of the rule at a place of a snapshot.
    pub(super) fn rule_name(&self, place: usize) -> Option<RuleName> {
        let set = self.set();
        let mut rules = set.iter_numbered().skip(place);
        match rules.next() {
            Some((rule, _)) => Some(rule.name.clone()),
            None => (self.provided.is_asked() && place == set.iter_numbered().count()).then_some(RuleName::Provider),
        }
    }

    fn stats(&self, state: &RuleState, mode: RuleMode, reading: Reading) -> RuleStats {
        let now = self.clock.read(reading);
        let mut stats = RuleStats::of(state.name().clone(), mode, &state.counters);
        (stats.in_use, stats.leaked) = state.limiters.places(now);
        (stats.keys, stats.overflow) = (state.limiters.len(), state.limiters.overflow_count());
        let last = state.counters.last().filter(|_| stats.keys > 0 || stats.overflow > 0);
        stats.last = last.map(|last| Duration::from_nanos(now.saturating_sub(last)));
        stats
    }
}

impl ActiveRule {
    /// Whether it is carried out.
    pub(super) fn mode(&self, is_off: bool) -> RuleMode {
        if self.state.is_expired() {
            RuleMode::Expired
        } else if is_off {
            RuleMode::Off
        } else if self.observed {
            RuleMode::Observed
        } else {
            RuleMode::Enforced
        }
    }

    /// The clock by which it is said when it was last matched.
    pub(super) fn reading(&self) -> Reading {
        self.allows.meter().map_or(Reading::Precise, |meter| meter.reading)
    }
}
