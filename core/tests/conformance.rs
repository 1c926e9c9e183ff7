//! Runs the fingerprint cases that every language shares: `tests/conformance` at the root of the repository.

#[path = "shared/conformance_files.rs"]
mod conformance_files;
#[path = "shared/fingerprint_cases.rs"]
mod fingerprint_cases;

use conformance_files::load;
use fingerprint_cases::{CaseFile, FINGERPRINT, Got, Normalise, run_every_case};
use sqlthrottle::{Dialect, Normalizer};
use std::collections::{BTreeMap, HashSet};

impl Normalise for Normalizer {
    fn normalise(&mut self, sql: &[u8]) -> Got {
        let normalized = self.normalize(sql);
        Got {
            normalized: normalized.as_bytes().to_vec(),
            text: Some(normalized.text().into_owned()),
            fingerprint: normalized.fingerprint().to_string(),
        }
    }
}

#[test]
fn every_case_of_the_index_holds() {
    run_every_case(Normalizer::new);
}

#[test]
fn the_index_names_every_file_once() {
    FINGERPRINT.expect_every_file_in_the_index();
}

/// An id leads to one case: it begins with the number of its file and is given once; each case says what it is about.
#[test]
fn every_case_can_be_found_by_its_id() {
    let mut ids = HashSet::new();
    for file in FINGERPRINT.files_on_disk() {
        let number = FINGERPRINT.number(&file);
        let CaseFile { topic, cases } = load(&file);
        assert!(!topic.is_empty(), "{file}: no topic");
        for case in cases {
            assert_eq!(case.id.split_once('-').map(|(file, _)| file), Some(number), "{file}: {}", case.id);
            assert!(!case.about.is_empty(), "{file}: {} does not say what it is about", case.id);
            assert!(ids.insert(case.id.clone()), "{file}: {} is given twice", case.id);
        }
    }
}

/// A dialect that few cases speak for is not covered, however many cases there are.
#[test]
fn every_dialect_has_its_share() {
    let mut cases: BTreeMap<String, usize> = BTreeMap::new();
    for file in FINGERPRINT.files_on_disk() {
        for case in load::<CaseFile>(&file).cases {
            *cases.entry(case.dialect).or_default() += 1;
        }
    }
    for dialect in Dialect::ALL {
        assert!(cases.get(dialect.name()).is_some_and(|&count| count >= 50), "{dialect}: {cases:?}");
    }
}
