//! A decision as Java reads it: in part as the number that a check returns, and in part in memory that Java has outside of its heap.

use jni_sys::jlong;
use sqlthrottle::{Decision, Permit, Reason, Ticket, Verdict};
use std::mem::offset_of;
use std::ptr;
use std::time::Duration;

/// Bytes of the longest name of a rule.
const RULE: usize = 520;
/// Bytes of the longest name of a strategy.
const CUSTOM: usize = 80;

/// What a check returns that was not answered at all.
pub(crate) const NONE: jlong = 0;

// The bits of what a check returns. `Answer.java` has the same.
const REASON_SHIFT: u32 = 4;
const OBSERVED_SHIFT: u32 = 12;
const OVERFLOW: u64 = 1 << 16;
const HAS_RULE: u64 = 1 << 17;
const HAS_CUSTOM: u64 = 1 << 18;
const HAS_RETRY_AFTER: u64 = 1 << 19;
const HAS_DELAY: u64 = 1 << 20;
const HAS_TICKET: u64 = 1 << 21;
const HAS_PERMIT: u64 = 1 << 22;
/// The answer had this rule and this fingerprint in it already.
const SAME_NAMES: u64 = 1 << 23;
const FINGERPRINT_SHIFT: u32 = 32;

/// Where a decision is written. Of what it does not have, nothing is, and what the check returns says so.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Answer {
    count: u64,
    limit: u64,
    /// Nanoseconds, as is the delay.
    retry_after: i64,
    delay: i64,
    ticket: u64,
    permit: u64,
    /// The digest, and zero behind it.
    fingerprint: [u8; 32],
    rule_length: u32,
    custom_length: u16,
    /// Bytes of the digest; 0 for none.
    fingerprint_length: u16,
    /// UTF-8, and zero behind it up to a whole number of words.
    rule: [u8; RULE],
    custom: [u8; CUSTOM],
}

/// Offsets of the fields in their order, and the size: Java compares them with its own.
pub(crate) const LAYOUT: [i32; 12] = [
    offset_of!(Answer, count) as i32,
    offset_of!(Answer, limit) as i32,
    offset_of!(Answer, retry_after) as i32,
    offset_of!(Answer, delay) as i32,
    offset_of!(Answer, ticket) as i32,
    offset_of!(Answer, permit) as i32,
    offset_of!(Answer, fingerprint) as i32,
    offset_of!(Answer, rule_length) as i32,
    offset_of!(Answer, custom_length) as i32,
    offset_of!(Answer, rule) as i32,
    offset_of!(Answer, custom) as i32,
    size_of::<Answer>() as i32,
];

/// What a check returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Packed(pub(crate) jlong);

impl Packed {
    #[inline]
    pub(crate) fn of(decision: &Decision) -> Self {
        let flag = |is_there: bool, flag: u64| if is_there { flag } else { 0 };
        let fingerprint = decision.fingerprint.as_ref().map_or(0, sqlthrottle::Fingerprint::len) as u64;
        let bits = u64::from(verdict(decision.verdict))
            | u64::from(reason(decision.reason)) << REASON_SHIFT
            | u64::from(decision.observed.map_or(0, verdict)) << OBSERVED_SHIFT
            | flag(decision.overflow, OVERFLOW)
            | flag(decision.rule.is_some(), HAS_RULE)
            | flag(decision.custom.is_some(), HAS_CUSTOM)
            | flag(decision.retry_after.is_some(), HAS_RETRY_AFTER)
            | flag(decision.delay.is_some(), HAS_DELAY)
            | flag(decision.ticket.is_some(), HAS_TICKET)
            | flag(decision.permit.is_some(), HAS_PERMIT)
            | fingerprint << FINGERPRINT_SHIFT;
        Self(bits as jlong)
    }
}

/// Writes a decision where Java wants it, and returns the rest of it.
///
/// # Safety
///
/// `to` is 0, or the address of an answer that nothing else reads or writes meanwhile.
#[inline]
pub(crate) unsafe fn write(decision: &Decision, to: jlong) -> jlong {
    let packed = Packed::of(decision).0;
    if to == 0 {
        return packed;
    }
    // SAFETY: the caller's promise.
    unsafe { packed | fill(decision, to as *mut Answer) as jlong }
}

/// Whether there is nothing to say of a decision but that its statement may be sent: it holds nothing.
#[inline]
pub(crate) fn passes(decision: &Decision) -> bool {
    decision.verdict == Verdict::Allow && decision.permit.is_none()
}

/// Writes the fields, and returns the flag that says what had been written there before.
///
/// # Safety
///
/// An answer may be written there.
#[inline]
unsafe fn fill(decision: &Decision, to: *mut Answer) -> u64 {
    // SAFETY: the caller's promise.
    unsafe {
        let named = names(decision, to);
        if decision.rule.is_some() {
            // Each by itself: both were written as words just now, and a processor waits for such to be read as one.
            (&raw mut (*to).count).write_volatile(decision.count);
            (&raw mut (*to).limit).write_volatile(decision.limit);
        }
        if let Some(retry_after) = decision.retry_after {
            (*to).retry_after = nanos(retry_after);
        }
        if let Some(delay) = decision.delay {
            (*to).delay = nanos(delay);
        }
        (*to).ticket = decision.ticket.map_or(0, Ticket::number);
        (*to).permit = decision.permit.map_or(0, Permit::number);
        if let Some(custom) = &decision.custom {
            (*to).custom_length = text(custom, &raw mut (*to).custom) as u16;
        }
        named
    }
}

