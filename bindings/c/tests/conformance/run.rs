//! Runs a script: an engine, its clock, and one step after another.

use crate::c_api::{Clock, Context, Decision, Engine, Failure, Prepared, Statement, success};
use crate::compare::{Answer, compare_counters, compare_decision};
use crate::every::{Faults, lacks, take_steps, unless};
use crate::script::{Admin, Expect, Said, Script, SetThreshold, Step, ThresholdsDue, duration, time};
use serde_json::{Value, json};
use sqlthrottle::Dialect;
use sqlthrottle_c::decision::sqlthrottle_fingerprint_t;
use sqlthrottle_c::engine::sqlthrottle_after_fork;
use sqlthrottle_c::threshold::{
    sqlthrottle_set_threshold, sqlthrottle_strategy_t, sqlthrottle_threshold_t, sqlthrottle_thresholds_due,
};
use std::collections::HashMap;
use std::ptr;
use std::time::{Duration, SystemTime};

/// Runs a script to its end, or to the first step that is not as expected.
pub(crate) fn run(script: &Script) -> Faults {
    match Run::open(script) {
        Ok(mut run) => take_steps(script, |step| run.step(step)),
        Err(error) => vec![format!("  the rules are refused\n    {error}")],
    }
}

struct Run {
    engine: Engine,
    clock: Clock,
    answers: HashMap<String, Decision>,
    prepared: HashMap<String, Prepared>,
}

impl Run {
    fn open(script: &Script) -> Result<Self, Failure> {
        let clock = Clock::new();
        if let Some(wall) = &script.wall {
            clock.set_wall(unix_nanos(time(wall)));
        }
        let engine = Engine::with_clock(&script.rules.join("\n"), &clock, script.provider)?;
        Ok(Self { engine, clock, answers: HashMap::new(), prepared: HashMap::new() })
    }

