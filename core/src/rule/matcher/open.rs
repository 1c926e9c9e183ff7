//! Patterns that are run on every text.

use super::pattern::{self, Pattern};
use ahash::RandomState;
use regex_automata::hybrid::dfa::{Cache, Config, DFA};
use regex_automata::nfa::thompson::{self, WhichCaptures};
use regex_automata::{Anchored, Input, MatchKind, PatternSet};
use regex_syntax::hir::{Dot, Hir, Look, Repetition};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, TryLockError};

/// Patterns that no literal spares any text, run together.
///
/// They are put together in a few automata, whose states are made as texts lead to them and kept from one shape to the next:
/// texts of one program resemble each other, so soon a byte costs a look-up in each automaton. Where nearly each byte of a text
/// leads to a state of its own, sets of many patterns are dearer to make than to do without, and its patterns are left to be
/// asked one by one: that costs a step for each state of each pattern and byte, which
/// [`Workload`](super::workload::Workload) bounds.
#[derive(Debug, Default)]
pub(super) struct OpenPatterns(Vec<Group>);

/// A few patterns in one automaton.
struct Group {
    automaton: DFA,
    patterns: Vec<OpenPattern>,
    /// What earlier texts have led to.
    caches: Mutex<Vec<Cache>>,
}

#[derive(Debug)]
struct OpenPattern {
    alone: Arc<Pattern>,
    rules: Vec<u32>,
}

impl OpenPatterns {
    /// Most states of the patterns of a group, but for one that has more by itself: a state of the automaton is a set of them.
    const GROUP_STATES: usize = 512;

    /// Most memory of a cache, in bytes; what it holds is forgotten beyond it. Tens of states at their largest.
    const CACHE_BYTES: usize = 128 << 10;

    /// Fewest bytes of text for each state that is made, where a cache is filled: with fewer the group is given up for the text.
    const BYTES_PER_STATE: usize = 8;

    /// Most caches that a group keeps: so many threads that see shapes first at one time find one.
    const CACHES: usize = 4;

    /// Of patterns, each as it is written and compiled, with a rule that has it.
    ///
    /// # Errors
    ///
    /// The rule of a pattern that cannot be put together with others, and why: none of those that a [`Pattern`] was made of.
    pub(super) fn new(patterns: &[(&str, &Arc<Pattern>, u32)]) -> Result<Self, (u32, String)> {
        let mut places: HashMap<&str, (usize, usize), RandomState> = HashMap::default();
        let mut groups: Vec<(Vec<Hir>, Vec<OpenPattern>)> = Vec::new();
        let mut left = 0;
        for (text, pattern, rule) in patterns {
            if let Some((group, place)) = places.get(text) {
                groups[*group].1[*place].rules.push(*rule);
                continue;
            }
            if groups.is_empty() || left < pattern.states() {
                groups.push((Vec::new(), Vec::new()));
                left = Self::GROUP_STATES;
            }
            left = left.saturating_sub(pattern.states());
            let last = groups.len() - 1;
            let (expressions, members) = &mut groups[last];
            places.insert(text, (last, members.len()));
            expressions.push(to_the_end(pattern::translate(text).map_err(|error| (*rule, error.to_string()))?));
            members.push(OpenPattern { alone: Arc::clone(pattern), rules: vec![*rule] });
        }
        let group = |(expressions, patterns): (Vec<Hir>, Vec<OpenPattern>)| match automaton(&expressions) {
            Ok(automaton) => Ok(Group { automaton, patterns, caches: Mutex::default() }),
            Err(error) => Err((patterns.first().map_or(0, |first| first.rules[0]), error)),
        };
        groups.into_iter().map(group).collect::<Result<_, _>>().map(Self)
    }

    /// The rules whose pattern a text begins with, in no order.
    pub(super) fn of(&self, text: &[u8]) -> Vec<u32> {
        let mut matched = Vec::new();
        self.0.iter().for_each(|group| group.of(text, &mut matched));
        matched
    }
}

