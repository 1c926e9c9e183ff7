//! How much an engine may hold.

use super::bounds;
use super::quantity::{Bytes, Misread, Wrong};

/// How much an engine may hold. The file's `max_sql_bytes` is
/// [`FingerprintOptions::max_sql_bytes`](crate::FingerprintOptions::max_sql_bytes).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Most limiters a rule keeps; newcomers beyond it share one. 1 to 50,000,000.
    pub max_keys: usize,
    /// Most rules of a file, thresholds among them. 1 to 100,000.
    pub max_rules: usize,
    /// Rules from which a warning is due. 1 to 100,000.
    pub warn_rules: usize,
    /// Most bytes of remembered statements. 64 KiB to 2 GiB.
    pub cache_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_keys: 10_000, max_rules: 3_000, warn_rules: 1_000, cache_bytes: 32 << 20 }
    }
}

impl Limits {
    /// Refuses more thresholds and rules together than `max_rules`.
    pub(super) fn check_rules(thresholds: usize, rules: usize, max_rules: usize) -> Result<(), Misread> {
        if thresholds + rules <= max_rules {
            return Ok(());
        }
        let found = match (thresholds, rules) {
            (_, 0) => format!("{thresholds} thresholds are more than the {max_rules} of `limits.max_rules`"),
            (0, _) => format!("{rules} rules are more than the {max_rules} of `limits.max_rules`"),
            _ => {
                format!("{thresholds} thresholds and {rules} rules are more than the {max_rules} of `limits.max_rules`")
            }
        };
        Err(Misread::new(Wrong::TooLarge, found, "write fewer, or raise `limits: {max_rules: …}`"))
    }

    /// What is out of its bounds: the field, the code and why.
    pub(super) fn problems(&self) -> Vec<(&'static str, &'static str, Misread)> {
        let mut problems = Vec::new();
        let mut check = |field, codes: bounds::Codes, result: Result<(), Misread>| {
            if let Err(misread) = result {
                problems.push((field, codes.of(misread.wrong), misread));
            }
        };
        for (field, bounds, value) in [
            ("max_keys", bounds::MAX_KEYS, self.max_keys),
            ("max_rules", bounds::MAX_RULES, self.max_rules),
            ("warn_rules", bounds::WARN_RULES, self.warn_rules),
        ] {
            check(field, bounds.codes, bounds.check(value).map(drop));
        }
        check("cache_bytes", bounds::CACHE_BYTES.codes, bounds::CACHE_BYTES.check(Bytes(self.cache_bytes)).map(drop));
        problems
    }
}