    fn step(&mut self, step: &Step) -> Faults {
        match step {
            Step::Check(step) => {
                let engine = self.engine.another();
                self.ask(step.times, step.name.as_deref(), &step.expect, || {
                    engine.check_statement(&statement(&step.check)).unwrap()
                })
            }
            Step::Prepare(step) => {
                let prepared = self.engine.prepare(&statement(&step.prepare)).unwrap();
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
                let engine = self.engine.another();
                self.ask(step.times, step.name.as_deref(), &step.expect, || {
                    engine.check_request(&context(&step.request)).unwrap()
                })
            }
            Step::Resume(step) => {
                let ticket = self.answer(&step.resume).0.ticket;
                if ticket == 0 {
                    return lacks(&step.resume, "ticket");
                }
                let engine = self.engine.another();
                self.ask(None, step.name.as_deref(), &step.expect, || engine.resume(ticket))
            }
            Step::Release(step) => {
                let permit = self.answer(&step.release).0.permit;
                if permit == 0 {
                    return lacks(&step.release, "permit");
                }
                let released = self.engine.release(permit);
                unless(step.released.is_none_or(|expected| expected == released), || format!("released: {released}"))
            }
            Step::Advance(step) => {
                self.clock.advance(nanos(duration(&step.advance)));
                Faults::new()
            }
            Step::Wall(step) => {
                self.clock.set_wall(unix_nanos(time(&step.wall)));
                Faults::new()
            }
            Step::Reload(step) => faults_of(self.engine.reload(&step.reload.join("\n"))),
            Step::ReloadFails(step) => match self.engine.reload(&step.reload_fails.join("\n")) {
                Ok(_) => vec!["the rules are accepted".to_owned()],
                Err(failure) => unless(failure.codes.contains(&step.code), || failure.to_string()),
            },
            Step::Admin(step) => self.admin(step),
            Step::SetThreshold(step) => faults_of(self.set_threshold(step)),
            Step::ThresholdsDue(step) => self.thresholds_due(step),
            Step::AfterFork(step) => {
                if step.after_fork {
                    success(unsafe { sqlthrottle_after_fork(self.engine.as_ptr()) }).unwrap();
                }
                Faults::new()
            }
            Step::Snapshot(step) => {
                let snapshot = self.engine.snapshot();
                let rules = snapshot["rules"].as_array().expect("rules in the snapshot");
                let find = |name: &str| rules.iter().find(|rule| rule["name"] == name);
                compare_counters(&step.snapshot, find, |rule: &&Value, counter| {
                    rule[counter].as_u64().unwrap_or_else(|| panic!("no counter is called {counter}"))
                })
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
            let answer = Answer::from(&decision);
            let mut faults = compare_decision(expect, &answer);
            if !faults.is_empty() {
                faults.push(format!("answer {time}: {answer:?}"));
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

    fn admin(&self, step: &Admin) -> Faults {
        let answer = match self.engine.admin(&step.admin) {
            Ok(answer) => answer,
            Err(failure) => return unless(step.refused == Some(true), || failure.to_string()),
        };
        let as_expected = match (&step.added, &step.removed, &step.listed) {
            (Some(added), None, None) => answer["added"] == *added,
            (None, Some(removed), None) => answer["removed"] == *removed,
            (None, None, Some(listed)) => {
                let rules = answer["rules"].as_array().map(|rules| rules.iter().map(|rule| &rule["name"]).collect());
                rules.is_some_and(|rules: Vec<&Value>| rules == listed.iter().collect::<Vec<_>>())
                    && step.listed_removed.as_ref().is_none_or(|removed| answer["removed"] == json!(removed))
            }
            _ => false,
        };
        unless(as_expected, || answer.to_string())
    }

    fn set_threshold(&self, step: &SetThreshold) -> Result<(), Failure> {
        let fingerprint = &raw const self.answer(&step.set_threshold).0.fingerprint;
        let threshold = step.threshold.as_ref().map(|given| {
            let (share, share_of) = given.rate.as_deref().map_or((0, 0), share);
            let strategy = match given.strategy.as_deref() {
                Some("ignore") => sqlthrottle_strategy_t::SQLTHROTTLE_STRATEGY_IGNORE,
                _ => sqlthrottle_strategy_t::SQLTHROTTLE_STRATEGY_ABORT,
            };
            sqlthrottle_threshold_t {
                size: size_of::<sqlthrottle_threshold_t>(),
                window_ns: given.window.as_deref().map_or(0, |window| nanos(duration(window))),
                delay_ns: 0,
                max_count: given.max_count,
                buckets: given.buckets.unwrap_or(0),
                share,
                share_of,
                strategy: strategy as u32,
                max_delayed: 0,
            }
        });
        let threshold = threshold.as_ref().map_or(ptr::null(), ptr::from_ref);
        let time_to_live = nanos(duration(&step.ttl));
        success(unsafe { sqlthrottle_set_threshold(self.engine.as_ptr(), fingerprint, threshold, time_to_live) })
    }

    fn thresholds_due(&self, step: &ThresholdsDue) -> Faults {
        let sorted = |fingerprints: &[sqlthrottle_fingerprint_t]| {
            let of =
                |fingerprint: &sqlthrottle_fingerprint_t| fingerprint.bytes[..fingerprint.length as usize].to_vec();
            let mut sorted: Vec<Vec<u8>> = fingerprints.iter().map(of).collect();
            sorted.sort();
            sorted
        };
        let mut due = vec![sqlthrottle_fingerprint_t { bytes: [0; 32], length: 0 }; step.thresholds_due];
        let mut count = 0;
        let engine = self.engine.as_ptr();
        success(unsafe { sqlthrottle_thresholds_due(engine, due.as_mut_ptr(), due.len(), &raw mut count) }).unwrap();
        let due = sorted(&due[..count]);
        let expected: Vec<_> = step.due.iter().map(|name| self.answer(name).0.fingerprint).collect();
        let expected = sorted(&expected);
        unless(due == expected, || format!("due: expected {expected:?}, got {due:?}"))
    }
}

impl<'a> From<&'a Decision> for Answer<'a> {
    fn from(decision: &'a Decision) -> Self {
        let some = |nanos: u64| (nanos != 0).then(|| Duration::from_nanos(nanos));
        let seen = &decision.0;
        Self {
            verdict: decision.verdict(),
            reason: decision.reason(),
            rule: decision.rule(),
            count: seen.count,
            limit: seen.limit,
            retry_after: some(seen.retry_after_ns),
            delay: some(seen.delay_ns),
            observed: decision.observed(),
            overflow: seen.overflow != 0,
            permit: seen.permit != 0,
            custom: decision.custom(),
        }
    }
}

fn faults_of<T>(result: Result<T, Failure>) -> Faults {
    result.map_or_else(|failure| vec![failure.to_string()], |_| Faults::new())
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap()
}

fn unix_nanos(time: SystemTime) -> i64 {
    i64::try_from(nanos(time.duration_since(SystemTime::UNIX_EPOCH).unwrap())).unwrap()
}

fn share(text: &str) -> (u32, u32) {
    let (of, all) = text.split_once('/').unwrap();
    (of.parse().unwrap(), all.parse().unwrap())
}

fn context(said: &Said) -> Context<'_> {
    Context {
        user: said.user.as_deref(),
        client: said.client.as_deref(),
        database: said.database.as_deref(),
        tags: said.tags.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect(),
    }
}

fn statement(said: &Said) -> Statement<'_> {
    let dialect = said.dialect.as_ref().map_or(0, |name| {
        1 + Dialect::ALL.iter().position(|dialect| dialect.name() == name).expect("the dialect of a script")
    });
    let fakes = match said.fakes.as_deref() {
        None | Some("none") => 0,
        Some("rows") => 1,
        Some("count") => 2,
        Some("rows_and_count") => 3,
        Some(other) => panic!("nobody can fake {other}"),
    };
    Statement {
        sql: said.sql.as_deref().expect("a statement has a text").as_bytes(),
        context: context(said),
        parameters: said.params.iter().map(|parameter| parameter.as_ref().map(String::as_bytes)).collect(),
        dialect: u32::try_from(dialect).unwrap(),
        fakes,
        weight: said.weight.unwrap_or(0),
        flags: 0,
    }
}
