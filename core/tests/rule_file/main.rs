//! The rule file: what it says, and every way in which it can be wrong.

mod any_input;
mod built;
mod environment;
mod faults;
mod hostile;
mod rule_faults;
mod rules;

use sqlthrottle::rule::{FingerprintPrefix, Limits, Mode, OnError, RuleFile, Threshold};
use sqlthrottle::{Delay, Dialect, Fault, HashKind, InLists, LoadError, Share, Strategy};
use std::time::{Duration, UNIX_EPOCH};

const FULL: &str = include_str!("../data/full.yml");

/// Reads without any variable.
fn parse(text: impl AsRef<[u8]>) -> Result<RuleFile, LoadError> {
    RuleFile::parse_with(text, |_| None)
}

fn read(text: &str) -> RuleFile {
    parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn faults(text: impl AsRef<[u8]>) -> Vec<Fault> {
    let text = text.as_ref();
    let shown = String::from_utf8_lossy(&text[..text.len().min(200)]).into_owned();
    parse(text).map_or_else(|error| error.faults().to_vec(), |_| panic!("was accepted: {shown}"))
}

/// The only threshold of a file.
fn threshold(value: &str) -> Threshold {
    let file = read(&format!("thresholds:\n  9f2c41d07b6e: {value}\n"));
    assert_eq!(file.thresholds.len(), 1);
    file.thresholds[0].1.clone()
}

#[test]
fn an_empty_file_says_the_defaults() {
    let limits = Limits::default();
    assert_eq!((limits.max_keys, limits.max_rules, limits.warn_rules), (10_000, 3_000, 1_000));
    assert_eq!(limits.cache_bytes, 32 << 20);
    for text in [
        "",
        "\n",
        "# only a comment\n",
        "---\n",
        "{}",
        "null",
        "~",
        "\u{feff}",
        "thresholds:\nlimits:\nfingerprint:\ndefault_threshold:\nrules:\ncluster:\n",
        "rules: []",
        "%YAML 1.2\n---\n...\n",
    ] {
        let file = read(text);
        assert_eq!(file, RuleFile::default(), "{text:?}");
        assert_eq!((file.mode, file.limits), (Mode::Enforce, limits));
        assert_eq!((file.fingerprint.dialect, file.fingerprint.max_sql_bytes), (Dialect::Generic, 1 << 20));
        assert!(file.default_threshold.is_none() && file.thresholds.is_empty());
        assert!(file.rules.is_empty() && file.cluster.is_none());
        assert_eq!((file.on_error, file.watch), (OnError::Allow, Duration::from_secs(1)));
    }
}

#[test]
fn every_key_is_read() {
    let file = read(FULL);
    assert_eq!(file.mode, Mode::Observe);
    let options = file.fingerprint;
    assert_eq!((options.dialect, options.hash, options.in_lists), (Dialect::MySql, HashKind::Sha1, InLists::Distinct));
    assert!(options.fold_digits);
    assert_eq!(options.max_sql_bytes, 64 << 10);
    let limits = file.limits;
    assert_eq!((limits.max_keys, limits.max_rules, limits.warn_rules), (500, 40, 11));
    assert_eq!(limits.cache_bytes, 1_000_000);
    assert_eq!(file.default_threshold, Some(Threshold::new(1_000).window(Duration::from_secs(30))));
    let expected = [
        ("9f2c41d07b6e", Threshold::new(100)),
        (
            "41aa03c97d10",
            Threshold::new(100)
                .window(Duration::from_secs(10))
                .buckets(10)
                .share(Share::new(2, 3).unwrap())
                .strategy(Strategy::Delay(Delay::Fixed(Duration::from_millis(100)))),
        ),
        (
            "0123456789abcdef0123456789abcdef01234567",
            Threshold::new(7)
                .strategy(Strategy::Delay(Delay::UntilAllowed { max: Duration::from_millis(2_500) }))
                .max_delayed(5),
        ),
        ("12345e678901", Threshold::new(1).strategy(Strategy::Ignore)),
        ("aaaaaaaaaaaa", Threshold::new(1).strategy(Strategy::Custom("queue-1.b_c".into()))),
    ];
    let expected = expected.map(|(digits, threshold)| (FingerprintPrefix::new(digits).unwrap(), threshold));
    assert_eq!(file.thresholds, expected);
    assert_eq!((file.on_error, file.watch), (OnError::Abort, Duration::from_secs(5)));
    let early = UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    let warnings = file.warnings_at(early);
    assert_eq!(warnings.len(), 2, "{warnings:?}");
    assert!(warnings[0].contains("`limits.warn_rules`"), "{warnings:?}");
    assert!(warnings[1].starts_with("rules with `scope: cluster`: 1; no backend"), "{warnings:?}");
    file.validate().unwrap();
}

#[test]
fn json_is_read_too() {
    let json = r#"{"mode": "off", "thresholds": {"9F2C41D07B6E": {"max_count": 5, "rate": "1/2"}, "aaaaaaaaaaaa": 6}, "limits": null}"#;
    let file = read(json);
    assert_eq!(file.mode, Mode::Off);
    assert_eq!(file.thresholds[0].0.as_str(), "9f2c41d07b6e");
    assert_eq!(file.thresholds[0].1, Threshold::new(5).share(Share::new(1, 2).unwrap()));
    assert_eq!(file.thresholds[1].1, Threshold::new(6));
}

#[test]
fn scalars_are_taken_as_written() {
    // A YAML 1.1 reader makes false, infinity, an octal and a sexagesimal number of these.
    assert_eq!(read("mode: off").mode, Mode::Off);
    for key in ["12345e678901", "000000000000", "123456789012", "1234567890123456789012345678901234567890"] {
        assert_eq!(read(&format!("thresholds: {{{key}: 1}}")).thresholds[0].0.as_str(), key);
    }
    assert_eq!(threshold("\"100\""), Threshold::new(100));
    assert_eq!(threshold("{max_count: '100', window: \"10s\"}").window, Duration::from_secs(10));
}

#[test]
fn aliases_repeat_a_value() {
    let file = read(
        "default_threshold: &t {max_count: 5, window: &w 10s}\nthresholds:\n  9f2c41d07b6e: *t\n  aaaaaaaaaaaa: {max_count: 1, window: *w}\n",
    );
    assert_eq!(file.default_threshold.as_ref(), Some(&file.thresholds[0].1));
    assert_eq!(file.thresholds[1].1.window, Duration::from_secs(10));
}

#[test]
fn values_at_their_bounds_are_accepted() {
    assert_eq!(threshold("1").max_count, 1);
    assert_eq!(threshold("60000000").max_count, 60_000_000);
    assert_eq!(threshold("{max_count: 1, window: 366d, buckets: 240}").window, Duration::from_secs(366 * 86_400));
    assert_eq!(threshold("{max_count: 1, window: 1ms, buckets: 1}").window, Duration::from_millis(1));
    assert_eq!(threshold("{max_count: 1, window: 12ms}").buckets, 12);
    assert_eq!(threshold("{max_count: 1, rate: 4/6}").share, Share::new(2, 3).unwrap());
    assert!(threshold("{max_count: 1, rate: 1}").share.is_all());
    let delayed = threshold("{max_count: 1, strategy: delay, delay: 1h, max_delayed: 100000}");
    assert_eq!(delayed.strategy, Strategy::Delay(Delay::Fixed(Duration::from_secs(3_600))));
    assert_eq!(delayed.max_delayed, 100_000);
    assert_eq!(read("limits: {max_sql_bytes: 64}").fingerprint.max_sql_bytes, 64);
}

#[test]
fn fingerprints_without_a_dialect_are_worth_a_word() {
    let warnings = read("thresholds: {9f2c41d07b6e: 1}").warnings();
    assert_eq!(warnings.len(), 1);
    assert!(
        warnings[0].starts_with("no `dialect`: statements that do not say theirs are read as generic"),
        "{warnings:?}"
    );
    // By choice, or where no fingerprint is named, it is right.
    for text in ["dialect: generic\nthresholds: {9f2c41d07b6e: 1}", "default_threshold: 1"] {
        assert!(read(text).warnings().is_empty(), "{text}");
    }
}

#[test]
fn a_file_is_opened_by_its_path() {
    let data = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    assert_eq!(RuleFile::open(data.join("full.yml")).unwrap(), read(FULL));

    let missing = RuleFile::open(data.join("missing.yml")).unwrap_err();
    assert!(missing.faults().is_empty() && missing.to_string().contains("missing.yml: "), "{missing}");
    assert!(std::error::Error::source(&missing).is_some());
    assert!(RuleFile::open(&data).unwrap_err().faults().is_empty());

    let faulty = RuleFile::open(data.join("faulty.yml")).unwrap_err();
    assert!(faulty.to_string().contains("faulty.yml:2:7: mode: `on` is unknown; "), "{faulty}");
    assert_eq!(format!("{faulty:?}"), faulty.to_string(), "what a `main` that returns it writes");
}

#[test]
fn ten_thousand_thresholds_are_read_where_they_are_allowed() {
    let many: Vec<String> = (0..10_000).map(|i| format!("  {i:012x}: {}\n", i + 1)).collect();
    let file = read(&format!("dialect: mysql\nlimits: {{max_rules: 10000}}\nthresholds:\n{}", many.concat()));
    assert_eq!((file.thresholds.len(), file.thresholds[9_999].1.max_count), (10_000, 10_000));
    assert_eq!(file.warnings().len(), 1);
}
