//! The pass over the tokens of a text.

use super::digits;
use super::distinct::Distinct;
use super::frame::{Clause, Frame, FrameKind, Rows};
use super::naming::{Named, Naming};
use super::spacing::{Last, after_operator};
use crate::fingerprint::dialect::Dialect;
use crate::fingerprint::keyword::Keyword;
use crate::fingerprint::lexer::{Lexer, Token, TokenKind};
use crate::fingerprint::options::{FingerprintOptions, InLists};
use sqlthrottle_cells::scan::is_word_byte;

/// Brackets within brackets that are told apart. Deeper ones are written as they are, and nothing in them is folded.
const MAX_FRAMES: usize = 256;
/// Longest ordinal and array index that is kept, in digits: what is longer is data.
const MAX_ORDINAL: usize = 4;
/// Longest length of a type that is kept, in digits.
const MAX_LENGTH: usize = 10;
/// Words within which CURSOR must follow the name that DECLARE declares.
const CURSOR_WITHIN: u8 = 8;

/// What was written, though what follows may change it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pending {
    Nothing,
    /// An ordinal or the length of a type, unless an operator makes it part of an expression.
    Ordinal(usize),
    /// The index of `->`, unless a dot makes it another number.
    Index(usize),
    /// PostgreSQL: the `?` of a constant behind a value. Before another value it would read as an operator.
    Ambiguous(usize),
}

/// Where a name was written and where it stands in the text.
#[derive(Clone, Copy, Debug)]
struct Name {
    written: usize,
    start: usize,
    end: usize,
    /// Whether it stands in a table's position.
    is_table: bool,
}

/// What is set aside while an optimiser hint is read.
#[derive(Clone, Copy, Debug)]
struct Hint {
    before: TokenKind,
    keyword: Keyword,
    frames: usize,
}

/// One pass over a text.
pub(super) struct Pass<'p> {
    sql: &'p [u8],
    lexer: Lexer<'p>,
    options: &'p FingerprintOptions,
    out: &'p mut Vec<u8>,
    /// The frames around the current one.
    outer: &'p mut Vec<Frame>,
    distinct: &'p mut Distinct,
    /// The innermost frame.
    frame: Frame,
    /// Brackets open beyond [`MAX_FRAMES`].
    beyond: usize,

    last: Last,
    /// The token before, and its keyword.
    before: TokenKind,
    keyword: Keyword,
    /// Whether the token before is `->` or `->>`.
    arrow: bool,
    pending: Pending,
    naming: Naming,
    /// Whether the token is a name that was written `?`.
    folded: bool,
    /// Whether a value stands before the token.
    behind_operand: bool,
    name: Option<Name>,
    hint: Option<Hint>,
    /// The first keyword of the statement; none before its first token.
    first: Option<Keyword>,
    /// Whether a `;` is to be written before the next statement.
    divide: bool,
    statements: usize,
}

impl<'p> Pass<'p> {
    pub(super) fn new(
        sql: &'p [u8],
        options: &'p FingerprintOptions,
        out: &'p mut Vec<u8>,
        outer: &'p mut Vec<Frame>,
        distinct: &'p mut Distinct,
    ) -> Self {
        outer.clear();
        distinct.clear();
        Self {
            sql,
            lexer: Lexer::new(sql, options.dialect),
            options,
            out,
            outer,
            distinct,
            frame: Frame::new(FrameKind::Statement, 0, false),
            beyond: 0,
            last: Last::Open,
            before: TokenKind::End,
            keyword: Keyword::None,
            arrow: false,
            pending: Pending::Nothing,
            naming: Naming::None,
            folded: false,
            behind_operand: false,
            name: None,
            hint: None,
            first: None,
            divide: false,
            statements: 0,
        }
    }

