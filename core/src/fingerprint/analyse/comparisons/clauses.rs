//! What the words of a query mean around its conditions: where its tables stand, and where its conditions begin.

use super::Reader;
use super::comparison::at_subquery;
use super::frame::{Clause, Role};
use super::joins::Joins;
use super::scope::Source;
use crate::fingerprint::Dialect;
use crate::fingerprint::analyse::clauses::MAX_NAMES;
use crate::fingerprint::analyse::names::{Parts, is_modifier, text_of};
use crate::fingerprint::lexer::TokenKind;

impl Reader<'_, '_> {
    /// Opens a parenthesis outside conditions.
    pub(super) fn open(&mut self) {
        let previous = self.cursor.word_of(self.cursor.previous);
        let (is_query, is_first) = (at_subquery(self.cursor), self.is_first());
        let top = self.top();
        let role = match top.clause {
            Clause::Start
                if is_first
                    || matches!(
                        previous.as_bytes(),
                        b"union" | b"except" | b"intersect" | b"minus" | b"all" | b"distinct"
                    ) =>
            {
                top.clause = Clause::Rest;
                Role::Query
            }
            Clause::With { .. } if matches!(previous.as_bytes(), b"as" | b"materialized") => Role::Query,
            Clause::Insert if is_query => {
                top.clause = Clause::Rest;
                Role::Query
            }
            Clause::From { table: true } if previous.as_bytes() != b"top" => {
                top.clause = Clause::From { table: false };
                if is_query {
                    let source = self.add(Source { name: None, aliased: false, table: None });
                    self.top().unnamed = source;
                    Role::Query
                } else {
                    top.joins.joined = None;
                    Role::Sources
                }
            }
            _ => Role::Opaque,
        };
        let clause = if role == Role::Sources { Clause::From { table: true } } else { Clause::Start };
        self.push(role, clause);
    }

    /// Whether the cursor is at the first token of its frame.
    fn is_first(&self) -> bool {
        matches!(self.cursor.previous.kind, TokenKind::LParen | TokenKind::Semicolon)
    }

    pub(super) fn end_cte(&mut self) {
        if let Some(name) = self.top().cte.take()
            && self.ctes.len() < MAX_NAMES
        {
            self.ctes.insert(name);
        }
    }

    /// A token outside conditions that is no parenthesis.
    pub(super) fn clause_step(&mut self) {
        match self.top().clause {
            Clause::Start => self.start_word(),
            Clause::With { name } => self.with_word(name),
            Clause::Insert => self.insert_word(),
            Clause::Columns => self.columns_word(),
            Clause::From { table } => return self.sources_token(table),
            Clause::Condition => return self.condition_step(),
            Clause::Rest => self.set_operator(),
        }
        self.cursor.advance();
    }

    /// The first word of a query, or one before it: EXPLAIN, ALL behind UNION.
    fn start_word(&mut self) {
        let called = self.cursor.next.kind == TokenKind::LParen;
        match self.cursor.word().as_bytes() {
            b"with" => self.top().clause = Clause::With { name: true },
            b"select" => self.begin_query(Clause::Columns),
            b"update" => self.begin_query(Clause::From { table: true }),
            b"delete" => {
                self.begin_query(Clause::From { table: true });
                self.top().deletes = true;
            }
            b"insert" | b"replace" if !called => self.top().clause = Clause::Insert,
            b"merge" | b"values" | b"table" => self.top().clause = Clause::Rest,
            _ => {}
        }
    }

    fn with_word(&mut self, name: bool) {
        let word = self.cursor.word();
        let goes_on = matches!(self.cursor.next.kind, TokenKind::Word | TokenKind::Quoted);
        match self.cursor.token.kind {
            TokenKind::Comma => self.top().clause = Clause::With { name: true },
            TokenKind::Word if name && word.as_bytes() == b"recursive" && goes_on => {}
            TokenKind::Word | TokenKind::Quoted if name => {
                self.top().cte = Some(text_of(self.cursor.sql, self.cursor.token));
                self.top().clause = Clause::With { name: false };
            }
            _ => self.start_word(),
        }
    }

