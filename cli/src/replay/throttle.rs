//! The statements of a log through an engine, under the log's time.

use super::outcome::{Fate, Outcome};
use super::rate::Rate;
use super::tally::Tally;
use crate::log::LogTime;
use sqlthrottle::rule::{Mode, RuleFile};
use sqlthrottle::{
    Decision, Dialect, Engine, Fakes, Fingerprint, LoadError, ManualClock, Normalizer, Reason, RuleName, Statement,
    Ticket, Verdict,
};
use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, HashMap};
use std::time::Duration;

/// Furthest that the engine's clock goes: 500 years. It counts nanoseconds in 64 bits, and a log may claim any year.
const HORIZON: Duration = Duration::from_secs(500 * 365 * 86_400);

/// What became of the statements that one rule decided.
#[derive(Clone, Debug)]
pub(super) struct RuleOutcome {
    pub(super) name: RuleName,
    pub(super) before: Rate,
    pub(super) outcome: Outcome,
}

impl RuleOutcome {
    fn new(name: RuleName) -> Self {
        Self { name, before: Rate::default(), outcome: Outcome::default() }
    }
}

/// An engine, its clock, and the statements that wait.
#[derive(Debug)]
pub(super) struct Throttle {
    engine: Engine,
    clock: ManualClock,
    /// The log's time at which the engine's clock stands at zero.
    origin: Option<LogTime>,
    dialect: Dialect,
    /// What the file says; the engine's mode is always to enforce.
    pub(super) mode: Mode,
    normalizer: Normalizer,
    /// Bounded by the engine: a rule has at most `max_delayed` tickets out.
    waiting: BinaryHeap<Reverse<Waiting>>,
    /// Waits begun.
    turns: u64,
    rules: Vec<RuleOutcome>,
    by_name: HashMap<RuleName, usize>,
    /// Statements of kinds that are never checked (BEGIN, COMMIT, SET …).
    pub(super) unchecked: u64,
}

/// A statement that was told to wait.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    due: LogTime,
    turn: u64,
    ticket: Ticket,
    fingerprint: Fingerprint,
    rule: usize,
}

impl Waiting {
    /// The one due first is asked first; of equals, the one that came first.
    fn order(&self) -> (LogTime, u64) {
        (self.due, self.turn)
    }
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        self.order().cmp(&other.order())
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.order() == other.order()
    }
}

impl Eq for Waiting {}

impl Throttle {
    /// An engine for these rules, which stands at the time of the first statement. A replay changes no database, so the
    /// rules are enforced whatever the file's mode: observing would not say which delayed statements pass in the end.
    ///
    /// # Errors
    ///
    /// Where the engine does not accept the rules.
    pub(super) fn new(mut rules: RuleFile, dialect: Dialect) -> Result<Self, LoadError> {
        let clock = ManualClock::new();
        let mut options = rules.fingerprint;
        options.dialect = dialect;
        let mode = std::mem::replace(&mut rules.mode, Mode::Enforce);
        Ok(Self {
            mode,
            engine: Engine::with_clock(rules, clock.clone())?,
            clock,
            origin: None,
            dialect,
            normalizer: Normalizer::new(options),
            waiting: BinaryHeap::new(),
            turns: 0,
            rules: Vec::new(),
            by_name: HashMap::new(),
            unchecked: 0,
        })
    }

    /// Sends a statement. Those whose wait is over by then are asked again first.
    #[inline]
    pub(super) fn send(&mut self, sql: &[u8], at: LogTime, query_time: Option<Duration>, tally: &mut Tally) {
        self.resume_until(Some(at), tally);
        self.set_clock(at);
        let statement = Statement::new(sql).dialect(self.dialect).fakes(Fakes::RowsAndCount);
        let decision = self.engine.check_statement(&statement);
        let fingerprint = match decision.fingerprint {
            Some(fingerprint) => fingerprint,
            None => self.normalizer.normalize(sql).fingerprint(),
        };
        let shape = tally.sent(fingerprint, at, query_time, || self.normalizer.normalize(sql));
        let fate = fate(&decision);
        let Some(name) = &decision.rule else {
            self.unchecked += u64::from(decision.reason == Reason::NotChecked);
            shape.outcome.count(fate, at);
            return;
        };
        let rule = match shape.rule {
            Some(rule) if self.rules[rule].name == *name => rule,
            _ => rule_place(&mut self.rules, &mut self.by_name, name),
        };
        shape.rule = Some(rule);
        self.rules[rule].before.record(at);
        for outcome in [&mut shape.outcome, &mut self.rules[rule].outcome] {
            outcome.matched += 1;
            outcome.count(fate, at);
        }
        if fate == Fate::Delayed {
            self.wait(&decision, at, fingerprint, rule, tally);
        }
    }

