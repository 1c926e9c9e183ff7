//! Rules that are built in code, and what they are warned of.

use sqlthrottle::rule::{FingerprintPrefix, RuleFile, Threshold};
use sqlthrottle::{Delay, Dialect, HashKind, Strategy};
use std::time::Duration;

#[test]
fn rules_built_in_code_are_held_to_the_same_bounds() {
    RuleFile::default().validate().unwrap();
    let prefix = |digits: &str| FingerprintPrefix::new(digits).unwrap();
    let mut file = RuleFile::default();
    file.limits.max_keys = 0;
    file.limits.max_rules = 2;
    file.limits.cache_bytes = 1;
    file.fingerprint.hash = HashKind::Md5;
    file.fingerprint.max_sql_bytes = 1;
    file.default_threshold = Some(Threshold::new(0).window(Duration::from_millis(5)));
    file.thresholds.push((prefix(&"a".repeat(33)), Threshold::new(u32::MAX).buckets(0).window(Duration::MAX)));
    file.thresholds.push((prefix("aaaaaaaaaaaa"), Threshold::new(1).max_delayed(0)));
    let delay = Strategy::Delay(Delay::UntilAllowed { max: Duration::ZERO });
    file.thresholds.push((prefix("bbbbbbbbbbbb"), Threshold::new(1).strategy(delay)));
    let error = file.validate().unwrap_err();
    let told: Vec<_> = error.faults().iter().map(|fault| (fault.path.as_str(), fault.code)).collect();
    let long = format!("thresholds.\"{}\"", "a".repeat(33));
    let within = |field: &str| format!("{long}.{field}");
    assert_eq!(
        told,
        [
            ("limits.max_keys", "limits.max_keys.zero"),
            ("limits.cache_bytes", "limits.cache_bytes.too_small"),
            ("limits.max_sql_bytes", "limits.max_sql_bytes.too_small"),
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

#[test]
fn what_limits_nothing_is_worth_a_word() {
    let mut file = RuleFile::default();
    assert_eq!(file.warnings(), ["no threshold and no rule: nothing is limited"]);
    file.default_threshold = Some(Threshold::new(1));
    assert!(file.warnings().is_empty());
    file.default_threshold = None;
    file.thresholds.push((FingerprintPrefix::new("aaaaaaaaaaaa").unwrap(), Threshold::new(1)));
    file.fingerprint.dialect = Dialect::MySql;
    assert!(file.warnings().is_empty());
    file.limits.warn_rules = 1;
    assert!(file.warnings()[0].starts_with("1 rules: `limits.warn_rules` asks for a warning from 1"));
}
