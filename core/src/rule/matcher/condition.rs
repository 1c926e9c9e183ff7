//! What one rule asks, compiled.

use super::account::{Account, Sender};
use super::column::Column;
use super::compiled::{CompiledPatterns, NotCompiled};
use super::constants::Constants;
use super::facts::ShapeFacts;
use super::keyword::{self, Keyword};
use super::literals::Literals;
use super::mismatch::Mismatch;
use super::pattern::Pattern;
use super::table_glob::TableGlob;
use crate::context::Context;
use crate::fingerprint::{Analysis, Fingerprint, Kind, Normalizer, Where};
use crate::rule::{FingerprintPrefix, MatchField, Part, Rule, WholeTable};
use std::sync::Arc;

/// What one rule asks of a statement: all of it must hold, and of a list any. Of tags and columns each that is named must have
/// one of its values. With nothing asked, every statement matches that is checked at all.
#[derive(Clone, Debug)]
pub(crate) struct Condition {
    /// The rule's fingerprints, and those of its examples: either is enough.
    names: Box<[FingerprintPrefix]>,
    by_example: bool,
    pattern: Option<Arc<Pattern>>,
    keywords: Box<[Keyword]>,
    kinds: Box<[Kind]>,
    tables: Box<[TableGlob]>,
    databases: Box<[String]>,
    users: Box<[Account]>,
    tags: Box<[(String, Box<[String]>)]>,
    whole_table: Option<WholeTable>,
    columns: Box<[(Column, Box<[String]>)]>,
    /// The columns that the rule counts by: a statement without one of them is not matched.
    key_columns: Box<[Column]>,
}

/// A value of a rule's `match` that cannot be matched against.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Misfit {
    pub(crate) field: MatchField,
    /// The value's place in its field's list, from 0; 0 where the field has one value.
    pub(crate) index: usize,
    /// What is wrong, and what would be right.
    pub(crate) message: String,
}

impl Condition {
    /// Compiles what a rule matches, its pattern among those of its file. Its examples are read as the normaliser reads
    /// statements.
    ///
    /// # Errors
    ///
    /// Every value that says nothing that can be matched.
    pub(crate) fn new(
        rule: &Rule,
        normalizer: &mut Normalizer,
        patterns: &mut CompiledPatterns,
    ) -> Result<Self, Vec<Misfit>> {
        let matching = &rule.matching;
        let mut misfits = Vec::new();
        let likes: Vec<_> =
            matching.like.iter().map(|sql| normalizer.normalize(sql.as_bytes()).fingerprint().to_string()).collect();
        let likes = read(MatchField::Like, &likes, &mut misfits, |digits| {
            FingerprintPrefix::new(digits).map_err(|error| error.to_string())
        });
        let condition = Self {
            names: matching.fingerprints.iter().cloned().chain(likes).collect(),
            by_example: matching.fingerprints.is_empty(),
            pattern: read(MatchField::Pattern, matching.pattern.as_slice(), &mut misfits, |text| {
                patterns.compile(text).map_err(|error| match error {
                    NotCompiled::Unusable(message) => message,
                    NotCompiled::OverBudget(_) | NotCompiled::Unread => "the patterns take too much memory".to_owned(),
                })
            })
            .pop(),
            keywords: read(MatchField::Keywords, &matching.keywords, &mut misfits, Keyword::new).into(),
            kinds: matching.kinds.as_slice().into(),
            tables: read(MatchField::Tables, &matching.tables, &mut misfits, TableGlob::new).into(),
            databases: matching.databases.as_slice().into(),
            users: read(MatchField::User, &matching.users, &mut misfits, Account::new).into(),
            tags: matching.tags.iter().map(|(tag, values)| (tag.clone(), values.as_slice().into())).collect(),
            whole_table: matching.whole_table,
            columns: (matching.columns.iter())
                .map(|(column, values)| (Column::new(column, normalizer.options()), values.as_slice().into()))
                .collect(),
            key_columns: (rule.per.iter())
                .filter_map(|part| match part {
                    Part::Column(column) => Some(Column::new(column, normalizer.options())),
                    _ => None,
                })
                .collect(),
        };
        if misfits.is_empty() { Ok(condition) } else { Err(misfits) }
    }

