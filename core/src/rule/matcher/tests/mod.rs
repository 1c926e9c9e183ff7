//! Conditions stage by stage, and what the index finds.

mod candidates;
mod stages;

use super::{CompiledPatterns, Condition, Constants, Matcher, Mismatch, ShapeFacts};
use crate::fingerprint::{
    Classification, Dialect, Fingerprint, FingerprintOptions, HashKind, Kind, Normalizer, classify, is_never_checked,
};
use crate::rule::{Limit, Rule};
use crate::{Context, Statement};

/// What an engine knows of a shape at its first sight.
struct Shape {
    text: Vec<u8>,
    fingerprint: Fingerprint,
    dialect: Dialect,
    kinds: Vec<Kind>,
    never_checked: bool,
}

impl Shape {
    fn of(sql: &[u8], options: FingerprintOptions) -> Self {
        let mut normalizer = Normalizer::new(options);
        let normalized = normalizer.normalize(sql);
        let (text, fingerprint, dialect) = (normalized.as_bytes().to_vec(), normalized.fingerprint(), options.dialect);
        let Classification { kinds, .. } = classify(&text, dialect);
        let never_checked = is_never_checked(&text, dialect);
        Self { text, fingerprint, dialect, kinds, never_checked }
    }

    fn facts(&self) -> ShapeFacts<'_> {
        ShapeFacts::new(&self.text, &self.fingerprint, self.dialect, &self.kinds, self.never_checked)
    }
}

fn rule(change: impl FnOnce(&mut Rule)) -> Rule {
    let mut rule = Rule::new("rule", Limit::concurrency(1));
    change(&mut rule);
    rule
}

fn strings(list: &[&str]) -> Vec<String> {
    list.iter().map(|&text| text.to_owned()).collect()
}
