//! Replays the corpus of the fuzz target of the functions of the header.

// A test that cannot go on says so by panicking.
#![allow(clippy::unwrap_used, clippy::expect_used)]
// The target is public to the fuzzer, and private here.
#![allow(unreachable_pub)]

#[path = "../../../core/fuzz/src/c_api.rs"]
mod c_api;

use std::fs;
use std::path::Path;

#[test]
fn c_api_corpus() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../core/fuzz/corpus/c_api");
    let mut files = 0;
    for entry in fs::read_dir(&corpus).unwrap_or_else(|error| panic!("{}: {error}", corpus.display())) {
        let path = entry.unwrap().path();
        let bytes = fs::read(&path).unwrap();
        // Shown only where the target panics.
        println!("{}", path.display());
        c_api::run(&bytes);
        files += 1;
    }
    assert!(files >= 10, "{files} files in {}", corpus.display());
}

/// What no seed has: calls as they come.
#[test]
fn many_calls_as_they_come() {
    let mut number = 1_u64;
    for _ in 0..500 {
        let calls: Vec<u8> = (0..768)
            .map(|_| {
                number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (number >> 56) as u8
            })
            .collect();
        c_api::run(&calls);
    }
}