    fn insert_word(&mut self) {
        match self.cursor.word().as_bytes() {
            b"values" | b"set" | b"on" | b"default" | b"returning" => self.top().clause = Clause::Rest,
            b"with" | b"select" => self.start_word(),
            _ => {}
        }
    }

    fn columns_word(&mut self) {
        match self.cursor.word().as_bytes() {
            // `a is distinct from b` compares.
            b"from" if self.cursor.word_of(self.cursor.previous).as_bytes() != b"distinct" => {
                self.top().clause = Clause::From { table: true };
                self.top().from = true;
            }
            b"where" => self.begin_condition(None),
            _ => self.set_operator(),
        }
    }

    /// Behind UNION and its like, another query begins.
    fn set_operator(&mut self) {
        let is_one = match self.cursor.word().as_bytes() {
            // `select * except (a)` names columns.
            b"union" | b"except" | b"intersect" => self.cursor.previous.kind != TokenKind::Wildcard,
            b"minus" => self.cursor.dialect == Dialect::Oracle,
            _ => false,
        };
        if is_one {
            self.end_query();
            self.top().clause = Clause::Start;
        }
    }

    fn sources_token(&mut self, table: bool) {
        let (kind, word) = (self.cursor.token.kind, self.cursor.word());
        let deletes = self.top().deletes;
        match word.as_bytes() {
            b"from" => self.second_from(),
            b"join" | b"straight_join" | b"apply" => {
                let source = self.scopes.last().map_or(0, |scope| scope.sources.len());
                let top = self.top();
                top.joins.begin(source, word.as_bytes() != b"apply");
                top.clause = Clause::From { table: true };
            }
            b"on" if matches!(self.cursor.word_of(self.cursor.next).as_bytes(), b"duplicate" | b"conflict") => {
                self.top().clause = Clause::Rest;
            }
            b"on" => {
                let join = self.top().joins.condition();
                self.begin_condition(Some(join));
            }
            b"using" if deletes && !self.top().joins.waits() => self.top().clause = Clause::From { table: true },
            b"using" => {
                self.top().joins.condition();
            }
            b"where" => self.begin_condition(None),
            b"set" | b"output" => self.top().clause = Clause::Columns,
            b"group" | b"order" | b"having" | b"limit" | b"offset" | b"fetch" | b"window" | b"qualify"
            | b"returning" | b"connect" | b"procedure" | b"into"
                if !table =>
            {
                self.top().clause = Clause::Rest;
            }
            b"union" | b"except" | b"intersect" | b"minus" => self.set_operator(),
            _ if kind == TokenKind::Comma => {
                self.top().joins = Joins::NONE;
                self.top().clause = Clause::From { table: true };
            }
            _ if table => return self.table(),
            other => {
                self.top().joins.word(other);
            }
        }
        self.cursor.advance();
    }

    /// FROM where tables were being read already.
    fn second_from(&mut self) {
        let top = self.top();
        top.clause = Clause::From { table: true };
        let names_rows = top.deletes && !top.from;
        top.from = true;
        // What stood between DELETE and FROM are tables of FROM, or their aliases.
        if names_rows && let Some(scope) = self.scopes.last_mut() {
            scope.sources.clear();
        }
    }

