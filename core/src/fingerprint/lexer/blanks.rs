//! White space, comments, hints and versioned code: what stands between tokens.

use super::class::{CLASSES, Class};
use super::{Lexer, Token, TokenKind};
use crate::fingerprint::dialect::Dialect;
use sqlthrottle_cells::scan::find_either;

impl Lexer<'_> {
    #[inline]
    pub(crate) fn blanks_from(&self, mut at: usize) -> usize {
        // No byte above the space is white: mostly that is all there is to see.
        while self.bytes.get(at).is_some_and(|&byte| byte <= b' ' && CLASSES[usize::from(byte)] == Class::Space) {
            at += 1;
        }
        at
    }

    /// The end of the white space and comments at `from`.
    pub(super) fn blanks_behind(&mut self, from: usize) -> usize {
        let here = (self.pos, self.comments, self.versioned);
        self.pos = from;
        self.skip_blanks();
        let at = self.pos;
        (self.pos, self.comments, self.versioned) = here;
        at
    }

    /// Passes over white space and comments.
    #[inline]
    pub(super) fn skip_blanks(&mut self) {
        loop {
            self.pos = self.blanks_from(self.pos);
            match self.peek(self.pos) {
                b'-' | b'/' | b'#' | b'*' => {
                    if !self.skip_comment() {
                        return;
                    }
                }
                _ => return,
            }
        }
    }

    /// Passes over a comment, or a mark of MySQL's versioned code, where one begins here.
    pub(super) fn skip_comment(&mut self) -> bool {
        let at = self.pos;
        let (this, next) = (self.peek(at), self.peek(at + 1));
        let mysql = self.dialect == Dialect::MySql;
        let end = match (this, next) {
            (b'-', b'-') if mysql && self.bytes.get(at + 2).is_some_and(|&byte| byte > b' ' && byte != 0x7F) => {
                return false;
            }
            (b'-', b'-') if self.is_line_hint(at) => return false,
            (b'-', b'-') => self.line_end(at + 2),
            (b'#', _) if mysql => self.line_end(at + 1),
            (b'/', b'*') if self.is_hint(at) => return false,
            (b'/', b'*') if mysql && self.is_versioned(at) => {
                self.versioned += 1;
                let digits = at + if self.peek(at + 2) == b'!' { 3 } else { 4 };
                // MySQL writes five or six digits of a version; what follows them is code.
                let version = self.digits_from(digits) - digits;
                self.pos = digits + if version >= 5 { version.min(6) } else { 0 };
                return true;
            }
            (b'/', b'*') => self.comment_end(at + 2),
            (b'*', b'/') if self.versioned > 0 => {
                self.versioned -= 1;
                self.pos = at + 2;
                return true;
            }
            _ => return false,
        };
        self.comments = true;
        self.pos = end;
        true
    }

    /// `/*+` where the dialect has optimiser hints.
    pub(super) fn is_hint(&self, at: usize) -> bool {
        self.hint.is_none() && self.peek(at + 2) == b'+' && !matches!(self.dialect, Dialect::MsSql | Dialect::Sqlite)
    }

    /// Oracle's `--+`.
    pub(super) fn is_line_hint(&self, at: usize) -> bool {
        self.dialect == Dialect::Oracle && self.hint.is_none() && self.peek(at + 2) == b'+'
    }

    /// `/*!` and MariaDB's `/*M!`.
    pub(super) fn is_versioned(&self, at: usize) -> bool {
        self.peek(at + 2) == b'!' || (self.peek(at + 2) == b'M' && self.peek(at + 3) == b'!')
    }

    pub(super) fn line_end(&self, from: usize) -> usize {
        self.bytes.get(from..).and_then(|rest| memchr::memchr(b'\n', rest)).map_or(self.bytes.len(), |i| from + i + 1)
    }

    /// The end of the block comment whose text begins at `from`.
    pub(super) fn comment_end(&self, from: usize) -> usize {
        let nests = matches!(self.dialect, Dialect::PostgreSql | Dialect::MsSql);
        let mut depth = 1_usize;
        let mut at = from;
        while let Some(hit) = find_either(self.bytes, at, b'*', b'/') {
            match (self.bytes[hit], self.peek(hit + 1)) {
                (b'*', b'/') => {
                    depth -= 1;
                    at = hit + 2;
                    if depth == 0 {
                        return at;
                    }
                }
                (b'/', b'*') if nests => {
                    depth += 1;
                    at = hit + 2;
                }
                _ => at = hit + 1,
            }
        }
        self.bytes.len()
    }

    /// A hint whose text ends at `end`: until then, nothing behind it is read.
    pub(super) fn hint_start(&mut self, start: usize, end: usize) -> Token {
        self.hint = Some((self.operand, self.after_dot));
        self.bytes = &self.text[..end];
        self.token(TokenKind::HintStart, start, start + 3, false)
    }
}
