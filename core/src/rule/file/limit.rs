//! The `limit` of a rule: exactly one kind.

use super::reader::{Given, Reader};
use super::yaml::NodeId;
use crate::rule::bounds::{self, Codes, codes};
use crate::rule::quantity::{self, Misread};
use crate::rule::{Count, Limit};

const KINDS: [&str; 6] = ["token_bucket", "sliding_window", "fixed_window", "concurrency", "block", "unlimited"];
const COUNT: Codes = codes!("rule.limit.sliding_window.count");
const BLOCK: Codes = codes!("rule.limit.block");
const UNLIMITED: Codes = codes!("rule.limit.unlimited");

/// Reads `limit`.
pub(super) fn limit(reader: &mut Reader<'_>, node: NodeId) -> Option<Limit> {
    let example = "write one kind of limit, such as `{token_bucket: {capacity: 100, rate: 1000/s}}`";
    let entries = reader.map(node, "rule.limit.wrong_type", example)?;
    let kinds = reader.fields(entries, &KINDS, |_, _| false);
    let mut given = kinds.iter().zip(KINDS).filter_map(|(given, kind)| Some(((*given)?, kind)));
    let Some((only, kind)) = given.next() else {
        // A misspelt kind is told as such.
        if entries.is_empty() {
            reader.fault(reader.mark(node), "rule.limit.empty", "a limit of no kind", example);
        }
        return None;
    };
    if let Some((second, other)) = given.next() {
        let later = if second.key > only.key { second } else { only };
        let found = format!("`{kind}` and `{other}` stand side by side");
        reader.fault(later.key, "rule.limit.several", found, "write one kind of limit a rule; write a rule for each");
        return None;
    }
    reader.under(kind, |reader| match kind {
        "token_bucket" => token_bucket(reader, only.value),
        "sliding_window" => sliding_window(reader, only.value),
        "fixed_window" => fixed_window(reader, only.value),
        "concurrency" => concurrency(reader, only.value),
        "block" => truth(reader, only, &BLOCK).map(|()| Limit::Block),
        _ => truth(reader, only, &UNLIMITED).map(|()| Limit::Unlimited),
    })
}

/// Reads `true`, which is all that may be said.
fn truth(reader: &mut Reader<'_>, given: Given, codes: &Codes) -> Option<()> {
    reader.choice(given.value, codes, [("true", ())])
}

fn token_bucket(reader: &mut Reader<'_>, node: NodeId) -> Option<Limit> {
    let expected = "write a map such as `{capacity: 100, rate: 1000/s}`";
    let entries = reader.map(node, "rule.limit.token_bucket.wrong_type", expected)?;
    let [capacity, rate] = reader.fields(entries, &["capacity", "rate"], |_, _| false);
    let missing = (bounds::TOKEN_BUCKET_CAPACITY.codes.missing, "write the largest burst: `capacity: 100`");
    let capacity = reader.required(node, "capacity", capacity, missing, |reader, node| {
        reader.quantity(node, &bounds::TOKEN_BUCKET_CAPACITY)
    });
    let missing = (bounds::TOKEN_BUCKET_RATE.missing, "write how fast tokens come back: `rate: 1000/s`");
    let rate = reader.required(node, "rate", rate, missing, |reader, node| {
        reader.value(node, &bounds::TOKEN_BUCKET_RATE, "a rate such as `1000/s`", quantity::rate)
    });
    Some(Limit::TokenBucket { capacity: capacity?, rate: rate? })
}

fn sliding_window(reader: &mut Reader<'_>, node: NodeId) -> Option<Limit> {
    let expected = "write a map such as `{max: 500, window: 1s}`";
    let entries = reader.map(node, "rule.limit.sliding_window.wrong_type", expected)?;
    let [max, length, parts, count] = reader.fields(entries, &["max", "window", "buckets", "count"], |_, _| false);
    let missing = (bounds::SLIDING_WINDOW_MAX.codes.missing, "write how many a window may hold: `max: 500`");
    let max =
        reader.required(node, "max", max, missing, |reader, node| reader.quantity(node, &bounds::SLIDING_WINDOW_MAX));
    let missing = (bounds::SLIDING_WINDOW_WINDOW.codes.missing, "write how long it is: `window: 1s`");
    let window = reader.required(node, "window", length, missing, |reader, node| {
        reader.quantity(node, &bounds::SLIDING_WINDOW_WINDOW)
    });
    let buckets = reader
        .given("buckets", parts, Limit::BUCKETS, |reader, node| reader.quantity(node, &bounds::SLIDING_WINDOW_BUCKETS));
    let count = reader
        .given("count", count, Count::default(), |reader, node| reader.name(node, &COUNT, Count::ALL, Count::name));
    if let (Some(window), Some(buckets)) = (window, buckets)
        && let Err(misread) = bounds::bucket_length(window, buckets)
    {
        // The number of buckets is what has to change, unless only the window was said.
        let (key, at) = if parts.is_some() { ("buckets", parts) } else { ("window", length) };
        refuse(reader, key, at, &bounds::SLIDING_WINDOW_BUCKETS.codes, misread);
        return None;
    }
    Some(Limit::SlidingWindow { max: max?, window: window?, buckets: buckets?, count: count? })
}

fn fixed_window(reader: &mut Reader<'_>, node: NodeId) -> Option<Limit> {
    let expected = "write a map such as `{max: 500, window: 1s}`";
    let entries = reader.map(node, "rule.limit.fixed_window.wrong_type", expected)?;
    let [most, length] = reader.fields(entries, &["max", "window"], |_, _| false);
    let missing = (bounds::FIXED_WINDOW_MAX.codes.missing, "write how many a window may hold: `max: 500`");
    let max =
        reader.required(node, "max", most, missing, |reader, node| reader.quantity(node, &bounds::FIXED_WINDOW_MAX));
    let missing = (bounds::FIXED_WINDOW_WINDOW.codes.missing, "write how long it is: `window: 1s`");
    let window = reader
        .required(node, "window", length, missing, |reader, node| reader.quantity(node, &bounds::FIXED_WINDOW_WINDOW));
    let (max, window) = (max?, window?);
    if let Err(misread) = bounds::fixed_window_max(max, window) {
        refuse(reader, "max", most, &bounds::FIXED_WINDOW_MAX.codes, misread);
        return None;
    }
    Some(Limit::FixedWindow { max, window })
}

fn concurrency(reader: &mut Reader<'_>, node: NodeId) -> Option<Limit> {
    let expected = "write a map such as `{max: 30, lease: 60s}`";
    let entries = reader.map(node, "rule.limit.concurrency.wrong_type", expected)?;
    let [max, lease] = reader.fields(entries, &["max", "lease"], |_, _| false);
    let missing = (bounds::CONCURRENCY_MAX.codes.missing, "write how many may run at once: `max: 30`");
    let max =
        reader.required(node, "max", max, missing, |reader, node| reader.quantity(node, &bounds::CONCURRENCY_MAX));
    let lease =
        reader.given("lease", lease, Limit::LEASE, |reader, node| reader.quantity(node, &bounds::CONCURRENCY_LEASE));
    Some(Limit::Concurrency { max: max?, lease: lease? })
}

/// A fault of two values together, told where one of them stands.
fn refuse(reader: &mut Reader<'_>, key: &str, given: Option<Given>, codes: &Codes, misread: Misread) {
    let Some(given) = given else { return };
    let mark = reader.mark(given.value);
    reader.under(key, |reader| reader.fault(mark, codes.of(misread.wrong), misread.found, misread.expected));
}
