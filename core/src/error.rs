//! What is wrong with a rule file: every fault of it, each with its place and what would be right.

use std::fmt;
use std::path::{Path, PathBuf};

/// One fault of a rule file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fault {
    /// A stable code, the same in every language: `threshold.window.zero`.
    pub code: &'static str,
    /// The path to the value: `thresholds."9f2c41d07b6e".window`; empty for the file as a whole.
    pub path: String,
    /// The line, counted from 1; 0 where the rules were built in code.
    pub line: usize,
    /// The column, counted from 1, in characters; 0 where the rules were built in code.
    pub column: usize,
    /// What was found.
    pub found: String,
    /// What would be right.
    pub expected: String,
}

impl Fault {
    /// A fault of rules that were built in code, or are put in force.
    pub(crate) fn unplaced(code: &'static str, path: String, found: String, expected: String) -> Self {
        Self { code, path, line: 0, column: 0, found, expected }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line > 0 {
            write!(f, "{}:{}: ", self.line, self.column)?;
        }
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        write!(f, "{}; {} [{}]", self.found, self.expected, self.code)
    }
}

/// A rule file that was refused. Nothing of it is in force.
///
/// Debug writes what Display does, for programs whose `main` returns it.
pub struct LoadError {
    file: Option<PathBuf>,
    kind: LoadErrorKind,
}

enum LoadErrorKind {
    Unreadable(std::io::Error),
    Faults(Vec<Fault>),
}

impl LoadError {
    pub(crate) fn unreadable(file: &Path, error: std::io::Error) -> Self {
        Self { file: Some(file.to_owned()), kind: LoadErrorKind::Unreadable(error) }
    }

    pub(crate) fn with_faults(faults: Vec<Fault>) -> Self {
        Self { file: None, kind: LoadErrorKind::Faults(faults) }
    }

    /// The same faults, of a rule that an admin statement added.
    pub(crate) fn of_rule(mut self, name: &str) -> Self {
        if let LoadErrorKind::Faults(faults) = &mut self.kind {
            for fault in faults {
                fault.found = format!("the rule `{name}` of an admin statement: {}", fault.found);
            }
        }
        self
    }

    pub(crate) fn in_file(mut self, file: &Path) -> Self {
        self.file = Some(file.to_owned());
        self
    }

    /// Every fault found, in the order of the file; empty where the file could not be read at all.
    pub fn faults(&self) -> &[Fault] {
        match &self.kind {
            LoadErrorKind::Unreadable(_) => &[],
            LoadErrorKind::Faults(faults) => faults,
        }
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.file.as_deref().map_or_else(|| "rules".into(), Path::to_string_lossy);
        match &self.kind {
            LoadErrorKind::Unreadable(error) => write!(f, "{name}: {error}"),
            LoadErrorKind::Faults(faults) => {
                for (i, fault) in faults.iter().enumerate() {
                    if i > 0 {
                        f.write_str("\n")?;
                    }
                    let space = if fault.line > 0 { "" } else { " " };
                    write!(f, "{name}:{space}{fault}")?;
                }
                Ok(())
            }
        }
    }
}

impl fmt::Debug for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

// Nothing in it can be changed, so no panic can leave it half changed.
impl std::panic::UnwindSafe for LoadError {}
impl std::panic::RefUnwindSafe for LoadError {}

impl std::error::Error for LoadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.kind {
            LoadErrorKind::Unreadable(error) => Some(error),
            LoadErrorKind::Faults(_) => None,
        }
    }
}
