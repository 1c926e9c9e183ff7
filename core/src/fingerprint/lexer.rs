//! Bytes to tokens, in one forward pass: no recursion, no allocation, no failure whatever the bytes.
//!
//! What a byte means can depend on whether a value stands before it (`a - 1` or `= -1`; `a % s` or `= %s`), so the lexer
//! keeps track of that. It decides nothing about shapes: that is the normaliser's.

use super::dialect::Dialect;
use super::keyword::Keyword;
use sqlthrottle_cells::scan::{WordHead, find_either, is_word_byte, number_run, word_head};

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// An unquoted name, keyword or variable.
    Word,
    /// A quoted name.
    Quoted,
    /// A number with its sign.
    Number,
    /// A string of any form, a typed literal in braces, a hexadecimal or binary string.
    Text,
    /// A quoted name or string that the text ends in.
    Cut,
    /// A bind parameter.
    Placeholder,
    /// An operator.
    Operator,
    /// The `*` that stands for all columns.
    Wildcard,
    LParen,
    RParen,
    LBracket,
    RBracket,
    LBrace,
    RBrace,
    Comma,
    Dot,
    Semicolon,
    /// `/*+`, or Oracle's `--+`: what follows up to `HintEnd` is an optimiser hint.
    HintStart,
    HintEnd,
    /// A byte with no meaning in SQL, such as NUL.
    Other,
    /// The end of the text, again and again.
    End,
}

/// A token: its kind and its bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    /// The keyword, where the token is a `Word` that is one and that no dot precedes.
    pub(crate) keyword: Keyword,
    /// Where its bytes begin.
    pub(crate) start: usize,
    /// Where they end.
    pub(crate) end: usize,
}

/// What a byte can begin.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Class {
    Space,
    Word,
    Digit,
    SingleQuote,
    DoubleQuote,
    Backquote,
    LParen,
    RParen,
    LBracket,
    RBracket,
    LBrace,
    RBrace,
    Comma,
    Dot,
    Semicolon,
    Minus,
    Slash,
    Hash,
    Dollar,
    At,
    Colon,
    Question,
    Operator,
    Other,
}

static CLASSES: [Class; 256] = classes();

const fn classes() -> [Class; 256] {
    let mut table = [Class::Other; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b' ' | b'\t' | b'\n' | b'\r' | 0x0B | 0x0C => Class::Space,
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | 0x80.. => Class::Word,
            b'0'..=b'9' => Class::Digit,
            b'\'' => Class::SingleQuote,
            b'"' => Class::DoubleQuote,
            b'`' => Class::Backquote,
            b'(' => Class::LParen,
            b')' => Class::RParen,
            b'[' => Class::LBracket,
            b']' => Class::RBracket,
            b'{' => Class::LBrace,
            b'}' => Class::RBrace,
            b',' => Class::Comma,
            b'.' => Class::Dot,
            b';' => Class::Semicolon,
            b'-' => Class::Minus,
            b'/' => Class::Slash,
            b'#' => Class::Hash,
            b'$' => Class::Dollar,
            b'@' => Class::At,
            b':' => Class::Colon,
            b'?' => Class::Question,
            b'=' | b'<' | b'>' | b'+' | b'*' | b'%' | b'!' | b'&' | b'|' | b'^' | b'~' => Class::Operator,
            _ => Class::Other,
        };
        byte += 1;
    }
    table
}

/// Reads the tokens of a text.
#[derive(Clone, Debug)]
pub(crate) struct Lexer<'a> {
    /// What is being read: the text, or up to the end of a hint.
    bytes: &'a [u8],
    text: &'a [u8],
    pos: usize,
    dialect: Dialect,
    /// Whether a value ends with the last token.
    operand: bool,
    /// Whether the last token is a dot, so that a word behind it is a name.
    after_dot: bool,
    /// Whether the last token is a type's name, so that a question mark behind it is a literal's.
    after_type: bool,
    /// Whether the last token is `::`, so that a type's name behind it introduces no literal.
    after_cast: bool,
    /// Open brackets, where a colon divides bounds.
    brackets: u32,
    /// Open `/*! … */`, whose ends are white space.
    versioned: u32,
    /// Inside a hint: what `operand` was before it.
    hint: Option<bool>,
    /// Whether there was a comment.
    comments: bool,
    /// The last word's first sixteen bytes in lower case.
    lower: [u8; 16],
}

