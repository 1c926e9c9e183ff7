//! The C library beside the engine that it hands on: what crossing the boundary costs.

#![allow(unsafe_code, reason = "it is called as C calls it")]

use super::check::{BOUNDLESS, engine, statement};
use super::{Case, Duel, Work};
use crate::measure::looped;
use anyhow::{Result, ensure};
use sqlthrottle::Statement;
use sqlthrottle_c::check::sqlthrottle_check;
use sqlthrottle_c::decision::sqlthrottle_decision_t;
use sqlthrottle_c::engine::{sqlthrottle_engine_from_rules, sqlthrottle_engine_t};
use sqlthrottle_c::prepared::{sqlthrottle_check_prepared, sqlthrottle_prepare, sqlthrottle_prepared_t};
use sqlthrottle_c::statement::{sqlthrottle_statement_t, sqlthrottle_text_t};
use sqlthrottle_c::status::sqlthrottle_status_t;
use std::hint::black_box;
use std::ptr;

pub(super) const CASES: &[Case] =
    &[Case { name: "c-check/rust", build: by_text }, Case { name: "c-prepared/rust", build: by_handle }];

const RUST: &str = "the same check in Rust";

/// The engine of the other rows of checks, as C has it.
fn engine_of_c() -> Result<*const sqlthrottle_engine_t> {
    let rules = format!("default_threshold: {{max_count: {BOUNDLESS}, window: 1200ms}}");
    let mut engine = ptr::null_mut();
    // SAFETY: the text is as long as it says, and the engine may be written.
    let opened =
        unsafe { sqlthrottle_engine_from_rules(rules.as_ptr().cast(), rules.len(), ptr::null(), &raw mut engine) };
    ensure!(opened == sqlthrottle_status_t::SQLTHROTTLE_OK, "{opened:?}");
    Ok(engine)
}

/// One statement by its text.
fn by_text() -> Result<Work> {
    let text = statement(0);
    let (engine, of_c) = (engine(BOUNDLESS)?, engine_of_c()?);
    let ours = looped({
        let text = text.clone();
        let mut decision = Box::<sqlthrottle_decision_t>::default();
        // By address, as the linker of a C program has it: nothing of it becomes part of the loop.
        let check = black_box(sqlthrottle_check as unsafe extern "C" fn(_, _, _, _) -> _);
        move || {
            let text = black_box(&text);
            // SAFETY: all of them live as long as the loop.
            unsafe { check(of_c, text.as_ptr().cast(), text.len(), &raw mut *decision) }
        }
    });
    let theirs = looped(move || engine.check(black_box(&text)));
    let duel = Duel::new("known statement through the C library, by text", RUST, ours, theirs);
    Ok(Work::Duel(duel.at_least(1.0 / 1.15)))
}

/// One statement by its handle.
fn by_handle() -> Result<Work> {
    let text = statement(0);
    let prepared = engine(BOUNDLESS)?.prepare(&Statement::new(&text));
    let of_c = {
        let sql = sqlthrottle_text_t { data: text.as_ptr().cast(), length: text.len() };
        let statement = sqlthrottle_statement_t { sql, ..sqlthrottle_statement_t::default() };
        let mut prepared: *mut sqlthrottle_prepared_t = ptr::null_mut();
        // SAFETY: the statement lives until it is prepared, and the handle may be written.
        let done = unsafe { sqlthrottle_prepare(engine_of_c()?, &raw const statement, &raw mut prepared) };
        ensure!(done == sqlthrottle_status_t::SQLTHROTTLE_OK, "{done:?}");
        prepared
    };
    let ours = looped({
        let mut decision = Box::<sqlthrottle_decision_t>::default();
        let check = black_box(sqlthrottle_check_prepared as unsafe extern "C" fn(_, _, _) -> _);
        // SAFETY: the handle is never freed.
        move || unsafe { check(black_box(of_c), 0, &raw mut *decision) }
    });
    let theirs = looped(move || black_box(&prepared).check());
    let duel = Duel::new("known statement through the C library, by handle", RUST, ours, theirs);
    Ok(Work::Duel(duel.at_least(1.0 / 1.25)))
}
