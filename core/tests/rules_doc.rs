//! Every example of `docs/rules.md` is a rule file without fault, and what the page says of defaults and bounds is so.

use sqlthrottle::rule::{Limits, RuleFile, Threshold};
use std::path::Path;

fn page() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/rules.md");
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn every_example_is_a_rule_file() {
    let page = page();
    let examples: Vec<&str> = page
        .split("```yaml\n")
        .skip(1)
        .map(|rest| rest.split_once("```").expect("an example is not closed").0)
        .collect();
    assert!(examples.len() >= 10, "only {} examples were found", examples.len());
    for example in &examples {
        let file = RuleFile::parse_with(example, |_| None).unwrap_or_else(|error| panic!("{error}\n{example}"));
        assert_ne!(file, RuleFile::default(), "says nothing: {example}");
    }
    // Every key of the file stands in an example.
    for key in ["dialect", "mode", "fingerprint", "default_threshold", "thresholds", "limits"] {
        assert!(
            examples.iter().any(|example| example.lines().any(|line| line.starts_with(&format!("{key}:")))),
            "{key}"
        );
    }
}

#[test]
fn the_defaults_of_the_page_are_those_of_the_code() {
    let page = page();
    let default_of = |key: &str| {
        let row = page.lines().find(|line| line.starts_with(&format!("| `{key}` |"))).expect(key);
        row.split('|').nth(2).expect(key).trim().trim_matches('`').to_owned()
    };
    let limits = Limits::default();
    assert_eq!(default_of("max_keys"), limits.max_keys.to_string());
    assert_eq!(default_of("max_rules"), limits.max_rules.to_string());
    assert_eq!(default_of("warn_rules"), limits.warn_rules.to_string());
    let threshold = Threshold::new(1);
    assert_eq!(default_of("window"), format!("{}s", threshold.window.as_secs()));
    assert_eq!(default_of("buckets"), threshold.buckets.to_string());
    assert_eq!(default_of("max_delayed"), threshold.max_delayed.to_string());
    let sizes = format!(
        "limits: {{max_sql_bytes: {}, cache_bytes: {}}}",
        default_of("max_sql_bytes"),
        default_of("cache_bytes")
    );
    assert_eq!(RuleFile::parse(sizes).unwrap(), RuleFile::default());
}