/// Writes the rule and the fingerprint. Mostly an answer has them from the decision before, and to look is quicker than to write, and
/// spares Java its own look: it keeps what it made of them.
///
/// # Safety
///
/// An answer may be written there.
#[inline]
unsafe fn names(decision: &Decision, to: *mut Answer) -> u64 {
    let rule = decision.rule.as_ref().map_or("", |rule| rule.as_str());
    // SAFETY: the caller's promise.
    unsafe {
        let is_same = decision.fingerprint.as_ref().is_some_and(|fingerprint| {
            usize::from((*to).fingerprint_length) == fingerprint.len() && (*to).fingerprint == *fingerprint.padded()
        });
        if is_same && (*to).rule_length as usize == rule.len() && (&(*to).rule)[..rule.len()] == *rule.as_bytes() {
            SAME_NAMES
        } else {
            write_names(decision, rule, to);
            0
        }
    }
}

/// # Safety
///
/// An answer may be written there.
#[cold]
unsafe fn write_names(decision: &Decision, rule: &str, to: *mut Answer) {
    // SAFETY: the caller's promise.
    unsafe {
        (*to).rule_length = text(rule, &raw mut (*to).rule) as u32;
        (*to).fingerprint_length = 0;
        if let Some(fingerprint) = &decision.fingerprint {
            (*to).fingerprint = *fingerprint.padded();
            (*to).fingerprint_length = fingerprint.len() as u16;
        }
    }
}

/// Writes a text into a field, with zero behind it up to a whole word, and returns its length; of one that is too long, as none is that
/// rules may have, the bytes for which there is room.
///
/// # Safety
///
/// The field may be written.
#[inline]
unsafe fn text<const SIZE: usize>(text: &str, field: *mut [u8; SIZE]) -> usize {
    const WORD: usize = size_of::<u64>();
    const { assert!(SIZE.is_multiple_of(WORD)) };
    let length = text.len().min(SIZE);
    // SAFETY: the field has so many bytes, and its last word is written first.
    unsafe {
        let field = field.cast::<u8>();
        if length > 0 {
            field.add((length - 1) / WORD * WORD).cast::<u64>().write_unaligned(0);
        }
        ptr::copy_nonoverlapping(text.as_ptr(), field, length);
    }
    length
}

#[inline]
fn nanos(duration: Duration) -> i64 {
    i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX)
}

/// The number of a verdict: its place in `Verdict.java`, counted from 1. Of one that Java does not have: not to be sent.
#[inline]
fn verdict(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::Allow => 1,
        Verdict::Ignore => 3,
        Verdict::Delay => 4,
        Verdict::RefillNeeded => 5,
        Verdict::ThresholdNeeded => 6,
        _ => 2,
    }
}

/// The number of a reason: its place in `Reason.java`, counted from 1.
#[inline]
fn reason(reason: Reason) -> u8 {
    match reason {
        Reason::Allowed => 1,
        Reason::Exempt => 2,
        Reason::NotChecked => 3,
        Reason::PassedOver => 4,
        Reason::OverLimit => 5,
        Reason::Blocked => 6,
        Reason::MaxDelayed => 7,
        Reason::MaxDelay => 8,
        Reason::IgnoreUnavailable => 9,
        Reason::Never => 10,
        Reason::ClusterDown => 11,
        Reason::GuardError => 12,
        Reason::Off => 14,
        _ => 13,
    }
}

#[cfg(test)]
impl Default for Answer {
    fn default() -> Self {
        Self {
            count: 0,
            limit: 0,
            retry_after: 0,
            delay: 0,
            ticket: 0,
            permit: 0,
            fingerprint: [0; 32],
            rule_length: 0,
            custom_length: 0,
            fingerprint_length: 0,
            rule: [0; RULE],
            custom: [0; CUSTOM],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_ends_within_its_field_and_its_last_word_is_its_own() {
        let written = |given: &str| {
            let mut field = [0xaa_u8; 16];
            // SAFETY: the field may be written.
            (unsafe { text(given, &raw mut field) }, field)
        };
        assert_eq!(written(""), (0, [0xaa; 16]));
        let (length, field) = written("abc");
        assert_eq!((length, &field[..8]), (3, b"abc\0\0\0\0\0".as_slice()));
        assert_eq!(field[8..], [0xaa; 8], "no more is written than the last word");
        assert_eq!(written("0123456789abcdef"), (16, *b"0123456789abcdef"));
        assert_eq!(written("0123456789abcdefgh"), (16, *b"0123456789abcdef"));
    }

    /// What the tests of Java read of the numbers, they read by the names; here it is that no two are the same.
    #[test]
    fn numbers_are_told_apart() {
        let reasons = [
            Reason::Allowed,
            Reason::Exempt,
            Reason::NotChecked,
            Reason::PassedOver,
            Reason::OverLimit,
            Reason::Blocked,
            Reason::MaxDelayed,
            Reason::MaxDelay,
            Reason::IgnoreUnavailable,
            Reason::Never,
            Reason::ClusterDown,
            Reason::GuardError,
            Reason::Undecided,
            Reason::Off,
        ];
        for (place, known) in reasons.into_iter().enumerate() {
            assert_eq!(usize::from(reason(known)), place + 1, "{known}");
        }
    }
}
