//! What is worth a word in a rule file that has no fault.

use super::patterns::FilePatterns;
use super::quantity::{quoted, write_timestamp};
use super::{Rule, RuleFile, Scope};
use crate::clock::Clock;
use crate::fingerprint::Dialect;
use std::time::{Duration, SystemTime};

/// How long before its end a rule is told.
const SOON: Duration = Duration::from_secs(7 * 86_400);
/// Most rules whose end is told one by one.
const MOST_TOLD: usize = 20;

impl RuleFile {
    /// What is worth a word now, though nothing is wrong.
    pub fn warnings(&self) -> Vec<String> {
        self.warnings_at(Clock::system().wall())
    }

    /// What is worth a word at a given time, though nothing is wrong: nothing to limit, as many rules as
    /// [`warn_rules`](super::Limits::warn_rules), patterns that together come to half of what they may, no dialect, limits that instances share, which this build has no backend
    /// for, and rules that have expired or will within seven days.
    pub fn warnings_at(&self, now: SystemTime) -> Vec<String> {
        let mut warnings = Vec::new();
        let (rules, warn) = (self.thresholds.len() + self.rules.len(), self.limits.warn_rules);
        if rules == 0 && self.default_threshold.is_none() {
            warnings.push("no threshold and no rule: nothing is limited".to_owned());
        }
        if rules >= warn {
            let most = self.limits.max_rules;
            warnings.push(format!(
                "{rules} rules: `limits.warn_rules` asks for a warning from {warn}, and {most} is the most"
            ));
        }
        warnings.extend(FilePatterns::of(self).warnings());
        let names_shapes = !self.thresholds.is_empty() || self.rules.iter().any(Rule::names_statements);
        if names_shapes && self.fingerprint.dialect == Dialect::Generic && !self.names_dialect {
            warnings.push(
                "no `dialect`: statements that do not say theirs are read as generic; fingerprints found in a MySQL or \
                 PostgreSQL log may not match"
                    .to_owned(),
            );
        }
        let shared = self.rules.iter().filter(|rule| rule.scope == Scope::Cluster).count();
        if shared > 0 {
            warnings.push(format!(
                "rules with `scope: cluster`: {shared}; no backend for limits that instances share is built in, so an engine \
                 refuses the file"
            ));
        }
        let mut ending = self.rules.iter().filter_map(|rule| ending(rule, now));
        warnings.extend(ending.by_ref().take(MOST_TOLD));
        let untold = ending.count();
        if untold > 0 {
            warnings.push(format!("{untold} more rules have expired or expire within seven days"));
        }
        warnings
    }
}

fn ending(rule: &Rule, now: SystemTime) -> Option<String> {
    let expires = rule.expires?;
    let (name, at) = (quoted(&rule.name), write_timestamp(expires));
    if expires <= now {
        return Some(format!("the rule {name} has expired at {at}: it matches nothing"));
    }
    let soon = now.checked_add(SOON).is_none_or(|soon| expires <= soon);
    soon.then(|| format!("the rule {name} expires at {at}"))
}
