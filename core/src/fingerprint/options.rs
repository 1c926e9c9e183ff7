//! How statements are fingerprinted: the `dialect` and `fingerprint` part of a rule file.

use super::dialect::Dialect;
use super::hash::HashKind;
use std::fmt;
use std::str::FromStr;

/// What becomes of the length of a list of constants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum InLists {
    /// A list of any length from one up is one shape, `in (?)`.
    #[default]
    Collapse,
    /// Duplicates are dropped, and the number of distinct constants is part of the shape: `in (?,?,?)`.
    Distinct,
}

/// The text is neither `collapse` nor `distinct`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownInLists(String);

impl fmt::Display for UnknownInLists {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown list mode `{}`; the modes are collapse, distinct", self.0)
    }
}

impl std::error::Error for UnknownInLists {}

impl InLists {
    /// The name used in rule files and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Collapse => "collapse",
            Self::Distinct => "distinct",
        }
    }
}

impl FromStr for InLists {
    type Err = UnknownInLists;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "collapse" => Ok(Self::Collapse),
            "distinct" => Ok(Self::Distinct),
            _ => Err(UnknownInLists(text.to_owned())),
        }
    }
}

/// Everything the fingerprint of a text depends on besides the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
}