impl<'a> Lexer<'a> {
    pub(crate) fn new(text: &'a [u8], dialect: Dialect) -> Self {
        Self {
            bytes: text,
            text,
            pos: 0,
            dialect,
            operand: false,
            after_dot: false,
            after_type: false,
            after_cast: false,
            brackets: 0,
            versioned: 0,
            hint: None,
            comments: false,
            lower: [0; 16],
        }
    }

    /// The first sixteen bytes of the last `Word`, in lower case.
    #[inline]
    pub(crate) const fn lower(&self) -> &[u8; 16] {
        &self.lower
    }

    /// Whether a value ends with the last token, one that is not a type's name before a literal.
    #[inline]
    pub(crate) const fn after_operand(&self) -> bool {
        self.operand && !self.after_type
    }

    /// Says that the last token, a name, is read as a constant.
    pub(crate) const fn take_as_constant(&mut self) {
        self.operand = true;
        self.after_type = false;
    }

    /// Whether a comment has been passed over.
    pub(crate) const fn saw_comment(&self) -> bool {
        self.comments
    }

    /// The next token.
    #[inline]
    pub(crate) fn next(&mut self) -> Token {
        self.skip_blanks();
        let start = self.pos;
        let Some(&byte) = self.bytes.get(start) else {
            return self.end_of_bytes();
        };
        let class = CLASSES[usize::from(byte)];
        if class == Class::Word {
            return self.word(start);
        }
        match class {
            Class::Digit => self.number(start, start),
            Class::SingleQuote => self.string(start, start, self.has_backslashes()),
            Class::LParen => self.single(TokenKind::LParen, false),
            Class::RParen => self.single(TokenKind::RParen, true),
            Class::Comma => self.single(TokenKind::Comma, false),
            Class::Dot => self.dot(start),
            Class::Operator => self.operator(start),
            Class::Question => self.question(start),
            Class::Minus => self.minus(start),
            Class::Slash => self.slash(start),
            Class::DoubleQuote if self.dialect == Dialect::MySql => self.string(start, start, true),
            Class::DoubleQuote | Class::Backquote => self.quoted(start, byte),
            Class::LBracket => self.bracket(start),
            Class::RBracket => {
                self.brackets = self.brackets.saturating_sub(1);
                self.single(TokenKind::RBracket, true)
            }
            Class::LBrace => self.brace(start),
            Class::RBrace => self.single(TokenKind::RBrace, true),
            // Within a hint it divides nothing.
            Class::Semicolon if self.hint.is_some() => self.single(TokenKind::Other, false),
            Class::Semicolon => self.single(TokenKind::Semicolon, false),
            Class::Hash => self.hash(start),
            Class::Dollar => self.dollar(start),
            Class::At => self.at(start),
            Class::Colon => self.colon(start),
            Class::Other | Class::Space | Class::Word => self.single(TokenKind::Other, false),
        }
    }

    /// Passes over what continues a list of plain constants behind the last token, a constant: `, 1, 'x', -2.5`.
    ///
    /// Stops before the first comma behind which something else stands. Returns how many constants were passed over.
    pub(crate) fn skip_constants(&mut self) -> usize {
        let mut count = 0;
        loop {
            let run = number_run(self.bytes, self.pos);
            if run > 0 {
                count += memchr::memchr_iter(b',', &self.bytes[self.pos..self.pos + run]).count();
                self.pos += run;
            }
            let comma = self.blanks_from(self.pos);
            if self.bytes.get(comma) != Some(&b',') {
                return count;
            }
            match self.plain_constant(self.blanks_from(comma + 1)) {
                Some(end) => self.pos = end,
                None => return count,
            }
            count += 1;
        }
    }

