//! The rows of the table. A new one is a function of its own and a line in the list of its file.

mod c;
mod check;
mod fingerprint;
mod limiter;
mod replay;
mod rules;

use crate::measure::{Comparison, Loop, Quartiles, compare};
use crate::table::{Figure, Row, nanoseconds};
use anyhow::Result;
use std::fmt;

/// A row that can be asked for.
#[derive(Debug)]
pub(crate) struct Case {
    /// What `--only` matches: a statement or scene, a slash, the peer.
    pub(crate) name: &'static str,
    /// Prepares what is to be measured.
    pub(crate) build: fn() -> Result<Work>,
}

/// What a case measures.
pub(crate) enum Work {
    /// Two loops in this process.
    Duel(Duel),
    /// Something that measures itself.
    Own(Box<dyn FnOnce() -> Result<Row>>),
}

/// A loop of ours against a loop of a peer's.
pub(crate) struct Duel {
    /// How the table calls the case.
    pub(crate) title: String,
    /// How the table calls the peer.
    pub(crate) peer: &'static str,
    /// Ours.
    pub(crate) ours: Loop,
    /// The peer's.
    pub(crate) theirs: Loop,
    /// How the peer's time over ours is to be read.
    pub(crate) figure: fn(Quartiles) -> Figure,
    /// The least that the figure should be.
    pub(crate) target: Option<f64>,
}

impl Duel {
    /// A duel without a target, won by being so many times faster.
    pub(crate) fn new(title: impl Into<String>, peer: &'static str, ours: Loop, theirs: Loop) -> Self {
        Self { title: title.into(), peer, ours, theirs, figure: Figure::Times, target: None }
    }

    /// Sets the least that the figure should be; none where the row only informs.
    #[must_use]
    pub(crate) fn at_least(self, target: impl Into<Option<f64>>) -> Self {
        Self { target: target.into(), ..self }
    }

    /// The peer's work is a part of ours: the row tells its share of our time.
    #[must_use]
    pub(crate) fn into_share(self) -> Self {
        Self { figure: Figure::Share, ..self }
    }

    /// Measures both.
    pub(crate) fn fight(mut self) -> Row {
        let Comparison { ours, theirs, ratio } = compare(&mut self.ours, &mut self.theirs);
        Row {
            case: self.title,
            peer: self.peer,
            ours: nanoseconds(ours),
            theirs: nanoseconds(theirs),
            reached: Some((self.figure)(ratio)),
            target: self.target,
            note: String::new(),
        }
    }
}

impl fmt::Debug for Duel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Duel").field("title", &self.title).field("peer", &self.peer).finish_non_exhaustive()
    }
}

/// Every case, in the order of the table.
pub(crate) fn all() -> impl Iterator<Item = &'static Case> {
    [fingerprint::CASES, check::CASES, c::CASES, rules::CASES, limiter::CASES, replay::CASES].into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn names_are_unique() {
        let mut seen = HashSet::new();
        assert!(all().all(|case| seen.insert(case.name)));
    }
}
