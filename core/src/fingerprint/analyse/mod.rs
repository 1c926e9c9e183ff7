//! What a statement does: kinds, tables, WHERE, predicates. Runs once a shape, never on the hot path.
//!
//! Two readers share the work. The lexical one ([`scan`]) reads any bytes in one pass and without recursion; it alone
//! divides a text into statements and says their kinds and whether they only read. A statement within the [`text`] budget is
//! parsed as well, and then the parser's tree says what its tables, predicates and WHERE are. Where the parser refuses, or
//! is not asked, the lexical reading of those stands; of predicates it is [`comparisons`], which reads the tokens once more.

mod clauses;
mod comparisons;
mod condition;
mod constant;
mod cursor;
mod effects;
mod frame;
mod head;
mod names;
mod parse;
mod predicates;
mod reading;
mod scan;
mod statement;
mod tables;
#[cfg(test)]
mod tests;
mod text;
mod unchecked;
mod where_clause;
mod word;

pub(crate) use unchecked::is_never_checked;

use super::dialect::Dialect;
use crate::name::named;
use cursor::Cursor;
use std::collections::HashSet;
use std::fmt;
use where_clause::Reading;

/// The kind of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// SELECT, VALUES, TABLE, WITH … SELECT.
    Select,
    /// INSERT.
    Insert,
    /// REPLACE.
    Replace,
    /// UPDATE.
    Update,
    /// DELETE.
    Delete,
    /// MERGE.
    Merge,
    /// CALL, EXEC, DO.
    Call,
    /// CREATE, ALTER, DROP, TRUNCATE and the like.
    Ddl,
    /// BEGIN, COMMIT, ROLLBACK, SAVEPOINT and the like.
    Transaction,
    /// SET, RESET.
    Set,
    /// SHOW, DESCRIBE.
    Show,
    /// EXPLAIN that runs nothing.
    Explain,
    /// COPY, LOAD DATA.
    Copy,
    /// LOCK TABLES.
    Lock,
    /// Anything else.
    Other,
}

impl Kind {
    /// Every kind, in the order of the documentation.
    pub const ALL: [Self; 15] = [
        Self::Select,
        Self::Insert,
        Self::Replace,
        Self::Update,
        Self::Delete,
        Self::Merge,
        Self::Call,
        Self::Ddl,
        Self::Transaction,
        Self::Set,
        Self::Show,
        Self::Explain,
        Self::Copy,
        Self::Lock,
        Self::Other,
    ];

    /// The name used in rule files, JSON and every binding.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Select => "select",
            Self::Insert => "insert",
            Self::Replace => "replace",
            Self::Update => "update",
            Self::Delete => "delete",
            Self::Merge => "merge",
            Self::Call => "call",
            Self::Ddl => "ddl",
            Self::Transaction => "transaction",
            Self::Set => "set",
            Self::Show => "show",
            Self::Explain => "explain",
            Self::Copy => "copy",
            Self::Lock => "lock",
            Self::Other => "other",
        }
    }
}

named!(Kind, "kind");

/// How the WHERE clause of a statement reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Where {
    /// The kind of statement has no WHERE.
    None,
    /// A condition.
    Present,
    /// No condition where there could be one.
    Missing,
    /// A condition that holds for every row, such as `1=1`.
    AlwaysTrue,
}

impl Where {
    /// Every way, from the best to the worst.
    pub const ALL: [Self; 4] = [Self::None, Self::Present, Self::AlwaysTrue, Self::Missing];

    /// The name used in rule files, JSON and every binding.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Present => "present",
            Self::Missing => "missing",
            Self::AlwaysTrue => "always_true",
        }
    }
}

named!(Where, "WHERE");

/// A table named by a statement.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct TableName {
    /// The schema (with the database, `a.b`), where it is written.
    pub schema: Option<String>,
    /// The name, unquoted; lower case where it was written without quotes.
    pub name: String,
}

impl fmt::Display for TableName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.schema {
            Some(schema) => write!(f, "{schema}.{}", self.name),
            None => f.write_str(&self.name),
        }
    }
}

/// How a predicate compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Operator {
    /// `column = value`
    Equal,
    /// `column IN (values)`
    In,
}

