//! What one thread does.

use crate::Round;
use crate::c_api::{Decision, Engine, SQLTHROTTLE_ERROR_REFUSED, Statement, last_codes, success, written};
use crate::tally::{Checks, Tally};
use sqlthrottle_c::fingerprint::sqlthrottle_normalize;
use sqlthrottle_c::prepared::{sqlthrottle_check_prepared, sqlthrottle_prepare, sqlthrottle_prepared_free};
use std::ptr::null_mut;
use std::sync::atomic::Ordering;
use std::thread;

pub(crate) const COUNTED: &str = "select * from counted where id = 1";
const SPENT: &str = "update spent set a = 1";
const HELD: &str = "select * from held";
const DELAYED: &str = "delete from delayed where id = 7";

/// How many pass in a round, of more that are tried.
pub(crate) const MAX_COUNTED: u64 = 700;
pub(crate) const CAPACITY: u64 = 300;
const PLACES: u64 = 3;

/// The rules of one reload or the next. What they count by is the same, and what stands between them is not.
pub(crate) fn rules(number: u64) -> String {
    let between = match number % 3 {
        0 => "",
        1 => "  - {name: other, match: {tables: [other]}, limit: {concurrency: {max: 1}}}\n",
        _ => "  - {name: seen, mode: observe, limit: {sliding_window: {max: 1, window: 1m}}}\n",
    };
    format!(
        "rules:
  - {{name: counted, match: {{tables: [counted]}}, limit: {{sliding_window: {{max: {MAX_COUNTED}, window: 24h}}}}}}
{between}  - {{name: spent, match: {{tables: [spent]}}, limit: {{token_bucket: {{capacity: {CAPACITY}, rate: 1/h}}}}}}
  - {{name: held, match: {{tables: [held]}}, limit: {{concurrency: {{max: {PLACES}, lease: 1h}}}}}}
  - name: delayed
    match: {{tables: [delayed]}}
    limit: {{sliding_window: {{max: 1, window: 24h}}}}
    then: {{strategy: delay, delay: 1us, max_delayed: 100}}
"
    )
}

pub(crate) struct Worker<'a> {
    round: &'a Round,
    /// A handle of its own, which is freed and replaced while others are in use.
    engine: Engine,
    thread: u64,
    tally: Tally,
}

impl<'a> Worker<'a> {
    pub(crate) fn new(round: &'a Round, thread: u64) -> Self {
        Self { round, engine: round.engine.another(), thread, tally: Tally::default() }
    }

    pub(crate) fn work(mut self, operations: u64) -> Tally {
        for operation in 0..operations {
            // Not all threads do the same at the same time.
            match (operation + self.thread) % 8 {
                0 => note(&mut self.tally.counted, &self.engine.check(COUNTED)),
                1 => note(&mut self.tally.counted, &self.round.prepared.check()),
                2 => self.prepare_check_and_free(),
                3 => self.hold(),
                4 => self.wait(),
                5 => self.change_handles(),
                6 if (operation / 8).is_multiple_of(4) => self.reload(operation / 32),
                6 => self.read(),
                _ => {
                    self.round.window.record();
                    self.tally.recorded += 1;
                }
            }
        }
        self.tally
    }

    fn prepare_check_and_free(&mut self) {
        let mut prepared = null_mut();
        let given = self.engine.as_ptr();
        let status = Statement::new(SPENT)
            .hand_over(|statement| unsafe { sqlthrottle_prepare(given, statement, &raw mut prepared) });
        success(status).unwrap();
        let decision = Decision::of(|decision| unsafe { sqlthrottle_check_prepared(prepared, 0, decision) }).unwrap();
        unsafe { sqlthrottle_prepared_free(prepared) };
        note(&mut self.tally.spent, &decision);
    }

    fn hold(&mut self) {
        let decision = self.engine.check(HELD);
        note(&mut self.tally.held, &decision);
        let permit = decision.0.permit;
        assert_eq!(decision.is_allowed(), permit != 0);
        if permit != 0 {
            let running = self.round.running.fetch_add(1, Ordering::SeqCst) + 1;
            assert!(running <= PLACES, "{running} run in {PLACES} places");
            thread::yield_now();
            self.round.running.fetch_sub(1, Ordering::SeqCst);
            assert!(self.engine.release(permit));
        }
        // Twice, or where there is none.
        assert!(!self.engine.release(permit));
    }

    fn wait(&mut self) {
        let mut decision = self.engine.check(DELAYED);
        note(&mut self.tally.delayed, &decision);
        while decision.0.ticket != 0 {
            self.round.clock.advance(decision.0.delay_ns);
            let ticket = decision.0.ticket;
            decision = self.engine.resume(ticket);
            assert_eq!(self.engine.resume(ticket).reason(), "max_delay", "a ticket is good for one call");
            self.tally.resumed += u64::from(decision.is_allowed());
        }
    }

    fn change_handles(&mut self) {
        self.engine = self.round.engine.another();
        note(&mut self.tally.spent, &self.engine.check(SPENT));
    }

    fn reload(&mut self, number: u64) {
        self.engine.reload(&rules(number + self.thread)).unwrap();
        self.tally.reloads += 1;
    }

    /// What is read changes nothing, and what fails does not either.
    fn read(&self) {
        let normalized = written(|buffer, capacity, needed| unsafe {
            let sql = COUNTED.as_ptr().cast();
            sqlthrottle_normalize(self.engine.as_ptr(), sql, COUNTED.len(), 0, buffer, capacity, needed)
        });
        assert_eq!(normalized, b"select * from counted where id=?");
        let snapshot = self.engine.snapshot();
        assert!(snapshot["rules"].as_array().unwrap().len() >= 4);
        let (rules, code) = [("mode: 1", "mode"), ("on_error: 1", "on_error")][self.thread as usize % 2];
        assert_eq!(self.engine.reload(rules).map_err(|failure| failure.status), Err(SQLTHROTTLE_ERROR_REFUSED));
        assert!(last_codes().iter().all(|found| found.starts_with(code)), "{:?}", last_codes());
    }
}

fn note(checks: &mut Checks, decision: &Decision) {
    checks.made += 1;
    match decision.verdict() {
        "allow" => checks.passed += 1,
        "abort" => checks.aborted += 1,
        "delay" => checks.delayed += 1,
        other => panic!("{other}"),
    }
}
