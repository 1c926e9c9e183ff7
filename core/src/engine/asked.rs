//! What is asked: a statement or a request, as the rules look at it.

use crate::context::Context;
use crate::fingerprint::Dialect;
use crate::rule::matcher::Constants;
use crate::statement::{Fakes, Statement};

/// A statement or a request.
pub(super) struct Asked<'s, 'a> {
    pub(super) context: &'s Context<'a>,
    /// What its text and its bound parameters say that its shape does not; read when a rule asks for it.
    pub(super) constants: Constants<'s>,
    pub(super) fakes: Fakes,
    /// How many executions it stands for, those of each statement in its text.
    pub(super) weight: u32,
}

impl<'s, 'a> Asked<'s, 'a> {
    #[inline]
    pub(super) fn statement(statement: &'s Statement<'a>, dialect: Dialect) -> Self {
        Self::prepared(statement, statement.sql, dialect)
    }

    /// A statement whose text is said elsewhere.
    #[inline]
    pub(super) fn prepared(statement: &'s Statement<'a>, sql: &'s [u8], dialect: Dialect) -> Self {
        Self {
            context: &statement.context,
            constants: Constants::new(sql, dialect, statement.params),
            fakes: statement.fakes,
            weight: statement.weight,
        }
    }

    pub(super) fn request(context: &'s Context<'a>) -> Self {
        Self { context, constants: Constants::new(b"", Dialect::Generic, &[]), fakes: Fakes::None, weight: 1 }
    }
}
