//! The functions of the C header in any order, with handles, permits and tickets that are good, used up, of another engine, freed, or
//! made up.
//!
//! Each three bytes are a call, the handle it is made with, and its argument. What is freed stays at hand: a call with it is to be
//! refused.

#![allow(unsafe_code, clippy::undocumented_unsafe_blocks, reason = "called as C calls it")]

// Found by the fuzzer and by the tests, which have this file elsewhere.
#[path = "c_api/reads.rs"]
mod reads;

use sqlthrottle_c::check::{
    sqlthrottle_check, sqlthrottle_check_request, sqlthrottle_check_statement, sqlthrottle_give_up,
    sqlthrottle_release, sqlthrottle_resume,
};
use sqlthrottle_c::clock::{
    sqlthrottle_clock_advance, sqlthrottle_clock_free, sqlthrottle_clock_new, sqlthrottle_clock_t,
};
use sqlthrottle_c::decision::{
    sqlthrottle_decision_t,
    sqlthrottle_reason_t::{SQLTHROTTLE_REASON_GUARD_ERROR, SQLTHROTTLE_REASON_NONE},
    sqlthrottle_verdict_t::{
        SQLTHROTTLE_ABORT, SQLTHROTTLE_ALLOW, SQLTHROTTLE_DELAY, SQLTHROTTLE_IGNORE, SQLTHROTTLE_NO_VERDICT,
    },
};
use sqlthrottle_c::engine::{
    sqlthrottle_after_fork, sqlthrottle_engine_clone, sqlthrottle_engine_free, sqlthrottle_engine_from_rules,
    sqlthrottle_engine_t, sqlthrottle_options_t, sqlthrottle_reload,
};
use sqlthrottle_c::error::sqlthrottle_last_error_message;
use sqlthrottle_c::prepared::{
    sqlthrottle_check_prepared, sqlthrottle_prepare, sqlthrottle_prepared_free, sqlthrottle_prepared_t,
};
use sqlthrottle_c::statement::{sqlthrottle_statement_t, sqlthrottle_text_t};
use sqlthrottle_c::status::sqlthrottle_status_t::{
    self, SQLTHROTTLE_ERROR_BUFFER, SQLTHROTTLE_ERROR_FREED, SQLTHROTTLE_ERROR_REFUSED, SQLTHROTTLE_ERROR_VALUE,
    SQLTHROTTLE_NOTHING, SQLTHROTTLE_OK,
};
use std::collections::HashSet;
use std::ffi::c_char;
use std::ptr::{null, null_mut};

/// Calls looked at; more find nothing new, and handles that are freed are told from others for a thousand more.
const MOST_CALLS: usize = 256;
/// Handles of a kind that are kept, freed ones among them.
const MOST_HANDLES: usize = 8;

/// Rules that all engines have, and what a reload changes.
const RULES: [&str; 2] = [
    "rules:
  - {name: held, match: {kinds: [select]}, limit: {concurrency: {max: 3, lease: 100h}}}
  - name: delayed
    match: {kinds: [update]}
    limit: {sliding_window: {max: 2, window: 10s}}
    then: {strategy: delay, delay: 1s, max_delayed: 2}
  - {name: ignored, match: {kinds: [delete]}, limit: {token_bucket: {capacity: 1, rate: 1/s}}, then: {strategy: ignore}}
",
    "rules:
  - {name: requests, on: request, limit: {fixed_window: {max: 2, window: 1m}}}
  - {name: held, match: {kinds: [select]}, limit: {concurrency: {max: 3, lease: 100h}}}
",
];

const STATEMENTS: [&[u8]; 6] =
    [b"select 1", b"select a from t where b = 2", b"update t set a = 1", b"delete from t", b"", b"select \xff\0 from"];

/// An engine, however many handles it has.
#[derive(Default)]
struct Shared {
    /// Permits that were given and not taken back.
    held: HashSet<u64>,
    /// Tickets that were given and not used.
    waiting: HashSet<u64>,
}

struct Handle {
    engine: *mut sqlthrottle_engine_t,
    /// Which of the engines it is.
    of: usize,
    is_freed: bool,
}

struct Noted {
    prepared: *mut sqlthrottle_prepared_t,
    of: usize,
    is_freed: bool,
}

struct Trial {
    clock: *mut sqlthrottle_clock_t,
    engines: Vec<Shared>,
    handles: Vec<Handle>,
    prepared: Vec<Noted>,
    /// Permits and tickets of all engines, in the order in which they were given.
    numbers: Vec<u64>,
}

