//! The SQL dialect of a statement: said by the rule file or by the integration, never guessed.

use std::fmt;
use std::str::FromStr;

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

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The text names no dialect; the message lists those there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownDialect(String);

impl fmt::Display for UnknownDialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown dialect `{}`; the dialects are ", self.0)?;
        for (i, dialect) in Dialect::ALL.into_iter().enumerate() {
            write!(f, "{}{dialect}", if i == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

impl std::error::Error for UnknownDialect {}

impl FromStr for Dialect {
    type Err = UnknownDialect;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|dialect| dialect.name() == text).ok_or_else(|| UnknownDialect(text.to_owned()))
    }
}
