//! WHERE and ON: terms joined by AND.

use super::comparison::{Term, at_subquery, term};
use super::frame::{Clause, Frame, Level, Progress, Role};
use super::joins::Kept;
use super::scope::Found;
use super::{Reader, is_end};
use crate::fingerprint::Dialect;
use crate::fingerprint::analyse::cursor::Cursor;
use crate::fingerprint::analyse::word::Lower;
use crate::fingerprint::lexer::TokenKind;

/// What joins two terms, or ends the condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Joint {
    And,
    /// OR, XOR: neither side must hold.
    Or,
    /// The next clause, a closing parenthesis, the end of the statement.
    End,
}

impl Reader<'_, '_> {
    /// WHERE or ON: a condition begins at the cursor.
    pub(super) fn begin_condition(&mut self, join: Option<(Kept, Option<usize>)>) {
        let level = Level::new(self.found.len());
        let top = self.top();
        top.clause = Clause::Condition;
        top.level = level;
        // A join that keeps both sides restricts neither.
        top.level.dead = matches!(join, Some((Kept::Both, _)));
        top.join = join;
    }

    pub(super) fn condition_step(&mut self) {
        let level = self.top().level;
        if level.progress == Progress::Start && !level.dead && self.begin_term() {
            return;
        }
        match self.cursor.token.kind {
            TokenKind::LParen => {
                self.no_comparison();
                self.push(Role::Opaque, Clause::Rest);
            }
            TokenKind::RParen => self.close(),
            _ => self.condition_token(),
        }
    }

    /// Reads what can be read of a term at its beginning. Returns whether the cursor has moved.
    fn begin_term(&mut self) -> bool {
        let mut tried = self.cursor.clone();
        match term(&mut tried) {
            Some(Term::Compared(compared)) if joint(&tried, self.end, self.in_group()).is_some() => {
                *self.cursor = tried;
                self.top().level.progress = Progress::Complete;
                let (depth, join) = (self.scopes.len(), self.join());
                self.found.extend(compared.into_iter().map(|compared| Found::new(compared, depth, join)));
                true
            }
            // What an outer join asks by a subquery is not looked into.
            Some(Term::Subquery) if self.join().is_none_or(|(kept, _)| kept == Kept::Neither) => {
                *self.cursor = tried;
                self.top().level.progress = Progress::Complete;
                self.push(Role::Query, Clause::Start);
                true
            }
            _ if self.cursor.token.kind == TokenKind::LParen && !at_subquery(self.cursor) => {
                self.top().level.progress = Progress::Complete;
                self.push(Role::Group, Clause::Rest);
                true
            }
            _ => {
                self.top().level.progress = Progress::Other;
                false
            }
        }
    }

    fn in_group(&mut self) -> bool {
        self.top().role == Role::Group
    }

    /// The outer join whose condition is read.
    fn join(&self) -> Option<(Kept, Option<usize>)> {
        let conditions = self.frames.iter().rev().find(|frame| frame.role != Role::Group);
        conditions.and_then(|frame: &Frame| frame.join)
    }

    /// The term at hand is more than a comparison.
    fn no_comparison(&mut self) {
        let level = &mut self.top().level;
        level.progress = Progress::Other;
        let term = level.term;
        self.found.truncate(term);
    }

    /// Nothing of the condition at hand must hold.
    fn no_condition(&mut self) {
        let level = &mut self.top().level;
        level.dead = true;
        level.progress = Progress::Other;
        let first = level.first;
        self.found.truncate(first);
    }

    fn condition_token(&mut self) {
        let (word, in_group, found) = (self.cursor.word(), self.in_group(), self.found.len());
        let joint = joint(self.cursor, self.end, in_group);
        let is_comma = self.cursor.token.kind == TokenKind::Comma;
        let lists = is_comma && (in_group || self.top().join.is_none());
        let level = &mut self.top().level;
        match word.as_bytes() {
            b"case" => {
                level.cases += 1;
                self.no_comparison();
            }
            b"end" if level.cases > 0 => level.cases -= 1,
            _ if level.cases > 0 => {}
            b"between" => {
                level.betweens += 1;
                self.no_comparison();
            }
            b"and" if level.betweens > 0 => level.betweens -= 1,
            // A row, or no condition at all.
            _ if lists => self.no_condition(),
            _ => match joint {
                Some(Joint::And) => level.next_term(found),
                Some(Joint::Or) => {
                    level.betweens = 0;
                    self.no_condition();
                }
                Some(Joint::End) if ends_operand(self.cursor) => {
                    let goes_on = is_comma || goes_on_with_tables(word.as_bytes());
                    self.top().clause = if goes_on { Clause::From { table: false } } else { Clause::Rest };
                    return self.clause_step();
                }
                _ => self.no_comparison(),
            },
        }
        self.cursor.advance();
    }
}

/// Whether a value may end with the token before: behind an operator, `offset` is a column.
fn ends_operand(cursor: &Cursor<'_>) -> bool {
    cursor.previous.kind.ends_operand(cursor.previous.keyword)
}

/// How the condition goes on behind a term; `None` where the term goes on.
fn joint(cursor: &Cursor<'_>, end: usize, in_group: bool) -> Option<Joint> {
    if is_end(cursor, end) {
        return Some(Joint::End);
    }
    let is_mysql = cursor.dialect == Dialect::MySql;
    match cursor.token.kind {
        TokenKind::RParen => return Some(Joint::End),
        TokenKind::Comma if !in_group => return Some(Joint::End),
        TokenKind::Operator if is_mysql && cursor.bytes() == b"&&" => return Some(Joint::And),
        TokenKind::Operator if is_mysql && cursor.bytes() == b"||" => return Some(Joint::Or),
        _ => {}
    }
    let word = cursor.word();
    match word.as_bytes() {
        // It is something else where an operand is due.
        b"and" if !ends_operand(cursor) => None,
        b"and" => Some(Joint::And),
        b"or" | b"xor" => Some(Joint::Or),
        _ if !in_group && begins_clause(word, cursor) => Some(Joint::End),
        _ => None,
    }
}

/// Whether a word behind a condition brings tables, or another condition.
fn goes_on_with_tables(word: &[u8]) -> bool {
    matches!(
        word,
        b"where"
            | b"on"
            | b"using"
            | b"set"
            | b"join"
            | b"straight_join"
            | b"inner"
            | b"left"
            | b"right"
            | b"full"
            | b"outer"
            | b"cross"
            | b"natural"
    )
}

/// Whether a word behind a condition begins what follows it.
fn begins_clause(word: Lower, cursor: &Cursor<'_>) -> bool {
    match word.as_bytes() {
        b"where" | b"group" | b"order" | b"having" | b"limit" | b"offset" | b"fetch" | b"window" | b"qualify"
        | b"returning" | b"output" | b"option" | b"procedure" | b"connect" | b"for" | b"into" | b"lock" | b"union"
        | b"except" | b"intersect" | b"minus" | b"on" | b"using" | b"set" | b"join" | b"straight_join" | b"inner"
        | b"cross" | b"natural" | b"full" | b"outer" => true,
        // Functions elsewhere.
        b"left" | b"right" => cursor.next.kind != TokenKind::LParen,
        b"start" => cursor.word_of(cursor.next).as_bytes() == b"with",
        _ => false,
    }
}