    /// Writes the normalised text and returns the number of statements.
    pub(super) fn run(mut self) -> usize {
        loop {
            self.behind_operand = self.lexer.after_operand();
            let token = self.lexer.next();
            if self.first.is_none() && !matches!(token.kind, TokenKind::End | TokenKind::Semicolon) {
                self.begin_statement(&token);
            }
            let adjacent = token.kind == TokenKind::Text && self.before == TokenKind::Text;
            if self.pending != Pending::Nothing && !adjacent {
                self.settle(&token);
            }
            let arrow = std::mem::take(&mut self.arrow);
            if self.naming != Naming::None
                && !adjacent
                && matches!(token.kind, TokenKind::Number | TokenKind::Text | TokenKind::Placeholder | TokenKind::Cut)
            {
                self.naming.constant();
            }
            match token.kind {
                TokenKind::Word => self.word(&token),
                TokenKind::Number => self.number(&token, arrow),
                TokenKind::Text => self.text(&token, arrow),
                TokenKind::Placeholder | TokenKind::Cut => self.constant(&token),
                TokenKind::Operator => self.operator(&token),
                TokenKind::Comma => self.comma(),
                TokenKind::Dot => self.dot(),
                TokenKind::LParen => self.open_paren(),
                TokenKind::RParen => self.close(false),
                TokenKind::LBracket => self.open_bracket(),
                TokenKind::RBracket => self.close(true),
                TokenKind::Quoted => self.quoted(&token),
                TokenKind::Wildcard => {
                    self.space_if(self.last != Last::Open);
                    self.verbatim(&token, Last::Value);
                }
                TokenKind::LBrace => {
                    self.space_if(self.last.spaces_word());
                    self.verbatim(&token, Last::Open);
                }
                TokenKind::RBrace => self.verbatim(&token, Last::Close),
                TokenKind::Other => self.verbatim(&token, Last::Open),
                TokenKind::HintStart => {
                    self.begin_hint();
                    continue;
                }
                TokenKind::HintEnd => {
                    self.end_hint();
                    continue;
                }
                TokenKind::Semicolon => {
                    self.end_statement();
                    continue;
                }
                TokenKind::End => {
                    self.end_statement();
                    if self.out.is_empty() && self.lexer.saw_comment() {
                        self.out.extend_from_slice(b"/**/");
                    }
                    return self.statements;
                }
            }
            (self.before, self.keyword) = if std::mem::take(&mut self.folded) {
                (TokenKind::Placeholder, Keyword::None)
            } else {
                (token.kind, token.keyword)
            };
        }
    }

    fn begin_statement(&mut self, token: &Token) {
        if std::mem::take(&mut self.divide) {
            self.out.push(b';');
        }
        self.statements += 1;
        self.first = Some(token.keyword);
        self.frame = Frame::new(FrameKind::Statement, self.out.len(), false);
        self.last = Last::Open;
        self.keyword = Keyword::None;
        self.before = TokenKind::Semicolon;
        self.naming = Naming::None;
    }

    fn end_statement(&mut self) {
        self.unwind(0);
        self.trim_cut_rows();
        if self.first.take().is_some() {
            self.divide = true;
        }
        self.pending = Pending::Nothing;
        self.hint = None;
    }

    /// Writes a space where `due`.
    #[inline]
    fn space_if(&mut self, due: bool) {
        if due {
            self.out.push(b' ');
        }
    }

    #[inline]
    fn end_byte(&self) -> u8 {
        self.out.last().copied().unwrap_or(0)
    }

    /// Writes a token as it stands; no constant holds it.
    fn verbatim(&mut self, token: &Token, last: Last) {
        self.out.extend_from_slice(&self.sql[token.start..token.end]);
        self.last = last;
        self.frame.take_other();
        self.frame.rows = Rows::None;
        self.naming = Naming::None;
    }

