//! Numbers, with their signs.

use super::{Lexer, Token, TokenKind};
use crate::fingerprint::dialect::Dialect;
use sqlthrottle_cells::scan::is_word_byte;

impl Lexer<'_> {
    /// A number whose digits begin at `digits`, and whose sign, if any, at `start`.
    #[inline]
    pub(super) fn number(&mut self, start: usize, digits: usize) -> Token {
        let mut end = self.digits_from(digits);
        if !matches!(self.peek(end), b'.' | b'_' | b'$' | b'a'..=b'z' | b'A'..=b'Z' | 0x80..) {
            return self.token(TokenKind::Number, start, end, true);
        }
        if self.dialect == Dialect::MySql && self.is_name_with_digits(digits) {
            // MySQL's names may begin with digits.
            let token = self.word(digits);
            if start == digits {
                return token;
            }
            return self.token(TokenKind::Operator, start, start + 1, false);
        }
        let radix: Option<fn(&u8) -> bool> = match (self.bytes[digits], self.peek(digits + 1) | 0x20) {
            (b'0', b'x') => Some(u8::is_ascii_hexdigit),
            (b'0', b'b') => Some(|byte| matches!(byte, b'0' | b'1')),
            (b'0', b'o') => Some(|byte| matches!(byte, b'0'..=b'7')),
            _ => None,
        };
        if let Some(is_digit) = radix.filter(|_| end == digits + 1) {
            // PostgreSQL has an underscore before the first digit too.
            let first = digits + if self.peek(digits + 2) == b'_' { 3 } else { 2 };
            let long = self.grouped(first, is_digit);
            if long > first {
                return self.token(TokenKind::Number, start, long, true);
            }
        }
        end = self.grouped(digits, u8::is_ascii_digit);
        if self.peek(end) == b'.' && self.peek(end + 1) != b'.' {
            end = self.grouped(end + 1, u8::is_ascii_digit);
        }
        end = self.exponent(end);
        if self.dialect == Dialect::Oracle
            && matches!(self.peek(end), b'f' | b'F' | b'd' | b'D')
            && !is_word_byte(self.peek(end + 1))
        {
            end += 1;
        }
        self.token(TokenKind::Number, start, end, true)
    }

    /// The end of digits that single underscores may group.
    pub(super) fn grouped(&self, from: usize, is_digit: fn(&u8) -> bool) -> usize {
        let mut at = from;
        loop {
            while self.bytes.get(at).is_some_and(is_digit) {
                at += 1;
            }
            if at == from || self.peek(at) != b'_' || !self.bytes.get(at + 1).is_some_and(is_digit) {
                return at;
            }
            at += 1;
        }
    }

    /// The end of an exponent at `at`, or `at` where there is none.
    pub(super) fn exponent(&self, at: usize) -> usize {
        if self.peek(at) | 0x20 != b'e' {
            return at;
        }
        let digits = at + if matches!(self.peek(at + 1), b'+' | b'-') { 2 } else { 1 };
        let end = self.digits_from(digits);
        if end > digits { end } else { at }
    }

    /// Whether MySQL reads what begins with a digit at `from` as a name: `2020_orders`, `1st`, but not `1e5` or `0x1F`.
    pub(super) fn is_name_with_digits(&self, from: usize) -> bool {
        let end =
            self.bytes[from..].iter().position(|&byte| !is_word_byte(byte)).map_or(self.bytes.len(), |i| from + i);
        let word = &self.bytes[from..end];
        let after_digits = self.digits_from(from) - from;
        match word.get(after_digits) {
            None => false,
            Some(b'e' | b'E') => {
                let rest = &word[after_digits + 1..];
                let signed =
                    rest.is_empty() && matches!(self.peek(end), b'+' | b'-') && self.peek(end + 1).is_ascii_digit();
                !signed && (rest.is_empty() || !rest.iter().all(u8::is_ascii_digit))
            }
            Some(b'x' | b'X') if &word[..after_digits] == b"0" => {
                word.len() == 2 || !word[2..].iter().all(u8::is_ascii_hexdigit)
            }
            Some(b'b' | b'B') if &word[..after_digits] == b"0" => {
                word.len() == 2 || !word[2..].iter().all(|byte| matches!(byte, b'0' | b'1'))
            }
            Some(_) => true,
        }
    }

    pub(super) fn dot(&mut self, start: usize) -> Token {
        if !self.operand && self.is_fraction(start) {
            let end = self.exponent(self.grouped(start + 1, u8::is_ascii_digit));
            return self.token(TokenKind::Number, start, end, true);
        }
        let token = self.single(TokenKind::Dot, false);
        self.after_dot = true;
        token
    }

    /// Whether the dot at `at` begins a number, `.5`.
    pub(super) fn is_fraction(&self, at: usize) -> bool {
        self.peek(at + 1).is_ascii_digit() && !(self.dialect == Dialect::MySql && self.is_name_with_digits(at + 1))
    }

    /// A number behind the sign at `start`, where no value stands before it.
    pub(super) fn signed_number(&mut self, start: usize) -> Option<Token> {
        if self.operand {
            return None;
        }
        let digits = self.blanks_behind(start + 1);
        match self.peek(digits) {
            b'0'..=b'9' => Some(self.number(start, digits)),
            b'.' if self.is_fraction(digits) => {
                let end = self.exponent(self.grouped(digits + 1, u8::is_ascii_digit));
                Some(self.token(TokenKind::Number, start, end, true))
            }
            _ => None,
        }
    }

    #[inline]
    pub(crate) fn digits_from(&self, mut at: usize) -> usize {
        while self.bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    }
}
