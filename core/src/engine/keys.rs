//! What a rule counts a statement by.

use super::asked::Asked;
use super::plan::Participant;
use super::shape::Shape;
use crate::quota::Key;
use crate::rule::Part;
use crate::rule::matcher::{Column, ShapeFacts};
use smallvec::{SmallVec, smallvec};

/// Most keys of one rule in one check.
pub(super) const MOST: usize = 16;

/// The values of one part of a key.
type Values<'a> = SmallVec<[Option<&'a [u8]>; 1]>;

/// The keys of a statement for a rule, the first 16 in order; none where it lacks a column that the rule counts by, so that
/// the rule does not match.
pub(super) fn keys(participant: &Participant, shape: &Shape, asked: &Asked<'_, '_>) -> SmallVec<[Key; 1]> {
    let mut keys: SmallVec<[Key; 1]> = SmallVec::new();
    combine(participant, shape, &shape.planned.tables, asked, |parts| {
        let key = Key::of(parts);
        if !keys.contains(&key) {
            keys.push(key);
        }
    });
    keys
}

/// The same for people to read: `user=dev, kind=select`. `tables` are the shape's, which a plan holds only where one of its
/// rules counts by them.
pub(super) fn described(
    participant: &Participant,
    shape: &Shape,
    tables: &[String],
    asked: &Asked<'_, '_>,
) -> Vec<String> {
    let mut keys = Vec::new();
    combine(participant, shape, tables, asked, |parts| {
        let parts = participant.rule.per().iter().zip(parts).map(|(part, value)| match value {
            // A fingerprint is bytes, and is known by its digits.
            Some(_) if *part == Part::Fingerprint => format!("{part}={}", shape.fingerprint),
            Some(value) => format!("{part}={}", String::from_utf8_lossy(value)),
            None => format!("{part} is not said"),
        });
        keys.push(parts.collect::<Vec<_>>().join(", "));
    });
    keys
}

/// The tables that a rule counts a shape by.
pub(super) fn tables(facts: &ShapeFacts<'_>) -> Box<[String]> {
    facts.analysis().tables.iter().map(ToString::to_string).take(MOST).collect()
}

/// The key that a shape alone says, whatever the context and the constants; none where it says several, or not all of it.
pub(super) fn of_shape(per: &[Part], facts: &ShapeFacts<'_>) -> Option<Key> {
    let mut parts: SmallVec<[Option<&[u8]>; 4]> = SmallVec::new();
    for part in per {
        parts.push(match (part, facts.kinds) {
            (Part::Fingerprint, _) => Some(facts.fingerprint.as_bytes()),
            (Part::Kind, []) => None,
            (Part::Kind, [kind]) => Some(kind.name().as_bytes()),
            _ => return None,
        });
    }
    Some(Key::of(&parts))
}

fn values<'a>(
    part: &Part,
    columns: &mut impl Iterator<Item = &'a Column>,
    shape: &'a Shape,
    tables: &'a [String],
    asked: &'a Asked<'a, '_>,
) -> Values<'a> {
    let context = asked.context;
    let one = |value: Option<&'a [u8]>| smallvec![value];
    match part {
        Part::User => one(context.user),
        Part::Client => one(context.client),
        Part::Database => one(context.database),
        Part::Tag(name) => one(context.tag_value(name.as_bytes())),
        Part::Fingerprint => one(Some(shape.fingerprint.as_bytes())),
        Part::Kind => each(shape.kind_names()),
        Part::Table => each(tables.iter().map(String::as_str)),
        Part::Column(_) => columns
            .next()
            .map(|column| asked.constants.column_values(column).into_iter().map(Some).collect())
            .unwrap_or_default(),
    }
}

/// Each of several values; that there is none is a value too.
fn each<'a>(values: impl Iterator<Item = &'a str>) -> Values<'a> {
    let mut all: Values<'a> = values.map(|value| Some(value.as_bytes())).take(MOST).collect();
    if all.is_empty() {
        all.push(None);
    }
    all
}

/// Shows the combinations of the values of a rule's parts, the last part changing first, at most 16.
fn combine(
    participant: &Participant,
    shape: &Shape,
    tables: &[String],
    asked: &Asked<'_, '_>,
    mut each: impl FnMut(&[Option<&[u8]>]),
) {
    let mut columns = participant.condition.iter().flat_map(|condition| condition.key_columns());
    let parts = participant.rule.per().iter().map(|part| values(part, &mut columns, shape, tables, asked));
    let parts: SmallVec<[Values<'_>; 4]> = parts.collect();
    let all = parts.iter().fold(1, |all: usize, values| all.saturating_mul(values.len())).min(MOST);
    let mut chosen: SmallVec<[Option<&[u8]>; 4]> = SmallVec::new();
    for number in 0..all {
        chosen.clear();
        let mut rest = number;
        for values in parts.iter().rev() {
            chosen.push(values[rest % values.len()]);
            rest /= values.len();
        }
        chosen.reverse();
        each(&chosen);
    }
}
