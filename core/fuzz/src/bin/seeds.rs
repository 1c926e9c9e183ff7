//! Writes the seeds of the fuzz targets that read statements, from the conformance cases, and those of the engine
//! and of the C library.
//!
//! Run it from any directory after the cases have changed; files that have another origin are left alone.

use serde_json::Value;
use sqlthrottle::{Dialect, InLists};
use sqlthrottle_fuzz::lexer;
use std::fs;
use std::path::{Path, PathBuf};

type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// Longest statement that becomes a seed: a mutation of a short one says more.
const LONGEST: usize = 512;
/// Statements of each topic and dialect that become seeds.
const EACH: usize = 1;

fn main() -> Outcome {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let corpus = root.join("corpus");
    for target in ["lexer", "analysis", "engine", "c_api"] {
        fs::create_dir_all(corpus.join(target))?;
    }
    let mut files: Vec<PathBuf> = fs::read_dir(root.join("../../tests/conformance/fingerprint"))?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    files.sort();
    for file in files {
        statements(&serde_json::from_slice(&fs::read(file)?)?, &corpus)?;
    }
    for (name, bytes) in engine_seeds() {
        fs::write(corpus.join("engine").join(name), bytes)?;
    }
    for (name, bytes) in c_api_seeds() {
        fs::write(corpus.join("c_api").join(name), bytes)?;
    }
    Ok(())
}

/// Writes the first statements of a topic in each dialect.
fn statements(topic: &Value, corpus: &Path) -> Outcome {
    let mut written = [0; Dialect::ALL.len()];
    for case in topic["cases"].as_array().into_iter().flatten() {
        let (Some(id), Some(name)) = (case["id"].as_str(), case["dialect"].as_str()) else { continue };
        let Some(dialect) = Dialect::ALL.into_iter().position(|dialect| dialect.name() == name) else { continue };
        let sql = case["sql"].as_str().or_else(|| case["same"][0].as_str()).or_else(|| case["differ"][0].as_str());
        let Some(sql) = sql.filter(|sql| sql.len() <= LONGEST) else { continue };
        if written[dialect] == EACH {
            continue;
        }
        written[dialect] += 1;
        let options = &case["options"];
        let distinct = options["in_lists"] == InLists::Distinct.name();
        let fold_digits = options["fold_digits"] == true;
        let choice = (0..24)
            .find(|&choice| {
                let chosen = lexer::options(choice);
                let same_dialect = chosen.dialect == Dialect::ALL[dialect];
                let same_lists = (chosen.in_lists == InLists::Distinct) == distinct;
                same_dialect && same_lists && chosen.fold_digits == fold_digits
            })
            .ok_or("no byte stands for these options")?;
        let seed = [&[choice], sql.as_bytes()].concat();
        fs::write(corpus.join("lexer").join(id), seed)?;
        fs::write(corpus.join("analysis").join(id), [&[dialect as u8], sql.as_bytes()].concat())?;
    }
    Ok(())
}

/// For each strategy a burst that goes over the limit, a wait, resumes, and what comes after.
fn engine_seeds() -> impl Iterator<Item = (String, Vec<u8>)> {
    let strategies = ["abort", "ignore", "fixed-delay", "until-allowed"].into_iter().enumerate();
    strategies.flat_map(|(strategy, name)| {
        [(0, 0), (2, 0), (0, 7)].map(|(share, mode)| {
            let mut bytes = vec![strategy as u8, share, 2, 11, 40, 1, mode, 3];
            for statement in [0, 1, 2, 3, 4, 5, 6, 7, 1, 1, 9, 17, 2, 2, 2] {
                bytes.extend([24, statement]);
            }
            // 8^9 nanoseconds are 134 ms.
            for (steps, statement) in [(1, 1), (2, 2), (40, 0), (200, 1)] {
                bytes.extend([5 + 8 * 9, steps, 7, 0, 7, 200, 24, statement, 24, statement]);
            }
            (format!("{name}-share-{share}-mode-{mode}"), bytes)
        })
    })
}

/// For each thing that can be done with a handle or a number, and done wrong, the calls that do it.
fn c_api_seeds() -> [(&'static str, Vec<u8>); 12] {
    const OPEN: [u8; 3] = [0, 0, 0];
    const CLONE: [u8; 3] = [1, 0, 0];
    const FREE: [u8; 3] = [2, 0, 0];
    const SELECT: [u8; 3] = [3, 0, 0];
    const UPDATE: [u8; 3] = [3, 0, 2];
    const PREPARE: [u8; 3] = [8, 0, 0];
    const PREPARED: [u8; 3] = [9, 0, 1];
    const FREE_PREPARED: [u8; 3] = [11, 0, 0];
    const RELEASE: [u8; 3] = [12, 0, 0];
    const RESUME: [u8; 3] = [13, 0, 0];
    const SNAPSHOT: [u8; 3] = [15, 0, 7];
    const FORK: [u8; 3] = [15, 0, 4];
    /// 2^30 nanoseconds are a second.
    const SECOND: [u8; 3] = [15, 0, 120];
    let on_second = |[call, _, argument]: [u8; 3]| [call, 1, argument];
    [
        ("places-until-there-are-none", [SELECT, SELECT, SELECT, SELECT, SNAPSHOT, RELEASE, SELECT].concat()),
        ("release-twice", [SELECT, RELEASE, RELEASE, SNAPSHOT].concat()),
        (
            "release-on-another-engine",
            [OPEN, SELECT, on_second(RELEASE), on_second(SELECT), SNAPSHOT, RELEASE].concat(),
        ),
        ("release-after-free", [SELECT, FREE, RELEASE, SELECT, SNAPSHOT].concat()),
        ("clone-outlives-the-first", [CLONE, SELECT, FREE, FREE, on_second(RELEASE), on_second(SNAPSHOT)].concat()),
        ("prepared-outlives-its-engine", [PREPARE, FREE, PREPARED, PREPARED, FREE_PREPARED, PREPARED].concat()),
        ("prepared-after-a-reload", [PREPARE, PREPARED, [14, 0, 1], PREPARED, [14, 0, 0], PREPARED, SNAPSHOT].concat()),
        ("ticket-twice", [UPDATE, UPDATE, UPDATE, SECOND, RESUME, RESUME, SNAPSHOT].concat()),
        ("ticket-for-a-permit", [UPDATE, UPDATE, UPDATE, RELEASE, SELECT, RESUME, SNAPSHOT].concat()),
        ("fork-drops-permits", [SELECT, UPDATE, UPDATE, UPDATE, FORK, RELEASE, RESUME, SELECT, SNAPSHOT].concat()),
        (
            "reload-that-is-refused",
            [[14, 0, 2], [14, 0, 3], [7, 0, 0], [14, 0, 1], [7, 0, 0], [7, 0, 0], [7, 0, 9]].concat(),
        ),
        (
            "buffers-of-any-length",
            (0..32).flat_map(|length| [15, 0, 5 + 8 * length]).chain([6, 0, 7, 6, 0, 40, 6, 0, 66, 15, 0, 6]).collect(),
        ),
    ]
}
