//! Brackets, the elements in them, and the rows of VALUES.

use super::{Hint, Pass};
use crate::fingerprint::dialect::Dialect;
use crate::fingerprint::keyword::Keyword;
use crate::fingerprint::lexer::TokenKind;
use crate::fingerprint::normalise::frame::{Clause, Frame, FrameKind, Rows};
use crate::fingerprint::normalise::naming::Naming;
use crate::fingerprint::normalise::spacing::Last;
use crate::fingerprint::options::InLists;
use sqlthrottle_cells::scan::is_word_byte;

/// Brackets within brackets that are told apart. Deeper ones are written as they are, and nothing in them is folded.
const MAX_FRAMES: usize = 256;

impl Pass<'_> {
    #[inline]
    pub(super) fn comma(&mut self) {
        self.naming = Naming::None;
        if self.beyond > 0 {
            self.out.push(b',');
            self.last = Last::Open;
            return;
        }
        if self.frame.rows == Rows::Behind {
            self.frame.rows = Rows::Expected;
        } else {
            self.frame.rows = Rows::None;
            self.end_element(true);
            self.frame.commas += 1;
            self.frame.element = self.out.len() + 1;
            self.frame.mark = self.distinct.mark();
        }
        self.frame.table_due = self.frame.clause == Clause::From;
        self.out.push(b',');
        self.last = Last::Open;
    }

    /// Ends the current element of the innermost frame: drops it where it repeats the one before.
    pub(super) fn end_element(&mut self, at_comma: bool) {
        self.frame.typed = false;
        if !self.frame.judged {
            return;
        }
        let lists = matches!(self.frame.kind, FrameKind::List | FrameKind::Distinct | FrameKind::ValuesRow);
        // A parenthesis with a single element in it may hold a mere condition, `and (true)`.
        if lists && !(self.frame.groups && self.frame.commas == 0 && !at_comma) {
            self.nullish_is_constant();
        }
        let constant = self.frame.is_constant();
        let element = self.frame.element;
        match self.frame.kind {
            FrameKind::List => {
                let begins_before = self.frame.constant_before.is_some_and(|before| {
                    let (before, this) = (self.out.get(before..element.saturating_sub(1)), self.out.get(element..));
                    before.zip(this).is_some_and(|(before, this)| before.starts_with(this))
                });
                let len_before = self.frame.constant_before.map(|before| element.saturating_sub(before + 1));
                if constant && begins_before && len_before == self.out.len().checked_sub(element) {
                    self.out.truncate(element - 1);
                } else {
                    self.frame.beginnings = begins_before.then(|| self.frame.beginnings.unwrap_or(element));
                    self.frame.constant_before = constant.then_some(element);
                }
            }
            FrameKind::Distinct if constant && !self.distinct.is_new(self.frame.list, self.frame.mark) => {
                self.out.truncate(element - 1);
            }
            _ => {}
        }
        self.frame.close_element();
    }

    pub(super) fn open_paren(&mut self) {
        self.space_if(self.last.spaces_paren());
        let kind = self.paren_kind();
        if kind == FrameKind::ValuesRow && self.keyword != Keyword::Row {
            self.frame.row = self.out.len();
        }
        self.out.push(b'(');
        let groups = kind == FrameKind::List && !matches!(self.keyword, Keyword::In | Keyword::Row | Keyword::Field);
        self.open(kind);
        if self.beyond == 0 {
            self.frame.groups = groups;
        }
    }

    /// What a parenthesis behind the tokens so far holds.
    pub(super) fn paren_kind(&self) -> FrameKind {
        if self.frame.rows == Rows::Expected && matches!(self.before, TokenKind::Word | TokenKind::Comma) {
            return FrameKind::ValuesRow;
        }
        let list = match self.options.in_lists {
            InLists::Collapse => FrameKind::List,
            InLists::Distinct => FrameKind::Call,
        };
        match self.before {
            TokenKind::Word if self.frame.typed && !self.keyword.is_reserved() => FrameKind::Type,
            TokenKind::Word => match self.keyword {
                Keyword::In if self.options.in_lists == InLists::Distinct => FrameKind::Distinct,
                Keyword::Cast | Keyword::TryCast | Keyword::SafeCast => FrameKind::Cast,
                Keyword::Convert | Keyword::TryConvert => FrameKind::Convert,
                Keyword::Row | Keyword::Field => list,
                keyword if keyword.is_reserved() => list,
                keyword if keyword.is_type() && self.frame.kind == FrameKind::Convert => FrameKind::Type,
                _ => FrameKind::Call,
            },
            TokenKind::Quoted => FrameKind::Call,
            _ => list,
        }
    }

    pub(super) fn open_bracket(&mut self) {
        let nested = self.frame.is_array && matches!(self.before, TokenKind::LBracket | TokenKind::Comma);
        let is_array = self.keyword == Keyword::Array || nested;
        let kind = match self.options.in_lists {
            _ if !is_array => FrameKind::Subscript,
            InLists::Collapse => FrameKind::List,
            InLists::Distinct => FrameKind::Distinct,
        };
        self.out.push(b'[');
        self.open(kind);
        if self.beyond == 0 {
            self.frame.bracket = true;
            self.frame.is_array = is_array;
        }
    }

    pub(super) fn open(&mut self, kind: FrameKind) {
        self.last = Last::Open;
        self.naming = Naming::None;
        if self.outer.len() >= MAX_FRAMES {
            self.beyond += 1;
            self.frame.take_other();
            return;
        }
        self.frame.take_open();
        let mut inner = Frame::new(kind, self.out.len(), self.frame.judged);
        inner.mark = self.distinct.mark();
        inner.list = if kind == FrameKind::Distinct { self.distinct.begin_list() } else { self.frame.list };
        if self.frame.rows != Rows::None && kind != FrameKind::ValuesRow {
            self.frame.rows = Rows::None;
        }
        self.outer.push(std::mem::replace(&mut self.frame, inner));
    }

    pub(super) fn close(&mut self, bracket: bool) {
        self.naming = Naming::None;
        let byte = if bracket { b']' } else { b')' };
        self.space_if(bracket && self.would_quote());
        if self.beyond > 0 {
            self.beyond -= 1;
        } else if self.outer.len() > self.hint.map_or(0, |hint| hint.frames) && self.frame.bracket == bracket {
            self.end_element(false);
            self.out.push(byte);
            self.last = Last::Close;
            self.leave();
            return;
        }
        self.out.push(byte);
        self.last = Last::Close;
        self.frame.take_other();
    }

    /// Whether a `]` right behind what is written would make a quoted name of it: SQL Server reads `]]` within brackets as
    /// one bracket, and the generic dialect reads brackets that hold a plain name as quotes.
    pub(super) fn would_quote(&self) -> bool {
        match self.options.dialect {
            Dialect::MsSql => self.before == TokenKind::Quoted && self.end_byte() == b']',
            Dialect::Generic if self.before == TokenKind::Word => {
                self.out.iter().rposition(|&byte| !is_word_byte(byte)).is_some_and(|i| self.out[i] == b'[')
            }
            _ => false,
        }
    }

    /// Leaves the innermost frame, whose bracket is written.
    pub(super) fn leave(&mut self) {
        let Some(outer) = self.outer.pop() else { return };
        let inner = std::mem::replace(&mut self.frame, outer);
        self.frame.take_closed(&inner);
        if inner.kind != FrameKind::ValuesRow {
            return;
        }
        let row = (self.frame.row, self.out.len());
        let repeats =
            self.frame.row_before.is_some_and(|before| self.out[before.0..before.1] == self.out[row.0..row.1]);
        match self.frame.row_before {
            Some(before) if repeats => self.out.truncate(before.1),
            _ => self.frame.row_before = Some(row),
        }
        self.frame.rows = Rows::Behind;
        if inner.all_plain {
            self.lexer.skip_rows(inner.commas + 1);
        }
    }

    pub(super) fn begin_hint(&mut self) {
        self.space_if(self.last != Last::Open);
        self.out.extend_from_slice(b"/*+ ");
        self.hint = Some(Hint { before: self.before, keyword: self.keyword, frames: self.outer.len() });
        self.before = TokenKind::HintStart;
        self.keyword = Keyword::None;
        self.last = Last::Open;
        self.frame.take_other();
    }

    pub(super) fn end_hint(&mut self) {
        let Some(hint) = self.hint.take() else { return };
        self.unwind(hint.frames);
        self.space_if(!self.out.ends_with(b" "));
        self.out.extend_from_slice(b"*/");
        self.last = Last::Close;
        (self.before, self.keyword) = (hint.before, hint.keyword);
    }
}
