//! Compares what is given in an expectation, and nothing else.

use crate::script::{Expect, OrNone, duration};
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

/// The answer to a check as scripts speak of it, in whatever language it was given.
#[derive(Debug)]
pub(crate) struct Answer<'a> {
    pub(crate) verdict: &'a str,
    pub(crate) reason: &'a str,
    pub(crate) rule: Option<&'a str>,
    pub(crate) count: u64,
    pub(crate) limit: u64,
    pub(crate) retry_after: Option<Duration>,
    pub(crate) delay: Option<Duration>,
    pub(crate) observed: Option<&'a str>,
    pub(crate) overflow: bool,
    pub(crate) permit: bool,
    pub(crate) custom: Option<&'a str>,
}

pub(crate) fn compare_decision(expect: &Expect, got: &Answer<'_>) -> Vec<String> {
    let mut comparison = Comparison(Vec::new());
    comparison.field("verdict", expect.verdict.as_deref(), &got.verdict);
    comparison.field("reason", expect.reason.as_deref(), &got.reason);
    comparison.text("rule", &expect.rule, got.rule);
    comparison.field("count", expect.count, &got.count);
    comparison.field("limit", expect.limit, &got.limit);
    comparison.duration("retry_after", &expect.retry_after, got.retry_after);
    comparison.duration("delay", &expect.delay, got.delay);
    comparison.text("observed", &expect.observed, got.observed);
    comparison.field("overflow", expect.overflow, &got.overflow);
    comparison.field("permit", expect.permit, &got.permit);
    comparison.text("custom", &expect.custom, got.custom);
    comparison.0
}

/// Compares counters of rules: `find` finds a rule by its name, `read` a counter of it.
pub(crate) fn compare_counters<R>(
    expected: &BTreeMap<String, Option<BTreeMap<String, u64>>>,
    find: impl Fn(&str) -> Option<R>,
    read: impl Fn(&R, &str) -> u64,
) -> Vec<String> {
    let mut comparison = Comparison(Vec::new());
    for (name, counters) in expected {
        let stats = find(name);
        comparison.field(&format!("{name} is a rule"), Some(counters.is_some()), &stats.is_some());
        let (Some(counters), Some(stats)) = (counters, stats) else { continue };
        for (counter, &expected) in counters {
            comparison.field(&format!("{name}.{counter}"), Some(expected), &read(&stats, counter));
        }
    }
    comparison.0
}
