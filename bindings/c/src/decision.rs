//! The answer to a check.

use crate::growing::Growing;
use crate::handle;
use crate::output::{Out, put_field};
use crate::refill::{Refill, sqlthrottle_refill_t};
use sqlthrottle::{Decision, Fingerprint, Permit, Reason, RefillRequest, Ticket, Verdict};
use std::ffi::{CStr, c_char};
use std::mem::offset_of;
use std::ptr;
use std::time::Duration;

/// What is to be done with a statement. Later versions may have more: what a program does not know is not to be sent.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum sqlthrottle_verdict_t {
    /// No verdict: no check has answered, or of `observed`, rules that are only observed would have let the statement pass.
    SQLTHROTTLE_NO_VERDICT = 0,
    /// Send it, and release `permit` once it has ended, however it has.
    SQLTHROTTLE_ALLOW = 1,
    /// Do not send it; report an error. Where states are used: SQLSTATE 53400.
    SQLTHROTTLE_ABORT = 2,
    /// Do not send it; report success with an empty result. Only where the statement says that this can be faked.
    SQLTHROTTLE_IGNORE = 3,
    /// Wait for `delay_ns` by your own means, then call sqlthrottle_resume() with `ticket`.
    SQLTHROTTLE_DELAY = 4,
    /// Nothing is decided or counted: call sqlthrottle_refill() with `refill` where blocking is allowed, and then the function
    /// that ends in `_refilled`. Only where SQLTHROTTLE_NO_REFILL was asked for.
    SQLTHROTTLE_REFILL_NEEDED = 5,
    /// Nothing is decided or counted: ask your provider for the threshold of `fingerprint`, call sqlthrottle_set_threshold(), and
    /// check again. Only of an engine that was opened with `asks_provider`.
    SQLTHROTTLE_THRESHOLD_NEEDED = 6,
}

/// Why the verdict is what it is. Later versions may have more.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum sqlthrottle_reason_t {
    /// No reason: no check has answered.
    SQLTHROTTLE_REASON_NONE = 0,
    /// Within every limit, or over one of a rule that is only observed.
    SQLTHROTTLE_REASON_ALLOWED = 1,
    /// A rule with `unlimited` exempts it from every other.
    SQLTHROTTLE_REASON_EXEMPT = 2,
    /// The kind of statement is never checked: BEGIN, COMMIT, SET and the like.
    SQLTHROTTLE_REASON_NOT_CHECKED = 3,
    /// Over a limit, and outside the share that the strategy is applied to.
    SQLTHROTTLE_REASON_PASSED_OVER = 4,
    /// Over a limit.
    SQLTHROTTLE_REASON_OVER_LIMIT = 5,
    /// A rule with `block` lets nothing pass.
    SQLTHROTTLE_REASON_BLOCKED = 6,
    /// Over a limit, and as many statements are waiting as the rule allows.
    SQLTHROTTLE_REASON_MAX_DELAYED = 7,
    /// Still over the limit after the longest wait that the rule allows, or the ticket has lapsed.
    SQLTHROTTLE_REASON_MAX_DELAY = 8,
    /// To be ignored, but what the statement says can be faked is no honest result of it.
    SQLTHROTTLE_REASON_IGNORE_UNAVAILABLE = 9,
    /// Its weight is above the limit, so no wait will help.
    SQLTHROTTLE_REASON_NEVER = 10,
    /// The cluster does not answer, and the rule says `on_failure: closed`.
    SQLTHROTTLE_REASON_CLUSTER_DOWN = 11,
    /// The library itself has failed, which is a fault of it; the verdict is what the rule file's `on_error` says.
    SQLTHROTTLE_REASON_GUARD_ERROR = 12,
    /// Nothing is decided yet: the verdict says what is needed.
    SQLTHROTTLE_REASON_UNDECIDED = 13,
    /// The rule file says `mode: off`.
    SQLTHROTTLE_REASON_OFF = 14,
}

/// The shape of a statement: what statements have in common that differ in constants, comments and white space alone.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct sqlthrottle_fingerprint_t {
    /// The hash of the normalised text.
    pub bytes: [u8; 32],
    /// How many of the bytes there are: 32, 20 or 16, as the rule file's `hash` says; 0 for no fingerprint.
    pub length: u32,
}

/// Bytes of the longest text of a fingerprint, and its NUL.
pub const SQLTHROTTLE_FINGERPRINT_TEXT_SIZE: usize = 65;

