//! The rule of an admin statement: in one flat map, or as a rule file has it.

use super::env::Environment;
use super::faults::{Faults, Mark};
use super::reader::{Given, Reader};
use super::rule::{self, Besides, Surroundings};
use super::yaml::{self, NodeId};
use super::{limit, matching};
use crate::error::LoadError;
use crate::fingerprint::FingerprintOptions;
use crate::rule::bounds;
use crate::rule::patterns::FilePatterns;
use crate::rule::quantity::{self, Misread, Quantity};
use crate::rule::{Limit, Rate, Rule};

const CAPACITY: &str = "capacity";
const RATE: &str = "rate";
const KEYS: [&str; rule::KEYS.len() + matching::KEYS.len() + 2] = {
    let mut keys = [CAPACITY; rule::KEYS.len() + matching::KEYS.len() + 2];
    let mut i = 0;
    while i < rule::KEYS.len() {
        keys[i] = rule::KEYS[i];
        i += 1;
    }
    while i < rule::KEYS.len() + matching::KEYS.len() {
        keys[i] = matching::KEYS[i - rule::KEYS.len()];
        i += 1;
    }
    keys[i + 1] = RATE;
    keys
};

const EXAMPLE: &str = "write a map such as `{pattern: \"select.*\", capacity: 100, rate: 1000}`";

/// What is not known of the file that the rule is added to is judged when it is added.
const ANYWHERE: Surroundings = Surroundings { mode: None, hash: None, cluster: true, thresholds: 0, max_rules: None };

/// Reads the rule of an admin statement. One without a name has an empty one. Variables of the environment are not filled
/// in: whoever may send such a statement is not to read them.
pub(in crate::rule) fn parse_rule(text: &str) -> Result<Rule, LoadError> {
    let mut faults = Faults::default();
    let Some(document) = yaml::parse(text, &mut faults) else {
        return Err(super::refused(faults));
    };
    let Some(root) = document.root() else {
        faults.push(Mark::START, "rule.wrong_type", "", "the rule is empty".to_owned(), EXAMPLE.to_owned());
        return Err(super::refused(faults));
    };
    let mut reader = Reader::new(&document, Environment::none(), faults);
    let rule = read(&mut reader, root);
    let faults = reader.into_faults();
    match rule {
        Some(rule) => faults.into_result().map(|()| rule),
        None => Err(super::refused(faults)),
    }
}

fn read(reader: &mut Reader<'_>, node: NodeId) -> Option<Rule> {
    let entries = reader.map(node, "rule.wrong_type", EXAMPLE)?;
    let keys = reader.fields(entries, &KEYS, |_, _| false);
    let (of_rule, rest) = keys.split_first_chunk()?;
    let (of_match, of_bucket) = rest.split_first_chunk()?;
    let [name, matched, limit, on, per, then, scope, mode, on_failure, owner, reason, expires] = *of_rule;
    let [capacity, rate] = *of_bucket else { return None };

    let name = reader.given("name", name, String::new(), rule::free_name);
    let mut said = Vec::new();
    // What its pattern comes to together with others is judged when it is added, too.
    let mut patterns = FilePatterns::new(FingerprintOptions::default());
    let matching = match matched {
        None => matching::fields(reader, of_match, None, &mut patterns, &mut said),
        Some(given) => {
            for (other, key) in of_match.iter().zip(matching::KEYS) {
                refuse_beside(reader, *other, key, "match");
            }
            reader.under("match", |reader| matching::matching(reader, given.value, None, &mut patterns, &mut said))
        }
    };
    let limit = match limit {
        None => read_bucket(reader, node, capacity, rate),
        Some(given) => {
            refuse_beside(reader, capacity, CAPACITY, "limit");
            refuse_beside(reader, rate, RATE, "limit");
            reader.under("limit", |reader| limit::limit(reader, given.value))
        }
    };
    let besides = Besides { on, per, then, scope, mode, on_failure, owner, reason, expires };
    let rule = rule::besides(reader, &besides, matching, limit, said, &ANYWHERE);
    Some(Rule { name: name?, ..rule? })
}

/// Refuses a key of the flat form beside the section of the full form that it belongs to.
fn refuse_beside(reader: &mut Reader<'_>, given: Option<Given>, key: &str, section: &str) {
    let Some(given) = given else { return };
    let found = format!("`{key}` stands beside `{section}`");
    let expected = format!("write it inside `{section}`, or leave `{section}` out");
    reader.under(key, |reader| reader.fault(given.key, "admin.rule.two_forms", found, expected));
}

fn read_bucket(reader: &mut Reader<'_>, node: NodeId, capacity: Option<Given>, rate: Option<Given>) -> Option<Limit> {
    if capacity.is_none() && rate.is_none() {
        let missing = ("rule.limit.missing", "say how much is allowed: `capacity: 100, rate: 1000`, or a `limit`");
        return reader.required(node, "limit", None, missing, limit::limit);
    }
    let missing = (bounds::TOKEN_BUCKET_CAPACITY.codes.missing, "write the largest burst: `capacity: 100`");
    let capacity = reader.required(node, CAPACITY, capacity, missing, |reader, node| {
        reader.quantity(node, &bounds::TOKEN_BUCKET_CAPACITY)
    });
    let missing = (bounds::TOKEN_BUCKET_RATE.missing, "write how fast tokens come back in a second: `rate: 1000`");
    let rate = reader.required(node, RATE, rate, missing, |reader, node| {
        reader.value(node, &bounds::TOKEN_BUCKET_RATE, "a rate such as `1000` a second, or `10/5s`", read_rate)
    });
    Some(Limit::TokenBucket { capacity: capacity?, rate: rate? })
}

/// A rate, of which a plain number is one a second.
fn read_rate(text: &str) -> Result<Rate, Misread> {
    match u32::read(text) {
        Ok(_) => quantity::rate(&format!("{text}/s")),
        Err(_) => quantity::rate(text),
    }
}
