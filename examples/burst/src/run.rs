//! One run: clients send statements, an engine is asked about each, and a small pool of connections serves what passes.

use crate::database;
use crate::live::Live;
use crate::plan::Plan;
use crate::pool::Pool;
use crate::statement::{Kind, Random};
use crate::tally::{Outcome, Tally};
use rusqlite::Connection;
use sqlthrottle::{Decision, Engine, Verdict};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

/// Clients whose statements are innocent: select, select, select, write, and so on.
const STEADY_CLIENTS: u32 = 20;
/// Each of them sends a statement this often.
const STEADY_PERIOD: Duration = Duration::from_millis(200);
/// One client asks for a report this often, burst or not.
const REPORT_PERIOD: Duration = Duration::from_millis(250);
/// Clients that ask for reports as fast as they are answered while the burst lasts.
const BURST_CLIENTS: u32 = 8;
/// What lies between an answer, be it an error, and the next statement of a burst client: a fast round trip.
const ROUND_TRIP: Duration = Duration::from_millis(5);

/// What the clients of a run share.
#[derive(Debug)]
pub(crate) struct Run<'a> {
    engine: &'a Engine,
    pool: &'a Pool<Connection>,
    plan: Plan,
    started: Instant,
    /// One for each kind, in the order of [`Kind::ALL`].
    tallies: [Tally; 3],
    first_refusal: OnceLock<Decision>,
    first_error: OnceLock<rusqlite::Error>,
}

/// A statement that was answered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    pub(crate) kind: Kind,
    pub(crate) outcome: Outcome,
    /// When it was to be sent, since the start of the run.
    pub(crate) due: Duration,
    /// From then to its answer.
    pub(crate) latency: Duration,
}

/// What a run showed.
#[derive(Debug)]
pub(crate) struct Results {
    pub(crate) plan: Plan,
    pub(crate) samples: Vec<Sample>,
    pub(crate) first_refusal: Option<Decision>,
    pub(crate) first_error: Option<rusqlite::Error>,
}

impl<'a> Run<'a> {
    /// Runs to the end of the plan.
    pub(crate) fn go(engine: &'a Engine, pool: &'a Pool<Connection>, plan: Plan, live: &mut Live) -> Results {
        let run = Self {
            engine,
            pool,
            plan,
            started: Instant::now(),
            tallies: Default::default(),
            first_refusal: OnceLock::new(),
            first_error: OnceLock::new(),
        };
        let samples = thread::scope(|scope| {
            let run = &run;
            let mut clients = Vec::new();
            for i in 0..STEADY_CLIENTS {
                let kind = if i % 4 == 3 { Kind::Write } else { Kind::Select };
                let start = STEADY_PERIOD * i / STEADY_CLIENTS;
                clients.push(scope.spawn(move || run.steady(kind, start, STEADY_PERIOD, i.into())));
            }
            clients
                .push(scope.spawn(|| run.steady(Kind::Report, Duration::ZERO, REPORT_PERIOD, STEADY_CLIENTS.into())));
            for i in 0..BURST_CLIENTS {
                clients.push(scope.spawn(move || run.burst(u64::from(STEADY_CLIENTS + 1 + i))));
            }
            run.watch(live);
            // A client that panicked has printed why; the scope passes its panic on.
            clients.into_iter().filter_map(|client| client.join().ok()).flatten().collect()
        });
        let (first_refusal, first_error) = (run.first_refusal.into_inner(), run.first_error.into_inner());
        Results { plan, samples, first_refusal, first_error }
    }

    /// A client that sends at a steady pace, whatever the answers: one that is held up catches up afterwards.
    fn steady(&self, kind: Kind, start: Duration, period: Duration, seed: u64) -> Vec<Sample> {
        let (mut random, mut samples, mut due) = (Random::new(seed), Vec::new(), start);
        while due < self.plan.run() {
            thread::sleep(due.saturating_sub(self.started.elapsed()));
            if self.is_over() {
                break;
            }
            samples.push(self.send(kind, due, &mut random));
            due += period;
        }
        samples
    }

    /// A client that takes part in the burst.
    fn burst(&self, seed: u64) -> Vec<Sample> {
        let (mut random, mut samples) = (Random::new(seed), Vec::new());
        let (begin, end) = self.plan.burst();
        thread::sleep(begin.saturating_sub(self.started.elapsed()));
        loop {
            let now = self.started.elapsed();
            if now >= end {
                return samples;
            }
            samples.push(self.send(Kind::Report, now, &mut random));
            thread::sleep(ROUND_TRIP);
        }
    }

    /// Sends a statement, and notes what became of it.
    fn send(&self, kind: Kind, due: Duration, random: &mut Random) -> Sample {
        let outcome = self.ask_and_execute(&kind.statement(random));
        self.tallies[kind as usize].add(outcome);
        Sample { kind, outcome, due, latency: self.started.elapsed().saturating_sub(due) }
    }

    /// What a service does around each statement: ask first, and take a connection only for what may pass.
    fn ask_and_execute(&self, sql: &str) -> Outcome {
        if let Err(refusal) = self.ask(sql) {
            self.first_refusal.get_or_init(|| *refusal);
            return Outcome::Refused;
        }
        let connection = self.pool.take();
        match database::execute(&connection.get(), sql) {
            Ok(()) => Outcome::Passed,
            Err(error) => {
                self.first_error.get_or_init(|| error);
                Outcome::Failed
            }
        }
    }

    /// Asks the engine, and waits where it says so; an error is what a caller would get in place of a result.
    fn ask(&self, sql: &str) -> Result<(), Box<Decision>> {
        let mut decision = self.engine.check(sql);
        while let (Verdict::Delay, Some(wait), Some(ticket)) = (decision.verdict, decision.delay, decision.ticket) {
            thread::sleep(wait.min(self.plan.run().saturating_sub(self.started.elapsed())));
            if self.is_over() {
                break;
            }
            decision = self.engine.resume(ticket);
        }
        if decision.is_allowed() { Ok(()) } else { Err(Box::new(decision)) }
    }

    fn is_over(&self) -> bool {
        self.started.elapsed() >= self.plan.run()
    }

    /// Shows what happens until the run is over.
    fn watch(&self, live: &mut Live) {
        Live::begin();
        let mut last = Duration::ZERO;
        while !self.is_over() {
            thread::sleep(live.period().min(self.plan.run().saturating_sub(self.started.elapsed())));
            let now = self.started.elapsed();
            live.show(now, self.plan.name(last, now), self.tallies.each_ref().map(Tally::counts));
            last = now;
        }
        live.end();
    }
}
