//! Files made to take memory, time or stack.

use super::{faults, read};
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

/// A file of rules with one pattern each.
fn with_patterns(patterns: impl Iterator<Item = String>) -> String {
    with_patterns_and(|_| String::new(), patterns)
}

/// The same with more in each `match`.
fn with_patterns_and(more: impl Fn(usize) -> String, patterns: impl Iterator<Item = String>) -> String {
    let rules = patterns.enumerate().map(|(i, pattern)| {
        format!("- {{name: r{i}, limit: {{block: true}}, match: {{pattern: '{pattern}'{}}}}}\n", more(i))
    });
    std::iter::once("rules:\n".to_owned()).chain(rules).collect()
}

#[test]
fn patterns_that_are_large_together_are_refused_and_nothing_is_compiled_beyond() {
    // Each is good by itself, and all of them would take gigabytes.
    let large = |i: usize| format!("table_{i:04}(?:[a-c][d-f]){{2000}}");
    // Asked about one shape only, so that none is run on every text.
    let file = |rules| with_patterns_and(|i| format!(", fingerprints: [a{i:011}]"), (0..rules).map(large));
    let faults = faults(file(2_900));
    assert_eq!(faults.len(), 1, "{:?}", &faults[1]);
    let fault = &faults[0];
    assert_eq!(fault.code, "rule.match.pattern.too_large");
    let number: usize = fault.path.trim_matches(|c: char| !c.is_ascii_digit()).parse().unwrap();
    assert!((100..1_000).contains(&number), "{}", fault.path);
    assert_eq!((fault.path.as_str(), fault.line), (&*format!("rules.\"r{number}\".match.pattern"), number + 2));
    assert!(fault.found.contains(&format!("table_{number:04}")) && fault.found.contains("67108864"), "{fault}");
    // The rule before it was the last that fits, and a warning is due long before.
    let rules = read(&file(number));
    assert!(rules.warnings().iter().any(|warning| warning.contains("67108864 is the most")), "{:?}", rules.warnings());
    // The same pattern again takes nothing.
    read(&with_patterns((0..2_900).map(|_| large(0))));
}

#[test]
fn patterns_that_are_run_on_every_text_are_refused_where_they_are_too_many() {
    let open = |i: usize| format!("[a-z]+ [0-9]{{{}}}{}", i % 50 + 1, ".".repeat(i / 50));
    let faults = faults(with_patterns((0..2_900).map(open)));
    assert_eq!(faults.len(), 1, "{:?}", &faults[1]);
    let fault = &faults[0];
    assert_eq!(fault.code, "rule.match.pattern.too_many");
    let number: usize = fault.path.trim_matches(|c: char| !c.is_ascii_digit()).parse().unwrap();
    assert!((50..500).contains(&number), "{}", fault.path);
    assert_eq!(fault.line, number + 2);
    assert!(fault.found.contains(&open(number)) && fault.found.contains("8192"), "{fault}");
    assert!(fault.expected.contains("`tables`"), "{fault}");
    let warned =
        |file: &str| read(file).warnings().iter().any(|warning| warning.contains("run on every new statement"));
    assert!(warned(&with_patterns((0..number).map(open))));
    assert!(!warned(&with_patterns((0..number / 2).map(open))));
    // What they need of a text, or what else a rule asks, spares them every other.
    assert!(!warned(&with_patterns((0..2_900).map(|i| format!("[a-z]+ table_{i:04} [0-9]{{{}}}", i % 50)))));
    let tables = with_patterns_and(|i| format!(", tables: table_{i}"), (0..2_900).map(|i| open(i % 90)));
    assert!(!warned(&tables));
    // One pattern of many rules is run once.
    assert!(!warned(&with_patterns((0..2_900).map(|_| "select.*".to_owned()))));
}
