//! The `match` of a rule.

use super::faults::Mark;
use super::prefix::{self, PrefixCodes};
use super::reader::{Given, Reader};
use super::yaml::{Entry, NodeId};
use crate::fingerprint::{HashKind, Kind};
use crate::rule::bounds::{Codes, codes};
use crate::rule::conflict::Field;
use crate::rule::patterns::{FilePatterns, check_account, check_keyword, check_table};
use crate::rule::quantity::Misread;
use crate::rule::text::{self, MAX_ITEMS, TextBounds};
use crate::rule::validate::duplicate;
use crate::rule::{ColumnName, FingerprintPrefix, MatchField, Matching, WholeTable};
use std::collections::HashSet;

/// The keys of `match`.
pub(super) const KEYS: [&str; MatchField::ALL.len()] = MatchField::NAMES;
const FINGERPRINTS: Codes = codes!("rule.match.fingerprints");
const PREFIX: PrefixCodes = PrefixCodes {
    malformed: FINGERPRINTS.malformed,
    elided: "rule.match.fingerprints.elided",
    too_short: "rule.match.fingerprints.too_short",
    too_long: FINGERPRINTS.too_long,
};
const KINDS: Codes = codes!("rule.match.kinds");
const WHERE: Codes = codes!("rule.match.where");

/// Reads `match`, and enters where its fields are.
pub(super) fn matching(
    reader: &mut Reader<'_>,
    node: NodeId,
    hash: Option<HashKind>,
    patterns: &mut FilePatterns,
    said: &mut Vec<(Field, Mark)>,
) -> Option<Matching> {
    let entries = if reader.document().is_nothing(node) {
        Some(&[][..])
    } else {
        reader.map(node, "rule.match.wrong_type", "write a map such as `{tables: [orders]}`")
    }?;
    // Where all of it is commented out, it must not come to match everything.
    if entries.is_empty() {
        let expected = "write what it matches, or leave `match` out: it then matches everything";
        reader.fault(reader.mark(node), "rule.match.empty", "a match of nothing", expected);
        return None;
    }
    let keys = reader.fields(entries, &KEYS, |_, _| false);
    fields(reader, &keys, hash, patterns, said)
}

/// Reads the fields of a match, given in the order of [`KEYS`].
pub(super) fn fields(
    reader: &mut Reader<'_>,
    keys: &[Option<Given>; KEYS.len()],
    hash: Option<HashKind>,
    patterns: &mut FilePatterns,
    said: &mut Vec<(Field, Mark)>,
) -> Option<Matching> {
    said.extend(
        MatchField::ALL.into_iter().zip(keys).filter_map(|(field, given)| Some((Field::Match(field), (*given)?.key))),
    );
    let [like, fingerprints, pattern, keywords, kinds, tables, databases, user, tags, whole_table, columns] = *keys;
    let like = texts(reader, "like", like, &text::LIKE, |text| text::LIKE.check(text));
    let fingerprints =
        reader.given("fingerprints", fingerprints, Vec::new(), |reader, node| read_fingerprints(reader, node, hash));
    let pattern = reader.given("pattern", pattern, None, |reader, node| {
        reader.checked(node, &text::PATTERN, |text| patterns.check(text)).map(Some)
    });
    let keywords = texts(reader, "keywords", keywords, &text::KEYWORD, check_keyword);
    let kinds = reader.given("kinds", kinds, Vec::new(), |reader, node| {
        reader.list(node, &KINDS, "a kind", MAX_ITEMS, |reader, node| reader.name(node, &KINDS, Kind::ALL, Kind::name))
    });
    let tables = texts(reader, "tables", tables, &text::TABLE, check_table);
    let databases = texts(reader, "databases", databases, &text::DATABASE, |text| text::DATABASE.check(text));
    let users = texts(reader, "user", user, &text::USER, check_account);
    let tags = reader.given("tags", tags, Vec::new(), read_tags);
    let whole_table = reader.given("where", whole_table, None, |reader, node| {
        reader.name(node, &WHERE, WholeTable::ALL, WholeTable::name).map(Some)
    });
    let columns = reader.given("columns", columns, Vec::new(), read_columns);
    Some(Matching {
        like: like?,
        fingerprints: fingerprints?,
        pattern: pattern?,
        keywords: keywords?,
        kinds: kinds?,
        tables: tables?,
        databases: databases?,
        users: users?,
        tags: tags?.into_iter().collect(),
        whole_table: whole_table?,
        columns: columns?,
    })
}

