//! One statement, read by the parser where it may be, and by the lexer where it must.

use super::scan::Scanned;
use super::where_clause::Reading;
use super::{Dialect, Kind, Predicate, TableName, Where, parse, predicates, tables};

/// What a statement does to which rows of which tables.
pub(super) struct Read {
    pub(super) condition: Reading,
    pub(super) tables: Vec<TableName>,
    pub(super) predicates: Vec<Predicate>,
}

pub(super) fn read(scanned: &Scanned, dialect: Dialect) -> Read {
    parsed(scanned, dialect).unwrap_or_else(|| lexical(scanned, dialect))
}

fn parsed(scanned: &Scanned, dialect: Dialect) -> Option<Read> {
    let read = parse::with_statement(scanned.text.as_deref()?, dialect, |statement| Read {
        condition: match scanned.kind {
            Kind::Explain => Reading::NONE,
            kind => Reading::of_statement(statement, kind),
        },
        tables: tables::of_statement(statement),
        predicates: predicates::of_statement(statement),
    })?;
    // The parser found no WHERE where the lexer saw a place for one, or the other way round: it read something else.
    let agree = (read.condition.clause == Where::None) == (scanned.clause == Where::None);
    agree.then_some(read)
}

fn lexical(scanned: &Scanned, dialect: Dialect) -> Read {
    let (mut condition, mut found) = (Reading { clause: scanned.clause, reads_constants: false }, vec![]);
    // A statement that the parser refused, or that is cut off, may hold its condition where nobody looked.
    let doubtful = scanned.text.is_some() || !scanned.whole;
    if doubtful && condition.clause == Where::Missing {
        condition.clause = Where::Present;
    }
    if condition.clause == Where::Present
        && let Some(text) = &scanned.condition
    {
        let table = match scanned.tables.as_slice() {
            [table] => Some(table),
            _ => None,
        };
        let read = parse::with_condition(text, dialect, |expr| {
            (Reading::of_condition(expr), predicates::of_condition(expr, table))
        });
        if let Some((reading, predicates)) = read {
            condition = reading;
            found = predicates;
        }
    }
    Read { condition, tables: scanned.tables.clone(), predicates: found }
}
