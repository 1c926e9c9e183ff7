//! Texts that are compiled into what matches, judged once for files and for rules built in code.

use super::matcher::{Account, CompiledPatterns, Condition, Keyword, NotCompiled, TableGlob, Workload};
use super::quantity::{Misread, Wrong, quoted};
use super::text::{self, TextBounds};
use super::{On, Rule, RuleFile};
use crate::fingerprint::{FingerprintOptions, Normalizer};

/// Longest reason that is told, in characters: one may repeat what was read.
const MOST_TOLD: usize = 200;

/// The patterns of one file: what they take together, and how much work they make of a text. One file is read with one of them,
/// its rules in their order.
#[derive(Debug)]
pub(super) struct FilePatterns {
    compiled: CompiledPatterns,
    workload: Workload,
    normalizer: Normalizer,
    /// Whether a rule was told that with it the work is too much.
    is_too_many: bool,
}

impl FilePatterns {
    /// For texts that are normalised with the given options.
    pub(super) fn new(options: FingerprintOptions) -> Self {
        Self {
            compiled: CompiledPatterns::default(),
            workload: Workload::default(),
            normalizer: Normalizer::new(options),
            is_too_many: false,
        }
    }

    /// Those of a file, faults or not.
    pub(super) fn of(file: &RuleFile) -> Self {
        let mut patterns = Self::new(file.fingerprint);
        for rule in &file.rules {
            let _ = rule.matching.pattern.as_deref().map(|pattern| patterns.check(pattern));
            let _ = patterns.admit(rule);
        }
        patterns
    }

    /// Refuses what is no regular expression on the normalised text, and the first with which all take too much memory. Beyond
    /// it patterns are not looked at any more.
    pub(super) fn check(&mut self, pattern: &str) -> Result<(), Misread> {
        text::PATTERN.check(pattern)?;
        match self.compiled.compile(pattern) {
            Ok(_) | Err(NotCompiled::Unread) => Ok(()),
            Err(NotCompiled::Unusable(reason)) => Err(malformed(
                pattern,
                "a regular expression",
                &reason,
                "write a regular expression such as `select.*from reports`; `\\` before a character takes it as it is",
            )),
            Err(NotCompiled::OverBudget(bytes)) => Err(Misread::new(
                Wrong::TooLarge,
                format!(
                    "with {} the patterns up to here take {bytes} bytes compiled, and {} is the most for a file",
                    quoted(pattern),
                    CompiledPatterns::MAX_BYTES
                ),
                "write fewer or shorter patterns, with smaller repetitions such as `{1000}`; match by `tables` or `keywords`",
            )),
        }
    }

    /// Takes a rule of the file in whose pattern was checked, and refuses the first with which the work that a text may make
    /// is too much.
    pub(super) fn admit(&mut self, rule: &Rule) -> Result<(), Misread> {
        let matching = &rule.matching;
        let Some(pattern) = matching.pattern.as_deref() else { return Ok(()) };
        // One that names shapes is asked about those alone.
        let spared = rule.on == On::Request || !matching.fingerprints.is_empty() || !matching.like.is_empty();
        if spared || !self.compiled.knows(pattern) {
            return Ok(());
        }
        // What is at fault otherwise is told where it is.
        let Ok(condition) = Condition::new(rule, &mut self.normalizer, &mut self.compiled) else { return Ok(()) };
        self.workload.place(&condition);
        let (open, states) = (self.workload.open(), self.workload.open_states());
        if states <= Workload::MAX_OPEN || self.is_too_many {
            return Ok(());
        }
        self.is_too_many = true;
        Err(Misread::new(
            Wrong::TooMany,
            format!(
                "{} is the {open}. pattern up to here that no text of its own spares a statement, and with {states} states \
                 together they are more than {} take for each byte of a statement",
                quoted(pattern),
                Workload::MAX_OPEN
            ),
            "write into each pattern a text that only few others hold, such as a table's name, or match by `tables` or \
             `keywords` besides",
        ))
    }

    /// What is near its bound.
    pub(super) fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        let (open, states, most) = (self.workload.open(), self.workload.open_states(), Workload::MAX_OPEN);
        if states > most / 2 {
            warnings.push(format!(
                "{open} patterns without a text that only few others hold are run on every new statement: they have {states} \
                 states together, and {most} is the most; write such a text into them, or match by `tables` or `keywords` besides"
            ));
        }
        let (bytes, most) = (self.compiled.bytes(), CompiledPatterns::MAX_BYTES);
        if bytes > most / 2 {
            warnings.push(format!("the patterns take {bytes} bytes compiled, and {most} is the most for a file"));
        }
        warnings
    }
}

/// Refuses what is no account as MySQL writes it.
pub(super) fn check_account(account: &str) -> Result<(), Misread> {
    let expected = "write an account such as `dev@192.168.%`, or `dev` for one from any host";
    check(&text::USER, account, |text| Account::new(text).map(drop), "an account", expected)
}

/// Refuses what is no table's name, `*` for any characters among them.
pub(super) fn check_table(table: &str) -> Result<(), Misread> {
    let expected = "write a name such as `orders`, `orders_*` or `shop.orders`";
    check(&text::TABLE, table, |text| TableGlob::new(text).map(drop), "a table's name", expected)
}

/// Refuses what is no single word.
pub(super) fn check_keyword(keyword: &str) -> Result<(), Misread> {
    let expected = "write the words one by one: `keywords: [select, reports]`";
    check(&text::KEYWORD, keyword, |text| Keyword::new(text).map(drop), "a word", expected)
}

fn check(
    bounds: &TextBounds,
    text: &str,
    compile: impl FnOnce(&str) -> Result<(), String>,
    noun: &str,
    expected: &str,
) -> Result<(), Misread> {
    bounds.check(text)?;
    compile(text).map_err(|reason| malformed(text, noun, &reason, expected))
}

fn malformed(text: &str, noun: &str, reason: &str, expected: &str) -> Misread {
    let reason: String = reason.chars().filter(|c| !c.is_control()).take(MOST_TOLD).collect();
    Misread::new(Wrong::Malformed, format!("{} is not {noun}: {reason}", quoted(text)), expected)
}
