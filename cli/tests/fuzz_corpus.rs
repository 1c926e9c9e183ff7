//! Replays the corpus of the fuzz target that reads logs.

// The targets are public to the fuzzer, and private here.
#![allow(unreachable_pub)]

#[path = "../../core/fuzz/src/log_readers.rs"]
mod log_readers;

use std::fs;
use std::path::Path;

#[test]
fn log_readers_corpus() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/fuzz/corpus/log_readers");
    let mut files = 0;
    for entry in fs::read_dir(&corpus).unwrap_or_else(|error| panic!("{}: {error}", corpus.display())) {
        let path = entry.unwrap().path();
        let bytes = fs::read(&path).unwrap();
        // Shown only where the target panics.
        println!("{}", path.display());
        log_readers::run(&bytes);
        files += 1;
    }
    assert!(files >= 10, "{files} files in {}", corpus.display());
}
