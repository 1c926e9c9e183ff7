//! What a rule counts by.

use std::fmt;

/// A part of the key that a rule counts by.
///
/// A user, client, database or tag that a statement does not say is a key of its own, shared by all that do not say it; a
/// statement without the column is not matched. A part with several values (tables, kinds, an IN list) makes several
/// keys, at most 16.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Part {
    /// The user.
    User,
    /// The address of the client.
    Client,
    /// The database.
    Database,
    /// The kind of statement.
    Kind,
    /// The shape.
    Fingerprint,
    /// Each table that the statement names.
    Table,
    /// A tag of the context.
    Tag(String),
    /// What a column is compared with by `=` or IN.
    Column(ColumnName),
}

impl fmt::Display for Part {
    /// As a rule file writes it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::User => f.write_str("user"),
            Self::Client => f.write_str("client"),
            Self::Database => f.write_str("database"),
            Self::Kind => f.write_str("kind"),
            Self::Fingerprint => f.write_str("fingerprint"),
            Self::Table => f.write_str("table"),
            Self::Tag(name) => write!(f, "tag:{name}"),
            Self::Column(column) => write!(f, "column:{column}"),
        }
    }
}

/// A column of a table, any case: `orders.id`, or `shop.orders.id` where the schema matters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct ColumnName {
    /// The schema, compared where the statement writes one; none for any.
    pub schema: Option<String>,
    /// The table.
    pub table: String,
    /// The column.
    pub column: String,
}

impl ColumnName {
    /// A column of a table in any schema.
    pub fn new(table: impl Into<String>, column: impl Into<String>) -> Self {
        Self { schema: None, table: table.into(), column: column.into() }
    }
}

impl fmt::Display for ColumnName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(schema) = &self.schema {
            write!(f, "{schema}.")?;
        }
        write!(f, "{}.{}", self.table, self.column)
    }
}
