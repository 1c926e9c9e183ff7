//! The answer to a check.

use crate::engine::RefillRequest;
use crate::fingerprint::Fingerprint;
use std::fmt;
use std::num::NonZeroU64;
use std::sync::Arc;
use std::time::Duration;

/// What is to be done with the statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Verdict {
    /// Send it.
    Allow,
    /// Do not send it; raise an error.
    Abort,
    /// Do not send it; give the caller an empty result of the right type.
    Ignore,
    /// Wait for [`Decision::delay`], then ask [`Engine::resume`](crate::Engine::resume) with [`Decision::ticket`].
    Delay,
    /// Nothing is decided, and nothing counted: a limit that instances share is to be asked for more, where blocking is allowed,
    /// by [`Engine::refill`](crate::Engine::refill) with [`Decision::refill`]; then it is checked again, by
    /// [`Engine::check_refilled`](crate::Engine::check_refilled). Only where a rule has the scope `cluster`, be it one that is only
    /// observed.
    RefillNeeded,
    /// Nothing is decided, and nothing counted: the host is to ask its provider, to tell the engine by
    /// [`Engine::set_threshold`](crate::Engine::set_threshold), and to check again. Only where a provider is registered.
    ThresholdNeeded,
}

impl Verdict {
    /// The name used in metrics, JSON and every binding.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Abort => "abort",
            Self::Ignore => "ignore",
            Self::Delay => "delay",
            Self::RefillNeeded => "refill_needed",
            Self::ThresholdNeeded => "threshold_needed",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Why the verdict is what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// Within every limit, or beyond one and let pass because rules are only observed: then [`Decision::observed`] says what
    /// would have been done.
    Allowed,
    /// A rule with `unlimited` exempts it from every other.
    Exempt,
    /// The kind of statement is never checked (BEGIN, COMMIT, SET …).
    NotChecked,
    /// Over a limit, but outside the share the strategy is applied to.
    PassedOver,
    /// Over a limit.
    OverLimit,
    /// A rule with `block` lets nothing pass.
    Blocked,
    /// Over a limit, and as many statements as the rule allows are waiting already.
    MaxDelayed,
    /// Still over the limit after the longest wait the rule allows, or the ticket has lapsed.
    MaxDelay,
    /// The strategy is to ignore, but the caller cannot fake an honest empty result for this statement.
    IgnoreUnavailable,
    /// The statement's weight is above the limit, so no wait will help.
    Never,
    /// The cluster does not answer, and the rule says `on_failure: closed`.
    ClusterDown,
    /// The guard itself failed: a panic that a binding has caught.
    GuardError,
    /// Nothing is decided yet: the verdict says what is needed.
    Undecided,
    /// The rule file says `mode: off`.
    Off,
}

impl Reason {
    /// The name used in JSON and every binding.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Allowed => "allowed",
            Self::Exempt => "exempt",
            Self::NotChecked => "not_checked",
            Self::PassedOver => "passed_over",
            Self::OverLimit => "over_limit",
            Self::Blocked => "blocked",
            Self::MaxDelayed => "max_delayed",
            Self::MaxDelay => "max_delay",
            Self::IgnoreUnavailable => "ignore_unavailable",
            Self::Never => "never",
            Self::ClusterDown => "cluster_down",
            Self::GuardError => "guard_error",
            Self::Undecided => "undecided",
            Self::Off => "off",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The name of a rule, as it appears in decisions, snapshots and errors.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RuleName {
    /// A threshold: displays as `threshold:` and the first 12 digits of its fingerprint.
    Threshold(Arc<str>),
    /// The `default_threshold`.
    DefaultThreshold,
    /// All thresholds of the host's provider together, in a snapshot.
    Provider,
    /// A rule of the file, or one that an admin statement added.
    Rule(Arc<str>),
}

impl RuleName {
    /// The name of a threshold on fingerprints that begin with these digits.
    pub(crate) fn threshold(digits: &str) -> Self {
        Self::Threshold(format!("threshold:{digits:.12}").into())
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Threshold(name) | Self::Rule(name) => name,
            Self::DefaultThreshold => "default_threshold",
            Self::Provider => "provider",
        }
    }
}

impl fmt::Display for RuleName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A place in the queue of a delaying rule, to be given back to [`Engine::resume`](crate::Engine::resume) after the wait.
///
/// A plain number, as a [`Permit`] is: it belongs to the engine that gave it, and to clones of that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ticket(pub(crate) NonZeroU64);

