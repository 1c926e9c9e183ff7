//! The text of a rule file to a [`RuleFile`], or all of its faults.

mod admin_rule;
mod cluster;
mod env;
mod faults;
mod limit;
mod matching;
mod prefix;
mod reader;
mod rule;
mod strategy;
mod threshold;
mod yaml;

pub(super) use admin_rule::parse_rule;
pub(super) use faults::{Mark, path_to, rule_path};
pub(super) use reader::suggest;

use self::env::Environment;
use self::faults::Faults;
use self::reader::{Given, Reader};
use self::rule::Surroundings;
use super::bounds::{self, Codes, codes};
use super::patterns::FilePatterns;
use super::quantity::{Bytes, Quantity};
use super::{Limits, Mode, OnError, RuleFile};
use crate::error::LoadError;
use crate::fingerprint::{Dialect, HashKind, InLists};
use std::time::Duration;

/// Longest rule file, in bytes. Three thousand rules with every field stay below a quarter of it.
pub(super) const MAX_FILE_BYTES: usize = 16 << 20;

const KEYS: [&str; 10] = [
    "dialect",
    "mode",
    "fingerprint",
    "default_threshold",
    "thresholds",
    "rules",
    "cluster",
    "on_error",
    "limits",
    "watch",
];
const FINGERPRINT_KEYS: [&str; 3] = ["hash", "in_lists", "fold_digits"];
const LIMIT_KEYS: [&str; 5] = ["max_keys", "max_rules", "warn_rules", "max_sql_bytes", "cache_bytes"];

const DIALECT: Codes = codes!("dialect");
const MODE: Codes = codes!("mode");
const ON_ERROR: Codes = codes!("on_error");
const HASH: Codes = codes!("fingerprint.hash");
const IN_LISTS: Codes = codes!("fingerprint.in_lists");
const FOLD_DIGITS: Codes = codes!("fingerprint.fold_digits");

/// Reads a rule file. `answer` says what a variable of the environment holds.
pub(super) fn parse(bytes: &[u8], answer: &dyn Fn(&str) -> Option<String>) -> Result<RuleFile, LoadError> {
    let mut faults = Faults::default();
    let Some(text) = decode(bytes, &mut faults) else {
        return Err(refused(faults));
    };
    let Some(document) = yaml::parse(text, &mut faults) else {
        return Err(refused(faults));
    };
    let mut reader = Reader::new(&document, Environment::new(answer), faults);
    let file = read(&mut reader);
    reader.into_faults().into_result().map(|()| file)
}

fn refused(faults: Faults) -> LoadError {
    faults.into_result().err().unwrap_or_else(|| LoadError::with_faults(Vec::new()))
}

/// The text of a file. A byte order mark is left for the YAML parser, which knows it.
fn decode<'a>(bytes: &'a [u8], faults: &mut Faults) -> Option<&'a str> {
    if bytes.len() > MAX_FILE_BYTES {
        let found = format!("the file is longer than {MAX_FILE_BYTES} bytes");
        faults.push(Mark::START, "file.too_large", "", found, "write fewer or shorter rules".to_owned());
        return None;
    }
    let error = match std::str::from_utf8(bytes) {
        Ok(text) => return Some(text),
        Err(error) => error,
    };
    let valid = bytes.get(..error.valid_up_to()).and_then(|valid| std::str::from_utf8(valid).ok()).unwrap_or_default();
    let byte = bytes.get(valid.len()).copied().unwrap_or_default();
    let found = match bytes {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => "the file is UTF-16".to_owned(),
        _ => format!("the byte 0x{byte:02x} is not UTF-8"),
    };
    faults.push(Mark::behind(valid), "yaml.encoding", "", found, "save the file as UTF-8".to_owned());
    None
}

