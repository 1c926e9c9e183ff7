//! The tokens that most statements are made of, where nothing depends on them.

use super::{Pass, Pending};
use crate::fingerprint::dialect::Dialect;
use crate::fingerprint::keyword::Keyword;
use crate::fingerprint::lexer::{CLASSES, Class, Lexer, TokenKind, last_bytes};
use crate::fingerprint::normalise::frame::{Clause, FrameKind, Rows};
use crate::fingerprint::normalise::naming::Naming;
use crate::fingerprint::normalise::spacing::Last;
use sqlthrottle_cells::scan::name_head;

/// Bytes that must be free behind what is written: a space, and the sixteen bytes that a word is moved by.
const ROOM: usize = 17;

/// Calls within calls that a run keeps open by itself.
const CALLS: usize = 8;

/// The bytes that may belong to the name they stand behind, or make a string of it.
static MAY_JOIN: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0x80;
    while byte < 256 {
        table[byte] = true;
        byte += 1;
    }
    let mut i = 0;
    while i < b"$'&#@".len() {
        table[b"$'&#@"[i] as usize] = true;
        i += 1;
    }
    table
};

impl Pass<'_> {
    /// Reads and writes plain tokens up to the first that is not one: names, keywords that steer nothing, commas, dots,
    /// comparisons, and constants and placeholders of the simplest forms.
    ///
    /// What comes of it is what the lexer and [`run`](Pass::run) make of the same tokens, one by one. Here, one dispatch on
    /// the byte takes the place of theirs on byte and token, and what changes is in registers.
    ///
    /// A function of its own, so that the registers are all for it.
    #[inline(never)]
    pub(super) fn plain_tokens(&mut self) {
        let begin = self.out.len();
        let mut run = Run {
            sql: self.sql,
            lexer: &self.lexer,
            postgresql: self.options.dialect == Dialect::PostgreSql,
            at: self.lexer.position(),
            len: begin,
            out: self.out.buffer(),
            last: self.last,
            before: self.before,
            keyword: self.keyword,
            clause: self.frame.clause,
            calls: [Clause::Other; CALLS],
            depth: 0,
        };
        while run.token().is_some() {}
        let Run { at, len, last, before, keyword, clause, calls, depth, .. } = run;
        if len > begin {
            self.out.accept(len);
            for outer in &calls[..depth] {
                self.frame.clause = *outer;
                self.open(FrameKind::Call);
            }
            (self.last, self.before, self.keyword) = (last, before, keyword);
            self.frame.clause = clause;
            self.lexer.go_on(at, before, keyword);
        }
    }

    /// Whether a plain token says nothing here but itself: no list is being judged, no name or number awaits what follows.
    #[inline]
    pub(super) fn is_plain(&self) -> bool {
        matches!(self.frame.kind, FrameKind::Statement | FrameKind::Call)
            && !(self.frame.judged || self.frame.typed || self.options.fold_digits || self.arrow)
            && self.frame.rows == Rows::None
            && self.pending == Pending::Nothing
            && self.naming == Naming::None
            && self.first.is_some()
            && self.before != TokenKind::Semicolon
            && self.hint.is_none()
            && !self.lexer.is_versioned_code()
            && self.beyond == 0
    }
}

/// A run of plain tokens. Every function returns none, and has changed nothing, where the next token may not be one.
struct Run<'r> {
    sql: &'r [u8],
    lexer: &'r Lexer<'r>,
    postgresql: bool,
    /// Where the next token is looked for.
    at: usize,
    /// The buffer, the first `len` bytes of which are written.
    out: &'r mut [u8],
    len: usize,
    /// As in [`Pass`] and its frame.
    last: Last,
    before: TokenKind,
    keyword: Keyword,
    clause: Clause,
    /// The clauses around the calls that are open since the run began. Most close again before it ends, and never become
    /// frames.
    calls: [Clause; CALLS],
    depth: usize,
}

