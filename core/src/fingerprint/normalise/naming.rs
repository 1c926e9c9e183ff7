//! Names of savepoints and cursors, which programs make up at run time: where the next name is one.

use crate::fingerprint::Dialect;
use crate::fingerprint::keyword::Keyword;

/// What the words so far say of the next name of the statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Naming {
    /// Nothing.
    None,
    /// It names a savepoint or cursor.
    Next,
    /// ROLLBACK: it does so behind TO.
    Rollback,
    /// FETCH or MOVE: it does so unless it is a direction.
    Fetch,
    /// A count or a name behind FETCH or MOVE: another name may follow.
    Fetched,
    /// SQL Server's SAVE: it does so behind TRANSACTION.
    Save,
    /// DECLARE: it does so if CURSOR follows soon.
    Declare,
    /// The name behind DECLARE, written from `start` to `end`; CURSOR may come within `left` words.
    Declared { start: usize, end: usize, left: u8 },
}

/// What is to be written for a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Named {
    /// The name as it stands.
    AsWritten,
    /// `?`
    Folded,
}

impl Naming {
    /// What the first word of a statement says.
    pub(super) const fn at_start(keyword: Keyword, dialect: Dialect) -> Self {
        match keyword {
            Keyword::Savepoint | Keyword::Release | Keyword::Close | Keyword::Open => Self::Next,
            Keyword::Rollback => Self::Rollback,
            Keyword::Fetch | Keyword::Move => Self::Fetch,
            Keyword::Save => Self::Save,
            Keyword::Declare => Self::Declare,
            // Elsewhere it names a prepared statement.
            Keyword::Deallocate if matches!(dialect, Dialect::MsSql) => Self::Next,
            _ => Self::None,
        }
    }

    /// Takes the next word of the statement and says how it is written. `word` is in lower case.
    pub(super) fn word(&mut self, keyword: Keyword, word: &[u8], dialect: Dialect) -> Named {
        match *self {
            Self::Next => match keyword {
                Keyword::Savepoint => return Named::AsWritten,
                Keyword::All => {}
                _ => {
                    *self = Self::None;
                    return Named::Folded;
                }
            },
            Self::Rollback => match keyword {
                Keyword::To => {
                    *self = Self::Next;
                    return Named::AsWritten;
                }
                Keyword::Work => return Named::AsWritten,
                Keyword::Transaction | Keyword::Tran => {
                    *self = if dialect == Dialect::MsSql { Self::Next } else { Self::Rollback };
                    return Named::AsWritten;
                }
                _ => {}
            },
            Self::Save => {
                if matches!(keyword, Keyword::Transaction | Keyword::Tran) {
                    *self = Self::Next;
                    return Named::AsWritten;
                }
            }
            Self::Fetch | Self::Fetched => {
                const DIRECTIONS: [&[u8]; 11] = [
                    b"next",
                    b"prior",
                    b"first",
                    b"last",
                    b"absolute",
                    b"relative",
                    b"all",
                    b"forward",
                    b"backward",
                    b"from",
                    b"in",
                ];
                if DIRECTIONS.contains(&word) {
                    return Named::AsWritten;
                }
                if keyword != Keyword::Into {
                    *self = if *self == Self::Fetch { Self::Fetched } else { Self::None };
                    return Named::Folded;
                }
            }
            _ => {}
        }
        *self = Self::None;
        Named::AsWritten
    }

    /// Takes the next constant or placeholder of the statement: a count, or a name that is folded already.
    pub(super) const fn constant(&mut self) {
        *self = match *self {
            Self::Fetch => Self::Fetched,
            Self::Rollback => Self::Rollback,
            _ => Self::None,
        };
    }
}
