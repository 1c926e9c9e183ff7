//! Every public type may be shared by threads, and kept where a panic is caught.

use sqlthrottle::fingerprint::{
    Analysis, InvalidFingerprint, Kind, Normalized, Operator, Predicate, TableName, Value, Where,
};
use sqlthrottle::rule::{FingerprintPrefix, InvalidPrefix, Limits};
use sqlthrottle::{
    Clock, Decision, Delay, Dialect, Engine, Fakes, Fault, Fingerprint, FingerprintOptions, HashKind, InLists,
    InvalidShare, LoadError, ManualClock, Mode, Normalizer, Prepared, QuotaAsk, QuotaError, QuotaGrant, QuotaKey,
    Reason, RefillRequest, Refilled, RuleFile, RuleName, RuleStats, Share, SlidingWindow, Snapshot, Statement,
    Strategy, Threshold, Ticket, UnknownName, Verdict, WindowError,
};
use std::panic::{RefUnwindSafe, UnwindSafe};

#[test]
fn every_public_type_is_send_sync_and_unwind_safe() {
    fn shareable<T: Send + Sync + UnwindSafe + RefUnwindSafe>() {}
    macro_rules! shareable {
        ($($type:ty)*) => { $(shareable::<$type>();)* };
    }
    shareable! {
        Engine Prepared RefillRequest Refilled QuotaAsk<'static> QuotaGrant QuotaKey QuotaError Statement<'static> Fakes Decision Verdict Reason RuleName Ticket
        Clock ManualClock SlidingWindow WindowError
        RuleFile Mode Threshold Limits FingerprintPrefix InvalidPrefix Strategy Delay Share InvalidShare
        LoadError Fault Snapshot RuleStats UnknownName
        Dialect HashKind InLists FingerprintOptions Fingerprint InvalidFingerprint Normalizer Normalized<'static>
        Analysis Kind Where Operator Value Predicate TableName
    }
}

#[test]
fn every_name_is_read_as_it_is_written() {
    fn same<T: Copy + PartialEq + std::fmt::Debug + std::fmt::Display + std::str::FromStr>(values: &[T])
    where
        T::Err: std::fmt::Debug + PartialEq,
    {
        for value in values {
            assert_eq!(value.to_string().parse::<T>(), Ok(*value));
        }
    }
    same(&Dialect::ALL);
    same(&HashKind::ALL);
    same(&InLists::ALL);
    same(&Mode::ALL);
    same(&Kind::ALL);
    same(&Where::ALL);
    let unknown = "enforced".parse::<Mode>().unwrap_err();
    assert_eq!(unknown.to_string(), "unknown mode `enforced`; there are enforce, observe, off");
}
