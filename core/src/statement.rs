//! A statement and its context.

use crate::fingerprint::Dialect;

/// What the caller can stand in for when a statement is ignored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Fakes {
    /// Nothing: an ignored statement is aborted instead.
    #[default]
    None,
    /// An empty result set.
    Rows,
    /// A count of affected rows.
    Count,
    /// Both.
    RowsAndCount,
}

impl Fakes {
    /// Whether an empty result set can be faked.
    pub const fn rows(self) -> bool {
        matches!(self, Self::Rows | Self::RowsAndCount)
    }

    /// Whether a count of affected rows can be faked.
    pub const fn count(self) -> bool {
        matches!(self, Self::Count | Self::RowsAndCount)
    }
}

/// A statement and its context.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct Statement<'a> {
    pub(crate) sql: &'a [u8],
    pub(crate) dialect: Option<Dialect>,
    pub(crate) fakes: Fakes,
    pub(crate) weight: u32,
}

impl<'a> Statement<'a> {
    /// A statement of any bytes.
    pub fn new(sql: &'a (impl AsRef<[u8]> + ?Sized)) -> Self {
        Self { sql: sql.as_ref(), dialect: None, fakes: Fakes::None, weight: 1 }
    }

    /// The dialect of this statement, where it differs from the rule file's.
    pub fn dialect(mut self, dialect: Dialect) -> Self {
        self.dialect = Some(dialect);
        self
    }

    /// What the caller can stand in for when the statement is ignored.
    pub fn fakes(mut self, fakes: Fakes) -> Self {
        self.fakes = fakes;
        self
    }

    /// How many executions this check speaks for: a JDBC batch of 50 weighs 50. Zero counts as one.
    pub fn weight(mut self, weight: u32) -> Self {
        self.weight = weight.max(1);
        self
    }
}
