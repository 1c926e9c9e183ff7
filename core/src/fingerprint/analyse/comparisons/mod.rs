//! The columns a statement compares with values, read from its tokens: for statements that are not parsed.
//!
//! One pass, with a stack of its own for parentheses and no recursion. It reads what the parsed reading
//! ([`predicates`](super::predicates)) reads, and where it cannot be certain it reads less: a term of a condition counts
//! only where it is nothing but a comparison and every term around it is joined by AND. What stands under OR, NOT or CASE,
//! among columns and assignments, or behind words that nobody here knows, is passed over.

mod clauses;
mod comparison;
mod conditions;
mod frame;
mod joins;
mod operand;
mod scope;

use super::cursor::Cursor;
use super::{Kind, Predicate};
use crate::fingerprint::lexer::TokenKind;
use frame::{Clause, Frame, Role};
use scope::{Found, Scope};
use std::collections::HashSet;
use std::ops::Range;

/// Parentheses deeper than this are not looked into.
const MAX_FRAMES: usize = 64;

/// The comparisons of the statement at `span`, in order of appearance. The cursor stands before it or at its first token, and
/// goes on to its end. Takes time linear in the bytes passed over, and memory linear in the constants compared.
pub(super) fn of_statement(cursor: &mut Cursor<'_>, span: &Range<usize>, kind: Kind) -> Vec<Predicate> {
    while cursor.token.kind != TokenKind::End && cursor.token.start < span.start {
        cursor.advance();
    }
    // The others have no WHERE, or one that nobody may count by: MERGE's conditions, the body of a routine.
    let reads =
        matches!(kind, Kind::Select | Kind::Insert | Kind::Replace | Kind::Update | Kind::Delete | Kind::Explain);
    if reads { Reader::new(cursor, span.end).read() } else { vec![] }
}

/// One statement under way.
struct Reader<'r, 'a> {
    cursor: &'r mut Cursor<'a>,
    end: usize,
    frames: Vec<Frame>,
    scopes: Vec<Scope>,
    /// Names of CTEs: no tables, though they stand where tables do.
    ctes: HashSet<String>,
    found: Vec<Found>,
    /// A parenthesis was closed that was not open.
    broken: bool,
}

impl<'r, 'a> Reader<'r, 'a> {
    fn new(cursor: &'r mut Cursor<'a>, end: usize) -> Self {
        Self {
            cursor,
            end,
            frames: vec![Frame::new(Role::Query, Clause::Start, 0)],
            scopes: vec![],
            ctes: HashSet::new(),
            found: vec![],
            broken: false,
        }
    }

    fn read(mut self) -> Vec<Predicate> {
        while !self.at_end() {
            self.step();
        }
        // Parentheses that do not match: what was read as a condition may be part of something else.
        if self.broken || self.frames.len() > 1 {
            return vec![];
        }
        self.end_query();
        self.found.into_iter().map(Found::into_predicate).collect()
    }

    fn at_end(&self) -> bool {
        is_end(self.cursor, self.end)
    }

    fn step(&mut self) {
        let kind = self.cursor.token.kind;
        let top = self.top();
        if top.role == Role::Opaque {
            match kind {
                TokenKind::LParen => top.deeper += 1,
                TokenKind::RParen if top.deeper == 0 => return self.close(),
                TokenKind::RParen => top.deeper -= 1,
                _ => {}
            }
            self.cursor.advance();
        } else if top.is_condition() {
            self.condition_step();
        } else {
            match kind {
                TokenKind::LParen => self.open(),
                TokenKind::RParen => self.close(),
                _ => self.clause_step(),
            }
        }
    }

    /// The innermost frame; the statement's own is never closed.
    fn top(&mut self) -> &mut Frame {
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    /// Opens the parenthesis at the cursor.
    fn push(&mut self, role: Role, clause: Clause) {
        let role = if self.frames.len() < MAX_FRAMES { role } else { Role::Opaque };
        self.frames.push(Frame::new(role, clause, self.found.len()));
        self.cursor.advance();
    }

    /// Closes the parenthesis at the cursor.
    fn close(&mut self) {
        self.cursor.advance();
        if self.frames.len() == 1 {
            self.broken = true;
            return;
        }
        if self.top().role == Role::Query {
            self.end_query();
        }
        let role = self.frames.pop().map_or(Role::Opaque, |closed| closed.role);
        let top = self.top();
        let (clause, waits) = (top.clause, top.unnamed.is_some());
        match clause {
            Clause::With { .. } if role == Role::Query => self.end_cte(),
            Clause::From { .. } if role != Role::Opaque || waits => self.alias_behind(),
            _ => {}
        }
    }

    /// A query begins in the innermost frame, in place of one that there may have been.
    fn begin_query(&mut self, clause: Clause) {
        self.end_query();
        let first = self.found.len();
        self.scopes.push(Scope { first, ..Scope::default() });
        let top = self.top();
        top.scoped = true;
        top.clause = clause;
    }

    /// The query of the innermost frame ends, if it has begun.
    fn end_query(&mut self) {
        let top = self.top();
        top.joins = joins::Joins::NONE;
        top.join = None;
        top.deletes = false;
        top.from = false;
        top.unnamed = None;
        if std::mem::take(&mut top.scoped) {
            let depth = self.scopes.len();
            if let Some(scope) = self.scopes.pop() {
                scope.settle(depth, &mut self.found);
            }
        }
    }
}

/// Whether the cursor has passed the last token of the statement.
fn is_end(cursor: &Cursor<'_>, end: usize) -> bool {
    cursor.token.kind == TokenKind::End || cursor.token.start >= end
}
