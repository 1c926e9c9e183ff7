//! Runs a script: an engine, its clock, and one step after another.

use crate::answer::counter;
use crate::compare::{Answer, compare_counters, compare_decision};
use crate::every::{Faults, lacks, take_steps, unless};
use crate::script::{Admin, Expect, Said, Script, SetThreshold, Step, ThresholdsDue, duration, time};
use sqlthrottle::{
    AdminAnswer, Context, Decision, Dialect, Engine, Fakes, LoadError, ManualClock, Prepared, RuleFile, Share,
    Statement, Strategy, Threshold,
};
use std::collections::HashMap;

/// Runs a script to its end, or to the first step that is not as expected.
pub(crate) fn run(script: &Script) -> Faults {
    match Run::open(script) {
        Ok(mut run) => take_steps(script, |step| run.step(step)),
        Err(error) => vec![format!("  the rules are refused\n    {error}")],
    }
}

fn rules(lines: &[String]) -> Result<RuleFile, LoadError> {
    RuleFile::parse(lines.join("\n"))
}

struct Run {
    engine: Engine,
    clock: ManualClock,
    answers: HashMap<String, Decision>,
    prepared: HashMap<String, Prepared>,
}

impl Run {
    fn open(script: &Script) -> Result<Self, LoadError> {
        let clock = ManualClock::new();
        if let Some(wall) = &script.wall {
            clock.set_wall(time(wall));
        }
        let engine =
            Engine::builder(rules(&script.rules)?).clock(clock.clone()).asks_provider(script.provider).build()?;
        Ok(Self { engine, clock, answers: HashMap::new(), prepared: HashMap::new() })
    }

    fn step(&mut self, step: &Step) -> Faults {
        match step {
            Step::Check(step) => {
                let engine = self.engine.clone();
                self.ask(step.times, step.name.as_deref(), &step.expect, || {
                    with_statement(&step.check, |statement| engine.check_statement(statement))
                })
            }
            Step::Prepare(step) => {
                let prepared = with_statement(&step.prepare, |statement| self.engine.prepare(statement));
                self.prepared.insert(step.name.clone(), prepared);
                Faults::new()
            }
            Step::CheckPrepared(step) => {
                let prepared = self.prepared.remove(&step.check_prepared).expect("a prepared statement of that name");
                let faults = self.ask(step.times, step.name.as_deref(), &step.expect, || prepared.check());
                self.prepared.insert(step.check_prepared.clone(), prepared);
                faults
            }
            Step::Request(step) => {
                let engine = self.engine.clone();
                let context = context(&step.request);
                self.ask(step.times, step.name.as_deref(), &step.expect, || engine.check_request(&context))
            }
            Step::Resume(step) => {
                let Some(ticket) = self.answer(&step.resume).ticket else { return lacks(&step.resume, "ticket") };
                let engine = self.engine.clone();
                self.ask(None, step.name.as_deref(), &step.expect, || engine.resume(ticket))
            }
            Step::Release(step) => {
                let Some(permit) = self.answer(&step.release).permit else { return lacks(&step.release, "permit") };
                let released = self.engine.release(permit);
                unless(step.released.is_none_or(|expected| expected == released), || format!("released: {released}"))
            }
            Step::Advance(step) => {
                self.clock.advance(duration(&step.advance));
                Faults::new()
            }
            Step::Wall(step) => {
                self.clock.set_wall(time(&step.wall));
                Faults::new()
            }
            Step::Reload(step) => match self.reload(&step.reload) {
                Ok(()) => Faults::new(),
                Err(error) => vec![error.to_string()],
            },
            Step::ReloadFails(step) => match self.reload(&step.reload_fails) {
                Ok(()) => vec!["the rules are accepted".to_owned()],
                Err(error) => unless(error.faults().iter().any(|fault| fault.code == step.code), || error.to_string()),
            },
            Step::Admin(step) => self.admin(step),
            Step::SetThreshold(step) => match self.set_threshold(step) {
                Ok(()) => Faults::new(),
                Err(error) => vec![error.to_string()],
            },
            Step::ThresholdsDue(step) => self.thresholds_due(step),
            Step::AfterFork(step) => {
                if step.after_fork {
                    self.engine.after_fork();
                }
                Faults::new()
            }
            Step::Snapshot(step) => {
                let rules = self.engine.snapshot().rules;
                let find = |name: &str| rules.iter().find(|stats| stats.name.as_str() == name);
                compare_counters(&step.snapshot, find, |stats, name| counter(stats, name))
            }
        }
    }

