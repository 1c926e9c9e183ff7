//! What a rule matches.

use super::{ColumnName, FingerprintPrefix};
use crate::fingerprint::Kind;
use crate::name::named;
use std::collections::BTreeMap;

/// What a rule matches: all that is given must hold, and of a list any. Request rules look at `databases`, `users` and `tags`
/// alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Matching {
    /// Statements of these shapes. Each text is read in the dialect of the file.
    pub like: Vec<String>,
    /// Statements with these fingerprints. With `like` either is enough: both name shapes.
    pub fingerprints: Vec<FingerprintPrefix>,
    /// A regular expression on the normalised text, any case, from its start.
    pub pattern: Option<String>,
    /// Whole words of the normalised text, in this order, any case.
    pub keywords: Vec<String>,
    /// Kinds of statement; of a batch, one of its statements.
    pub kinds: Vec<Kind>,
    /// Names of tables, any case, with `*` for any characters; `schema.table` where the schema matters, which is then
    /// compared where the statement writes one.
    pub tables: Vec<String>,
    /// Databases.
    pub databases: Vec<String>,
    /// Accounts as MySQL writes them, `user@host`, with `%` and `_` in the host.
    pub users: Vec<String>,
    /// Tags of the context, each with the values it may have.
    pub tags: BTreeMap<String, Vec<String>>,
    /// UPDATE and DELETE of the whole table.
    pub whole_table: Option<WholeTable>,
    /// Columns compared by `=` or IN with one of these values.
    pub columns: Vec<(ColumnName, Vec<String>)>,
}

/// How the WHERE of an UPDATE or DELETE of a whole table reads (the file calls it `where`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WholeTable {
    /// There is none.
    Missing,
    /// It holds for every row, as `1=1` does.
    AlwaysTrue,
}

impl WholeTable {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Missing, Self::AlwaysTrue];

    /// The name used in rule files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::AlwaysTrue => "always_true",
        }
    }
}

named!(WholeTable, "way of WHERE");
