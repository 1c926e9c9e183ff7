//! What Rust answers, as scripts speak of it.

use crate::compare::Answer;
use sqlthrottle::{Decision, RuleName, RuleStats, Verdict};

impl<'a> From<&'a Decision> for Answer<'a> {
    fn from(decision: &'a Decision) -> Self {
        Self {
            verdict: decision.verdict.name(),
            reason: decision.reason.name(),
            rule: decision.rule.as_ref().map(RuleName::as_str),
            count: decision.count,
            limit: decision.limit,
            retry_after: decision.retry_after,
            delay: decision.delay,
            observed: decision.observed.map(Verdict::name),
            overflow: decision.overflow,
            permit: decision.permit.is_some(),
            custom: decision.custom.as_deref(),
        }
    }
}

pub(crate) fn counter(stats: &RuleStats, name: &str) -> u64 {
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
