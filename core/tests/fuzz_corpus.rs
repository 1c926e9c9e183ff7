//! Replays the corpus of the fuzz targets: what once broke a promise, and a seed for everything that is told apart.

// A test that cannot go on says so by panicking.
#![allow(clippy::unwrap_used, clippy::expect_used)]
// The targets are public to the fuzzer, and private here.
#![allow(unreachable_pub)]

#[path = "../fuzz/src/analysis.rs"]
mod analysis;
#[path = "../fuzz/src/engine.rs"]
mod engine;
#[path = "../fuzz/src/lexer.rs"]
mod lexer;
#[path = "../fuzz/src/rule_file.rs"]
mod rule_file;

use std::fs;
use std::path::Path;

/// Hands every file of a target's corpus to the target. A corpus that is gone, or all but gone, tests nothing.
fn replay(target: &str, run: fn(&[u8])) {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(target);
    let mut files = 0;
    for entry in fs::read_dir(&corpus).unwrap_or_else(|error| panic!("{}: {error}", corpus.display())) {
        let path = entry.unwrap().path();
        let bytes = fs::read(&path).unwrap();
        // Shown only where the target panics.
        println!("{}", path.display());
        run(&bytes);
        files += 1;
    }
    assert!(files >= 10, "{files} files in {}", corpus.display());
}

#[test]
fn lexer_corpus() {
    replay("lexer", lexer::run);
}

#[test]
fn analysis_corpus() {
    replay("analysis", analysis::run);
}

#[test]
fn rule_file_corpus() {
    replay("rule_file", rule_file::run);
}

#[test]
fn engine_corpus() {
    replay("engine", engine::run);
}
