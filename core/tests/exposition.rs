//! What [`Snapshot::prometheus`] writes is read line by line, as a scraper reads it.
//!
//! [`Snapshot::prometheus`]: sqlthrottle::Snapshot::prometheus

// A line that cannot be read says so by panicking.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use sqlthrottle::{Engine, Limit, ManualClock, Rule, RuleFile, Statement, Threshold};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::Duration;

/// A name that a label must escape. No rule may have a line break in its name, so none can divide a line.
const ODD_NAME: &str = r#"a "quoted\" rule\n"#;

/// Families of metrics, with their types and the names of their labels. These names are a promise to dashboards.
const FAMILIES: &[(&str, &str, &[&str])] = &[
    ("sql_throttle_decisions_total", "counter", &["rule", "verdict"]),
    ("sql_throttle_would_total", "counter", &["rule", "verdict"]),
    ("sql_throttle_passed_over_total", "counter", &["rule"]),
    ("sql_throttle_outranked_total", "counter", &["rule"]),
    ("sql_throttle_permits_in_use", "gauge", &["rule"]),
    ("sql_throttle_permits_leaked_total", "counter", &["rule"]),
    ("sql_throttle_keys", "gauge", &["rule"]),
    ("sql_throttle_overflow_total", "counter", &["rule"]),
    ("sql_throttle_wait_seconds", "summary", &[]),
    ("sql_throttle_rules", "gauge", &["state"]),
    ("sql_throttle_waiting", "gauge", &[]),
    ("sql_throttle_shapes", "gauge", &[]),
    ("sql_throttle_provider_failures_total", "counter", &[]),
    ("sql_throttle_cluster_failures_total", "counter", &[]),
    ("sql_throttle_guard_errors_total", "counter", &[]),
    ("sql_throttle_rule_set_version", "gauge", &[]),
];

/// A sample: its family, its name, its labels and its value.
#[derive(Debug)]
struct Sample {
    family: String,
    name: String,
    labels: BTreeMap<String, String>,
    value: String,
}

/// Reads the text format: of each family HELP, TYPE, and then its samples, all in one place.
fn read(text: &str) -> (BTreeMap<String, String>, Vec<Sample>) {
    assert!(text.ends_with('\n'), "the last line is not ended");
    let (mut types, mut samples) = (BTreeMap::new(), Vec::new());
    let (mut helped, mut family) = (String::new(), String::new());
    for line in text.lines() {
        if let Some(help) = line.strip_prefix("# HELP ") {
            let (name, help) = help.split_once(' ').expect("a name and a text");
            assert!(!help.is_empty() && !types.contains_key(name), "{line}");
            name.clone_into(&mut helped);
        } else if let Some(kind) = line.strip_prefix("# TYPE ") {
            let (name, kind) = kind.split_once(' ').expect("a name and a type");
            assert_eq!(name, helped, "TYPE follows HELP");
            assert!(["counter", "gauge", "summary"].contains(&kind), "{line}");
            assert_eq!(kind == "counter", name.ends_with("_total"), "{line}");
            types.insert(name.to_owned(), kind.to_owned());
            name.clone_into(&mut family);
        } else {
            samples.push(sample(line, &family, &types));
        }
    }
    (types, samples)
}

