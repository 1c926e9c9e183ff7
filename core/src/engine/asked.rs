//! What is asked: a statement or a request, as the rules look at it.

use crate::context::Context;
use crate::fingerprint::Dialect;
use crate::rule::matcher::Constants;
use crate::statement::{Fakes, Statement};

/// A statement or a request.
pub(super) struct Asked<'a> {
    pub(super) context: &'a Context<'a>,
    /// What its text and its bound parameters say that its shape does not; read when a rule asks for it.
    pub(super) constants: Constants<'a>,
    pub(super) fakes: Fakes,
    /// How many executions it stands for, those of each statement in its text.
    pub(super) weight: u32,
}

impl<'a> Asked<'a> {
    pub(super) fn statement(statement: &'a Statement<'a>, dialect: Dialect) -> Self {
        Self {
            context: &statement.context,
            constants: Constants::new(statement.sql, dialect, statement.params),
            fakes: statement.fakes,
            weight: statement.weight,
        }
    }

    pub(super) fn request(context: &'a Context<'a>) -> Self {
        Self {
            context,
            constants: Constants::new(b"", Dialect::Generic, &[]),
            fakes: Fakes::RowsAndCount,
            weight: 1,
        }
    }
}
