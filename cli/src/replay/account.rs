//! Where the entries and the lines of logs went.

use super::report::Report;
use super::run::Subject;
use crate::log::{Broken, LogTime, Rfc3339};
use crate::output::{Failure, OneLine, Output, thousands};
use serde_json::json;

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

impl Report<'_> {
    /// Where every entry and every line went.
    pub(super) fn print_account(&self, output: &mut Output) -> Result<(), Failure> {
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
    pub(super) fn time(&self, time: LogTime) -> String {
        Rfc3339 { time, utc: self.logs.iter().all(|log| log.totals().is_utc()) }.to_string()
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

    pub(super) fn print_json_account(&self, output: &mut Output) -> Result<(), Failure> {
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
        let throttle = match &self.replay.subject {
            Subject::Survey(_) => None,
            Subject::Throttle(throttle) => Some(throttle),
        };
        output.json(&json!({
            "type": "summary",
            "mode": throttle.map(|throttle| throttle.mode.name()),
            "first": self.span().map(|(first, _)| self.time(first)),
            "last": self.span().map(|(_, last)| self.time(last)),
            "entries": sums.entries,
            "statements": counts.statements,
            "checked": unchecked.map(|unchecked| counts.statements - unchecked),
            "never_checked": unchecked,
            "places_without_duration": throttle.map(|throttle| throttle.without_duration),
            "administrator": counts.administrator,
            "fetches": counts.fetches,
            "empty": counts.empty,
            "broken": counts.broken,
            "unlisted_count": others.count,
            "unlisted_seconds": others.query_time.as_secs_f64(),
        }))
    }
}
