//! The rule file: what it says, and every way in which it can be wrong.

use sqlthrottle::rule::{FingerprintPrefix, Limits, Mode, RuleFile, Threshold};
use sqlthrottle::{Delay, Dialect, Fault, HashKind, InLists, LoadError, Share, Strategy};
use std::time::Duration;

const FULL: &str = include_str!("data/full.yml");

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
    parse(text).map_or_else(|error| error.all().to_vec(), |_| panic!("was accepted: {shown}"))
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
    assert_eq!((limits.max_sql_bytes, limits.cache_bytes), (1 << 20, 32 << 20));
    for text in [
        "",
        "\n",
        "# only a comment\n",
        "---\n",
        "{}",
        "null",
        "~",
        "\u{feff}",
        "thresholds:\nlimits:\nfingerprint:\ndefault_threshold:\n",
        "%YAML 1.2\n---\n...\n",
    ] {
        let file = read(text);
        assert_eq!(file, RuleFile::default(), "{text:?}");
        assert_eq!((file.mode, file.watch, file.limits), (Mode::Enforce, Duration::from_secs(1), limits));
        assert_eq!(file.fingerprint.dialect, Dialect::Generic);
        assert!(file.default_threshold.is_none() && file.thresholds.is_empty() && file.warnings().is_empty());
    }
}

#[test]
fn every_key_is_read() {
    let file = read(FULL);
    assert_eq!((file.mode, file.watch), (Mode::Observe, Duration::from_secs(5)));
    let options = file.fingerprint;
    assert_eq!((options.dialect, options.hash, options.in_lists), (Dialect::MySql, HashKind::Sha1, InLists::Distinct));
    assert!(options.fold_digits);
    assert_eq!(options.max_sql_bytes, 64 << 10);
    let limits = file.limits;
    assert_eq!((limits.max_keys, limits.max_rules, limits.warn_rules), (500, 40, 3));
    assert_eq!((limits.max_sql_bytes, limits.cache_bytes), (64 << 10, 1_000_000));
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
    ];
    let expected = expected.map(|(digits, threshold)| (FingerprintPrefix::new(digits).unwrap(), threshold));
    assert_eq!(file.thresholds, expected);
    assert_eq!(file.warnings().len(), 1);
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
    assert_eq!(read("watch: 0").watch, Duration::ZERO);
    assert_eq!(read("limits: {max_sql_bytes: 64}").fingerprint.max_sql_bytes, 64);
}