/// Panics where a call is answered otherwise than what was done before it allows.
pub fn run(data: &[u8]) {
    let mut trial = Trial::new();
    for call in data.chunks_exact(3).take(MOST_CALLS) {
        trial.call(call[0], call[1], call[2]);
    }
}

impl Drop for Trial {
    fn drop(&mut self) {
        for handle in &self.handles {
            unsafe { sqlthrottle_engine_free(handle.engine) };
        }
        for noted in &self.prepared {
            unsafe { sqlthrottle_prepared_free(noted.prepared) };
        }
        unsafe { sqlthrottle_clock_free(self.clock) };
    }
}

/// All zero are a statement, but for its size.
fn statement(argument: u8) -> sqlthrottle_statement_t {
    let sql = STATEMENTS[usize::from(argument) % STATEMENTS.len()];
    sqlthrottle_statement_t {
        size: size_of::<sqlthrottle_statement_t>(),
        sql: sqlthrottle_text_t { data: sql.as_ptr().cast(), length: sql.len() },
        context: null(),
        parameters: null(),
        parameters_length: 0,
        dialect: u32::from(argument) % 8,
        fakes: u32::from(argument / 8) % 5,
        weight: u32::from(argument / 64),
        flags: u32::from(argument) % 2,
    }
}

impl Trial {
    fn new() -> Self {
        let mut clock = null_mut();
        assert_eq!(unsafe { sqlthrottle_clock_new(&raw mut clock) }, SQLTHROTTLE_OK);
        let mut trial = Self {
            clock,
            engines: Vec::new(),
            handles: Vec::new(),
            prepared: Vec::new(),
            numbers: vec![0, 1, u64::MAX],
        };
        trial.open();
        trial
    }

    fn call(&mut self, call: u8, which: u8, argument: u8) {
        let which = usize::from(which);
        match call % 16 {
            0 => self.open(),
            1 => self.share(which),
            2 => self.free(which),
            3..=5 => self.check(which, argument),
            6 => self.check_statement(which, argument),
            7 => self.check_request(which, argument),
            8 => self.prepare(which, argument),
            9 | 10 => self.check_prepared(which, argument),
            11 => self.free_prepared(which),
            12 if argument % 4 == 3 => self.give_up(which, argument),
            12 => self.release(which, argument),
            13 => self.resume(which, argument),
            14 => self.reload(which, argument),
            _ => self.other(which, argument),
        }
    }

    fn open(&mut self) {
        if self.handles.len() == MOST_HANDLES {
            return;
        }
        let mut engine = null_mut();
        let size = size_of::<sqlthrottle_options_t>();
        let options = sqlthrottle_options_t { size, clock: self.clock, asks_provider: 0, reserved: 0 };
        let (rules, length) = (RULES[0].as_ptr().cast(), RULES[0].len());
        let status = unsafe { sqlthrottle_engine_from_rules(rules, length, &raw const options, &raw mut engine) };
        assert_eq!(status, SQLTHROTTLE_OK);
        self.handles.push(Handle { engine, of: self.engines.len(), is_freed: false });
        self.engines.push(Shared::default());
    }

    fn handle(&self, which: usize) -> &Handle {
        &self.handles[which % self.handles.len()]
    }

    /// What the call with a handle comes to: as it would, unless the handle has been freed.
    fn expect(handle: &Handle, status: sqlthrottle_status_t, expected: sqlthrottle_status_t) -> bool {
        assert_eq!(status, if handle.is_freed { SQLTHROTTLE_ERROR_FREED } else { expected });
        status == SQLTHROTTLE_OK
    }

    fn share(&mut self, which: usize) {
        if self.handles.len() == MOST_HANDLES {
            return;
        }
        let handle = self.handle(which);
        let (mut engine, of) = (null_mut(), handle.of);
        if Self::expect(handle, unsafe { sqlthrottle_engine_clone(handle.engine, &raw mut engine) }, SQLTHROTTLE_OK) {
            self.handles.push(Handle { engine, of, is_freed: false });
        }
    }

    fn free(&mut self, which: usize) {
        let index = which % self.handles.len();
        // Now and then a second time.
        unsafe { sqlthrottle_engine_free(self.handles[index].engine) };
        self.handles[index].is_freed = true;
    }

    fn check(&mut self, which: usize, argument: u8) {
        let sql = STATEMENTS[usize::from(argument) % STATEMENTS.len()];
        let engine = self.handle(which).engine;
        self.ask(which, SQLTHROTTLE_OK, |to| unsafe { sqlthrottle_check(engine, sql.as_ptr().cast(), sql.len(), to) });
    }

