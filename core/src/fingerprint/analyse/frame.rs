//! Where the lexical reading stands inside a statement: one frame for each open parenthesis.

use super::{Kind, Where};

/// What a pair of parentheses holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// The statement itself, or an operand of its UNION.
    Statement,
    /// The statement of a CTE.
    Cte,
    /// Anything else: a subquery, a list, arguments.
    Inner,
}

/// What a name would be here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Expect {
    /// Nothing in particular.
    Nothing,
    /// The name of a CTE.
    Cte,
    /// A table; with a parenthesis behind it a function, or the columns of the table.
    Table { or_function: bool },
    /// The target of a DELETE without FROM, or what its rows are called where FROM follows.
    Target,
}

/// One open parenthesis, or the statement itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) role: Role,
    /// The kind of the statement or subquery here, once its first word was read.
    pub(super) verb: Option<Kind>,
    /// Between WITH and the statement it belongs to.
    pub(super) with: bool,
    /// No word of a statement was read yet.
    pub(super) at_start: bool,
    pub(super) expect: Expect,
    /// A comma at this level brings another table.
    pub(super) listing: bool,
    /// FROM brings tables: it is that of a query, not `extract(year from d)`.
    pub(super) queries: bool,
    /// The query, or DELETE, has had its FROM.
    pub(super) from: bool,
    pub(super) has_where: bool,
}

impl Frame {
    pub(super) const fn new(role: Role) -> Self {
        Self {
            role,
            verb: None,
            with: false,
            at_start: true,
            expect: Expect::Nothing,
            listing: false,
            queries: false,
            from: false,
            has_where: false,
        }
    }

    /// How the WHERE of the query or statement that ends here reads, as far as it counts for the whole.
    pub(super) fn clause(&self) -> Clause {
        let clause = if self.has_where { Where::Present } else { Where::Missing };
        match (self.role, self.verb) {
            // Without FROM there are no rows to restrict: `select @@rowcount`.
            (Role::Statement, Some(Kind::Select)) if self.queries && (self.from || self.has_where) => {
                Clause::Read(clause)
            }
            (Role::Statement | Role::Cte, Some(Kind::Update | Kind::Delete)) => Clause::Write(clause),
            _ => Clause::None,
        }
    }

    /// Behind UNION: another query begins at the same level.
    pub(super) fn begin_operand(&mut self) {
        *self = Self::new(self.role);
    }
}

/// The WHERE of a part of a statement.
#[derive(Clone, Copy, Debug)]
pub(super) enum Clause {
    None,
    Read(Where),
    Write(Where),
}
