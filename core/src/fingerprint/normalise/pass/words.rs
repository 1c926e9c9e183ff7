//! Names and keywords.

use super::{Name, Pass};
use crate::fingerprint::keyword::Keyword;
use crate::fingerprint::lexer::{Token, TokenKind};
use crate::fingerprint::normalise::digits;
use crate::fingerprint::normalise::frame::{Clause, FrameKind, Rows};
use crate::fingerprint::normalise::naming::{Named, Naming};
use crate::fingerprint::normalise::spacing::Last;

/// Words within which CURSOR must follow the name that DECLARE declares.
const CURSOR_WITHIN: u8 = 8;

impl Pass<'_> {
    #[inline]
    pub(super) fn word(&mut self, token: &Token) {
        if token.keyword == Keyword::As && self.frame.judged && self.frame.kind == FrameKind::Cast {
            self.nullish_is_constant();
        }
        self.space_if(self.last.spaces_word());
        let at = self.out.len();
        let len = token.end - token.start;
        if len <= 16 {
            // Sixteen bytes are moved at once, whatever the length of the word.
            self.out.extend_from_slice(&self.lexer.lower());
            self.out.truncate(at + len);
        } else {
            self.out.extend_from_slice(&self.sql[token.start..token.end]);
            self.out[at..].make_ascii_lowercase();
        }
        self.last = if token.keyword.is_reserved() { Last::Reserved } else { Last::Word };
        // Most words are names that nothing depends on.
        if token.keyword != Keyword::None
            || self.naming != Naming::None
            || self.frame.judged
            || self.options.fold_digits
        {
            self.weigh_word(token, at);
        } else {
            self.frame.rows = Rows::None;
        }
    }

    /// Takes what a word says of itself and of what stands around it.
    fn weigh_word(&mut self, token: &Token, at: usize) {
        let at_start = self.before == TokenKind::Semicolon && self.frame.kind == FrameKind::Statement;
        if self.naming != Naming::None {
            if self.name_cursor(token, at) {
                return;
            }
        } else if at_start {
            self.naming = Naming::at_start(token.keyword, self.options.dialect);
        }
        self.frame.take_type_keyword(token.keyword);
        if token.keyword.ends_clause() && !matches!(token.keyword, Keyword::On | Keyword::Using) {
            self.frame.clause = Clause::Other;
        }
        if self.frame.judged {
            self.judge_word(token.keyword, at);
        }
        if self.options.fold_digits {
            self.fold_table(token, at);
        }
        self.steer(token.keyword, at_start, at);
    }

    pub(super) fn judge_word(&mut self, keyword: Keyword, at: usize) {
        self.frame.take_word(keyword, self.before == TokenKind::Dot);
        if self.frame.list > 0 {
            self.distinct.token(&self.out[at..]);
        }
    }

    /// Writes `?` for an element that so far is NULL, TRUE or FALSE: it turned out to be a constant of a list.
    pub(super) fn nullish_is_constant(&mut self) {
        if self.frame.is_nullish() {
            self.out.truncate(self.frame.element);
            self.out.push(b'?');
            self.last = Last::Value;
            self.frame.settle_nullish();
        }
    }

    /// Takes what a keyword says of the words behind it.
    pub(super) fn steer(&mut self, keyword: Keyword, at_start: bool, at: usize) {
        let row = self.frame.rows == Rows::Expected && keyword == Keyword::Row;
        if row {
            self.frame.row = at;
        } else {
            self.frame.rows = Rows::None;
        }
        match keyword {
            Keyword::By if matches!(self.keyword, Keyword::Order | Keyword::Group) => self.frame.clause = Clause::By,
            Keyword::Select => self.frame.clause = Clause::Select,
            Keyword::Values => self.expect_rows(),
            Keyword::Value if self.is_insert_value(at_start) => self.expect_rows(),
            Keyword::Of if self.keyword == Keyword::Current => self.naming = Naming::Next,
            _ => {}
        }
    }

    pub(super) fn expect_rows(&mut self) {
        self.frame.rows = Rows::Expected;
        self.frame.row_before = None;
    }

    /// `INSERT INTO t VALUE (1)`, as MySQL also has it.
    pub(super) fn is_insert_value(&self, at_start: bool) -> bool {
        !at_start
            && matches!(self.first, Some(Keyword::Insert | Keyword::Replace))
            && self.outer.is_empty()
            && matches!(self.before, TokenKind::RParen | TokenKind::Word | TokenKind::Quoted)
    }

    /// Writes `?` for the name of a savepoint or cursor.
    /// Returns whether it did.
    pub(super) fn name_cursor(&mut self, token: &Token, at: usize) -> bool {
        match self.naming {
            Naming::Declare => {
                self.naming = Naming::Declared { start: at, end: self.out.len(), left: CURSOR_WITHIN };
                return false;
            }
            Naming::Declared { start, end, .. } if token.keyword == Keyword::Cursor => {
                self.out.replace(start, end, b'?');
                self.naming = Naming::None;
                return false;
            }
            Naming::Declared { start, end, left } => {
                self.naming = if left > 0 { Naming::Declared { start, end, left: left - 1 } } else { Naming::None };
                return false;
            }
            _ => {}
        }
        if self.naming.word(token.keyword, &self.out[at..], self.options.dialect) == Named::Folded {
            self.out.truncate(at);
            self.placeholder();
            self.lexer.take_as_constant();
            self.frame.rows = Rows::None;
            if self.frame.judged {
                self.frame.take_constant();
                self.distinct.placeholder();
            }
            self.folded = true;
            return true;
        }
        false
    }

    pub(super) fn quoted(&mut self, token: &Token) {
        self.space_if(self.last.spaces_word());
        let at = self.out.len();
        self.out.extend_from_slice(&self.sql[token.start..token.end]);
        self.last = Last::Value;
        self.frame.rows = Rows::None;
        if self.naming != Naming::None && self.name_cursor(token, at) {
            return;
        }
        if self.frame.judged {
            self.frame.take_word(Keyword::None, self.before == TokenKind::Dot);
            self.keep_token(token);
        }
        if self.options.fold_digits {
            self.fold_table(token, at);
        }
    }

    /// `fold_digits`: where tables stand, and their names.
    pub(super) fn fold_table(&mut self, token: &Token, at: usize) {
        let mut name = Name { written: at, start: token.start, end: token.end, is_table: false };
        match token.keyword {
            Keyword::From if matches!(self.frame.kind, FrameKind::Call) || self.keyword == Keyword::Distinct => {}
            Keyword::Update if !matches!(self.before, TokenKind::Semicolon) => {}
            Keyword::From
            | Keyword::Join
            | Keyword::Into
            | Keyword::Update
            | Keyword::Table
            | Keyword::Using
            | Keyword::References
            | Keyword::Truncate => {
                self.frame.table_due = true;
                self.frame.clause = Clause::From;
            }
            Keyword::Insert | Keyword::Delete | Keyword::Replace | Keyword::Merge => {
                self.frame.table_due = self.before == TokenKind::Semicolon;
            }
            Keyword::Only | Keyword::Lateral | Keyword::Not | Keyword::Exists => {}
            Keyword::None if self.frame.table_due && is_table_modifier(&self.out[at..]) => {}
            Keyword::None if self.frame.table_due => {
                digits::fold(self.out, at, &self.sql[token.start..token.end]);
                self.frame.table_due = false;
                name.is_table = true;
            }
            _ => self.frame.table_due = false,
        }
        self.name = Some(name);
    }

    pub(super) fn dot(&mut self) {
        let behind_name = matches!(self.before, TokenKind::Word | TokenKind::Quoted) && self.keyword == Keyword::None;
        if self.options.fold_digits
            && let Some(name) = self.name.take().filter(|_| behind_name)
        {
            digits::fold(self.out, name.written, &self.sql[name.start..name.end]);
            // What follows the qualifier of a table is the table.
            self.frame.table_due = name.is_table;
        }
        self.out.push(b'.');
        self.naming = Naming::None;
        self.last = Last::Open;
        self.frame.take_dot();
    }
}

/// Words that stand between UPDATE, INSERT, TABLE and the like and the table's name.
fn is_table_modifier(word: &[u8]) -> bool {
    const MODIFIERS: [&[u8]; 7] =
        [b"if", b"ignore", b"low_priority", b"high_priority", b"delayed", b"quick", b"concurrently"];
    MODIFIERS.contains(&word)
}
