//! What the parser is given: the tokens of a statement, as long as there are few of them and they nest little.

use crate::fingerprint::Dialect;
use crate::fingerprint::keyword::Keyword;
use crate::fingerprint::lexer::{Token, TokenKind};

/// Most tokens of one text that are parsed. It bounds the depth of what chains of operators, joins and set operations build, and
/// the work that a long batch can ask for.
pub(super) const MAX_TOKENS: usize = 500;

/// Deepest nesting a text may have to be parsed: open parentheses, brackets and CASEs, operators before an operand, and joins
/// that wait for their condition.
pub(super) const MAX_NESTING: usize = 10;

/// Collects a text for the parser, until it grows beyond the budget.
///
/// The lexer knows the dialects better than the parser does, so what the two could read differently is settled here:
/// comments are gone, versioned code is unwrapped, hints are left out, and placeholders have one form, with their position.
#[derive(Debug, Default)]
pub(super) struct ParserText {
    text: Vec<u8>,
    tokens: usize,
    /// Open parentheses, brackets and CASEs.
    open: usize,
    /// Operators that wait for an operand.
    waiting: usize,
    /// Joins that wait for their ON or USING: `a join b join c on … on …` nests without parentheses.
    joins: usize,
    /// Behind CROSS or NATURAL, whose JOIN waits for nothing.
    complete_join: bool,
    beyond: bool,
    last_end: usize,
}

impl ParserText {
    pub(super) fn push(&mut self, sql: &[u8], token: Token, position: Option<usize>, dialect: Dialect) {
        if self.beyond {
            return;
        }
        self.count(token);
        if self.tokens > MAX_TOKENS || self.open + self.waiting + self.joins > MAX_NESTING {
            self.beyond = true;
            self.text = Vec::new();
            return;
        }
        if token.start != self.last_end && !self.text.is_empty() {
            self.text.push(b' ');
        }
        self.last_end = token.end;
        let bytes = &sql[token.start..token.end];
        match position {
            Some(position) => {
                let mark = if dialect == Dialect::PostgreSql { '$' } else { '?' };
                self.text.extend_from_slice(format!("{mark}{position} ").as_bytes());
            }
            // JDBC's escape of the operator `?`.
            None if token.kind == TokenKind::Operator && bytes.starts_with(b"??") => {
                self.text.extend_from_slice(&bytes[1..]);
            }
            None => self.text.extend_from_slice(bytes),
        }
    }

    fn count(&mut self, token: Token) {
        self.tokens += 1;
        match token.kind {
            TokenKind::LParen | TokenKind::LBracket | TokenKind::LBrace => self.open += 1,
            TokenKind::RParen | TokenKind::RBracket | TokenKind::RBrace => self.open = self.open.saturating_sub(1),
            TokenKind::Word if token.keyword == Keyword::Case => self.open += 1,
            TokenKind::Word if token.keyword == Keyword::End => self.open = self.open.saturating_sub(1),
            _ => {}
        }
        match token.keyword {
            Keyword::Cross | Keyword::Natural => self.complete_join = true,
            Keyword::Join => self.joins += usize::from(!std::mem::take(&mut self.complete_join)),
            Keyword::On | Keyword::Using => self.joins = self.joins.saturating_sub(1),
            _ => {}
        }
        let waits = token.kind == TokenKind::Operator || token.keyword == Keyword::Not;
        self.waiting = if waits { self.waiting + 1 } else { 0 };
    }

    /// The next statement of the same text, which has what is left of the budget.
    pub(super) fn next(&self) -> Self {
        Self { tokens: self.tokens, ..Self::default() }
    }

    /// Forgets the text so far, but not what it cost.
    pub(super) fn restart(&mut self) {
        self.text.clear();
    }

    /// The text; `None` where it is beyond the budget.
    pub(super) fn finish(self) -> Option<String> {
        // Invalid bytes can stand in names and constants alone; what replaces them serves as well.
        (!self.beyond).then(|| String::from_utf8_lossy(&self.text).into_owned())
    }
}
