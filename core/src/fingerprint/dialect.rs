//! The SQL dialect of a statement: said by the rule file or by the integration, never guessed.

use crate::name::named;

/// The lexical rules a statement is read by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Dialect {
    /// ANSI: `"x"` is an identifier, no backslash escapes; backquotes quote too, and brackets that hold a plain name.
    #[default]
    Generic,
    /// MySQL and MariaDB: `"x"` is a string, `\` escapes, `#` comments, `/*! … */` is code, `@v` is a variable.
    MySql,
    /// PostgreSQL: dollar quotes, nested comments, `E''`, and operators made of `?`, `#` and `@`.
    PostgreSql,
    /// SQLite: every quote, and `?1`, `:name`, `@name`, `$name` placeholders.
    Sqlite,
    /// Microsoft SQL Server: `[x]` is an identifier, `@p1` a placeholder, no backslash.
    MsSql,
    /// Oracle: q-quotes and `:name`.
    Oracle,
}

impl Dialect {
    /// Every dialect, in the order of the documentation.
    pub const ALL: [Self; 6] = [Self::Generic, Self::MySql, Self::PostgreSql, Self::Sqlite, Self::MsSql, Self::Oracle];

    /// The name used in rule files and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Generic => "generic",
            Self::MySql => "mysql",
            Self::PostgreSql => "postgresql",
            Self::Sqlite => "sqlite",
            Self::MsSql => "mssql",
            Self::Oracle => "oracle",
        }
    }
}

named!(Dialect, "dialect");