impl Run<'_> {
    #[inline]
    fn token(&mut self) -> Option<()> {
        let byte = *self.sql.get(self.at)?;
        match CLASSES[usize::from(byte)] {
            Class::Space => self.at += 1,
            Class::Word => self.name()?,
            Class::Comma => self.mark(self.at, b',', TokenKind::Comma)?,
            Class::Dot if !self.peek(self.at + 1).is_ascii_digit() => self.mark(self.at, b'.', TokenKind::Dot)?,
            Class::LParen => self.open_call()?,
            Class::RParen => self.close_call()?,
            Class::Star => self.wildcard()?,
            Class::Operator => self.comparison(byte)?,
            Class::Digit => self.number()?,
            Class::SingleQuote => self.string()?,
            // PostgreSQL has operators of it.
            Class::Question if !self.postgresql => self.placeholder()?,
            Class::Dollar if self.peek(self.at + 1).is_ascii_digit() => self.placeholder()?,
            _ => return None,
        }
        Some(())
    }

    /// A word, or a name that dots divide.
    #[inline]
    fn name(&mut self) -> Option<()> {
        let head = match self.sql.get(self.at..)?.first_chunk::<16>() {
            Some(chunk) => name_head(chunk),
            None => name_head(&last_bytes(self.sql, self.at)),
        };
        let end = self.at + head.len;
        let behind = self.peek(end);
        // It goes on, or may introduce a string.
        if head.len == 16 || MAY_JOIN[usize::from(behind)] || head.lower as u8 == b'_' {
            return None;
        }
        let mut next = Last::Word;
        let mut keyword = Keyword::None;
        if head.dots == 0 {
            if self.before != TokenKind::Dot {
                keyword = Keyword::of(head.lower, head.len);
            }
            if keyword != Keyword::None {
                next = self.keyword(keyword, end)?;
            }
        } else if (head.dots << 1) & head.digits != 0 || head.dots >> (head.len - 1) != 0 {
            // A dot that may begin a number, or the last thing in it.
            return None;
        }
        self.write(self.last.spaces_word(), head.lower, head.len)?;
        self.keyword = keyword;
        if behind == b',' {
            // There is room: the word took at most sixteen bytes of seventeen.
            return self.mark(end, b',', TokenKind::Comma);
        }
        self.at = end + usize::from(behind == b' ');
        self.last = next;
        self.before = TokenKind::Word;
        Some(())
    }

    /// Takes what a keyword that ends at `end` says of the words behind it. Returns what it is to the next space.
    #[expect(clippy::inline_always, reason = "a call here would move all that the loop has in registers")]
    #[inline(always)]
    fn keyword(&mut self, keyword: Keyword, end: usize) -> Option<Last> {
        // Before a dot it is a name; and a comment may stand between.
        let mut next = self.peek(end);
        if next == b' ' {
            next = self.peek(end + 1);
        }
        if CLASSES[usize::from(next)] == Class::Space {
            next = self.behind_blanks(end);
        }
        if keyword.steers() || matches!(next, b'.' | b'-' | b'/' | b'#') {
            return None;
        }
        if keyword.ends_clause() && !matches!(keyword, Keyword::On | Keyword::Using) {
            self.clause = if keyword == Keyword::Select { Clause::Select } else { Clause::Other };
        } else if keyword == Keyword::By && matches!(self.keyword, Keyword::Order | Keyword::Group) {
            self.clause = Clause::By;
        }
        Some(if keyword.is_reserved() { Last::Reserved } else { Last::Word })
    }

    /// The parenthesis of a function's arguments, or of columns.
    #[inline]
    fn open_call(&mut self) -> Option<()> {
        if self.before != TokenKind::Word || self.keyword != Keyword::None {
            return None;
        }
        *self.calls.get_mut(self.depth)? = self.clause;
        self.mark(self.at, b'(', TokenKind::LParen)?;
        self.depth += 1;
        self.clause = Clause::Other;
        Some(())
    }

    #[inline]
    fn close_call(&mut self) -> Option<()> {
        let depth = self.depth.checked_sub(1)?;
        self.mark(self.at, b')', TokenKind::RParen)?;
        self.last = Last::Close;
        self.clause = *self.calls.get(depth)?;
        self.depth = depth;
        Some(())
    }

    /// The `*` of `count(*)` and `select *`.
    #[inline]
    fn wildcard(&mut self) -> Option<()> {
        let ends = matches!(CLASSES[usize::from(self.peek(self.at + 1))], Class::Space | Class::Comma | Class::RParen);
        if !ends || self.before.ends_operand(self.keyword) {
            return None;
        }
        self.write(self.last != Last::Open, u128::from(b'*'), 1)?;
        self.end(self.at + 1, TokenKind::Wildcard, Last::Value);
        Some(())
    }

    #[cold]
    fn behind_blanks(&self, at: usize) -> u8 {
        self.peek(self.lexer.blanks_from(at))
    }

    /// The comma, dot or parenthesis at `at`.
    #[inline]
    fn mark(&mut self, at: usize, byte: u8, kind: TokenKind) -> Option<()> {
        *self.out.get_mut(self.len)? = byte;
        self.len += 1;
        self.end(at + 1, kind, Last::Open);
        Some(())
    }

    /// `=`, `<`, `>`, `<>`, `<=`, `>=` or `!=`, where a word, a constant or the like follows.
    #[inline]
    fn comparison(&mut self, first: u8) -> Option<()> {
        let second = self.peek(self.at + 1);
        let len = match (first, second) {
            (b'<', b'>' | b'=') | (b'>' | b'!', b'=') => 2,
            (b'=' | b'<' | b'>', _) => 1,
            _ => return None,
        };
        let end = self.at + len;
        let ends = matches!(
            CLASSES[usize::from(self.peek(end))],
            Class::Space | Class::Word | Class::Digit | Class::SingleQuote | Class::Question | Class::LParen
        );
        if !ends {
            return None;
        }
        let space = self.last.spaces_operator(Dialect::Generic, first, self.end_byte());
        self.write(space, u128::from(first) | u128::from(second) << 8, len)?;
        self.end(end, TokenKind::Operator, Last::Operator);
        Some(())
    }

    /// Decimal digits, with a fraction or without.
    #[inline]
    fn number(&mut self) -> Option<()> {
        let mut end = self.lexer.digits_from(self.at);
        if self.peek(end) == b'.' && self.peek(end + 1).is_ascii_digit() {
            end = self.lexer.digits_from(end + 1);
        }
        let goes_on = matches!(self.peek(end), b'.' | b'_' | b'$' | b'a'..=b'z' | b'A'..=b'Z' | 0x80..);
        // An integer there is an ordinal.
        if goes_on || self.clause == Clause::By {
            return None;
        }
        self.constant(end, TokenKind::Number)
    }

    #[inline]
    fn string(&mut self) -> Option<()> {
        // Adjacent strings are one, and behind AS it may be an alias.
        if self.before == TokenKind::Text || self.keyword == Keyword::As {
            return None;
        }
        let end = self.lexer.plain_string_end(self.at)?;
        self.constant(end, TokenKind::Text)
    }

    /// `?`, `?1` or `$1`.
    #[inline]
    fn placeholder(&mut self) -> Option<()> {
        self.constant(self.lexer.digits_from(self.at + 1), TokenKind::Placeholder)
    }

    /// Writes `?` for a constant or placeholder that ends at `end`.
    #[inline]
    fn constant(&mut self, end: usize, kind: TokenKind) -> Option<()> {
        // What PostgreSQL would read as its operator is left to the pass.
        if self.postgresql
            && (self.before.ends_operand(self.keyword) || self.end_byte() == b'?' || self.end_byte() == b'@')
        {
            return None;
        }
        let space = self.last.spaces_constant(Dialect::Generic, 0);
        self.write(space, u128::from(b'?'), 1)?;
        self.end(end, kind, Last::Value);
        Some(())
    }

    /// Writes the first `len` of sixteen bytes, with a space before them where it is due.
    #[inline]
    fn write(&mut self, space: bool, bytes: u128, len: usize) -> Option<()> {
        let room = self.out.get_mut(self.len..)?.first_chunk_mut::<ROOM>()?;
        let space = usize::from(space);
        room[0] = b' ';
        room[space..space + 16].copy_from_slice(&bytes.to_le_bytes());
        self.len += space + len;
        Some(())
    }

    /// Ends a token, and passes over the space that mostly follows.
    #[inline]
    fn end(&mut self, at: usize, kind: TokenKind, last: Last) {
        self.at = at + usize::from(self.peek(at) == b' ');
        self.before = kind;
        self.keyword = Keyword::None;
        self.last = last;
    }

    #[inline]
    fn end_byte(&self) -> u8 {
        self.len.checked_sub(1).and_then(|at| self.out.get(at)).copied().unwrap_or(0)
    }

    #[inline]
    fn peek(&self, at: usize) -> u8 {
        self.sql.get(at).copied().unwrap_or(0)
    }
}
