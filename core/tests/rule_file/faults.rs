//! Faults: what is told of them, and where they are.

use super::{faults, parse};
use sqlthrottle::Fault;

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
    ("default_threshold: {max_count: 1, window: \"${W:-soon}\"}", "threshold.window.malformed", 1, 43, "default_threshold.window", "`soon` is not a duration (from `${W:-soon}`)", "ms"),
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
    // Thresholds.
    ("thresholds: [1]", "thresholds.wrong_type", 1, 13, "thresholds", "a list", "9f2c41d07b6e"),
    ("limits: {max_rules: 1}\nthresholds:\n  aaaaaaaaaaaa: 1\n  bbbbbbbbbbbb: 1", "thresholds.too_many", 4, 3, "thresholds", "2 thresholds are more than the 1", "max_rules"),
    ("default_threshold: []", "threshold.wrong_type", 1, 20, "default_threshold", "a list", "{max_count: 100, window: 10s}"),
    ("default_threshold: {}", "threshold.max_count.missing", 1, 20, "default_threshold", "`max_count` is missing", "max_count: 100"),
    ("default_threshold: {max_cnt: 10}", "file.unknown_key", 1, 21, "default_threshold.max_cnt", "`max_cnt`", "did you mean `max_count`?"),
    ("thresholds: {'threshold:173ee5d4e58b': 1}", "threshold.fingerprint.malformed", 1, 14, "thresholds.\"threshold:173ee5d4e58b\"", "is not a fingerprint", "leave out `threshold:`"),
    ("thresholds: {'select 1': 1}", "threshold.fingerprint.malformed", 1, 14, "thresholds.\"select 1\"", "is not a fingerprint", "(`sqlthrottle fingerprint` prints it)"),
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
    ("default_threshold: {max_count: 1, window: 1ms}", "threshold.buckets.too_large", 1, 43, "default_threshold.window", "12 buckets", "write `buckets: 1`, or a window of at least `12ms`"),
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
mode: never
fingerprint: {hash: crc, in_list: collapse}
rules: {}
dialect: mysql
dialect: oracle
";
    let error = parse(text).unwrap_err();
    let told: Vec<_> = error.faults().iter().map(|fault| (fault.line, fault.column, fault.code)).collect();
    assert_eq!(
        told,
        [
            (2, 29, "threshold.max_count.zero"),
            (2, 40, "threshold.window.malformed"),
            (2, 50, "threshold.rate.divided_by_zero"),
            (2, 65, "threshold.delay.missing"),
            (3, 3, "threshold.fingerprint.too_short"),
            (3, 9, "env.missing"),
            (4, 7, "mode.unknown"),
            (5, 21, "fingerprint.hash.unknown"),
            (5, 26, "file.unknown_key"),
            (6, 8, "rules.wrong_type"),
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
fn thousands_of_faults_are_not_listed_one_by_one() {
    let text: String =
        std::iter::once("limits:\n".to_owned()).chain((0..5_000).map(|i| format!("  k{i}: 1\n"))).collect();
    let faults = faults(text);
    assert_eq!(faults.len(), 1_001);
    let last = &faults[1_000];
    assert_eq!((last.code, last.line), ("file.too_many_faults", 1_001));
    assert!(last.found.starts_with("4000 more faults"), "{last}");
}
