//! Variables of the environment.

use sqlthrottle::rule::{Mode, RuleFile};
use std::time::Duration;

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
        "mode: ${MODE}\nthresholds:\n  9f2c41d07b6e: ${LIMIT}\n  aaaaaaaaaaaa: {max_count: \"${LIMIT}\", window: \"${SECONDS:-5}${UNITS}\"}\n",
        answer,
    )
    .unwrap();
    assert_eq!((file.mode, file.thresholds[1].1.window), (Mode::Observe, Duration::from_secs(5)));
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
        assert_eq!(error.faults().iter().map(|fault| fault.code).collect::<Vec<_>>(), [code], "{text}");
    }
}

#[test]
fn variables_cannot_fill_memory() {
    let text = format!("mode: {}", "${A}".repeat(100_000));
    let error = RuleFile::parse_with(text, |_| Some("x".repeat(100_000))).unwrap_err();
    assert_eq!(error.faults()[0].code, "env.too_long");
}
