//! The state of the lexical reading of one statement.

use super::frame::{Clause, Expect, Frame, Role};
use super::head::{self, Head};
use super::names::Parts;
use super::scan::Scanned;
use super::text::ParserText;
use super::word::Lower;
use super::{Kind, TableName, Where};
use crate::fingerprint::Dialect;
use crate::fingerprint::lexer::{Token, TokenKind};
use std::collections::HashSet;
use std::ops::Range;

/// Parentheses deeper than this are counted and not looked into. Far beyond what people write, and it bounds the memory
/// that a flood of parentheses takes.
const MAX_FRAMES: usize = 64;

/// One statement, as far as it has been read.
pub(super) struct Reader<'a> {
    pub(super) sql: &'a [u8],
    pub(super) dialect: Dialect,
    pub(super) tokens: usize,
    pub(super) span: Range<usize>,
    pub(super) kind: Option<Kind>,
    /// The statement's first word, and what it says where it lets another statement follow.
    pub(super) first: Lower,
    pub(super) head: Option<Head>,
    /// EXPLAIN or DESCRIBE stood first.
    pub(super) explained: bool,
    /// And the statement runs all the same.
    pub(super) runs: bool,
    /// The kind of the first CTE that writes.
    pub(super) writer: Option<Kind>,
    pub(super) frames: Vec<Frame>,
    /// Parentheses beyond [`MAX_FRAMES`].
    pub(super) deeper: usize,
    pub(super) whole: bool,
    /// Open BEGINs of blocks, which reach over statements.
    pub(super) blocks: usize,
    /// A routine or trigger is being created, and so many BEGINs and CASEs of its body are open.
    pub(super) routine: bool,
    pub(super) body: usize,
    /// CREATE INDEX or TRIGGER, whose table stands behind ON.
    pub(super) on_table: bool,
    pub(super) effect: bool,
    pub(super) reads: Where,
    pub(super) writes: Where,
    pub(super) parts: Parts,
    pub(super) tables: Vec<TableName>,
    pub(super) targets: Vec<TableName>,
    pub(super) seen: HashSet<TableName>,
    pub(super) ctes: HashSet<String>,
    /// The two tokens before this one: their words, and the kind of the last.
    pub(super) previous: Lower,
    pub(super) before_previous: Lower,
    pub(super) previous_kind: TokenKind,
    /// The last name, quoted or not: what qualifies the next one, where a dot stands between.
    pub(super) qualifier: Lower,
    /// The last name is that of a function that has an effect if it is given an argument.
    pub(super) sets_by_argument: bool,
    pub(super) text: ParserText,
    pub(super) condition: ParserText,
    /// How many conditions the statement has, and the frame and place from which the first is being collected.
    pub(super) conditions: usize,
    pub(super) collecting: Option<(usize, usize)>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(sql: &'a [u8], dialect: Dialect) -> Self {
        Self {
            sql,
            dialect,
            tokens: 0,
            span: 0..0,
            kind: None,
            first: Lower::NONE,
            head: None,
            explained: false,
            runs: false,
            writer: None,
            frames: vec![Frame::new(Role::Statement)],
            deeper: 0,
            whole: true,
            blocks: 0,
            routine: false,
            body: 0,
            on_table: false,
            effect: false,
            reads: Where::None,
            writes: Where::None,
            parts: Parts::default(),
            tables: vec![],
            targets: vec![],
            seen: HashSet::new(),
            ctes: HashSet::new(),
            previous: Lower::NONE,
            before_previous: Lower::NONE,
            previous_kind: TokenKind::Semicolon,
            qualifier: Lower::NONE,
            sets_by_argument: false,
            text: ParserText::default(),
            condition: ParserText::default(),
            conditions: 0,
            collecting: None,
        }
    }

    /// Ends the statement, and begins another; `None` where it held nothing.
    pub(super) fn end(&mut self) -> Option<Scanned> {
        let blocks = self.blocks;
        let mut done = std::mem::replace(self, Self::new(self.sql, self.dialect));
        self.blocks = blocks;
        self.text = done.text.next();
        self.condition = done.condition.next();
        if done.tokens == 0 || (done.kind.is_none() && done.head == Some(Head::Block)) {
            return None;
        }
        done.whole &= done.frames.len() == 1 && done.deeper == 0;
        while let Some(frame) = done.frames.pop() {
            done.finish(frame);
        }
        let kind = done.final_kind();
        let clause = match kind {
            Kind::Explain => Where::None,
            Kind::Select => done.reads,
            _ => done.writes,
        };
        done.tables.append(&mut done.targets);
        Some(Scanned {
            kind,
            span: done.span,
            clause,
            whole: done.whole,
            tables: done.tables,
            // A call that nobody looked at may do anything.
            plain_read: kind == Kind::Select && !done.effect && done.whole,
            text: done.text.finish(),
            condition: if done.conditions == 1 { done.condition.finish() } else { None },
        })
    }

    fn final_kind(&self) -> Kind {
        if self.explained && !(self.runs && self.kind.is_some()) {
            // DESCRIBE of a table shows it; DESCRIBE of a statement is EXPLAIN.
            let table = self.kind.is_none() && self.head == Some(Head::Explain) && self.first.as_bytes() != b"explain";
            return if table { Kind::Show } else { Kind::Explain };
        }
        match self.kind {
            Some(Kind::Select) => self.writer.unwrap_or(Kind::Select),
            Some(kind) => kind,
            // A WITH that is cut off.
            None if self.head == Some(Head::With) => self.writer.unwrap_or(Kind::Select),
            None => Kind::Other,
        }
    }

    pub(super) fn finish(&mut self, frame: Frame) {
        match frame.clause() {
            Clause::Read(clause) => self.reads = self.reads.worst(clause),
            Clause::Write(clause) => self.writes = self.writes.worst(clause),
            Clause::None => {}
        }
    }

    /// Whether a `;` stands inside the body of a routine being created.
    pub(super) const fn inside_body(&self) -> bool {
        self.routine && self.body > 0
    }

    pub(super) fn word_of(&self, token: Token) -> Lower {
        if token.kind == TokenKind::Word { Lower::of(&self.sql[token.start..token.end]) } else { Lower::NONE }
    }

    /// The innermost frame; the statement's own is never closed.
    pub(super) fn top(&mut self) -> &mut Frame {
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    /// Whether a statement ends before this token though no `;` says so: before ELSE, and before SQL Server's statements, which
    /// need none.
    pub(super) fn divides(&self, token: Token, next: Token) -> bool {
        let [frame] = self.frames.as_slice() else { return false };
        if token.kind != TokenKind::Word || self.previous_kind == TokenKind::Dot || frame.at_start || self.body > 0 {
            return false;
        }
        let Some(kind) = self.kind else { return false };
        let word = self.word_of(token);
        if self.head == Some(Head::Control) && word.as_bytes() == b"else" {
            return true;
        }
        if self.dialect != Dialect::MsSql
            || matches!(kind, Kind::Merge | Kind::Ddl)
            || (kind != Kind::Set
                && matches!(self.previous.as_bytes(), b"for" | b"on" | b"of" | b"key" | b"as" | b"with"))
        {
            return false;
        }
        match word.as_bytes() {
            b"update" | b"delete" | b"insert" | b"merge" => {
                next.kind != TokenKind::LParen && self.previous_kind != TokenKind::Comma
            }
            b"exec" | b"execute" => kind != Kind::Insert,
            b"truncate" | b"create" | b"alter" | b"drop" => kind != Kind::Other,
            b"select" => matches!(kind, Kind::Set | Kind::Transaction | Kind::Other | Kind::Call),
            _ => false,
        }
    }

    pub(super) fn token(&mut self, token: Token, next: Token, position: Option<usize>) {
        let word = self.word_of(token);
        self.tokens += 1;
        if self.previous_kind == TokenKind::LParen && std::mem::take(&mut self.sets_by_argument) {
            self.effect |= token.kind != TokenKind::RParen;
        }
        match token.kind {
            TokenKind::LParen => self.open(),
            TokenKind::RParen => self.close(),
            _ if self.deeper > 0 => {}
            TokenKind::Word if self.previous_kind != TokenKind::Dot => self.word(word.as_bytes(), token, next),
            TokenKind::Word | TokenKind::Quoted => self.name(word.as_bytes(), token, next),
            TokenKind::Comma => self.comma(),
            TokenKind::Dot => {}
            _ => self.other(token, next),
        }
        if self.tokens == 1 {
            self.first = word;
            self.span.start = token.start;
        }
        self.span.end = token.end;
        self.text.push(self.sql, token, position, self.dialect);
        if self.collecting.is_some_and(|(_, from)| token.start >= from) {
            self.condition.push(self.sql, token, position, self.dialect);
        }
        self.before_previous = std::mem::replace(&mut self.previous, word);
        self.previous_kind = token.kind;
    }

    /// Among the options of EXPLAIN, the statement itself is still to come.
    fn waits_for_verb(&self) -> bool {
        self.kind.is_none() && matches!(self.head, Some(Head::Explain | Head::Analyze))
    }

    fn open(&mut self) {
        let parent = *self.top();
        let role = if parent.role == Role::Statement && parent.at_start && !parent.with {
            Role::Statement
        } else if parent.with && matches!(self.previous.as_bytes(), b"as" | b"materialized") || self.is_change_table() {
            Role::Cte
        } else {
            Role::Inner
        };
        let mut frame = Frame::new(role);
        // A subquery in FROM, or joins in parentheses. `top (5)` is neither.
        if parent.expect == (Expect::Table { or_function: true }) {
            frame.expect = parent.expect;
            frame.listing = true;
            frame.queries = true;
        }
        let options = self.waits_for_verb();
        let top = self.top();
        top.at_start &= options;
        if !matches!(top.expect, Expect::Cte) && self.previous.as_bytes() != b"top" {
            self.top().expect = Expect::Nothing;
        }
        if self.deeper == 0 && self.frames.len() < MAX_FRAMES {
            self.frames.push(frame);
        } else {
            self.deeper += 1;
            self.whole = false;
        }
    }

    /// The rows that a write changes, DB2's and H2's `from final table (insert …)`, are written as by a CTE.
    fn is_change_table(&self) -> bool {
        self.previous.as_bytes() == b"table" && matches!(self.before_previous.as_bytes(), b"final" | b"new" | b"old")
    }

    fn close(&mut self) {
        if self.deeper > 0 {
            self.deeper -= 1;
            return;
        }
        if self.collecting.is_some_and(|(frame, _)| frame == self.frames.len()) {
            self.collecting = None;
        }
        match self.frames.pop() {
            Some(frame) if !self.frames.is_empty() => self.finish(frame),
            // One too many: the statement's own frame stays.
            Some(frame) => {
                self.frames.push(frame);
                self.whole = false;
            }
            None => {}
        }
    }

    fn comma(&mut self) {
        let top = self.top();
        if top.with {
            top.expect = Expect::Cte;
        } else if top.listing {
            let targets = top.verb == Some(Kind::Delete) && !top.from;
            top.expect = if targets { Expect::Target } else { Expect::Table { or_function: true } };
        }
    }

    /// A constant, a placeholder or an operator.
    fn other(&mut self, token: Token, next: Token) {
        let bytes = &self.sql[token.start..token.end];
        self.effect |= token.kind == TokenKind::Operator && bytes == b":=";
        // SQL Server's `select @x = a` sets a variable and gives no rows.
        if self.dialect == Dialect::MsSql && token.kind == TokenKind::Placeholder {
            let first = self.previous_kind == TokenKind::Comma || self.previous.as_bytes() == b"select";
            let assigns = next.kind == TokenKind::Operator && self.sql[next.start..next.end].ends_with(b"=");
            let top = self.top();
            let selects = top.verb == Some(Kind::Select) && !top.from;
            self.effect |= first && assigns && selects;
        }
        let options = self.waits_for_verb();
        let top = self.top();
        top.at_start &= options;
        if token.kind != TokenKind::Operator && top.expect != Expect::Cte {
            top.expect = Expect::Nothing;
        }
    }

    /// A word that no dot precedes: a keyword or a name.
    fn word(&mut self, word: &[u8], token: Token, next: Token) {
        if self.begins(word, next) {
            return;
        }
        let top = *self.top();
        if top.expect == Expect::Cte {
            if word != b"recursive" {
                self.name(word, token, next);
            }
            return;
        }
        if (top.at_start || top.with)
            && let Some(kind) = head::of_verb(word)
            && !(next.kind == TokenKind::LParen && matches!(word, b"replace" | b"insert"))
        {
            self.verb(kind, word);
        } else if !self.keyword(word, token, next) {
            self.name(word, token, next);
        }
    }

    /// Reads the words before the statement proper, and the one it begins with. Returns whether that was all there is to do.
    fn begins(&mut self, word: &[u8], next: Token) -> bool {
        let top = *self.top();
        let waits = top.at_start || matches!(self.head, Some(Head::Block | Head::Control));
        if self.kind.is_some() || top.role != Role::Statement || top.with || !waits {
            return false;
        }
        let next_word = self.word_of(next);
        let read = head::of(word, next_word.as_bytes());
        match self.head {
            Some(Head::Control)
                if self.frames.len() > 1 || (head::of_verb(word).is_none() && read == Head::Kind(Kind::Other)) =>
            {
                return false;
            }
            None | Some(Head::Control) => {}
            Some(Head::With | Head::Kind(_)) => return false,
            Some(Head::Explain | Head::Analyze) => {
                if matches!(word, b"analyze" | b"analyse") {
                    self.runs = !head::says_no(self.sql, next);
                    return true;
                }
                let verb = head::of_verb(word).filter(|_| word != b"table");
                if verb.is_none() && read != Head::With {
                    return true;
                }
                self.text.restart();
            }
            Some(Head::Block) => {
                let closes = self.previous.as_bytes() == b"end" && head::ends_control(word);
                if read == Head::Kind(Kind::Other) || closes {
                    return true;
                }
            }
        }
        match read {
            Head::Kind(Kind::Transaction) if word == b"end" && self.blocks > 0 => {
                self.blocks -= usize::from(!head::ends_control(next_word.as_bytes()));
                self.head = Some(Head::Block);
            }
            Head::Kind(kind) => {
                if matches!(self.head, Some(Head::Block | Head::Control)) {
                    self.text.restart();
                }
                self.verb(kind, word);
            }
            Head::Explain | Head::Analyze => {
                self.explained = read == Head::Explain;
                self.runs = read == Head::Analyze;
                self.head = Some(read);
            }
            Head::With => {
                self.head = Some(read);
                let top = self.top();
                top.at_start = false;
                top.with = true;
                top.expect = Expect::Cte;
            }
            Head::Block => {
                self.blocks += usize::from(word == b"begin");
                self.head = Some(read);
            }
            Head::Control => {
                self.head = Some(read);
                self.top().at_start = false;
            }
        }
        true
    }
}