/// Bytes of the longest name of a rule, and its NUL.
pub const SQLTHROTTLE_RULE_NAME_SIZE: usize = 520;

/// Bytes of the longest name of a strategy, and its NUL.
pub const SQLTHROTTLE_STRATEGY_NAME_SIZE: usize = 76;

/// The answer to a check. It belongs to the caller, holds no memory but `refill`, and may be copied, kept and forgotten.
///
/// Set `size` before a call, and nothing else: `sqlthrottle_decision_t decision; decision.size = sizeof decision;` One may be used
/// again and again. A call that fails leaves no verdict, permit, ticket or refill in it, and the rest as it was; where `size` itself
/// is wrong, all of it. So keep a ticket elsewhere if a sqlthrottle_resume() that fails is to be tried again.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct sqlthrottle_decision_t {
    /// Its size in bytes as the program was compiled with, set by the caller.
    pub size: usize,
    /// What is to be done.
    pub verdict: sqlthrottle_verdict_t,
    /// Why.
    pub reason: sqlthrottle_reason_t,
    /// What rules that are only observed would have done; SQLTHROTTLE_NO_VERDICT where nothing.
    pub observed: sqlthrottle_verdict_t,
    /// 1 where the limiter is the one that keys beyond `max_keys` share, else 0.
    pub overflow: u32,
    /// What the limiter of the rule counts: attempts or statements in its window, tokens spent, places held.
    pub count: u64,
    /// The limit that the count is held against; 0 where no rule matched, and of a rule that counts nothing.
    pub limit: u64,
    /// Nanoseconds until a statement of this shape and weight may pass again if none is tried meanwhile, which may be up to one bucket
    /// more than the window; 0 where this one is within the limit, where no wait will help (`NEVER`, `BLOCKED`), and where it
    /// depends on when another statement ends (a limit of concurrency).
    pub retry_after_ns: u64,
    /// Nanoseconds to wait before sqlthrottle_resume(); only with SQLTHROTTLE_DELAY.
    pub delay_ns: u64,
    /// What to resume with; 0 for none. Good for one call of sqlthrottle_resume(), until five seconds after it was due.
    pub ticket: u64,
    /// What the statement holds while it runs, for sqlthrottle_release(); 0 for nothing. Only with SQLTHROTTLE_ALLOW.
    pub permit: u64,
    /// What sqlthrottle_refill() is to ask for, owned by the caller; only with SQLTHROTTLE_REFILL_NEEDED, else NULL.
    pub refill: *mut sqlthrottle_refill_t,
    /// The shape of the statement; none of a request, and where the statement was not read.
    pub fingerprint: sqlthrottle_fingerprint_t,
    /// The name of the rule that decided, ending with NUL; empty where no rule matched.
    pub rule: [c_char; SQLTHROTTLE_RULE_NAME_SIZE],
    /// The name of the host's strategy that is to decide, ending with NUL, where a rule says `custom:NAME`: then the verdict is
    /// SQLTHROTTLE_ABORT, which holds unless the host knows the strategy. Else empty.
    pub custom: [c_char; SQLTHROTTLE_STRATEGY_NAME_SIZE],
}

// SAFETY: it begins with its size. It is filled and never read.
unsafe impl Growing for sqlthrottle_decision_t {
    const FIRST_SIZE: usize = size_of::<Self>();
}

const _: () = assert!(
    size_of::<sqlthrottle_decision_t>() == offset_of!(sqlthrottle_decision_t, custom) + SQLTHROTTLE_STRATEGY_NAME_SIZE
);

/// As a C program begins with one: its size set, and else nothing.
impl Default for sqlthrottle_decision_t {
    fn default() -> Self {
        Self {
            size: size_of::<Self>(),
            verdict: sqlthrottle_verdict_t::SQLTHROTTLE_NO_VERDICT,
            reason: sqlthrottle_reason_t::SQLTHROTTLE_REASON_NONE,
            observed: sqlthrottle_verdict_t::SQLTHROTTLE_NO_VERDICT,
            overflow: 0,
            count: 0,
            limit: 0,
            retry_after_ns: 0,
            delay_ns: 0,
            ticket: 0,
            permit: 0,
            refill: ptr::null_mut(),
            fingerprint: sqlthrottle_fingerprint_t { bytes: [0; 32], length: 0 },
            rule: [0; SQLTHROTTLE_RULE_NAME_SIZE],
            custom: [0; SQLTHROTTLE_STRATEGY_NAME_SIZE],
        }
    }
}

