//! What is asked: a statement or a request, as the rules look at it.

use super::refill::Refilled;
use crate::context::Context;
use crate::fingerprint::Dialect;
use crate::rule::matcher::Constants;
use crate::statement::{Fakes, Statement};

/// A statement or a request.
pub(super) struct Asked<'s, 'a> {
    pub(super) context: &'s Context<'a>,
    /// What its text and its bound parameters say that its shape does not; read when a rule asks for it.
    pub(super) constants: Constants<'s>,
    pub(super) sent: Sent,
    /// What a cluster has answered before, where that was asked.
    pub(super) refilled: Option<&'s Refilled>,
}

/// What even a rule looks at that asks neither for context nor for constants.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sent {
    pub(super) fakes: Fakes,
    /// How many executions it stands for, those of each statement in its text.
    pub(super) weight: u32,
}

impl<'s, 'a> Asked<'s, 'a> {
    /// A statement with its text, which a prepared one says elsewhere.
    #[inline]
    pub(super) fn statement(statement: &'s Statement<'a>, sql: &'s [u8], dialect: Dialect) -> Self {
        Self {
            context: &statement.context,
            constants: Constants::new(sql, dialect, statement.params),
            sent: Sent::of(statement),
            refilled: None,
        }
    }

    /// A request, for which nobody can stand in.
    pub(super) fn request(context: &'s Context<'a>) -> Self {
        let sent = Sent { fakes: Fakes::None, weight: 1 };
        Self { context, constants: Constants::new(b"", Dialect::Generic, &[]), sent, refilled: None }
    }
}

impl Asked<'static, 'static> {
    /// A statement of which no rule asks for more.
    pub(super) fn known(sent: Sent) -> Self {
        static NOBODY: Context<'static> = Context::new();
        Self { context: &NOBODY, constants: Constants::new(b"", Dialect::Generic, &[]), sent, refilled: None }
    }
}

impl Sent {
    #[inline]
    pub(super) fn of(statement: &Statement<'_>) -> Self {
        Self { fakes: statement.fakes, weight: statement.weight }
    }
}
