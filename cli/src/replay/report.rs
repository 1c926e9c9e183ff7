//! What a replay prints.

use super::outcome::Outcome;
use super::run::{Replay, Subject};
use super::tally::{Shape, Tally};
use super::throttle::{RuleOutcome, Throttle};
use crate::log::LogReader;
use crate::output::{Failure, OneLine, Output, thousands};
use serde_json::{Value, json};
use sqlthrottle::rule::{Mode, On};
use sqlthrottle::{Fingerprint, RuleMode};

/// A finished replay, to be printed.
#[derive(Debug)]
pub(super) struct Report<'a> {
    pub(super) replay: &'a Replay,
    pub(super) names: &'a [String],
    pub(super) logs: &'a [LogReader],
    pub(super) top: usize,
}

impl Report<'_> {
    pub(super) fn print(&self, output: &mut Output) -> Result<(), Failure> {
        match &self.replay.subject {
            Subject::Survey(_) => self.print_survey(output)?,
            Subject::Throttle(throttle) => self.print_throttle(throttle, output)?,
        }
        let others = self.replay.tally.others();
        if others.count > 0 {
            output.line(format_args!(
                "and {} statements of rare shapes that were let go to bound memory; what is listed may have lost as much",
                thousands(others.count)
            ))?;
            output.line("")?;
        }
        self.print_account(output)
    }

    fn print_survey(&self, output: &mut Output) -> Result<(), Failure> {
        let tally = &self.replay.tally;
        let mut list = |title: &str, shapes: &[&Shape]| {
            if shapes.is_empty() {
                return Ok(());
            }
            let row = |shape: &&Shape| {
                let mean = shape.query_time.as_secs_f64() * 1e3 / shape.count.max(1) as f64;
                let total = shape.query_time.as_secs_f64();
                vec![
                    thousands(shape.count),
                    format!("{total:.3}"),
                    format!("{mean:.3}"),
                    thousands(shape.before.peak()),
                    statement(shape),
                ]
            };
            output.heading(title)?;
            let rows: Vec<_> = shapes.iter().map(row).collect();
            output.table(&["count", "total s", "mean ms", "peak/s", "statement"], &rows)?;
            output.line("")
        };
        list("Top statements by count", &tally.top(self.top, |shape| shape.count))?;
        // Without durations in the log there is nothing to order by.
        if tally.shapes().iter().any(|shape| !shape.query_time.is_zero()) {
            list("Top statements by total time", &tally.top(self.top, |shape| shape.query_time))?;
        }
        list("Top statements by peak rate", &tally.top(self.top, |shape| shape.before.peak()))
    }

    fn print_throttle(&self, throttle: &Throttle, output: &mut Output) -> Result<(), Failure> {
        if throttle.mode != Mode::Enforce {
            output.line(format_args!("mode {}: shown as if enforced", throttle.mode.name()))?;
        }
        let rules = throttle.outcomes();
        // Rules that leave statements to each other are few.
        let are_outranked = rules.iter().any(|rule| rule.outranked > 0);
        let list = |output: &mut Output, title: &str, last: &'static str, outranked: bool, rows: &[Vec<String>]| {
            if rows.is_empty() {
                return Ok(());
            }
            let mut heads = vec!["matched", "passed", "passed over", "aborted", "ignored", "delayed"];
            heads.extend(outranked.then_some("outranked"));
            heads.extend(["first refusal", "peak/s", "after", last]);
            output.heading(title)?;
            output.table(&heads, rows)?;
            output.line("")
        };
        let row = |rule: &RuleOutcome| {
            let outranked = are_outranked.then_some(rule.outranked);
            outcome_row(&rule.outcome, outranked, rule.before.peak(), rule_name(rule))
        };
        list(output, "Rules", "rule", are_outranked, &rules.iter().map(row).collect::<Vec<_>>())?;
        if throttle.without_duration > 0 {
            output.line(format_args!(
                "{} statements gave back their places of concurrency limits at once: the log does not say how long they took",
                thousands(throttle.without_duration)
            ))?;
            output.line("")?;
        }
        self.print_refused(throttle, output)?;
        let statements: Vec<_> = most_refused(&self.replay.tally, self.top)
            .into_iter()
            .map(|shape| outcome_row(&shape.outcome, None, shape.before.peak(), statement(shape)))
            .collect();
        list(output, "Statements", "statement", false, &statements)
    }

    fn add_outcome(&self, object: &mut Value, outcome: &Outcome) {
        object["matched"] = outcome.matched.into();
        object["passed"] = outcome.passed.into();
        object["passed_over"] = outcome.passed_over.into();
        object["aborted"] = outcome.aborted.into();
        object["ignored"] = outcome.ignored.into();
        object["delayed"] = outcome.delayed.into();
        object["first_refusal"] = outcome.first_refusal.map(|at| self.time(at)).into();
        object["peak_per_second_after"] = outcome.after.peak().into();
    }

    pub(super) fn print_json(&self, output: &mut Output) -> Result<(), Failure> {
        match &self.replay.subject {
            Subject::Survey(_) => {
                let tally = &self.replay.tally;
                let mut listed = tally.top(self.top, |shape| shape.count);
                listed.extend(tally.top(self.top, |shape| shape.query_time));
                listed.extend(tally.top(self.top, |shape| shape.before.peak()));
                listed.sort_by_key(|shape| (std::cmp::Reverse(shape.count), shape.fingerprint));
                listed.dedup_by_key(|shape| shape.fingerprint);
                for shape in listed {
                    output.json(&shape_object(shape))?;
                }
            }
            Subject::Throttle(throttle) => {
                for rule in throttle.outcomes() {
                    let mut object = json!({
                        "type": "rule",
                        "rule": rule.name.as_str(),
                        "mode": mode(&rule),
                        "on": rule.terms.on.name(),
                        "peak_per_second": rule.before.peak(),
                        "outranked": rule.outranked,
                    });
                    self.add_outcome(&mut object, &rule.outcome);
                    output.json(&object)?;
                }
                self.print_json_refused(throttle, output)?;
                for shape in most_refused(&self.replay.tally, self.top) {
                    let mut object = shape_object(shape);
                    self.add_outcome(&mut object, &shape.outcome);
                    output.json(&object)?;
                }
            }
        }
        self.print_json_account(output)
    }
}

