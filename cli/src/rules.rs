//! The rules of a file, thresholds among them, as people read them.

use sqlthrottle::rule::{Count, Limit, Mode, On, RuleFile, Scope, Then, Threshold};
use sqlthrottle::{Delay, Strategy};
use std::fmt::{self, Display};
use std::time::{Duration, SystemTime};

/// What a rule or a threshold says, besides what it matches.
#[derive(Clone, Debug)]
pub(crate) struct Terms {
    pub(crate) limit: Limit,
    pub(crate) then: Then,
    /// Its own mode, where it says one.
    pub(crate) mode: Option<Mode>,
    pub(crate) on: On,
    pub(crate) expires: Option<SystemTime>,
}

/// The terms of every threshold, every rule and the default threshold: the order in which an engine lists them.
pub(crate) fn terms(rules: &RuleFile) -> Vec<Terms> {
    let thresholds = rules.thresholds.iter().map(|(_, threshold)| Terms::of_threshold(threshold));
    let own = rules.rules.iter().map(|rule| Terms {
        limit: rule.limit,
        then: rule.then.clone(),
        mode: rule.mode,
        on: rule.on,
        expires: rule.expires,
    });
    thresholds.chain(own).chain(rules.default_threshold.iter().map(Terms::of_threshold)).collect()
}

/// Lets each limit that instances share be counted here. Returns how many rules that changes.
pub(crate) fn count_here(rules: &mut RuleFile) -> usize {
    let shared = rules.rules.iter_mut().filter(|rule| rule.scope == Scope::Cluster);
    shared.map(|rule| (rule.scope, rule.on_failure) = (Scope::Process, None)).count()
}

impl Terms {
    fn of_threshold(threshold: &Threshold) -> Self {
        let Threshold { max_count: max, window, buckets, .. } = *threshold;
        let mut then = Then::default();
        then.strategy = threshold.strategy.clone();
        (then.share, then.max_delayed) = (threshold.share, threshold.max_delayed);
        Self {
            limit: Limit::SlidingWindow { max, window, buckets, count: Count::Attempts },
            then,
            mode: None,
            on: On::Statement,
            expires: None,
        }
    }
}

impl Display for Terms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.limit {
            Limit::Unlimited => f.write_str("exempt from every other rule"),
            Limit::Block => write!(f, "nothing passes; {}", Beyond(&self.then)),
            _ => write!(f, "{}; beyond it {}", Allowed(&self.limit), Beyond(&self.then)),
        }
    }
}

/// How much a limit allows: `100 in any 10s`.
pub(crate) struct Allowed<'a>(pub(crate) &'a Limit);

impl Display for Allowed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self.0 {
            Limit::TokenBucket { capacity, rate } => write!(f, "a burst of {capacity}, then {rate}"),
            Limit::SlidingWindow { max, window, count, .. } => {
                let tried = if count == Count::Attempts { ", tried" } else { "" };
                write!(f, "{max} in any {}{tried}", Length(window))
            }
            Limit::FixedWindow { max, window } => write!(f, "{max} in each {}", Length(window)),
            Limit::Concurrency { max, .. } => write!(f, "{max} at once"),
            Limit::Block => f.write_str("nothing passes"),
            _ => f.write_str(self.0.name()),
        }
    }
}

/// What is done beyond a limit: `abort 2/3`.
struct Beyond<'a>(&'a Then);

impl Display for Beyond<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.strategy {
            Strategy::Abort => f.write_str("abort")?,
            Strategy::Ignore => f.write_str("ignore")?,
            Strategy::Custom(name) => write!(f, "custom:{name}")?,
            Strategy::Delay(Delay::Fixed(delay)) => write!(f, "delay {}", Length(*delay))?,
            Strategy::Delay(Delay::UntilAllowed { max }) => {
                write!(f, "delay until allowed, up to {}", Length(*max))?;
            }
            _ => f.write_str("another strategy")?,
        }
        if self.0.share.is_all() { Ok(()) } else { write!(f, ", {} of it", self.0.share) }
    }
}

/// A duration as a rule file writes it, in the largest unit that holds it whole.
pub(crate) struct Length(pub(crate) Duration);

impl Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SECOND: u128 = 1_000_000_000;
        let units = [
            (86_400 * SECOND, "d"),
            (3_600 * SECOND, "h"),
            (60 * SECOND, "m"),
            (SECOND, "s"),
            (1_000_000, "ms"),
            (1_000, "us"),
        ];
        let nanos = self.0.as_nanos();
        if nanos == 0 {
            return f.write_str("0s");
        }
        let (unit, name) = units.into_iter().find(|(unit, _)| nanos.is_multiple_of(*unit)).unwrap_or((1, "ns"));
        write!(f, "{}{name}", nanos / unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_limit_is_said_in_words() {
        let words = |limit: &str, then: &str| {
            let text = format!("rules: [{{name: a, limit: {limit}{then}}}]");
            terms(&RuleFile::parse(text).unwrap())[0].to_string()
        };
        for (limit, then, said) in [
            ("{token_bucket: {capacity: 100, rate: 20/s}}", "", "a burst of 100, then 20/s; beyond it abort"),
            ("{sliding_window: {max: 5, window: 90s}}", ", then: {strategy: ignore}", "5 in any 90s; beyond it ignore"),
            ("{sliding_window: {max: 5, window: 60s, count: attempts}}", "", "5 in any 1m, tried; beyond it abort"),
            (
                "{fixed_window: {max: 5, window: 24h}}",
                ", then: {strategy: delay, delay: 1.5ms, share: 2/3}",
                "5 in each 1d; beyond it delay 1500us, 2/3 of it",
            ),
            (
                "{concurrency: {max: 3}}",
                ", then: {strategy: delay, delay: until_allowed, max_delay: 5s}",
                "3 at once; beyond it delay until allowed, up to 5s",
            ),
            ("{block: true}", ", then: {strategy: 'custom:shed'}", "nothing passes; custom:shed"),
            ("{unlimited: true}", "", "exempt from every other rule"),
        ] {
            assert_eq!(words(limit, then), said);
        }
    }
}
