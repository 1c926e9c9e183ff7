//! The conditions of a rule file, and how those a shape may meet are found.

use super::compiled::CompiledPatterns;
use super::condition::{Condition, Misfit};
use super::facts::ShapeFacts;
use super::literals::Literals;
use super::open::OpenPatterns;
use super::workload::{Place, Workload};
use crate::fingerprint::{Fingerprint, Normalizer};
use crate::rule::{MatchField, On, RuleFile};
use ahash::RandomState;
use aho_corasick::{AhoCorasick, AhoCorasickKind};
use std::collections::HashMap;
use std::sync::Arc;

/// The conditions of a rule file.
///
/// A rule about statements stands in one index, the most telling there is for it: by the fingerprints it names, by literals
/// that must stand in a text, by a pattern that is run on every text, or among those that are always asked. All literals are
/// looked for in one pass over the text, and all patterns without in a few, so what the first sight of a shape costs depends on
/// how many rules it may meet, and hardly on how many there are.
#[derive(Debug)]
pub(crate) struct Matcher {
    /// Of every rule of the file, by its number.
    conditions: Vec<Arc<Condition>>,
    requests: Vec<u32>,
    named: NamedFingerprints,
    literals: LiteralIndex,
    open: OpenPatterns,
    always: Vec<u32>,
}

/// A rule that can match nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UnmatchableRule {
    /// Its place in the file's rules, from 0.
    pub(crate) rule: u32,
    pub(crate) misfit: Misfit,
}

impl Matcher {
    /// Compiles the rules of a file.
    ///
    /// # Errors
    ///
    /// Every value of every rule that says nothing that can be matched.
    pub(crate) fn new(file: &RuleFile) -> Result<Self, Vec<UnmatchableRule>> {
        let mut normalizer = Normalizer::new(file.fingerprint);
        let mut patterns = CompiledPatterns::default();
        let (mut conditions, mut wrong) = (Vec::with_capacity(file.rules.len()), Vec::new());
        for (rule, number) in file.rules.iter().zip(0..) {
            match Condition::new(rule, &mut normalizer, &mut patterns) {
                Ok(condition) => conditions.push(Arc::new(condition)),
                Err(misfits) => {
                    wrong.extend(misfits.into_iter().map(|misfit| UnmatchableRule { rule: number, misfit }));
                }
            }
        }
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let (mut requests, mut always) = (Vec::new(), Vec::new());
        let (mut named, mut literals, mut open) = (NamedFingerprints::default(), Vec::new(), Vec::new());
        let mut workload = Workload::default();
        for ((rule, condition), number) in file.rules.iter().zip(&conditions).zip(0..) {
            if rule.on == On::Request {
                requests.push(number);
            } else if !condition.prefixes().is_empty() {
                condition.prefixes().iter().for_each(|prefix| named.insert(prefix.as_str(), number));
            } else {
                match workload.place(condition) {
                    Place::Behind(required) => literals.push((required, number)),
                    Place::Always => always.push(number),
                    Place::Open => open.extend(
                        (rule.matching.pattern.as_deref().zip(condition.pattern()))
                            .map(|(text, pattern)| (text, pattern, number)),
                    ),
                }
            }
        }
        let open = OpenPatterns::new(&open).map_err(|(rule, message)| {
            vec![UnmatchableRule { rule, misfit: Misfit { field: MatchField::Pattern, index: 0, message } }]
        })?;
        let literals = LiteralIndex::new(&literals).unwrap_or_else(|| {
            always.extend(literals.iter().map(|(_, number)| *number));
            LiteralIndex::default()
        });
        Ok(Self { conditions, requests, named, literals, open, always })
    }

    /// The condition of a rule, by its number in the file.
    pub(crate) fn condition(&self, rule: u32) -> Option<&Arc<Condition>> {
        self.conditions.get(rule as usize)
    }

    /// The rules about requests, in the order of the file.
    pub(crate) fn requests(&self) -> &[u32] {
        &self.requests
    }