impl Group {
    fn of(&self, text: &[u8], matched: &mut Vec<u32>) {
        let mut cache = self.take().unwrap_or_else(|| Cache::new(&self.automaton));
        let mut met = PatternSet::new(self.patterns.len());
        let input = Input::new(text).anchored(Anchored::Yes);
        if self.automaton.try_which_overlapping_matches(&mut cache, &input, &mut met).is_ok() {
            matched.extend(met.iter().flat_map(|place| &self.patterns[place.as_usize()].rules));
        } else {
            // What has filled it is of no use to other texts.
            cache.reset(&self.automaton);
            let one_by_one = self.patterns.iter().filter(|pattern| pattern.alone.matches(text));
            matched.extend(one_by_one.flat_map(|pattern| &pattern.rules));
        }
        self.give_back(cache);
    }

    /// A cache that no other search has; none where another thread is just here, or a fork has left the lock closed for ever.
    fn take(&self) -> Option<Cache> {
        match self.caches.try_lock() {
            Ok(mut caches) => caches.pop(),
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner().pop(),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    fn give_back(&self, cache: Cache) {
        if let Ok(mut caches) = self.caches.try_lock()
            && caches.len() < OpenPatterns::CACHES
        {
            caches.push(cache);
        }
    }
}

impl fmt::Debug for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Group").field("patterns", &self.patterns).finish_non_exhaustive()
    }
}

/// An expression that matches a whole text where the given one matches its beginning. So a match is told once, at the end, and
/// not again at each byte behind it.
fn to_the_end(begin: Hir) -> Hir {
    let any = Hir::dot(Dot::AnyByte);
    let rest = Hir::repetition(Repetition { min: 0, max: None, greedy: true, sub: Box::new(any) });
    Hir::concat(vec![begin, rest, Hir::look(Look::End)])
}

