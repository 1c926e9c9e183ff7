//! The statements of a log through an engine, under the log's time.

use super::outcome::{Fate, Outcome};
use super::peak::{AtOnce, Peak};
use super::rate::Rate;
use super::refusals::Refusals;
use super::schedule::{Schedule, Waiting, What};
use super::tally::{Own, Shape, Tally};
use crate::log::{LogTime, Sender};
use crate::rules::{self, Terms};
use sqlthrottle::fingerprint::split;
use sqlthrottle::rule::{Limit, Mode, RuleFile};
use sqlthrottle::{
    Context, Decision, Dialect, Engine, Fakes, Fingerprint, LoadError, ManualClock, Normalizer, Permit, Reason,
    RuleName, Statement, Verdict,
};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::time::Duration;

/// Furthest that the engine's clock goes: 500 years. It counts nanoseconds in 64 bits, and a log may claim any year.
const HORIZON: Duration = Duration::from_secs(500 * 365 * 86_400);

/// A statement as the log has it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sent<'a> {
    pub(super) sql: &'a [u8],
    pub(super) at: LogTime,
    pub(super) query_time: Option<Duration>,
}

/// What a rule did, and what became of the statements that it decided.
#[derive(Clone, Debug)]
pub(super) struct RuleOutcome {
    pub(super) name: RuleName,
    /// Its place among the rules, in the order of the file.
    pub(super) place: usize,
    pub(super) terms: Terms,
    /// Whether its time was over at the last statement.
    pub(super) is_over: bool,
    /// Of the statements that it decided.
    pub(super) before: Rate,
    /// Counts are of all statements that it matched; times and rates of those that it decided.
    pub(super) outcome: Outcome,
    /// Over its limit, and decided by a stronger rule.
    pub(super) outranked: u64,
}

/// The statements that one rule decided.
#[derive(Clone, Debug, Default)]
struct Decided {
    before: Rate,
    outcome: Outcome,
}

/// An engine, its clock, and what is still to happen.
#[derive(Debug)]
pub(super) struct Throttle {
    engine: Engine,
    clock: ManualClock,
    /// The log's time at which the engine's clock stands at zero.
    origin: LogTime,
    /// The time of the last statement.
    last: LogTime,
    dialect: Dialect,
    /// What the file says; the engine's mode is always to enforce.
    pub(super) mode: Mode,
    terms: Vec<Terms>,
    /// Whether any rule may look at who sends a statement.
    pub(super) asks_sender: bool,
    /// A place is free again after this at the latest.
    longest_lease: Duration,
    normalizer: Normalizer,
    /// Bounded by the engine, where a rule has at most `max_delayed` tickets and `max` places out, and by what
    /// [`Refusals`] follows.
    schedule: Schedule,
    decided: Vec<Decided>,
    /// The rules in the order of the file, and where each stands there.
    names: Vec<RuleName>,
    places: HashMap<RuleName, usize>,
    /// Which statements the rules refused, where that is asked for.
    pub(super) refusals: Option<Refusals>,
    /// Statements of kinds that are never checked (BEGIN, COMMIT, SET …).
    pub(super) unchecked: u64,
    /// Statements that gave back their places at once, because the log does not say how long they took.
    pub(super) without_duration: u64,
}

impl Throttle {
    /// An engine for these rules, which stands at the time of the log's first entry. A replay changes no database, so rules
    /// that are only observed are enforced: observing would not say which delayed statements pass in the end.
    ///
    /// # Errors
    ///
    /// Where the engine does not accept the rules.
    pub(super) fn new(
        mut rules: RuleFile,
        dialect: Dialect,
        origin: LogTime,
        explain: bool,
    ) -> Result<Self, LoadError> {
        let clock = ManualClock::new();
        clock.set_wall(origin.of_day());
        let mut options = rules.fingerprint;
        options.dialect = dialect;
        let terms = rules::terms(&rules);
        let mode = std::mem::replace(&mut rules.mode, Mode::Enforce);
        for rule in &mut rules.rules {
            rule.mode = rule.mode.filter(|mode| *mode == Mode::Off);
        }
        let leases = rules.rules.iter().map(|rule| match rule.limit {
            Limit::Concurrency { lease, .. } => lease,
            _ => Duration::ZERO,
        });
        let (longest_lease, asks_sender) = (leases.max().unwrap_or_default(), !rules.rules.is_empty());
        let engine = Engine::with_clock(rules, clock.clone())?;
        let names: Vec<_> = engine.snapshot().rules.into_iter().map(|rule| rule.name).collect();
        Ok(Self {
            mode,
            places: names.iter().cloned().zip(0..).collect(),
            names,
            engine,
            clock,
            origin,
            last: origin,
            dialect,
            asks_sender,
            longest_lease,
            normalizer: Normalizer::new(options),
            schedule: Schedule::default(),
            decided: vec![Decided::default(); terms.len()],
            refusals: explain.then(|| Refusals::new(&terms)),
            terms,
            unchecked: 0,
            without_duration: 0,
        })
    }

