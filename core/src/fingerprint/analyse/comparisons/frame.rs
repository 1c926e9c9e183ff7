//! Where the reading stands inside a statement: one frame for each open parenthesis.

use super::joins::{Joins, Kept};

/// What a pair of parentheses holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// The statement itself, or a query.
    Query,
    /// Joins in parentheses: their tables are those of the query around them.
    Sources,
    /// A part of a condition.
    Group,
    /// Anything else: nothing in it is read.
    Opaque,
}

/// The clause of a query that is being read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Clause {
    /// Its first word is still to come.
    Start,
    /// The CTEs before it; whether the next name is one's.
    With { name: bool },
    /// Behind INSERT: the query whose rows it takes may follow.
    Insert,
    /// What stands before FROM or WHERE: the columns of a query, the assignments of an UPDATE.
    Columns,
    /// FROM, and where tables stand without it; whether the next name is a table's.
    From { table: bool },
    /// WHERE or ON.
    Condition,
    /// Nothing more is compared in this query.
    Rest,
}

/// How far a term of a condition, what stands between two ANDs, has been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// Nothing yet.
    Start,
    /// A whole comparison. What was found in it holds if nothing more belongs to the term.
    Complete,
    /// It is something else.
    Other,
}

/// A condition, or a part of one in parentheses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Level {
    /// How many comparisons had been found where it began, and where its term did.
    pub(super) first: usize,
    pub(super) term: usize,
    pub(super) progress: Progress,
    /// It is the one side of an OR or the like: nothing in it must hold.
    pub(super) dead: bool,
    /// Open CASEs, within which AND joins no terms.
    pub(super) cases: usize,
    /// BETWEENs that wait for their AND.
    pub(super) betweens: usize,
}

impl Level {
    pub(super) const fn new(found: usize) -> Self {
        Self { first: found, term: found, progress: Progress::Start, dead: false, cases: 0, betweens: 0 }
    }

    /// Behind AND.
    pub(super) fn next_term(&mut self, found: usize) {
        self.term = found;
        self.progress = Progress::Start;
    }
}

/// One open parenthesis, or the statement itself.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub(super) role: Role,
    pub(super) clause: Clause,
    /// Parentheses open within one that is not read.
    pub(super) deeper: usize,
    pub(super) level: Level,
    /// What the condition's join asks; `None` in a WHERE.
    pub(super) join: Option<(Kept, Option<usize>)>,
    pub(super) joins: Joins,
    /// The query has its scope.
    pub(super) scoped: bool,
    pub(super) deletes: bool,
    /// FROM was read.
    pub(super) from: bool,
    /// The source whose alias stands behind a parenthesis.
    pub(super) unnamed: Option<usize>,
    /// The CTE whose query is read.
    pub(super) cte: Option<String>,
}

impl Frame {
    pub(super) const fn new(role: Role, clause: Clause, found: usize) -> Self {
        Self {
            role,
            clause,
            deeper: 0,
            level: Level::new(found),
            join: None,
            joins: Joins::NONE,
            scoped: false,
            deletes: false,
            from: false,
            unnamed: None,
            cte: None,
        }
    }

    /// Whether conditions are being read here.
    pub(super) fn is_condition(&self) -> bool {
        match self.role {
            Role::Group => true,
            Role::Query | Role::Sources => self.clause == Clause::Condition,
            Role::Opaque => false,
        }
    }
}
