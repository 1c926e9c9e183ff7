//! Compares what is given in an expectation, and nothing else.

use crate::script::{Expect, OrNone, duration};
use sqlthrottle::{Decision, RuleName, RuleStats, Snapshot, Verdict};
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::time::Duration;

/// What is otherwise than expected.
struct Comparison(Vec<String>);

impl Comparison {
    fn field<T: PartialEq + Debug>(&mut self, name: &str, expected: Option<T>, got: &T) {
        if let Some(expected) = expected
            && expected != *got
        {
            self.0.push(format!("{name}: expected {expected:?}, got {got:?}"));
        }
    }

    /// A field that may be none.
    fn text(&mut self, name: &str, expected: &OrNone, got: Option<&str>) {
        if let OrNone::Is(expected) = expected {
            self.field(name, Some(expected.as_deref()), &got);
        }
    }

    fn duration(&mut self, name: &str, expected: &OrNone, got: Option<Duration>) {
        if let OrNone::Is(expected) = expected {
            self.field(name, Some(expected.as_deref().map(duration)), &got);
        }
    }
}

pub(crate) fn compare_decision(expect: &Expect, got: &Decision) -> Vec<String> {
    let mut comparison = Comparison(Vec::new());
    comparison.field("verdict", expect.verdict.as_deref(), &got.verdict.name());
    comparison.field("reason", expect.reason.as_deref(), &got.reason.name());
    comparison.text("rule", &expect.rule, got.rule.as_ref().map(RuleName::as_str));
    comparison.field("count", expect.count, &got.count);
    comparison.field("limit", expect.limit, &got.limit);
    comparison.duration("retry_after", &expect.retry_after, got.retry_after);
    comparison.duration("delay", &expect.delay, got.delay);
    comparison.text("observed", &expect.observed, got.observed.map(Verdict::name));
    comparison.field("overflow", expect.overflow, &got.overflow);
    comparison.field("permit", expect.permit, &got.permit.is_some());
    comparison.text("custom", &expect.custom, got.custom.as_deref());
    comparison.0
}

pub(crate) fn compare_counters(
    expected: &BTreeMap<String, Option<BTreeMap<String, u64>>>,
    got: &Snapshot,
) -> Vec<String> {
    let mut comparison = Comparison(Vec::new());
    for (name, counters) in expected {
        let stats = got.rules.iter().find(|stats| stats.name.as_str() == name);
        comparison.field(&format!("{name} is a rule"), Some(counters.is_some()), &stats.is_some());
        let (Some(counters), Some(stats)) = (counters, stats) else { continue };
        for (counter, &expected) in counters {
            comparison.field(&format!("{name}.{counter}"), Some(expected), &self::counter(stats, counter));
        }
    }
    comparison.0
}

fn counter(stats: &RuleStats, name: &str) -> u64 {
    match name {
        "matched" => stats.matched,
        "passed" => stats.passed,
        "passed_over" => stats.passed_over,
        "aborted" => stats.aborted,
        "ignored" => stats.ignored,
        "delayed" => stats.delayed,
        "resumed" => stats.resumed,
        "aborted_waiting" => stats.aborted_waiting,
        "lapsed" => stats.lapsed,
        "would_abort" => stats.would_abort,
        "would_ignore" => stats.would_ignore,
        "would_delay" => stats.would_delay,
        "in_use" => stats.in_use,
        "leaked" => stats.leaked,
        "keys" => stats.keys as u64,
        "overflow" => stats.overflow,
        other => panic!("no counter is called {other}"),
    }
}
