//! A rule file, read from YAML or built in code.

use super::quantity::{Bytes, Misread};
use super::threshold::Field;
use super::{Cluster, FingerprintPrefix, Limits, Mode, OnError, Rule, Threshold, bounds, file};
use crate::error::{Fault, LoadError};
use crate::fingerprint::{Dialect, FingerprintOptions};
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::Duration;

/// A rule file.
///
/// One that [`open`](Self::open) or a `parse` function answered is without fault; one that is built or changed in code is
/// held to the same bounds by [`validate`](Self::validate).
///
/// ```
/// use sqlthrottle::rule::{FingerprintPrefix, RuleFile, Threshold};
///
/// let read = RuleFile::parse(r#"thresholds: {"9f2c41d07b6e": 100}"#)?;
///
/// let mut built = RuleFile::default();
/// built.thresholds.push((FingerprintPrefix::new("9f2c41d07b6e")?, Threshold::new(100)));
/// built.validate()?;
/// assert_eq!(built, read);
///
/// let error = RuleFile::parse("mode: enforced").unwrap_err();
/// assert_eq!(error.faults()[0].code, "mode.unknown");
/// assert!(error.faults()[0].expected.starts_with("did you mean `enforce`?"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RuleFile {
    /// Whether decisions are carried out.
    pub mode: Mode,
    /// How statements are fingerprinted: `dialect`, `fingerprint` and, of the file's `limits`, `max_sql_bytes`.
    pub fingerprint: FingerprintOptions,
    /// The threshold of every fingerprint that nothing names.
    pub default_threshold: Option<Threshold>,
    /// The thresholds, in the order of the file. No prefix is the beginning of another.
    pub thresholds: Vec<(FingerprintPrefix, Threshold)>,
    /// The rules, in the order of the file.
    pub rules: Vec<Rule>,
    /// How instances share the limits of rules with the scope `cluster`.
    pub cluster: Option<Cluster>,
    /// What is answered when the guard itself fails.
    pub on_error: OnError,
    /// How much an engine may hold.
    pub limits: Limits,
    /// How often the host is to look for a changed file ([`Engine::refresh`](crate::Engine::refresh)); zero for never. Up to an
    /// hour, and no less than 100 ms.
    pub watch: Duration,
    /// Whether a file said the dialect, which tells `generic` by choice from `generic` for want of a word.
    pub(super) names_dialect: bool,
}

impl Default for RuleFile {
    fn default() -> Self {
        Self {
            mode: Mode::default(),
            fingerprint: FingerprintOptions::default(),
            default_threshold: None,
            thresholds: Vec::new(),
            rules: Vec::new(),
            cluster: None,
            on_error: OnError::default(),
            limits: Limits::default(),
            watch: Duration::from_secs(1),
            names_dialect: false,
        }
    }
}

impl RuleFile {
    /// Longest rule file, in bytes.
    pub const MAX_BYTES: usize = file::MAX_FILE_BYTES;

    /// Reads a file; `${NAME}` comes from the environment of the process.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or has faults: all of them at once.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, LoadError> {
        let path = path.as_ref();
        let read = |path: &Path| {
            let mut text = Vec::new();
            // One byte beyond the bound tells a file that is too long, whatever its length is said to be.
            File::open(path)?.take(Self::MAX_BYTES as u64 + 1).read_to_end(&mut text)?;
            Ok(text)
        };
        let text = read(path).map_err(|error| LoadError::unreadable(path, error))?;
        Self::parse(text).map_err(|error| error.in_file(path))
    }

    /// Reads the text of a file; `${NAME}` comes from the environment of the process.
    ///
    /// # Errors
    ///
    /// Every fault of the text at once.
    pub fn parse(text: impl AsRef<[u8]>) -> Result<Self, LoadError> {
        Self::parse_with(text, |name| std::env::var(name).ok())
    }

    /// Reads the text of a file; `environment` says what a variable holds.
    ///
    /// # Errors
    ///
    /// Every fault of the text at once.
    pub fn parse_with(text: impl AsRef<[u8]>, environment: impl Fn(&str) -> Option<String>) -> Result<Self, LoadError> {
        file::parse(text.as_ref(), &environment)
    }

    /// Checks rules that were built in code as those of a file are checked. The faults have no line: it is 0.
    ///
    /// # Errors
    ///
    /// Every value that is out of its bounds, every prefix that begins another or is longer than a fingerprint, and more
    /// thresholds than [`Limits::max_rules`].
    pub fn validate(&self) -> Result<(), LoadError> {
        let mut faults = Vec::new();
        let mut push = |path: String, code, misread: Misread| {
            faults.push(Fault { code, path, line: 0, column: 0, found: misread.found, expected: misread.expected });
        };
        for (field, code, misread) in self.limits.problems() {
            push(format!("limits.{field}"), code, misread);
        }
        if let Err(misread) = bounds::MAX_SQL_BYTES.check(Bytes(self.fingerprint.max_sql_bytes)) {
            push("limits.max_sql_bytes".to_owned(), bounds::MAX_SQL_BYTES.codes.of(misread.wrong), misread);
        }
        let within = |path: &str, field: Field| format!("{path}.{}", field.name());
        for (field, code, misread) in self.default_threshold.iter().flat_map(Threshold::problems) {
            push(within("default_threshold", field), code, misread);
        }
        if let Err(misread) = Limits::check_rules(self.thresholds.len(), self.limits.max_rules) {
            push("thresholds".to_owned(), "thresholds.too_many", misread);
        }
        for (prefix, threshold) in &self.thresholds {
            let path = format!("thresholds.\"{prefix}\"");
            for (field, code, misread) in threshold.problems() {
                push(within(&path, field), code, misread);
            }
            if let Err(misread) = prefix.fits(self.fingerprint.hash) {
                push(path, "threshold.fingerprint.too_long", misread);
            }
        }
        for (a, b) in FingerprintPrefix::overlaps(self.thresholds.iter().map(|(prefix, _)| prefix)) {
            let (later, earlier) = (&self.thresholds[a.max(b)].0, &self.thresholds[a.min(b)].0);
            let path = format!("thresholds.\"{later}\"");
            push(
                path,
                "threshold.fingerprint.overlap",
                FingerprintPrefix::overlapping(earlier, "an earlier threshold"),
            );
        }
        if faults.is_empty() { Ok(()) } else { Err(LoadError::with_faults(faults)) }
    }

    /// What is worth a word, though nothing is wrong.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        let (rules, warn) = (self.thresholds.len(), self.limits.warn_rules);
        if rules == 0 && self.default_threshold.is_none() {
            warnings.push("no threshold: nothing is limited".to_owned());
        }
        if rules >= warn {
            let most = self.limits.max_rules;
            warnings.push(format!(
                "{rules} rules: `limits.warn_rules` asks for a warning from {warn}, and {most} is the most"
            ));
        }
        if rules > 0 && self.fingerprint.dialect == Dialect::Generic && !self.names_dialect {
            warnings.push(
                "no `dialect`: statements that do not say theirs are read as generic; fingerprints found in a MySQL or \
                 PostgreSQL log may not match"
                    .to_owned(),
            );
        }
        warnings
    }
}
