//! A rule file, read from YAML or built in code.

use super::{Cluster, FingerprintPrefix, Limit, Limits, Mode, OnError, Rule, Scope, Threshold, file};
use crate::error::{Fault, LoadError};
use crate::fingerprint::FingerprintOptions;
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
    /// Every value that is out of its bounds, fields that contradict each other, names that stand twice or are reserved, every
    /// prefix that begins another or is longer than a fingerprint, and more thresholds and rules than [`Limits::max_rules`].
    pub fn validate(&self) -> Result<(), LoadError> {
        let faults = self.faults();
        if faults.is_empty() { Ok(()) } else { Err(LoadError::with_faults(faults)) }
    }

    /// Refuses rules whose limits instances share, where there is no backend that keeps them; else those of which it could not
    /// keep what they count.
    pub(crate) fn refuse_cluster(&self, has_backend: bool) -> Result<(), LoadError> {
        let shared = self.rules.iter().enumerate().filter(|(_, rule)| rule.scope == Scope::Cluster);
        let refusal = |rule: &Rule| match rule.limit {
            _ if !has_backend => {
                Some(("rule.scope.no_backend", "no backend for limits that instances share is built in"))
            }
            Limit::Concurrency { .. } => {
                Some(("rule.scope.concurrency", "the backend does not keep places of concurrency limits"))
            }
            _ => None,
        };
        let faults: Vec<Fault> = shared
            .filter_map(|(i, rule)| {
                let (code, found) = refusal(rule)?;
                let expected = "leave `scope` out, so that each process counts by itself".to_owned();
                let path = file::rule_path(i, Some(&rule.name)) + ".scope";
                Some(Fault::unplaced(code, path, found.to_owned(), expected))
            })
            .collect();
        if faults.is_empty() { Ok(()) } else { Err(LoadError::with_faults(faults)) }
    }
}
