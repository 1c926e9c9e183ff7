//! Strings and quoted names of every form.

use super::class::{CLASSES, Class};
use super::{Lexer, Token, TokenKind};
use crate::fingerprint::dialect::Dialect;
use sqlthrottle_cells::scan::{find_either, is_word_byte};

/// MySQL's and MariaDB's character sets, each of which introduces a string with `_` before it.
const CHARSETS: [&[u8]; 42] = [
    b"armscii8",
    b"ascii",
    b"big5",
    b"binary",
    b"cp1250",
    b"cp1251",
    b"cp1256",
    b"cp1257",
    b"cp850",
    b"cp852",
    b"cp866",
    b"cp932",
    b"dec8",
    b"eucjpms",
    b"euckr",
    b"gb18030",
    b"gb2312",
    b"gbk",
    b"geostd8",
    b"greek",
    b"hebrew",
    b"hp8",
    b"keybcs2",
    b"koi8r",
    b"koi8u",
    b"latin1",
    b"latin2",
    b"latin5",
    b"latin7",
    b"macce",
    b"macroman",
    b"sjis",
    b"swe7",
    b"tis620",
    b"ucs2",
    b"ujis",
    b"utf16",
    b"utf16le",
    b"utf32",
    b"utf8",
    b"utf8mb3",
    b"utf8mb4",
];