    /// Whether every statement of a shape may match, as far as the shape decides it.
    ///
    /// # Errors
    ///
    /// The first field that no statement of the shape meets.
    pub(crate) fn of_shape(&self, facts: &ShapeFacts<'_>) -> Result<(), Mismatch> {
        self.of_shape_if(facts, |pattern| pattern.matches(facts.text))
    }

    /// The same of a shape whose text the pattern matches.
    pub(super) fn of_shape_but_pattern(&self, facts: &ShapeFacts<'_>) -> Result<(), Mismatch> {
        self.of_shape_if(facts, |_| true)
    }

    fn of_shape_if(&self, facts: &ShapeFacts<'_>, matches: impl FnOnce(&Pattern) -> bool) -> Result<(), Mismatch> {
        let of_kind = facts.kinds.iter().any(|kind| self.kinds.contains(kind));
        if facts.never_checked && !of_kind {
            return Err(Mismatch::NeverChecked);
        }
        let names = self.names.is_empty() || self.names(facts.fingerprint);
        holds(names, if self.by_example { MatchField::Like } else { MatchField::Fingerprints })?;
        holds(self.kinds.is_empty() || of_kind, MatchField::Kinds)?;
        holds(keyword::in_order(facts.text, &self.keywords), MatchField::Keywords)?;
        holds(self.pattern.as_deref().is_none_or(matches), MatchField::Pattern)?;
        holds(self.columns.iter().all(|(column, _)| column.occurs_in(facts.text)), MatchField::Columns)?;
        holds(self.key_columns.iter().all(|column| column.occurs_in(facts.text)), Mismatch::Per)?;
        // The grammar is read last: it costs more than all else together.
        let named = || {
            let tables = &facts.analysis().tables;
            tables.iter().any(|table| self.tables.iter().any(|glob| glob.matches(table)))
        };
        holds(self.tables.is_empty() || named(), MatchField::Tables)?;
        let whole = self.whole_table.is_none_or(|whole| may_read(facts.analysis(), whole) != Some(false));
        holds(whole, MatchField::Where)
    }

    /// Whether a statement's context matches.
    ///
    /// # Errors
    ///
    /// The first field that it does not meet.
    pub(crate) fn of_context(&self, context: &Context<'_>) -> Result<(), Mismatch> {
        let is_one = |value: Option<&[u8]>, list: &[String]| {
            value.is_some_and(|value| list.iter().any(|listed| listed.as_bytes() == value))
        };
        holds(self.databases.is_empty() || is_one(context.database, &self.databases), MatchField::Databases)?;
        if !self.users.is_empty() {
            let sender = Sender::of(context);
            holds(self.users.iter().any(|account| account.matches(&sender)), MatchField::User)?;
        }
        let tags = self.tags.iter().all(|(tag, values)| is_one(context.tag_value(tag.as_bytes()), values));
        holds(tags, MatchField::Tags)
    }

    /// Whether a statement's constants and parameters match. To be asked where [`asks_constants`](Self::asks_constants) says so.
    ///
    /// # Errors
    ///
    /// The first field that they do not meet.
    pub(crate) fn of_constants(&self, constants: &Constants<'_>) -> Result<(), Mismatch> {
        let whole = self.whole_table.is_none_or(|whole| reads(constants.analysis(), whole));
        holds(whole, MatchField::Where)?;
        let columns = self.columns.iter().all(|(column, values)| {
            constants.values_of(column).any(|value| values.iter().any(|listed| listed.as_bytes() == value))
        });
        holds(columns, MatchField::Columns)?;
        holds(self.key_columns.iter().all(|column| constants.values_of(column).next().is_some()), Mismatch::Per)
    }

    /// The columns that the rule counts by, in the order of its `per`.
    pub(crate) fn key_columns(&self) -> &[Column] {
        &self.key_columns
    }

    /// Whether the context has a say.
    pub(crate) fn asks_context(&self) -> bool {
        self.asks_database() || self.asks_user() || !self.tags.is_empty()
    }

