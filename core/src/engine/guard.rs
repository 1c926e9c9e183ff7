//! Checking, waiting and releasing in one, for hosts that are Rust programs.

use super::Engine;
use super::refill::Refilled;
use crate::context::Context;
use crate::decision::{Decision, Permit, Ticket, Verdict};
use crate::fingerprint::Fingerprint;
use crate::rule::{RuleFile, Threshold};
use crate::statement::Statement;
use std::error::Error;
use std::fmt;
use std::future::Future;
use std::time::Duration;

/// Names the threshold of a fingerprint, from wherever a host keeps them: a table, a service, a file.
///
/// A check never asks it. [`Engine::guard`] does, at the first sight of a fingerprint, and [`Engine::renew_thresholds`], which a
/// timer of the host's calls.
pub trait ThresholdProvider {
    /// Why it could not answer.
    type Error;

    /// The threshold of a fingerprint, none where it has none; and for how long that is good.
    ///
    /// # Errors
    ///
    /// It cannot be asked now. What it said before stays in force.
    fn threshold(&self, fingerprint: &Fingerprint) -> Result<(Option<Threshold>, Duration), Self::Error>;
}

/// The thresholds of a rule file: what a host that has no provider goes by, and one that has may fall back to.
impl ThresholdProvider for RuleFile {
    type Error = std::convert::Infallible;

    fn threshold(&self, fingerprint: &Fingerprint) -> Result<(Option<Threshold>, Duration), Self::Error> {
        let named = self.thresholds.iter().find(|(prefix, _)| prefix.matches(fingerprint));
        Ok((named.map(|(_, threshold)| threshold.clone()), Duration::MAX))
    }
}

/// Of a host that has none at hand: where the engine asks for one, the statement passes by the other rules.
struct NoProvider;

impl ThresholdProvider for NoProvider {
    type Error = ();

    fn threshold(&self, _: &Fingerprint) -> Result<(Option<Threshold>, Duration), ()> {
        Err(())
    }
}

/// A statement that may be sent. It holds its places until it is dropped: keep it as long as the statement runs.
#[derive(Debug)]
#[must_use = "the places of the statement are given back when this is dropped"]
pub struct Guard {
    engine: Engine,
    decision: Decision,
    permit: Option<Permit>,
}

impl Guard {
    /// The decision, which allows the statement.
    pub fn decision(&self) -> &Decision {
        &self.decision
    }

    /// Gives the places back at once; to drop it does the same.
    pub fn release(self) {}

    /// Leaves the places to whoever releases the permit of the decision, later and elsewhere.
    pub fn detach(mut self) -> Option<Permit> {
        self.permit.take()
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some(permit) = self.permit.take() {
            self.engine.release(permit);
        }
    }
}

/// A statement that may not be sent, with the decision that says why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Throttled(pub Box<Decision>);

impl fmt::Display for Throttled {
    /// Names the rule and never the statement.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(decision) = self;
        write!(f, "the statement was not sent: {}", decision.reason)?;
        if let Some(rule) = &decision.rule {
            write!(f, ", rule {rule}, {} of {}", decision.count, decision.limit)?;
        }
        if let Some(retry_after) = decision.retry_after {
            write!(f, ", room in {retry_after:?}")?;
        }
        Ok(())
    }
}

impl Error for Throttled {}

/// What is left to do until a statement is decided.
enum Next {
    Decided(Result<Guard, Throttled>),
    Wait(Duration, Decision),
}

impl Engine {
    /// Checks a statement, and waits in this thread where it is to wait. Where a rule that a cluster counts lacks credit, the
    /// cluster is asked in this thread ([`refill`](Self::refill)).
    ///
    /// ```
    /// use sqlthrottle::{Engine, Limit, Rule, RuleFile, Statement};
    ///
    /// let mut rules = RuleFile::default();
    /// rules.rules.push(Rule::new("two-at-once", Limit::concurrency(2)));
    /// let engine = Engine::new(rules)?;
    ///
    /// let statement = Statement::new("select * from reports");
    /// let one = engine.guard(&statement)?;
    /// let two = engine.guard(&statement)?;
    /// assert!(engine.guard(&statement).is_err());
    /// drop(one); // the statement has ended
    /// assert!(engine.guard(&statement).is_ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The statement is not to be sent: aborted, or to be ignored where it says what can be faked.
    pub fn guard(&self, statement: &Statement<'_>) -> Result<Guard, Throttled> {
        self.guard_with(statement, &NoProvider)
    }

    /// The same, for a host that has a provider of thresholds.
    ///
    /// # Errors
    ///
    /// As [`guard`](Self::guard).
    pub fn guard_with<P: ThresholdProvider + ?Sized>(
        &self,
        statement: &Statement<'_>,
        provider: &P,
    ) -> Result<Guard, Throttled> {
        let mut decision = self.check_with(statement, provider);
        self.settle(&mut decision, |refilled| self.check_refilled(statement, refilled));
        self.block_on(decision)
    }

