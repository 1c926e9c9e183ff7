//! What an explanation prints.

use crate::output::{Failure, OneLine, Output, thousands};
use crate::rules::{Length, Terms};
use serde_json::{Value, json};
use sqlthrottle::{Decision, ExplainedRule, Explanation, RuleMode, RuleName, RulePart, Verdict};
use std::fmt::{self, Display};

/// What is known of a statement, to be printed.
#[derive(Debug)]
pub(super) struct Report<'a> {
    pub(super) explanation: &'a Explanation,
    /// One for each rule of the explanation.
    pub(super) terms: &'a [Terms],
    pub(super) decision: &'a Decision,
    /// Whether thresholds of other statements are listed too.
    pub(super) all: bool,
}

impl Report<'_> {
    pub(super) fn print(&self, output: &mut Output) -> Result<(), Failure> {
        let explanation = self.explanation;
        let listed = |names: Vec<String>| if names.is_empty() { "-".to_owned() } else { names.join(", ") };
        output.line(OneLine(&explanation.normalized))?;
        output.line("")?;
        output.line(format_args!("fingerprint  {}", explanation.fingerprint))?;
        output.line(format_args!("kinds        {}", listed(self.kinds())))?;
        output.line(format_args!("tables       {}", OneLine(&listed(explanation.tables.clone()))))?;
        output.line(format_args!("where        {}", explanation.where_clause.name()))?;
        if explanation.never_checked {
            output.line("Statements of this kind are never checked, unless a rule names the kind.")?;
        }
        output.line("")?;
        output.heading("Rules")?;
        for (rule, terms) in self.listed() {
            let mode = if rule.mode == RuleMode::Enforced { String::new() } else { format!(" ({})", rule.mode.name()) };
            let name = OneLine(rule.name.as_str());
            match &rule.part {
                RulePart::Matches { keys } => {
                    let keys = counted_by(keys);
                    output.line(format_args!("matches  {name}{mode}: {terms}{}", OneLine(&keys)))?;
                    if let Some(exempting) = self.exempts_from(rule) {
                        output
                            .line(format_args!("         not asked: {} exempts the statement", OneLine(exempting)))?;
                    }
                }
                RulePart::Expired { keys } => {
                    let keys = counted_by(keys);
                    output.line(format_args!("expired  {name}: would match but for its time{}", OneLine(&keys)))?;
                }
                RulePart::Differs { field } => {
                    output.line(format_args!("differs  {name}{mode}: {}", difference(rule, field)))?;
                }
                _ => {}
            }
        }
        match (self.unlisted(), self.explanation.rules.len()) {
            (_, 0) => output.line("none")?,
            (0, _) => {}
            (1, _) => output.line("differs  1 threshold of another statement; --all lists it")?,
            (unlisted, _) => {
                let unlisted = thousands(unlisted as u64);
                output.line(format_args!("differs  {unlisted} thresholds of other statements; --all lists them"))?;
            }
        }
        output.line("")?;
        output.heading("Verdict of a first check")?;
        output.line(Told(self.decision))
    }

    pub(super) fn print_json(&self, output: &mut Output) -> Result<(), Failure> {
        let explanation = self.explanation;
        output.json(&json!({
            "type": "statement",
            "normalized": explanation.normalized,
            "fingerprint": explanation.fingerprint.to_string(),
            "kinds": self.kinds(),
            "tables": explanation.tables,
            "where": explanation.where_clause.name(),
            "never_checked": explanation.never_checked,
        }))?;
        for (rule, terms) in self.listed() {
            let (matches, field, keys): (_, Option<&str>, &[String]) = match &rule.part {
                RulePart::Matches { keys } => (true, None, keys),
                RulePart::Expired { keys } => (false, Some("expires"), keys),
                RulePart::Differs { field } => (false, Some(field), &[]),
                _ => (false, None, &[]),
            };
            output.json(&json!({
                "type": "rule",
                "rule": rule.name.as_str(),
                "mode": rule.mode.name(),
                "matches": matches,
                "field": field,
                "keys": keys,
                "terms": terms.to_string(),
                "exempted_by": self.exempts_from(rule),
            }))?;
        }
        output.json(&self.verdict_object())
    }

    fn verdict_object(&self) -> Value {
        let decision = self.decision;
        json!({
            "type": "verdict",
            "verdict": decision.verdict.name(),
            "reason": decision.reason.name(),
            "rule": decision.rule.as_ref().map(RuleName::as_str),
            "count": decision.count,
            "limit": decision.limit,
            "retry_after_seconds": decision.retry_after.map(|wait| wait.as_secs_f64()),
            "delay_seconds": decision.delay.map(|delay| delay.as_secs_f64()),
            "custom": decision.custom.as_deref(),
            "observed": decision.observed.map(Verdict::name),
            "overflow": decision.overflow,
            "unlisted_thresholds": self.unlisted(),
        })
    }

    /// The rule because of which this one, which matches, is not asked.
    fn exempts_from(&self, rule: &ExplainedRule) -> Option<&str> {
        let takes_part = matches!(rule.mode, RuleMode::Enforced | RuleMode::Observed)
            && matches!(rule.part, RulePart::Matches { .. });
        let exempting = self.explanation.exempted_by.as_ref().filter(|exempting| **exempting != rule.name);
        exempting.filter(|_| takes_part).map(RuleName::as_str)
    }

    fn kinds(&self) -> Vec<String> {
        self.explanation.kinds.iter().map(|kind| kind.name().to_owned()).collect()
    }

    fn listed(&self) -> impl Iterator<Item = (&ExplainedRule, &Terms)> {
        self.explanation.rules.iter().zip(self.terms).filter(|(rule, _)| self.all || !is_of_another(rule))
    }

    fn unlisted(&self) -> usize {
        if self.all { 0 } else { self.explanation.rules.iter().filter(|rule| is_of_another(rule)).count() }
    }
}