    /// Whether the user and the client have a say.
    pub(crate) fn asks_user(&self) -> bool {
        !self.users.is_empty()
    }

    /// Whether the database has a say.
    pub(crate) fn asks_database(&self) -> bool {
        !self.databases.is_empty()
    }

    /// Whether, of statements of a shape that [`of_shape`](Self::of_shape) lets through, the constants have a say.
    pub(crate) fn asks_constants(&self, facts: &ShapeFacts<'_>) -> bool {
        let undecided = |whole| may_read(facts.analysis(), whole).is_none();
        !self.columns.is_empty() || !self.key_columns.is_empty() || self.whole_table.is_some_and(undecided)
    }

    /// The tags that have a say.
    pub(crate) fn tags(&self) -> impl Iterator<Item = &str> {
        self.tags.iter().map(|(tag, _)| tag.as_str())
    }

    /// Whether the rule names this fingerprint, by itself or by an example.
    pub(crate) fn names(&self, fingerprint: &Fingerprint) -> bool {
        self.names.iter().any(|prefix| prefix.matches(fingerprint))
    }

    /// The fingerprints that the rule names.
    pub(super) fn prefixes(&self) -> &[FingerprintPrefix] {
        &self.names
    }

    /// Its pattern, which it shares with other rules that have the same.
    pub(super) fn pattern(&self) -> Option<&Arc<Pattern>> {
        self.pattern.as_ref()
    }

    /// Sets of literals, of each of which every normalised text holds one that the rule matches: what its pattern, its
    /// keywords, its tables and its columns require, the most telling first.
    pub(super) fn required(&self) -> Vec<Literals> {
        let columns = self.columns.iter().map(|(column, _)| column).chain(&self.key_columns);
        let words = self.keywords.iter().chain(columns.flat_map(Column::words));
        let words = words.filter_map(|word| Literals::new([word.as_bytes().to_vec()]));
        let tables = self.tables.iter().map(TableGlob::literal).collect::<Option<Vec<_>>>().and_then(Literals::new);
        let pattern = self.pattern.iter().flat_map(|pattern| pattern.required()).cloned();
        let mut sets: Vec<_> = words.chain(tables).chain(pattern).collect();
        Literals::most_telling_first(&mut sets);
        sets
    }
}

fn holds(condition: bool, otherwise: impl Into<Mismatch>) -> Result<(), Mismatch> {
    if condition { Ok(()) } else { Err(otherwise.into()) }
}

/// Reads each text of a field's list; what cannot be read is added to the misfits.
fn read<T>(
    field: MatchField,
    texts: &[String],
    misfits: &mut Vec<Misfit>,
    mut read: impl FnMut(&str) -> Result<T, String>,
) -> Vec<T> {
    let mut values = Vec::with_capacity(texts.len());
    for (index, text) in texts.iter().enumerate() {
        match read(text) {
            Ok(value) => values.push(value),
            Err(message) => misfits.push(Misfit { field, index, message }),
        }
    }
    values
}

/// Whether the statement changes the whole table in that way.
fn reads(analysis: &Analysis, whole: WholeTable) -> bool {
    let clause = match whole {
        WholeTable::Missing => Where::Missing,
        WholeTable::AlwaysTrue => Where::AlwaysTrue,
    };
    analysis.where_clause == clause && restricts_writes(analysis)
}

/// The same of all statements of a shape; `None` where their constants decide it.
fn may_read(shape: &Analysis, whole: WholeTable) -> Option<bool> {
    // A WHERE that is missing is the worst there is, whatever constants say of the text's other statements.
    let decided = !shape.where_reads_constants || shape.where_clause == Where::Missing || whole == WholeTable::Missing;
    if decided || !restricts_writes(shape) { Some(reads(shape, whole)) } else { None }
}

/// Whether `where_clause` is that of an UPDATE or DELETE; where a text has none it is that of its SELECTs.
fn restricts_writes(analysis: &Analysis) -> bool {
    let kinds = &analysis.kinds;
    // A CTE may write behind any other kind.
    kinds.iter().any(|kind| matches!(kind, Kind::Update | Kind::Delete)) || !kinds.contains(&Kind::Select)
}
