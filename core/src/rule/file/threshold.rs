//! The `thresholds` and `default_threshold` sections.

use super::prefix::{self, PrefixCodes};
use super::reader::Reader;
use super::strategy::{self, StrategyFields, StrategyKeys};
use super::yaml::{Content, NodeId};
use crate::fingerprint::HashKind;
use crate::rule::quantity;
use crate::rule::{FingerprintPrefix, Limits, Threshold, bounds, text};

const KEYS: [&str; 8] = ["max_count", "window", "buckets", "rate", "strategy", "delay", "max_delay", "max_delayed"];
const FIELDS: StrategyFields = StrategyFields {
    custom: text::CUSTOM,
    delay: bounds::DELAY,
    max_delay: bounds::MAX_DELAY,
    delay_without_strategy: "threshold.delay.without_strategy",
    max_delay_without_strategy: "threshold.max_delay.without_strategy",
    max_delayed_without_strategy: "threshold.max_delayed.without_strategy",
    without_until_allowed: "threshold.max_delay.without_until_allowed",
};
const FINGERPRINT: PrefixCodes = PrefixCodes {
    malformed: "threshold.fingerprint.malformed",
    elided: "threshold.fingerprint.elided",
    too_short: "threshold.fingerprint.too_short",
    too_long: "threshold.fingerprint.too_long",
};

/// Reads a threshold: a bare number, or a map.
pub(super) fn threshold(reader: &mut Reader<'_>, node: NodeId) -> Option<Threshold> {
    let entries = match &reader.document().node(node).content {
        Content::Map(entries) => entries,
        Content::Scalar { .. } => return reader.quantity(node, &bounds::MAX_COUNT).map(Threshold::new),
        Content::List(_) => {
            let expected = "write a number of statements, or a map such as `{max_count: 100, window: 10s}`";
            reader.fault(
                reader.mark(node),
                "threshold.wrong_type",
                "a list stands where a threshold belongs",
                expected,
            );
            return None;
        }
    };
    let [max_count, window, buckets, rate, strategy, delay, max_delay, max_delayed] =
        reader.fields(entries, &KEYS, |_, _| false);

    // A value that is left out reads as its default, and one that is a fault as none: what depends on it is then not
    // judged, and the threshold not built.
    let defaults = Threshold::new(1);
    let missing = ("threshold.max_count.missing", "write how many statements a window may hold: `max_count: 100`");
    let max_count = reader
        .required(node, "max_count", max_count, missing, |reader, node| reader.quantity(node, &bounds::MAX_COUNT));
    let length = reader.given("window", window, defaults.window, |reader, node| reader.quantity(node, &bounds::WINDOW));
    let parts =
        reader.given("buckets", buckets, defaults.buckets, |reader, node| reader.quantity(node, &bounds::BUCKETS));
    let share = reader.given("rate", rate, defaults.share, |reader, node| {
        reader.value(node, &bounds::RATE, "a proportion such as `2/3`", quantity::share)
    });
    let strategy = strategy::read(reader, &FIELDS, StrategyKeys { strategy, delay, max_delay, max_delayed });
    let max_delayed = reader.given("max_delayed", max_delayed, defaults.max_delayed, |reader, node| {
        reader.quantity(node, &bounds::MAX_DELAYED)
    });

    if let (Some(length), Some(parts)) = (length, parts)
        && let Err(misread) = defaults.window(length).buckets(parts).bucket_length()
    {
        // The number of buckets is what has to change, unless only the window was said.
        let (key, place) = match (window, buckets) {
            (Some(window), None) => ("window", reader.mark(window.value)),
            (_, Some(buckets)) => ("buckets", reader.mark(buckets.value)),
            (None, None) => ("buckets", reader.mark(node)),
        };
        let code = bounds::BUCKETS.codes.of(misread.wrong);
        reader.under(key, |reader| reader.fault(place, code, misread.found, misread.expected));
        return None;
    }
    Some(
        Threshold::new(max_count?)
            .window(length?)
            .buckets(parts?)
            .share(share?)
            .strategy(strategy?)
            .max_delayed(max_delayed?),
    )
}

/// Reads `thresholds`. `hash` is none where the file does not say it rightly, and `most` where it does not say that.
pub(super) fn thresholds(
    reader: &mut Reader<'_>,
    node: NodeId,
    hash: Option<HashKind>,
    most: Option<usize>,
) -> Vec<(FingerprintPrefix, Threshold)> {
    let expected = "write a map of fingerprints: `\"9f2c41d07b6e\": 100`";
    let Some(entries) = reader.map(node, "thresholds.wrong_type", expected) else {
        return Vec::new();
    };
    if let Some((most, entry)) = most.and_then(|most| Some((most, entries.get(most)?)))
        && let Err(misread) = Limits::check_rules(entries.len(), 0, most)
    {
        reader.fault(entry.mark, "thresholds.too_many", misread.found, misread.expected);
    }
    let (mut prefixes, mut marks, mut read) = (Vec::new(), Vec::new(), Vec::new());
    for entry in entries {
        reader.under(&entry.key, |reader| {
            let prefix = prefix::read(reader, &FINGERPRINT, &entry.key, entry.mark, hash);
            let threshold = threshold(reader, entry.value);
            if let Some(prefix) = prefix {
                marks.push(entry.mark);
                prefixes.push(prefix.clone());
                read.extend(threshold.map(|threshold| (prefix, threshold)));
            }
        });
    }
    for (a, b) in FingerprintPrefix::overlaps(&prefixes) {
        let (later, earlier) = (a.max(b), a.min(b));
        let misread = FingerprintPrefix::overlapping(&prefixes[earlier], &format!("line {}", marks[earlier].line));
        reader.under(prefixes[later].as_str(), |reader| {
            reader.fault(marks[later], "threshold.fingerprint.overlap", misread.found, misread.expected);
        });
    }
    read
}