    fn check_statement(&mut self, which: usize, argument: u8) {
        let engine = self.handle(which).engine;
        let statement = statement(argument);
        let expected = expected_of(&statement);
        self.ask(which, expected, |to| unsafe { sqlthrottle_check_statement(engine, &raw const statement, to) });
    }

    fn check_request(&mut self, which: usize, argument: u8) {
        let engine = self.handle(which).engine;
        let flags = u32::from(argument);
        let expected = if flags < 2 { SQLTHROTTLE_OK } else { SQLTHROTTLE_ERROR_VALUE };
        self.ask(which, expected, |to| unsafe { sqlthrottle_check_request(engine, null(), flags, to) });
    }

    /// Asks by a handle, and notes what the decision holds.
    fn ask(
        &mut self,
        which: usize,
        expected: sqlthrottle_status_t,
        ask: impl FnOnce(*mut sqlthrottle_decision_t) -> sqlthrottle_status_t,
    ) {
        let (status, decision) = asked(ask);
        let handle = self.handle(which);
        let of = handle.of;
        if Self::expect(handle, status, expected) {
            self.note(of, &decision);
        }
    }

    fn note(&mut self, of: usize, decision: &sqlthrottle_decision_t) {
        let known = [SQLTHROTTLE_ALLOW, SQLTHROTTLE_ABORT, SQLTHROTTLE_IGNORE, SQLTHROTTLE_DELAY];
        assert!(known.contains(&decision.verdict), "{decision:?}");
        assert_ne!(decision.reason, SQLTHROTTLE_REASON_GUARD_ERROR);
        assert_eq!((decision.observed, decision.refill), (SQLTHROTTLE_NO_VERDICT, null_mut()));
        assert!(decision.permit == 0 || decision.verdict == SQLTHROTTLE_ALLOW, "{decision:?}");
        let delays = decision.verdict == SQLTHROTTLE_DELAY;
        assert_eq!((decision.ticket != 0, decision.delay_ns != 0), (delays, delays));
        let ends = |text: &[c_char]| text.contains(&0);
        assert!(ends(&decision.rule) && ends(&decision.custom));
        let shared = &mut self.engines[of];
        if decision.permit != 0 {
            assert!(shared.held.insert(decision.permit), "a permit is given twice");
            assert!(shared.held.len() <= 3, "more run than there are places");
            self.numbers.push(decision.permit);
        }
        if decision.ticket != 0 {
            assert!(shared.waiting.insert(decision.ticket), "a ticket is given twice");
            self.numbers.push(decision.ticket);
        }
    }

    fn prepare(&mut self, which: usize, argument: u8) {
        if self.prepared.len() == MOST_HANDLES {
            return;
        }
        let statement = statement(argument);
        let (mut prepared, handle) = (null_mut(), self.handle(which));
        let status = unsafe { sqlthrottle_prepare(handle.engine, &raw const statement, &raw mut prepared) };
        let of = handle.of;
        if Self::expect(handle, status, expected_of(&statement)) {
            self.prepared.push(Noted { prepared, of, is_freed: false });
        }
        assert_eq!(prepared.is_null(), status != SQLTHROTTLE_OK);
    }

    fn check_prepared(&mut self, which: usize, argument: u8) {
        if self.prepared.is_empty() {
            return;
        }
        let Noted { prepared, of, is_freed } = self.prepared[which % self.prepared.len()];
        let weight = u32::from(argument % 4);
        let (status, decision) = asked(|to| unsafe { sqlthrottle_check_prepared(prepared, weight, to) });
        assert_eq!(status, if is_freed { SQLTHROTTLE_ERROR_FREED } else { SQLTHROTTLE_OK });
        if !is_freed {
            self.note(of, &decision);
        }
    }

    fn free_prepared(&mut self, which: usize) {
        if self.prepared.is_empty() {
            return;
        }
        let index = which % self.prepared.len();
        unsafe { sqlthrottle_prepared_free(self.prepared[index].prepared) };
        self.prepared[index].is_freed = true;
    }

    /// A number of any engine, made up, or given: by the handle it may be a stranger's, and a ticket's for a permit's.
    fn number(&self, argument: u8) -> u64 {
        self.numbers[self.numbers.len() - 1 - usize::from(argument) % self.numbers.len()]
    }

    fn release(&mut self, which: usize, argument: u8) {
        let number = self.number(argument);
        let handle = self.handle(which);
        let of = handle.of;
        let is_held = self.engines[of].held.contains(&number);
        let expected = if is_held { SQLTHROTTLE_OK } else { SQLTHROTTLE_NOTHING };
        if Self::expect(handle, unsafe { sqlthrottle_release(handle.engine, number) }, expected) {
            self.engines[of].held.remove(&number);
        }
    }

