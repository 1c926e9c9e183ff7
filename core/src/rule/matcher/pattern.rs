//! A regular expression on the normalised text.

use super::literals::Literals;
use regex_automata::hybrid::dfa::{self, DFA};
use regex_automata::nfa::thompson::backtrack::{self, BoundedBacktracker};
use regex_automata::nfa::thompson::{self, WhichCaptures};
use regex_automata::{Anchored, Input};
use regex_syntax::ast::{self, Span};
use regex_syntax::hir::{self, Class, Hir, HirKind, Look};
use std::fmt;

/// A regular expression, matched from the start of a normalised text, in any case. It is read over bytes: `.` is any of them,
/// so that one that is no UTF-8 breaks no pattern. A match takes time linear in the text, whatever the pattern.
///
/// What is kept is one automaton of a few kilobytes, and what a search needs is built while it runs, and forgotten: a pattern
/// is asked once for a shape. A short text is searched by backtracking over what was not tried yet, a long one by states that
/// are put together as they are met, which is faster by the byte and takes longer to begin.
#[derive(Clone)]
pub(crate) struct Pattern {
    short: BoundedBacktracker,
    long: DFA,
    /// The most telling first.
    required: Box<[Literals]>,
}

/// Why a text is no pattern, in one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unusable {
    /// What is wrong, and where.
    Malformed(String),
    /// It was given up when it had taken [`Pattern::MAX_COMPILED`] bytes.
    TooLarge(String),
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Malformed(message) | Self::TooLarge(message)) = self;
        f.write_str(message)
    }
}

impl Pattern {
    /// Longest text, in bytes.
    pub(crate) const MAX_BYTES: usize = 64 << 10;

    /// Deepest nesting of groups, repetitions and classes.
    const MAX_NESTING: u32 = 100;

    /// Most memory of a compiled pattern, in bytes: what `a{1000}` nested in another would take is not even begun.
    pub(crate) const MAX_COMPILED: usize = 1 << 20;

    /// Memory for what was tried of a short text, in bytes: a bit for each state of the pattern and each byte.
    const MAX_TRIED: usize = 16 << 10;

    /// Memory for the states met in a long text, in bytes; beyond it they are forgotten and built again.
    const MAX_CACHE: usize = 1 << 20;

    /// Reads and compiles a regular expression, in time bounded by its length and by what a compiled one may take.
    ///
    /// # Errors
    ///
    /// What is wrong, and where.
    pub(crate) fn new(text: &str) -> Result<Self, Unusable> {
        let malformed = |error: String| Unusable::Malformed(error);
        let hir = translate(text)?;
        let nfa = thompson::Compiler::new()
            .configure(
                thompson::Config::new()
                    .utf8(false)
                    .which_captures(WhichCaptures::None)
                    .nfa_size_limit(Some(Self::MAX_COMPILED)),
            )
            .build_from_hir(&hir)
            .map_err(|error| match error.size_limit() {
                Some(limit) => {
                    Unusable::TooLarge(format!("the compiled pattern takes more than {limit} bytes: repeat less"))
                }
                None => malformed(error.to_string()),
            })?;
        let short = BoundedBacktracker::builder()
            .configure(backtrack::Config::new().visited_capacity(Self::MAX_TRIED))
            .build_from_nfa(nfa.clone())
            .map_err(|error| malformed(error.to_string()))?;
        // Without a bound on how often the cache is cleared, and without bytes to quit at, a search always ends in an answer.
        let config = dfa::Config::new().cache_capacity(Self::MAX_CACHE).skip_cache_capacity_check(true);
        let long =
            DFA::builder().configure(config).build_from_nfa(nfa).map_err(|error| malformed(error.to_string()))?;
        Ok(Self { short, long, required: Literals::required_by(&hir).into() })
    }

    /// The states of its automaton: the most steps that it takes for a byte of a text.
    pub(crate) fn states(&self) -> usize {
        self.short.get_nfa().states().len()
    }

    /// What it takes, in bytes.
    pub(crate) fn memory(&self) -> usize {
        size_of::<Self>()
            + self.short.get_nfa().memory_usage()
            + self.required.iter().map(Literals::memory).sum::<usize>()
    }

