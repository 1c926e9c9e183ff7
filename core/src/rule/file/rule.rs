//! The `rules` section.

use super::faults::{Mark, rule_path};
use super::reader::{Given, Reader};
use super::strategy::{self, StrategyFields, StrategyKeys};
use super::yaml::{Content, NodeId};
use super::{cluster, limit, matching};
use crate::fingerprint::HashKind;
use crate::rule::bounds::{self, Codes, codes};
use crate::rule::conflict::{Field, Said};
use crate::rule::patterns::FilePatterns;
use crate::rule::quantity::{self, InvalidTimestamp};
use crate::rule::validate::{check_name, duplicate, duplicate_name};
use crate::rule::{Limit, Limits, MatchField, Matching, Mode, On, Part, Rule, Scope, Then, text};
use std::collections::HashMap;
use std::time::SystemTime;

/// The keys of a rule.
pub(super) const KEYS: [&str; 12] =
    ["name", "match", "limit", "on", "per", "then", "scope", "mode", "on_failure", "owner", "reason", "expires"];
const THEN_KEYS: [&str; 5] = ["strategy", "share", "delay", "max_delay", "max_delayed"];
const ON: Codes = codes!("rule.on");
const SCOPE: Codes = codes!("rule.scope");
const MODE: Codes = codes!("rule.mode");
const EXPIRES: Codes = codes!("rule.expires");
const THEN: StrategyFields = StrategyFields {
    custom: text::THEN_CUSTOM,
    delay: bounds::THEN_DELAY,
    max_delay: bounds::THEN_MAX_DELAY,
    delay_without_strategy: "rule.then.delay.without_strategy",
    max_delay_without_strategy: "rule.then.max_delay.without_strategy",
    max_delayed_without_strategy: "rule.then.max_delayed.without_strategy",
    without_until_allowed: "rule.then.max_delay.without_until_allowed",
};

/// What the file says that rules depend on; none where it does not say it rightly.
#[derive(Clone, Copy)]
pub(super) struct Surroundings {
    pub(super) mode: Option<Mode>,
    pub(super) hash: Option<HashKind>,
    /// Whether there is a `cluster`.
    pub(super) cluster: bool,
    pub(super) thresholds: usize,
    pub(super) max_rules: Option<usize>,
}

/// Reads `rules`. Those beyond `limits.max_rules` are told and not read.
pub(super) fn rules(
    reader: &mut Reader<'_>,
    node: NodeId,
    file: &Surroundings,
    patterns: &mut FilePatterns,
) -> Vec<Rule> {
    let Content::List(items) = &reader.document().node(node).content else {
        let found = "the rules are not a list";
        let expected = "write each rule behind a dash: `- {name: …, limit: …}`";
        reader.fault(reader.mark(node), "rules.wrong_type", found, expected);
        return Vec::new();
    };
    let mut most = items.len();
    // Where the thresholds are too many by themselves, that is told already.
    if let Some(max_rules) = file.max_rules
        && let Some(left) = max_rules.checked_sub(file.thresholds)
        && let Err(misread) = Limits::check_rules(file.thresholds, items.len(), max_rules)
    {
        let first = items.get(left).copied().unwrap_or(node);
        reader.fault(reader.mark(first), "rules.too_many", misread.found, misread.expected);
        most = left;
    }
    let mut lines: HashMap<String, usize> = HashMap::new();
    let mut rules = Vec::new();
    for (i, item) in items.iter().take(most).enumerate() {
        let name = name_of(reader, *item);
        reader
            .at(rule_path(i, name.as_deref()), |reader| rules.extend(rule(reader, *item, file, patterns, &mut lines)));
    }
    rules
}

/// The name that a rule is called by in paths, whether it may have it or not.
fn name_of(reader: &Reader<'_>, node: NodeId) -> Option<String> {
    let Content::Map(entries) = &reader.document().node(node).content else {
        return None;
    };
    let name = entries.iter().find(|entry| &*entry.key == "name")?.value;
    match &reader.document().node(name).content {
        Content::Scalar { text, .. } => Some(text.to_string()),
        _ => None,
    }
}

