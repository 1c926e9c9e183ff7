//! The C library beside the engine that it hands on: what crossing the boundary costs.
//!
//! The library is the one that ships, loaded as a program loads it: linked into this one it would be another, with other ways to
//! what belongs to a thread.

#![allow(unsafe_code, reason = "it is called as C calls it")]

use super::check::{BOUNDLESS, engine, statement};
use super::{Case, Duel, Work};
use crate::measure::looped;
use anyhow::{Context as _, Result, ensure};
use libloading::Library;
use sqlthrottle::Statement;
use sqlthrottle_c::decision::sqlthrottle_decision_t;
use sqlthrottle_c::engine::{sqlthrottle_engine_t, sqlthrottle_options_t};
use sqlthrottle_c::prepared::sqlthrottle_prepared_t;
use sqlthrottle_c::statement::{sqlthrottle_statement_t, sqlthrottle_text_t};
use sqlthrottle_c::status::sqlthrottle_status_t;
use std::ffi::c_char;
use std::hint::black_box;
use std::{env, ptr};

pub(super) const CASES: &[Case] = &[
    Case { name: "c-check/rust", build: by_text },
    Case { name: "c-statement/rust", build: with_statement },
    Case { name: "c-prepared/rust", build: by_handle },
];

const RUST: &str = "the same check in Rust";

/// The functions of the header that are called here.
struct Functions {
    check: unsafe extern "C" fn(
        *const sqlthrottle_engine_t,
        *const c_char,
        usize,
        *mut sqlthrottle_decision_t,
    ) -> sqlthrottle_status_t,
    check_statement: unsafe extern "C" fn(
        *const sqlthrottle_engine_t,
        *const sqlthrottle_statement_t,
        *mut sqlthrottle_decision_t,
    ) -> sqlthrottle_status_t,
    check_prepared:
        unsafe extern "C" fn(*const sqlthrottle_prepared_t, u32, *mut sqlthrottle_decision_t) -> sqlthrottle_status_t,
    prepare: unsafe extern "C" fn(
        *const sqlthrottle_engine_t,
        *const sqlthrottle_statement_t,
        *mut *mut sqlthrottle_prepared_t,
    ) -> sqlthrottle_status_t,
    from_rules: unsafe extern "C" fn(
        *const c_char,
        usize,
        *const sqlthrottle_options_t,
        *mut *mut sqlthrottle_engine_t,
    ) -> sqlthrottle_status_t,
}

impl Functions {
    /// Those of the library that `make bench` has built.
    fn load() -> Result<Self> {
        let path = env::var_os("SQLTHROTTLE_LIBRARY").context("SQLTHROTTLE_LIBRARY is to name the built C library")?;
        // SAFETY: the library does nothing when it is loaded, and is never unloaded; the types are those of its own sources.
        unsafe {
            let library: &'static Library = Box::leak(Box::new(Library::new(path)?));
            Ok(Self {
                check: *library.get(b"sqlthrottle_check")?,
                check_statement: *library.get(b"sqlthrottle_check_statement")?,
                check_prepared: *library.get(b"sqlthrottle_check_prepared")?,
                prepare: *library.get(b"sqlthrottle_prepare")?,
                from_rules: *library.get(b"sqlthrottle_engine_from_rules")?,
            })
        }
    }

    /// The engine of the other rows of checks, as C has it.
    fn engine(&self) -> Result<*const sqlthrottle_engine_t> {
        let rules = format!("default_threshold: {{max_count: {BOUNDLESS}, window: 1200ms}}");
        let mut engine = ptr::null_mut();
        // SAFETY: the text is as long as it says, and the engine may be written.
        let opened = unsafe { (self.from_rules)(rules.as_ptr().cast(), rules.len(), ptr::null(), &raw mut engine) };
        ensure!(opened == sqlthrottle_status_t::SQLTHROTTLE_OK, "{opened:?}");
        Ok(engine)
    }
}

/// A text as C describes it.
fn of_c(text: &str) -> sqlthrottle_statement_t {
    let sql = sqlthrottle_text_t { data: text.as_ptr().cast(), length: text.len() };
    sqlthrottle_statement_t { sql, ..sqlthrottle_statement_t::default() }
}

/// One statement by its text.
fn by_text() -> Result<Work> {
    let text = statement(0);
    let functions = Functions::load()?;
    let (engine, of_c) = (engine(BOUNDLESS)?, functions.engine()?);
    let ours = looped({
        let text = text.clone();
        let mut decision = Box::<sqlthrottle_decision_t>::default();
        move || {
            let text = black_box(&text);
            // SAFETY: all of them live as long as the loop.
            unsafe { (functions.check)(of_c, text.as_ptr().cast(), text.len(), &raw mut *decision) }
        }
    });
    let theirs = looped(move || engine.check(black_box(&text)));
    let duel = Duel::new("known statement through the C library, by text", RUST, ours, theirs);
    Ok(Work::Duel(duel.at_least(1.0 / 1.15)))
}

/// One statement, described by a struct.
fn with_statement() -> Result<Work> {
    let text = statement(0);
    let functions = Functions::load()?;
    let (engine, engine_of_c) = (engine(BOUNDLESS)?, functions.engine()?);
    let ours = looped({
        let text = text.clone();
        let mut decision = Box::<sqlthrottle_decision_t>::default();
        move || {
            let statement = of_c(black_box(&text));
            // SAFETY: all of them live as long as the loop.
            unsafe { (functions.check_statement)(engine_of_c, &raw const statement, &raw mut *decision) }
        }
    });
    let theirs = looped(move || engine.check_statement(&Statement::new(black_box(&text))));
    let duel = Duel::new("known statement through the C library, by struct", RUST, ours, theirs);
    Ok(Work::Duel(duel.at_least(1.0 / 1.15)))
}

/// One statement by its handle.
fn by_handle() -> Result<Work> {
    let text = statement(0);
    let functions = Functions::load()?;
    let prepared = engine(BOUNDLESS)?.prepare(&Statement::new(&text));
    let statement = of_c(&text);
    let mut handle = ptr::null_mut();
    // SAFETY: the statement lives until it is prepared, and the handle may be written.
    let done = unsafe { (functions.prepare)(functions.engine()?, &raw const statement, &raw mut handle) };
    ensure!(done == sqlthrottle_status_t::SQLTHROTTLE_OK, "{done:?}");
    let ours = looped({
        let mut decision = Box::<sqlthrottle_decision_t>::default();
        // SAFETY: the handle is never freed.
        move || unsafe { (functions.check_prepared)(black_box(handle), 0, &raw mut *decision) }
    });
    let theirs = looped(move || black_box(&prepared).check());
    let duel = Duel::new("known statement through the C library, by handle", RUST, ours, theirs);
    Ok(Work::Duel(duel.at_least(1.0 / 1.25)))
}
