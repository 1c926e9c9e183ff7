//! The `thresholds` and `default_threshold` sections.

use super::faults::Mark;
use super::reader::{self, Given, Reader};
use super::yaml::{Content, NodeId};
use crate::fingerprint::HashKind;
use crate::rule::bounds::{self, Codes, codes};
use crate::rule::quantity::{self, Misread, Wrong};
use crate::rule::{FingerprintPrefix, InvalidPrefix, Limits, Threshold};
use crate::strategy::{Delay, Strategy};

const KEYS: [&str; 8] = ["max_count", "window", "buckets", "rate", "strategy", "delay", "max_delay", "max_delayed"];
const STRATEGY: Codes = codes!("threshold.strategy");
const STRATEGIES: [(&str, Chosen); 3] =
    [("abort", Chosen::Abort), ("ignore", Chosen::Ignore), ("delay", Chosen::Delay)];
const UNTIL_ALLOWED: &str = "until_allowed";
/// What decisions and replays put before the digits, so that it is copied with them.
const RULE_NAME: &str = "threshold:";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Chosen {
    Abort,
    Ignore,
    Delay,
}

/// What `delay` says: a time, or none for `until_allowed`.
type Wait = Option<std::time::Duration>;

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
    let max_count = if let Some(given) = max_count {
        reader.under("max_count", |reader| reader.quantity(given.value, &bounds::MAX_COUNT))
    } else {
        // A misspelt one is told as such, and is not missing besides.
        if !entries.iter().any(|entry| reader::nearest(&entry.key, &KEYS) == Some("max_count")) {
            let expected = "write how many statements a window may hold: `max_count: 100`";
            reader.fault(reader.mark(node), "threshold.max_count.missing", "`max_count` is missing", expected);
        }
        None
    };
    let length =
        given(reader, "window", window, defaults.window, |reader, node| reader.quantity(node, &bounds::WINDOW));
    let parts =
        given(reader, "buckets", buckets, defaults.buckets, |reader, node| reader.quantity(node, &bounds::BUCKETS));
    let share = given(reader, "rate", rate, defaults.share, |reader, node| {
        reader.value(node, &bounds::RATE, "a proportion such as `2/3`", quantity::share)
    });
    let strategy = read_strategy(reader, strategy, delay, max_delay, max_delayed);
    let max_delayed = given(reader, "max_delayed", max_delayed, defaults.max_delayed, |reader, node| {
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

/// The value of a key, or its default where it is left out.
fn given<T>(
    reader: &mut Reader<'_>,
    key: &str,
    given: Option<Given>,
    default: T,
    read: impl FnOnce(&mut Reader<'_>, NodeId) -> Option<T>,
) -> Option<T> {
    given.map_or(Some(default), |given| reader.under(key, |reader| read(reader, given.value)))
}

/// Reads `strategy` and the keys that only some strategies have.
fn read_strategy(
    reader: &mut Reader<'_>,
    strategy: Option<Given>,
    delay: Option<Given>,
    max_delay: Option<Given>,
    max_delayed: Option<Given>,
) -> Option<Strategy> {
    let chosen = match strategy {
        None => Some(Chosen::Abort),
        Some(given) => reader.under("strategy", |reader| read_chosen(reader, given.value)),
    };
    let wait = delay.map(|given| reader.under("delay", |reader| read_delay(reader, given.value)));
    let longest =
        max_delay.map(|given| reader.under("max_delay", |reader| reader.quantity(given.value, &bounds::MAX_DELAY)));
    let chosen = chosen?;
    if chosen != Chosen::Delay {
        for (key, given, code) in [
            ("delay", delay, "threshold.delay.without_strategy"),
            ("max_delay", max_delay, "threshold.max_delay.without_strategy"),
            ("max_delayed", max_delayed, "threshold.max_delayed.without_strategy"),
        ] {
            if let Some(given) = given {
                let found = format!("`{key}` says nothing where no statement is delayed");
                let expected = format!("write `strategy: delay`, or leave `{key}` out");
                reader.under(key, |reader| reader.fault(given.key, code, found, expected));
            }
        }
        return Some(if chosen == Chosen::Abort { Strategy::Abort } else { Strategy::Ignore });
    }
    // It was read, so it is there.
    let place = strategy?.value;
    match (wait, longest) {
        (None, _) => {
            let expected =
                "write how long a statement waits: `delay: 100ms`, or `delay: until_allowed` with `max_delay`";
            let code = "threshold.delay.missing";
            reader.fault(reader.mark(place), code, "`strategy: delay` has no `delay`", expected);
            None
        }
        (Some(wait), longest) => match (wait?, longest) {
            (Some(fixed), None) => Some(Strategy::Delay(Delay::Fixed(fixed))),
            (Some(_), Some(_)) => {
                let mark = max_delay.map_or(Mark::START, |given| given.key);
                let found = "`max_delay` says nothing where the delay is fixed";
                let expected = "write `delay: until_allowed`, or leave `max_delay` out";
                let code = "threshold.max_delay.without_until_allowed";
                reader.under("max_delay", |reader| reader.fault(mark, code, found, expected));
                None
            }
            (None, Some(longest)) => longest.map(|max| Strategy::Delay(Delay::UntilAllowed { max })),
            (None, None) => {
                let mark = delay.map_or(Mark::START, |given| reader.mark(given.value));
                let found = "`delay: until_allowed` has no `max_delay`";
                let expected = "write after how long a statement is aborted: `max_delay: 5s`";
                reader.fault(mark, "threshold.max_delay.missing", found, expected);
                None
            }
        },
    }
}

fn read_chosen(reader: &mut Reader<'_>, node: NodeId) -> Option<Chosen> {
    if let Content::Scalar { text, .. } = &reader.document().node(node).content
        && text.starts_with("custom:")
    {
        let found = "this version calls no strategies of the host";
        let expected = "write one of `abort`, `ignore`, `delay`";
        reader.fault(reader.mark(node), "threshold.strategy.unsupported", found, expected);
        return None;
    }
    reader.choice(node, &STRATEGY, STRATEGIES)
}

fn read_delay(reader: &mut Reader<'_>, node: NodeId) -> Option<Wait> {
    let noun = "a duration such as `100ms`, or `until_allowed`";
    reader.value(node, &bounds::DELAY.codes, noun, |text| {
        if text == UNTIL_ALLOWED {
            return Ok(None);
        }
        bounds::DELAY.read(text).map(Some).map_err(|misread| match misread.wrong {
            Wrong::Malformed => Misread { expected: format!("{}, or `{UNTIL_ALLOWED}`", misread.expected), ..misread },
            _ => misread,
        })
    })
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
        && let Err(misread) = Limits::check_rules(entries.len(), most)
    {
        reader.fault(entry.mark, "thresholds.too_many", misread.found, misread.expected);
    }
    let (mut prefixes, mut marks, mut read) = (Vec::new(), Vec::new(), Vec::new());
    for entry in entries {
        reader.under(&entry.key, |reader| {
            let prefix = read_prefix(reader, &entry.key, entry.mark, hash);
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

fn read_prefix(reader: &mut Reader<'_>, key: &str, mark: Mark, hash: Option<HashKind>) -> Option<FingerprintPrefix> {
    let error = match FingerprintPrefix::new(key) {
        Ok(prefix) => match hash.map_or(Ok(()), |hash| prefix.fits(hash)) {
            Ok(()) => return Some(prefix),
            Err(misread) => {
                reader.fault(mark, "threshold.fingerprint.too_long", misread.found, misread.expected);
                return None;
            }
        },
        Err(error) => error,
    };
    let (code, found) = match error {
        InvalidPrefix::NotHexadecimal => {
            ("threshold.fingerprint.malformed", format!("{} is not a fingerprint", quantity::quoted(key)))
        }
        InvalidPrefix::Elided => ("threshold.fingerprint.elided", "the fingerprint ends in an ellipsis".to_owned()),
        InvalidPrefix::TooShort => {
            ("threshold.fingerprint.too_short", format!("the fingerprint has only {} digits", key.len()))
        }
        InvalidPrefix::TooLong => {
            ("threshold.fingerprint.too_long", format!("the fingerprint has {} digits", key.len()))
        }
    };
    // Whoever writes a variable here expects it to be filled in.
    let expected = if key.contains("${") {
        format!("variables are filled in values only: {error}")
    } else if key.strip_prefix(RULE_NAME).is_some_and(|digits| FingerprintPrefix::new(digits).is_ok()) {
        format!("leave out `{RULE_NAME}`")
    } else {
        error.to_string()
    };
    reader.fault(mark, code, found, expected);
    None
}
