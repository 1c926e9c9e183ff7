//! A statement to its fingerprint: normalise and SHA-256, into a buffer that is used again.

use super::{Case, Duel, Work};
use crate::measure::looped;
use crate::peers::{self, Peer};
use crate::samples::Sample;
use anyhow::Result;
use sha2::{Digest, Sha256};
use std::hint::black_box;
use std::rc::Rc;

pub(super) const CASES: &[Case] = &[
    Case { name: "point-select/libdd", build: || against(&Sample::point_select(), peers::LIBDD, Some(5.0)) },
    Case { name: "point-select/sql_lexer", build: || against(&Sample::point_select(), peers::SQL_LEXER, None) },
    #[cfg(feature = "pg_query")]
    Case {
        name: "point-select/pg_query",
        build: || against(&Sample::point_select_postgresql(), peers::PG_QUERY, None),
    },
    Case { name: "point-select/no-hash", build: || without_hash(&Sample::point_select()) },
    Case { name: "point-select/sha2", build: || hash_share(&Sample::point_select()) },
    Case { name: "join/libdd", build: || against(&Sample::join(), peers::LIBDD, Some(8.0)) },
    Case { name: "join/sql_lexer", build: || against(&Sample::join(), peers::SQL_LEXER, None) },
    #[cfg(feature = "pg_query")]
    Case { name: "join/pg_query", build: || against(&Sample::join(), peers::PG_QUERY, None) },
    Case { name: "join/no-hash", build: || without_hash(&Sample::join()) },
    Case { name: "join/sha2", build: || hash_share(&Sample::join()) },
    Case { name: "in-list-numbers/libdd", build: || against(&Sample::in_list_of_numbers(), peers::LIBDD, Some(3.5)) },
    Case { name: "in-list-strings/libdd", build: || against(&Sample::in_list_of_strings(), peers::LIBDD, None) },
    Case { name: "insert/libdd", build: || against(&Sample::insert(), peers::LIBDD, Some(3.5)) },
];

/// Normalise and hash, against all that the peer does with the same text.
fn against(sample: &Sample, peer: Peer, target: Option<f64>) -> Result<Work> {
    let mut normalizer = sample.normalizer()?;
    (peer.run)(&sample.sql)?;
    let sql: Rc<str> = sample.sql.as_str().into();
    let ours = looped({
        let sql = Rc::clone(&sql);
        move || normalizer.normalize(black_box(&sql).as_bytes()).fingerprint()
    });
    let theirs = looped(move || (peer.run)(black_box(&sql)));
    Ok(Work::Duel(Duel::new(sample.title, peer.name, ours, theirs).at_least(target)))
}

/// Normalise alone: what libdd does, without the hash that only we add.
fn without_hash(sample: &Sample) -> Result<Work> {
    let mut normalizer = sample.normalizer()?;
    let sql: Rc<str> = sample.sql.as_str().into();
    let ours = looped({
        let sql = Rc::clone(&sql);
        move || {
            black_box(normalizer.normalize(black_box(&sql).as_bytes()).as_bytes());
        }
    });
    let theirs = looped(move || (peers::LIBDD.run)(black_box(&sql)));
    Ok(Work::Duel(Duel::new(format!("{}, no hash", sample.title), peers::LIBDD.name, ours, theirs)))
}

/// The part of the time that goes into SHA-256, which no normaliser can save.
fn hash_share(sample: &Sample) -> Result<Work> {
    let mut normalizer = sample.normalizer()?;
    let sql = sample.sql.clone();
    let text = normalizer.normalize(sql.as_bytes()).as_bytes().to_vec();
    let ours = looped(move || normalizer.normalize(black_box(&sql).as_bytes()).fingerprint());
    let theirs = looped(move || Sha256::digest(black_box(&text)));
    Ok(Work::Duel(Duel::new(format!("{}, share of the hash", sample.title), "sha2 alone", ours, theirs).into_share()))
}