    /// Whether a normalised text begins with what the pattern says.
    pub(crate) fn matches(&self, text: &[u8]) -> bool {
        let input = Input::new(text).anchored(Anchored::Yes).earliest(true);
        self.matches_short(&input).unwrap_or_else(|| self.matches_long(&input))
    }

    /// `None` where the text is too long to note what was tried.
    fn matches_short(&self, input: &Input<'_>) -> Option<bool> {
        let mut cache = backtrack::Cache::new(&self.short);
        self.short.try_search_slots(&mut cache, input, &mut []).ok().map(|found| found.is_some())
    }

    fn matches_long(&self, input: &Input<'_>) -> bool {
        matches!(self.long.try_search_fwd(&mut dfa::Cache::new(&self.long), input), Ok(Some(_)))
    }

    /// Sets of literals, of each of which every text that matches holds one, in any case: the most telling first, and none
    /// where it need not hold any.
    pub(crate) fn required(&self) -> &[Literals] {
        &self.required
    }
}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pattern").field("required", &self.required).finish_non_exhaustive()
    }
}

/// Reads a regular expression as a pattern is read, in time bounded by its length.
pub(super) fn translate(text: &str) -> Result<Hir, Unusable> {
    if text.is_empty() {
        return Err(Unusable::Malformed("an empty pattern matches everything; leave it out".to_owned()));
    }
    if text.len() > Pattern::MAX_BYTES {
        let message = format!("the pattern has {} bytes, and {} is the most", text.len(), Pattern::MAX_BYTES);
        return Err(Unusable::Malformed(message));
    }
    let at = |what: &dyn fmt::Display, span: &Span| {
        let place = text[..span.start.offset].chars().count() + 1;
        Unusable::Malformed(format!("{what}, at character {place} of the pattern"))
    };
    let ast = ast::parse::ParserBuilder::new()
        .nest_limit(Pattern::MAX_NESTING)
        .build()
        .parse(text)
        .map_err(|error| at(error.kind(), error.span()))?;
    let hir = hir::translate::TranslatorBuilder::new()
        .unicode(false)
        .utf8(false)
        .case_insensitive(true)
        .dot_matches_new_line(true)
        .build()
        .translate(text, &ast)
        .map_err(|error| at(error.kind(), error.span()))?;
    if reads_characters(&hir) {
        let message = "the pattern reads bytes, not Unicode characters: leave out `(?u)`";
        return Err(Unusable::Malformed(message.to_owned()));
    }
    Ok(hir)
}

