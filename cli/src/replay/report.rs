//! What a replay prints.

use super::outcome::Outcome;
use super::run::{Replay, Subject};
use super::tally::{Shape, Tally};
use super::throttle::Throttle;
use crate::log::{Broken, LogReader, LogTime, Rfc3339};
use crate::output::{Failure, OneLine, Output, thousands};
use serde_json::{Value, json};
use sqlthrottle::rule::Mode;

/// How many broken entries are named in plain output; in JSON all are.
const NAMED_BROKEN: usize = 20;

/// Entries that could not be read, as they are met.
#[derive(Debug)]
pub(super) struct BrokenEntries {
    json: bool,
    named: Vec<String>,
    rest: u64,
}

impl BrokenEntries {
    pub(super) fn new(json: bool) -> Self {
        Self { json, named: Vec::new(), rest: 0 }
    }

    /// Takes one: prints it in JSON, keeps the first ones for the end of plain output.
    pub(super) fn report(&mut self, file: &str, line: u64, reason: Broken, output: &mut Output) -> Result<(), Failure> {
        if self.json {
            return output.json(&json!({
                "type": "broken", "file": file, "line": line, "reason": reason.name(), "message": reason.to_string(),
            }));
        }
        if self.named.len() < NAMED_BROKEN {
            self.named.push(format!("{}:{line}: {reason}", OneLine(file)));
        } else {
            self.rest += 1;
        }
        Ok(())
    }