    /// Checks a statement, and where it is to wait, waits for what `sleep` makes of the time: a sleep of the runtime that the
    /// host has. Dropped while it waits, it leaves a ticket, which lapses.
    ///
    /// Where a rule that a cluster counts lacks credit, the cluster is asked in the thread that polls, which is blocked for as
    /// long. A host to which that matters has [`check_statement`](Self::check_statement), [`refill`](Self::refill) in a thread
    /// of its own choice, and [`check_refilled`](Self::check_refilled).
    ///
    /// ```
    /// # use sqlthrottle::{Engine, RuleFile, Statement};
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// # async fn sleep(_: std::time::Duration) {}
    /// let engine = Engine::new(RuleFile::default())?;
    /// let guard = engine.guard_async(&Statement::new("select 1"), sleep).await?; // or tokio::time::sleep
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`guard`](Self::guard).
    pub async fn guard_async<F: Future>(
        &self,
        statement: &Statement<'_>,
        sleep: impl Fn(Duration) -> F,
    ) -> Result<Guard, Throttled> {
        let mut decision = self.check_with(statement, &NoProvider);
        self.settle(&mut decision, |refilled| self.check_refilled(statement, refilled));
        loop {
            match self.next(decision) {
                Next::Decided(decided) => return decided,
                Next::Wait(time, waiting) => {
                    sleep(time).await;
                    decision = self.resume_waiting(waiting);
                }
            }
        }
    }

    /// Renews the thresholds of a provider that are due, at most so many, and returns how many were.
    pub fn renew_thresholds<P: ThresholdProvider + ?Sized>(&self, provider: &P, most: usize) -> usize {
        let due = self.thresholds_due(most);
        for fingerprint in &due {
            self.ask(provider, fingerprint);
        }
        due.len()
    }

    /// [Checks](Self::check_statement) a statement, and where it is answered with [`Verdict::RefillNeeded`], asks the cluster in this
    /// thread and checks again. It never sleeps.
    #[inline]
    pub fn check_blocking(&self, statement: &Statement<'_>) -> Decision {
        let mut decision = self.check_statement(statement);
        self.settle(&mut decision, |refilled| self.check_refilled(statement, refilled));
        decision
    }

    /// The same for a [request](Self::check_request).
    pub fn check_request_blocking(&self, context: &Context<'_>) -> Decision {
        let mut decision = self.check_request(context);
        self.settle(&mut decision, |refilled| self.check_request_refilled(context, refilled));
        decision
    }

    /// The same for a statement whose wait is [over](Self::resume).
    pub fn resume_blocking(&self, ticket: Ticket) -> Decision {
        let mut decision = self.resume(ticket);
        if let Some(ticket) = decision.ticket {
            self.settle(&mut decision, |refilled| self.resume_refilled(ticket, refilled));
        }
        decision
    }

    /// Where a check was answered with [`Verdict::RefillNeeded`], asks the cluster in this thread and checks `again`.
    ///
    /// For bindings: the decision stays where it is, because it is large, most lack nothing, and to hand it on is to copy it.
    #[inline]
    pub fn settle(&self, decision: &mut Decision, again: impl FnOnce(Refilled) -> Decision) {
        if decision.refill.is_some() {
            self.refill_and_check(decision, again);
        }
    }

    #[cold]
    fn refill_and_check(&self, decision: &mut Decision, again: impl FnOnce(Refilled) -> Decision) {
        if let Some(request) = decision.refill.take() {
            *decision = again(self.refill(&request));
        }
    }

    /// Checks a statement, asking the provider at the first sight of its fingerprint.
    fn check_with<P: ThresholdProvider + ?Sized>(&self, statement: &Statement<'_>, provider: &P) -> Decision {
        let decision = self.check_statement(statement);
        match (decision.verdict, &decision.fingerprint) {
            (Verdict::ThresholdNeeded, Some(fingerprint)) => {
                self.ask(provider, fingerprint);
                self.check_statement(statement)
            }
            _ => decision,
        }
    }

    fn ask<P: ThresholdProvider + ?Sized>(&self, provider: &P, fingerprint: &Fingerprint) {
        let said = provider.threshold(fingerprint).ok();
        let said = said.and_then(|(threshold, good_for)| self.set_threshold(fingerprint, threshold, good_for).ok());
        if said.is_none() {
            self.threshold_failed(fingerprint);
        }
    }

    fn block_on(&self, mut decision: Decision) -> Result<Guard, Throttled> {
        loop {
            match self.next(decision) {
                Next::Decided(decided) => return decided,
                Next::Wait(time, waiting) => {
                    std::thread::sleep(time);
                    decision = self.resume_waiting(waiting);
                }
            }
        }
    }

    fn next(&self, decision: Decision) -> Next {
        match (decision.verdict, decision.delay) {
            (Verdict::Allow, _) => {
                let permit = decision.permit;
                Next::Decided(Ok(Guard { engine: self.clone(), decision, permit }))
            }
            (Verdict::Delay, Some(time)) => Next::Wait(time, decision),
            _ => Next::Decided(Err(Throttled(Box::new(decision)))),
        }
    }

    fn resume_waiting(&self, waiting: Decision) -> Decision {
        match waiting.ticket {
            Some(ticket) => self.resume_blocking(ticket),
            None => Decision { verdict: Verdict::Abort, ..waiting },
        }
    }
}