fn sample(line: &str, family: &str, types: &BTreeMap<String, String>) -> Sample {
    let end = line.find(['{', ' ']).unwrap_or_else(|| panic!("no sample: {line}"));
    let (name, rest) = line.split_at(end);
    assert!(name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'), "{line}");
    let in_family = match types.get(family).map(String::as_str) {
        Some("summary") => [format!("{family}_sum"), format!("{family}_count")].contains(&name.to_owned()),
        Some(_) => name == family,
        None => false,
    };
    assert!(in_family, "a sample away from its family `{family}`: {line}");
    let (labels, value) = match rest.strip_prefix('{') {
        Some(rest) => labels(rest),
        None => (BTreeMap::new(), rest),
    };
    let value = value.strip_prefix(' ').unwrap_or_else(|| panic!("no value: {line}"));
    assert!(value.parse().is_ok_and(|number: f64| number.is_finite() && number >= 0.0), "{line}");
    Sample { family: family.to_owned(), name: name.to_owned(), labels, value: value.to_owned() }
}

/// Reads labels up to the brace that closes them, their values unescaped; with what follows.
fn labels(mut rest: &str) -> (BTreeMap<String, String>, &str) {
    let mut labels = BTreeMap::new();
    loop {
        let (name, behind) = rest.split_once("=\"").unwrap_or_else(|| panic!("no label: {rest}"));
        assert!(!name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase()), "{rest}");
        let (mut value, mut chars) = (String::new(), behind.chars());
        loop {
            match chars.next().unwrap_or_else(|| panic!("a value without an end: {behind}")) {
                '"' => break,
                '\\' => value.push(match chars.next() {
                    Some('n') => '\n',
                    Some(c @ ('\\' | '"')) => c,
                    other => panic!("`{other:?}` is nothing that is escaped: {behind}"),
                }),
                c => value.push(c),
            }
        }
        assert!(labels.insert(name.to_owned(), value).is_none(), "`{name}` twice: {rest}");
        rest = chars.as_str();
        match rest.split_at_checked(1) {
            Some((",", more)) => rest = more,
            Some(("}", value)) => return (labels, value),
            _ => panic!("labels without an end: {rest}"),
        }
    }
}

/// An engine with rules of all kinds, which have seen all that can happen.
fn busy() -> (Engine, Vec<String>) {
    let mut rules = RuleFile::parse(
        r"
        default_threshold: {max_count: 1, window: 10s}
        rules:
          - {name: delaying, match: {kinds: update}, limit: {token_bucket: {capacity: 1, rate: 2/s}}, then: {strategy: delay, delay: 1500ms}}
          - {name: observed, mode: observe, limit: {fixed_window: {max: 1, window: 1m}}}
          - {name: 'off', mode: 'off', limit: {block: true}}
          - {name: ended, limit: {block: true}, expires: 1970-01-01T00:00:00Z}
          - {name: users, per: [fingerprint, user], limit: {concurrency: {max: 1}}}
        ",
    )
    .unwrap();
    rules.rules.push(Rule::new(ODD_NAME, Limit::concurrency(100)));
    let clock = ManualClock::new();
    let engine = Engine::builder(rules).clock(clock.clone()).asks_provider(true).build().unwrap();
    let mut fingerprints = Vec::new();
    for number in 0..50 {
        let sql = format!("select column_{number} from t where id = 7");
        let asked = engine.check(&sql).fingerprint.unwrap();
        let threshold = (number % 2 == 0).then(|| Threshold::new(1));
        engine.set_threshold(&asked, threshold, Duration::from_secs(60)).unwrap();
        fingerprints.push(asked.to_string());
        for user in ["ann", "bob"] {
            let _ = engine.check_statement(&Statement::new(&sql).user(user));
        }
    }
    let update = engine.check("update t set a = 1").fingerprint.unwrap();
    engine.set_threshold(&update, Some(Threshold::new(10)), Duration::from_secs(60)).unwrap();
    fingerprints.push(update.to_string());
    let permit = engine.check("update t set a = 1").permit.expect("it holds places");
    engine.release(permit);
    let ticket = engine.check("update t set a = 1").ticket.expect("it is to wait");
    clock.advance(Duration::from_millis(1500));
    let _ = engine.resume(ticket);
    engine.threshold_failed(&update);
    let _ = engine.guard_error();
    (engine, fingerprints)
}

#[test]
fn every_family_is_there_once_and_every_line_can_be_read() {
    let (engine, _) = busy();
    let snapshot = engine.snapshot();
    let (types, samples) = read(&snapshot.prometheus());
    let expected: BTreeMap<_, _> =
        FAMILIES.iter().map(|(name, kind, _)| ((*name).to_owned(), (*kind).to_owned())).collect();
    assert_eq!(types, expected);
    for (family, _, labels) in FAMILIES {
        let of_family: Vec<&Sample> = samples.iter().filter(|sample| sample.family == *family).collect();
        assert!(!of_family.is_empty(), "{family}");
        for sample in &of_family {
            assert!(sample.labels.keys().eq(labels.iter()), "{sample:?}");
        }
        if labels.contains(&"rule") {
            let named: BTreeSet<&str> = of_family.iter().map(|sample| sample.labels["rule"].as_str()).collect();
            assert_eq!(named, snapshot.rules.iter().map(|rule| rule.name.as_str()).collect(), "{family}");
        }
    }
    let series: HashSet<String> = samples.iter().map(|sample| format!("{} {:?}", sample.name, sample.labels)).collect();
    assert_eq!(series.len(), samples.len(), "a series is there twice");
}

