//! Which shapes each rule refused, and whether each was to blame.

use super::peak::Peak;
use super::tally::Shape;
use crate::rules::Terms;
use ahash::RandomState;
use sqlthrottle::Fingerprint;
use sqlthrottle::rule::Limit;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::time::Duration;

/// Most pairs of a rule and a shape that are counted at once.
const MAX_PAIRS: usize = 100_000;
/// Most lengths of windows in which shapes are counted by themselves: each takes memory for every shape.
const MAX_WINDOWS: usize = 8;
/// Most statements that are followed to their end.
const MAX_RUNNING: usize = 1_000_000;

/// Which shapes each rule refused.
///
/// When there are too many, the rarer half is let go, as with [`Tally`](super::tally::Tally); the sum for a rule stays exact.
#[derive(Debug)]
pub(super) struct Refusals {
    counts: HashMap<(usize, Fingerprint), u64, RandomState>,
    /// What each rule refused in all.
    sums: Vec<u64>,
    max_pairs: usize,
    pub(super) followed: Followed,
}

/// What of a shape is to be counted, so that it can be said what it would have come to alone.
#[derive(Clone, Debug, Default)]
pub(super) struct Followed {
    /// The windows of the rules.
    pub(super) windows: Vec<Duration>,
    /// Whether any rule limits what runs at once.
    pub(super) at_once: bool,
    /// Statements whose ends are awaited.
    running: usize,
    /// Whether there were more than can be followed.
    lost_track: bool,
}

/// How much of a shape a limit allows at the most, and how much of it there was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Alone {
    pub(super) own_peak: u64,
    pub(super) max: u64,
}

impl Alone {
    /// Whether the rule would have refused none of the shape, had it been alone.
    pub(super) fn is_innocent(self) -> bool {
        self.own_peak <= self.max
    }
}

impl Refusals {
    /// Nothing refused yet, by rules of these terms.
    pub(super) fn new(terms: &[Terms]) -> Self {
        Self::with_limit(terms, MAX_PAIRS)
    }

    fn with_limit(terms: &[Terms], max_pairs: usize) -> Self {
        let mut windows = Vec::new();
        for window in terms.iter().filter_map(|terms| window(&terms.limit)) {
            if windows.len() < MAX_WINDOWS && !windows.contains(&window) {
                windows.push(window);
            }
        }
        let at_once = terms.iter().any(|terms| matches!(terms.limit, Limit::Concurrency { .. }));
        let followed = Followed { windows, at_once, ..Followed::default() };
        Self { counts: HashMap::default(), sums: vec![0; terms.len()], max_pairs, followed }
    }

    /// Counts a statement that a rule refused or let wait.
    pub(super) fn count(&mut self, rule: usize, fingerprint: Fingerprint) {
        if let Some(sum) = self.sums.get_mut(rule) {
            *sum += 1;
        }
        if self.counts.len() >= self.max_pairs && !self.counts.contains_key(&(rule, fingerprint)) {
            self.let_go();
        }
        *self.counts.entry((rule, fingerprint)).or_default() += 1;
    }

    /// Lets go of the rarer half, at least of one.
    fn let_go(&mut self) {
        let mut counts: Vec<_> = self.counts.drain().collect();
        let going = counts.len().div_ceil(2);
        if going > 0 {
            counts.select_nth_unstable_by_key(going - 1, |((rule, fingerprint), count)| (*count, *rule, *fingerprint));
        }
        self.counts.extend(counts.drain(going..));
    }

    /// What a rule refused in all.
    pub(super) fn sum(&self, rule: usize) -> u64 {
        self.sums.get(rule).copied().unwrap_or(0)
    }

    /// The shapes that a rule refused most, the most first; of equal ones by fingerprint, so that the order does not depend
    /// on chance.
    pub(super) fn top(&self, rule: usize, n: usize) -> Vec<(Fingerprint, u64)> {
        let of_rule = self.counts.iter().filter(|((of, _), _)| *of == rule);
        let mut shapes: Vec<_> = of_rule.map(|((_, fingerprint), count)| (*fingerprint, *count)).collect();
        shapes.sort_unstable_by_key(|(fingerprint, count)| (Reverse(*count), *fingerprint));
        shapes.truncate(n);
        shapes
    }
}

impl Followed {
    /// Whether the end of a statement that has begun is to be awaited.
    pub(super) fn begin(&mut self) -> bool {
        self.lost_track |= self.running >= MAX_RUNNING;
        self.running += usize::from(!self.lost_track);
        !self.lost_track
    }

    pub(super) fn end(&mut self) {
        self.running = self.running.saturating_sub(1);
    }

    /// What a shape would have come to alone, by a limit; none where that cannot be told: where the limit allows nothing or
    /// everything, or the shape, or the windows, were too many to follow.
    pub(super) fn alone(&self, shape: &Shape, limit: &Limit) -> Option<Alone> {
        let own = shape.own.as_ref()?;
        let (own_peak, max) = match *limit {
            Limit::Concurrency { .. } if self.lost_track => return None,
            Limit::Concurrency { max, .. } => (own.at_once.most(), max),
            Limit::SlidingWindow { max, .. } | Limit::FixedWindow { max, .. } => (self.peak(shape, limit)?, max),
            Limit::TokenBucket { capacity, .. } => (self.peak(shape, limit)?, capacity),
            _ => return None,
        };
        Some(Alone { own_peak, max: max.into() })
    }

    fn peak(&self, shape: &Shape, limit: &Limit) -> Option<u64> {
        let window = window(limit)?;
        let place = self.windows.iter().position(|other| *other == window)?;
        shape.own.as_ref()?.peaks.get(place).map(Peak::most)
    }
}

/// The interval in which a limit allows no more than its maximum. Of a token bucket it is the time in which it fills: what
/// stays within the capacity in each such interval is never refused.
fn window(limit: &Limit) -> Option<Duration> {
    match *limit {
        Limit::SlidingWindow { window, .. } | Limit::FixedWindow { window, .. } => Some(window),
        Limit::TokenBucket { capacity, rate } => {
            let nanos = (rate.per().as_nanos() * u128::from(capacity)).div_ceil(u128::from(rate.tokens()));
            Some(Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX)))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sqlthrottle::HashKind;

    #[test]
    fn a_flood_of_shapes_hides_no_busy_one_and_the_sum_is_exact() {
        let terms = crate::rules::terms(&sqlthrottle::RuleFile::parse("default_threshold: 1").unwrap());
        let mut refusals = Refusals::with_limit(&terms, 100);
        let shape = |text: &str| HashKind::Sha256.digest(text.as_bytes());
        for i in 0..5_000 {
            refusals.count(0, shape(&i.to_string()));
            if i >= 2_000 && i % 10 == 0 {
                refusals.count(0, shape("busy"));
            }
        }
        assert!(refusals.counts.len() <= 100);
        assert_eq!(refusals.sum(0), 5_300);
        assert_eq!(refusals.top(0, 1), [(shape("busy"), 300)]);
        assert_eq!(refusals.top(1, 1), []);
    }

    #[test]
    fn a_bucket_is_judged_by_the_time_in_which_it_fills() {
        let rules = "rules: [{name: a, limit: {token_bucket: {capacity: 10, rate: 3/s}}}]";
        let terms = crate::rules::terms(&sqlthrottle::RuleFile::parse(rules).unwrap());
        assert_eq!(window(&terms[0].limit), Some(Duration::from_nanos(3_333_333_334)));
    }
}
