//! Where the conformance cases are, and what the index says of them.

use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// What the index says of the cases of one kind.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Section {
    pub(crate) files: Vec<Entry>,
    pub(crate) cases: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entry {
    pub file: String,
    pub(crate) cases: usize,
}

/// The cases of one kind, which have a directory of their own.
#[derive(Clone, Copy)]
pub(crate) struct Kind {
    directory: &'static str,
}

impl Kind {
    pub(crate) const fn in_directory(directory: &'static str) -> Self {
        Self { directory }
    }

    /// What the index says of them.
    pub(crate) fn section(self) -> Section {
        let mut index: BTreeMap<String, Section> = load("index.json");
        index.remove(self.directory).unwrap_or_else(|| panic!("the index has no {}", self.directory))
    }

    /// Every file there is, whether the index names it or not.
    pub(crate) fn files_on_disk(self) -> BTreeSet<String> {
        let path = root().join(self.directory);
        let entries = fs::read_dir(&path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
        let entries = entries.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        entries.iter().map(|entry| format!("{}/{}", self.directory, entry.file_name().to_string_lossy())).collect()
    }

    /// The number that the ids of a file's cases begin with.
    pub(crate) fn number(self, file: &str) -> &str {
        &file[self.directory.len() + 1..][..3]
    }

    /// Panics unless the index names every file, and each once.
    pub(crate) fn expect_every_file_in_the_index(self) {
        let section = self.section();
        let named: BTreeSet<String> = section.files.iter().map(|entry| entry.file.clone()).collect();
        assert_eq!(named.len(), section.files.len(), "a file is named twice");
        assert_eq!(named, self.files_on_disk());
    }
}

/// At the root of the repository, above the crate whose tests these are.
fn root() -> PathBuf {
    let mut above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|path| path.join("tests/conformance"));
    above.find(|path| path.join("index.json").is_file()).unwrap_or_else(|| panic!("no conformance cases"))
}

/// Reads a file by its path from the directory of the conformance cases.
pub(crate) fn load<T: for<'de> Deserialize<'de>>(file: &str) -> T {
    let path = root().join(file);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