#[test]
fn samples_are_what_the_snapshot_says() {
    let (engine, _) = busy();
    let snapshot = engine.snapshot();
    let (_, samples) = read(&snapshot.prometheus());
    let value = |name: &str, labels: &[(&str, &str)]| {
        let labels = labels.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let found = samples.iter().find(|sample| sample.name == name && sample.labels == labels);
        found.unwrap_or_else(|| panic!("no {name} {labels:?}")).value.as_str()
    };
    for rule in &snapshot.rules {
        let named = ("rule", rule.name.as_str());
        let verdict = |verdict| value("sql_throttle_decisions_total", &[named, ("verdict", verdict)]);
        assert_eq!(verdict("allow"), (rule.passed + rule.passed_over).to_string(), "{}", rule.name);
        assert_eq!(verdict("abort"), rule.aborted.to_string(), "{}", rule.name);
        assert_eq!(verdict("delay"), rule.delayed.to_string(), "{}", rule.name);
        let would = value("sql_throttle_would_total", &[named, ("verdict", "abort")]);
        assert_eq!(would, rule.would_abort.to_string(), "{}", rule.name);
        assert_eq!(value("sql_throttle_permits_in_use", &[named]), rule.in_use.to_string(), "{}", rule.name);
        assert_eq!(value("sql_throttle_keys", &[named]), rule.keys.to_string(), "{}", rule.name);
    }
    // Not of rules that have done nothing: what is compared above is there to be seen.
    assert_ne!(value("sql_throttle_would_total", &[("rule", "observed"), ("verdict", "abort")]), "0");
    assert_ne!(value("sql_throttle_permits_in_use", &[("rule", ODD_NAME)]), "0");
    assert_ne!(value("sql_throttle_decisions_total", &[("rule", "provider"), ("verdict", "abort")]), "0");
    assert_eq!(value("sql_throttle_wait_seconds_sum", &[]), "1.5");
    assert_eq!(value("sql_throttle_wait_seconds_count", &[]), "1");
    for (state, count) in [("enforced", "5"), ("observed", "1"), ("off", "1"), ("expired", "1")] {
        assert_eq!(value("sql_throttle_rules", &[("state", state)]), count, "{state}");
    }
    assert_eq!(value("sql_throttle_provider_failures_total", &[]), "1");
    assert_eq!(value("sql_throttle_guard_errors_total", &[]), "1");
    assert_eq!(value("sql_throttle_rule_set_version", &[]), "1");
}

#[test]
fn no_fingerprint_is_a_label_but_the_digits_of_a_threshold() {
    let (engine, fingerprints) = busy();
    let of_file = &fingerprints[0];
    let mut file = engine.rules();
    let prefix = sqlthrottle::rule::FingerprintPrefix::new(of_file).unwrap();
    file.thresholds.push((prefix, Threshold::new(5)));
    engine.reload(file).unwrap();
    let text = engine.snapshot().prometheus();
    assert!(text.contains(&format!("{{rule=\"threshold:{}\"", &of_file[..12])), "a threshold is called by 12 digits");
    for fingerprint in &fingerprints {
        let digits = if fingerprint == of_file { &fingerprint[..13] } else { &fingerprint[..8] };
        assert!(!text.contains(digits), "{digits} of {fingerprint}");
    }
    // However many statements, keys and users there were: as many lines as rules ask for.
    assert_eq!(text.lines().filter(|line| line.starts_with("sql_throttle_keys{")).count(), 9);
    assert!(!text.contains("ann") && !text.contains("column_"), "nothing of a statement or its context");
}

#[test]
fn no_rule_may_have_a_line_break_in_its_name() {
    for name in ["a\nb", "a\r", "\u{85}"] {
        let mut rules = RuleFile::default();
        rules.rules.push(Rule::new(name, Limit::concurrency(1)));
        let error = Engine::new(rules).map(drop).unwrap_err();
        assert_eq!(error.faults()[0].code, "rule.name.malformed");
    }
}