impl Lexer<'_> {
    /// Whether a backslash escapes in an ordinary string.
    pub(super) const fn has_backslashes(&self) -> bool {
        matches!(self.dialect, Dialect::MySql)
    }

    /// Just behind the quote that closes a string whose text begins at `from`; none where it is cut off.
    #[inline]
    pub(super) fn string_end(&self, from: usize, quote: u8, backslashes: bool) -> Option<usize> {
        let mut at = from;
        let escape = if backslashes { b'\\' } else { quote };
        loop {
            let hit = find_either(self.bytes, at, quote, escape)?;
            // An escape takes the byte behind it along, and so does a quote that is doubled.
            if self.bytes[hit] == quote && self.peek(hit + 1) != quote {
                return Some(hit + 1);
            }
            at = hit + 2;
        }
    }

    /// Just behind an ordinary string that begins at `start`; none where it is cut off.
    #[inline]
    pub(crate) fn plain_string_end(&self, start: usize) -> Option<usize> {
        // Twice the same, so that what is looked for is known where this is compiled.
        if self.has_backslashes() {
            self.string_end(start + 1, b'\'', true)
        } else {
            self.string_end(start + 1, b'\'', false)
        }
    }

    /// A string whose quote is at `quote`, and whose prefix, if any, begins at `start`.
    pub(super) fn string(&mut self, start: usize, quote: usize, backslashes: bool) -> Token {
        match self.string_end(quote + 1, self.bytes[quote], backslashes) {
            Some(end) => self.token(TokenKind::Text, start, end, true),
            None => self.token(TokenKind::Cut, start, self.bytes.len(), true),
        }
    }

    /// A quoted name.
    pub(super) fn quoted(&mut self, start: usize, close: u8) -> Token {
        match self.string_end(start + 1, close, false) {
            Some(end) => self.token(TokenKind::Quoted, start, end, true),
            None => self.token(TokenKind::Cut, start, self.bytes.len(), true),
        }
    }

    /// `N'x'`, `X'1F'`, `B'01'`, `E'\n'`, `U&'x'`, `_utf8'x'`, and Oracle's `q'[x]'`: a word that touches a quote.
    pub(super) fn prefixed_string(&mut self, start: usize, end: usize) -> Option<Token> {
        let lower = self.lower();
        let prefix = &lower[..(end - start).min(16)];
        if self.peek(end) != b'\'' && (self.peek(end) != b'&' || self.peek(end + 1) != b'\'') {
            let is_charset =
                self.dialect == Dialect::MySql && matches!(prefix, [b'_', charset @ ..] if CHARSETS.contains(&charset));
            return if is_charset { self.charset_string(start, end) } else { None };
        }
        let quote = if self.peek(end) == b'&' { end + 1 } else { end };
        match prefix {
            b"u" if quote > end => Some(self.unicode_string(start, quote)),
            _ if quote > end => None,
            b"n" | b"x" | b"b" => Some(self.string(start, quote, self.has_backslashes())),
            b"e" => {
                let backslashes = matches!(self.dialect, Dialect::PostgreSql | Dialect::Generic | Dialect::MySql);
                Some(self.string(start, quote, backslashes))
            }
            b"q" | b"nq" if self.dialect == Dialect::Oracle => Some(self.q_quote(start, quote)),
            [b'_', charset @ ..] if CHARSETS.contains(&charset) => {
                Some(self.string(start, quote, self.has_backslashes()))
            }
            _ => None,
        }
    }

    /// MySQL's `_utf8mb4 'x'`, where white space may stand between.
    pub(super) fn charset_string(&mut self, start: usize, end: usize) -> Option<Token> {
        let at = self.blanks_behind(end);
        match self.peek(at) {
            b'\'' | b'"' => Some(self.string(start, at, true)),
            b'x' | b'X' | b'b' | b'B' if self.peek(at + 1) == b'\'' => Some(self.string(start, at + 1, true)),
            _ => None,
        }
    }

    /// `U&'…'` with its `UESCAPE '…'`.
    pub(super) fn unicode_string(&mut self, start: usize, quote: usize) -> Token {
        let token = self.string(start, quote, false);
        if token.kind == TokenKind::Cut {
            return token;
        }
        let word = self.blanks_behind(token.end);
        if self.bytes.get(word..word + 7).is_some_and(|word| word.eq_ignore_ascii_case(b"uescape")) {
            let escape = self.blanks_behind(word + 7);
            if self.peek(escape) == b'\'' {
                return self.string(start, escape, false);
            }
        }
        self.token(token.kind, start, token.end, true)
    }

    /// Oracle's `q'[it's]'`: the quote at `quote`, then a delimiter of choice, which may be a character of several bytes.
    pub(super) fn q_quote(&mut self, start: usize, quote: usize) -> Token {
        let open = self.peek(quote + 1);
        let width = match open {
            0xC0..=0xDF => 2,
            0xE0..=0xEF => 3,
            0xF0.. => 4,
            _ => 1,
        };
        let close: &[u8] = match open {
            b'[' => b"]",
            b'{' => b"}",
            b'(' => b")",
            b'<' => b">",
            _ => self.bytes.get(quote + 1..quote + 1 + width).unwrap_or(b"\0"),
        };
        let mut at = quote + 1 + width;
        while let Some(i) = self.bytes.get(at..).and_then(|rest| memchr::memmem::find(rest, close)) {
            at += i + close.len();
            if self.peek(at) == b'\'' {
                return self.token(TokenKind::Text, start, at + 1, true);
            }
        }
        self.token(TokenKind::Cut, start, self.bytes.len(), true)
    }

    /// `$$…$$` and `$tag$…$tag$`.
    pub(super) fn dollar_quote(&mut self, start: usize) -> Option<Token> {
        let tag = &self.bytes[start + 1..];
        let len = tag.iter().position(|&byte| byte == b'$' || !is_word_byte(byte))?;
        if tag[len] != b'$' {
            return None;
        }
        let body = start + len + 2;
        let mark = &self.bytes[start..body];
        Some(match memchr::memmem::find(&self.bytes[body..], mark) {
            Some(i) => self.token(TokenKind::Text, start, body + i + mark.len(), true),
            None => self.token(TokenKind::Cut, start, self.bytes.len(), true),
        })
    }

    pub(super) fn bracket(&mut self, start: usize) -> Token {
        let name_end = match self.dialect {
            Dialect::MsSql => Some(self.string_end(start + 1, b']', false)),
            Dialect::Sqlite => {
                let rest = &self.bytes[start + 1..];
                Some(memchr::memchr(b']', rest).map(|i| start + 2 + i))
            }
            Dialect::Generic => self.plain_name_in_brackets(start).map(Some),
            _ => None,
        };
        match name_end {
            Some(Some(end)) => self.token(TokenKind::Quoted, start, end, true),
            Some(None) => self.token(TokenKind::Cut, start, self.bytes.len(), true),
            None => {
                self.brackets = self.brackets.saturating_add(1);
                self.single(TokenKind::LBracket, false)
            }
        }
    }

    /// The end of `[name]`, where the brackets hold a letter or underscore, then letters, digits, `_` and `$`.
    pub(super) fn plain_name_in_brackets(&self, start: usize) -> Option<usize> {
        if CLASSES[usize::from(self.peek(start + 1))] != Class::Word {
            return None;
        }
        let close = self.bytes[start + 1..].iter().position(|&byte| !is_word_byte(byte))? + start + 1;
        (self.bytes[close] == b']').then_some(close + 1)
    }

    /// `{`, or an ODBC literal `{ts '2020-01-01 00:00:00'}` whole.
    pub(super) fn brace(&mut self, start: usize) -> Token {
        let word = self.blanks_from(start + 1);
        let end = self.bytes[word..]
            .iter()
            .position(|byte| !byte.is_ascii_alphabetic())
            .map_or(self.bytes.len(), |i| word + i);
        let name = &self.bytes[word..end];
        if [&b"d"[..], b"t", b"ts", b"guid"].iter().any(|prefix| name.eq_ignore_ascii_case(prefix)) {
            let quote = self.blanks_from(end);
            if self.peek(quote) == b'\'' {
                let Some(close) = self.string_end(quote + 1, b'\'', self.has_backslashes()) else {
                    return self.token(TokenKind::Cut, start, self.bytes.len(), true);
                };
                let brace = self.blanks_from(close);
                if self.peek(brace) == b'}' {
                    return self.token(TokenKind::Text, start, brace + 1, true);
                }
            }
        }
        self.single(TokenKind::LBrace, false)
    }
}