impl Out<sqlthrottle_decision_t> {
    /// Leaves nothing that the decision before may have said to do.
    #[cold]
    pub(crate) fn take_back(&mut self) {
        let to = self.to;
        // SAFETY: all of what the first version has may be written.
        unsafe {
            (*to).verdict = sqlthrottle_verdict_t::SQLTHROTTLE_NO_VERDICT;
            (*to).reason = sqlthrottle_reason_t::SQLTHROTTLE_REASON_NONE;
            (*to).observed = sqlthrottle_verdict_t::SQLTHROTTLE_NO_VERDICT;
            (*to).ticket = 0;
            (*to).permit = 0;
            (*to).refill = ptr::null_mut();
        }
    }

    /// Writes a decision.
    #[inline]
    pub(crate) fn write(&mut self, decision: &Decision) {
        self.fill(|to| {
            // SAFETY: all of the struct may be written; it is not looked at, because the caller need not have set it.
            unsafe {
                (*to).verdict = decision.verdict.into();
                (*to).reason = decision.reason.into();
                (*to).observed = decision.observed.map_or(sqlthrottle_verdict_t::SQLTHROTTLE_NO_VERDICT, Into::into);
                (*to).overflow = decision.overflow.into();
                // Each by itself: both were written as words just now, and a processor waits for such to be read as one.
                (&raw mut (*to).count).write_volatile(decision.count);
                (&raw mut (*to).limit).write_volatile(decision.limit);
                (*to).retry_after_ns = decision.retry_after.map_or(0, nanos);
                (*to).delay_ns = decision.delay.map_or(0, nanos);
                (*to).ticket = decision.ticket.map_or(0, Ticket::number);
                (*to).permit = decision.permit.map_or(0, Permit::number);
                (*to).refill = match &decision.refill {
                    None => ptr::null_mut(),
                    Some(request) => hand_out(request),
                };
                let (digest, length) = match &decision.fingerprint {
                    Some(fingerprint) => (fingerprint.padded(), fingerprint.len()),
                    None => (&[0; 32], 0),
                };
                (*to).fingerprint.bytes = *digest;
                (*to).fingerprint.length = length as u32;
                put_field(decision.rule.as_ref().map_or("", |rule| rule.as_str()), &raw mut (*to).rule);
                match &decision.custom {
                    None => (*to).custom[0] = 0,
                    Some(custom) => put_field(custom, &raw mut (*to).custom),
                }
            }
        });
    }
}

/// Apart, because few decisions come with one, and what it takes would be made ready for all.
#[cold]
#[inline(never)]
fn hand_out(request: &RefillRequest) -> *mut sqlthrottle_refill_t {
    handle::new(Refill::new(request.clone()))
}

impl From<&Fingerprint> for sqlthrottle_fingerprint_t {
    #[inline]
    fn from(fingerprint: &Fingerprint) -> Self {
        Self { bytes: *fingerprint.padded(), length: fingerprint.len() as u32 }
    }
}

impl From<Verdict> for sqlthrottle_verdict_t {
    #[inline]
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Allow => Self::SQLTHROTTLE_ALLOW,
            Verdict::Abort => Self::SQLTHROTTLE_ABORT,
            Verdict::Ignore => Self::SQLTHROTTLE_IGNORE,
            Verdict::Delay => Self::SQLTHROTTLE_DELAY,
            Verdict::RefillNeeded => Self::SQLTHROTTLE_REFILL_NEEDED,
            Verdict::ThresholdNeeded => Self::SQLTHROTTLE_THRESHOLD_NEEDED,
            // One that the header does not have: not to be sent.
            _ => Self::SQLTHROTTLE_NO_VERDICT,
        }
    }
}