    /// Settles what the token before left open, now that the next one is known.
    fn settle(&mut self, next: &Token) {
        match std::mem::replace(&mut self.pending, Pending::Nothing) {
            Pending::Ordinal(at) => {
                let expression = matches!(
                    next.kind,
                    TokenKind::Operator | TokenKind::Dot | TokenKind::LParen | TokenKind::LBracket | TokenKind::LBrace
                ) || next.keyword == Keyword::Collate;
                if expression {
                    self.withdraw(at);
                }
            }
            Pending::Index(at) if next.kind == TokenKind::Dot => self.withdraw(at),
            Pending::Ambiguous(at) => {
                let operand = match next.kind {
                    TokenKind::Word => next.keyword.ends_operand() || next.keyword == Keyword::Case,
                    TokenKind::Quoted
                    | TokenKind::Number
                    | TokenKind::Text
                    | TokenKind::Cut
                    | TokenKind::Placeholder
                    | TokenKind::LParen => true,
                    // `?|`, `?&`, `?#`, `?-` and `??` are operators of one piece.
                    TokenKind::Operator => matches!(self.sql[next.start], b'|' | b'&' | b'#' | b'-' | b'?'),
                    _ => false,
                };
                if operand && self.out.len() == at + 1 {
                    self.out.truncate(at);
                    self.out.extend_from_slice(b"$1");
                }
            }
            Pending::Index(_) | Pending::Nothing => {}
        }
    }

    /// Writes `?` instead of the number that was kept at `at`.
    fn withdraw(&mut self, at: usize) {
        self.out.truncate(at);
        self.space_if(Last::Operator.spaces_constant(self.options.dialect, self.end_byte()));
        self.out.push(b'?');
    }

    #[inline]
    fn word(&mut self, token: &Token) {
        let at_start = self.before == TokenKind::Semicolon && self.frame.kind == FrameKind::Statement;
        if token.keyword == Keyword::As && self.frame.judged && self.frame.kind == FrameKind::Cast {
            self.nullish_is_constant();
        }
        self.space_if(self.last.spaces_word());
        let at = self.out.len();
        let len = token.end - token.start;
        if len <= 16 {
            self.out.extend_from_slice(self.lexer.lower());
            self.out.truncate(at + len);
        } else {
            self.out.extend_from_slice(&self.sql[token.start..token.end]);
            self.out[at..].make_ascii_lowercase();
        }
        self.last = if token.keyword.is_reserved() { Last::Reserved } else { Last::Word };
        if self.naming != Naming::None {
            if self.name_cursor(token, at) {
                return;
            }
        } else if at_start {
            self.naming = Naming::at_start(token.keyword, self.options.dialect);
        }
        if token.keyword != Keyword::None {
            self.frame.take_type_keyword(token.keyword);
            if token.keyword.ends_clause() && !matches!(token.keyword, Keyword::On | Keyword::Using) {
                self.frame.clause = Clause::Other;
            }
        }
        if self.frame.judged {
            self.judge_word(token.keyword, at);
        }
        if self.options.fold_digits {
            self.fold_table(token, at);
        }
        if token.keyword != Keyword::None {
            self.steer(token.keyword, at_start, at);
        } else if self.frame.rows != Rows::None {
            self.frame.rows = Rows::None;
        }
    }

    fn judge_word(&mut self, keyword: Keyword, at: usize) {
        self.frame.take_word(keyword, self.before == TokenKind::Dot);
        if self.frame.list > 0 {
            self.distinct.token(&self.out[at..]);
        }
    }

    /// Writes `?` for an element that so far is NULL, TRUE or FALSE: it turned out to be a constant of a list.
    fn nullish_is_constant(&mut self) {
        if self.frame.is_nullish() {
            self.out.truncate(self.frame.element);
            self.out.push(b'?');
            self.last = Last::Value;
            self.frame.settle_nullish();
        }
    }

