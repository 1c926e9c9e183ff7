//! The demonstration as a reader runs it, for a short time. What it measures is the machine's; what is tested adds up on
//! any.

// A test that cannot go on says so by panicking.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::process::{Command, Output};

fn run(seconds: &str, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_burst")).env("BURST_SECONDS", seconds).args(arguments).output().unwrap()
}

/// The two values of the rows of a name, in order.
fn rows(text: &str, name: &str) -> Vec<[u64; 2]> {
    let cells = |line: &str| line.split(['│', '┆']).map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    let named = text.lines().map(cells).filter(|cells| cells.get(1).is_some_and(|cell| cell == name));
    named.map(|cells| [cells[2].parse().unwrap(), cells[3].parse().unwrap()]).collect()
}

#[test]
fn the_rules_refuse_reports_and_nothing_else() {
    let output = run("2", &[]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));

    let rules = include_str!("../sqlthrottle.yml");
    for line in rules.lines().filter(|line| !line.is_empty()) {
        assert!(text.contains(line), "`{line}` is not shown:\n{text}");
    }
    let fingerprint = text.lines().find_map(|line| line.trim().strip_prefix("fingerprint")).unwrap().trim();
    assert!(rules.contains(&fingerprint[..12]), "the rules do not name the report: {fingerprint}");

    assert!(!text.contains("failed in the database"), "{text}");
    let sent = ["point selects: sent", "small writes: sent", "reports: sent"].map(|name| rows(&text, name)[0]);
    let refused = rows(&text, "refused");
    assert!(sent.iter().flatten().all(|&count| count > 0), "{text}");
    assert_eq!(refused[..2], [[0, 0]; 2], "{text}");
    assert_eq!(refused[2][0], 0, "nothing is refused without protection:\n{text}");
    assert!((1..=sent[2][1]).contains(&refused[2][1]), "{text}");
}

#[test]
fn what_is_not_understood_is_said() {
    let length = run("soon", &[]);
    assert!(!length.status.success());
    assert_eq!(String::from_utf8(length.stderr).unwrap(), "BURST_SECONDS is soon; it is a number from 2 to 20\n");

    let rules = run("2", &["no-such-file.yml"]);
    assert!(!rules.status.success());
    assert!(String::from_utf8(rules.stderr).unwrap().starts_with("no-such-file.yml: "));
}
