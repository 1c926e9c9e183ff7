//! `docs/semantics.md` runs: what its examples say is answered, is answered.
//!
//! A ```` ```yaml ```` block is a rule file. The ```` ```decisions ```` block behind it opens an engine with it, under a manual
//! clock; one that begins with `reload` goes on with the engine before. A line is one of
//!
//! ```text
//! NAME: check SQL | user=ann weight=8 fakes=rows -> ANSWER, ANSWER …
//! NAME: resume NAME -> ANSWER …         release NAME -> true | false
//! advance DURATION                      wall TIME
//! admin STATEMENT -> added NAME         counters RULE -> COUNTER NUMBER, …
//! set NAME THRESHOLD for DURATION       provider, reload: see above; in the first line
//! ```
//!
//! with or without `NAME:`. Each answer must be one of those that [`answers`] finds in the decision.

// A page that cannot be read says so by panicking.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use sqlthrottle::{AdminAnswer, Decision, Engine, Fakes, ManualClock, Reason, RuleFile, Statement, Threshold, Verdict};
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::time::{Duration, SystemTime};

fn page() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/semantics.md");
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn rules(text: &str) -> RuleFile {
    RuleFile::parse_with(text, |_| None).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The fenced blocks of a page in order, each with its language.
fn blocks(page: &str) -> Vec<(&str, &str)> {
    let mut blocks = Vec::new();
    let mut rest = page;
    while let Some((_, behind)) = rest.split_once("```") {
        let (block, behind) = behind.split_once("```").expect("a block is not closed");
        blocks.push(block.split_once('\n').expect("a block has a line"));
        rest = behind;
    }
    blocks
}

/// An engine in the middle of an example.
struct Run {
    engine: Engine,
    clock: ManualClock,
    answers: HashMap<String, Decision>,
}

impl Run {
    fn open(rules: RuleFile, asks_provider: bool) -> Self {
        let clock = ManualClock::new();
        let engine = Engine::builder(rules).clock(clock.clone()).asks_provider(asks_provider).build().unwrap();
        Self { engine, clock, answers: HashMap::new() }
    }

    fn answer(&self, name: &str) -> &Decision {
        self.answers.get(name).unwrap_or_else(|| panic!("there is no answer `{name}`"))
    }

    /// Does what a line says, and compares what it says of it.
    fn line(&mut self, line: &str) {
        let (done, said) = line.split_once(" -> ").map_or((line, ""), |(done, said)| (done.trim(), said.trim()));
        let (name, done) = match done.split_once(": ") {
            Some((name, rest)) if !name.contains(' ') => (name, rest),
            _ => ("", done),
        };
        let (verb, rest) = done.split_once(' ').unwrap_or((done, ""));
        let found = match verb {
            "check" => self.decided(name, check(&self.engine, rest)),
            "resume" => self.decided(name, self.engine.resume(self.answer(rest).ticket.expect("a ticket"))),
            "release" => {
                let released = self.engine.release(self.answer(rest).permit.expect("a permit"));
                vec![released.to_string()]
            }
            "counters" => self.counters(rest),
            "admin" => vec![match self.engine.admin(rest).unwrap() {
                AdminAnswer::Added(name) => format!("added {name}"),
                AdminAnswer::Removed(name) => format!("removed {name}"),
                other => panic!("{other:?}"),
            }],
            "advance" | "wall" | "set" => {
                assert!(said.is_empty(), "`{verb}` is answered nothing: {line}");
                self.change(verb, rest);
                return;
            }
            _ => panic!("`{verb}` is nothing that is done: {line}"),
        };
        assert!(!said.is_empty(), "nothing is said of it: {line}");
        for said in said.split(',').map(str::trim) {
            assert!(found.iter().any(|found| found == said), "{line}\n`{said}` is none of {found:?}");
        }
    }

    fn change(&mut self, verb: &str, rest: &str) {
        match verb {
            "advance" => self.clock.advance(duration(rest)),
            "wall" => self.clock.set_wall(time(rest)),
            _ => {
                let (name, rest) = rest.split_once(' ').expect("a name and a threshold");
                let (threshold, time_to_live) = rest.rsplit_once(" for ").expect("a time to live");
                let fingerprint = self.answer(name).fingerprint.expect("a fingerprint");
                let threshold = (threshold != "none").then(|| self::threshold(threshold));
                self.engine.set_threshold(&fingerprint, threshold, duration(time_to_live)).unwrap();
            }
        }
    }

    fn decided(&mut self, name: &str, decision: Decision) -> Vec<String> {
        let found = answers(&decision);
        self.answers.insert(name.to_owned(), decision);
        found
    }

    fn counters(&self, rule: &str) -> Vec<String> {
        let snapshot = self.engine.snapshot();
        let stats = snapshot.rules.iter().find(|stats| stats.name.as_str() == rule).expect("a rule of that name");
        let counters = [
            ("passed", stats.passed),
            ("aborted", stats.aborted),
            ("would_abort", stats.would_abort),
            ("in_use", stats.in_use),
            ("leaked", stats.leaked),
        ];
        counters.iter().map(|(name, count)| format!("{name} {count}")).collect()
    }
}

/// Checks a statement as a line writes it: SQL, and behind a `|` what is said besides.
fn check(engine: &Engine, written: &str) -> Decision {
    let (sql, said) = written.split_once(" | ").unwrap_or((written, ""));
    let mut statement = Statement::new(sql.trim());
    for (key, value) in said.split_whitespace().map(|said| said.split_once('=').expect("key=value")) {
        statement = match (key, value) {
            ("user", user) => statement.user(user),
            ("weight", weight) => statement.weight(weight.parse().unwrap()),
            ("fakes", "rows") => statement.fakes(Fakes::Rows),
            ("fakes", "count") => statement.fakes(Fakes::Count),
            _ => panic!("`{key}={value}` is nothing that is said of a statement"),
        };
    }
    engine.check_statement(&statement)
}

/// All that a line may say of a decision.
fn answers(decision: &Decision) -> Vec<String> {
    let Decision { verdict, reason, count, limit, .. } = decision;
    let mut answers = vec![verdict.to_string(), format!("{verdict} {reason}"), format!("{count} of {limit}")];
    answers.push(decision.rule.as_ref().map_or_else(|| "no rule".to_owned(), |rule| format!("rule {rule}")));
    answers.push(decision.retry_after.map_or_else(|| "no retry".to_owned(), |time| format!("retry {}", shown(time))));
    answers.push(if decision.permit.is_some() { "permit" } else { "no permit" }.to_owned());
    answers.extend(decision.delay.map(|time| format!("wait {}", shown(time))));
    answers.extend(decision.observed.map(|verdict| format!("observed {verdict}")));
    answers.extend(decision.overflow.then(|| "overflow".to_owned()));
    answers
}

/// A duration as rule files write it.
fn shown(time: Duration) -> String {
    match time.as_secs() {
        minutes if minutes > 0 && time == Duration::from_secs(minutes / 60 * 60) => format!("{}m", minutes / 60),
        _ => format!("{time:?}"),
    }
}

fn threshold(text: &str) -> Threshold {
    rules(&format!("default_threshold: {text}")).default_threshold.unwrap()
}

fn duration(text: &str) -> Duration {
    threshold(&format!("{{max_count: 1, window: {text}, buckets: 1}}")).window
}

fn time(text: &str) -> SystemTime {
    rules(&format!("rules: [{{name: a, limit: {{block: true}}, expires: \"{text}\"}}]")).rules[0].expires.unwrap()
}

#[test]
fn what_the_examples_answer_is_answered() {
    let page = page();
    let (mut runs, mut file) = (0, None);
    let mut run: Option<Run> = None;
    for (language, block) in blocks(&page) {
        match language {
            "yaml" => {
                assert!(file.is_none(), "rules that nothing is checked by: {block}");
                file = Some(rules(block));
            }
            "decisions" => {
                let mut lines = block.lines().map(str::trim).filter(|line| !line.is_empty()).peekable();
                let file = file.take().unwrap_or_else(|| panic!("no rules stand before\n{block}"));
                if lines.next_if_eq(&"reload").is_some() {
                    run.as_ref().expect("an engine that goes on").engine.reload(file).unwrap();
                } else {
                    run = Some(Run::open(file, lines.next_if_eq(&"provider").is_some()));
                }
                for line in lines {
                    run.as_mut().expect("an engine").line(line);
                }
                runs += 1;
            }
            other => panic!("`{other}` is no language of this page"),
        }
    }
    assert!(runs >= 15, "only {runs} examples were found");
    assert!(page.lines().count() <= 300, "a page that is read in five minutes");
}

/// The section under a heading.
fn section<'a>(page: &'a str, heading: &str) -> &'a str {
    let (_, section) = page.split_once(&format!("\n## {heading}\n")).unwrap_or_else(|| panic!("no `{heading}`"));
    section.split_once("\n## ").map_or(section, |(section, _)| section)
}

