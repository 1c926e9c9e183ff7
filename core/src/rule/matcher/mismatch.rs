//! What keeps a statement from matching a rule.

use crate::rule::MatchField;

/// What keeps a statement from matching a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Mismatch {
    /// The statement manages a transaction, a setting or a cursor, and the rule does not name its kind.
    NeverChecked,
    /// A field of the rule's `match`.
    Field(MatchField),
    /// The statement does not compare a column that the rule counts by.
    Per,
}

impl Mismatch {
    /// The name of the field in rule files; of [`NeverChecked`](Self::NeverChecked) the one that explanations use.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::NeverChecked => "never_checked",
            Self::Field(field) => field.name(),
            Self::Per => "per",
        }
    }
}

impl From<MatchField> for Mismatch {
    fn from(field: MatchField) -> Self {
        Self::Field(field)
    }
}
