//! Constants, and the operators between them.

use super::{Pass, Pending};
use crate::fingerprint::dialect::Dialect;
use crate::fingerprint::keyword::Keyword;
use crate::fingerprint::lexer::{Token, TokenKind};
use crate::fingerprint::normalise::frame::{Clause, FrameKind, Rows};
use crate::fingerprint::normalise::naming::Naming;
use crate::fingerprint::normalise::spacing::{Last, after_operator};

/// Longest ordinal and array index that is kept, in digits: what is longer is data.
const MAX_ORDINAL: usize = 4;
/// Longest length of a type that is kept, in digits.
const MAX_LENGTH: usize = 10;

impl Pass<'_> {
    pub(super) fn number(&mut self, token: &Token, arrow: bool) {
        let digits = &self.sql[token.start..token.end];
        let longest = match self.frame.kind {
            FrameKind::Type => MAX_LENGTH,
            _ => MAX_ORDINAL,
        };
        let plain = !self.behind_operand && digits.len() <= longest && digits.iter().all(u8::is_ascii_digit);
        let ordinal = self.frame.clause == Clause::By
            && (self.before == TokenKind::Comma || self.keyword == Keyword::By)
            && plain;
        if !(ordinal || (plain && (arrow || self.frame.kind == FrameKind::Type))) {
            self.constant(token);
            return;
        }
        self.space_if(self.last.spaces_word());
        let at = self.out.len();
        self.pending = if arrow { Pending::Index(at) } else { Pending::Ordinal(at) };
        self.out.extend_from_slice(digits);
        self.last = Last::Value;
        self.frame.take_constant();
        self.keep_token(token);
    }

    pub(super) fn text(&mut self, token: &Token, arrow: bool) {
        if self.before == TokenKind::Text {
            // Adjacent strings are one.
            self.keep_token(token);
            return;
        }
        let quoted = matches!(self.sql[token.start], b'\'' | b'"');
        let aliases = matches!(self.options.dialect, Dialect::MySql | Dialect::MsSql | Dialect::Sqlite);
        let alias = aliases && self.keyword == Keyword::As && self.frame.clause == Clause::Select;
        if !(quoted && (arrow || alias)) {
            self.constant(token);
            return;
        }
        self.space_if(self.last.spaces_word());
        self.out.extend_from_slice(&self.sql[token.start..token.end]);
        self.last = Last::Value;
        if arrow {
            self.frame.take_constant();
        } else {
            self.frame.take_other();
        }
        self.keep_token(token);
    }

    /// Writes `?` for a constant or placeholder.
    #[inline]
    pub(super) fn constant(&mut self, token: &Token) {
        self.space_if(self.last.spaces_constant(self.options.dialect, self.end_byte()));
        self.placeholder();
        self.frame.rows = Rows::None;
        if self.frame.judged {
            self.frame.take_constant();
            if self.frame.list > 0 {
                if token.kind == TokenKind::Placeholder {
                    self.distinct.placeholder();
                } else {
                    self.distinct.token(&self.sql[token.start..token.end]);
                }
            } else if self.frame.kind == FrameKind::List && self.frame.is_plain_constant() && self.beyond == 0 {
                self.lexer.skip_constants();
            }
        }
    }

    #[inline]
    pub(super) fn placeholder(&mut self) {
        if self.behind_operand && self.options.dialect == Dialect::PostgreSql {
            self.pending = Pending::Ambiguous(self.out.len());
        }
        self.out.push(b'?');
        self.last = Last::Value;
    }

    /// `in_lists: distinct` compares constants by their tokens.
    pub(super) fn keep_token(&mut self, token: &Token) {
        if self.frame.list > 0 {
            self.distinct.token(&self.sql[token.start..token.end]);
        }
    }

    pub(super) fn operator(&mut self, token: &Token) {
        let operator = &self.sql[token.start..token.end];
        let first = operator[0];
        let is_cast = operator == b"::";
        if is_cast && self.frame.judged {
            self.nullish_is_constant();
        }
        self.space_if(self.last.spaces_operator(self.options.dialect, first, self.end_byte()));
        // PostgreSQL's `?` is written as JDBC escapes it: `??` is never a placeholder.
        if first == b'?' && operator.get(1) != Some(&b'?') {
            self.out.push(b'?');
        }
        if self.frame.judged {
            self.frame.take_operator();
            self.keep_token(token);
        }
        self.frame.typed = is_cast;
        self.out.extend_from_slice(operator);
        self.naming = Naming::None;
        self.arrow = matches!(operator, b"->" | b"->>");
        self.last = after_operator(operator, !self.behind_operand, self.options.dialect);
        self.frame.rows = Rows::None;
    }
}