    /// Sends a statement. What is due by then happens first.
    #[inline]
    pub(super) fn send(&mut self, sent: Sent<'_>, sender: Sender<'_>, tally: &mut Tally) {
        let Sent { sql, at, query_time } = sent;
        self.run_until(Some(at), tally);
        self.set_clock(at);
        self.last = at;
        let statement = Statement::new(sql).dialect(self.dialect).fakes(Fakes::RowsAndCount).context(context(&sender));
        let decision = self.engine.check_statement(&statement);
        let fingerprint = match decision.fingerprint {
            Some(fingerprint) => fingerprint,
            None => self.normalizer.normalize(sql).fingerprint(),
        };
        let none_lost = tally.others().count == 0;
        let shape = tally.sent(fingerprint, at, query_time, || self.normalizer.normalize(sql));
        self.count_alone(shape, sent, none_lost);
        let fate = fate(&decision);
        if let Some(permit) = decision.permit {
            self.hold(permit, at, query_time);
        }
        let Some(rule) = decision.rule.as_ref().and_then(|name| self.place(shape, name)) else {
            self.unchecked += u64::from(decision.reason == Reason::NotChecked);
            shape.outcome.count(fate, at);
            return;
        };
        shape.rule = Some(rule);
        shape.outcome.matched += 1;
        shape.outcome.count(fate, at);
        self.decided[rule].before.record(at);
        self.decided[rule].outcome.count(fate, at);
        if let Some(refusals) = &mut self.refusals
            && matches!(fate, Fate::Aborted | Fate::Ignored | Fate::Delayed)
        {
            refusals.count(rule, fingerprint);
        }
        if fate == Fate::Delayed {
            self.wait(&decision, at, fingerprint, query_time, rule, tally);
        }
    }

    /// Lets everything happen that is still to, each at its time.
    pub(super) fn finish(&mut self, tally: &mut Tally) {
        self.run_until(None, tally);
    }

    fn run_until(&mut self, end: Option<LogTime>, tally: &mut Tally) {
        while let Some((due, what)) = self.schedule.next(end) {
            self.set_clock(due);
            match what {
                What::Release(permit) => {
                    self.engine.release(permit);
                }
                What::End(fingerprint) => {
                    if let Some(refusals) = &mut self.refusals {
                        refusals.followed.end();
                    }
                    if let Some(own) = tally.get_mut(&fingerprint).and_then(|shape| shape.own.as_mut()) {
                        own.at_once.end();
                    }
                }
                What::Resume(waiting) => self.resume(waiting, due, tally),
            }
        }
    }

    /// Asks again for a statement that has waited.
    fn resume(&mut self, waiting: Waiting, at: LogTime, tally: &mut Tally) {
        let Waiting { ticket, fingerprint, query_time, rule } = waiting;
        let decision = self.engine.resume(ticket);
        if let Some(permit) = decision.permit {
            self.hold(permit, at, query_time);
        }
        match fate(&decision) {
            Fate::Delayed => self.wait(&decision, at, fingerprint, query_time, rule, tally),
            fate => self.settle(fate, at, &fingerprint, rule, tally),
        }
    }

    /// Puts a statement that is to wait into the queue.
    fn wait(
        &mut self,
        decision: &Decision,
        at: LogTime,
        fingerprint: Fingerprint,
        query_time: Option<Duration>,
        rule: usize,
        tally: &mut Tally,
    ) {
        let Some(ticket) = decision.ticket else {
            // What nobody can ask again for does not pass.
            return self.settle(Fate::Aborted, at, &fingerprint, rule, tally);
        };
        // Logs count in microseconds; asking a moment too early would be answered by another wait.
        let delay = decision.delay.unwrap_or_default().saturating_add(Duration::from_nanos(999));
        let due = at.plus(delay.max(Duration::from_micros(1)));
        if due - self.origin >= HORIZON {
            return self.settle(Fate::Aborted, at, &fingerprint, rule, tally);
        }
        self.schedule.add(due, What::Resume(Waiting { ticket, fingerprint, query_time, rule }));
    }

