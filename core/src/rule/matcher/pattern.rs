//! A regular expression on the normalised text.

use super::literals::Literals;
use regex_automata::hybrid::dfa::{Cache, Config, DFA};
use regex_automata::nfa::thompson::{self, WhichCaptures};
use regex_automata::{Anchored, Input};
use regex_syntax::ast::{self, Span};
use regex_syntax::hir::{self, Class, Hir, HirKind, Look};
use std::fmt;

/// A regular expression, matched from the start of a normalised text, in any case. It is read over bytes: `.` is any of them,
/// so that one that is no UTF-8 breaks no pattern. A match takes time linear in the text, whatever the pattern.
///
/// What is kept is an automaton of a few kilobytes; its states are built while it runs, and forgotten.
#[derive(Clone)]
pub(crate) struct Pattern {
    dfa: DFA,
    required: Option<Literals>,
}

impl Pattern {
    /// Longest text, in bytes.
    pub(crate) const MAX_BYTES: usize = 64 << 10;

    /// Deepest nesting of groups, repetitions and classes.
    const MAX_NESTING: u32 = 100;

    /// Most memory of a compiled pattern, in bytes: what `a{1000}` nested in another would take is not even begun.
    const MAX_COMPILED: usize = 1 << 20;

    /// Memory for the states of a running match, in bytes; beyond it they are forgotten and built again.
    const MAX_CACHE: usize = 1 << 20;

    /// Reads and compiles a regular expression, in time bounded by its length and by what a compiled one may take.
    ///
    /// # Errors
    ///
    /// A message of one line: what is wrong, and where.
    pub(crate) fn new(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Err("an empty pattern matches everything; leave it out".to_owned());
        }
        if text.len() > Self::MAX_BYTES {
            return Err(format!("the pattern has {} bytes, and {} is the most", text.len(), Self::MAX_BYTES));
        }
        let at = |what: &dyn fmt::Display, span: &Span| {
            format!("{what}, at character {} of the pattern", text[..span.start.offset].chars().count() + 1)
        };
        let ast = ast::parse::ParserBuilder::new()
            .nest_limit(Self::MAX_NESTING)
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
            return Err("the pattern reads bytes, not Unicode characters: leave out `(?u)`".to_owned());
        }
        let nfa = thompson::Compiler::new()
            .configure(
                thompson::Config::new()
                    .utf8(false)
                    .which_captures(WhichCaptures::None)
                    .nfa_size_limit(Some(Self::MAX_COMPILED)),
            )
            .build_from_hir(&hir)
            .map_err(|error| match error.size_limit() {
                Some(limit) => format!("the compiled pattern takes more than {limit} bytes: repeat less"),
                None => error.to_string(),
            })?;
        // Without a bound on how often the cache is cleared, and without bytes to quit at, a search always ends in an answer.
        let config = Config::new().cache_capacity(Self::MAX_CACHE).skip_cache_capacity_check(true);
        let dfa = DFA::builder().configure(config).build_from_nfa(nfa).map_err(|error| error.to_string())?;
        Ok(Self { dfa, required: Literals::required_by(&hir) })
    }

    /// Whether a normalised text begins with what the pattern says.
    pub(crate) fn matches(&self, text: &[u8]) -> bool {
        let input = Input::new(text).anchored(Anchored::Yes).earliest(true);
        matches!(self.dfa.try_search_fwd(&mut Cache::new(&self.dfa), &input), Ok(Some(_)))
    }

    /// Literals of which every text that matches holds one, in any case; `None` where it need not hold any.
    pub(crate) fn required(&self) -> Option<&Literals> {
        self.required.as_ref()
    }

    /// Memory it takes, in bytes, its required literals aside.
    #[cfg(test)]
    pub(crate) fn memory(&self) -> usize {
        size_of::<Self>() + self.dfa.memory_usage() + self.dfa.get_nfa().memory_usage()
    }
}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pattern").field("required", &self.required).finish_non_exhaustive()
    }
}

/// Whether `(?u)` is in it, for which a byte that is no UTF-8 is no character. Recurses as deep as the pattern nests.
fn reads_characters(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Class(class) => matches!(class, Class::Unicode(_)),
        HirKind::Look(look) => matches!(
            look,
            Look::WordUnicode
                | Look::WordUnicodeNegate
                | Look::WordStartUnicode
                | Look::WordEndUnicode
                | Look::WordStartHalfUnicode
                | Look::WordEndHalfUnicode
        ),
        HirKind::Empty | HirKind::Literal(_) => false,
        HirKind::Repetition(repetition) => reads_characters(&repetition.sub),
        HirKind::Capture(capture) => reads_characters(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => parts.iter().any(reads_characters),
    }
}