fn rule(
    reader: &mut Reader<'_>,
    node: NodeId,
    file: &Surroundings,
    patterns: &mut FilePatterns,
    lines: &mut HashMap<String, usize>,
) -> Option<Rule> {
    let expected = "write a map such as `{name: reports, limit: {concurrency: {max: 30}}}`";
    let entries = reader.map(node, "rule.wrong_type", expected)?;
    let [name, matched, limit, on, per, then, scope, mode, on_failure, owner, reason, expires] =
        reader.fields(entries, &KEYS, |_, _| false);
    let missing = (text::RULE_NAME.codes.missing, "say what it is called in decisions and metrics: `name: reports`");
    let name = reader.required(node, "name", name, missing, |reader, node| unique_name(reader, node, lines));
    let mut said = Vec::new();
    let matching = reader.given("match", matched, Matching::default(), |reader, node| {
        matching::matching(reader, node, file.hash, patterns, &mut said)
    });
    let pattern = said.iter().find(|(field, _)| *field == Field::Match(MatchField::Pattern)).map(|(_, mark)| *mark);
    let missing = ("rule.limit.missing", "say how much is allowed: `limit: {concurrency: {max: 30}}`");
    let limit = reader.required(node, "limit", limit, missing, limit::limit);
    let keys = Besides { on, per, then, scope, mode, on_failure, owner, reason, expires };
    let rule = besides(reader, &keys, matching, limit, said, file);
    let rule = Rule { name: name?, ..rule? };
    if let Some(mark) = pattern
        && let Err(misread) = patterns.admit(&rule)
    {
        reader.along(".match.pattern", |reader| {
            reader.fault(mark, text::PATTERN.codes.of(misread.wrong), misread.found, misread.expected);
        });
    }
    Some(rule)
}

/// Reads a name that no rule before has, and enters its line.
fn unique_name(reader: &mut Reader<'_>, node: NodeId, lines: &mut HashMap<String, usize>) -> Option<String> {
    let name = free_name(reader, node)?;
    let line = reader.mark(node).line;
    if let Some(earlier) = lines.get(&name) {
        let misread = duplicate_name(&name, &format!("the rule on line {earlier}"));
        reader.misread(node, &text::RULE_NAME.codes, misread);
        return None;
    }
    lines.insert(name.clone(), line);
    Some(name)
}

/// Reads a name that a rule may have.
pub(super) fn free_name(reader: &mut Reader<'_>, node: NodeId) -> Option<String> {
    let name = reader.bounded(node, &text::RULE_NAME)?;
    if let Err((code, misread)) = check_name(&name) {
        reader.fault(reader.mark(node), code, misread.found, misread.expected);
        return None;
    }
    Some(name)
}

/// The keys of a rule but for its name, its match and its limit.
#[derive(Clone, Copy)]
pub(super) struct Besides {
    pub(super) on: Option<Given>,
    pub(super) per: Option<Given>,
    pub(super) then: Option<Given>,
    pub(super) scope: Option<Given>,
    pub(super) mode: Option<Given>,
    pub(super) on_failure: Option<Given>,
    pub(super) owner: Option<Given>,
    pub(super) reason: Option<Given>,
    pub(super) expires: Option<Given>,
}

