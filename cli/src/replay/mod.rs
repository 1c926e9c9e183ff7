//! `sqlthrottle replay`: what is in a log, and what a rule file would have done to it.

mod account;
mod complaints;
mod outcome;
mod peak;
mod rate;
mod refusals;
mod refused;
mod report;
mod run;
mod schedule;
mod survey;
mod tally;
mod throttle;

use crate::Exit;
use crate::args::ReplayArguments;
use crate::log::{LogReader, Merge, source};
use crate::output::{Failure, Output, warn};
use crate::rules::count_here;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use sqlthrottle::Dialect;
use sqlthrottle::rule::RuleFile;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

pub(crate) fn run(arguments: &ReplayArguments, output: &mut Output) -> Result<Exit, Failure> {
    let mut rules = match &arguments.rules {
        Some(path) => Some(RuleFile::open(path).map_err(Failure::Rules)?),
        None => None,
    };
    // On a terminal that shows both, a bar would be drawn into the objects.
    let progress = progress(!(arguments.json && output.width.is_some()));
    let mut logs = Logs::default();
    warn_of_repeated(&arguments.logs);
    for path in &arguments.logs {
        logs.open(path, arguments, &progress)?;
    }
    if let Some(rules) = &mut rules {
        warn_of(rules);
        if arguments.dialect.is_none() {
            logs.warn_of_other_dialects(rules.fingerprint.dialect);
        }
    }
    let dialects = logs.dialects(arguments.dialect);
    let mut merge = Merge::new(logs.readers);
    let mut replay = if let Some(rules) = rules {
        let dialect = arguments.dialect.unwrap_or(rules.fingerprint.dialect);
        let origin = merge.first_time().unwrap_or_default();
        run::Replay::throttled(rules, dialect, origin, arguments.explain).map_err(Failure::Rules)?
    } else {
        run::Replay::surveyed(dialects.into_iter().map(|dialect| arguments.options(dialect)))
    };
    let mut broken = account::BrokenEntries::new(arguments.json);
    replay.run(&mut merge, |log, line, reason| broken.report(&logs.names[log], line, reason, output))?;
    progress.finish_and_clear();
    let report = report::Report { replay: &replay, names: &logs.names, logs: merge.logs(), top: arguments.top };
    if arguments.json {
        report.print_json(output)?;
    } else {
        report.print(output)?;
        broken.print(output)?;
    }
    output.finish()?;
    Ok(report.complain())
}

/// Says what is worth a word in a rule file, and lets limits that instances share be counted here.
fn warn_of(rules: &mut RuleFile) {
    let shared = count_here(rules);
    if shared > 0 {
        warn(format_args!(
            "rules with `scope: cluster`: {shared}; each is one limit over all logs, though this build has no backend for \
             it and an engine refuses the file"
        ));
    }
    // What expires is told by the log's time, not by today's.
    rules.warnings_at(SystemTime::UNIX_EPOCH).into_iter().for_each(warn);
}

/// Warns of a file that is given twice, under whatever names: its statements count twice.
fn warn_of_repeated(logs: &[PathBuf]) {
    let mut files = HashSet::new();
    for log in logs.iter().filter(|log| log.as_os_str() != "-") {
        // One that cannot be found is told when it is opened.
        if std::fs::canonicalize(log).is_ok_and(|file| !files.insert(file)) {
            warn(format_args!("{} is given more than once, and each of its statements counts as often", log.display()));
        }
    }
}

/// A bar for the bytes of the logs; it hides itself where standard error is not a terminal.
fn progress(wanted: bool) -> ProgressBar {
    let target = if wanted { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let bar = ProgressBar::with_draw_target(Some(0), target);
    match ProgressStyle::with_template("{wide_bar} {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

#[derive(Default)]
struct Logs {
    names: Vec<String>,
    readers: Vec<LogReader>,
}

impl Logs {
    fn open(&mut self, path: &Path, arguments: &ReplayArguments, progress: &ProgressBar) -> Result<(), Failure> {
        let failed = |error: &dyn std::fmt::Display| Failure::message(path.display(), error);
        let source = source::open(path).map_err(|error| failed(&error))?;
        progress.inc_length(source.len.unwrap_or(0));
        let input = Box::new(progress.wrap_read(source.input));
        let input = source::decompress(input).map_err(|error| failed(&error))?;
        let reader = LogReader::new(input, arguments.format()).map_err(|error| failed(&error))?;
        if let Some(error) = reader.unreadable() {
            return Err(failed(error));
        }
        self.readers.push(reader);
        self.names.push(source.name);
        Ok(())
    }

    /// How the statements of each log are read.
    fn dialects(&self, said: Option<Dialect>) -> Vec<Dialect> {
        let own = |log: &LogReader| log.format().map_or(Dialect::Generic, crate::log::Format::dialect);
        self.readers.iter().map(|log| said.unwrap_or_else(|| own(log))).collect()
    }

    fn warn_of_other_dialects(&self, dialect: Dialect) {
        for (name, own) in self.names.iter().zip(self.dialects(None)) {
            if own != dialect && own != Dialect::Generic {
                // A file that says nothing is read as generic, and its author may not know that there is a choice.
                let why = match dialect {
                    Dialect::Generic => format!("names no other dialect; write `dialect: {own}` in it"),
                    _ => "says so".to_owned(),
                };
                warn(format_args!(
                    "{name} is a log of {own}, and its statements are read as {dialect}, because the rule file {why}"
                ));
            }
        }
    }
}
