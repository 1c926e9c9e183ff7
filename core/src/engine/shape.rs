//! What is remembered of a statement's shape: all that a check needs and that its constants do not change.

use super::plan::Plan;
use crate::fingerprint::{
    Classification, Dialect, Fingerprint, HashKind, Kind, Normalized, classify, is_never_checked,
};
use crate::rule::matcher::ShapeFacts;
use crate::statement::Fakes;
use std::time::SystemTime;

/// A statement's shape, with what the rules come to for it in one epoch.
#[derive(Debug)]
pub(super) struct Shape {
    /// Its normalised text, of which it is read alone.
    pub(super) text: Box<[u8]>,
    /// What the text is looked up by, where cores keep what they know.
    pub(super) hash: u64,
    pub(super) dialect: Dialect,
    pub(super) fingerprint: Fingerprint,
    pub(super) planned: Planned,
    /// Statements in the text, at least one.
    pub(super) statements: u32,
    /// Their kinds, each once.
    pub(super) kinds: Box<[Kind]>,
    answer: Answer,
    /// Whether it stands for requests, which have no text.
    is_request: bool,
}

/// What the rules come to for a shape.
#[derive(Debug)]
pub(super) struct Planned {
    /// The epoch in which the plan was made. In any other it is out of date.
    pub(super) epoch: u64,
    /// When the first of its rules expires, and the plan is out of date as well.
    pub(super) until: Option<SystemTime>,
    pub(super) plan: Plan,
    /// One that no other shape of the engine has, nor the same in another epoch.
    pub(super) number: u64,
    /// Tables by name, where a rule counts by them.
    pub(super) tables: Box<[String]>,
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
    /// What it takes of memory, with the counts of the references to it.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>() + 2 * size_of::<usize>() + self.text.len() + self.planned.plan.bytes()
    }

    /// Reads a shape at first sight: of its normalised text alone, so that no constant, and no name of a savepoint, of the
    /// statement that happens to be the first decides for all others. `hash` is that of the text, and `plan` finds what the rules
    /// come to.
    pub(super) fn read(
        normalized: &Normalized<'_>,
        dialect: Dialect,
        hash: u64,
        plan: impl FnOnce(&ShapeFacts<'_>) -> Planned,
    ) -> Self {
        let text = normalized.as_bytes();
        let Classification { mut kinds, plain_read } = classify(text, dialect);
        let answer = answer(text, normalized.statements(), &kinds, plain_read);
        let mut seen = Vec::new();
        kinds.retain(|kind| {
            !seen.contains(kind) && {
                seen.push(*kind);
                true
            }
        });
        let fingerprint = normalized.fingerprint();
        Self {
            planned: plan(&facts(text, &fingerprint, dialect, &kinds)),
            text: text.into(),
            hash,
            dialect,
            fingerprint,
            statements: u32::try_from(normalized.statements()).unwrap_or(u32::MAX).max(1),
            kinds: kinds.into(),
            answer,
            is_request: false,
        }
    }

    /// What stands for requests, which have no text.
    pub(super) fn of_requests(planned: Planned) -> Self {
        Self {
            text: Box::default(),
            hash: 0,
            dialect: Dialect::Generic,
            fingerprint: HashKind::default().digest(b""),
            planned,
            statements: 1,
            kinds: Box::default(),
            answer: Answer::More,
            is_request: true,
        }
    }

    /// The same shape with another plan.
    pub(super) fn planned_anew(&self, plan: impl FnOnce(&ShapeFacts<'_>) -> Planned) -> Self {
        Self { planned: self.with_facts(plan), text: self.text.clone(), kinds: self.kinds.clone(), ..*self }
    }

    /// Lends what is known of it when its rules are looked for.
    pub(super) fn with_facts<T>(&self, read: impl FnOnce(&ShapeFacts<'_>) -> T) -> T {
        read(&facts(&self.text, &self.fingerprint, self.dialect, &self.kinds))
    }

    /// Its fingerprint; none where it stands for requests.
    #[inline]
    pub(super) fn name(&self) -> Option<Fingerprint> {
        if self.is_request { None } else { Some(self.fingerprint) }
    }

    /// The names of its statements' kinds, each once.
    pub(super) fn kind_names(&self) -> impl Iterator<Item = &str> {
        self.kinds.iter().map(|kind| kind.name())
    }

    /// What a caller must stand in for when it is ignored; nothing where there is no honest empty result.
    pub(super) fn faked(&self) -> Fakes {
        match self.answer {
            Answer::Rows => Fakes::Rows,
            Answer::Count => Fakes::Count,
            Answer::More => Fakes::None,
        }
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

fn facts<'a>(text: &'a [u8], fingerprint: &'a Fingerprint, dialect: Dialect, kinds: &'a [Kind]) -> ShapeFacts<'a> {
    ShapeFacts::new(text, fingerprint, dialect, kinds, is_never_checked(text, dialect))
}

fn answer(text: &[u8], statements: usize, kinds: &[Kind], plain_read: bool) -> Answer {
    // EXPLAIN ANALYZE, and MariaDB's ANALYZE, answer a plan, and no plan is empty.
    let begins = |words: &[&[u8]]| words.iter().any(|word| text.starts_with(word));
    if statements != 1 || begins(&[b"explain", b"describe ", b"desc ", b"analyze ", b"analyse "]) {
        return Answer::More;
    }
    if plain_read {
        return Answer::Rows;
    }
    let counts = matches!(kinds, [Kind::Insert | Kind::Replace | Kind::Update | Kind::Delete | Kind::Merge]);
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
