//! Where the patterns of a file are looked for, and how much work they may make of a text.

use super::condition::Condition;
use super::literals::Literals;
use super::pattern::Pattern;
use ahash::RandomState;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Where a rule is looked for at the first sight of a shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Where a text holds one of these.
    Behind(Literals),
    /// In every text: it has no pattern.
    Always,
    /// In every text, by its pattern.
    Open,
}

/// The work that the patterns of a file make of a text.
///
/// A pattern costs at most a step for each of its states and each byte of a text. It is spared the texts that hold none of its
/// literals; but a literal is only telling as long as few patterns wait for it: three thousand behind `select` all run on every
/// query. So a literal has room for [`STATES_PER_BYTE`](Self::STATES_PER_BYTE) states for each of its bytes, and a pattern goes
/// behind the most telling of its literals that has room. One that finds none is _open_: it is run on every text, together
/// with the other open ones, and all of them may have [`MAX_OPEN`](Self::MAX_OPEN) states.
///
/// So a text of `n` bytes meets open patterns of at most `MAX_OPEN` states, and behind literals that do not overlap patterns of at
/// most `n × STATES_PER_BYTE`, however many rules there are and whatever the text holds. A file beyond is refused: at a check
/// there is no right answer to a rule that takes too long, as passing it over protects nothing, and taking it for matched
/// throttles the innocent.
#[derive(Debug, Default)]
pub(crate) struct Workload {
    /// The states of the patterns behind each literal.
    behind: HashMap<Box<[u8]>, usize, RandomState>,
    /// Each counts once, whatever the number of its rules.
    open: HashSet<Open, RandomState>,
    open_states: usize,
}

/// An open pattern, by its identity: one text is compiled once.
#[derive(Debug)]
struct Open(Arc<Pattern>);

impl PartialEq for Open {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Open {}

impl std::hash::Hash for Open {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        Arc::as_ptr(&self.0).hash(state);
    }
}

impl Workload {
    /// Most states of all open patterns of a file.
    pub(crate) const MAX_OPEN: usize = 8_192;

    /// Most states of the patterns behind a literal, for each of its bytes.
    const STATES_PER_BYTE: usize = 16;

    /// Finds a place for a rule, and counts what it costs there. Rules are placed alike wherever they come in the same order.
    pub(crate) fn place(&mut self, condition: &Condition) -> Place {
        let required = condition.required();
        let Some(pattern) = condition.pattern() else {
            return required.into_iter().next().map_or(Place::Always, Place::Behind);
        };
        let open = Open(Arc::clone(pattern));
        // What another rule has opened costs nothing more, as it is run once for all.
        if self.open.contains(&open) {
            return Place::Open;
        }
        let states = pattern.states();
        for literals in required {
            if literals.iter().all(|literal| states <= self.room(literal)) {
                for literal in literals.iter() {
                    *self.behind.entry(literal.into()).or_default() += states;
                }
                return Place::Behind(literals);
            }
        }
        self.open.insert(open);
        self.open_states += states;
        Place::Open
    }

    /// The states that a literal has room for.
    fn room(&self, literal: &[u8]) -> usize {
        let taken = self.behind.get(literal).copied().unwrap_or_default();
        (literal.len() * Self::STATES_PER_BYTE).saturating_sub(taken)
    }

    /// The number of open patterns.
    pub(crate) fn open(&self) -> usize {
        self.open.len()
    }

    /// Their states together.
    pub(crate) const fn open_states(&self) -> usize {
        self.open_states
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fingerprint::{FingerprintOptions, Normalizer};
    use crate::rule::matcher::CompiledPatterns;
    use crate::rule::{Limit, Rule};

    #[derive(Default)]
    struct Placing {
        patterns: CompiledPatterns,
        workload: Workload,
    }

    impl Placing {
        fn place(&mut self, pattern: &str) -> String {
            self.place_with(pattern, |_| {})
        }

        fn place_with(&mut self, pattern: &str, change: impl FnOnce(&mut Rule)) -> String {
            let mut rule = Rule::new("rule", Limit::concurrency(1));
            rule.matching.pattern = Some(pattern.to_owned());
            change(&mut rule);
            let mut normalizer = Normalizer::new(FingerprintOptions::default());
            let condition = Condition::new(&rule, &mut normalizer, &mut self.patterns).unwrap();
            match self.workload.place(&condition) {
                Place::Behind(literals) => literals.iter().map(String::from_utf8_lossy).collect::<Vec<_>>().join("|"),
                place => format!("{place:?}"),
            }
        }
    }

    #[test]
    fn a_literal_that_tells_little_has_room_for_few() {
        let mut placing = Placing::default();
        // The most telling first; where it is full, the next; where all are, the pattern is open.
        let places: Vec<_> = (1..40).map(|i| placing.place(&format!("select .{{{i}}}from items .*"))).collect();
        let count = |place: &str| places.iter().filter(|placed| **placed == place).count();
        assert!(places[0] == "from items " && count("from items ") > 2, "{places:?}");
        assert!(count("select ") > 1 && places.last().unwrap() == "Open", "{places:?}");
        assert_eq!(count("from items ") + count("select ") + count("Open"), 39);
        let states = placing.workload.open_states();
        // One with a literal of its own is not concerned.
        assert_eq!(placing.place("select .* from items where tenant_17"), " from items where tenant_17");
        assert_eq!((placing.workload.open_states(), placing.workload.open()), (states, count("Open")));
    }

    #[test]
    fn another_field_of_the_rule_spares_its_pattern() {
        let with = |change: fn(&mut Rule)| Placing::default().place_with("[a-z]+[0-9].*", change);
        assert_eq!(with(|_| {}), "Open");
        assert_eq!(with(|rule| rule.matching.tables = vec!["orders".to_owned()]), "orders");
        assert_eq!(with(|rule| rule.matching.keywords = vec!["reports".to_owned()]), "reports");
        assert_eq!(with(|rule| rule.matching.databases = vec!["shop".to_owned()]), "Open");
    }

    #[test]
    fn one_pattern_of_many_rules_counts_once() {
        let mut placing = Placing::default();
        assert_eq!(placing.place(".*[0-9]"), "Open");
        let states = placing.workload.open_states();
        (0..100).for_each(|_| assert_eq!(placing.place(".*[0-9]"), "Open"));
        assert_eq!((placing.workload.open_states(), placing.workload.open()), (states, 1));
        // As well where the first of them went behind a literal.
        let places: Vec<_> = (0..1_000).map(|_| placing.place("select.*")).collect();
        assert!(places[0] == "select" && places[999] == "Open", "{places:?}");
        assert!(placing.workload.open() == 2 && placing.workload.open_states() < states + 30);
    }

    #[test]
    fn a_pattern_too_large_for_its_literal_is_open() {
        assert_eq!(Placing::default().place("x[a-z]{500}"), "Open");
        assert_eq!(Placing::default().place("xyz[a-z]{5}"), "xyz");
    }
}
