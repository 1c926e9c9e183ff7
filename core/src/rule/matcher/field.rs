//! What of a rule's `match` a statement fails.

/// A field of a rule's `match`, or what else keeps a statement from matching.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Field {
    /// The statement manages a transaction, a setting or a cursor, and the rule does not name its kind.
    NeverChecked,
    Like,
    Fingerprints,
    Pattern,
    Keywords,
    Kinds,
    Tables,
    Databases,
    User,
    Tags,
    Where,
    Columns,
    /// The statement does not compare a column that the rule counts by.
    Per,
}

impl Field {
    /// The name used in rule files; of [`NeverChecked`](Self::NeverChecked) the one that explanations use.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::NeverChecked => "never_checked",
            Self::Like => "like",
            Self::Fingerprints => "fingerprints",
            Self::Pattern => "pattern",
            Self::Keywords => "keywords",
            Self::Kinds => "kinds",
            Self::Tables => "tables",
            Self::Databases => "databases",
            Self::User => "user",
            Self::Tags => "tags",
            Self::Where => "where",
            Self::Columns => "columns",
            Self::Per => "per",
        }
    }
}
