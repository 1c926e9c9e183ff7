//! Runs the decision scripts that every language shares: `tests/conformance/decision` at the root of the repository.

// A test that cannot go on says so by panicking.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod answer;
mod compare;
#[path = "../shared/conformance_files.rs"]
mod conformance_files;
mod every;
mod run;
mod script;

use conformance_files::load;
use every::{DECISION, run_every_script};
use script::{ScriptFile, Step};
use std::collections::{BTreeSet, HashSet};

#[test]
fn every_script_of_the_index_holds() {
    run_every_script(run::run);
}

#[test]
fn the_index_names_every_file_once() {
    DECISION.expect_every_file_in_the_index();
}

/// An id leads to one script: it begins with the number of its file and is given once; no two say the same.
#[test]
fn every_script_can_be_found_by_its_id() {
    let (mut ids, mut abouts) = (HashSet::new(), HashSet::new());
    for file in DECISION.files_on_disk() {
        let number = DECISION.number(&file);
        let ScriptFile { topic, scripts } = load(&file);
        assert!(!topic.is_empty(), "{file}: no topic");
        for script in scripts {
            assert_eq!(script.id.split_once('-').map(|(file, _)| file), Some(number), "{file}: {}", script.id);
            assert!(ids.insert(script.id.clone()), "{file}: {} is given twice", script.id);
            assert!(abouts.insert(script.about.clone()), "{file}: {} says what another says", script.id);
        }
    }
}

/// A verdict or a reason that no script expects is not covered, however many scripts there are. What needs a cluster or a
/// panic is tested elsewhere.
#[test]
fn every_verdict_and_reason_is_expected_somewhere() {
    let (mut verdicts, mut reasons) = (BTreeSet::new(), BTreeSet::new());
    for file in DECISION.files_on_disk() {
        for script in load::<ScriptFile>(&file).scripts {
            for step in script.steps {
                let (Step::Check(script::Check { expect, .. })
                | Step::CheckPrepared(script::CheckPrepared { expect, .. })
                | Step::Request(script::Request { expect, .. })
                | Step::Resume(script::Resume { expect, .. })) = Step::read(&step).unwrap()
                else {
                    continue;
                };
                verdicts.extend(expect.verdict);
                reasons.extend(expect.reason);
            }
        }
    }
    assert_eq!(Vec::from_iter(verdicts), ["abort", "allow", "delay", "ignore", "threshold_needed"]);
    assert_eq!(
        Vec::from_iter(reasons),
        [
            "allowed",
            "blocked",
            "exempt",
            "ignore_unavailable",
            "max_delay",
            "max_delayed",
            "never",
            "not_checked",
            "off",
            "over_limit",
            "passed_over",
            "undecided",
        ]
    );
}