/// Whether a rule is the threshold of another statement: there may be thousands.
fn is_of_another(rule: &ExplainedRule) -> bool {
    matches!(rule.name, RuleName::Threshold(_)) && matches!(rule.part, RulePart::Differs { .. })
}

fn counted_by(keys: &[String]) -> String {
    match keys {
        [] => String::new(),
        [key] => format!("; key {key}"),
        keys => format!("; keys {}", keys.join("; ")),
    }
}

/// Why a rule does not match.
fn difference(rule: &ExplainedRule, field: &str) -> String {
    match field {
        "never_checked" if matches!(rule.name, RuleName::Rule(_)) => {
            "`kinds` does not name this kind, which is checked only where it does".to_owned()
        }
        "never_checked" => "statements of this kind are never checked".to_owned(),
        "default_threshold" => "another rule names the statement".to_owned(),
        "on" => "by `on`: it is asked about requests".to_owned(),
        "per" => "by `per`: the statement lacks a column that it counts by".to_owned(),
        field => format!("by `{field}`"),
    }
}

/// A decision in words.
struct Told<'a>(&'a Decision);

impl Display for Told<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decision = self.0;
        write!(f, "{} ({})", decision.verdict, decision.reason)?;
        if let Some(rule) = &decision.rule {
            write!(f, " by {}", OneLine(rule.as_str()))?;
            if decision.limit > 0 {
                write!(f, ": {} of {}", decision.count, decision.limit)?;
            }
        }
        if let Some(delay) = decision.delay {
            write!(f, "; delay {}", Length(delay))?;
        }
        if let Some(name) = &decision.custom {
            write!(f, "; custom:{name} is to decide")?;
        }
        if let Some(wait) = decision.retry_after {
            write!(f, "; retry after {}", Length(wait))?;
        }
        match decision.observed {
            Some(observed) => write!(f, "; observed rules would {observed}"),
            None => Ok(()),
        }
    }
}