    /// Counts what became of a statement that had to wait.
    fn settle(&mut self, fate: Fate, at: LogTime, fingerprint: &Fingerprint, rule: usize, tally: &mut Tally) {
        self.decided[rule].outcome.count(fate, at);
        if let Some(shape) = tally.get_mut(fingerprint) {
            shape.outcome.count(fate, at);
        }
    }

    /// Holds the places of a statement for as long as it took.
    fn hold(&mut self, permit: Permit, at: LogTime, query_time: Option<Duration>) {
        self.without_duration += u64::from(query_time.is_none());
        match query_time.filter(|query_time| !query_time.is_zero()) {
            // A place that has lapsed is not given back, and what lasts longer need not be remembered.
            Some(query_time) => {
                let held = query_time.min(self.longest_lease.saturating_add(Duration::from_micros(1)));
                self.schedule.add(at.plus(held), What::Release(permit));
            }
            None => {
                self.engine.release(permit);
            }
        }
    }

    /// Counts a statement with its shape, by itself.
    fn count_alone(&mut self, shape: &mut Shape, sent: Sent<'_>, none_lost: bool) {
        let Some(refusals) = &mut self.refusals else { return };
        let followed = &mut refusals.followed;
        if shape.count == 1 && none_lost {
            let statements = split(sent.sql, self.dialect).count().clamp(1, 1 << 20) as u32;
            let peaks = vec![Peak::default(); followed.windows.len()].into();
            shape.own = Some(Box::new(Own { peaks, at_once: AtOnce::default(), statements }));
        }
        let Some(own) = &mut shape.own else { return };
        for (peak, window) in own.peaks.iter_mut().zip(&followed.windows) {
            peak.record(sent.at, own.statements, *window);
        }
        if !followed.at_once {
            return;
        }
        own.at_once.begin();
        match sent.query_time.filter(|query_time| !query_time.is_zero()) {
            Some(query_time) if followed.begin() => {
                self.schedule.add(sent.at.plus(query_time.min(self.longest_lease)), What::End(shape.fingerprint));
            }
            _ => own.at_once.end(),
        }
    }

    /// Where a rule stands in the list, which most often is that of the shape's statement before.
    fn place(&self, shape: &Shape, name: &RuleName) -> Option<usize> {
        shape.rule.filter(|rule| self.names[*rule] == *name).or_else(|| self.places.get(name).copied())
    }

    fn set_clock(&mut self, at: LogTime) {
        self.clock.advance_to((at - self.origin).min(HORIZON));
    }

    /// Every rule, the ones that refused most first; those that no statement matched last.
    pub(super) fn outcomes(&self) -> Vec<RuleOutcome> {
        let snapshot = self.engine.snapshot();
        let each = snapshot.rules.into_iter().zip(&self.terms).zip(&self.decided).enumerate();
        let mut rules: Vec<_> = each
            .map(|(place, ((stats, terms), decided))| {
                let mut outcome = decided.outcome;
                outcome.matched = stats.matched;
                // What has waited is counted as what became of it, too.
                outcome.passed = stats.passed + stats.resumed;
                outcome.passed_over = stats.passed_over;
                outcome.aborted = stats.aborted + stats.aborted_waiting + stats.lapsed;
                outcome.ignored = stats.ignored;
                outcome.delayed = stats.delayed;
                RuleOutcome {
                    is_over: terms.expires.is_some_and(|expires| expires <= self.last.of_day()),
                    name: stats.name,
                    place,
                    terms: terms.clone(),
                    before: decided.before,
                    outcome,
                    outranked: stats.outranked,
                }
            })
            .collect();
        rules.sort_by_key(|rule| Reverse((rule.outcome.refused(), rule.outcome.matched)));
        rules
    }
}

fn context<'a>(sender: &Sender<'a>) -> Context<'a> {
    let mut context = Context::new();
    if let Some(user) = sender.user {
        context = context.user(user);
    }
    if let Some(client) = sender.client {
        context = context.client(client);
    }
    if let Some(database) = sender.database {
        context = context.database(database);
    }
    context
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
