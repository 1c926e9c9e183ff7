//! Files made to take memory, time or stack.

use super::faults;
use sqlthrottle::rule::RuleFile;

#[test]
fn a_file_without_end_is_refused() {
    let error = RuleFile::open("/dev/zero").unwrap_err();
    assert_eq!(error.faults()[0].code, "file.too_large");
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
    let rules = |count: usize, rest: &str| -> String {
        let rules = (0..count).map(|i| format!("- {{name: r{i}, limit: {{block: true}}{rest}}}\n"));
        std::iter::once("rules:\n".to_owned()).chain(rules).collect()
    };
    let one = |rest: &str| rules(1, rest);
    let window = |window: &str| format!("default_threshold: {{max_count: 1, window: {window}}}");
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
        ("long number", window(&format!("{}s", "9".repeat(MEGABYTE))), "threshold.window.too_large"),
        ("long fraction", window(&format!("1.{}s", "1".repeat(MEGABYTE))), "threshold.window.too_large"),
        (
            "long fingerprint",
            format!("thresholds: {{? {} : 1}}", "a".repeat(MEGABYTE)),
            "threshold.fingerprint.too_long",
        ),
        ("anchors", "&a ".repeat(100_000), "yaml.syntax"),
        ("quotes", "'".repeat(MEGABYTE), "file.wrong_type"),
        ("ten thousand thresholds", many, "thresholds.too_many"),
        ("ten thousand rules", rules(10_000, ""), "rules.too_many"),
        ("rules that hold themselves", "rules: &r [{name: a, match: *r}]".to_owned(), "yaml.cyclic_alias"),
        (
            "a rule that holds itself",
            "rules: [&r {name: a, limit: {block: true}, match: *r}]".to_owned(),
            "yaml.cyclic_alias",
        ),
        (
            "long pattern",
            one(&format!(", match: {{pattern: {}}}", "x".repeat(MEGABYTE))),
            "rule.match.pattern.too_long",
        ),
        (
            "catastrophic pattern",
            one(&format!(", match: {{pattern: \"{}\"}}", "(a{1000}){1000}".repeat(1_000))),
            "rule.match.pattern.malformed",
        ),
        (
            "nested pattern",
            one(&format!(", match: {{pattern: \"{}\"}}", "(".repeat(30_000))),
            "rule.match.pattern.malformed",
        ),
        ("long account", one(&format!(", match: {{user: \"'a'{}\"}}", "b".repeat(500))), "rule.match.user.malformed"),
        ("long statement", one(&format!(", match: {{like: {}}}", "x".repeat(MEGABYTE))), "rule.match.like.too_long"),
        ("long list", one(&format!(", match: {{tables: [{}]}}", "t,".repeat(1_001))), "rule.match.tables.too_many"),
        (
            "long name",
            format!("rules: [{{name: {}, limit: {{block: true}}}}]", "x".repeat(MEGABYTE)),
            "rule.name.too_long",
        ),
        ("long key", one(&format!(", per: \"tag:{}\"", "x".repeat(MEGABYTE))), "rule.per.too_long"),
        ("long part", one(&format!(", per: {}", "x".repeat(MEGABYTE))), "rule.per.unknown"),
        (
            "long time",
            one(&format!(", expires: \"2026-12-01T10:00:00.{}Z\"", "1".repeat(MEGABYTE))),
            "rule.expires.malformed",
        ),
        (
            "long zone",
            one(&format!(", expires: \"2026-12-01T10:00:00{}\"", "Z".repeat(MEGABYTE))),
            "rule.expires.unknown_zone",
        ),
        ("long tag", one(&format!(", match: {{tags: {{? {} : a}}}}", "x".repeat(1_000))), "rule.match.tags.too_long"),
        (
            "long column",
            one(&format!(", match: {{columns: {{? {} : a}}}}", "x.".repeat(400))),
            "rule.match.columns.empty",
        ),
        ("too long", " ".repeat(RuleFile::MAX_BYTES + 1), "file.too_large"),
    ];
    for (name, text, code) in cases {
        let faults = faults(&text);
        assert_eq!(faults[0].code, code, "{name}: {:?}", &faults[0]);
        // Messages repeat a part of a value, never all of it.
        assert!(faults.iter().all(|fault| fault.to_string().len() < 1_000), "{name}");
    }
}
