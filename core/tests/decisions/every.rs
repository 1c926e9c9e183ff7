//! Every script of the index, step by step.

use crate::conformance_files::{Kind, load};
use crate::script::{Script, ScriptFile, Step};

pub(crate) const DECISION: Kind = Kind::in_directory("decision");

/// What is wrong with a step: nothing, where the list is empty.
pub(crate) type Faults = Vec<String>;

/// Runs every script of the index, and panics with a report of those that do not hold.
pub(crate) fn run_every_script(run: impl Fn(&Script) -> Faults) {
    let index = DECISION.section();
    let mut failures = Vec::new();
    let mut ran = 0;
    for entry in &index.files {
        let file: ScriptFile = load(&entry.file);
        for script in &file.scripts {
            let faults = run(script);
            if !faults.is_empty() {
                failures.push(format!("{} {}\n{}", script.id, script.about, faults.join("\n")));
            }
        }
        assert_eq!(file.scripts.len(), entry.cases, "{}: the index gives another number of scripts", entry.file);
        ran += file.scripts.len();
    }
    assert!(failures.is_empty(), "{} of {ran} scripts fail\n\n{}\n", failures.len(), failures.join("\n\n"));
    assert_eq!(ran, index.cases, "the total of the index");
}

/// Takes the steps of a script to its end, or to the first one that is not as expected: what follows would not mean anything.
pub(crate) fn take_steps(script: &Script, mut take: impl FnMut(&Step) -> Faults) -> Faults {
    for (i, written) in script.steps.iter().enumerate() {
        let faults = match Step::read(written) {
            Ok(step) => take(&step),
            Err(error) => vec![error.to_string()],
        };
        if !faults.is_empty() {
            let step = format!("  step {} of {}: {written}", i + 1, script.steps.len());
            return [step].into_iter().chain(faults.into_iter().map(|fault| format!("    {fault}"))).collect();
        }
    }
    Faults::new()
}

pub(crate) fn unless(holds: bool, fault: impl FnOnce() -> String) -> Faults {
    if holds { Faults::new() } else { vec![fault()] }
}

pub(crate) fn lacks(name: &str, what: &str) -> Faults {
    vec![format!("the answer called {name} has no {what}")]
}
