//! The patterns of a file, each compiled once.

use super::pattern::{Pattern, Unusable};
use ahash::RandomState;
use std::collections::HashMap;
use std::sync::Arc;

/// The patterns of a file, each compiled once however many rules have it, and within one bound for all of them.
#[derive(Debug, Default)]
pub(crate) struct CompiledPatterns {
    known: HashMap<Box<str>, Arc<Pattern>, RandomState>,
    /// What compiling them has taken, in bytes; of those that are refused what was begun of them.
    bytes: usize,
}

/// Why a pattern was not compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NotCompiled {
    /// It is no pattern that can be used, and why.
    Unusable(String),
    /// With it, the patterns of the file take so many bytes, which is more than [`CompiledPatterns::MAX_BYTES`].
    OverBudget(usize),
    /// One before it went over the bound.
    Unread,
}

impl CompiledPatterns {
    /// Most memory of all patterns of a file, in bytes: ten thousand ordinary ones. A pattern that is refused for its own size
    /// is charged what it may take, so that the bound holds for the time that a file takes as well.
    pub(crate) const MAX_BYTES: usize = 64 << 20;

    /// A pattern, compiled unless it is known.
    ///
    /// # Errors
    ///
    /// It is none, or all patterns take too much. Then none is compiled any more.
    pub(crate) fn compile(&mut self, text: &str) -> Result<Arc<Pattern>, NotCompiled> {
        if let Some(known) = self.known.get(text) {
            return Ok(Arc::clone(known));
        }
        if self.bytes > Self::MAX_BYTES {
            return Err(NotCompiled::Unread);
        }
        // Each text is kept and read once.
        self.bytes += 2 * text.len();
        let pattern = match Pattern::new(text) {
            Ok(pattern) => pattern,
            Err(Unusable::TooLarge(message)) => {
                self.bytes += Pattern::MAX_COMPILED;
                return Err(NotCompiled::Unusable(message));
            }
            Err(Unusable::Malformed(message)) => return Err(NotCompiled::Unusable(message)),
        };
        self.bytes += pattern.memory();
        if self.bytes > Self::MAX_BYTES {
            return Err(NotCompiled::OverBudget(self.bytes));
        }
        let pattern = Arc::new(pattern);
        self.known.insert(text.into(), Arc::clone(&pattern));
        Ok(pattern)
    }

    /// Whether a pattern was compiled.
    pub(crate) fn knows(&self, text: &str) -> bool {
        self.known.contains_key(text)
    }

    /// What they take, in bytes.
    pub(crate) const fn bytes(&self) -> usize {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One like no other, of two states for each of `times`.
    fn pattern(i: usize, times: usize) -> String {
        format!("x{i:05}(?:[a-c][d-f]){{{times}}}")
    }

    #[test]
    fn a_pattern_of_many_rules_is_compiled_once() {
        let mut patterns = CompiledPatterns::default();
        let first = patterns.compile("select.*").unwrap();
        let taken = patterns.bytes();
        assert!(Arc::ptr_eq(&first, &patterns.compile("select.*").unwrap()));
        assert_eq!(patterns.bytes(), taken);
        assert!(!Arc::ptr_eq(&first, &patterns.compile("select.* ").unwrap()));
    }

    #[test]
    fn what_is_counted_is_what_they_take() {
        let mut patterns = CompiledPatterns::default();
        let taken = allocation_counter::measure(|| {
            (0..200).for_each(|i| drop(patterns.compile(&pattern(i, i)).unwrap()));
        });
        let kept = usize::try_from(taken.bytes_current).unwrap();
        let counted = patterns.bytes();
        assert!(kept <= counted * 5 / 4 && counted <= kept * 2, "{kept} are kept and {counted} are counted");
    }

    #[test]
    fn all_together_are_bounded_and_nothing_is_compiled_beyond() {
        let mut patterns = CompiledPatterns::default();
        let over = (0..).find_map(|i| patterns.compile(&pattern(i, 2_000)).err()).unwrap();
        let NotCompiled::OverBudget(bytes) = over else { panic!("{over:?}") };
        assert!(bytes > CompiledPatterns::MAX_BYTES && bytes < CompiledPatterns::MAX_BYTES + Pattern::MAX_COMPILED * 2);
        let next = allocation_counter::measure(|| assert_eq!(patterns.compile("y").unwrap_err(), NotCompiled::Unread));
        assert_eq!(next.bytes_total, 0);
        // What is known is still answered.
        assert!(patterns.compile(&pattern(0, 2_000)).is_ok());
    }

    #[test]
    fn what_is_refused_is_charged_for_what_was_begun() {
        let mut patterns = CompiledPatterns::default();
        let refusals: Vec<_> = (0..)
            .map_while(|i| match patterns.compile(&format!("{i}(a{{1000}}){{1000}}")) {
                Err(NotCompiled::Unread) => None,
                other => Some(other),
            })
            .collect();
        assert!(refusals.len() <= CompiledPatterns::MAX_BYTES / Pattern::MAX_COMPILED + 1, "{}", refusals.len());
        assert!(
            refusals
                .iter()
                .all(|refusal| matches!(refusal, Err(NotCompiled::Unusable(why)) if why.contains("repeat less")))
        );
        // One that is only written wrongly costs no more than its text.
        let mut patterns = CompiledPatterns::default();
        (0..10_000).for_each(|i| drop(patterns.compile(&format!("{i}(")).unwrap_err()));
        assert!(patterns.compile("a").is_ok());
    }
}
