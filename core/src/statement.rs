//! A statement and its context.

use crate::context::Context;
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
///
/// ```
/// use sqlthrottle::{Fakes, Statement};
///
/// let statement = Statement::new("select * from reports where id = ?")
///     .user("dev")
///     .client("192.168.0.7")
///     .tag("endpoint", "report")
///     .params(&[Some(b"42")])
///     .fakes(Fakes::Rows);
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Statement<'a> {
    pub(crate) sql: &'a [u8],
    pub(crate) dialect: Option<Dialect>,
    pub(crate) fakes: Fakes,
    pub(crate) weight: u32,
    pub(crate) context: Context<'a>,
    pub(crate) params: &'a [Option<&'a [u8]>],
}

impl<'a> Statement<'a> {
    /// A statement of any bytes.
    #[inline]
    pub fn new(sql: &'a (impl AsRef<[u8]> + ?Sized)) -> Self {
        Self { sql: sql.as_ref(), dialect: None, fakes: Fakes::None, weight: 1, context: Context::new(), params: &[] }
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
        self.set_weight(weight);
        self
    }

    /// Who sends it and where to, all at once.
    pub fn context(mut self, context: Context<'a>) -> Self {
        self.context = context;
        self
    }

    /// Sets the dialect, as [`dialect`](Self::dialect) does; none for the rule file's. In place, as are the setters after
    /// it: a statement is large, and bindings fill it field by field.
    #[inline]
    pub fn set_dialect(&mut self, dialect: Option<Dialect>) {
        self.dialect = dialect;
    }

    /// Sets what can be faked, as [`fakes`](Self::fakes) does.
    #[inline]
    pub fn set_fakes(&mut self, fakes: Fakes) {
        self.fakes = fakes;
    }

    /// Sets the weight, as [`weight`](Self::weight) does.
    #[inline]
    pub fn set_weight(&mut self, weight: u32) {
        self.weight = weight.max(1);
    }

    /// Sets the bound parameters, as [`params`](Self::params) does.
    #[inline]
    pub fn set_params(&mut self, params: &'a [Option<&'a [u8]>]) {
        self.params = params;
    }

    /// Who sends it and where to, to be filled in place.
    #[inline]
    pub fn context_mut(&mut self) -> &mut Context<'a> {
        &mut self.context
    }

    /// The database user, as [`Context::user`].
    pub fn user(mut self, user: &'a (impl AsRef<[u8]> + ?Sized)) -> Self {
        self.context = self.context.user(user);
        self
    }

    /// The address of the client, as [`Context::client`].
    pub fn client(mut self, client: &'a (impl AsRef<[u8]> + ?Sized)) -> Self {
        self.context = self.context.client(client);
        self
    }

    /// The database, as [`Context::database`].
    pub fn database(mut self, database: &'a (impl AsRef<[u8]> + ?Sized)) -> Self {
        self.context = self.context.database(database);
        self
    }

    /// A tag, as [`Context::tag`].
    pub fn tag(mut self, name: &'a (impl AsRef<[u8]> + ?Sized), value: &'a (impl AsRef<[u8]> + ?Sized)) -> Self {
        self.context = self.context.tag(name, value);
        self
    }

    /// The bound parameters in order, each in the textual form that a constant in its place would have, without quotes; none
    /// for NULL and for what has no such form. Rules that count by a column, or match one, read them.
    pub fn params(mut self, params: &'a [Option<&'a [u8]>]) -> Self {
        self.params = params;
        self
    }
}
