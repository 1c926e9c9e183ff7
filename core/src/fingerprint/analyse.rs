//! What a statement does: kinds, tables, WHERE, predicates. Runs once a shape, never on the hot path.

use super::dialect::Dialect;
use std::fmt;

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

/// A table named by a statement.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
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
pub enum Operator {
    /// `column = value`
    Equal,
    /// `column IN (values)`
    In,
}

/// A value a column is compared with.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// A constant, unquoted.
    Constant(String),
    /// The n-th placeholder of the statement, counted from 0.
    Placeholder(usize),
}

/// A column compared by `=` or IN with values, in a WHERE or JOIN condition.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
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
pub struct Analysis {
    /// One kind for each statement of the text; empty where the text holds none.
    pub kinds: Vec<Kind>,
    /// The tables named, each once, in order of appearance.
    pub tables: Vec<TableName>,
    /// The worst WHERE of the text's statements.
    pub where_clause: Where,
    /// The columns compared with values, in order of appearance.
    pub predicates: Vec<Predicate>,
    /// Whether the text only reads, so that an empty result is an honest stand-in.
    pub plain_read: bool,
    /// Whether no rule is asked unless it names the kind: BEGIN, COMMIT, SET and the like, alone and without a subquery.
    pub never_checked: bool,
}

/// Reads what a statement does.
pub fn analyse(_sql: &[u8], _dialect: Dialect) -> Analysis {
    Analysis {
        kinds: vec![],
        tables: vec![],
        where_clause: Where::None,
        predicates: vec![],
        plain_read: false,
        never_checked: false,
    }
}