/// A value a column is compared with.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Value {
    /// A constant, unquoted.
    Constant(String),
    /// The bound parameter at this position, counted from 0: the one a numbered placeholder (`$2`, `?2`, `:2`) names, else the
    /// n-th placeholder of the text.
    Placeholder(usize),
}

/// A column compared by `=` or IN with values, in a WHERE or JOIN condition.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Predicate {
    /// The table, where the column's qualifier or a single table tells it.
    pub table: Option<TableName>,
    /// The column's name.
    pub column: String,
    /// How it is compared.
    pub operator: Operator,
    /// What it is compared with.
    pub values: Vec<Value>,
}

/// What a statement does.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Analysis {
    /// One kind for each statement of the text; empty where the text holds none.
    pub kinds: Vec<Kind>,
    /// The tables named, each once, in order of appearance.
    pub tables: Vec<TableName>,
    /// The worst WHERE of the text's UPDATEs and DELETEs; where there are none, of its SELECTs. A SELECT without FROM has
    /// nothing to restrict: none.
    pub where_clause: Where,
    /// Whether constants or parameters had a say in `where_clause`, as in `1=1`: then it holds for this text and not for its shape.
    pub where_reads_constants: bool,
    /// The columns compared with values, in order of appearance.
    pub predicates: Vec<Predicate>,
    /// Whether the text only reads, so that an empty result is an honest stand-in.
    pub plain_read: bool,
    /// Whether the text is one statement that manages a transaction, a setting or a cursor and runs nothing besides: no rule
    /// is asked about it, unless one names its kind.
    pub never_checked: bool,
}

impl Where {
    /// The worse of two: none, present, always true, missing.
    #[must_use]
    pub const fn worst(self, other: Self) -> Self {
        if self.rank() < other.rank() { other } else { self }
    }

    const fn rank(self) -> u8 {
        match self {
            Self::None => 0,
            Self::Present => 1,
            Self::AlwaysTrue => 2,
            Self::Missing => 3,
        }
    }
}

/// What the tokens of a text say of it, without its grammar: all that a check needs at first sight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Classification {
    pub(crate) kinds: Vec<Kind>,
    pub(crate) plain_read: bool,
}

/// Reads of what kinds a text's statements are. Never fails, whatever the bytes; linear in their number.
pub(crate) fn classify(sql: &[u8], dialect: Dialect) -> Classification {
    let mut classification = Classification { kinds: vec![], plain_read: true };
    scan::scan(sql, dialect, |statement| {
        classification.kinds.push(statement.kind);
        classification.plain_read &= statement.plain_read;
    });
    classification.plain_read &= !classification.kinds.is_empty();
    classification
}

/// Reads what a statement does. Never fails, whatever the bytes; linear in their number.
///
/// A panic inside the SQL parser counts as its refusal. The program's panic hook sees it all the same, so with the standard
/// one a message may appear on the standard error; where panics abort, nothing is caught.
pub fn analyse(sql: &[u8], dialect: Dialect) -> Analysis {
    let mut analysis = Analysis {
        kinds: vec![],
        tables: vec![],
        where_clause: Where::None,
        where_reads_constants: false,
        predicates: vec![],
        plain_read: true,
        never_checked: is_never_checked(sql, dialect),
    };
    let mut tables = HashSet::new();
    let (mut reads, mut writes) = (Reading::NONE, Reading::NONE);
    let mut behind = Cursor::new(sql, dialect);
    scan::scan(sql, dialect, |statement| {
        let read = reading::read(&statement, &mut behind);
        let worst = if statement.kind == Kind::Select { &mut reads } else { &mut writes };
        *worst = worst.worst(read.condition);
        analysis.kinds.push(statement.kind);
        analysis.plain_read &= statement.plain_read;
        analysis.predicates.extend(read.predicates);
        analysis.tables.extend(read.tables.into_iter().filter(|table| tables.insert(table.clone())));
    });
    let condition = if writes.clause == Where::None { reads } else { writes };
    analysis.where_clause = condition.clause;
    analysis.where_reads_constants = condition.reads_constants;
    analysis.plain_read &= !analysis.kinds.is_empty();
    analysis
}
