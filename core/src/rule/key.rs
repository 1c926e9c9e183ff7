//! What a rule counts by.

use super::quantity::{Misread, Wrong, quoted};
use super::text;
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

impl Part {
    /// Whether only a statement has it.
    pub(crate) const fn needs_sql(&self) -> bool {
        matches!(self, Self::Kind | Self::Fingerprint | Self::Table | Self::Column(_))
    }

    /// Whether both are one part.
    pub(crate) fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Column(a), Self::Column(b)) => a.folded() == b.folded(),
            (a, b) => a == b,
        }
    }

    /// Reads what a rule file writes.
    pub(crate) fn read(text: &str) -> Result<Self, Misread> {
        const NAMES: [(&str, Part); 6] = [
            ("user", Part::User),
            ("client", Part::Client),
            ("database", Part::Database),
            ("kind", Part::Kind),
            ("fingerprint", Part::Fingerprint),
            ("table", Part::Table),
        ];
        if let Some((_, part)) = NAMES.into_iter().find(|(name, _)| *name == text) {
            return Ok(part);
        }
        if let Some(name) = text.strip_prefix("tag:") {
            return text::PER_TAG.check(name).map(|()| Self::Tag(name.to_owned()));
        }
        if let Some(column) = text.strip_prefix("column:") {
            return ColumnName::read(column).map(Self::Column);
        }
        let example = "`tag:NAME` or `column:TABLE.COLUMN`";
        let expected = match text {
            "tag" | "column" => format!("say which: {example}"),
            _ => format!("write one of `user`, `client`, `database`, `kind`, `fingerprint`, `table`, {example}"),
        };
        Err(Misread::new(Wrong::Unknown, format!("{} is unknown", quoted(text)), expected))
    }

    /// What is wrong with a part that was built in code.
    pub(super) fn check(&self) -> Result<(), Misread> {
        match self {
            Self::Tag(name) => text::PER_TAG.check(name),
            Self::Column(column) => column.check(),
            _ => Ok(()),
        }
    }
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

    /// Reads `table.column` or `schema.table.column`; a schema may have parts of its own.
    pub(crate) fn read(text: &str) -> Result<Self, Misread> {
        let (table, column) = text.rsplit_once('.').ok_or_else(|| {
            let found = format!("{} names no table and column", quoted(text));
            Misread::new(Wrong::Malformed, found, "write `orders.id`, or `shop.orders.id` where the schema matters")
        })?;
        let (schema, table) = match table.rsplit_once('.') {
            Some((schema, table)) => (Some(schema.to_owned()), table),
            None => (None, table),
        };
        let name = Self { schema, table: table.to_owned(), column: column.to_owned() };
        name.check().map(|()| name)
    }

    /// What is wrong with a name that was built in code.
    pub(super) fn check(&self) -> Result<(), Misread> {
        let schema = self.schema.iter().flat_map(|schema| schema.split('.'));
        [&*self.table, &*self.column].into_iter().chain(schema).try_for_each(|part| text::COLUMN_PART.check(part))
    }

    /// The same for every name of one column.
    pub(super) fn folded(&self) -> String {
        self.to_string().to_ascii_lowercase()
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