    /// The rules about statements that name a fingerprint, whatever else they ask; in no order, and perhaps more than once.
    pub(crate) fn naming(&self, fingerprint: &Fingerprint) -> impl Iterator<Item = u32> {
        self.named.of(fingerprint)
    }

    /// Writes the rules about statements that a shape meets, in the order of the file, over what `rules` held.
    pub(crate) fn candidates(&self, facts: &ShapeFacts<'_>, rules: &mut Vec<u32>) {
        rules.clear();
        rules.extend(self.named.of(facts.fingerprint));
        self.literals.of(facts.text, rules);
        rules.extend_from_slice(&self.always);
        rules.sort_unstable();
        rules.dedup();
        rules.retain(|rule| self.condition(*rule).is_some_and(|condition| condition.of_shape(facts).is_ok()));
        let but_pattern =
            |rule: &u32| self.condition(*rule).is_some_and(|condition| condition.of_shape_but_pattern(facts).is_ok());
        // Each stands in one index only.
        rules.extend(self.open.of(facts.text).into_iter().filter(but_pattern));
        rules.sort_unstable();
    }
}

/// Rules by the fingerprints that they name.
#[derive(Debug, Default)]
struct NamedFingerprints(Vec<(usize, RulesByDigits)>);

type RulesByDigits = HashMap<String, Vec<u32>, RandomState>;

impl NamedFingerprints {
    fn insert(&mut self, digits: &str, rule: u32) {
        let known = self.0.iter().position(|(len, _)| *len == digits.len());
        let of_length = known.unwrap_or_else(|| {
            self.0.push((digits.len(), RulesByDigits::default()));
            self.0.len() - 1
        });
        self.0[of_length].1.entry(digits.to_owned()).or_default().push(rule);
    }

    /// One look-up for each length in use.
    fn of(&self, fingerprint: &Fingerprint) -> impl Iterator<Item = u32> {
        let digits = if self.0.is_empty() { String::new() } else { fingerprint.to_string() };
        self.0.iter().flat_map(move |(len, by_digits)| {
            digits.get(..*len).and_then(|digits| by_digits.get(digits)).into_iter().flatten().copied()
        })
    }
}

/// Rules by literals of which one must stand in a text.
#[derive(Debug, Default)]
struct LiteralIndex {
    /// None where there are no literals.
    automaton: Option<AhoCorasick>,
    /// The rules of each literal of the automaton.
    rules: Vec<Vec<u32>>,
}

impl LiteralIndex {
    /// `None` where there are more literals than an automaton can tell apart.
    fn new(required: &[(Literals, u32)]) -> Option<Self> {
        let mut places: HashMap<&[u8], usize, RandomState> = HashMap::default();
        let (mut literals, mut rules) = (Vec::new(), Vec::<Vec<u32>>::new());
        for (set, rule) in required {
            for literal in set.iter() {
                let place = *places.entry(literal).or_insert_with(|| {
                    literals.push(literal);
                    rules.push(Vec::new());
                    literals.len() - 1
                });
                rules[place].push(*rule);
            }
        }
        if literals.is_empty() {
            return Some(Self::default());
        }
        let automaton = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            // A DFA would take a row of all bytes for each byte of each literal.
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .build(literals)
            .ok()?;
        Some(Self { automaton: Some(automaton), rules })
    }

    /// Adds the rules of every literal in the text.
    fn of(&self, text: &[u8], rules: &mut Vec<u32>) {
        let Some(automaton) = &self.automaton else {
            return;
        };
        let Ok(hits) = automaton.try_find_overlapping_iter(text) else {
            // Only where the automaton were built for another search: then no rule is passed over.
            rules.extend(self.rules.iter().flatten());
            return;
        };
        let mut met = vec![false; self.rules.len()];
        let mut left = met.len();
        for hit in hits {
            let place = hit.pattern().as_usize();
            // A literal that a text repeats a million times adds its rules once.
            if !std::mem::replace(&mut met[place], true) {
                rules.extend_from_slice(&self.rules[place]);
                left -= 1;
                if left == 0 {
                    return;
                }
            }
        }
    }
}
