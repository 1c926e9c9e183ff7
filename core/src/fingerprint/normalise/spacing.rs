//! The one canonical spacing: one space where two tokens would read as one or as another, none elsewhere.

use crate::fingerprint::Dialect;

/// What was written last, as far as the next space is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Last {
    /// Nothing, or an opening bracket, a comma, a dot or a semicolon: nothing needs a space behind it.
    Open,
    /// An operator.
    Operator,
    /// A reserved word.
    Reserved,
    /// Any other unquoted word.
    Word,
    /// A constant, a quoted name or a wildcard.
    Value,
    /// A closing bracket.
    Close,
    /// An operator that a word behind it would change: `@` before a name reads as a variable.
    Sigil,
}

impl Last {
    /// Whether a space goes before a word, a quoted name or what is kept of a constant.
    #[inline]
    pub(super) const fn spaces_word(self) -> bool {
        !matches!(self, Self::Open | Self::Operator)
    }

    /// Whether a space goes before a constant, which prints `?`. `end` is the last byte written.
    #[inline]
    pub(super) const fn spaces_constant(self, dialect: Dialect, end: u8) -> bool {
        match self {
            Self::Open => false,
            // PostgreSQL's operators `@?` and `??`.
            Self::Operator => matches!(dialect, Dialect::PostgreSql) && end == b'?',
            Self::Sigil => matches!(dialect, Dialect::PostgreSql) && end == b'@',
            _ => true,
        }
    }

    /// Whether a space goes before an operator that begins with `first`. `end` is the last byte written.
    #[inline]
    pub(super) const fn spaces_operator(self, dialect: Dialect, first: u8, end: u8) -> bool {
        match self {
            Self::Operator | Self::Sigil => true,
            // What would become a part of the name.
            Self::Word | Self::Reserved => match first {
                b'$' => true,
                b'#' => matches!(dialect, Dialect::MsSql | Dialect::Oracle),
                b'@' => matches!(dialect, Dialect::MsSql),
                _ => false,
            },
            Self::Value => (first == b'?' && end == b'?') || end == b'*',
            _ => false,
        }
    }

    /// Whether a space goes before an opening parenthesis.
    #[inline]
    pub(super) const fn spaces_paren(self) -> bool {
        matches!(self, Self::Reserved | Self::Sigil)
    }
}

/// What an operator leaves behind. `prefix`: no value stands before it.
#[inline]
pub(super) const fn after_operator(operator: &[u8], prefix: bool, dialect: Dialect) -> Last {
    let sigil = match operator {
        [b':' | b'$'] | [_, .., b'%'] => true,
        [b'@'] => !matches!(dialect, Dialect::Oracle),
        [b'#'] => matches!(dialect, Dialect::MsSql),
        // `= % s` must not become `%s`, a placeholder.
        [b'%'] => prefix,
        _ => false,
    };
    if sigil { Last::Sigil } else { Last::Operator }
}
