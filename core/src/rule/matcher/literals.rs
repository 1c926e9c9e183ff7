//! Literals of which one stands in every text that a rule matches.

use regex_syntax::hir::{Class, ClassBytes, Hir, HirKind};
use std::cmp::Reverse;

/// Literals in lower case, of which one stands, in any case, in every text that a rule matches. None is empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Literals(Vec<Vec<u8>>);

impl Literals {
    /// Most literals of a set: more would say little.
    pub(super) const MAX: usize = 64;

    /// Most bytes of all literals of a set that is put together from several.
    const MAX_BYTES: usize = 4096;

    /// Most bytes that a class may stand for to be spelt out.
    const MAX_CLASS: usize = 8;

    /// Most sets of an expression: the others are the least telling.
    const MAX_SETS: usize = 4;

    /// `None` where one is empty, or there are none or too many: then they say nothing.
    pub(super) fn new(literals: impl IntoIterator<Item = Vec<u8>>) -> Option<Self> {
        let mut set = Vec::new();
        for mut literal in literals {
            if literal.is_empty() {
                return None;
            }
            literal.make_ascii_lowercase();
            set.push(literal);
        }
        set.sort_unstable();
        set.dedup();
        (!set.is_empty() && set.len() <= Self::MAX).then_some(Self(set))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.0.iter().map(Vec::as_slice)
    }

    /// What the set takes besides itself, in bytes.
    pub(super) fn memory(&self) -> usize {
        self.0.iter().map(|literal| size_of::<Vec<u8>>() + literal.capacity()).sum::<usize>()
    }

    /// Sorts sets so that those come first that fewer texts hold: whose shortest literal is longer, of equals those with fewer
    /// literals.
    pub(super) fn most_telling_first(sets: &mut [Self]) {
        sets.sort_by_cached_key(|set| (Reverse(set.0.iter().map(Vec::len).min()), set.0.len()));
    }

    /// Sets of a regular expression, of each of which one literal stands in every text that it matches: the most telling
    /// first. Recurses as deep as the expression nests, which its parser bounds.
    pub(super) fn required_by(hir: &Hir) -> Vec<Self> {
        match hir.kind() {
            HirKind::Concat(parts) => {
                let mut best = Vec::new();
                // What stands side by side is one literal, as far as each part is one of few.
                let mut run = vec![vec![]];
                for part in parts {
                    let Some(texts) = exact(part) else {
                        best.extend(Self::new(std::mem::replace(&mut run, vec![vec![]])));
                        best.extend(Self::required_by(part));
                        keep_the_best(&mut best);
                        continue;
                    };
                    if !append(&mut run, &texts) {
                        best.extend(Self::new(std::mem::replace(&mut run, texts)));
                        keep_the_best(&mut best);
                    }
                }
                best.extend(Self::new(run));
                keep_the_best(&mut best);
                best
            }
            HirKind::Alternation(branches) => {
                let best_of = |branch| Self::required_by(branch).into_iter().next();
                let sets = branches.iter().map(best_of).collect::<Option<Vec<_>>>();
                sets.and_then(|sets| Self::new(sets.into_iter().flat_map(|set| set.0))).into_iter().collect()
            }
            HirKind::Capture(capture) => Self::required_by(&capture.sub),
            HirKind::Repetition(repetition) if repetition.min >= 1 => Self::required_by(&repetition.sub),
            HirKind::Repetition(_) => Vec::new(),
            HirKind::Empty | HirKind::Look(_) | HirKind::Literal(_) | HirKind::Class(_) => {
                exact(hir).and_then(Self::new).into_iter().collect()
            }
        }
    }
}

fn keep_the_best(sets: &mut Vec<Literals>) {
    Literals::most_telling_first(sets);
    sets.dedup();
    sets.truncate(Literals::MAX_SETS);
}

/// The few texts, in lower case, one of which each match of the expression is; `None` where there are many.
fn exact(hir: &Hir) -> Option<Vec<Vec<u8>>> {
    match hir.kind() {
        // An assertion takes nothing of the text.
        HirKind::Empty | HirKind::Look(_) => Some(vec![vec![]]),
        HirKind::Literal(literal) => Some(vec![literal.0.to_ascii_lowercase()]),
        HirKind::Class(Class::Bytes(class)) => few(class),
        HirKind::Class(Class::Unicode(class)) => few(&class.to_byte_class()?),
        HirKind::Repetition(_) => None,
        HirKind::Capture(capture) => exact(&capture.sub),
        HirKind::Concat(parts) => {
            let mut run = vec![vec![]];
            parts.iter().all(|part| exact(part).is_some_and(|texts| append(&mut run, &texts))).then_some(run)
        }
        HirKind::Alternation(branches) => {
            let mut texts = Vec::new();
            for branch in branches {
                texts.extend(exact(branch)?);
                if texts.len() > Literals::MAX {
                    return None;
                }
            }
            Some(texts)
        }
    }
}

/// The bytes of a class, in lower case, if they are few.
fn few(class: &ClassBytes) -> Option<Vec<Vec<u8>>> {
    let mut bytes: Vec<u8> = Vec::new();
    for byte in class.ranges().iter().flat_map(|range| range.start()..=range.end()) {
        let byte = byte.to_ascii_lowercase();
        if !bytes.contains(&byte) {
            if bytes.len() == Literals::MAX_CLASS {
                return None;
            }
            bytes.push(byte);
        }
    }
    Some(bytes.into_iter().map(|byte| vec![byte]).collect())
}

/// Lets each of the texts follow each of the run, unless that is too much.
fn append(run: &mut Vec<Vec<u8>>, texts: &[Vec<u8>]) -> bool {
    // In place: the letters of a pattern come one by one, and there may be many.
    if let ([one], [text]) = (run.as_mut_slice(), texts) {
        one.extend_from_slice(text);
        return true;
    }
    let bytes = |texts: &[Vec<u8>]| texts.iter().map(Vec::len).sum::<usize>();
    let total = bytes(run) * texts.len() + bytes(texts) * run.len();
    if run.len() * texts.len() > Literals::MAX || total > Literals::MAX_BYTES {
        return false;
    }
    *run = run.iter().flat_map(|begun| texts.iter().map(|text| [begun.as_slice(), text].concat())).collect();
    true
}
