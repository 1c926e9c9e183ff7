//! Names, keywords, variables, and the placeholders that look like them.

use super::class::{CLASSES, Class};
use super::{Lexer, Token, TokenKind};
use crate::fingerprint::dialect::Dialect;
use crate::fingerprint::keyword::{Keyword, lower_bytes};
use sqlthrottle_cells::scan::{WordHead, is_word_byte, word_head};

impl Lexer<'_> {
    #[inline]
    pub(super) fn word(&mut self, start: usize) -> Token {
        let head = self.word_head(start);
        let mut end = start + head.len;
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
        let mut keyword = if self.after_dot || len > 16 { Keyword::None } else { Keyword::of(self.lower, len) };
        if keyword != Keyword::None && self.dot_follows(end) {
            keyword = Keyword::None;
        }
        self.pos = end;
        self.operand = keyword.ends_operand();
        self.after_type = keyword.is_type() && !self.after_cast;
        self.after_dot = false;
        self.after_cast = false;
        Token { kind: TokenKind::Word, keyword, start, end }
    }

    /// The head of the word at `start`.
    #[inline]
    pub(crate) fn word_head(&self, start: usize) -> WordHead {
        match self.bytes.get(start..).and_then(<[u8]>::first_chunk::<16>) {
            Some(chunk) => word_head(chunk),
            None => word_head(&last_bytes(self.bytes, start)),
        }
    }

    /// Whether a dot follows at `from` that begins no number: what stands before it is a name, whatever it spells.
    fn dot_follows(&mut self, from: usize) -> bool {
        let at = match CLASSES[usize::from(self.peek(from))] {
            Class::Space | Class::Minus | Class::Slash | Class::Hash | Class::Star => self.blanks_behind(from),
            _ => from,
        };
        self.peek(at) == b'.' && !self.peek(at + 1).is_ascii_digit()
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

/// The bytes from `start` on where they are fewer than sixteen, and zeros, which no word holds, for the rest.
#[inline]
pub(crate) fn last_bytes(bytes: &[u8], start: usize) -> [u8; 16] {
    let left = bytes.len().saturating_sub(start);
    if let Some(chunk) = bytes.last_chunk::<16>() {
        // The last sixteen bytes of all, moved down to those that are left.
        return (u128::from_le_bytes(*chunk) >> (8 * (16 - left.clamp(1, 16)))).to_le_bytes();
    }
    let mut last = [0; 16];
    last[..left].copy_from_slice(&bytes[bytes.len() - left..]);
    last
}
