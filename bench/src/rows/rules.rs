//! What many rules cost beside few, and what it costs to put them in force while statements are checked.

use super::{Case, Duel, Work};
use crate::measure::{Loop, Quartiles, looped};
use crate::table::{Figure, Row, nanoseconds};
use anyhow::{Result, ensure};
use sqlthrottle::Engine;
use sqlthrottle::rule::{Limit, Rule, RuleFile};
use std::hint::black_box;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

pub(super) const CASES: &[Case] = &[
    Case { name: "rules-known/own", build: known },
    Case { name: "rules-first-sight/own", build: first_sight },
    Case { name: "rules-first-sight-open/own", build: first_sight_open },
    Case { name: "rules-reload/own", build: reload },
];

const MANY: usize = 3_000;
/// Patterns that are run on every text: about half of those that a file may have.
const MANY_OPEN: usize = 300;
const FEW: usize = 10;

/// Nothing is refused under it.
const BOUNDLESS: u32 = 60_000_000;

/// Rounds of reloading, and how often rules are put in force in each.
const ROUNDS: usize = 5;
const RELOADS: usize = 6;

/// So many rules with a pattern each, the first of which matches the statement that is checked.
fn rules(number: usize) -> RuleFile {
    let mut file = RuleFile::default();
    file.limits.max_rules = MANY;
    for i in 0..number {
        let mut rule = Rule::new(format!("rule-{i}"), Limit::sliding_window(BOUNDLESS, Duration::from_millis(1200)));
        rule.matching.pattern = Some(format!("select.*from accounts_{i:05} where id"));
        file.rules.push(rule);
    }
    file
}

/// So many rules with a pattern each that needs no text of its own, and so is run on every statement.
fn open_rules(number: usize) -> RuleFile {
    let mut file = rules(number);
    for (i, rule) in file.rules.iter_mut().enumerate() {
        let (last, times) = (char::from(b'd' + (i % 20) as u8), i / 20 + 2);
        rule.matching.pattern = Some(format!(".*[a-{last}]{{{times}}}[0-9]"));
    }
    file
}

fn statement(table: usize) -> String {
    format!("select id, name, email, created_at from accounts_{table:05} where id = 42 and state = 'open'")
}

/// A statement that is known and that one rule matches.
fn known() -> Result<Work> {
    let check = |number| {
        let engine = Engine::new(rules(number))?;
        ensure!(engine.check(statement(0)).rule.is_some(), "the first rule is to match");
        let text = statement(0);
        anyhow::Ok(looped(move || engine.check(black_box(&text))))
    };
    let duel = Duel::new("3,000 rules, known statement", "the same with 10 rules", check(MANY)?, check(FEW)?);
    Ok(Work::Duel(duel.at_least(1.0 / 1.2)))
}

/// Statements of which each is the first of its shape, and matches no rule but by its beginning.
fn first_sight() -> Result<Work> {
    let (many, few) = (first_sights(rules(MANY))?, first_sights(rules(FEW))?);
    let duel = Duel::new("first sight under 3,000 patterns", "the same under 10", many, few);
    Ok(Work::Duel(duel.at_least(1.0 / 3.0)))
}

/// The same where no literal spares a pattern.
fn first_sight_open() -> Result<Work> {
    let (many, few) = (first_sights(open_rules(MANY_OPEN))?, first_sights(open_rules(FEW))?);
    let duel = Duel::new("first sight under 300 patterns run on every text", "the same under 10", many, few);
    Ok(Work::Duel(duel.at_least(1.0 / 3.0)))
}

fn first_sights(rules: RuleFile) -> Result<Loop> {
    let engine = Engine::new(rules)?;
    let mut table = MANY;
    Ok(looped(move || {
        table += 1;
        engine.check(statement(table))
    }))
}

/// The time within which 999 of 1,000 checks of two threads are done while 3,000 rules are put in force again and again.
fn reload() -> Result<Work> {
    let engine = Engine::new(rules(MANY))?;
    Ok(Work::Own(Box::new(move || {
        let (mut nanos, mut ratios) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let p999 = under_reload(&engine)?;
            nanos.push(p999.as_secs_f64() * 1e9);
            ratios.push(Duration::from_millis(1).as_secs_f64() / p999.as_secs_f64());
        }
        Ok(Row {
            case: "99.9 % of checks, 2 threads, 3,000 rules reloaded".to_owned(),
            peer: "a millisecond",
            ours: nanoseconds(Quartiles::of(nanos).median),
            theirs: nanoseconds(1e6),
            reached: Some(Figure::Times(Quartiles::of(ratios))),
            target: Some(1.0),
            note: String::new(),
        })
    })))
}

/// The time of the slowest check but one in a thousand.
fn under_reload(engine: &Engine) -> Result<Duration> {
    let done = AtomicBool::new(false);
    let mut times: Vec<Duration> = thread::scope(|scope| {
        let checking = |first: usize| {
            let done = &done;
            let texts: Vec<String> = (first..first + 100).map(statement).collect();
            scope.spawn(move || {
                let mut times = Vec::new();
                for text in texts.iter().cycle() {
                    if done.load(Ordering::Relaxed) {
                        return times;
                    }
                    let start = Instant::now();
                    let decision = engine.check(black_box(text));
                    times.push(start.elapsed());
                    let _ = black_box(decision);
                }
                times
            })
        };
        let threads = [checking(0), checking(50)];
        let reloaded = (0..RELOADS).try_for_each(|_| engine.reload(rules(MANY)).map(drop));
        done.store(true, Ordering::Relaxed);
        let times = threads.into_iter().flat_map(|thread| thread.join().unwrap_or_default()).collect();
        reloaded.map(|()| times)
    })?;
    times.sort_unstable();
    ensure!(times.len() > 1000, "too few checks to tell");
    Ok(times[times.len() - 1 - times.len() / 1000])
}
