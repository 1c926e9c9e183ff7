//! The rules in force: what each says, its limiters, its counters and who waits for it.

use super::at_hand::AtHand;
use super::waiting::Places;
use crate::clock::Reading;
use crate::decision::RuleName;
use crate::error::{Fault, LoadError};
use crate::fingerprint::Fingerprint;
use crate::limit::{Limiter, WindowLimiter};
use crate::metrics::{Counters, RuleStats};
use crate::quota::KeyTable;
use crate::rule::{FingerprintPrefix, RuleFile, Threshold};
use sqlthrottle_cells::WindowShape;
use std::fmt;
use std::sync::Arc;

/// A threshold in force.
pub(super) struct RuleState {
    pub(super) name: RuleName,
    pub(super) threshold: Threshold,
    pub(super) window: WindowShape,
    /// How its limiters read the clock.
    pub(super) reading: Reading,
    limiters: Limiters,
    pub(super) counters: Counters,
    pub(super) places: Places,
}

enum Limiters {
    /// A threshold that names a fingerprint needs one.
    One(Arc<WindowLimiter>),
    /// The default threshold has one for each fingerprint.
    ByFingerprint(KeyTable<WindowLimiter>),
}

impl RuleState {
    fn new(name: RuleName, threshold: Threshold, window: WindowShape, limiters: Limiters) -> Self {
        let (counters, places) = (Counters::default(), Places::default());
        let bucket = window.bucket_nanos();
        let reading = Reading::of_window(bucket.saturating_mul(u64::from(window.buckets())), bucket);
        Self { name, threshold, window, reading, limiters, counters, places }
    }

    /// Whether each fingerprint has a limiter of its own.
    pub(super) const fn counts_by_fingerprint(&self) -> bool {
        matches!(self.limiters, Limiters::ByFingerprint(_))
    }

    /// Hands the limiter of a fingerprint to `count`, and whether it is the one that keys without a place share.
    #[inline]
    pub(super) fn limiter<T>(
        &self,
        at_hand: &mut AtHand,
        fingerprint: &Fingerprint,
        now: u64,
        count: impl FnOnce(&WindowLimiter, &mut AtHand, bool) -> T,
    ) -> T {
        let table = match &self.limiters {
            Limiters::One(limiter) => {
                at_hand.keep_only(limiter);
                return count(limiter, at_hand, false);
            }
            Limiters::ByFingerprint(table) => table,
        };
        if let Some(limiter) = at_hand.take_limiter() {
            let pin = limiter.pins().pin();
            if pin.is_some() {
                let result = count(&limiter, at_hand, false);
                drop(pin);
                at_hand.put_back(limiter);
                return result;
            }
            at_hand.forget();
        }
        table.with(fingerprint.as_bytes(), now, |lookup| {
            if !lookup.overflow {
                at_hand.keep(Arc::clone(&lookup.limiter));
            }
            count(&lookup.limiter, at_hand, lookup.overflow)
        })
    }

    /// What the rule has done so far.
    pub(super) fn stats(&self) -> RuleStats {
        let counters = &self.counters;
        let (keys, overflow) = match &self.limiters {
            Limiters::One(_) => (1, 0),
            Limiters::ByFingerprint(table) => (table.len(), table.overflow_count()),
        };
        RuleStats {
            name: self.name.clone(),
            matched: counters.matched(),
            passed: counters.sum(|counts| &counts.passed),
            passed_over: counters.sum(|counts| &counts.passed_over),
            aborted: counters.sum(|counts| &counts.aborted),
            ignored: counters.sum(|counts| &counts.ignored),
            delayed: counters.sum(|counts| &counts.delayed),
            resumed: counters.sum(|counts| &counts.resumed),
            aborted_waiting: counters.sum(|counts| &counts.aborted_waiting),
            lapsed: counters.sum(|counts| &counts.lapsed),
            would_abort: counters.sum(|counts| &counts.would_abort),
            would_ignore: counters.sum(|counts| &counts.would_ignore),
            would_delay: counters.sum(|counts| &counts.would_delay),
            keys,
            overflow,
        }
    }
}

impl fmt::Debug for RuleState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RuleState")
            .field("name", &self.name)
            .field("threshold", &self.threshold)
            .finish_non_exhaustive()
    }
}

/// The rules in force.
#[derive(Debug)]
pub(super) struct RuleSet {
    /// By prefix, in order: no prefix begins another, so the one before a fingerprint is the only one that may match.
    thresholds: Vec<(FingerprintPrefix, Arc<RuleState>)>,
    /// Positions in `thresholds`, in the order of the file.
    order: Vec<usize>,
    default: Option<Arc<RuleState>>,
}

impl RuleSet {
    /// Puts a rule file in force.
    ///
    /// # Errors
    ///
    /// A window that cannot be counted, which no validated file holds.
    pub(super) fn new(file: &RuleFile, now: u64) -> Result<Self, LoadError> {
        let mut thresholds = file
            .thresholds
            .iter()
            .enumerate()
            .map(|(i, (prefix, threshold))| {
                let name = RuleName::Threshold(format!("threshold:{prefix:.12}").into());
                let window = window(threshold)?;
                let limiters = Limiters::One(WindowLimiter::fresh(&window, now));
                Ok((prefix.clone(), i, Arc::new(RuleState::new(name, threshold.clone(), window, limiters))))
            })
            .collect::<Result<Vec<_>, LoadError>>()?;
        thresholds.sort_by(|a, b| a.0.cmp(&b.0));
        let mut order = vec![0; thresholds.len()];
        for (position, (_, i, _)) in thresholds.iter().enumerate() {
            order[*i] = position;
        }
        let default = match &file.default_threshold {
            None => None,
            Some(threshold) => {
                let window = window(threshold)?;
                let limiters = Limiters::ByFingerprint(KeyTable::new(window, file.limits.max_keys, now));
                Some(Arc::new(RuleState::new(RuleName::DefaultThreshold, threshold.clone(), window, limiters)))
            }
        };
        let thresholds = thresholds.into_iter().map(|(prefix, _, rule)| (prefix, rule)).collect();
        Ok(Self { thresholds, order, default })
    }

    /// The rule of a fingerprint: the threshold that names it, else the default threshold.
    pub(super) fn of(&self, fingerprint: &Fingerprint) -> Option<Arc<RuleState>> {
        let hex = fingerprint.to_string();
        let behind = self.thresholds.partition_point(|(prefix, _)| prefix.as_str() <= hex.as_str());
        let named =
            behind.checked_sub(1).map(|i| &self.thresholds[i]).filter(|(prefix, _)| hex.starts_with(prefix.as_str()));
        named.map(|(_, rule)| rule).or(self.default.as_ref()).cloned()
    }

    /// The rules in the order of the file, the default threshold last.
    pub(super) fn iter(&self) -> impl Iterator<Item = &RuleState> {
        self.order.iter().map(|&i| &*self.thresholds[i].1).chain(self.default.as_deref())
    }
}

/// How the window of a threshold is counted.
fn window(threshold: &Threshold) -> Result<WindowShape, LoadError> {
    let nanos = u64::try_from(threshold.window.as_nanos()).unwrap_or(u64::MAX);
    WindowShape::new(nanos, threshold.buckets).map_err(|error| {
        let found = format!("a window of {:?} in {} buckets", threshold.window, threshold.buckets);
        LoadError::with_faults(vec![Fault {
            code: "threshold.window.shape",
            path: String::new(),
            line: 0,
            column: 0,
            found,
            expected: error.to_string(),
        }])
    })
}