    /// Takes what a keyword says of the words behind it.
    fn steer(&mut self, keyword: Keyword, at_start: bool, at: usize) {
        let row = self.frame.rows == Rows::Expected && keyword == Keyword::Row;
        if row {
            self.frame.row = at;
        } else {
            self.frame.rows = Rows::None;
        }
        match keyword {
            Keyword::By if matches!(self.keyword, Keyword::Order | Keyword::Group) => self.frame.clause = Clause::By,
            Keyword::Values => self.expect_rows(),
            Keyword::Value if self.is_insert_value(at_start) => self.expect_rows(),
            Keyword::Of if self.keyword == Keyword::Current => self.naming = Naming::Next,
            _ => {}
        }
    }

    fn expect_rows(&mut self) {
        self.frame.rows = Rows::Expected;
        self.frame.row_before = None;
    }

    /// `INSERT INTO t VALUE (1)`, as MySQL also has it.
    fn is_insert_value(&self, at_start: bool) -> bool {
        !at_start
            && self.first == Some(Keyword::Insert)
            && self.outer.is_empty()
            && matches!(self.before, TokenKind::RParen | TokenKind::Word | TokenKind::Quoted)
    }

    /// Writes `?` for the name of a savepoint or cursor.
    /// Returns whether it did.
    fn name_cursor(&mut self, token: &Token, at: usize) -> bool {
        match self.naming {
            Naming::Declare => {
                self.naming = Naming::Declared { start: at, end: self.out.len(), left: CURSOR_WITHIN };
                return false;
            }
            Naming::Declared { start, end, .. } if token.keyword == Keyword::Cursor => {
                self.out.splice(start..end, [b'?']);
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

    fn quoted(&mut self, token: &Token) {
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

    /// `in_lists: distinct` compares constants by their tokens.
    fn keep_token(&mut self, token: &Token) {
        if self.frame.list > 0 {
            self.distinct.token(&self.sql[token.start..token.end]);
        }
    }

    /// `fold_digits`: where tables stand, and their names.
    fn fold_table(&mut self, token: &Token, at: usize) {
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

    fn number(&mut self, token: &Token, arrow: bool) {
        let digits = &self.sql[token.start..token.end];
        let longest = match self.frame.kind {
            FrameKind::Type => MAX_LENGTH,
            _ => MAX_ORDINAL,
        };
        let plain = !self.behind_operand && digits.len() <= longest && digits.iter().all(u8::is_ascii_digit);
        let ordinal = self.frame.clause == Clause::By
            && (self.before == TokenKind::Comma || self.keyword == Keyword::By)
            && plain;
        if !(ordinal || (plain && (arrow || self.frame.kind == FrameKind::Type))) {
            self.constant(token);
            return;
        }
        self.space_if(self.last.spaces_word());
        let at = self.out.len();
        self.pending = if arrow { Pending::Index(at) } else { Pending::Ordinal(at) };
        self.out.extend_from_slice(digits);
        self.last = Last::Value;
        self.frame.take_constant();
        self.keep_token(token);
    }

    fn text(&mut self, token: &Token, arrow: bool) {
        if self.before == TokenKind::Text {
            // Adjacent strings are one.
            self.keep_token(token);
            return;
        }
        let quoted = matches!(self.sql[token.start], b'\'' | b'"');
        let aliases = matches!(self.options.dialect, Dialect::MySql | Dialect::MsSql | Dialect::Sqlite);
        let alias =
            aliases && self.keyword == Keyword::As && !matches!(self.frame.kind, FrameKind::Cast | FrameKind::Convert);
        if !(quoted && (arrow || alias)) {
            self.constant(token);
            return;
        }
        self.space_if(self.last.spaces_word());
        self.out.extend_from_slice(&self.sql[token.start..token.end]);
        self.last = Last::Value;
        if arrow {
            self.frame.take_constant();
        } else {
            self.frame.take_other();
        }
        self.keep_token(token);
    }

    /// Writes `?` for a constant or placeholder.
    #[inline]
    fn constant(&mut self, token: &Token) {
        self.space_if(self.last.spaces_constant(self.options.dialect, self.end_byte()));
        self.placeholder();
        self.frame.rows = Rows::None;
        if self.frame.judged {
            self.frame.take_constant();
            if self.frame.list > 0 {
                if token.kind == TokenKind::Placeholder {
                    self.distinct.placeholder();
                } else {
                    self.distinct.token(&self.sql[token.start..token.end]);
                }
            } else if self.frame.kind == FrameKind::List && self.frame.is_plain_constant() && self.beyond == 0 {
                self.lexer.skip_constants();
            }
        }
    }

    #[inline]
    fn placeholder(&mut self) {
        if self.behind_operand && self.options.dialect == Dialect::PostgreSql {
            self.pending = Pending::Ambiguous(self.out.len());
        }
        self.out.push(b'?');
        self.last = Last::Value;
    }

    fn operator(&mut self, token: &Token) {
        let operator = &self.sql[token.start..token.end];
        let first = operator[0];
        let is_cast = operator == b"::";
        if is_cast && self.frame.judged {
            self.nullish_is_constant();
        }
        self.space_if(self.last.spaces_operator(self.options.dialect, first, self.end_byte()));
        // PostgreSQL's `?` is written as JDBC escapes it: `??` is never a placeholder.
        if first == b'?' && operator.get(1) != Some(&b'?') {
            self.out.push(b'?');
        }
        if self.frame.judged {
            self.frame.take_operator();
            self.keep_token(token);
        }
        self.frame.typed = is_cast;
        self.out.extend_from_slice(operator);
        self.naming = Naming::None;
        self.arrow = matches!(operator, b"->" | b"->>");
        self.last = after_operator(operator, !self.behind_operand, self.options.dialect);
        self.frame.rows = Rows::None;
    }

    fn dot(&mut self) {
        if self.options.fold_digits {
            if let Some(name) = self
                .name
                .take()
                .filter(|_| matches!(self.before, TokenKind::Word | TokenKind::Quoted) && self.keyword == Keyword::None)
            {
                digits::fold(self.out, name.written, &self.sql[name.start..name.end]);
                // What follows the qualifier of a table is the table.
                self.frame.table_due = name.is_table;
            }
        }
        self.out.push(b'.');
        self.naming = Naming::None;
        self.last = Last::Open;
        self.frame.take_dot();
    }

    fn comma(&mut self) {
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
            self.end_element();
            self.frame.commas += 1;
            self.frame.element = self.out.len() + 1;
            self.frame.mark = self.distinct.mark();
        }
        self.frame.table_due = self.frame.clause == Clause::From;
        self.out.push(b',');
        self.last = Last::Open;
    }

    /// Ends the current element of the innermost frame: drops it where it repeats the one before.
    fn end_element(&mut self) {
        self.frame.typed = false;
        if !self.frame.judged {
            return;
        }
        let lists = matches!(self.frame.kind, FrameKind::List | FrameKind::Distinct | FrameKind::ValuesRow);
        if lists {
            self.nullish_is_constant();
        }
        let constant = self.frame.is_constant();
        let element = self.frame.element;
        match self.frame.kind {
            FrameKind::List => {
                let repeats = constant
                    && self.frame.constant_before.is_some_and(|before| {
                        self.out.get(before..element.saturating_sub(1)) == self.out.get(element..)
                    });
                if repeats {
                    self.out.truncate(element - 1);
                } else {
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

    fn open_paren(&mut self) {
        self.space_if(self.last.spaces_paren());
        let kind = self.paren_kind();
        if kind == FrameKind::ValuesRow && self.keyword != Keyword::Row {
            self.frame.row = self.out.len();
        }
        self.out.push(b'(');
        self.open(kind);
    }

    /// What a parenthesis behind the tokens so far holds.
    fn paren_kind(&self) -> FrameKind {
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

    fn open_bracket(&mut self) {
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

    fn open(&mut self, kind: FrameKind) {
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

    fn close(&mut self, bracket: bool) {
        self.naming = Naming::None;
        let byte = if bracket { b']' } else { b')' };
        self.space_if(bracket && self.would_quote());
        if self.beyond > 0 {
            self.beyond -= 1;
        } else if self.outer.len() > self.hint.map_or(0, |hint| hint.frames) && self.frame.bracket == bracket {
            self.end_element();
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
    fn would_quote(&self) -> bool {
        match self.options.dialect {
            Dialect::MsSql => self.before == TokenKind::Quoted && self.end_byte() == b']',
            Dialect::Generic if self.before == TokenKind::Word => {
                self.out.iter().rposition(|&byte| !is_word_byte(byte)).is_some_and(|i| self.out[i] == b'[')
            }
            _ => false,
        }
    }

    /// Leaves the innermost frame, whose bracket is written.
    fn leave(&mut self) {
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

    fn begin_hint(&mut self) {
        self.space_if(self.last != Last::Open);
        self.out.extend_from_slice(b"/*+ ");
        self.hint = Some(Hint { before: self.before, keyword: self.keyword, frames: self.outer.len() });
        self.before = TokenKind::HintStart;
        self.keyword = Keyword::None;
        self.last = Last::Open;
        self.frame.take_other();
    }

    fn end_hint(&mut self) {
        let Some(hint) = self.hint.take() else { return };
        self.unwind(hint.frames);
        self.space_if(!self.out.ends_with(b" "));
        self.out.extend_from_slice(b"*/");
        self.last = Last::Close;
        (self.before, self.keyword) = (hint.before, hint.keyword);
    }

    /// Leaves the frames beyond the first `depth`, whose brackets never closed: what is cut off reads as its like.
    fn unwind(&mut self, depth: usize) {
        self.beyond = 0;
        while self.outer.len() > depth {
            self.trim_cut_element();
            self.trim_cut_rows();
            let Some(outer) = self.outer.pop() else { return };
            let inner = std::mem::replace(&mut self.frame, outer);
            self.frame.take_closed(&inner);
            if inner.kind == FrameKind::ValuesRow {
                self.trim_cut_row();
            }
        }
    }

    /// Drops the last element of a list that is cut off where it may have been going to repeat the one before.
    fn trim_cut_element(&mut self) {
        let Some(partial) = self.out.get(self.frame.element..) else { return };
        let repeats = self.frame.constant_before.is_some_and(|before| self.out[before..].starts_with(partial));
        let divided = self.frame.commas > 0
            && matches!(self.frame.kind, FrameKind::List | FrameKind::Distinct | FrameKind::ValuesRow);
        if divided && (partial.is_empty() || repeats) {
            self.out.truncate(self.frame.element - 1);
            while self.end_byte() == b',' {
                self.out.pop();
            }
        } else {
            self.end_element();
        }
    }

    /// Drops a comma behind the last row of VALUES.
    fn trim_cut_rows(&mut self) {
        if let (Rows::Expected, Some((_, end))) = (self.frame.rows, self.frame.row_before) {
            self.out.truncate(end);
        }
    }

    /// Drops a row of VALUES that is cut off where it may have been going to repeat the one before.
    fn trim_cut_row(&mut self) {
        if let Some(before) = self.frame.row_before {
            if self.out[before.0..before.1].starts_with(&self.out[self.frame.row..]) {
                self.out.truncate(before.1);
            }
        }
        self.frame.rows = Rows::None;
    }
}

/// Words that stand between UPDATE, INSERT, TABLE and the like and the table's name.
fn is_table_modifier(word: &[u8]) -> bool {
    const MODIFIERS: [&[u8]; 7] =
        [b"if", b"ignore", b"low_priority", b"high_priority", b"delayed", b"quick", b"concurrently"];
    MODIFIERS.contains(&word)
}
