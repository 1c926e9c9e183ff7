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
        ("too long", " ".repeat(RuleFile::MAX_BYTES + 1), "file.too_large"),
    ];
    for (name, text, code) in cases {
        let faults = faults(&text);
        assert_eq!(faults[0].code, code, "{name}: {:?}", &faults[0]);
        // Messages repeat a part of a value, never all of it.
        assert!(faults.iter().all(|fault| fault.to_string().len() < 1_000), "{name}");
    }
}
