//! The fields of a rule's `match`.

/// A field of a rule's `match`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum MatchField {
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
}

impl MatchField {
    /// Every field, in the order of the documentation.
    pub(crate) const ALL: [Self; 11] = [
        Self::Like,
        Self::Fingerprints,
        Self::Pattern,
        Self::Keywords,
        Self::Kinds,
        Self::Tables,
        Self::Databases,
        Self::User,
        Self::Tags,
        Self::Where,
        Self::Columns,
    ];

    /// Their names, in the same order.
    pub(crate) const NAMES: [&'static str; Self::ALL.len()] = {
        let mut names = [""; Self::ALL.len()];
        let mut i = 0;
        while i < names.len() {
            names[i] = Self::ALL[i].name();
            i += 1;
        }
        names
    };

    /// The name used in rule files.
    pub(crate) const fn name(self) -> &'static str {
        match self {
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
        }
    }
}
