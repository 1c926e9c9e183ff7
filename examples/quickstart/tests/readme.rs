//! The README's five minutes are these files, and end as it says.

// A test that cannot go on says so by panicking.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::process::Command;

const README: &str = include_str!("../../../README.md");

/// The only block of a language.
fn block(language: &str) -> &'static str {
    let fence = format!("```{language}\n");
    let mut blocks = README.split(&fence).skip(1);
    let block = blocks.next().unwrap_or_else(|| panic!("no {language} block"));
    assert!(blocks.next().is_none(), "more than one {language} block");
    block.split_once("```").expect("a block is not closed").0
}

#[test]
fn the_program_and_the_rules_are_those_of_the_readme() {
    assert_eq!(block("rust"), include_str!("../src/main.rs"));
    assert_eq!(block("yaml"), include_str!("../sqlthrottle.yml"));
}

#[test]
fn the_program_prints_what_the_readme_says() {
    let output =
        Command::new(env!("CARGO_BIN_EXE_quickstart")).current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let printed = README.split_once("```console\n$ cargo run\n").and_then(|(_, rest)| rest.split_once("```"));
    assert_eq!(printed.unwrap().0, String::from_utf8(output.stdout).unwrap());
}

#[test]
fn a_faulty_rule_file_is_told_as_a_reader_would_say_it() {
    let directory = env!("CARGO_TARGET_TMPDIR");
    std::fs::write(format!("{directory}/sqlthrottle.yml"), "mode: enforced\n").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_quickstart")).current_dir(directory).output().unwrap();
    assert!(!output.status.success());
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(
        told.starts_with("Error: sqlthrottle.yml:1:7: mode: `enforced` is unknown; did you mean `enforce`?"),
        "{told}"
    );
}
