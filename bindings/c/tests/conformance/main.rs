//! Runs the cases that every language shares through the functions of the header: `tests/conformance` at the root of the
//! repository. What a case holds and how it is held against an answer is read from where the runner in Rust reads it.

// A test that cannot go on says so by panicking.
#![allow(clippy::unwrap_used, clippy::expect_used)]
#![allow(unsafe_code, clippy::undocumented_unsafe_blocks, reason = "called as C calls it")]

#[path = "../shared/c_api.rs"]
mod c_api;
#[path = "../../../../core/tests/decisions/compare.rs"]
mod compare;
#[path = "../../../../core/tests/shared/conformance_files.rs"]
#[expect(dead_code, reason = "the runner in Rust looks at the files themselves too")]
mod conformance_files;
#[path = "../../../../core/tests/decisions/every.rs"]
mod every;
#[path = "../../../../core/tests/shared/fingerprint_cases.rs"]
#[expect(dead_code, reason = "as above")]
mod fingerprint_cases;
mod fingerprints;
mod run;
#[path = "../../../../core/tests/decisions/script.rs"]
#[expect(dead_code, reason = "as above")]
mod script;

#[test]
fn every_fingerprint_case_of_the_index_holds() {
    let engines = fingerprints::Engines::default();
    fingerprint_cases::run_every_case(|options| engines.normalizer(options));
}

#[test]
fn every_decision_script_of_the_index_holds() {
    every::run_every_script(run::run);
}