fn texts(
    reader: &mut Reader<'_>,
    key: &str,
    given: Option<Given>,
    bounds: &TextBounds,
    check: fn(&str) -> Result<(), Misread>,
) -> Option<Vec<String>> {
    reader.given(key, given, Vec::new(), |reader, node| {
        reader.list(node, &bounds.codes, bounds.noun, MAX_ITEMS, |reader, node| reader.checked(node, bounds, check))
    })
}

fn read_fingerprints(reader: &mut Reader<'_>, node: NodeId, hash: Option<HashKind>) -> Option<Vec<FingerprintPrefix>> {
    let noun = "a fingerprint";
    let mut marks = Vec::new();
    let prefixes = reader.list(node, &FINGERPRINTS, noun, MAX_ITEMS, |reader, node| {
        let digits = reader.text(node, &FINGERPRINTS, "write 12 or more digits of a fingerprint")?;
        let mark = reader.mark(node);
        marks.push(mark);
        prefix::read(reader, &PREFIX, &digits, mark, hash)
    })?;
    let overlaps = FingerprintPrefix::overlaps(&prefixes);
    for (a, b) in &overlaps {
        let (later, earlier) = (*a.max(b), *a.min(b));
        let misread = FingerprintPrefix::overlapping(&prefixes[earlier], &format!("line {}", marks[earlier].line));
        reader.along(&format!("[{later}]"), |reader| {
            reader.fault(marks[later], "rule.match.fingerprints.overlap", misread.found, misread.expected);
        });
    }
    overlaps.is_empty().then_some(prefixes)
}

/// The entries of a map that must have some.
fn filled<'a>(reader: &mut Reader<'a>, node: NodeId, bounds: &TextBounds, example: &str) -> Option<&'a [Entry]> {
    let entries = reader.map(node, bounds.codes.wrong_type, example)?;
    if let Err(misread) = text::check_items(entries.len(), MAX_ITEMS, bounds.noun) {
        reader.misread(node, &bounds.codes, misread);
        return None;
    }
    Some(entries)
}

fn read_tags(reader: &mut Reader<'_>, node: NodeId) -> Option<Vec<(String, Vec<String>)>> {
    let entries = filled(reader, node, &text::TAG_NAME, "write a map of tags: `{endpoint: report}`")?;
    let tags: Vec<_> = entries
        .iter()
        .map(|entry| {
            reader.under(&entry.key, |reader| {
                let name = text::TAG_NAME.check(&entry.key);
                let named = name.is_ok();
                if let Err(misread) = name {
                    let code = text::TAG_NAME.codes.of(misread.wrong);
                    reader.fault(entry.mark, code, misread.found, misread.expected);
                }
                let values = values(reader, entry.value, &text::TAG_VALUE)?;
                named.then(|| (entry.key.to_string(), values))
            })
        })
        .collect();
    tags.into_iter().collect()
}

fn read_columns(reader: &mut Reader<'_>, node: NodeId) -> Option<Vec<(ColumnName, Vec<String>)>> {
    let entries = filled(reader, node, &text::COLUMN_PART, "write a map of columns: `{orders.id: [42]}`")?;
    let mut seen = HashSet::new();
    let columns: Vec<_> = entries
        .iter()
        .map(|entry| {
            reader.under(&entry.key, |reader| {
                let name = ColumnName::read(&entry.key)
                    .and_then(|name| if seen.insert(name.folded()) { Ok(name) } else { Err(duplicate(&entry.key)) });
                if let Err(misread) = &name {
                    let code = text::COLUMN_PART.codes.of(misread.wrong);
                    reader.fault(entry.mark, code, &*misread.found, &*misread.expected);
                }
                let values = values(reader, entry.value, &text::COLUMN_VALUE)?;
                name.ok().map(|name| (name, values))
            })
        })
        .collect();
    columns.into_iter().collect()
}

fn values(reader: &mut Reader<'_>, node: NodeId, bounds: &TextBounds) -> Option<Vec<String>> {
    reader.list(node, &bounds.codes, bounds.noun, MAX_ITEMS, |reader, node| reader.bounded(node, bounds))
}
