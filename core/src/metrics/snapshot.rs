//! What the rules of an engine have done so far.

use super::{Counter, Counters, Counts};
use crate::decision::RuleName;
use std::time::Duration;

/// What an engine has done so far.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Snapshot {
    /// How often the rules have changed: 1 for those that the engine was opened with.
    pub version: u64,
    /// Each rule: thresholds and rules in the order of the file, rules that admin statements added, the default threshold,
    /// and last what a provider of thresholds says.
    pub rules: Vec<RuleStats>,
    /// Rules of the file that do not hold because [admin statements](crate::Engine::admin) removed them, in the order in which
    /// they were removed.
    pub removed: Vec<RuleName>,
    /// Statement shapes that are remembered. One that is about to outlive its generation of the cache may be counted twice.
    pub shapes: usize,
    /// Statements that are waiting to be resumed.
    pub waiting: usize,
    /// How long statements have waited before they were resumed, all together, and how many have.
    pub waits: Waits,
    /// How often the host's provider of thresholds has failed.
    pub provider_failures: u64,
    /// How often the cluster could not be asked ([`Engine::refill`](crate::Engine::refill)).
    pub cluster_failures: u64,
    /// How often the guard itself has failed ([`Engine::guard_error`](crate::Engine::guard_error)).
    pub guard_errors: u64,
}

/// How long statements have waited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Waits {
    /// How many have waited to the end.
    pub count: u64,
    /// All of their waits together.
    pub sum: Duration,
}

/// Whether a rule is carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RuleMode {
    /// Its decisions are carried out.
    Enforced,
    /// It decides and counts, and lets everything pass.
    Observed,
    /// It is not looked at.
    Off,
    /// Its time is over.
    Expired,
}

impl RuleMode {
    /// Every one, in the order of the documentation.
    pub const ALL: [Self; 4] = [Self::Enforced, Self::Observed, Self::Off, Self::Expired];

    /// The name used in metrics, JSON and every binding.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Enforced => "enforced",
            Self::Observed => "observed",
            Self::Off => "off",
            Self::Expired => "expired",
        }
    }
}

/// What a rule has done so far.
///
/// Every check that the rule matched is counted once more: at rest `matched` is the sum of `passed`, `passed_over`,
/// `aborted`, `ignored`, `delayed` and `outranked`, and of a rule that is only observed, of `passed` and `passed_over`. A rule
/// that refuses or delays a statement which another rule has made wait matches it once more then.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RuleStats {
    /// The rule.
    pub name: RuleName,
    /// Whether it is carried out.
    pub mode: RuleMode,
    /// Checks the rule took part in.
    pub matched: u64,
    /// Those within the limit, whatever other rules said, or let pass because the rule is only observed.
    pub passed: u64,
    /// Those over the limit and outside the share.
    pub passed_over: u64,
    /// Those aborted.
    pub aborted: u64,
    /// Those ignored.
    pub ignored: u64,
    /// Those delayed, whatever became of them.
    pub delayed: u64,
    /// Those over the limit, of which another rule decided that is stronger.
    pub outranked: u64,
    /// Delayed statements that were let go after their wait, or went on to wait for another rule. At rest `delayed` is the sum of `resumed`, `aborted_waiting`,
    /// `lapsed` and those that wait.
    pub resumed: u64,
    /// Delayed statements that were refused after their wait: by this rule after the longest, or by another.
    pub aborted_waiting: u64,
    /// Delayed statements that were not resumed in time.
    pub lapsed: u64,
    /// Those that would have been aborted, were the rule not only observed.
    pub would_abort: u64,
    /// Those that would have been ignored.
    pub would_ignore: u64,
    /// Those that would have been delayed.
    pub would_delay: u64,
    /// Places that are held of a concurrency limit.
    pub in_use: u64,
    /// Places of a concurrency limit whose lease lapsed before they were given back.
    pub leaked: u64,
    /// Limiters kept.
    pub keys: usize,
    /// Checks that fell to the limiter which keys beyond `max_keys` share.
    pub overflow: u64,
    /// How long ago the rule was last matched; none where it never was, or has no limiter by whose clock to say it.
    pub last: Option<Duration>,
}

impl RuleStats {
    /// What is counted of a rule.
    pub(crate) fn of(name: RuleName, mode: RuleMode, counters: &Counters) -> Self {
        let sum = |counter: fn(&Counts) -> &Counter| counters.sum(counter);
        Self {
            name,
            mode,
            matched: counters.matched(),
            passed: sum(|counts| &counts.passed),
            passed_over: sum(|counts| &counts.passed_over),
            aborted: sum(|counts| &counts.aborted),
            ignored: sum(|counts| &counts.ignored),
            delayed: sum(|counts| &counts.delayed),
            outranked: sum(|counts| &counts.outranked),
            resumed: sum(|counts| &counts.resumed),
            aborted_waiting: sum(|counts| &counts.aborted_waiting),
            lapsed: sum(|counts| &counts.lapsed),
            would_abort: sum(|counts| &counts.would_abort),
            would_ignore: sum(|counts| &counts.would_ignore),
            would_delay: sum(|counts| &counts.would_delay),
            in_use: 0,
            leaked: 0,
            keys: 0,
            overflow: 0,
            last: None,
        }
    }
}