/// Whether `(?u)` is in it, for which a byte that is no UTF-8 is no character. Recurses as deep as the pattern nests.
fn reads_characters(hir: &Hir) -> bool {
    match hir.kind() {
        // Branches of one byte each are made a class of characters if they are ASCII, which is all the same.
        HirKind::Class(Class::Unicode(class)) => !class.is_ascii(),
        HirKind::Look(look) => matches!(
            look,
            Look::WordUnicode
                | Look::WordUnicodeNegate
                | Look::WordStartUnicode
                | Look::WordEndUnicode
                | Look::WordStartHalfUnicode
                | Look::WordEndHalfUnicode
        ),
        HirKind::Empty | HirKind::Literal(_) | HirKind::Class(Class::Bytes(_)) => false,
        HirKind::Repetition(repetition) => reads_characters(&repetition.sub),
        HirKind::Capture(capture) => reads_characters(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => parts.iter().any(reads_characters),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use proptest::string::bytes_regex;

    fn required(pattern: &str) -> String {
        let pattern = Pattern::new(pattern).unwrap();
        let literals = pattern.required().first().into_iter().flat_map(Literals::iter);
        literals.map(String::from_utf8_lossy).collect::<Vec<_>>().join("|")
    }

    #[test]
    fn it_matches_from_the_start_in_any_case() {
        for (pattern, text, expected) in [
            ("select", "select ?", true),
            ("SELECT.*From", "select ? from t", true),
            ("from", "select ? from t", false),
            (".*from", "select ? from t", true),
            ("^select", "select ?", true),
            ("select$", "select ?", false),
            (r"select \?$", "select ?", true),
            ("update|delete", "delete from t", true),
            ("update|delete", "select ?; delete from t", false),
            ("a.*b", "a\nb", true),
            (r"\bselect\b", "select(?)", true),
            ("(a|b)c", "Bc", true),
            (r"select \w+", "select é", false),
            ("(?x) select # the comment hides no parenthesis", "select ?", true),
            ("(?-i)Select", "select ?", false),
            ("select é", "select é", true),
            ("select É", "select é", false),
            ("a{2,3}$", "aaaa", false),
            ("[[:alpha:]]+ \\?", "select ?", true),
            ("(?:)", "", true),
            ("x?", "", true),
        ] {
            assert_eq!(Pattern::new(pattern).unwrap().matches(text.as_bytes()), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn a_byte_that_is_no_utf_8_breaks_no_pattern() {
        assert!(Pattern::new("select.*reports").unwrap().matches(b"select \xFF from reports"));
        assert!(Pattern::new("select ...from").unwrap().matches(b"select \xFF\x00 from"));
        assert!(Pattern::new(r"select [^a]").unwrap().matches(b"select \xC3"));
    }

    #[test]
    fn what_is_no_pattern_is_refused_with_its_place() {
        for (pattern, expected) in [
            ("", "an empty pattern"),
            ("é(", "unclosed group, at character 2"),
            ("a)", "unopened group, at character 2"),
            ("a**{", "at character"),
            ("*", "repetition operator missing expression, at character 1"),
            ("[z-a]", "invalid character class range"),
            (r"(a)\1", "backreferences are not supported, at character 4"),
            ("(?=a)", "look-around"),
            (r"\pL", "Unicode not allowed here, at character 1"),
            ("[é]", "Unicode not allowed here"),
            ("(?u)[^x]", "nicode"),
            (r"(?u-i)\b", "(?u)"),
            ("(?u-i).", "(?u)"),
        ] {
            let error = Pattern::new(pattern).unwrap_err().to_string();
            assert!(error.contains(expected) && !error.contains('\n'), "{pattern}: {error}");
        }
    }

    #[test]
    fn what_would_take_too_much_is_refused() {
        for (pattern, expected) in [
            ("a".repeat(1 << 20), "the pattern has 1048576 bytes, and 65536 is the most"),
            ("(a{1000}){1000}".to_owned(), "repeat less"),
            ("((((a{99}){99}){99}){99}){99}".to_owned(), "repeat less"),
            ("a{4000000000}".to_owned(), "repeat less"),
            ("(?:[a&&b]x){4000000000}".to_owned(), "repeat less"),
            ("(".repeat(30_000) + &")".repeat(30_000), "nest"),
            ("a".to_owned() + &"?".repeat(60_000), "nest"),
            ("[".repeat(60_000), ""),
        ] {
            let error = Pattern::new(&pattern).unwrap_err().to_string();
            assert!(error.contains(expected) && error.len() < 200, "{error}");
        }
        // What requires nothing may be repeated for ever.
        assert!(Pattern::new("(?:(?:){4000000000}|x)").unwrap().matches(b""));
        assert!(Pattern::new(&"(?:a|b)".repeat(100)).unwrap().matches(&[b'A'; 100]));
        assert!(Pattern::new(&"ab".repeat(2_000)).unwrap().matches("AB".repeat(2_000).as_bytes()));
    }

    #[test]
    fn a_pattern_takes_a_few_kilobytes() {
        let text = "(select|update|delete).*(orders|items)\\b.*where.*tenant";
        let mut pattern = None;
        let kept = allocation_counter::measure(|| pattern = Some(Pattern::new(text))).bytes_current;
        assert!(kept < 6 << 10, "{kept} bytes");
        // And no more once it has run.
        let text = "select a from orders where tenant=?".repeat(1_000);
        let pattern = pattern.unwrap().unwrap();
        assert_eq!(allocation_counter::measure(|| assert!(pattern.matches(text.as_bytes()))).bytes_current, 0);
    }

    #[test]
    fn a_long_text_is_not_searched_by_backtracking() {
        let pattern = Pattern::new("select.*from reports").unwrap();
        let text = format!("select {} from reports", "a,".repeat(100_000));
        assert_eq!(pattern.matches_short(&Input::new(&text).anchored(Anchored::Yes)), None);
        assert!(pattern.matches(text.as_bytes()) && !pattern.matches(&text.as_bytes()[..200_000]));
    }

    #[test]
    fn no_text_makes_a_pattern_slow() {
        let text = [b'a'; 10_000];
        for pattern in ["(a*)*b", "(a|aa)+$b", "(?:a?){50}a{50}b", "(.*)*x", "(.*a){40}b"] {
            assert!(!Pattern::new(pattern).unwrap().matches(&text), "{pattern}");
        }
    }

    #[test]
    fn the_most_telling_literals_are_required() {
        for (pattern, expected) in [
            ("select.*from reports", "from reports"),
            ("SELECT", "select"),
            ("select", "select"),
            ("(select|update).*", "select|update"),
            ("from (orders|items)x", "from itemsx|from ordersx"),
            ("(?:update) .*(set) a", "update "),
            (r"\bselect\b", "select"),
            ("(abc)+", "abc"),
            ("(abc){2,}", "abc"),
            ("abc?de", "ab"),
            ("(abc)*x", "x"),
            ("orders[_-]x", "orders-x|orders_x"),
            ("orders(_|a)x", "orders_x|ordersax"),
            (r"orders_\d\d", "orders_"),
            ("é.", "é"),
            ("a|.*", ""),
            ("(abc)?", ""),
            (".*", ""),
            ("[a-z]+", ""),
            ("(a|)", ""),
        ] {
            assert_eq!(required(pattern), expected, "{pattern}");
        }
        let many: Vec<_> = (0..=Literals::MAX).map(|n| format!("{n}word")).collect();
        assert_eq!(required(&many.join("|")), "");
        assert_eq!(required(&format!("({}) from", many.join("|"))), " from");
        // Long runs are put together in place.
        assert_eq!(required(&format!("{}.", "ab".repeat(1_000))).len(), 2_000);
    }

    /// Regular expressions of a few letters, without assertions.
    fn pattern() -> impl Strategy<Value = String> {
        let leaf = prop_oneof![
            "[abAB]{1,3}",
            Just(".".to_owned()),
            Just("[ab]".to_owned()),
            Just("[^a]".to_owned()),
            Just("_".to_owned()),
        ];
        leaf.prop_recursive(4, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 1..4).prop_map(|parts| parts.concat()),
                prop::collection::vec(inner.clone(), 1..4).prop_map(|parts| format!("({})", parts.join("|"))),
                (inner, prop::sample::select(vec!["?", "*", "+", "{2}", "{0,2}", "{1,2}"]))
                    .prop_map(|(part, times)| format!("(?:{part}){times}")),
            ]
        })
    }

    fn holds_a_required_literal(pattern: &Pattern, text: &[u8]) -> bool {
        let text = text.to_ascii_lowercase();
        pattern.required().iter().all(|set| set.iter().any(|word| memchr::memmem::find(&text, word).is_some()))
    }

    proptest! {
        #[test]
        fn a_text_that_matches_holds_a_required_literal(
            (pattern, text) in pattern().prop_flat_map(|pattern| {
                let text = bytes_regex(&format!("(?is-u:{pattern})")).unwrap();
                (Just(pattern), text)
            }),
            behind: [u8; 2],
        ) {
            let compiled = Pattern::new(&pattern).unwrap();
            let text = [&text[..], &behind].concat();
            prop_assert!(compiled.matches(&text), "{} {:?}", pattern, text);
            prop_assert!(holds_a_required_literal(&compiled, &text), "{} {:?} {:?}", pattern, text, compiled);
        }

        #[test]
        fn it_matches_as_another_engine_does(pattern in pattern(), text in "[abAB_\n]{0,8}") {
            let compiled = Pattern::new(&pattern).unwrap();
            let other = regex_lite::RegexBuilder::new(&format!("^(?:{pattern})"))
                .case_insensitive(true)
                .dot_matches_new_line(true)
                .build()
                .unwrap();
            let expected = other.is_match(&text);
            let input = Input::new(&text).anchored(Anchored::Yes).earliest(true);
            prop_assert_eq!(compiled.matches_short(&input), Some(expected), "{} {:?}", pattern, text);
            prop_assert_eq!(compiled.matches_long(&input), expected, "{} {:?}", pattern, text);
            prop_assert!(!expected || holds_a_required_literal(&compiled, text.as_bytes()));
        }

        #[test]
        fn no_text_makes_it_panic(text in "\\PC{0,20}|[a-z(){}\\[\\]|*+?0-9,^$\\\\]{0,20}") {
            if let Ok(pattern) = Pattern::new(&text) {
                pattern.matches(text.as_bytes());
            }
        }
    }
}
