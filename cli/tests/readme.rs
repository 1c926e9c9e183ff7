//! The README's commands, run in the directory it names, print what it shows; and the version is one.

// A test that cannot go on says so by panicking.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::command::command;
use std::path::Path;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

fn page(name: &str) -> String {
    std::fs::read_to_string(Path::new(ROOT).join(name)).expect(name)
}

#[test]
fn the_commands_of_the_readme_print_what_it_shows() {
    let readme = page("README.md");
    let blocks = readme.split("```console\n$ sqlthrottle ").skip(1);
    let blocks: Vec<_> = blocks.map(|rest| rest.split_once("```").expect("a block is not closed").0).collect();
    assert!(blocks.len() >= 4, "only {} commands were found", blocks.len());
    for block in blocks {
        let (line, shown) = block.split_once('\n').unwrap();
        let arguments: Vec<&str> = line.split(' ').collect();
        let output = command(&arguments).current_dir(Path::new(ROOT).join("examples/quickstart")).output().unwrap();
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
        let printed = String::from_utf8(output.stdout).unwrap();
        assert_eq!(printed, shown, "{line}");
    }
}

#[test]
fn the_version_is_the_same_everywhere() {
    let version = env!("CARGO_PKG_VERSION");
    let printed = command(&["--version"]).output().unwrap().stdout;
    assert_eq!(String::from_utf8(printed).unwrap(), format!("sqlthrottle {version}\n"));

    let changelog = page("CHANGELOG.md");
    let newest = changelog.split_once("\n## [").and_then(|(_, rest)| rest.split_once(']')).map(|(newest, _)| newest);
    assert_eq!(newest, Some(version), "the newest section of CHANGELOG.md");
    assert!(page("README.md").contains(&format!("\n## Status\n\n{version},")), "the status in README.md");
}