impl From<Reason> for sqlthrottle_reason_t {
    #[inline]
    fn from(reason: Reason) -> Self {
        match reason {
            Reason::Allowed => Self::SQLTHROTTLE_REASON_ALLOWED,
            Reason::Exempt => Self::SQLTHROTTLE_REASON_EXEMPT,
            Reason::NotChecked => Self::SQLTHROTTLE_REASON_NOT_CHECKED,
            Reason::PassedOver => Self::SQLTHROTTLE_REASON_PASSED_OVER,
            Reason::OverLimit => Self::SQLTHROTTLE_REASON_OVER_LIMIT,
            Reason::Blocked => Self::SQLTHROTTLE_REASON_BLOCKED,
            Reason::MaxDelayed => Self::SQLTHROTTLE_REASON_MAX_DELAYED,
            Reason::MaxDelay => Self::SQLTHROTTLE_REASON_MAX_DELAY,
            Reason::IgnoreUnavailable => Self::SQLTHROTTLE_REASON_IGNORE_UNAVAILABLE,
            Reason::Never => Self::SQLTHROTTLE_REASON_NEVER,
            Reason::ClusterDown => Self::SQLTHROTTLE_REASON_CLUSTER_DOWN,
            Reason::GuardError => Self::SQLTHROTTLE_REASON_GUARD_ERROR,
            Reason::Off => Self::SQLTHROTTLE_REASON_OFF,
            _ => Self::SQLTHROTTLE_REASON_UNDECIDED,
        }
    }
}

#[inline]
fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// Verdicts, each with the name that metrics, JSON and the other languages use.
const VERDICTS: [(sqlthrottle_verdict_t, &CStr); 7] = [
    (sqlthrottle_verdict_t::SQLTHROTTLE_NO_VERDICT, c"none"),
    (sqlthrottle_verdict_t::SQLTHROTTLE_ALLOW, c"allow"),
    (sqlthrottle_verdict_t::SQLTHROTTLE_ABORT, c"abort"),
    (sqlthrottle_verdict_t::SQLTHROTTLE_IGNORE, c"ignore"),
    (sqlthrottle_verdict_t::SQLTHROTTLE_DELAY, c"delay"),
    (sqlthrottle_verdict_t::SQLTHROTTLE_REFILL_NEEDED, c"refill_needed"),
    (sqlthrottle_verdict_t::SQLTHROTTLE_THRESHOLD_NEEDED, c"threshold_needed"),
];

/// Reasons, each with its name.
const REASONS: [(sqlthrottle_reason_t, &CStr); 15] = [
    (sqlthrottle_reason_t::SQLTHROTTLE_REASON_NONE, c"none"),
    (sqlthrottle_reason_t::SQLTHROTTLE_REASON_ALLOWED, c"allowed"),
    (sqlthrottle_reason_t::SQLTHROTTLE_REASON_EXEMPT, c"exempt"),
    (sqlthrottle_reason_t::SQLTHROTTLE_REASON_NOT_CHECKED, c"not_checked"),
    (sqlthrottle_reason_t::SQLTHROTTLE_REASON_PASSED_OVER, c"passed_over"),
    (sqlthrottle_reason_t::SQLTHROTTLE_REASON_OVER_LIMIT, c"over_limit"),
    (sqlthrottle_reason_t::SQLTHROTTLE_REASON_BLOCKED, c"blocked"),
    (sqlthrottle_reason_t::SQLTHROTTLE_REASON_MAX_DELAYED, c"max_delayed"),
    (sqlthrottle_reason_t::SQLTHROTTLE_REASON_MAX_DELAY, c"max_delay"),
    (sqlthrottle_reason_t::SQLTHROTTLE_REASON_IGNORE_UNAVAILABLE, c"ignore_unavailable"),
    (sqlthrottle_reason_t::SQLTHROTTLE_REASON_NEVER, c"never"),
    (sqlthrottle_reason_t::SQLTHROTTLE_REASON_CLUSTER_DOWN, c"cluster_down"),
    (sqlthrottle_reason_t::SQLTHROTTLE_REASON_GUARD_ERROR, c"guard_error"),
    (sqlthrottle_reason_t::SQLTHROTTLE_REASON_UNDECIDED, c"undecided"),
    (sqlthrottle_reason_t::SQLTHROTTLE_REASON_OFF, c"off"),
];

/// The name of a verdict, as metrics and the other languages have it: `allow`. A text that ends with NUL, never to be freed;
/// `unknown` of a number that is none.
#[unsafe(no_mangle)]
pub extern "C" fn sqlthrottle_verdict_name(verdict: u32) -> *const c_char {
    VERDICTS.iter().find(|(known, _)| *known as u32 == verdict).map_or(c"unknown", |(_, name)| name).as_ptr()
}

/// The name of a reason, as the other languages have it: `over_limit`. A text that ends with NUL, never to be freed; `unknown`
/// of a number that is none.
#[unsafe(no_mangle)]
pub extern "C" fn sqlthrottle_reason_name(reason: u32) -> *const c_char {
    REASONS.iter().find(|(known, _)| *known as u32 == reason).map_or(c"unknown", |(_, name)| name).as_ptr()
}
