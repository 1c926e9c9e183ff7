//! Tokens to the normalised text. `docs/fingerprint.md` is the specification, seen from outside.
//!
//! [`pass`] goes over the tokens once and writes; [`frame`] knows the lists that are open and folds them; [`spacing`]
//! puts the one canonical space; [`naming`] finds names of savepoints and cursors; [`digits`] folds digits of table names.

mod digits;
mod distinct;
mod frame;
mod naming;
mod pass;
mod spacing;
mod written;

use super::dialect::Dialect;
use super::hash::Fingerprint;
use super::options::FingerprintOptions;
use distinct::Distinct;
use frame::Frame;
use pass::Pass;
use std::borrow::Cow;
use written::Written;

/// Stands at the end of a printed text that was cut.
const CUT_MARK: &str = "…";

/// Writes normalised texts into a buffer it keeps, so that reading a statement allocates nothing in steady state.
///
/// ```
/// use sqlthrottle::{Dialect, FingerprintOptions, Normalizer};
///
/// let mut normalizer = Normalizer::new(FingerprintOptions::new(Dialect::MySql));
/// let normalized = normalizer.normalize(b"SELECT * FROM t WHERE id IN (1, 2, 3) -- who?");
/// assert_eq!(normalized.text(), "select * from t where id in (?)");
/// ```
#[derive(Debug)]
pub struct Normalizer {
    options: FingerprintOptions,
    out: Written,
    frames: Vec<Frame>,
    distinct: Distinct,
}

impl Normalizer {
    /// A normaliser with the given options.
    pub fn new(options: FingerprintOptions) -> Self {
        Self { options, out: Written::default(), frames: Vec::new(), distinct: Distinct::default() }
    }

    /// How this normaliser reads.
    pub fn options(&self) -> &FingerprintOptions {
        &self.options
    }

    /// Reads in another dialect from now on.
    pub fn set_dialect(&mut self, dialect: Dialect) {
        self.options.dialect = dialect;
    }

    /// Reads a statement. Never fails, whatever the bytes; linear in their number.
    ///
    /// Keeps its buffer for the next statement; one that a giant statement has grown is given back first.
    pub fn normalize(&mut self, sql: &[u8]) -> Normalized<'_> {
        let longest = self.options.max_sql_bytes;
        if sql.len() < longest {
            self.distinct.shrink(longest);
        }
        let most = if sql.len() < longest { longest.saturating_mul(2) } else { usize::MAX };
        self.out.begin(sql.len().min(longest).saturating_add(64), most);
        let statements =
            Pass::new(sql, &self.options, &mut self.out, &mut self.frames, &mut self.distinct).run::<true>();
        Normalized { text: &self.out, options: &self.options, statements }
    }
}

/// A normalised statement, lent by its [`Normalizer`].
#[derive(Clone, Copy, Debug)]
pub struct Normalized<'a> {
    text: &'a [u8],
    options: &'a FingerprintOptions,
    statements: usize,
}

impl<'a> Normalized<'a> {
    /// The whole normalised text. Not UTF-8 where the statement's identifiers were not.
    pub fn as_bytes(&self) -> &'a [u8] {
        self.text
    }

    /// The text for people: at most `max_sql_bytes` and `…` where it was cut, invalid UTF-8 replaced.
    pub fn text(&self) -> Cow<'a, str> {
        let limit = self.options.max_sql_bytes;
        if self.text.len() <= limit {
            return String::from_utf8_lossy(self.text);
        }
        // Not within a character: its continuation bytes go with it.
        let continues = |byte: &u8| byte & 0xC0 == 0x80;
        let end = (limit.saturating_sub(3)..=limit).rev().find(|&end| !continues(&self.text[end])).unwrap_or(limit);
        Cow::Owned(String::from_utf8_lossy(&self.text[..end]).into_owned() + CUT_MARK)
    }

    /// The hash of the whole text.
    pub fn fingerprint(&self) -> Fingerprint {
        self.options.hash.digest(self.text)
    }

    /// The number of statements in the text: 0 where it holds none.
    pub fn statements(&self) -> usize {
        self.statements
    }
}