    /// Of a ticket that was given, all that may be is that it has lapsed.
    fn give_up(&mut self, which: usize, argument: u8) {
        let number = self.number(argument);
        let handle = self.handle(which);
        let (of, is_freed) = (handle.of, handle.is_freed);
        let status = unsafe { sqlthrottle_give_up(handle.engine, number) };
        if is_freed {
            assert_eq!(status, SQLTHROTTLE_ERROR_FREED);
            return;
        }
        let was_waiting = self.engines[of].waiting.remove(&number);
        assert!(status == SQLTHROTTLE_NOTHING || status == SQLTHROTTLE_OK && was_waiting, "{number}: {status:?}");
    }

    fn resume(&mut self, which: usize, argument: u8) {
        let number = self.number(argument);
        let handle = self.handle(which);
        let (engine, of, is_freed) = (handle.engine, handle.of, handle.is_freed);
        let (status, decision) = asked(|to| unsafe { sqlthrottle_resume(engine, number, 0, to) });
        let expected = if number == 0 { SQLTHROTTLE_ERROR_VALUE } else { SQLTHROTTLE_OK };
        assert_eq!(status, if is_freed { SQLTHROTTLE_ERROR_FREED } else { expected });
        if status == SQLTHROTTLE_OK {
            let was_waiting = self.engines[of].waiting.remove(&number);
            assert!(was_waiting || decision.verdict == SQLTHROTTLE_ABORT, "{number} is no ticket: {decision:?}");
            self.note(of, &decision);
        }
    }

    fn reload(&mut self, which: usize, argument: u8) {
        let handle = self.handle(which);
        let (rules, expected) = match argument % 4 {
            0 | 1 => (RULES[usize::from(argument % 4)], SQLTHROTTLE_OK),
            2 => ("rules: 1", SQLTHROTTLE_ERROR_REFUSED),
            _ => ("mode: \0", SQLTHROTTLE_ERROR_REFUSED),
        };
        let mut version = 0;
        let status = unsafe { sqlthrottle_reload(handle.engine, rules.as_ptr().cast(), rules.len(), &raw mut version) };
        assert_eq!(Self::expect(handle, status, expected), version != 0);
        if status != SQLTHROTTLE_OK {
            let mut needed = 0;
            let status = unsafe { sqlthrottle_last_error_message(null_mut(), 0, &raw mut needed) };
            assert_eq!(status, SQLTHROTTLE_ERROR_BUFFER);
            assert!(needed > 1, "an error says why");
        }
    }

    fn other(&mut self, which: usize, argument: u8) {
        let handle = self.handle(which);
        let (engine, of) = (handle.engine, handle.of);
        match argument % 12 {
            // From a nanosecond to a minute.
            0..=3 => {
                let by = 1_u64 << (argument / 4 % 36);
                assert_eq!(unsafe { sqlthrottle_clock_advance(self.clock, by) }, SQLTHROTTLE_OK);
            }
            4 => {
                if Self::expect(handle, unsafe { sqlthrottle_after_fork(engine) }, SQLTHROTTLE_OK) {
                    self.engines[of] = Shared::default();
                }
            }
            5 => self.normalise(which, argument),
            6 => reads::assert_shown(),
            7 => self.snapshot(which),
            8 => self.texts(which),
            9 => self.admin(which, argument),
            10 => self.rule_name(which, argument),
            _ => self.threshold(which, argument),
        }
    }
}

/// What a statement that is made up comes to.
fn expected_of(statement: &sqlthrottle_statement_t) -> sqlthrottle_status_t {
    if statement.dialect > 6 || statement.fakes > 3 { SQLTHROTTLE_ERROR_VALUE } else { SQLTHROTTLE_OK }
}

/// What a call returns, and what it wrote. On an error nothing is left of what the decision said before.
fn asked(
    ask: impl FnOnce(*mut sqlthrottle_decision_t) -> sqlthrottle_status_t,
) -> (sqlthrottle_status_t, sqlthrottle_decision_t) {
    let mut decision = sqlthrottle_decision_t {
        verdict: SQLTHROTTLE_ALLOW,
        permit: 7,
        ticket: 7,
        ..sqlthrottle_decision_t::default()
    };
    let status = ask(&raw mut decision);
    if status != SQLTHROTTLE_OK {
        let seen = (decision.verdict, decision.reason, decision.permit, decision.ticket);
        assert_eq!(seen, (SQLTHROTTLE_NO_VERDICT, SQLTHROTTLE_REASON_NONE, 0, 0));
    }
    (status, decision)
}
