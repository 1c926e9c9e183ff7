//! A whole check, from text to decision, beside a rate limiter that is asked with the same key.

use super::{Case, Duel, Work};
use crate::measure::{Quartiles, looped, throughput};
use crate::samples::Sample;
use crate::table::{Figure, Row, nanoseconds};
use anyhow::{Result, ensure};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use sqlthrottle::rule::{RuleFile, Threshold};
use sqlthrottle::{Engine, Statement};
use std::hash::Hash;
use std::hint::black_box;
use std::num::NonZeroU32;
use std::rc::Rc;
use std::time::Duration;

pub(super) const CASES: &[Case] = &[
    Case { name: "check-allowed/governor", build: || by_text("known statement, allowed", 1, true, 1.0 / 0.5) },
    Case { name: "check-refused/governor", build: || by_text("known statement, refused", 1, false, 1.0 / 0.35) },
    Case {
        name: "check-10000/governor",
        build: || by_text("10,000 known statements, allowed", 10_000, true, 1.0 / 0.6),
    },
    Case { name: "check-prepared/governor", build: by_handle },
    Case { name: "check-fresh/own", build: fresh_constants },
    Case { name: "check-threads/own", build: two_threads },
];

/// The length of a statement, in bytes.
const LENGTH: usize = 100;

/// Nothing is refused under it: more than a thread can check in the window.
pub(super) const BOUNDLESS: u32 = 60_000_000;

const GOVERNOR: &str = "governor, dashmap";

pub(super) fn statement(number: usize) -> String {
    let sql = format!("select id, name, email, created_at from accounts_{number:05} where id = ? and state = 'open'");
    let padding = LENGTH.saturating_sub(sql.len());
    sql + &" ".repeat(padding)
}

/// An engine with one threshold for every statement, of a window that the coarse clock may serve.
pub(super) fn engine(max: u32) -> Result<Engine> {
    let mut threshold = Threshold::new(max);
    threshold.window = Duration::from_millis(1200);
    let mut rules = RuleFile::default();
    rules.default_threshold = Some(threshold);
    Ok(Engine::new(rules)?)
}

fn governor<K: Hash + Eq + Clone>(max: u32) -> DefaultKeyedRateLimiter<K> {
    let max = NonZeroU32::new(max).unwrap_or(NonZeroU32::MIN);
    RateLimiter::dashmap(if max.get() > 1 { Quota::per_second(max) } else { Quota::per_hour(max) })
}

/// Statements by their text, in turns.
fn by_text(title: &str, statements: usize, allowed: bool, target: f64) -> Result<Work> {
    let texts: Rc<[String]> = (0..statements).map(statement).collect();
    ensure!(texts.iter().all(|text| text.len() == LENGTH));
    let max = if allowed { BOUNDLESS } else { 1 };
    let (engine, limiter) = (engine(max)?, governor(max));
    for text in texts.iter().cycle().take(3 * statements) {
        let _ = engine.check(text);
        let _ = limiter.check_key(text);
    }
    ensure!(engine.check(&texts[0]).is_allowed() == allowed && limiter.check_key(&texts[0]).is_ok() == allowed);
    let ours = looped({
        let (texts, mut next) = (Rc::clone(&texts), 0);
        move || {
            next = if next + 1 == statements { 0 } else { next + 1 };
            engine.check(black_box(&texts[next]))
        }
    });
    let mut next = 0;
    let theirs = looped(move || {
        next = if next + 1 == statements { 0 } else { next + 1 };
        limiter.check_key(black_box(&texts[next])).is_ok()
    });
    Ok(Work::Duel(Duel::new(format!("{title}, by text"), GOVERNOR, ours, theirs).at_least(target)))
}

/// One statement by its handle, beside the limiter asked by a number.
fn by_handle() -> Result<Work> {
    let prepared = engine(BOUNDLESS)?.prepare(&Statement::new(&statement(0)));
    let limiter = governor(BOUNDLESS);
    let ours = looped(move || black_box(&prepared).check());
    let theirs = looped(move || limiter.check_key(black_box(&42_u64)).is_ok());
    let duel = Duel::new("known statement, allowed, by handle", "governor, dashmap by u64", ours, theirs);
    Ok(Work::Duel(duel.at_least(1.0 / 0.4)))
}

/// A known shape in a text that has not been seen, beside what its fingerprint alone takes.
fn fresh_constants() -> Result<Work> {
    let sample = Sample::point_select();
    let engine = engine(BOUNDLESS)?;
    let mut normalizer = sample.normalizer()?;
    let mut text = statement(0).into_bytes();
    let hole = text.len() - 12;
    let mut number = 0_u64;
    let mut fresh = move || {
        number += 1;
        // Digits of the last constant, as a program that puts its parameters into the text does.
        let mut rest = number;
        for digit in text[hole..].iter_mut().rev() {
            *digit = b'0' + (rest % 10) as u8;
            rest /= 10;
        }
        text[hole - 5..hole].copy_from_slice(b" or 1");
        text.clone()
    };
    let mut other = fresh.clone();
    let ours = looped(move || engine.check(black_box(&fresh())));
    let theirs = looped(move || normalizer.normalize(black_box(&other())).fingerprint());
    let duel = Duel::new("known shape, fresh constants", "its own normalise + SHA-256", ours, theirs);
    Ok(Work::Duel(duel.at_least(1.0 / 1.15)))
}

/// What two threads check in the time in which one checks so much.
fn two_threads() -> Result<Work> {
    let engine = engine(BOUNDLESS)?;
    let text = statement(0);
    Ok(Work::Own(Box::new(move || {
        let check = || engine.check(black_box(&text)).is_allowed();
        let (one, two) = throughput(&check);
        let ratios = one.iter().zip(&two).map(|(one, two)| two / one).collect();
        let each = |rates: Vec<f64>| nanoseconds(1e9 / Quartiles::of(rates).median);
        Ok(Row {
            case: "one hot statement, 2 threads beside 1".to_owned(),
            peer: "itself on 1 thread",
            ours: each(two),
            theirs: each(one),
            reached: Some(Figure::Times(Quartiles::of(ratios))),
            target: Some(1.8),
            note: String::new(),
        })
    })))
}