/// A file with one fault: text, code, line, column, path, and a part of what was found and what would be right.
type Case = (&'static str, &'static str, usize, usize, &'static str, &'static str, &'static str);

#[rustfmt::skip]
const CASES: &[Case] = &[
    // The file as a whole.
    ("- a", "file.wrong_type", 1, 1, "", "a list is not a map", "mode: enforce"),
    ("off", "file.wrong_type", 1, 1, "", "`off` is not a map", "mode: enforce"),
    ("\nmodes: off", "file.unknown_key", 2, 1, "modes", "unknown key `modes`", "did you mean `mode`?"),
    ("default-threshold: 1", "file.unknown_key", 1, 1, "\"default-threshold\"", "", "did you mean `default_threshold`?"),
    ("quorum: 1", "file.unknown_key", 1, 1, "quorum", "unknown key `quorum`", "the keys here are `dialect`, `mode`"),
    ("mode: off\nrules: []", "file.unsupported_section", 2, 1, "rules", "does not support `rules`", "dialect, mode, fingerprint, limits"),
    ("cluster: {}", "file.unsupported_section", 1, 1, "cluster", "does not support `cluster`", "leave it out"),
    ("on_error: allow", "file.unsupported_section", 1, 1, "on_error", "does not support `on_error`", "leave it out"),
    // YAML.
    ("mode: [", "yaml.syntax", 1, 8, "mode[0]", "this is not YAML", "closing brackets"),
    ("a: b: c", "yaml.syntax", 1, 5, "", "mapping values are not allowed", "valid YAML"),
    ("limits:\n  max_keys: 1\n\tmax_rules: 2", "yaml.syntax", 2, 13, "limits.max_keys", "found a tab", "indent with spaces"),
    ("mode: *off", "yaml.syntax", 1, 7, "mode", "unknown anchor", "define the anchor"),
    ("mode: off\nmode: off", "yaml.duplicate_key", 2, 1, "mode", "on line 1", "once"),
    ("limits:\n  max_keys: 1\n  max_rules: 1\n  'max_keys': 1", "yaml.duplicate_key", 4, 3, "limits.max_keys", "on line 2", "once"),
    ("---\nmode: off\n---\nmode: off", "yaml.documents", 3, 1, "", "second document", "one document"),
    ("thresholds: &t {9f2c41d07b6e: *t}", "yaml.cyclic_alias", 1, 31, "thresholds.\"9f2c41d07b6e\"", "inside the value", "write the value out"),
    ("{[a, b]: 1}", "yaml.key_not_scalar", 1, 2, "", "a list or a map", "plain key"),
    ("mode: !!str off", "yaml.tag", 1, 7, "mode", "tag", "leave the tag out"),
    ("mode: a\0b", "yaml.syntax", 1, 8, "", "unprintable", "valid YAML"),
    // The environment.
    ("mode: ${MODE}", "env.missing", 1, 7, "mode", "`MODE`", "default"),
    ("mode: \"${MODE\"", "env.malformed", 1, 7, "mode", "`${MODE` is not closed", "${NAME}"),
    ("mode: ${0}", "env.malformed", 1, 7, "mode", "names no variable", "${NAME}"),
    ("watch: ${WATCH:-soon}", "watch.malformed", 1, 8, "watch", "`soon` is not a duration (from `${WATCH:-soon}`)", "ms"),
    // Names.
    ("dialect: postgres", "dialect.unknown", 1, 10, "dialect", "`postgres` is unknown", "did you mean `postgresql`?"),
    ("dialect: [mysql]", "dialect.wrong_type", 1, 10, "dialect", "a list of 1", "`generic`, `mysql`"),
    ("mode: OFF", "mode.unknown", 1, 7, "mode", "`OFF` is unknown", "did you mean `off`?"),
    ("mode:", "mode.unknown", 1, 5, "mode", "an empty value", "`enforce`, `observe`, `off`"),
    ("mode: {}", "mode.wrong_type", 1, 7, "mode", "a map stands", "`enforce`"),
    ("fingerprint: sha1", "fingerprint.wrong_type", 1, 14, "fingerprint", "`sha1` is not a map", "hash: sha256"),
    ("fingerprint: {hash: sha-1}", "fingerprint.hash.unknown", 1, 21, "fingerprint.hash", "`sha-1`", "`sha256`, `sha1`, `md5`"),
    ("fingerprint: {hash: []}", "fingerprint.hash.wrong_type", 1, 21, "fingerprint.hash", "a list of 0", "sha256"),
    ("fingerprint: {in_lists: colapse}", "fingerprint.in_lists.unknown", 1, 25, "fingerprint.in_lists", "", "did you mean `collapse`?"),
    ("fingerprint: {in_lists: {}}", "fingerprint.in_lists.wrong_type", 1, 25, "fingerprint.in_lists", "", "distinct"),
    ("fingerprint: {fold_digits: yes}", "fingerprint.fold_digits.unknown", 1, 28, "fingerprint.fold_digits", "`yes`", "`true`, `false`"),
    ("fingerprint: {fold_digits: []}", "fingerprint.fold_digits.wrong_type", 1, 28, "fingerprint.fold_digits", "", "`true`"),
    ("fingerprint: {fold: true}", "file.unknown_key", 1, 15, "fingerprint.fold", "", "`fold_digits`"),
    // Limits.
    ("limits: 5", "limits.wrong_type", 1, 9, "limits", "`5` is not a map", "max_keys"),
    ("limits: {max_keys: 0}", "limits.max_keys.zero", 1, 20, "limits.max_keys", "zero", "from `1` to `50000000`"),
    ("limits: {max_keys: 50000001}", "limits.max_keys.too_large", 1, 20, "limits.max_keys", "`50000001`", "from `1` to"),
    ("limits: {max_keys: -1}", "limits.max_keys.negative", 1, 20, "limits.max_keys", "`-1` is negative", "from `1` to"),
    ("limits: {max_keys: 1e3}", "limits.max_keys.malformed", 1, 20, "limits.max_keys", "`1e3`", "plain digits"),
    ("limits: {max_keys: []}", "limits.max_keys.wrong_type", 1, 20, "limits.max_keys", "a list", "a whole number"),
    ("limits: {max_rules: 0}", "limits.max_rules.zero", 1, 21, "limits.max_rules", "zero", "from `1` to `100000`"),
    ("limits: {max_rules: 100001}", "limits.max_rules.too_large", 1, 21, "limits.max_rules", "", ""),
    ("limits: {max_rules: -1}", "limits.max_rules.negative", 1, 21, "limits.max_rules", "", ""),
    ("limits: {max_rules: many}", "limits.max_rules.malformed", 1, 21, "limits.max_rules", "`many`", ""),
    ("limits: {max_rules: {}}", "limits.max_rules.wrong_type", 1, 21, "limits.max_rules", "", ""),
    ("limits: {warn_rules: 0}", "limits.warn_rules.zero", 1, 22, "limits.warn_rules", "", ""),
    ("limits: {warn_rules: 100001}", "limits.warn_rules.too_large", 1, 22, "limits.warn_rules", "", ""),
    ("limits: {warn_rules: -1}", "limits.warn_rules.negative", 1, 22, "limits.warn_rules", "", ""),
    ("limits: {warn_rules: '1,000'}", "limits.warn_rules.malformed", 1, 22, "limits.warn_rules", "", "did you mean `1000`?"),
    ("limits: {warn_rules: {}}", "limits.warn_rules.wrong_type", 1, 22, "limits.warn_rules", "", ""),
    ("limits: {max_sql_bytes: 0}", "limits.max_sql_bytes.zero", 1, 25, "limits.max_sql_bytes", "zero", "from `64B` to `1GiB`"),
    ("limits: {max_sql_bytes: 63}", "limits.max_sql_bytes.too_small", 1, 25, "limits.max_sql_bytes", "`63B` is too small", "`64B`"),
    ("limits: {max_sql_bytes: 2GiB}", "limits.max_sql_bytes.too_large", 1, 25, "limits.max_sql_bytes", "`2GiB` is too large", "`1GiB`"),
    ("limits: {max_sql_bytes: -1KiB}", "limits.max_sql_bytes.negative", 1, 25, "limits.max_sql_bytes", "", ""),
    ("limits: {max_sql_bytes: 1M}", "limits.max_sql_bytes.malformed", 1, 25, "limits.max_sql_bytes", "unknown unit", "did you mean `1MiB`?"),
    ("limits: {max_sql_bytes: []}", "limits.max_sql_bytes.wrong_type", 1, 25, "limits.max_sql_bytes", "", "a size"),
    ("limits: {cache_bytes: 0}", "limits.cache_bytes.zero", 1, 23, "limits.cache_bytes", "", "`64KiB`"),
    ("limits: {cache_bytes: 1KiB}", "limits.cache_bytes.too_small", 1, 23, "limits.cache_bytes", "", "`64KiB`"),
    ("limits: {cache_bytes: 3GiB}", "limits.cache_bytes.too_large", 1, 23, "limits.cache_bytes", "", "`2GiB`"),
    ("limits: {cache_bytes: 99999999999999999999GiB}", "limits.cache_bytes.too_large", 1, 23, "limits.cache_bytes", "", "`2GiB`"),
    ("limits: {cache_bytes: -1}", "limits.cache_bytes.negative", 1, 23, "limits.cache_bytes", "", ""),
    ("limits: {cache_bytes: lots}", "limits.cache_bytes.malformed", 1, 23, "limits.cache_bytes", "", "1MiB"),
    ("limits: {cache_bytes: {}}", "limits.cache_bytes.wrong_type", 1, 23, "limits.cache_bytes", "", ""),
    ("limits: {max_key: 1}", "file.unknown_key", 1, 10, "limits.max_key", "", "did you mean `max_keys`?"),
    // Watch.
    ("watch: 5", "watch.malformed", 1, 8, "watch", "`5` has no unit", "did you mean `5s`?"),
    ("watch: 1ms", "watch.too_small", 1, 8, "watch", "`1ms` is too small", "`0` for never"),
    ("watch: 2d", "watch.too_large", 1, 8, "watch", "", "to `1d`"),
    ("watch: -1s", "watch.negative", 1, 8, "watch", "", ""),
    ("watch: [1s]", "watch.wrong_type", 1, 8, "watch", "", "a duration"),
    // Thresholds.
    ("thresholds: [1]", "thresholds.wrong_type", 1, 13, "thresholds", "a list", "9f2c41d07b6e"),
    ("limits: {max_rules: 1}\nthresholds:\n  aaaaaaaaaaaa: 1\n  bbbbbbbbbbbb: 1", "thresholds.too_many", 4, 3, "thresholds", "2 thresholds are more than the 1", "max_rules"),
    ("default_threshold: []", "threshold.wrong_type", 1, 20, "default_threshold", "a list", "{max_count: 100, window: 10s}"),
    ("default_threshold: {}", "threshold.max_count.missing", 1, 20, "default_threshold", "`max_count` is missing", "max_count: 100"),
    ("default_threshold: 0", "threshold.max_count.zero", 1, 20, "default_threshold", "zero", "from `1` to `60000000`"),
    ("default_threshold: {max_count: 60000001}", "threshold.max_count.too_large", 1, 32, "default_threshold.max_count", "", "from `1` to `60000000`"),
    ("default_threshold: 99999999999", "threshold.max_count.too_large", 1, 20, "default_threshold", "", "from `1` to `60000000`"),
    ("default_threshold: -5", "threshold.max_count.negative", 1, 20, "default_threshold", "", "from `1`"),
    ("default_threshold: 1_000", "threshold.max_count.malformed", 1, 20, "default_threshold", "", "did you mean `1000`?"),
    ("thresholds: {9f2c41d07b6e: }", "threshold.max_count.malformed", 1, 26, "thresholds.\"9f2c41d07b6e\"", "an empty value", "plain digits"),
    ("default_threshold: {max_count: {}}", "threshold.max_count.wrong_type", 1, 32, "default_threshold.max_count", "", "a whole number"),
    ("default_threshold: {max_count: 1, windw: 1s}", "file.unknown_key", 1, 35, "default_threshold.windw", "", "did you mean `window`?"),
    ("default_threshold: {max_count: 1, window: 0s}", "threshold.window.zero", 1, 43, "default_threshold.window", "zero", "from `1ms` to `366d`"),
    ("default_threshold: {max_count: 1, window: 1us}", "threshold.window.too_small", 1, 43, "default_threshold.window", "`1us`", "from `1ms`"),
    ("default_threshold: {max_count: 1, window: 367d}", "threshold.window.too_large", 1, 43, "default_threshold.window", "`367d`", "to `366d`"),
    ("default_threshold: {max_count: 1, window: 999999999999d}", "threshold.window.too_large", 1, 43, "default_threshold.window", "", "to `366d`"),
    ("default_threshold: {max_count: 1, window: -1s}", "threshold.window.negative", 1, 43, "default_threshold.window", "", ""),
    ("default_threshold: {max_count: 1, window: 60}", "threshold.window.malformed", 1, 43, "default_threshold.window", "no unit", "did you mean `60s`?"),
    ("default_threshold: {max_count: 1, window: [1s]}", "threshold.window.wrong_type", 1, 43, "default_threshold.window", "", ""),
    ("default_threshold: {max_count: 1, buckets: 0}", "threshold.buckets.zero", 1, 44, "default_threshold.buckets", "", "from `1` to `240`"),
    ("default_threshold: {max_count: 1, buckets: 241}", "threshold.buckets.too_large", 1, 44, "default_threshold.buckets", "", "from `1` to `240`"),
    ("default_threshold: {max_count: 1, window: 10ms}", "threshold.buckets.too_large", 1, 43, "default_threshold.window", "12 buckets", "`buckets: 10` or fewer, or a window of at least `12ms`"),
    ("default_threshold: {max_count: 1, window: 10ms, buckets: 11}", "threshold.buckets.too_large", 1, 58, "default_threshold.buckets", "11 buckets", "`buckets: 10`"),
    ("default_threshold: {max_count: 1, buckets: -1}", "threshold.buckets.negative", 1, 44, "default_threshold.buckets", "", ""),
    ("default_threshold: {max_count: 1, buckets: ten}", "threshold.buckets.malformed", 1, 44, "default_threshold.buckets", "", ""),
    ("default_threshold: {max_count: 1, buckets: {}}", "threshold.buckets.wrong_type", 1, 44, "default_threshold.buckets", "", ""),
    ("default_threshold: {max_count: 1, rate: 0}", "threshold.rate.zero", 1, 41, "default_threshold.rate", "none of the statements", "mode: observe"),
    ("default_threshold: {max_count: 1, rate: 3/2}", "threshold.rate.too_large", 1, 41, "default_threshold.rate", "above one", "`2/3`"),
    ("default_threshold: {max_count: 1, rate: 1/0}", "threshold.rate.divided_by_zero", 1, 41, "default_threshold.rate", "divides by zero", "`2/3`"),
    ("default_threshold: {max_count: 1, rate: -1/2}", "threshold.rate.negative", 1, 41, "default_threshold.rate", "", ""),
    ("default_threshold: {max_count: 1, rate: 0.5}", "threshold.rate.malformed", 1, 41, "default_threshold.rate", "", "did you mean `1/2`?"),
    ("default_threshold: {max_count: 1, rate: {p: 1}}", "threshold.rate.wrong_type", 1, 41, "default_threshold.rate", "", "2/3"),
    ("default_threshold: {max_count: 1, strategy: abrot}", "threshold.strategy.unknown", 1, 45, "default_threshold.strategy", "`abrot`", "did you mean `abort`?"),
    ("default_threshold: {max_count: 1, strategy: custom:queue}", "threshold.strategy.unsupported", 1, 45, "default_threshold.strategy", "this version", "`abort`"),
    ("default_threshold: {max_count: 1, strategy: []}", "threshold.strategy.wrong_type", 1, 45, "default_threshold.strategy", "", "`abort`"),
    ("default_threshold: {max_count: 1, strategy: delay}", "threshold.delay.missing", 1, 45, "default_threshold", "no `delay`", "delay: 100ms"),
    ("default_threshold: {max_count: 1, delay: 1s}", "threshold.delay.without_strategy", 1, 35, "default_threshold.delay", "", "strategy: delay"),
    ("default_threshold: {max_count: 1, strategy: ignore, max_delay: 1s}", "threshold.max_delay.without_strategy", 1, 53, "default_threshold.max_delay", "", "strategy: delay"),
    ("default_threshold: {max_count: 1, max_delayed: 1}", "threshold.max_delayed.without_strategy", 1, 35, "default_threshold.max_delayed", "", "strategy: delay"),
    ("default_threshold: {max_count: 1, strategy: delay, delay: until_allowed}", "threshold.max_delay.missing", 1, 59, "default_threshold", "no `max_delay`", "max_delay: 5s"),
    ("default_threshold: {max_count: 1, strategy: delay, delay: 1s, max_delay: 5s}", "threshold.max_delay.without_until_allowed", 1, 63, "default_threshold.max_delay", "fixed", "until_allowed"),
    ("default_threshold: {max_count: 1, strategy: delay, delay: 0s}", "threshold.delay.zero", 1, 59, "default_threshold.delay", "", "to `1h`"),
    ("default_threshold: {max_count: 1, strategy: delay, delay: 2h}", "threshold.delay.too_large", 1, 59, "default_threshold.delay", "", "to `1h`"),
    ("default_threshold: {max_count: 1, strategy: delay, delay: -1s}", "threshold.delay.negative", 1, 59, "default_threshold.delay", "", ""),
    ("default_threshold: {max_count: 1, strategy: delay, delay: until}", "threshold.delay.malformed", 1, 59, "default_threshold.delay", "", "or `until_allowed`"),
    ("default_threshold: {max_count: 1, strategy: delay, delay: []}", "threshold.delay.wrong_type", 1, 59, "default_threshold.delay", "", "until_allowed"),
    ("default_threshold: {max_count: 1, strategy: delay, delay: until_allowed, max_delay: 0}", "threshold.max_delay.zero", 1, 85, "default_threshold.max_delay", "", ""),
    ("default_threshold: {max_count: 1, strategy: delay, delay: until_allowed, max_delay: 61m}", "threshold.max_delay.too_large", 1, 85, "default_threshold.max_delay", "", ""),
    ("default_threshold: {max_count: 1, strategy: delay, delay: until_allowed, max_delay: -1s}", "threshold.max_delay.negative", 1, 85, "default_threshold.max_delay", "", ""),
    ("default_threshold: {max_count: 1, strategy: delay, delay: until_allowed, max_delay: 5}", "threshold.max_delay.malformed", 1, 85, "default_threshold.max_delay", "", "did you mean `5s`?"),
    ("default_threshold: {max_count: 1, strategy: delay, delay: until_allowed, max_delay: {}}", "threshold.max_delay.wrong_type", 1, 85, "default_threshold.max_delay", "", ""),
    ("default_threshold: {max_count: 1, strategy: delay, delay: 1s, max_delayed: 0}", "threshold.max_delayed.zero", 1, 76, "default_threshold.max_delayed", "", "to `100000`"),
    ("default_threshold: {max_count: 1, strategy: delay, delay: 1s, max_delayed: 100001}", "threshold.max_delayed.too_large", 1, 76, "default_threshold.max_delayed", "", ""),
    ("default_threshold: {max_count: 1, strategy: delay, delay: 1s, max_delayed: -1}", "threshold.max_delayed.negative", 1, 76, "default_threshold.max_delayed", "", ""),
    ("default_threshold: {max_count: 1, strategy: delay, delay: 1s, max_delayed: all}", "threshold.max_delayed.malformed", 1, 76, "default_threshold.max_delayed", "", ""),
    ("default_threshold: {max_count: 1, strategy: delay, delay: 1s, max_delayed: {}}", "threshold.max_delayed.wrong_type", 1, 76, "default_threshold.max_delayed", "", ""),
    // Fingerprints.
    ("thresholds:\n  \"${FP}\": 1", "threshold.fingerprint.malformed", 2, 3, "thresholds.\"${FP}\"", "`${FP}` is not a fingerprint", "variables are filled in values only: write 12"),
    ("thresholds:\n  orders: 1", "threshold.fingerprint.malformed", 2, 3, "thresholds.orders", "`orders` is not a fingerprint", "hexadecimal"),
    ("thresholds:\n  9f2c: 1", "threshold.fingerprint.too_short", 2, 3, "thresholds.\"9f2c\"", "only 4 digits", "at least 12"),
    ("thresholds:\n  \"9f2c41d07b6e…\": 1", "threshold.fingerprint.elided", 2, 3, "thresholds.\"9f2c41d07b6e…\"", "ellipsis", "leave out the ellipsis"),
    ("fingerprint: {hash: md5}\nthresholds:\n  0123456789abcdef0123456789abcdef0: 1", "threshold.fingerprint.too_long", 3, 3, "thresholds.\"0123456789abcdef0123456789abcdef0\"", "33 digits", "fingerprint: {hash: …}"),
    ("thresholds:\n  00000000000000000000000000000000000000000000000000000000000000000: 1", "threshold.fingerprint.too_long", 2, 3, "thresholds.\"0000000000000000000000000000000000000000000000000000000000000000…\"", "65 digits", "at most 64"),
    ("thresholds:\n  9f2c41d07b6e00: 1\n  aaaaaaaaaaaa: 1\n  9f2c41d07b6e: 1", "threshold.fingerprint.overlap", 4, 3, "thresholds.\"9f2c41d07b6e\"", "line 2 names `9f2c41d07b6e00`", "more digits"),
    ("thresholds:\n  9f2c41d07b6e: 1\n  9F2C41D07B6E: 1", "threshold.fingerprint.overlap", 3, 3, "thresholds.\"9f2c41d07b6e\"", "line 2 names `9f2c41d07b6e`", "more digits"),
];

#[test]
fn every_fault_is_told_with_its_place() {
    let mut wrong = Vec::new();
    for (text, code, line, column, path, found, expected) in CASES {
        let told = faults(text);
        let right = |fault: &Fault| {
            (fault.code, fault.line, fault.column, fault.path.as_str()) == (*code, *line, *column, *path)
                && fault.found.contains(found)
                && fault.expected.contains(expected)
        };
        if told.len() != 1 || !right(&told[0]) {
            wrong.push(format!("{text}\nshould be {code} at {line}:{column} {path}, is {told:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), CASES.len(), wrong.join("\n"));
}

#[test]
fn all_faults_of_a_file_come_at_once_in_its_order() {
    let text = "\
thresholds:
  9f2c41d07b6e: {max_count: 0, window: 60, rate: 1/0, strategy: delay}
  ffff: ${LIMIT}
watch: never
fingerprint: {hash: crc, in_list: collapse}
rules: []
dialect: mysql
dialect: oracle
";
    let error = parse(text).unwrap_err();
    let told: Vec<_> = error.all().iter().map(|fault| (fault.line, fault.column, fault.code)).collect();
    assert_eq!(
        told,
        [
            (2, 29, "threshold.max_count.zero"),
            (2, 40, "threshold.window.malformed"),
            (2, 50, "threshold.rate.divided_by_zero"),
            (2, 65, "threshold.delay.missing"),
            (3, 3, "threshold.fingerprint.too_short"),
            (3, 9, "env.missing"),
            (4, 8, "watch.malformed"),
            (5, 21, "fingerprint.hash.unknown"),
            (5, 26, "file.unknown_key"),
            (6, 1, "file.unsupported_section"),
            (8, 1, "yaml.duplicate_key"),
        ]
    );
    let lines = error.to_string();
    assert_eq!(lines.lines().count(), told.len());
    assert!(lines.starts_with("rules:2:29: thresholds.\"9f2c41d07b6e\".max_count: zero; "), "{lines}");
}

#[test]
fn columns_are_counted_in_characters() {
    let fault = &faults("limits: {\"käse\": 1, \"größe\": 1}")[1];
    assert_eq!((fault.line, fault.column, &*fault.path), (1, 21, "limits.\"größe\""));
    let fault = &faults("\u{feff}modus: 1")[0];
    assert_eq!((fault.line, fault.column), (1, 1));
}

#[test]
fn bytes_that_are_not_utf8_are_placed() {
    let cases: [(&[u8], usize, usize, &str); 4] = [
        (b"mode: off\n# caf\xe9\n", 2, 6, "0xe9"),
        (b"\xff\xfem\0o\0", 1, 1, "UTF-16"),
        (b"a: \xc3\xa9\xc3\xa9\xed\xa0\x80", 1, 6, "0xed"),
        (b"\xef\xbb\xbfa\xff", 1, 2, "0xff"),
    ];
    for (bytes, line, column, found) in cases {
        let faults = faults(bytes);
        assert_eq!((faults.len(), faults[0].code), (1, "yaml.encoding"));
        assert_eq!((faults[0].line, faults[0].column), (line, column), "{faults:?}");
        assert!(faults[0].found.contains(found), "{faults:?}");
    }
}

#[test]
fn variables_fill_values_in_and_never_change_the_structure() {
    let answer = |name: &str| match name {
        "MODE" => Some("observe".to_owned()),
        "LIMIT" => Some("250".to_owned()),
        "UNITS" => Some("s".to_owned()),
        "TRAP" => Some("1, window: 1s}\nmode: off".to_owned()),
        "SELF" => Some("${MODE}".to_owned()),
        _ => None,
    };
    let file = RuleFile::parse_with(
        "mode: ${MODE}\nwatch: ${SECONDS:-5}${UNITS}\nthresholds:\n  9f2c41d07b6e: ${LIMIT}\n  aaaaaaaaaaaa: {max_count: \"${LIMIT}\"}\n",
        answer,
    )
    .unwrap();
    assert_eq!((file.mode, file.watch), (Mode::Observe, Duration::from_secs(5)));
    assert_eq!((file.thresholds[0].1.max_count, file.thresholds[1].1.max_count), (250, 250));

    for (text, code) in [
        ("default_threshold: ${TRAP}", "threshold.max_count.malformed"),
        ("mode: ${SELF}", "mode.unknown"),
        ("mode: $${MODE}", "mode.unknown"),
        // Keys are not filled in.
        ("${MODE}: off", "file.unknown_key"),
        ("thresholds: {\"${LIMIT}\": 1}", "threshold.fingerprint.malformed"),
    ] {
        let error = RuleFile::parse_with(text, answer).unwrap_err();
        assert_eq!(error.all().iter().map(|fault| fault.code).collect::<Vec<_>>(), [code], "{text}");
    }
}

#[test]
fn variables_cannot_fill_memory() {
    let text = format!("mode: {}", "${A}".repeat(100_000));
    let error = RuleFile::parse_with(text, |_| Some("x".repeat(100_000))).unwrap_err();
    assert_eq!(error.all()[0].code, "env.too_long");
}

#[test]
fn a_file_is_opened_by_its_path() {
    let data = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    assert_eq!(RuleFile::open(data.join("full.yml")).unwrap(), read(FULL));

    let missing = RuleFile::open(data.join("missing.yml")).unwrap_err();
    assert!(missing.all().is_empty() && missing.to_string().contains("missing.yml: "), "{missing}");
    assert!(std::error::Error::source(&missing).is_some());
    assert!(RuleFile::open(&data).unwrap_err().all().is_empty());

    let faulty = RuleFile::open(data.join("faulty.yml")).unwrap_err();
    assert!(faulty.to_string().contains("faulty.yml:2:7: mode: `on` is unknown; "), "{faulty}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_without_end_is_refused() {
    let error = RuleFile::open("/dev/zero").unwrap_err();
    assert_eq!(error.all()[0].code, "file.too_large");
}

#[test]
fn hostile_files_are_refused_in_bounds() {
    const MEGABYTE: usize = 1 << 20;
    let laughs: String = std::iter::once("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned())
        .chain((1..12).map(|i| format!("a{i}: &a{i} [{}]\n", vec![format!("*a{}", i - 1); 10].join(", "))))
        .collect();
    let nested_map: String = (0..1_000).flat_map(|i| [" ".repeat(i), "a:\n".to_owned()]).collect();
    let many: String =
        std::iter::once("thresholds:\n".to_owned()).chain((0..10_000).map(|i| format!("  {i:012x}: 1\n"))).collect();
    let cases: Vec<(&str, String, &str)> = vec![
        ("brackets", "[".repeat(MEGABYTE - 100_000), "yaml.too_deep"),
        ("braces", "{".repeat(MEGABYTE - 100_000), "yaml.too_deep"),
        ("far too many brackets", "[".repeat(2 * MEGABYTE), "yaml.too_large"),
        ("pairs", "[]{}".repeat(MEGABYTE / 8), "yaml.syntax"),
        ("closing", "]".repeat(MEGABYTE / 2), "yaml.syntax"),
        ("open in open", "{a: [".repeat(30_000), "yaml.too_deep"),
        ("dashes", "- ".repeat(MEGABYTE / 2), "yaml.too_deep"),
        ("question marks", "? ".repeat(MEGABYTE / 4), "yaml.too_deep"),
        ("nested maps", nested_map, "yaml.too_deep"),
        ("billion laughs", laughs, "yaml.too_many_values"),
        ("many values", format!("a: [{}]", "1,".repeat(600_000)), "yaml.too_many_values"),
        ("flow of pairs", format!("{{{}}}", "a: b, ".repeat(MEGABYTE / 8)), "yaml.duplicate_key"),
        ("long scalar", format!("mode: {}", "x".repeat(MEGABYTE)), "mode.unknown"),
        ("long quoted scalar", format!("mode: \"{}\"", "\\n".repeat(MEGABYTE)), "mode.unknown"),
        ("long key", format!("{}: 1", "x".repeat(1_000)), "file.unknown_key"),
        ("long number", format!("watch: {}s", "9".repeat(MEGABYTE)), "watch.too_large"),
        ("long fraction", format!("watch: 1.{}s", "1".repeat(MEGABYTE)), "watch.too_large"),
        (
            "long fingerprint",
            format!("thresholds: {{? {} : 1}}", "a".repeat(MEGABYTE)),
            "threshold.fingerprint.too_long",
        ),
        ("anchors", "&a ".repeat(100_000), "yaml.syntax"),
        ("quotes", "'".repeat(MEGABYTE), "file.wrong_type"),
        ("ten thousand thresholds", many, "thresholds.too_many"),
        ("too long", " ".repeat(RuleFile::MAX_BYTES + 1), "file.too_large"),
    ];
    for (name, text, code) in cases {
        let faults = faults(&text);
        assert_eq!(faults[0].code, code, "{name}: {:?}", &faults[0]);
        // Messages repeat a part of a value, never all of it.
        assert!(faults.iter().all(|fault| fault.to_string().len() < 1_000), "{name}");
    }
}

#[test]
fn ten_thousand_thresholds_are_read_where_they_are_allowed() {
    let many: Vec<String> = (0..10_000).map(|i| format!("  {i:012x}: {}\n", i + 1)).collect();
    let file = read(&format!("limits: {{max_rules: 10000}}\nthresholds:\n{}", many.concat()));
    assert_eq!((file.thresholds.len(), file.thresholds[9_999].1.max_count), (10_000, 10_000));
    assert_eq!(file.warnings().len(), 1);
}

#[test]
fn thousands_of_faults_are_not_listed_one_by_one() {
    let text: String =
        std::iter::once("limits:\n".to_owned()).chain((0..5_000).map(|i| format!("  k{i}: 1\n"))).collect();
    let faults = faults(text);
    assert_eq!(faults.len(), 1_001);
    let last = &faults[1_000];
    assert_eq!((last.code, last.line), ("file.too_many_faults", 1_001));
    assert!(last.found.starts_with("4000 more faults"), "{last}");
}

#[test]
fn rules_built_in_code_are_held_to_the_same_bounds() {
    RuleFile::default().validate().unwrap();
    let prefix = |digits: &str| FingerprintPrefix::new(digits).unwrap();
    let mut file = RuleFile::default();
    file.limits.max_keys = 0;
    file.limits.max_rules = 2;
    file.limits.cache_bytes = 1;
    file.fingerprint.hash = HashKind::Md5;
    file.watch = Duration::from_nanos(1);
    file.default_threshold = Some(Threshold::new(0).window(Duration::from_millis(5)));
    file.thresholds.push((prefix(&"a".repeat(33)), Threshold::new(u32::MAX).buckets(0).window(Duration::MAX)));
    file.thresholds.push((prefix("aaaaaaaaaaaa"), Threshold::new(1).max_delayed(0)));
    let delay = Strategy::Delay(Delay::UntilAllowed { max: Duration::ZERO });
    file.thresholds.push((prefix("bbbbbbbbbbbb"), Threshold::new(1).strategy(delay)));
    let error = file.validate().unwrap_err();
    let told: Vec<_> = error.all().iter().map(|fault| (fault.path.as_str(), fault.code)).collect();
    let long = format!("thresholds.\"{}\"", "a".repeat(33));
    let within = |field: &str| format!("{long}.{field}");
    assert_eq!(
        told,
        [
            ("limits.max_keys", "limits.max_keys.zero"),
            ("limits.cache_bytes", "limits.cache_bytes.too_small"),
            ("watch", "watch.too_small"),
            ("default_threshold.max_count", "threshold.max_count.zero"),
            ("default_threshold.buckets", "threshold.buckets.too_large"),
            ("thresholds", "thresholds.too_many"),
            (&within("max_count"), "threshold.max_count.too_large"),
            (&within("window"), "threshold.window.too_large"),
            (&within("buckets"), "threshold.buckets.zero"),
            (&long, "threshold.fingerprint.too_long"),
            ("thresholds.\"aaaaaaaaaaaa\".max_delayed", "threshold.max_delayed.zero"),
            ("thresholds.\"bbbbbbbbbbbb\".max_delay", "threshold.max_delay.zero"),
            ("thresholds.\"aaaaaaaaaaaa\"", "threshold.fingerprint.overlap"),
        ]
    );
    assert!(error.to_string().starts_with("rules: limits.max_keys: zero; "), "{error}");
}

mod any_input {
    use super::{FULL, parse};
    use proptest::prelude::*;

    /// Pieces that rule files and hostile YAML are made of.
    const PIECES: [&str; 48] = [
        "mode",
        "off",
        "thresholds",
        "9f2c41d07b6e",
        "max_count",
        "window",
        "limits",
        "1",
        "60s",
        "2/3",
        ": ",
        ":",
        "\n",
        "\n  ",
        "\n    ",
        "- ",
        "? ",
        "[",
        "]",
        "{",
        "}",
        ", ",
        ",",
        "&a ",
        "*a",
        "!t ",
        "!!str ",
        "|\n",
        ">-\n",
        "'",
        "\"",
        "\\",
        "#",
        " # x\n",
        "---\n",
        "...\n",
        "%YAML 1.2\n",
        "%TAG ! !\n",
        "<<",
        "\t",
        "\r",
        "\r\n",
        "\u{feff}",
        "\0",
        "é",
        "${",
        "}",
        "$",
    ];

    fn pieces() -> impl Strategy<Value = String> {
        prop::collection::vec(prop::sample::select(&PIECES[..]), 0..40).prop_map(|pieces| pieces.concat())
    }

    /// Whatever is read is in order; whatever is refused says why and where.
    fn is_answered(text: &[u8]) -> Result<(), TestCaseError> {
        match parse(text) {
            Ok(file) => prop_assert!(file.validate().is_ok()),
            Err(error) => {
                prop_assert!(!error.all().is_empty());
                prop_assert!(
                    error.all().iter().all(|fault| fault.line > 0 && fault.column > 0 && !fault.code.is_empty())
                );
                prop_assert!(error.all().is_sorted_by_key(|fault| (fault.line, fault.column)));
            }
        }
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        #[test]
        fn bytes(bytes: Vec<u8>) {
            is_answered(&bytes)?;
        }

        #[test]
        fn yaml_like_text(text in pieces()) {
            is_answered(text.as_bytes())?;
        }

        #[test]
        fn a_rule_file_with_something_in_it(at in 0..=FULL.len(), cut in 0..8_usize, piece in pieces()) {
            let mut bytes = FULL.as_bytes().to_vec();
            bytes.splice(at..(at + cut).min(FULL.len()), piece.bytes().take(6));
            is_answered(&bytes)?;
        }
    }
}
