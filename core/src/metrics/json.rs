//! What an engine tells of itself as JSON, the same in every binding.

use super::{RuleStats, Snapshot};
use crate::decision::RuleName;
use crate::engine::{AdminAnswer, Top, TopStatement};
use serde_json::{Value, json};

impl Snapshot {
    /// All of it as a JSON object, whose keys are the names of the fields; times are in seconds.
    pub fn to_json(&self) -> String {
        json!({
            "version": self.version,
            "rules": self.rules.iter().map(of_rule).collect::<Value>(),
            "removed": names(&self.removed),
            "shapes": self.shapes,
            "waiting": self.waiting,
            "waits": self.waits.count,
            "wait_seconds": self.waits.sum.as_secs_f64(),
            "provider_failures": self.provider_failures,
            "cluster_failures": self.cluster_failures,
            "guard_errors": self.guard_errors,
        })
        .to_string()
    }
}

impl Top {
    /// Both lists as a JSON object; times are in seconds.
    pub fn to_json(&self) -> String {
        let list = |statements: &[TopStatement]| statements.iter().map(of_top).collect::<Value>();
        json!({"by_count": list(&self.by_count), "by_time": list(&self.by_time)}).to_string()
    }
}

impl AdminAnswer {
    /// As a JSON object: `added` or `removed` with the name of the rule, or `version`, `rules` and `removed` as in a
    /// [`Snapshot::to_json`].
    pub fn to_json(&self) -> String {
        match self {
            Self::Added(name) => json!({"added": name.as_str()}),
            Self::Removed(name) => json!({"removed": name.as_str()}),
            Self::Rules { version, rules, removed } => {
                json!({"version": version, "rules": rules.iter().map(of_rule).collect::<Value>(), "removed": names(removed)})
            }
        }
        .to_string()
    }
}

fn of_top(statement: &TopStatement) -> Value {
    json!({
        "fingerprint": statement.fingerprint.to_string(),
        "normalized": statement.normalized,
        "count": statement.count,
        "seconds": statement.time.as_secs_f64(),
    })
}

fn names(rules: &[RuleName]) -> Vec<&str> {
    rules.iter().map(RuleName::as_str).collect()
}

fn of_rule(rule: &RuleStats) -> Value {
    json!({
        "name": rule.name.as_str(),
        "mode": rule.mode.name(),
        "matched": rule.matched,
        "passed": rule.passed,
        "passed_over": rule.passed_over,
        "aborted": rule.aborted,
        "ignored": rule.ignored,
        "delayed": rule.delayed,
        "outranked": rule.outranked,
        "resumed": rule.resumed,
        "aborted_waiting": rule.aborted_waiting,
        "lapsed": rule.lapsed,
        "would_abort": rule.would_abort,
        "would_ignore": rule.would_ignore,
        "would_delay": rule.would_delay,
        "in_use": rule.in_use,
        "leaked": rule.leaked,
        "keys": rule.keys,
        "overflow": rule.overflow,
        "last_seconds": rule.last.map(|last| last.as_secs_f64()),
    })
}
