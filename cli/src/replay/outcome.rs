//! What became of statements that matched a rule.

use super::rate::Rate;
use crate::log::LogTime;

/// What becomes of one statement at one decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// Sent.
    Passed,
    /// Over the limit, sent because the share left it out.
    PassedOver,
    /// Refused with an error.
    Aborted,
    /// Answered with an empty result.
    Ignored,
    /// Told to wait.
    Delayed,
}

/// Counts of what became of statements. Once every wait is over, each was passed, passed over, aborted or ignored;
/// `delayed` counts those among them that had to wait, and `matched` those that a rule applied to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Outcome {
    pub(super) matched: u64,
    pub(super) passed: u64,
    pub(super) passed_over: u64,
    pub(super) aborted: u64,
    pub(super) ignored: u64,
    pub(super) delayed: u64,
    /// When the first one was refused or told to wait.
    pub(super) first_refusal: Option<LogTime>,
    /// What was sent, with delays where there were any.
    pub(super) after: Rate,
}

impl Outcome {
    /// Counts a fate.
    #[inline]
    pub(super) fn count(&mut self, fate: Fate, at: LogTime) {
        match fate {
            Fate::Passed => self.passed += 1,
            Fate::PassedOver => self.passed_over += 1,
            Fate::Aborted => self.aborted += 1,
            Fate::Ignored => self.ignored += 1,
            Fate::Delayed => self.delayed += 1,
        }
        if matches!(fate, Fate::Passed | Fate::PassedOver) {
            self.after.record(at);
        } else {
            self.first_refusal.get_or_insert(at);
        }
    }

    /// Statements that did not pass at once.
    pub(super) fn refused(&self) -> u64 {
        self.aborted + self.ignored + self.delayed
    }
}
