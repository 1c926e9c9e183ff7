//! What the words of a statement mean to the lexical reading: clauses, tables and effects.

use super::effects;
use super::frame::{Expect, Role};
use super::names::{is_modifier, text_of};
use super::statement::Reader;
use super::word::Lower;
use super::{Kind, TableName};
use crate::fingerprint::Dialect;
use crate::fingerprint::lexer::{Token, TokenKind};

/// Most tables, and most CTEs, that the lexical reading keeps of one statement.
pub(super) const MAX_NAMES: usize = 1000;

impl Reader<'_> {
    /// The first word of a statement or subquery.
    pub(super) fn verb(&mut self, kind: Kind, word: &[u8]) {
        let top = self.top();
        let role = top.role;
        top.verb = Some(kind);
        top.with = false;
        top.at_start = false;
        (top.expect, top.listing) = match (kind, word) {
            (Kind::Select, b"table") => (Expect::Table { or_function: false }, false),
            (Kind::Select, b"from") => (Expect::Table { or_function: true }, true),
            (Kind::Delete, _) => (Expect::Target, true),
            (Kind::Update | Kind::Lock, _) | (Kind::Ddl, b"truncate") => (Expect::Table { or_function: false }, true),
            (Kind::Insert | Kind::Replace | Kind::Merge, _) | (Kind::Copy, b"copy") => {
                (Expect::Table { or_function: false }, false)
            }
            _ => (Expect::Nothing, false),
        };
        // VALUES and TABLE have no place for a WHERE.
        top.queries = matches!(kind, Kind::Select | Kind::Update | Kind::Delete | Kind::Merge)
            && !matches!(word, b"values" | b"table");
        top.from = word == b"from";
        match role {
            Role::Statement => {
                self.kind.get_or_insert(kind);
            }
            Role::Cte if matches!(kind, Kind::Insert | Kind::Replace | Kind::Update | Kind::Delete | Kind::Merge) => {
                self.writer.get_or_insert(kind);
            }
            Role::Cte | Role::Inner => {}
        }
    }

    /// A keyword within a statement. Returns whether the word was one.
    pub(super) fn keyword(&mut self, word: &[u8], token: Token, next: Token) -> bool {
        let next_word = self.word_of(next);
        let depth = self.frames.len();
        let verb = self.top().verb;
        let target = matches!(verb, Some(Kind::Insert | Kind::Replace | Kind::Merge));
        match word {
            b"select" => self.expect(Expect::Nothing, false, true),
            b"from" => self.from(),
            b"join" | b"straight_join" | b"apply" if self.top().queries => {
                self.top().expect = Expect::Table { or_function: true };
            }
            b"using" if matches!(verb, Some(Kind::Delete | Kind::Merge)) => {
                self.top().expect = Expect::Table { or_function: true };
            }
            b"into" if target => self.top().expect = Expect::Table { or_function: false },
            b"into" => {
                self.effect = true;
                self.end_clause(depth);
            }
            b"table" | b"tables" | b"view" if self.names_tables(verb) => {
                let listing = matches!(self.first.as_bytes(), b"drop" | b"truncate" | b"lock");
                self.expect(Expect::Table { or_function: false }, listing, false);
            }
            b"index" | b"trigger" if verb == Some(Kind::Ddl) => {
                self.on_table = true;
                self.routine |= word == b"trigger";
            }
            b"procedure" | b"proc" | b"function" | b"event" | b"package" if verb == Some(Kind::Ddl) => {
                self.routine = true;
            }
            b"begin" if self.routine && !matches!(next_word.as_bytes(), b"transaction" | b"tran") => self.body += 1,
            b"case" if self.routine => self.body += 1,
            b"end" if self.routine => {
                let inner = matches!(next_word.as_bytes(), b"if" | b"loop" | b"while" | b"repeat");
                self.body = self.body.saturating_sub(usize::from(!inner));
            }
            b"on" if self.on_table => {
                self.on_table = false;
                self.top().expect = Expect::Table { or_function: false };
            }
            b"on" if target => self.end_clause(depth),
            b"where" => {
                self.end_clause(depth);
                self.condition_begins(token.end);
            }
            b"set" => self.expect(Expect::Nothing, false, self.frames[depth - 1].queries),
            b"group" | b"order" | b"having" | b"limit" | b"offset" | b"fetch" | b"window" | b"returning"
            | b"connect" | b"values" | b"output" | b"qualify" | b"option" => self.end_clause(depth),
            b"for" => {
                self.effect |= matches!(next_word.as_bytes(), b"update" | b"share" | b"no" | b"key");
                // NEXT VALUE FOR a sequence.
                self.effect |= self.previous.as_bytes() == b"value" && self.before_previous.as_bytes() == b"next";
                self.end_collecting(depth);
            }
            b"lock" if next_word.as_bytes() == b"in" => {
                self.effect = true;
                self.end_clause(depth);
            }
            b"union" | b"except" | b"intersect" => self.set_operator(depth),
            b"minus" if self.dialect == Dialect::Oracle => self.set_operator(depth),
            // Behind a set operator, the next query has not begun with these.
            b"all" | b"distinct" if self.top().at_start => {}
            b"updlock" | b"xlock" | b"tablock" | b"tablockx" | b"holdlock" | b"serializable"
                if self.dialect == Dialect::MsSql =>
            {
                self.effect = true;
            }
            _ => return false,
        }
        true
    }

    fn expect(&mut self, expect: Expect, listing: bool, queries: bool) {
        let top = self.top();
        top.expect = expect;
        top.listing = listing;
        top.queries = queries;
        top.at_start = false;
    }

    fn from(&mut self) {
        // `a is distinct from b` compares.
        let compares =
            self.previous.as_bytes() == b"distinct" && matches!(self.before_previous.as_bytes(), b"is" | b"not");
        let top = self.top();
        if compares || !top.queries {
            return;
        }
        top.expect = Expect::Table { or_function: true };
        top.listing = true;
        let aliases = top.verb == Some(Kind::Delete) && !top.from;
        top.from = true;
        if aliases {
            // What stood before FROM are tables of FROM, or their aliases.
            for target in self.targets.drain(..) {
                self.seen.remove(&target);
            }
        }
    }

    fn names_tables(&self, verb: Option<Kind>) -> bool {
        match verb {
            // `drop trigger t on table`, `create table`, but not `create function f() returns table (…)`.
            Some(Kind::Ddl) => !self.routine && !self.previous.as_bytes().eq(b"as"),
            Some(Kind::Copy | Kind::Lock | Kind::Insert) => true,
            _ => false,
        }
    }

    fn condition_begins(&mut self, from: usize) {
        let depth = self.frames.len();
        let top = self.top();
        top.has_where = true;
        let counts = top.role != Role::Inner && matches!(top.verb, Some(Kind::Select | Kind::Update | Kind::Delete));
        if counts {
            self.conditions += 1;
            if self.conditions == 1 {
                self.collecting = Some((depth, from));
            }
        }
    }

    fn end_clause(&mut self, depth: usize) {
        let top = self.top();
        top.expect = Expect::Nothing;
        top.listing = false;
        self.end_collecting(depth);
    }

    fn end_collecting(&mut self, depth: usize) {
        if self.collecting.is_some_and(|(frame, _)| frame == depth) {
            self.collecting = None;
        }
    }

    fn set_operator(&mut self, depth: usize) {
        self.end_clause(depth);
        let frame = *self.top();
        self.finish(frame);
        self.top().begin_operand();
    }

    /// A name, or a word that means nothing here.
    pub(super) fn name(&mut self, word: &[u8], token: Token, next: Token) {
        let after_dot = self.previous_kind == TokenKind::Dot;
        let called = next.kind == TokenKind::LParen;
        // Quoted or not, a function is the same.
        let name = Lower::of_name(self.sql, token);
        let qualifier = if after_dot { self.qualifier } else { Lower::NONE };
        self.effect |= called && effects::has_effect(qualifier.as_bytes(), name.as_bytes());
        self.sets_by_argument = called && effects::has_effect_by_argument(name.as_bytes());
        // Oracle's `s.nextval`, DB2's `nextval for s`.
        self.effect |= name.as_bytes() == b"nextval" && (after_dot || self.word_of(next).as_bytes() == b"for");
        self.qualifier = name;
        let top = self.top();
        top.at_start = false;
        let (target, or_function) = match top.expect {
            Expect::Nothing => return,
            Expect::Cte => {
                top.expect = Expect::Nothing;
                if self.ctes.len() < MAX_NAMES {
                    self.ctes.insert(text_of(self.sql, token));
                }
                return;
            }
            Expect::Target => (true, false),
            Expect::Table { or_function } => (false, or_function),
        };
        if !after_dot && is_modifier(word, next, self.previous.as_bytes()) {
            return;
        }
        self.parts.push(text_of(self.sql, token));
        if next.kind == TokenKind::Dot {
            return;
        }
        self.top().expect = Expect::Nothing;
        let Some(table) = self.parts.take() else { return };
        let computed = (or_function && called) || table.name.starts_with('@');
        if computed || self.is_cte(&table) {
            return;
        }
        // Once each already here: a flood of one name must not take memory for every time it is written.
        if self.seen.len() < MAX_NAMES && self.seen.insert(table.clone()) {
            if target { self.targets.push(table) } else { self.tables.push(table) }
        }
    }

    fn is_cte(&self, table: &TableName) -> bool {
        table.schema.is_none() && self.ctes.contains(&table.name)
    }
}