    /// Asks as often as the step says, holds each answer to what is expected, and keeps it under its name.
    fn ask(
        &mut self,
        times: Option<usize>,
        name: Option<&str>,
        expect: &Expect,
        mut ask: impl FnMut() -> Decision,
    ) -> Faults {
        for time in 1..=times.unwrap_or(1) {
            let decision = ask();
            let mut faults = compare_decision(expect, &Answer::from(&decision));
            if !faults.is_empty() {
                faults.push(format!("answer {time}: {decision:?}"));
                return faults;
            }
            if let Some(name) = name {
                self.answers.insert(name.to_owned(), decision);
            }
        }
        Faults::new()
    }

    fn answer(&self, name: &str) -> &Decision {
        self.answers.get(name).unwrap_or_else(|| panic!("no answer is called {name}"))
    }

    fn reload(&self, lines: &[String]) -> Result<(), LoadError> {
        self.engine.reload(rules(lines)?).map(drop)
    }

    fn admin(&self, step: &Admin) -> Faults {
        let answer = match self.engine.admin(&step.admin) {
            Ok(answer) => answer,
            Err(error) => return unless(step.refused == Some(true), || error.to_string()),
        };
        let as_expected = match &answer {
            AdminAnswer::Added(name) => step.added.as_deref() == Some(name.as_str()),
            AdminAnswer::Removed(name) => step.removed.as_deref() == Some(name.as_str()),
            AdminAnswer::Rules { rules, removed, .. } => {
                let listed: Vec<String> = rules.iter().map(|rule| rule.name.to_string()).collect();
                let removed: Vec<String> = removed.iter().map(ToString::to_string).collect();
                step.listed.as_ref() == Some(&listed)
                    && step.listed_removed.as_ref().is_none_or(|expected| *expected == removed)
            }
            _ => false,
        };
        unless(as_expected, || format!("{answer:?}"))
    }

    fn set_threshold(&self, step: &SetThreshold) -> Result<(), LoadError> {
        let fingerprint = self.answer(&step.set_threshold).fingerprint.expect("an answer with a fingerprint");
        let threshold = step.threshold.as_ref().map(|given| {
            let mut threshold = Threshold::new(given.max_count);
            if let Some(window) = &given.window {
                threshold = threshold.window(duration(window));
            }
            if let Some(buckets) = given.buckets {
                threshold = threshold.buckets(buckets);
            }
            if let Some(rate) = &given.rate {
                threshold = threshold.share(share(rate));
            }
            if given.strategy.as_deref() == Some("ignore") {
                threshold = threshold.strategy(Strategy::Ignore);
            }
            threshold
        });
        self.engine.set_threshold(&fingerprint, threshold, duration(&step.ttl))
    }

    fn thresholds_due(&self, step: &ThresholdsDue) -> Faults {
        let sorted = |mut fingerprints: Vec<String>| {
            fingerprints.sort();
            fingerprints
        };
        let due = sorted(self.engine.thresholds_due(step.thresholds_due).iter().map(ToString::to_string).collect());
        let of = |name: &String| self.answer(name).fingerprint.expect("an answer with a fingerprint").to_string();
        let expected = sorted(step.due.iter().map(of).collect());
        unless(due == expected, || format!("due: expected {expected:?}, got {due:?}"))
    }
}

fn share(text: &str) -> Share {
    let (of, all) = text.split_once('/').unwrap();
    Share::new(of.parse().unwrap(), all.parse().unwrap()).unwrap()
}

fn context(said: &Said) -> Context<'_> {
    let mut context = Context::new();
    if let Some(user) = &said.user {
        context = context.user(user);
    }
    if let Some(client) = &said.client {
        context = context.client(client);
    }
    if let Some(database) = &said.database {
        context = context.database(database);
    }
    for (name, value) in &said.tags {
        context = context.tag(name, value);
    }
    context
}

fn fakes(text: &str) -> Fakes {
    match text {
        "none" => Fakes::None,
        "rows" => Fakes::Rows,
        "count" => Fakes::Count,
        "rows_and_count" => Fakes::RowsAndCount,
        other => panic!("nobody can fake {other}"),
    }
}

/// A statement borrows what it is made of, so it is given to what is done with it.
fn with_statement<T>(said: &Said, act: impl FnOnce(&Statement<'_>) -> T) -> T {
    let params: Vec<Option<&[u8]>> = said.params.iter().map(|param| param.as_ref().map(String::as_bytes)).collect();
    let sql = said.sql.as_ref().expect("a statement has a text");
    let mut statement = Statement::new(sql).context(context(said)).params(&params);
    if let Some(dialect) = &said.dialect {
        statement = statement.dialect(dialect.parse::<Dialect>().unwrap());
    }
    if let Some(weight) = said.weight {
        statement = statement.weight(weight);
    }
    if let Some(text) = &said.fakes {
        statement = statement.fakes(fakes(text));
    }
    act(&statement)
}