/// What stands in a text as code.
fn code(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

#[test]
fn the_table_of_reasons_names_all_of_them() {
    let page = page();
    let rows = section(&page, "Reasons").lines().filter(|line| line.starts_with("| `"));
    let named: HashSet<&str> = rows.filter_map(|row| code(row).next()).collect();
    let all = [
        Reason::Allowed,
        Reason::Exempt,
        Reason::NotChecked,
        Reason::PassedOver,
        Reason::OverLimit,
        Reason::Blocked,
        Reason::MaxDelayed,
        Reason::MaxDelay,
        Reason::IgnoreUnavailable,
        Reason::Never,
        Reason::ClusterDown,
        Reason::GuardError,
        Reason::Undecided,
        Reason::Off,
    ];
    assert_eq!(named, all.map(Reason::name).into());
}

#[test]
fn what_the_page_says_is_never_checked_is_not() {
    let page = page();
    let section = section(&page, "What is never checked");
    let rules_page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/rules.md");
    let rules_page = std::fs::read_to_string(rules_page).unwrap();
    let (_, in_rules) = rules_page.split_once("\n### What is never checked\n").unwrap();
    let engine = Engine::new(rules("rules: [{name: all, limit: {block: true}}]")).unwrap();
    let statements: Vec<&str> =
        code(section).filter(|code| code.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b' ')).collect();
    assert!(statements.len() >= 19, "{statements:?}");
    for sql in statements {
        assert_eq!(engine.check(sql).reason, Reason::NotChecked, "{sql}");
        assert!(in_rules.contains(&format!("`{sql}`")), "docs/rules.md does not name {sql}");
    }
    for sql in ["SET a = 1; DELETE FROM t", "SET @x = (SELECT 1)", "BEGIN; DELETE FROM t; END"] {
        assert_eq!(engine.check(sql).verdict, Verdict::Abort, "{sql}");
    }
    let naming = Engine::new(rules("rules: [{name: a, match: {kinds: set}, limit: {block: true}}]")).unwrap();
    assert_eq!(naming.check("SET a = 1").reason, Reason::Blocked);
}
