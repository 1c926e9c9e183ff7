//! Names, keywords, variables, and the placeholders that look like them.

use super::{Lexer, Token, TokenKind};
use crate::fingerprint::dialect::Dialect;
use crate::fingerprint::keyword::{Keyword, lower_bytes};
use sqlthrottle_cells::scan::{WordHead, is_word_byte, word_head};

impl Lexer<'_> {
    #[inline]
    pub(super) fn word(&mut self, start: usize) -> Token {
        let (head, at_hand) = match self.bytes[start..].first_chunk::<16>() {
            Some(chunk) => (word_head(chunk), 16),
            None => (self.short_word_head(start), self.bytes.len() - start),
        };
        let mut end = start + head.len.min(at_hand);
        if head.len == 16 {
            end = self.word_end(end);
        }
        self.lower = head.lower;
        // What may make something else of the word than a name.
        if matches!(self.peek(end), b'\'' | b'&' | b'#' | b'@') || head.lower as u8 == b'_' {
            if self.is_name_byte(self.peek(end)) {
                end = self.word_end(end);
            }
            if let Some(token) = self.prefixed_string(start, end) {
                return token;
            }
        }
        let len = end - start;
        let keyword = if self.after_dot || len > 16 { Keyword::None } else { Keyword::of(self.lower, len) };
        self.pos = end;
        self.operand = keyword.ends_operand();
        self.after_type = keyword.is_type() && !self.after_cast;
        self.after_dot = false;
        self.after_cast = false;
        Token { kind: TokenKind::Word, keyword, start, end }
    }

    /// [`word_head`] where fewer than sixteen bytes are left.
    fn short_word_head(&self, start: usize) -> WordHead {
        let left = self.bytes.len() - start;
        // The last sixteen bytes of the text, moved down to those that are left.
        let bytes = match self.bytes.last_chunk::<16>() {
            Some(chunk) => u128::from_le_bytes(*chunk) >> (8 * (16 - left)),
            None => lower_bytes(&self.bytes[start..]),
        };
        word_head(&bytes.to_le_bytes())
    }

    pub(super) fn word_end(&self, from: usize) -> usize {
        self.bytes[from..].iter().position(|&byte| !self.is_name_byte(byte)).map_or(self.bytes.len(), |i| from + i)
    }

    /// Whether a byte continues a name in this dialect.
    pub(super) fn is_name_byte(&self, byte: u8) -> bool {
        is_word_byte(byte)
            || (matches!(byte, b'#' | b'@') && matches!(self.dialect, Dialect::MsSql | Dialect::Oracle))
                && (byte == b'#' || self.dialect == Dialect::MsSql)
    }

    /// A word that begins with marks, such as `@v`: its name and its marks together.
    pub(super) fn word_behind(&mut self, start: usize, marks: usize) -> Token {
        let end = self.word_end(start + marks);
        self.lower = lower_bytes(&self.bytes[start..end]);
        self.token(TokenKind::Word, start, end, true)
    }

    /// The keyword that the word at `at` spells.
    pub(super) fn keyword_at(&self, at: usize) -> Keyword {
        let end = self.word_end(at);
        Keyword::of_word(&self.bytes[at..end])
    }

    /// `#` where it begins no comment: a temporary table of SQL Server, or an operator.
    pub(super) fn hash(&mut self, start: usize) -> Token {
        match self.dialect {
            Dialect::PostgreSql => self.operator(start),
            Dialect::MsSql if self.is_name_byte(self.peek(start + 1)) => self.word_behind(start, 1),
            _ => self.single(TokenKind::Operator, false),
        }
    }

    /// `$1`, `$name`, or a dollar quote.
    pub(super) fn dollar(&mut self, start: usize) -> Token {
        let next = self.peek(start + 1);
        if next.is_ascii_digit() {
            return self.token(TokenKind::Placeholder, start, self.digits_from(start + 1), true);
        }
        match self.dialect {
            Dialect::PostgreSql => {
                if let Some(token) = self.dollar_quote(start) {
                    return token;
                }
            }
            Dialect::Sqlite if is_word_byte(next) => {
                return self.token(TokenKind::Placeholder, start, self.word_end(start + 1), true);
            }
            _ => {}
        }
        if is_word_byte(next) { self.word_behind(start, 1) } else { self.single(TokenKind::Operator, false) }
    }

    /// `@name`: a variable, a placeholder, or an operator, as the dialect has it.
    pub(super) fn at(&mut self, start: usize) -> Token {
        if self.dialect == Dialect::PostgreSql {
            return self.operator(start);
        }
        if self.peek(start + 1) == b'@' && is_word_byte(self.peek(start + 2)) {
            return self.word_behind(start, 2);
        }
        if !is_word_byte(self.peek(start + 1)) || self.dialect == Dialect::Oracle {
            return self.single(TokenKind::Operator, false);
        }
        if self.dialect == Dialect::MySql {
            return self.word_behind(start, 1);
        }
        self.token(TokenKind::Placeholder, start, self.word_end(start + 1), true)
    }
}
