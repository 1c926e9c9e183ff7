//! How statements are fingerprinted: the `dialect` and `fingerprint` part of a rule file.

use super::dialect::Dialect;
use super::hash::HashKind;
use crate::name::named;

/// What becomes of the length of a list of constants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum InLists {
    /// A list of any length from one up is one shape, `in (?)`.
    #[default]
    Collapse,
    /// Duplicates are dropped, and the number of distinct constants is part of the shape: `in (?,?,?)`.
    Distinct,
}

impl InLists {
    /// Both, in the order of the documentation.
    pub const ALL: [Self; 2] = [Self::Collapse, Self::Distinct];

    /// The name used in rule files and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Collapse => "collapse",
            Self::Distinct => "distinct",
        }
    }
}

named!(InLists, "list mode");

/// Everything the fingerprint of a text depends on besides the text.
///
/// ```
/// use sqlthrottle::{Dialect, FingerprintOptions, HashKind, InLists};
///
/// let options = FingerprintOptions::new(Dialect::MySql).hash(HashKind::Sha1).in_lists(InLists::Distinct);
/// assert_eq!((options.dialect, options.fold_digits, options.max_sql_bytes), (Dialect::MySql, false, 1 << 20));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct FingerprintOptions {
    /// The lexical rules.
    pub dialect: Dialect,
    /// The hash that names a normalised text.
    pub hash: HashKind,
    /// What becomes of the length of a list.
    pub in_lists: InLists,
    /// Whether digits in table names are folded: `orders_0042` reads `orders_N`.
    pub fold_digits: bool,
    /// Longest printed normalised text, in bytes. Longer statements are hashed whole and printed cut, with a mark.
    pub max_sql_bytes: usize,
}

impl Default for FingerprintOptions {
    fn default() -> Self {
        Self {
            dialect: Dialect::Generic,
            hash: HashKind::Sha256,
            in_lists: InLists::Collapse,
            fold_digits: false,
            max_sql_bytes: 1 << 20,
        }
    }
}

impl FingerprintOptions {
    /// The defaults, in the given dialect.
    pub fn new(dialect: Dialect) -> Self {
        Self { dialect, ..Self::default() }
    }

    /// With another hash.
    #[must_use]
    pub fn hash(mut self, hash: HashKind) -> Self {
        self.hash = hash;
        self
    }

    /// With another way to read lists.
    #[must_use]
    pub fn in_lists(mut self, in_lists: InLists) -> Self {
        self.in_lists = in_lists;
        self
    }

    /// With the digits in table names folded, or not.
    #[must_use]
    pub fn fold_digits(mut self, fold_digits: bool) -> Self {
        self.fold_digits = fold_digits;
        self
    }

    /// With another longest printed text, in bytes.
    #[must_use]
    pub fn max_sql_bytes(mut self, max_sql_bytes: usize) -> Self {
        self.max_sql_bytes = max_sql_bytes;
        self
    }
}
