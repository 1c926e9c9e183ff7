//! One statement, read by the parser where it may be, and by the lexer where it must.

use super::cursor::Cursor;
use super::scan::Scanned;
use super::where_clause::Reading;
use super::{Dialect, Kind, Predicate, TableName, Where, comparisons, parse, predicates, tables};

/// What a statement does to which rows of which tables.
pub(super) struct Read {
    pub(super) condition: Reading,
    pub(super) tables: Vec<TableName>,
    pub(super) predicates: Vec<Predicate>,
}

/// `behind` stands before the statement. It follows only where the parser is not asked or refuses.
pub(super) fn read(scanned: &Scanned, behind: &mut Cursor<'_>) -> Read {
    parsed(scanned, behind.dialect).unwrap_or_else(|| lexical(scanned, behind))
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

fn lexical(scanned: &Scanned, behind: &mut Cursor<'_>) -> Read {
    let mut condition = Reading { clause: scanned.clause, reads_constants: false };
    // A statement that the parser refused, or that is cut off, may hold its condition where nobody looked.
    let doubtful = scanned.text.is_some() || !scanned.whole;
    if doubtful && condition.clause == Where::Missing {
        condition.clause = Where::Present;
    }
    if condition.clause == Where::Present
        && let Some(text) = &scanned.condition
        && let Some(reading) = parse::with_condition(text, behind.dialect, Reading::of_condition)
    {
        condition = reading;
    }
    let predicates = comparisons::of_statement(behind, &scanned.span, scanned.kind);
    Read { condition, tables: scanned.tables.clone(), predicates }
}
