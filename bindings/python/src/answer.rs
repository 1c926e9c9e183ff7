//! A decision as Python keeps it.

use sqlthrottle::{Decision, Fingerprint, Permit, Reason, RuleName, Ticket, Verdict};
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