/// Reads what a rule says besides its match and its limit, and whether all of it fits together. The name is left empty.
pub(super) fn besides(
    reader: &mut Reader<'_>,
    keys: &Besides,
    matching: Option<Matching>,
    limit: Option<Limit>,
    mut said: Vec<(Field, Mark)>,
    file: &Surroundings,
) -> Option<Rule> {
    let Besides { on, per, then, scope, mode, on_failure, owner, reason, expires } = *keys;
    for (field, given) in [
        (Field::Per, per),
        (Field::Then, then),
        (Field::Scope, scope),
        (Field::Mode, mode),
        (Field::OnFailure, on_failure),
    ] {
        said.extend(given.map(|given| (field, given.key)));
    }
    let on = reader.given("on", on, On::default(), |reader, node| reader.name(node, &ON, On::ALL, On::name));
    let parts = reader.given("per", per, Vec::new(), |reader, node| read_per(reader, node, &mut said));
    let then = reader.given("then", then, Then::default(), read_then);
    let scope = reader
        .given("scope", scope, Scope::default(), |reader, node| reader.name(node, &SCOPE, Scope::ALL, Scope::name));
    let mode =
        reader.given("mode", mode, None, |reader, node| reader.name(node, &MODE, Mode::ALL, Mode::name).map(Some));
    let on_failure = reader.given("on_failure", on_failure, None, |reader, node| {
        cluster::on_failure(reader, node, &bounds::RULE_ON_FAILURE).map(Some)
    });
    let owner = reader.given("owner", owner, None, |reader, node| reader.bounded(node, &text::OWNER).map(Some));
    let reason = reader.given("reason", reason, None, |reader, node| reader.bounded(node, &text::REASON).map(Some));
    let expires = reader.given("expires", expires, None, |reader, node| read_expires(reader, node).map(Some));

    let of_rule = Said {
        on,
        limit,
        scope,
        mode: mode.flatten(),
        file_mode: file.mode,
        per: parts.as_deref().unwrap_or_default(),
        cluster: file.cluster,
    };
    let place = |field: Field| said.iter().find(|(said, _)| *said == field).map(|(_, mark)| *mark);
    let conflicts = of_rule.conflicts(|field| place(field).is_some());
    let fits = conflicts.is_empty();
    for conflict in conflicts {
        let mark = place(conflict.field).unwrap_or(Mark::START);
        reader.along(&format!(".{}", conflict.field.path()), |reader| {
            reader.fault(mark, conflict.code, conflict.found, conflict.expected);
        });
    }
    if !fits {
        return None;
    }
    let mut rule = Rule::new(String::new(), limit?);
    rule.matching = matching?;
    (rule.on, rule.per, rule.then, rule.scope) = (on?, parts?, then?, scope?);
    (rule.mode, rule.on_failure, rule.owner) = (mode?, on_failure?, owner?);
    (rule.reason, rule.expires) = (reason?, expires?);
    Some(rule)
}

/// Reads `per`, and enters where its parts are.
fn read_per(reader: &mut Reader<'_>, node: NodeId, said: &mut Vec<(Field, Mark)>) -> Option<Vec<Part>> {
    let noun = "a part such as `user`";
    let mut parts: Vec<Part> = Vec::new();
    reader.list(node, &text::PER, noun, text::MAX_PARTS, |reader, node| {
        let part = reader.value(node, &text::PER, noun, Part::read)?;
        if parts.iter().any(|earlier| earlier.is(&part)) {
            reader.misread(node, &text::PER, duplicate(&part.to_string()));
            return None;
        }
        said.push((Field::Part(parts.len()), reader.mark(node)));
        parts.push(part.clone());
        Some(part)
    })
}

fn read_then(reader: &mut Reader<'_>, node: NodeId) -> Option<Then> {
    let entries = reader.map(node, "rule.then.wrong_type", "write a map such as `{strategy: abort, share: 2/3}`")?;
    if entries.is_empty() {
        let expected = "write what is done beyond the limit, or leave `then` out: it is then aborted";
        reader.fault(reader.mark(node), "rule.then.empty", "an empty map", expected);
        return None;
    }
    let [strategy, share, delay, max_delay, max_delayed] = reader.fields(entries, &THEN_KEYS, |_, _| false);
    let defaults = Then::default();
    let strategy = strategy::read(reader, &THEN, StrategyKeys { strategy, delay, max_delay, max_delayed });
    let share = reader.given("share", share, defaults.share, |reader, node| {
        reader.value(node, &bounds::THEN_SHARE, "a proportion such as `2/3`", quantity::share)
    });
    let max_delayed = reader.given("max_delayed", max_delayed, defaults.max_delayed, |reader, node| {
        reader.quantity(node, &bounds::THEN_MAX_DELAYED)
    });
    Some(Then { strategy: strategy?, share: share?, max_delayed: max_delayed? })
}

fn read_expires(reader: &mut Reader<'_>, node: NodeId) -> Option<SystemTime> {
    let text = reader.text(node, &EXPIRES, "write a point in time such as `2026-12-01T10:00:00Z`")?;
    let (code, found, expected) = match quantity::timestamp(&text) {
        Ok(moment) => return Some(moment),
        Err(InvalidTimestamp::Malformed(found, expected)) => (EXPIRES.malformed, found, expected),
        Err(InvalidTimestamp::WithoutZone(found, expected)) => ("rule.expires.without_zone", found, expected),
        Err(InvalidTimestamp::UnknownZone(found, expected)) => ("rule.expires.unknown_zone", found, expected),
        Err(InvalidTimestamp::Impossible(found, expected)) => ("rule.expires.impossible", found, expected),
    };
    reader.fault(reader.mark(node), code, found, expected);
    None
}
