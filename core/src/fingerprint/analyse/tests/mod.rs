//! Tables of cases, each a statement, its dialect and what is expected, in short form.

mod beyond;
mod comparisons;
mod conditions;
mod hostile;
mod kinds;
mod predicates;
mod table_names;
mod unchecked;

use super::{Classification, Kind, Where, analyse, classify};
use crate::fingerprint::{Dialect, FingerprintOptions, Normalizer};
use std::fmt::Debug;

const G: Dialect = Dialect::Generic;
const MY: Dialect = Dialect::MySql;
const PG: Dialect = Dialect::PostgreSql;
const LITE: Dialect = Dialect::Sqlite;
const MS: Dialect = Dialect::MsSql;
const ORA: Dialect = Dialect::Oracle;

/// Runs every case and reports all that fail, not just the first.
fn check<T: PartialEq + Debug>(cases: &[(&str, Dialect, T)], read: impl Fn(&[u8], Dialect) -> T) {
    let failures: Vec<_> = cases
        .iter()
        .filter_map(|(sql, dialect, expected)| {
            let actual = read(sql.as_bytes(), *dialect);
            (actual != *expected).then(|| format!("{dialect}: {sql}\n  expected {expected:?}\n  actual   {actual:?}"))
        })
        .collect();
    assert!(failures.is_empty(), "{} failed:\n{}", failures.len(), failures.join("\n"));
}

fn kinds(sql: &[u8], dialect: Dialect) -> Vec<Kind> {
    analyse(sql, dialect).kinds
}

/// What an engine remembers of a statement's shape.
fn shape(sql: &[u8], dialect: Dialect) -> Classification {
    let mut normalizer = Normalizer::new(FingerprintOptions::new(dialect));
    classify(normalizer.normalize(sql).as_bytes(), dialect)
}

fn where_clause(sql: &[u8], dialect: Dialect) -> Where {
    analyse(sql, dialect).where_clause
}

fn tables(sql: &[u8], dialect: Dialect) -> String {
    let tables: Vec<_> = analyse(sql, dialect).tables.iter().map(ToString::to_string).collect();
    tables.join(" ")
}