fn read(reader: &mut Reader<'_>) -> RuleFile {
    let mut file = RuleFile::default();
    let Some(root) = reader.document().root() else {
        return file;
    };
    if reader.document().is_nothing(root) {
        return file;
    }
    let expected = "write keys and values: `mode: enforce`";
    let Some(entries) = reader.map(root, "file.wrong_type", expected) else {
        return file;
    };
    let [dialect, mode, fingerprint, default_threshold, thresholds, rules, cluster, on_error, limits, watch] =
        reader.fields(entries, &KEYS, |_, _| false);

    file.names_dialect = dialect.is_some();
    set(&mut file.fingerprint.dialect, reader, "dialect", dialect, |reader, given| {
        reader.choice(given.value, &DIALECT, Dialect::ALL.map(|dialect| (dialect.name(), dialect)))
    });
    let known_mode =
        reader.given("mode", mode, file.mode, |reader, node| reader.name(node, &MODE, Mode::ALL, Mode::name));
    file.mode = known_mode.unwrap_or_default();
    set(&mut file.on_error, reader, "on_error", on_error, |reader, given| {
        reader.name(given.value, &ON_ERROR, OnError::ALL, OnError::name)
    });
    set(&mut file.watch, reader, "watch", watch, |reader, given| {
        reader.value(given.value, &bounds::WATCH.codes, Duration::NOUN, bounds::read_watch)
    });
    let hash = section(reader, "fingerprint", fingerprint, Some(HashKind::default()), |reader, given| {
        read_fingerprint(reader, given, &mut file)
    });
    let max_rules = section(reader, "limits", limits, Some(file.limits.max_rules), |reader, given| {
        read_limits(reader, given, &mut file.limits, &mut file.fingerprint.max_sql_bytes)
    });
    file.default_threshold = section(reader, "default_threshold", default_threshold, None, |reader, given| {
        threshold::threshold(reader, given.value)
    });
    file.thresholds = section(reader, "thresholds", thresholds, Vec::new(), |reader, given| {
        threshold::thresholds(reader, given.value, hash, max_rules)
    });
    let has_cluster = cluster.is_some_and(|given| !reader.document().is_nothing(given.value));
    file.cluster = section(reader, "cluster", cluster, None, |reader, given| cluster::cluster(reader, given.value));
    let surroundings = Surroundings {
        mode: known_mode,
        hash,
        cluster: has_cluster,
        thresholds: thresholds.map_or(0, |given| reader.document().entries(given.value)),
        max_rules,
    };
    let mut patterns = FilePatterns::new(file.fingerprint);
    file.rules = section(reader, "rules", rules, Vec::new(), |reader, given| {
        rule::rules(reader, given.value, &surroundings, &mut patterns)
    });
    file
}

/// Sets a field that is given and without fault.
fn set<T>(
    field: &mut T,
    reader: &mut Reader<'_>,
    key: &str,
    given: Option<Given>,
    read: impl FnOnce(&mut Reader<'_>, Given) -> Option<T>,
) {
    if let Some(value) = given.and_then(|given| reader.under(key, |reader| read(reader, given))) {
        *field = value;
    }
}

/// Reads a section. One that holds nothing is left out: all of it may be commented out.
fn section<T>(
    reader: &mut Reader<'_>,
    key: &str,
    given: Option<Given>,
    default: T,
    read: impl FnOnce(&mut Reader<'_>, Given) -> T,
) -> T {
    match given {
        Some(given) if !reader.document().is_nothing(given.value) => reader.under(key, |reader| read(reader, given)),
        _ => default,
    }
}

/// Reads `fingerprint`, and answers the hash where it is known.
fn read_fingerprint(reader: &mut Reader<'_>, given: Given, file: &mut RuleFile) -> Option<HashKind> {
    let expected = "write a map such as `{hash: sha256, in_lists: collapse, fold_digits: false}`";
    let entries = reader.map(given.value, "fingerprint.wrong_type", expected)?;
    let [hash, in_lists, fold_digits] = reader.fields(entries, &FINGERPRINT_KEYS, |_, _| false);
    let options = &mut file.fingerprint;
    let known = match hash {
        None => Some(options.hash),
        Some(given) => reader
            .under("hash", |reader| reader.choice(given.value, &HASH, HashKind::ALL.map(|hash| (hash.name(), hash)))),
    };
    options.hash = known.unwrap_or_default();
    set(&mut options.in_lists, reader, "in_lists", in_lists, |reader, given| {
        reader.choice(given.value, &IN_LISTS, InLists::ALL.map(|mode| (mode.name(), mode)))
    });
    set(&mut options.fold_digits, reader, "fold_digits", fold_digits, |reader, given| {
        reader.choice(given.value, &FOLD_DIGITS, [("true", true), ("false", false)])
    });
    known
}

/// Reads `limits`, and answers `max_rules` where it is known.
fn read_limits(reader: &mut Reader<'_>, given: Given, limits: &mut Limits, longest_sql: &mut usize) -> Option<usize> {
    let entries = reader.map(given.value, "limits.wrong_type", "write a map such as `{max_keys: 10000}`")?;
    let [max_keys, max_rules, warn_rules, max_sql_bytes, cache_bytes] =
        reader.fields(entries, &LIMIT_KEYS, |_, _| false);
    let known = match max_rules {
        None => Some(limits.max_rules),
        Some(given) => reader.under("max_rules", |reader| reader.quantity(given.value, &bounds::MAX_RULES)),
    };
    limits.max_rules = known.unwrap_or(limits.max_rules);
    set(&mut limits.max_keys, reader, "max_keys", max_keys, |reader, given| {
        reader.quantity(given.value, &bounds::MAX_KEYS)
    });
    set(&mut limits.warn_rules, reader, "warn_rules", warn_rules, |reader, given| {
        reader.quantity(given.value, &bounds::WARN_RULES)
    });
    for (field, key, given, bounds) in [
        (longest_sql, "max_sql_bytes", max_sql_bytes, bounds::MAX_SQL_BYTES),
        (&mut limits.cache_bytes, "cache_bytes", cache_bytes, bounds::CACHE_BYTES),
    ] {
        set(field, reader, key, given, |reader, given| reader.quantity(given.value, &bounds).map(|Bytes(bytes)| bytes));
    }
    known
}
