//! How the WHERE of a parsed statement reads.

use super::condition::{Evaluator, Truth};
use super::{Kind, Where};
use sqlparser::ast::{Expr, Query, SetExpr, Statement};

/// How a WHERE reads, and whether another text of the same shape may read otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reading {
    pub(super) clause: Where,
    pub(super) reads_constants: bool,
}

impl Reading {
    /// For a statement whose kind has no WHERE.
    pub(super) const NONE: Self = Self { clause: Where::None, reads_constants: false };

    /// The worse of two statements, or of two parts of one.
    pub(super) fn worst(self, other: Self) -> Self {
        Self { clause: self.clause.worst(other.clause), reads_constants: self.reads_constants || other.reads_constants }
    }

    /// For one condition.
    pub(super) fn of_condition(condition: &Expr) -> Self {
        let mut evaluator = Evaluator::default();
        let clause = match evaluator.truth(condition) {
            Truth::Always => Where::AlwaysTrue,
            Truth::Never | Truth::Unknown | Truth::Depends => Where::Present,
        };
        Self { clause, reads_constants: evaluator.met_constants }
    }

    fn of_clause(condition: Option<&Expr>) -> Self {
        condition.map_or(Self { clause: Where::Missing, reads_constants: false }, Self::of_condition)
    }

    /// For a statement of the given kind: the worst of its UPDATEs and DELETEs, or of its SELECTs where it only reads.
    pub(super) fn of_statement(statement: &Statement, kind: Kind) -> Self {
        match statement {
            Statement::Update(update) => Self::of_clause(update.selection.as_ref()),
            Statement::Delete(delete) => Self::of_clause(delete.selection.as_ref()),
            Statement::Query(query) if kind == Kind::Select => Self::of_body(&query.body),
            Statement::Query(query) => Self::of_writes(query),
            _ => Self::NONE,
        }
    }

    /// A statement that writes behind a WITH, and the CTEs that write.
    fn of_writes(query: &Query) -> Self {
        let tables = query.with.iter().flat_map(|with| &with.cte_tables);
        let bodies = tables.map(|table| &*table.query.body).chain([&*query.body]);
        bodies.fold(Self::NONE, |worst, body| match body {
            SetExpr::Update(statement) => worst.worst(Self::of_statement(statement, Kind::Update)),
            SetExpr::Delete(statement) => worst.worst(Self::of_statement(statement, Kind::Delete)),
            _ => worst,
        })
    }

    fn of_body(body: &SetExpr) -> Self {
        match body {
            // Without FROM there are no rows to restrict.
            SetExpr::Select(select) if select.from.is_empty() && select.selection.is_none() => Self::NONE,
            SetExpr::Select(select) => Self::of_clause(select.selection.as_ref()),
            SetExpr::Query(query) => Self::of_body(&query.body),
            SetExpr::SetOperation { left, right, .. } => Self::of_body(left).worst(Self::of_body(right)),
            // VALUES and TABLE have no place for one.
            _ => Self::NONE,
        }
    }
}