    /// Passes over rows of plain constants behind a row: `, (1, 'x'), (2, 'y')`. `width` is the number of constants of the row.
    pub(crate) fn skip_rows(&mut self, width: usize) {
        let here = self.pos;
        loop {
            let comma = self.blanks_from(self.pos);
            if self.bytes.get(comma) != Some(&b',') {
                return;
            }
            let paren = self.blanks_from(comma + 1);
            if self.bytes.get(paren) != Some(&b'(') {
                return;
            }
            let Some(end) = self.plain_constant(self.blanks_from(paren + 1)) else {
                return;
            };
            let row = self.pos;
            self.pos = end;
            let count = 1 + self.skip_constants();
            let close = self.blanks_from(self.pos);
            if count != width || self.bytes.get(close) != Some(&b')') {
                self.pos = row;
                return;
            }
            debug_assert!(close >= here);
            self.pos = close + 1;
        }
    }

    /// The end of a plain constant at `at` that a comma or a closing parenthesis follows: unsigned or signed decimal
    /// numbers and unprefixed strings.
    #[inline]
    fn plain_constant(&self, at: usize) -> Option<usize> {
        let mut at = at;
        let end = match *self.bytes.get(at)? {
            b'\'' => self.string_end(at + 1, b'\'', self.has_backslashes())?,
            byte @ (b'-' | b'+' | b'0'..=b'9') => {
                if !byte.is_ascii_digit() {
                    at += 1;
                }
                let mut end = self.digits_from(at);
                if end == at {
                    return None;
                }
                if self.bytes.get(end) == Some(&b'.') {
                    end = self.digits_from(end + 1);
                }
                end
            }
            _ => return None,
        };
        match self.bytes.get(self.blanks_from(end)) {
            Some(b',' | b')') => Some(end),
            _ => None,
        }
    }

    #[inline]
    fn single(&mut self, kind: TokenKind, operand: bool) -> Token {
        let start = self.pos;
        self.token(kind, start, start + 1, operand)
    }

    #[inline]
    fn token(&mut self, kind: TokenKind, start: usize, end: usize, operand: bool) -> Token {
        self.pos = end;
        self.operand = operand;
        self.after_dot = false;
        self.after_type = false;
        self.after_cast = false;
        Token { kind, keyword: Keyword::None, start, end }
    }

    fn end_of_bytes(&mut self) -> Token {
        let at = self.bytes.len();
        let Some(operand) = self.hint.take() else {
            return Token { kind: TokenKind::End, keyword: Keyword::None, start: at, end: at };
        };
        // A hint that is cut off ends with the text.
        let end = if self.text[at..].starts_with(b"*/") { at + 2 } else { at };
        let cut = at == self.text.len();
        self.bytes = self.text;
        let kind = if cut { TokenKind::End } else { TokenKind::HintEnd };
        self.token(kind, at, end, operand)
    }