fn most_refused(tally: &Tally, top: usize) -> Vec<&Shape> {
    tally.top(top, |shape| (shape.outcome.refused(), shape.outcome.matched))
}

/// The numbers of an outcome, and whose they are.
fn outcome_row(outcome: &Outcome, outranked: Option<u64>, before: u64, name: String) -> Vec<String> {
    let counts =
        [outcome.matched, outcome.passed, outcome.passed_over, outcome.aborted, outcome.ignored, outcome.delayed];
    let mut row: Vec<String> = counts.into_iter().chain(outranked).map(thousands).collect();
    row.push(outcome.first_refusal.map_or_else(|| "-".to_owned(), |at| at.to_string()));
    row.extend([thousands(before), thousands(outcome.after.peak()), name]);
    row
}

/// A rule's name, with what keeps it from being carried out as the others are.
fn rule_name(rule: &RuleOutcome) -> String {
    let name = OneLine(rule.name.as_str());
    match mode(rule) {
        Some(mode) => format!("{name} ({mode})"),
        None if rule.terms.on == On::Request => format!("{name} (on: request)"),
        None => name.to_string(),
    }
}

/// The mode that a rule says for itself, or that its time is over; none where it goes with the file.
fn mode(rule: &RuleOutcome) -> Option<&'static str> {
    if rule.is_over { Some(RuleMode::Expired.name()) } else { rule.terms.mode.map(Mode::name) }
}

fn statement(shape: &Shape) -> String {
    statement_of(&shape.fingerprint, &shape.text)
}

/// A statement in a table: the beginning of its fingerprint, and its text.
pub(super) fn statement_of(fingerprint: &Fingerprint, text: &str) -> String {
    format!("{fingerprint:.12}  {}", OneLine(text))
}

fn shape_object(shape: &Shape) -> Value {
    json!({
        "type": "statement",
        "fingerprint": shape.fingerprint.to_string(),
        "normalized": shape.text,
        "count": shape.count,
        "total_seconds": shape.query_time.as_secs_f64(),
        "peak_per_second": shape.before.peak(),
    })
}