    /// Asks again for every statement that still waits, each at its time.
    pub(super) fn finish(&mut self, tally: &mut Tally) {
        self.resume_until(None, tally);
    }

    fn resume_until(&mut self, end: Option<LogTime>, tally: &mut Tally) {
        while let Some(Reverse(waiting)) = self.waiting.peek().copied() {
            if end.is_some_and(|end| waiting.due > end) {
                return;
            }
            self.waiting.pop();
            self.set_clock(waiting.due);
            let decision = self.engine.resume(waiting.ticket);
            match fate(&decision) {
                Fate::Delayed => self.wait(&decision, waiting.due, waiting.fingerprint, waiting.rule, tally),
                fate => self.settle(fate, waiting.due, &waiting.fingerprint, waiting.rule, tally),
            }
        }
    }

    /// Puts a statement that is to wait into the queue.
    fn wait(&mut self, decision: &Decision, at: LogTime, fingerprint: Fingerprint, rule: usize, tally: &mut Tally) {
        let Some(ticket) = decision.ticket else {
            // What nobody can ask again for does not pass.
            return self.settle(Fate::Aborted, at, &fingerprint, rule, tally);
        };
        // Logs count in microseconds; asking a moment too early would be answered by another wait.
        let delay = decision.delay.unwrap_or_default().saturating_add(Duration::from_nanos(999));
        let due = at.plus(delay.max(Duration::from_micros(1)));
        if due - self.origin.unwrap_or(at) >= HORIZON {
            return self.settle(Fate::Aborted, at, &fingerprint, rule, tally);
        }
        self.turns += 1;
        self.waiting.push(Reverse(Waiting { due, turn: self.turns, ticket, fingerprint, rule }));
    }

    /// Counts what became of a statement that had to wait.
    fn settle(&mut self, fate: Fate, at: LogTime, fingerprint: &Fingerprint, rule: usize, tally: &mut Tally) {
        self.rules[rule].outcome.count(fate, at);
        if let Some(shape) = tally.get_mut(fingerprint) {
            shape.outcome.count(fate, at);
        }
    }

    fn set_clock(&mut self, at: LogTime) {
        let origin = *self.origin.get_or_insert(at);
        self.clock.advance_to((at - origin).min(HORIZON));
    }

    /// Every rule, the ones that refused most first; those that no statement matched last.
    pub(super) fn outcomes(&self) -> Vec<RuleOutcome> {
        let mut rules = self.rules.clone();
        rules.sort_by_key(|rule| Reverse((rule.outcome.refused(), rule.outcome.matched)));
        let idle = self.engine.snapshot().rules.into_iter().map(|stats| stats.name);
        rules.extend(idle.filter(|name| !self.by_name.contains_key(name)).map(RuleOutcome::new));
        rules
    }
}

fn rule_place(rules: &mut Vec<RuleOutcome>, by_name: &mut HashMap<RuleName, usize>, name: &RuleName) -> usize {
    *by_name.entry(name.clone()).or_insert_with(|| {
        rules.push(RuleOutcome::new(name.clone()));
        rules.len() - 1
    })
}

/// What a decision means for the statement.
fn fate(decision: &Decision) -> Fate {
    match decision.verdict {
        Verdict::Abort => Fate::Aborted,
        Verdict::Ignore => Fate::Ignored,
        Verdict::Delay => Fate::Delayed,
        _ if decision.reason == Reason::PassedOver => Fate::PassedOver,
        _ => Fate::Passed,
    }
}
