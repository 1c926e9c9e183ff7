//! Every example of `docs/rules.md` is a rule file without fault, and what the page says of defaults and bounds is so.

use sqlthrottle::Strategy;
use sqlthrottle::fingerprint::Kind;
use sqlthrottle::rule::{Cluster, Limit, Limits, Part, RuleFile, Threshold};
use std::path::Path;
use std::time::Duration;

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
    for key in [
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
    ] {
        assert!(
            examples.iter().any(|example| example.lines().any(|line| line.starts_with(&format!("{key}:")))),
            "{key}"
        );
    }
    // Every key of a rule too.
    for key in [
        "name",
        "match",
        "on",
        "per",
        "limit",
        "then",
        "scope",
        "mode",
        "on_failure",
        "owner",
        "reason",
        "expires",
        "like",
        "fingerprints",
        "pattern",
        "keywords",
        "kinds",
        "tables",
        "databases",
        "user",
        "tags",
        "where",
        "columns",
        "token_bucket",
        "sliding_window",
        "fixed_window",
        "concurrency",
        "block",
        "unlimited",
        "buckets",
        "count",
        "lease",
        "share",
        "delay",
        "max_delay",
        "max_delayed",
    ] {
        let key = format!("{key}:");
        let words = |line: &str| line.split([' ', '{']).any(|word| word == key);
        assert!(examples.iter().any(|example| example.contains("rules:") && example.lines().any(words)), "{key}");
    }
}

/// The section under a heading, its subsections left out.
fn section<'a>(page: &'a str, heading: &str) -> &'a str {
    let (_, section) = page.split_once(&format!("\n{heading}\n")).unwrap_or_else(|| panic!("no `{heading}`"));
    section.split_once("\n#").map_or(section, |(section, _)| section)
}

/// The default that a table of a section states for a key.
fn default_in(page: &str, heading: &str, key: &str) -> String {
    let row = section(page, heading).lines().find(|line| line.starts_with(&format!("| `{key}` |")));
    let row = row.unwrap_or_else(|| panic!("no `{key}` in `{heading}`"));
    row.split('|').nth(2).unwrap_or_default().trim().trim_matches('`').to_owned()
}

#[test]
fn the_defaults_of_rules_are_those_of_the_code() {
    let page = page();
    let read = |text: &str| RuleFile::parse_with(text, |_| None).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let default = |heading: &str, key: &str| default_in(&page, heading, key);

    let of_rule = |key: &str| default("### rules", key);
    let said = format!(
        "on: {}, scope: {}, then: {{share: {}}}",
        of_rule("on"),
        of_rule("scope"),
        default("#### then", "share")
    );
    let bare = read("rules: [{name: a, limit: {block: true}}]");
    assert_eq!(read(&format!("rules: [{{name: a, limit: {{block: true}}, {said}}}]")), bare);
    assert_eq!(default("#### then", "max_delayed"), bare.rules[0].then.max_delayed.to_string());
    assert_eq!(default("#### then", "strategy"), "abort");
    assert_eq!(bare.rules[0].then.strategy, Strategy::Abort);

    let of_limit = |key: &str| default("#### limit", key);
    let limit = |text: &str| read(&format!("rules: [{{name: a, limit: {text}}}]")).rules[0].limit;
    assert_eq!(
        limit(&format!(
            "{{sliding_window: {{max: 1, window: 1s, buckets: {}, count: {}}}}}",
            of_limit("buckets"),
            of_limit("count")
        )),
        Limit::sliding_window(1, Duration::from_secs(1))
    );
    assert_eq!(limit(&format!("{{concurrency: {{max: 1, lease: {}}}}}", of_limit("lease"))), Limit::concurrency(1));

    let of_cluster = |key: &str| default("### cluster", key);
    let said = format!(
        "redis: {{url: 'redis://h', connect_timeout: {}, timeout: {}, pool: {}}}, namespace: n, \
         lease: {{fraction: {}, ttl: {}}}, on_failure: {}",
        of_cluster("redis.connect_timeout"),
        of_cluster("redis.timeout"),
        of_cluster("redis.pool"),
        of_cluster("lease.fraction"),
        of_cluster("lease.ttl"),
        of_cluster("on_failure"),
    );
    assert_eq!(read(&format!("cluster: {{{said}}}")).cluster, Some(Cluster::new("redis://h", "n")));

    let of_file = |key: &str| {
        let row = section(&page, "## Keys").lines().find(|line| line.starts_with(&format!("| [`{key}`]"))).expect(key);
        row.split('|').nth(2).expect(key).trim().trim_matches('`').to_owned()
    };
    let said = ["mode", "dialect", "on_error", "watch"].map(|key| format!("{key}: {}\n", of_file(key)));
    let file = read(&said.concat());
    let defaults = RuleFile::default();
    assert_eq!((file.mode, file.on_error, file.watch), (defaults.mode, defaults.on_error, defaults.watch));
    assert_eq!(file.fingerprint, defaults.fingerprint);
}

#[test]
fn every_kind_and_every_part_of_a_key_is_named() {
    let page = page();
    for kind in Kind::ALL {
        assert!(section(&page, "#### match").contains(&format!("`{kind}`")), "{kind}");
    }
    for part in [Part::User, Part::Client, Part::Database, Part::Kind, Part::Fingerprint, Part::Table] {
        assert!(section(&page, "#### per").contains(&format!("`{part}`")), "{part}");
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
