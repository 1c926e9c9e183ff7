//! A decision as Python keeps it.

use sqlthrottle::{Decision, Fingerprint, Permit, Reason, RuleName, Ticket, Verdict};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// What a decision says, without what only the engine needs of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Answer {
    pub(crate) verdict: Verdict,
    pub(crate) reason: Reason,
    pub(crate) observed: Option<Verdict>,
    pub(crate) overflow: bool,
    pub(crate) fingerprint: Option<Fingerprint>,
    pub(crate) rule: Option<RuleName>,
    pub(crate) count: u64,
    pub(crate) limit: u64,
    pub(crate) retry_after: Option<Duration>,
    pub(crate) delay: Option<Duration>,
    pub(crate) ticket: Option<Ticket>,
    pub(crate) permit: Option<Permit>,
    pub(crate) custom: Option<Arc<str>>,
}

impl Answer {
    /// Whether the statement is allowed and holds nothing: then nothing is left to be done with the decision.
    pub(crate) fn has_passed(&self) -> bool {
        self.verdict == Verdict::Allow && self.permit.is_none()
    }
}

impl From<Decision> for Answer {
    #[inline]
    fn from(decision: Decision) -> Self {
        Self {
            verdict: decision.verdict,
            reason: decision.reason,
            observed: decision.observed,
            overflow: decision.overflow,
            fingerprint: decision.fingerprint,
            rule: decision.rule,
            count: decision.count,
            limit: decision.limit,
            retry_after: decision.retry_after,
            delay: decision.delay,
            ticket: decision.ticket,
            permit: decision.permit,
            custom: decision.custom,
        }
    }
}

/// What it says, without the statement.
impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", self.verdict, self.reason)?;
        if let Some(rule) = &self.rule {
            write!(f, ", rule {:?}, {} of {}", rule.as_str(), self.count, self.limit)?;
        }
        if let Some(span) = self.retry_after {
            write!(f, ", retry_after {} s", span.as_secs_f64())?;
        }
        if let Some(span) = self.delay {
            write!(f, ", delay {} s", span.as_secs_f64())?;
        }
        if let Some(observed) = self.observed {
            write!(f, ", observed {observed}")?;
        }
        match &self.fingerprint {
            Some(fingerprint) => write!(f, ", fingerprint {fingerprint:.16}"),
            None => Ok(()),
        }
    }
}