    pub(super) fn print(&self, output: &mut Output) -> Result<(), Failure> {
        if self.named.is_empty() {
            return Ok(());
        }
        output.line("")?;
        output.heading("Broken entries")?;
        self.named.iter().try_for_each(|line| output.line(line))?;
        if self.rest > 0 {
            output.line(format_args!("and {} more; --json names them all", thousands(self.rest)))?;
        }
        Ok(())
    }
}

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
        let row = |outcome: &Outcome, before: u64, name: String| {
            vec![
                thousands(outcome.matched),
                thousands(outcome.passed),
                thousands(outcome.passed_over),
                thousands(outcome.aborted),
                thousands(outcome.ignored),
                thousands(outcome.delayed),
                outcome.first_refusal.map_or_else(|| "-".to_owned(), |at| at.to_string()),
                thousands(before),
                thousands(outcome.after.peak()),
                name,
            ]
        };
        let heads = |last| {
            [
                "matched",
                "passed",
                "passed over",
                "aborted",
                "ignored",
                "delayed",
                "first refusal",
                "peak/s",
                "after",
                last,
            ]
        };
        let mut list = |title: &str, last, rows: &[Vec<String>]| {
            if rows.is_empty() {
                return Ok(());
            }
            output.heading(title)?;
            output.table(&heads(last), rows)?;
            output.line("")
        };
        let rules: Vec<_> = throttle
            .outcomes()
            .iter()
            .map(|rule| row(&rule.outcome, rule.before.peak(), rule.name.to_string()))
            .collect();
        list("Rules", "rule", &rules)?;
        let statements: Vec<_> = most_refused(&self.replay.tally, self.top)
            .into_iter()
            .map(|shape| row(&shape.outcome, shape.before.peak(), statement(shape)))
            .collect();
        list("Statements", "statement", &statements)
    }

    /// Where every entry and every line went.
    fn print_account(&self, output: &mut Output) -> Result<(), Failure> {
        let (counts, sums) = (self.replay.counts, self.sums());
        if let Some((first, last)) = self.span() {
            output.line(format_args!("{first} to {last}"))?;
        }
        let aside = counts.administrator + counts.fetches + counts.empty;
        let (main, aside, besides) = match self.unchecked() {
            Some(unchecked) => (
                format!("{} checked", thousands(counts.statements - unchecked)),
                format!("{} not checked", thousands(unchecked + aside)),
                (unchecked, "never checked kinds"),
            ),
            None => (
                format!("{} statements", thousands(counts.statements)),
                format!("{} without a statement", thousands(aside)),
                (0, ""),
            ),
        };
        let besides: Vec<String> = [
            besides,
            (counts.administrator, "administrator commands"),
            (counts.fetches, "further fetches"),
            (counts.empty, "empty"),
        ]
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{what} {}", thousands(count)))
        .collect();
        let besides = if besides.is_empty() { String::new() } else { format!(" ({})", besides.join(", ")) };
        output.line(format_args!(
            "{} entries = {main} + {aside}{besides} + {} broken",
            thousands(sums.entries),
            thousands(counts.broken),
        ))?;
        output.line(format_args!(
            "{} lines = {} in entries + {} outside",
            thousands(sums.lines),
            thousands(sums.entry_lines),
            thousands(sums.other_lines)
        ))
    }

    /// The times of the first and the last statement, where the logs tell them.
    fn span(&self) -> Option<(LogTime, LogTime)> {
        self.replay.span.filter(|_| self.sums().untimed == 0)
    }

    /// A time for JSON.
    fn time(&self, time: LogTime) -> String {
        Rfc3339 { time, utc: self.logs.iter().all(|log| log.totals().is_utc()) }.to_string()
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

    /// Statements of kinds that are never checked; none where there are no rules, and none is checked.
    fn unchecked(&self) -> Option<u64> {
        match &self.replay.subject {
            Subject::Survey(_) => None,
            Subject::Throttle(throttle) => Some(throttle.unchecked),
        }
    }

    fn sums(&self) -> crate::log::Totals {
        self.logs.iter().fold(crate::log::Totals::default(), |mut sums, log| {
            let log = log.totals();
            sums.lines += log.lines;
            sums.entry_lines += log.entry_lines;
            sums.other_lines += log.other_lines;
            sums.entries += log.entries;
            sums.untimed += log.untimed;
            sums.late += log.late;
            sums.latest = sums.latest.max(log.latest);
            sums.steps += log.steps;
            sums.astray += log.astray;
            sums
        })
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
                        "type": "rule", "rule": rule.name.as_str(), "peak_per_second": rule.before.peak(),
                    });
                    self.add_outcome(&mut object, &rule.outcome);
                    output.json(&object)?;
                }
                for shape in most_refused(&self.replay.tally, self.top) {
                    let mut object = shape_object(shape);
                    self.add_outcome(&mut object, &shape.outcome);
                    output.json(&object)?;
                }
            }
        }
        self.print_json_account(output)
    }

    fn print_json_account(&self, output: &mut Output) -> Result<(), Failure> {
        for (name, log) in self.names.iter().zip(self.logs) {
            let totals = log.totals();
            output.json(&json!({
                "type": "log",
                "file": name,
                "format": log.format().map(crate::log::Format::name),
                "lines": totals.lines,
                "entry_lines": totals.entry_lines,
                "other_lines": totals.other_lines,
                "entries": totals.entries,
                "broken": totals.broken,
                "untimed": totals.untimed,
                "late": totals.late,
                "latest_seconds": totals.latest.as_secs_f64(),
                "steps": totals.steps,
                "astray": totals.astray,
                "fault": log.fault().map(|(line, error)| json!({ "line": line, "message": error.to_string() })),
            }))?;
        }
        let (counts, sums, others) = (self.replay.counts, self.sums(), self.replay.tally.others());
        let unchecked = self.unchecked();
        let mode = match &self.replay.subject {
            Subject::Survey(_) => None,
            Subject::Throttle(throttle) => Some(throttle.mode.name()),
        };
        output.json(&json!({
            "type": "summary",
            "mode": mode,
            "first": self.span().map(|(first, _)| self.time(first)),
            "last": self.span().map(|(_, last)| self.time(last)),
            "entries": sums.entries,
            "statements": counts.statements,
            "checked": unchecked.map(|unchecked| counts.statements - unchecked),
            "never_checked": unchecked,
            "administrator": counts.administrator,
            "fetches": counts.fetches,
            "empty": counts.empty,
            "broken": counts.broken,
            "unlisted_count": others.count,
            "unlisted_seconds": others.query_time.as_secs_f64(),
        }))
    }
}

fn most_refused(tally: &Tally, top: usize) -> Vec<&Shape> {
    tally.top(top, |shape| (shape.outcome.refused(), shape.outcome.matched))
}

fn statement(shape: &Shape) -> String {
    format!("{:.12}  {}", shape.fingerprint, OneLine(&shape.text))
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