/// The places of concurrency limits that a statement holds while it runs, to be given back to
/// [`Engine::release`](crate::Engine::release) once it has ended, however it has.
///
/// A plain number: it may cross a language boundary, be kept or be forgotten. Each place is free again when its lease has lapsed,
/// even if nobody gives it back.
///
/// It belongs to the engine that gave it, and to clones of that: any other engine takes it for one that it does not know, and
/// gives nothing back. A child has its engine's permits no more once it has called
/// [`Engine::after_fork`](crate::Engine::after_fork).
///
/// ```
/// use sqlthrottle::{Engine, Permit, RuleFile};
///
/// let engine = || Engine::new(RuleFile::parse("rules: [{name: one, limit: {concurrency: {max: 1}}}]")?);
/// let (one, other) = (engine()?, engine()?);
/// let permit = one.check("select 1").permit.unwrap();
/// let _ = other.check("select 1");
/// assert!(!other.release(permit));
///
/// // What a foreign caller keeps of a decision: 0 where there is no permit.
/// let number = permit.number();
/// assert!(number != 0 && Permit::from_number(0).is_none());
/// assert!(Permit::from_number(number).is_some_and(|permit| one.release(permit)));
/// # Ok::<(), sqlthrottle::LoadError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Permit(pub(crate) NonZeroU64);

/// How a number is handed to a caller in another language, and taken back.
macro_rules! numbered {
    ($type:ident) => {
        impl $type {
            /// The number it is; never 0, which so stands for none.
            pub const fn number(self) -> u64 {
                self.0.get()
            }

            /// The one with a number; none for 0. Any other number may be asked about: of one that its engine did not hand out,
            /// or does not know any more, the engine says so.
            pub const fn from_number(number: u64) -> Option<Self> {
                match NonZeroU64::new(number) {
                    Some(number) => Some(Self(number)),
                    None => None,
                }
            }
        }
    };
}

numbered!(Permit);
numbered!(Ticket);

/// The answer to a check.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "a statement that is not to be sent is only known here"]
#[non_exhaustive]
pub struct Decision {
    /// What is to be done.
    pub verdict: Verdict,
    /// Why.
    pub reason: Reason,
    /// The shape of the statement; none of a request, where the statement was not read (`mode: off`, a failure of the guard), and
    /// where the ticket is unknown.
    pub fingerprint: Option<Fingerprint>,
    /// The rule that decided; none where no rule matched.
    pub rule: Option<RuleName>,
    /// What the limiter of the rule counts: attempts or statements in its window, tokens that are spent, places that are held.
    /// This statement is among them where it passes, and where the rule counts attempts. Of a rule that a cluster counts this
    /// process knows no more than whether there was room: 0 where there was, the limit where there was not.
    pub count: u64,
    /// The limit the count is held against; 0 where no rule matched, and of a rule that counts nothing.
    pub limit: u64,
    /// How long until a statement of this shape and weight may pass again, if none is tried meanwhile. None where this one
    /// is within the limit, or no wait will help.
    pub retry_after: Option<Duration>,
    /// How long to wait before resuming; only with [`Verdict::Delay`].
    pub delay: Option<Duration>,
    /// What to resume with; only with [`Verdict::Delay`], and with [`Verdict::RefillNeeded`] of a statement that has waited.
    pub ticket: Option<Ticket>,
    /// What the statement holds while it runs; only with [`Verdict::Allow`], and only where it holds anything.
    pub permit: Option<Permit>,
    /// What the cluster is to be asked for; only with [`Verdict::RefillNeeded`].
    pub refill: Option<RefillRequest>,
    /// The strategy of the host that is to decide in place of the engine: only with [`Verdict::Abort`], which holds where the
    /// host does not know it.
    pub custom: Option<Arc<str>>,
    /// Whether the limiter is the one that keys beyond `max_keys` share.
    pub overflow: bool,
    /// What rules that are only observed would have done.
    pub observed: Option<Verdict>,
}

impl Decision {
    /// An answer that lets the statement pass, and names no rule.
    pub(crate) const fn allow(fingerprint: Option<Fingerprint>, reason: Reason) -> Self {
        Self {
            verdict: Verdict::Allow,
            reason,
            fingerprint,
            rule: None,
            count: 0,
            limit: 0,
            retry_after: None,
            delay: None,
            ticket: None,
            permit: None,
            refill: None,
            custom: None,
            overflow: false,
            observed: None,
        }
    }

    /// Whether the statement may be sent now.
    pub fn is_allowed(&self) -> bool {
        self.verdict == Verdict::Allow
    }
}
