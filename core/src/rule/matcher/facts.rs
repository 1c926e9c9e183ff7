//! What is known of a shape when its rules are looked for.

use crate::fingerprint::{Analysis, Dialect, Fingerprint, Kind, analyse};
use std::cell::OnceCell;

/// What is known of a shape when its rules are looked for. Its grammar is read only where a rule asks for it, and once.
#[derive(Debug)]
pub(crate) struct ShapeFacts<'a> {
    /// The normalised text.
    pub(crate) text: &'a [u8],
    /// Its hash.
    pub(crate) fingerprint: &'a Fingerprint,
    /// The kinds of its statements.
    pub(crate) kinds: &'a [Kind],
    /// Whether no rule is asked about it, unless one names its kind.
    pub(crate) never_checked: bool,
    dialect: Dialect,
    analysis: OnceCell<Analysis>,
}

impl<'a> ShapeFacts<'a> {
    pub(crate) fn new(
        text: &'a [u8],
        fingerprint: &'a Fingerprint,
        dialect: Dialect,
        kinds: &'a [Kind],
        never_checked: bool,
    ) -> Self {
        Self { text, fingerprint, kinds, never_checked, dialect, analysis: OnceCell::new() }
    }

    /// What the shape does to which tables.
    pub(crate) fn analysis(&self) -> &Analysis {
        self.analysis.get_or_init(|| analyse(self.text, self.dialect))
    }

    /// Whether a rule has asked what the shape does.
    #[cfg(test)]
    pub(crate) fn was_analysed(&self) -> bool {
        self.analysis.get().is_some()
    }
}
