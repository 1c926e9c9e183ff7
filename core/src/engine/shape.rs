//! What is remembered of a statement's shape: all that a check needs and that its constants do not change.

use super::at_hand::AtHand;
use super::rules::RuleState;
use crate::fingerprint::{Classification, Dialect, Fingerprint, Kind, Normalized, classify, is_never_checked};
use crate::statement::Fakes;
use ahash::RandomState;
use std::sync::Arc;

/// A statement's shape.
#[derive(Debug)]
pub(super) struct Shape {
    /// Its normalised text, of which it is read alone.
    pub(super) text: Box<[u8]>,
    pub(super) dialect: Dialect,
    pub(super) fingerprint: Fingerprint,
    /// Whether rules apply to it at all: not to BEGIN, COMMIT, SET and the like.
    pub(super) checked: bool,
    /// The rule that names it, or the default threshold.
    pub(super) rule: Option<Arc<RuleState>>,
    /// The limiter that counts it.
    pub(super) counted_by: LimiterKey,
    /// Statements in the text, at least one.
    pub(super) statements: u32,
    answer: Answer,
}

/// Which limiter counts a shape: all that is known of a limiter by whoever has it at hand. Shapes of one rule, of one
/// fingerprint in several dialects, or read again after they were forgotten, have it in common.
#[derive(Clone, Copy, Debug)]
pub(super) struct LimiterKey {
    hash: u64,
    /// Where the rule stands in memory, as long as the engine lives; none is zero.
    rule: usize,
    /// None where the rule has one limiter for all.
    fingerprint: Option<Fingerprint>,
}

impl LimiterKey {
    /// The key of a fingerprint's limiter in a rule; `hasher` is one that no attacker knows.
    pub(super) fn new(rule: Option<&Arc<RuleState>>, fingerprint: &Fingerprint, hasher: &RandomState) -> Self {
        let fingerprint = rule.filter(|rule| rule.counts_by_fingerprint()).map(|_| *fingerprint);
        let rule = rule.map_or(0, |rule| Arc::as_ptr(rule).addr());
        Self { hash: hasher.hash_one((rule, fingerprint)), rule, fingerprint }
    }

    #[inline]
    pub(super) const fn hash(&self) -> u64 {
        self.hash
    }
}

impl PartialEq for LimiterKey {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.rule == other.rule && self.fingerprint == other.fingerprint
    }
}

/// What a statement answers, so what a caller must fake to ignore it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    /// Rows, and it does nothing else.
    Rows,
    /// A count of rows.
    Count,
    /// More than can be faked.
    More,
}

impl Shape {
    /// What a shape takes of memory besides its text, with the counts of the references to it.
    pub(super) const BYTES: usize = size_of::<Self>() + 2 * size_of::<usize>();

    /// Reads a shape at first sight: of its normalised text alone, so that no constant, and no name of a savepoint, of the
    /// statement that happens to be the first decides for all others.
    pub(super) fn read(
        dialect: Dialect,
        normalized: &Normalized<'_>,
        fingerprint: Fingerprint,
        rule: Option<Arc<RuleState>>,
        counted_by: LimiterKey,
    ) -> Self {
        let analysis = classify(normalized.as_bytes(), dialect);
        Self {
            text: normalized.as_bytes().into(),
            dialect,
            checked: !is_never_checked(normalized.as_bytes(), dialect),
            fingerprint,
            rule,
            counted_by,
            statements: u32::try_from(normalized.statements()).unwrap_or(u32::MAX).max(1),
            answer: answer(&analysis, normalized),
        }
    }

    /// What a core is to keep of its rule.
    pub(super) fn at_hand(&self) -> AtHand {
        self.rule.as_ref().map(|rule| AtHand::kept(&rule.name)).unwrap_or_default()
    }

    /// Whether an honest empty result of the right type is at hand.
    pub(super) fn can_fake(&self, fakes: Fakes) -> bool {
        match self.answer {
            Answer::Rows => fakes.rows(),
            Answer::Count => fakes.count(),
            Answer::More => false,
        }
    }
}

fn answer(analysis: &Classification, normalized: &Normalized<'_>) -> Answer {
    // EXPLAIN ANALYZE, and MariaDB's ANALYZE, answer a plan, and no plan is empty.
    let text = normalized.as_bytes();
    let begins = |words: &[&[u8]]| words.iter().any(|word| text.starts_with(word));
    if normalized.statements() != 1 || begins(&[b"explain", b"describe ", b"desc ", b"analyze ", b"analyse "]) {
        return Answer::More;
    }
    if analysis.plain_read {
        return Answer::Rows;
    }
    let counts =
        matches!(analysis.kinds.as_slice(), [Kind::Insert | Kind::Replace | Kind::Update | Kind::Delete | Kind::Merge]);
    // A CTE that writes may stand before a SELECT; RETURNING, and SQL Server's OUTPUT, answer rows that a write made.
    let writes = begins(&[b"insert ", b"replace ", b"update ", b"delete ", b"merge "]);
    if counts && writes && !has_word(text, b"returning") && !has_word(text, b"output") {
        Answer::Count
    } else {
        Answer::More
    }
}

/// Whether a normalised text holds a word.
fn has_word(text: &[u8], word: &[u8]) -> bool {
    text.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_').any(|other| other == word)
}
