//! Operators, and the placeholders that look like them.

use super::class::{CLASSES, Class};
use super::{Lexer, Token, TokenKind};
use crate::fingerprint::dialect::Dialect;
use crate::fingerprint::keyword::Keyword;
use sqlthrottle_cells::scan::is_word_byte;

/// Longest operator of PostgreSQL, in bytes.
const MAX_OPERATOR: usize = 63;

impl Lexer<'_> {
    pub(super) fn minus(&mut self, start: usize) -> Token {
        if self.is_line_hint(start) && self.peek(start + 1) == b'-' {
            let end = self.line_end(start + 3);
            return self.hint_start(start, end);
        }
        self.operator(start)
    }

    pub(super) fn slash(&mut self, start: usize) -> Token {
        if self.peek(start + 1) == b'*' && self.is_hint(start) {
            let end = memchr::memmem::find(&self.bytes[start + 3..], b"*/").map_or(self.bytes.len(), |i| start + 3 + i);
            return self.hint_start(start, end);
        }
        self.operator(start)
    }

    /// `::`, `:=`, `:name`, or the colon between the bounds of a slice.
    pub(super) fn colon(&mut self, start: usize) -> Token {
        match self.peek(start + 1) {
            byte @ (b':' | b'=') => {
                let token = self.token(TokenKind::Operator, start, start + 2, false);
                self.after_cast = byte == b':';
                token
            }
            byte if is_word_byte(byte) && !(self.brackets > 0 && (self.operand || byte.is_ascii_digit())) => {
                self.token(TokenKind::Placeholder, start, self.word_end(start + 1), true)
            }
            _ => self.single(TokenKind::Operator, false),
        }
    }

    /// `?`: a placeholder, or an operator of PostgreSQL where values stand on both sides.
    pub(super) fn question(&mut self, start: usize) -> Token {
        let operand = self.after_operand();
        if self.dialect != Dialect::PostgreSql {
            return self.token(TokenKind::Placeholder, start, self.digits_from(start + 1), true);
        }
        let escaped = self.peek(start + 1) == b'?';
        let tail = start + if escaped { 2 } else { 1 };
        // `?|`, `?&`, and the geometric `?-`, `?#`, `?||` and `?-|`.
        let mut end = tail;
        while matches!(self.peek(end), b'|' | b'&' | b'#' | b'-')
            && !(self.peek(end) == b'-' && self.peek(end + 1) == b'-')
            && end - tail < MAX_OPERATOR
        {
            end += 1;
        }
        if escaped || (operand && (end > tail || self.begins_operand(tail))) {
            return self.token(TokenKind::Operator, start, end, false);
        }
        self.token(TokenKind::Placeholder, start, self.digits_from(start + 1), true)
    }

    /// Whether what follows at `from` can only begin a value.
    pub(super) fn begins_operand(&mut self, from: usize) -> bool {
        let at = self.blanks_behind(from);
        match CLASSES[usize::from(self.peek(at))] {
            Class::Digit
            | Class::SingleQuote
            | Class::DoubleQuote
            | Class::Backquote
            | Class::LParen
            | Class::Question => true,
            Class::Dollar | Class::Colon => is_word_byte(self.peek(at + 1)),
            Class::Word => {
                let keyword = self.keyword_at(at);
                keyword.ends_operand() || keyword == Keyword::Case
            }
            _ => false,
        }
    }

    pub(super) fn operator(&mut self, start: usize) -> Token {
        let byte = self.bytes[start];
        if matches!(byte, b'-' | b'+')
            && let Some(number) = self.signed_number(start)
        {
            return number;
        }
        if byte == b'%'
            && !self.operand
            && let Some(end) = self.format_placeholder(start)
        {
            return self.token(TokenKind::Placeholder, start, end, true);
        }
        let end = if self.dialect == Dialect::PostgreSql {
            self.postgresql_operator_end(start)
        } else {
            start + self.operator_len(start)
        };
        if byte == b'*' && end == start + 1 && (!self.operand || self.ends_select_list(end)) {
            return self.token(TokenKind::Wildcard, start, end, true);
        }
        self.token(TokenKind::Operator, start, end, false)
    }

    /// Whether no value follows at `from`, so that a `*` before it multiplies nothing: `select top 10 * from t`.
    pub(super) fn ends_select_list(&mut self, from: usize) -> bool {
        let at = self.blanks_behind(from);
        match CLASSES[usize::from(self.peek(at))] {
            Class::Comma | Class::RParen | Class::Semicolon => true,
            Class::Word => self.keyword_at(at).ends_clause(),
            _ => at == self.bytes.len(),
        }
    }

    /// The end of Python's `%s` or `%(name)s` at `start`.
    pub(super) fn format_placeholder(&self, start: usize) -> Option<usize> {
        let mut at = start + 1;
        if self.peek(at) == b'(' {
            at = self.word_end(at + 1);
            if self.peek(at) != b')' {
                return None;
            }
            at += 1;
        }
        (self.peek(at) == b's' && !is_word_byte(self.peek(at + 1))).then_some(at + 1)
    }

    /// The length of the longest operator at `start`, outside PostgreSQL.
    #[inline]
    pub(super) fn operator_len(&self, start: usize) -> usize {
        let (first, second) = (self.bytes[start], self.peek(start + 1));
        if matches!((first, second, self.peek(start + 2)), (b'<', b'=', b'>') | (b'-', b'>', b'>')) {
            return 3;
        }
        let pairs = match first {
            b'<' => matches!(second, b'=' | b'>' | b'<'),
            b'!' => matches!(second, b'=' | b'<' | b'>'),
            b'>' | b'=' | b'-' => matches!(second, b'=' | b'>'),
            b'*' | b'&' | b'|' => second == b'=' || second == first,
            b'+' | b'/' | b'%' | b'^' => second == b'=',
            _ => false,
        };
        if pairs { 2 } else { 1 }
    }

    /// The end of the operator at `start` by PostgreSQL's rule: the longest run of operator characters that holds no
    /// comment, less a `+` or `-` at its end where none of ``~ ! @ # % ^ & | ` `` stands in it.
    pub(super) fn postgresql_operator_end(&self, start: usize) -> usize {
        let mut end = start;
        let mut special = false;
        // PostgreSQL refuses longer ones; and a run that is given back byte by byte must not be read to its end each time.
        while end - start < MAX_OPERATOR {
            let byte = self.peek(end);
            match byte {
                b'-' if end > start && self.peek(end + 1) == b'-' => break,
                b'/' if end > start && self.peek(end + 1) == b'*' => break,
                b'%' if end > start && self.format_placeholder(end).is_some() => break,
                b'~' | b'!' | b'@' | b'#' | b'%' | b'^' | b'&' | b'|' => special = true,
                b'+' | b'-' | b'*' | b'/' | b'<' | b'>' | b'=' => {}
                // Of the operators with a question mark inside, only `@?` begins with another character.
                b'?' if end == start + 1 && self.bytes[start] == b'@' => return end + 1,
                _ => break,
            }
            end += 1;
        }
        while !special && end > start + 1 && matches!(self.bytes[end - 1], b'+' | b'-') {
            end -= 1;
        }
        end.max(start + 1)
    }
}