fn automaton(expressions: &[Hir]) -> Result<DFA, String> {
    let nfa = thompson::Compiler::new()
        .configure(thompson::Config::new().utf8(false).which_captures(WhichCaptures::None))
        .build_many_from_hir(expressions)
        .map_err(|error| error.to_string())?;
    let config = Config::new()
        .match_kind(MatchKind::All)
        .minimum_cache_clear_count(Some(0))
        .minimum_bytes_per_state(Some(OpenPatterns::BYTES_PER_STATE))
        .cache_capacity(OpenPatterns::CACHE_BYTES)
        .skip_cache_capacity_check(true);
    DFA::builder().configure(config).build_from_nfa(nfa).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PATTERNS: &[&str] = &[
        ".",
        ".*",
        "",
        "[a-z]+ [0-9]",
        "a|.*b",
        "[ab]{3}$",
        r"\b[a-c]+\b",
        "(a|)",
        ".*(ab?)+",
        "^.b",
        "(?-i)[A-B]",
        ".*[ab].{3}a",
        "[^a]",
        "(?:)$",
        r".*\d\d",
        "..*[?]$",
        "a*$",
        r"\B.",
        "[[:alpha:]]{2,3}",
        ".{0,4}$",
    ];

    fn open(patterns: &[&str]) -> OpenPatterns {
        let compiled: Vec<_> = patterns.iter().map(|text| Arc::new(Pattern::new(text).unwrap())).collect();
        let with_rules: Vec<_> =
            (0..).zip(patterns.iter().zip(&compiled)).map(|(rule, (text, pattern))| (*text, pattern, rule)).collect();
        OpenPatterns::new(&with_rules).unwrap()
    }

    fn matched(open: &OpenPatterns, text: &[u8]) -> Vec<u32> {
        let mut matched = open.of(text);
        matched.sort_unstable();
        matched
    }

    fn one_by_one(patterns: &[impl AsRef<str>], text: &[u8]) -> Vec<u32> {
        let matches = |pattern: &dyn AsRef<str>| Pattern::new(pattern.as_ref()).unwrap().matches(text);
        (0..).zip(patterns).filter(|(_, pattern)| matches(*pattern)).map(|(rule, _)| rule).collect()
    }

    #[test]
    fn one_pattern_of_many_rules_is_run_once() {
        let open = open(&["[a-z]+", ".*b", "[a-z]+", "[a-z]+"]);
        assert_eq!(open.0.iter().map(|group| group.patterns.len()).sum::<usize>(), 2);
        assert_eq!(matched(&open, b"ac"), [0, 2, 3]);
        assert_eq!(matched(&open, b"1b"), [1]);
    }

    /// Patterns of which nearly each byte of the text leads to another state: what each of the last bytes was.
    fn hostile() -> (Vec<String>, OpenPatterns, Vec<u8>) {
        let patterns: Vec<_> = (0..20).map(|i| format!(".*[ab].{{{}}}c", i + 10)).collect();
        let open = open(&patterns.iter().map(String::as_str).collect::<Vec<_>>());
        let mut state = 1_u64;
        let text = (0..20_000).map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            b"abcd"[(state >> 62) as usize]
        });
        let text = text.collect();
        (patterns, open, text)
    }

    #[test]
    fn a_text_that_leads_to_ever_new_states_is_left_to_each_pattern() {
        let (patterns, open, text) = hostile();
        let group = &open.0[0];
        let input = Input::new(&text).anchored(Anchored::Yes);
        let mut met = PatternSet::new(patterns.len());
        let together =
            group.automaton.try_which_overlapping_matches(&mut Cache::new(&group.automaton), &input, &mut met);
        assert!(together.is_err(), "it is to be given up");
        assert_eq!(matched(&open, &text), one_by_one(&patterns, &text));
        assert_eq!(matched(&open, &text[..30]), one_by_one(&patterns, &text[..30]));
        // The texts after it are not concerned.
        assert_eq!(matched(&open, b"a0123456789c"), [0]);
        assert!(group.take().is_some_and(|cache| cache.memory_usage() < OpenPatterns::CACHE_BYTES / 2));
    }

    #[test]
    fn what_texts_lead_to_is_kept_in_bounds() {
        let (_, open, text) = hostile();
        let kept = allocation_counter::measure(|| {
            for part in text.chunks(7) {
                open.of(part);
            }
            open.of(&text);
        });
        let most = i64::try_from(open.0.len() * OpenPatterns::CACHE_BYTES * 2).unwrap();
        assert!(kept.bytes_current <= most, "{} bytes are kept, of {most}", kept.bytes_current);
        // A text like those before needs no memory but for the answer.
        open.of(b"select a");
        let again = allocation_counter::measure(|| drop(open.of(b"select a")));
        assert!(again.bytes_total < 2_048, "{} bytes", again.bytes_total);
    }

    #[test]
    fn a_lock_that_is_never_opened_holds_nothing_up() {
        let open = open(&["[a-z]+", ".*b"]);
        let held: Vec<_> = open.0.iter().map(|group| group.caches.lock().unwrap()).collect();
        assert_eq!(matched(&open, b"ab"), [0, 1]);
        drop(held);
        assert_eq!(matched(&open, b"ab"), [0, 1]);
    }

    proptest! {
        #[test]
        fn together_they_match_as_one_by_one(
            patterns in prop::collection::vec(prop::sample::select(PATTERNS), 1..20),
            texts in prop::collection::vec(prop_oneof![
                "[abAB ?0]{0,8}".prop_map(String::into_bytes),
                prop::collection::vec(any::<u8>(), 0..8),
            ], 1..4),
        ) {
            let patterns: Vec<_> = patterns.into_iter().filter(|text| !text.is_empty()).collect();
            let open = open(&patterns);
            for text in &texts {
                let expected = one_by_one(&patterns, text);
                prop_assert_eq!(matched(&open, text), expected, "{:?} {:?}", patterns, text);
            }
        }
    }
}