    /// A token where a table's name is expected.
    fn table(&mut self) {
        let kind = self.cursor.token.kind;
        if kind == TokenKind::Operator {
            return self.cursor.advance();
        }
        if self.at_modifier() {
            return self.cursor.advance();
        }
        self.top().clause = Clause::From { table: false };
        let mut parts = Parts::default();
        while matches!(self.cursor.token.kind, TokenKind::Word | TokenKind::Quoted | TokenKind::Dot) && !self.at_end() {
            if self.cursor.token.kind != TokenKind::Dot {
                parts.push(text_of(self.cursor.sql, self.cursor.token));
            }
            let ends = self.cursor.token.kind != TokenKind::Dot && self.cursor.next.kind != TokenKind::Dot;
            self.cursor.advance();
            if ends {
                break;
            }
        }
        let table = parts.take();
        if table.is_none() && !matches!(kind, TokenKind::Dot) {
            // A variable, a file, a parameter.
            self.cursor.advance();
        }
        let name = table.as_ref().map(|table| table.name.clone());
        let is_function = self.cursor.token.kind == TokenKind::LParen;
        let table = table.filter(|table| {
            let is_cte = table.schema.is_none() && self.ctes.contains(&table.name);
            !is_function && !is_cte && !table.name.starts_with('@')
        });
        let source = self.add(Source { name, aliased: false, table });
        self.top().unnamed = source;
        if !is_function {
            self.alias_behind();
        }
    }

    /// Whether a word stands between a verb and a table. Behind FROM it may be the table itself: there only two are none.
    fn at_modifier(&self) -> bool {
        let (word, before) = (self.cursor.word(), self.cursor.word_of(self.cursor.previous));
        let next = self.cursor.word_of(self.cursor.next);
        let may_be = match word.as_bytes() {
            b"lateral" => true,
            b"only" => self.cursor.dialect == Dialect::PostgreSql,
            b"or" => matches!(next.as_bytes(), b"replace" | b"ignore" | b"abort" | b"fail" | b"rollback"),
            _ => !matches!(before.as_bytes(), b"" | b"from" | b"join" | b"straight_join" | b"apply" | b"using"),
        };
        may_be && is_modifier(word.as_bytes(), self.cursor.next, before.as_bytes())
    }

    fn add(&mut self, source: Source) -> Option<usize> {
        self.scopes.last_mut().and_then(|scope| scope.add(source))
    }

    /// Reads the alias that may stand at the cursor, for the source that waits for one.
    pub(super) fn alias_behind(&mut self) {
        let unnamed = self.top().unnamed.take();
        let explicit = self.cursor.word().as_bytes() == b"as";
        if explicit && !self.at_end() {
            self.cursor.advance();
        }
        let is_name = match self.cursor.token.kind {
            // Some take a string for an alias. No column is called by it, nor by the table's name.
            TokenKind::Quoted | TokenKind::Text => true,
            TokenKind::Word => explicit || !follows_table(self.cursor.word().as_bytes()),
            _ => false,
        };
        if !is_name || self.at_end() {
            return;
        }
        let alias = text_of(self.cursor.sql, self.cursor.token);
        self.cursor.advance();
        if let Some(index) = unnamed
            && let Some(source) = self.scopes.last_mut().and_then(|scope| scope.sources.get_mut(index))
        {
            source.name = Some(alias);
            source.aliased = true;
        }
    }
}

/// Whether a word behind a table is no alias.
fn follows_table(word: &[u8]) -> bool {
    matches!(
        word,
        b"where"
            | b"join"
            | b"inner"
            | b"left"
            | b"right"
            | b"full"
            | b"outer"
            | b"cross"
            | b"natural"
            | b"anti"
            | b"semi"
            | b"straight_join"
            | b"apply"
            | b"on"
            | b"using"
            | b"set"
            | b"from"
            | b"group"
            | b"order"
            | b"having"
            | b"limit"
            | b"offset"
            | b"fetch"
            | b"union"
            | b"except"
            | b"intersect"
            | b"minus"
            | b"for"
            | b"window"
            | b"qualify"
            | b"use"
            | b"force"
            | b"ignore"
            | b"with"
            | b"tablesample"
            | b"partition"
            | b"returning"
            | b"output"
            | b"values"
            | b"select"
            | b"default"
            | b"into"
            | b"connect"
            | b"start"
            | b"procedure"
            | b"option"
            | b"pivot"
            | b"unpivot"
            | b"lock"
            | b"indexed"
            | b"not"
    )
}