    #[inline]
    fn peek(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    #[inline]
    fn blanks_from(&self, mut at: usize) -> usize {
        while self.bytes.get(at).is_some_and(|&byte| CLASSES[usize::from(byte)] == Class::Space) {
            at += 1;
        }
        at
    }

    #[inline]
    fn digits_from(&self, mut at: usize) -> usize {
        while self.bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    }

    /// Passes over white space and comments.
    #[inline]
    fn skip_blanks(&mut self) {
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
    fn skip_comment(&mut self) -> bool {
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
    fn is_hint(&self, at: usize) -> bool {
        self.hint.is_none() && self.peek(at + 2) == b'+' && !matches!(self.dialect, Dialect::MsSql | Dialect::Sqlite)
    }

    /// Oracle's `--+`.
    fn is_line_hint(&self, at: usize) -> bool {
        self.dialect == Dialect::Oracle && self.hint.is_none() && self.peek(at + 2) == b'+'
    }

    /// `/*!` and MariaDB's `/*M!`.
    fn is_versioned(&self, at: usize) -> bool {
        self.peek(at + 2) == b'!' || (self.peek(at + 2) == b'M' && self.peek(at + 3) == b'!')
    }

    fn line_end(&self, from: usize) -> usize {
        self.bytes.get(from..).and_then(|rest| memchr::memchr(b'\n', rest)).map_or(self.bytes.len(), |i| from + i + 1)
    }

    /// The end of the block comment whose text begins at `from`.
    fn comment_end(&self, from: usize) -> usize {
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

    /// Whether a backslash escapes in an ordinary string.
    const fn has_backslashes(&self) -> bool {
        matches!(self.dialect, Dialect::MySql)
    }

    /// Just behind the quote that closes a string whose text begins at `from`; none where it is cut off.
    #[inline]
    fn string_end(&self, from: usize, quote: u8, backslashes: bool) -> Option<usize> {
        let mut at = from;
        let escape = if backslashes { b'\\' } else { quote };
        loop {
            let hit = find_either(self.bytes, at, quote, escape)?;
            if self.bytes[hit] != quote {
                at = hit + 2;
            } else if self.peek(hit + 1) == quote {
                at = hit + 2;
            } else {
                return Some(hit + 1);
            }
        }
    }

    /// A string whose quote is at `quote`, and whose prefix, if any, begins at `start`.
    fn string(&mut self, start: usize, quote: usize, backslashes: bool) -> Token {
        match self.string_end(quote + 1, self.bytes[quote], backslashes) {
            Some(end) => self.token(TokenKind::Text, start, end, true),
            None => self.token(TokenKind::Cut, start, self.bytes.len(), true),
        }
    }

    /// A quoted name.
    fn quoted(&mut self, start: usize, close: u8) -> Token {
        match self.string_end(start + 1, close, false) {
            Some(end) => self.token(TokenKind::Quoted, start, end, true),
            None => self.token(TokenKind::Cut, start, self.bytes.len(), true),
        }
    }

    #[inline]
    fn word(&mut self, start: usize) -> Token {
        let (head, at_hand) = match self.bytes[start..].first_chunk::<16>() {
            Some(chunk) => (word_head(chunk), 16),
            None => (self.short_word_head(start), self.bytes.len() - start),
        };
        let mut end = start + head.len.min(at_hand);
        if head.len == 16 {
            end = self.word_end(end);
        }
        if self.dialect != Dialect::MySql && matches!(self.peek(end), b'#' | b'@') && self.is_name_byte(self.peek(end))
        {
            end = self.word_end(end);
        }
        self.lower = head.lower;
        let len = end - start;
        if self.peek(end) == b'\'' || (self.peek(end) == b'&' && self.peek(end + 1) == b'\'') {
            if let Some(token) = self.prefixed_string(start, end) {
                return token;
            }
        }
        if self.bytes[start] == b'_' && self.dialect == Dialect::MySql {
            if let Some(token) = self.charset_string(start, end) {
                return token;
            }
        }
        let keyword = if self.after_dot || len > 16 { Keyword::None } else { Keyword::of(&self.lower, len) };
        self.after_dot = false;
        self.pos = end;
        self.after_type = keyword.is_type() && !std::mem::take(&mut self.after_cast);
        self.operand = keyword.ends_operand();
        Token { kind: TokenKind::Word, keyword, start, end }
    }

    /// [`word_head`] where fewer than sixteen bytes are left.
    fn short_word_head(&self, start: usize) -> WordHead {
        let rest = &self.bytes[start..];
        let mut chunk = [0; 16];
        for (to, from) in chunk.iter_mut().zip(rest) {
            *to = *from;
        }
        word_head(&chunk)
    }

    fn word_end(&self, from: usize) -> usize {
        self.bytes[from..].iter().position(|&byte| !self.is_name_byte(byte)).map_or(self.bytes.len(), |i| from + i)
    }

    /// Whether a byte continues a name in this dialect.
    fn is_name_byte(&self, byte: u8) -> bool {
        is_word_byte(byte)
            || (matches!(byte, b'#' | b'@') && matches!(self.dialect, Dialect::MsSql | Dialect::Oracle))
                && (byte == b'#' || self.dialect == Dialect::MsSql)
    }

    /// `N'x'`, `X'1F'`, `B'01'`, `E'\n'`, `U&'x'`, `_utf8'x'`, and Oracle's `q'[x]'`: a word that touches a quote.
    fn prefixed_string(&mut self, start: usize, end: usize) -> Option<Token> {
        let prefix = &self.lower[..(end - start).min(16)];
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
            [b'_', _, ..] => Some(self.string(start, quote, self.has_backslashes())),
            _ => None,
        }
    }

    /// MySQL's `_utf8mb4 'x'`, where white space may stand between.
    fn charset_string(&mut self, start: usize, end: usize) -> Option<Token> {
        let before = self.pos;
        self.pos = end;
        self.skip_blanks();
        let at = self.pos;
        self.pos = before;
        match self.peek(at) {
            b'\'' | b'"' => Some(self.string(start, at, true)),
            b'x' | b'X' | b'b' | b'B' if self.peek(at + 1) == b'\'' => Some(self.string(start, at + 1, true)),
            _ => None,
        }
    }

    /// `U&'…'` with its `UESCAPE '…'`.
    fn unicode_string(&mut self, start: usize, quote: usize) -> Token {
        let token = self.string(start, quote, false);
        if token.kind == TokenKind::Cut {
            return token;
        }
        self.skip_blanks();
        let word = self.pos;
        if self.bytes.get(word..word + 7).is_some_and(|word| word.eq_ignore_ascii_case(b"uescape")) {
            self.pos = word + 7;
            self.skip_blanks();
            if self.peek(self.pos) == b'\'' {
                let escape = self.string(start, self.pos, false);
                return escape;
            }
        }
        self.token(token.kind, start, token.end, true)
    }

    /// Oracle's `q'[it's]'`: the quote at `quote`, then a delimiter of choice.
    fn q_quote(&mut self, start: usize, quote: usize) -> Token {
        let close = match self.peek(quote + 1) {
            b'[' => b']',
            b'{' => b'}',
            b'(' => b')',
            b'<' => b'>',
            other => other,
        };
        let mut at = quote + 2;
        while let Some(i) = self.bytes.get(at..).and_then(|rest| memchr::memchr(close, rest)) {
            if self.peek(at + i + 1) == b'\'' {
                return self.token(TokenKind::Text, start, at + i + 2, true);
            }
            at += i + 1;
        }
        self.token(TokenKind::Cut, start, self.bytes.len(), true)
    }

    /// A number whose digits begin at `digits`, and whose sign, if any, at `start`.
    #[inline]
    fn number(&mut self, start: usize, digits: usize) -> Token {
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
    fn grouped(&self, from: usize, is_digit: fn(&u8) -> bool) -> usize {
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
    fn exponent(&self, at: usize) -> usize {
        if self.peek(at) | 0x20 != b'e' {
            return at;
        }
        let digits = at + if matches!(self.peek(at + 1), b'+' | b'-') { 2 } else { 1 };
        let end = self.digits_from(digits);
        if end > digits { end } else { at }
    }

    /// Whether MySQL reads what begins with a digit at `from` as a name: `2020_orders`, `1st`, but not `1e5` or `0x1F`.
    fn is_name_with_digits(&self, from: usize) -> bool {
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

    fn dot(&mut self, start: usize) -> Token {
        if !self.operand && self.is_fraction(start) {
            let end = self.exponent(self.grouped(start + 1, u8::is_ascii_digit));
            return self.token(TokenKind::Number, start, end, true);
        }
        let token = self.single(TokenKind::Dot, false);
        self.after_dot = true;
        token
    }

    /// Whether the dot at `at` begins a number, `.5`.
    fn is_fraction(&self, at: usize) -> bool {
        self.peek(at + 1).is_ascii_digit() && !(self.dialect == Dialect::MySql && self.is_name_with_digits(at + 1))
    }

    /// A number behind the sign at `start`, where no value stands before it.
    fn signed_number(&mut self, start: usize) -> Option<Token> {
        if self.operand {
            return None;
        }
        self.pos = start + 1;
        self.skip_blanks();
        let digits = self.pos;
        self.pos = start;
        match self.peek(digits) {
            b'0'..=b'9' => Some(self.number(start, digits)),
            b'.' if self.is_fraction(digits) => {
                let end = self.exponent(self.grouped(digits + 1, u8::is_ascii_digit));
                Some(self.token(TokenKind::Number, start, end, true))
            }
            _ => None,
        }
    }

    fn minus(&mut self, start: usize) -> Token {
        if self.is_line_hint(start) && self.peek(start + 1) == b'-' {
            let end = self.line_end(start + 3);
            return self.hint_start(start, end);
        }
        self.operator(start)
    }

    fn slash(&mut self, start: usize) -> Token {
        if self.peek(start + 1) == b'*' && self.is_hint(start) {
            let end = memchr::memmem::find(&self.bytes[start + 3..], b"*/").map_or(self.bytes.len(), |i| start + 3 + i);
            return self.hint_start(start, end);
        }
        self.operator(start)
    }

    /// A hint whose text ends at `end`: until then, nothing behind it is read.
    fn hint_start(&mut self, start: usize, end: usize) -> Token {
        self.hint = Some(self.operand);
        self.bytes = &self.text[..end];
        self.token(TokenKind::HintStart, start, start + 3, false)
    }

    fn bracket(&mut self, start: usize) -> Token {
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
    fn plain_name_in_brackets(&self, start: usize) -> Option<usize> {
        if CLASSES[usize::from(self.peek(start + 1))] != Class::Word {
            return None;
        }
        let close = self.bytes[start + 1..].iter().position(|&byte| !is_word_byte(byte))? + start + 1;
        (self.bytes[close] == b']').then_some(close + 1)
    }

    /// `{`, or an ODBC literal `{ts '2020-01-01 00:00:00'}` whole.
    fn brace(&mut self, start: usize) -> Token {
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

    /// `#` where it begins no comment: a temporary table of SQL Server, or an operator.
    fn hash(&mut self, start: usize) -> Token {
        match self.dialect {
            Dialect::PostgreSql => self.operator(start),
            Dialect::MsSql if self.is_name_byte(self.peek(start + 1)) => self.word_behind(start, 1),
            _ => self.single(TokenKind::Operator, false),
        }
    }

    /// A word that begins with marks, such as `@v`: its name and its marks together.
    fn word_behind(&mut self, start: usize, marks: usize) -> Token {
        let end = self.word_end(start + marks);
        let mut lower = [0; 16];
        for (to, from) in lower.iter_mut().zip(&self.bytes[start..end]) {
            *to = from.to_ascii_lowercase();
        }
        self.lower = lower;
        self.token(TokenKind::Word, start, end, true)
    }

    /// `$1`, `$name`, or a dollar quote.
    fn dollar(&mut self, start: usize) -> Token {
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

    /// `$$…$$` and `$tag$…$tag$`.
    fn dollar_quote(&mut self, start: usize) -> Option<Token> {
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

    /// `@name`: a variable, a placeholder, or an operator, as the dialect has it.
    fn at(&mut self, start: usize) -> Token {
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

    /// `::`, `:=`, `:name`, or the colon between the bounds of a slice.
    fn colon(&mut self, start: usize) -> Token {
        match self.peek(start + 1) {
            byte @ (b':' | b'=') => {
                let token = self.token(TokenKind::Operator, start, start + 2, false);
                self.after_cast = byte == b':';
                token
            }
            byte if is_word_byte(byte) && !(self.operand && self.brackets > 0) => {
                self.token(TokenKind::Placeholder, start, self.word_end(start + 1), true)
            }
            _ => self.single(TokenKind::Operator, false),
        }
    }

    /// `?`: a placeholder, or an operator of PostgreSQL where values stand on both sides.
    fn question(&mut self, start: usize) -> Token {
        let operand = self.after_operand();
        if self.dialect != Dialect::PostgreSql {
            return self.token(TokenKind::Placeholder, start, self.digits_from(start + 1), true);
        }
        let escaped = self.peek(start + 1) == b'?';
        let tail = start + if escaped { 2 } else { 1 };
        // `?|`, `?&`, and the geometric `?-`, `?#`, `?||` and `?-|`.
        let end = (tail..).find(|&at| !matches!(self.peek(at), b'|' | b'&' | b'#' | b'-')).unwrap_or(tail);
        let end = if self.bytes[tail..end].starts_with(b"--") { tail } else { end };
        if escaped || (operand && (end > tail || self.begins_operand(tail))) {
            return self.token(TokenKind::Operator, start, end, false);
        }
        self.token(TokenKind::Placeholder, start, self.digits_from(start + 1), true)
    }

    /// Whether what follows at `from` can only begin a value.
    fn begins_operand(&mut self, from: usize) -> bool {
        let at = self.blanks_behind(from);
        match CLASSES[usize::from(self.peek(at))] {
            Class::Digit
            | Class::SingleQuote
            | Class::DoubleQuote
            | Class::Backquote
            | Class::LParen
            | Class::Question => true,
            Class::Dollar => is_word_byte(self.peek(at + 1)),
            Class::Colon => is_word_byte(self.peek(at + 1)),
            Class::Word => {
                let keyword = self.keyword_at(at);
                keyword.ends_operand() || keyword == Keyword::Case
            }
            _ => false,
        }
    }

    fn operator(&mut self, start: usize) -> Token {
        let byte = self.bytes[start];
        if matches!(byte, b'-' | b'+') {
            if let Some(number) = self.signed_number(start) {
                return number;
            }
        }
        if byte == b'%' && !self.operand {
            if let Some(end) = self.format_placeholder(start) {
                return self.token(TokenKind::Placeholder, start, end, true);
            }
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
    fn ends_select_list(&mut self, from: usize) -> bool {
        let at = self.blanks_behind(from);
        match CLASSES[usize::from(self.peek(at))] {
            Class::Comma | Class::RParen | Class::Semicolon => true,
            Class::Word => self.keyword_at(at).ends_clause(),
            _ => at == self.bytes.len(),
        }
    }

    /// The end of the white space and comments at `from`.
    fn blanks_behind(&mut self, from: usize) -> usize {
        let here = (self.pos, self.comments, self.versioned);
        self.pos = from;
        self.skip_blanks();
        let at = self.pos;
        (self.pos, self.comments, self.versioned) = here;
        at
    }

    /// The keyword that the word at `at` spells.
    fn keyword_at(&self, at: usize) -> Keyword {
        let end = self.word_end(at);
        let mut lower = [0; 16];
        for (to, from) in lower.iter_mut().zip(&self.bytes[at..end]) {
            *to = from.to_ascii_lowercase();
        }
        if end - at > lower.len() { Keyword::None } else { Keyword::of(&lower, end - at) }
    }

    /// The end of Python's `%s` or `%(name)s` at `start`.
    fn format_placeholder(&self, start: usize) -> Option<usize> {
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
    fn operator_len(&self, start: usize) -> usize {
        match (self.bytes[start], self.peek(start + 1), self.peek(start + 2)) {
            (b'<', b'=', b'>') | (b'-', b'>', b'>') => 3,
            (b'<' | b'>' | b'!' | b'=' | b'+' | b'*' | b'/' | b'%' | b'&' | b'|' | b'^', b'=', _)
            | (b'<', b'>' | b'<', _)
            | (b'>', b'>', _)
            | (b'|', b'|', _)
            | (b'&', b'&', _)
            | (b'-', b'>' | b'=', _)
            | (b'=', b'>', _)
            | (b'!', b'<' | b'>', _)
            | (b'*', b'*', _) => 2,
            _ => 1,
        }
    }

    /// The end of the operator at `start` by PostgreSQL's rule: the longest run of operator characters that holds no
    /// comment, less a `+` or `-` at its end where none of ``~ ! @ # % ^ & | ` `` stands in it.
    fn postgresql_operator_end(&self, start: usize) -> usize {
        let mut end = start;
        let mut special = false;
        loop {
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
