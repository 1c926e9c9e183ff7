//! The fingerprint cases, and what is held against each of them in whatever language it is run.

use crate::conformance_files::{Kind, load};
use serde::Deserialize;
use sqlthrottle::{Dialect, FingerprintOptions, HashKind, InLists};
use std::collections::HashMap;
use std::fmt::Write as _;

pub(crate) const FINGERPRINT: Kind = Kind::in_directory("fingerprint");

/// The largest statement is a megabyte; a report shows no more of it than a reader takes in.
const SHOWN_BYTES: usize = 400;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CaseFile {
    pub(crate) topic: String,
    pub(crate) cases: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    pub(crate) id: String,
    pub(crate) about: String,
    pub(crate) dialect: String,
    #[serde(default)]
    options: CaseOptions,
    sql: Option<Bytes>,
    normalized: Option<Bytes>,
    fingerprint: Option<String>,
    text: Option<String>,
    same: Option<Vec<Bytes>>,
    differ: Option<Vec<Bytes>>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct CaseOptions {
    hash: Option<String>,
    in_lists: Option<String>,
    fold_digits: Option<bool>,
    max_sql_bytes: Option<usize>,
}

/// A statement or a normalised text, in one of the three ways a file may write bytes.
#[derive(Deserialize)]
#[serde(untagged)]
enum Bytes {
    Utf8(String),
    Hex(Hex),
    Repeat(Repeat),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Hex {
    hex: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Repeat {
    prefix: String,
    unit: String,
    times: usize,
    suffix: String,
}

impl Bytes {
    fn decode(&self) -> Result<Vec<u8>, String> {
        match self {
            Self::Utf8(text) => Ok(text.clone().into_bytes()),
            Self::Hex(Hex { hex }) => hex.as_bytes().chunks(2).map(|pair| decode_pair(pair, hex)).collect(),
            Self::Repeat(Repeat { prefix, unit, times, suffix }) => {
                Ok(format!("{prefix}{}{suffix}", unit.repeat(*times)).into_bytes())
            }
        }
    }
}

fn decode_pair(pair: &[u8], hex: &str) -> Result<u8, String> {
    let digits = str::from_utf8(pair).ok().filter(|digits| digits.len() == 2);
    digits
        .and_then(|digits| u8::from_str_radix(digits, 16).ok())
        .ok_or_else(|| format!("`{hex}` is not pairs of hexadecimal digits"))
}

/// What a case asks for; exactly one of the three.
enum Expectation<'a> {
    Exact { sql: &'a Bytes, normalized: &'a Bytes },
    Same(&'a [Bytes]),
    Differ(&'a [Bytes]),
}

impl Case {
    fn expectation(&self) -> Result<Expectation<'_>, String> {
        let pinned = self.fingerprint.is_some() || self.text.is_some();
        match (&self.sql, &self.normalized, &self.same, &self.differ) {
            (Some(sql), Some(normalized), None, None) => Ok(Expectation::Exact { sql, normalized }),
            (None, None, Some(same), None) if same.len() > 1 && !pinned => Ok(Expectation::Same(same)),
            (None, None, None, Some(differ)) if differ.len() > 1 && !pinned => Ok(Expectation::Differ(differ)),
            _ => Err("a case holds either sql and normalized, or two or more of same, or two or more of differ".into()),
        }
    }

    fn options(&self) -> Result<FingerprintOptions, String> {
        let dialect: Dialect = self.dialect.parse().map_err(|error| format!("{error}"))?;
        let mut options = FingerprintOptions::new(dialect);
        if let Some(hash) = &self.options.hash {
            options.hash = hash.parse::<HashKind>().map_err(|error| error.to_string())?;
        }
        if let Some(in_lists) = &self.options.in_lists {
            options.in_lists = in_lists.parse::<InLists>().map_err(|error| error.to_string())?;
        }
        if let Some(fold_digits) = self.options.fold_digits {
            options.fold_digits = fold_digits;
        }
        if let Some(max_sql_bytes) = self.options.max_sql_bytes {
            options.max_sql_bytes = max_sql_bytes;
        }
        Ok(options)
    }

    /// What the library does against the case; an error is a case that cannot be run.
    fn run<N: Normalise>(&self, normalizer: impl Fn(FingerprintOptions) -> N) -> Result<Vec<String>, String> {
        let options = self.options()?;
        let mut subject = Subject { options, normalizer: normalizer(options), faults: Vec::new() };
        match self.expectation()? {
            Expectation::Exact { sql, normalized } => {
                self.run_exact(&mut subject, &sql.decode()?, &normalized.decode()?);
            }
            Expectation::Same(statements) => subject.expect_same(statements)?,
            Expectation::Differ(statements) => subject.expect_differ(statements)?,
        }
        Ok(subject.faults)
    }

    fn run_exact(&self, subject: &mut Subject<impl Normalise>, sql: &[u8], normalized: &[u8]) {
        let got = subject.normalize(sql);
        if got.normalized != normalized {
            subject.fault("normalised otherwise", sql, &shown(normalized), &shown(&got.normalized));
        }
        if let Some(fingerprint) = &self.fingerprint
            && *fingerprint != got.fingerprint
        {
            subject.fault("another fingerprint", sql, fingerprint, &got.fingerprint);
        }
        if let (Some(text), Some(got)) = (&self.text, &got.text)
            && text != got
        {
            subject.fault("printed otherwise", sql, text, got);
        }
    }
}

/// What the library made of a statement.
pub(crate) struct Got {
    pub(crate) normalized: Vec<u8>,
    /// What is printed for people; none where the language has no such text.
    pub(crate) text: Option<String>,
    pub(crate) fingerprint: String,
}

/// The library, in one of its languages, with the options of a case.
pub(crate) trait Normalise {
    fn normalise(&mut self, sql: &[u8]) -> Got;
}

/// The normaliser of one case, and what was found wrong with it.
struct Subject<N> {
    options: FingerprintOptions,
    normalizer: N,
    faults: Vec<String>,
}

impl<N: Normalise> Subject<N> {
    /// Normalises, and checks what holds for every statement: the fingerprint is the hash of the normalised text, and
    /// normalising that text gives it back.
    fn normalize(&mut self, sql: &[u8]) -> Got {
        let got = self.normalizer.normalise(sql);
        let hash = self.options.hash.digest(&got.normalized).to_string();
        if got.fingerprint != hash {
            self.fault("no hash of the normalised text", sql, &hash, &got.fingerprint);
        }
        let again = self.normalizer.normalise(&got.normalized);
        if again.normalized != got.normalized {
            self.fault("not idempotent", sql, &shown(&got.normalized), &shown(&again.normalized));
        }
        got
    }

    fn expect_same(&mut self, statements: &[Bytes]) -> Result<(), String> {
        let mut first: Option<(Vec<u8>, Got)> = None;
        for statement in statements {
            let sql = statement.decode()?;
            let got = self.normalize(&sql);
            match &first {
                None => first = Some((sql, got)),
                Some((_, expected)) if expected.fingerprint == got.fingerprint => {}
                Some((other, expected)) => {
                    let what = format!("not the shape of `{}`", shown(other));
                    self.fault(&what, &sql, &shown(&expected.normalized), &shown(&got.normalized));
                }
            }
        }
        Ok(())
    }

    fn expect_differ(&mut self, statements: &[Bytes]) -> Result<(), String> {
        let mut seen: HashMap<String, Vec<u8>> = HashMap::new();
        for statement in statements {
            let sql = statement.decode()?;
            let got = self.normalize(&sql);
            if let Some(other) = seen.insert(got.fingerprint, sql.clone()) {
                let expected = format!("another shape than `{}`", shown(&other));
                self.fault("falsely merged", &sql, &expected, &shown(&got.normalized));
            }
        }
        Ok(())
    }

    fn fault(&mut self, what: &str, sql: &[u8], expected: &str, got: &str) {
        let sql = shown(sql);
        self.faults.push(format!("  {what}\n    sql      {sql}\n    expected {expected}\n    got      {got}"));
    }
}

/// Runs every case of the index, and panics with a report of those that do not hold.
pub(crate) fn run_every_case<N: Normalise>(normalizer: impl Fn(FingerprintOptions) -> N) {
    let index = FINGERPRINT.section();
    let mut failures = Vec::new();
    let mut ran = 0;
    for entry in &index.files {
        let file: CaseFile = load(&entry.file);
        let before = ran;
        for case in &file.cases {
            let faults = case.run(&normalizer).unwrap_or_else(|error| panic!("{}: {}: {error}", entry.file, case.id));
            ran += 1;
            if !faults.is_empty() {
                failures.push(format!("{} ({}) {}\n{}", case.id, case.dialect, case.about, faults.join("\n")));
            }
        }
        assert_eq!(ran - before, entry.cases, "{}: the index gives another number of cases", entry.file);
    }
    assert!(failures.is_empty(), "{} of {ran} cases fail\n\n{}\n", failures.len(), failures.join("\n\n"));
    assert_eq!(ran, index.cases, "the total of the index");
}

/// Bytes for a reader: escaped where they are not printable, cut where they are many.
fn shown(bytes: &[u8]) -> String {
    let head = &bytes[..bytes.len().min(SHOWN_BYTES)];
    let mut text = String::new();
    for chunk in head.utf8_chunks() {
        for c in chunk.valid().chars() {
            if c.is_control() {
                text.extend(c.escape_default());
            } else {
                text.push(c);
            }
        }
        for byte in chunk.invalid() {
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    if head.len() < bytes.len() {
        let _ = write!(text, " … [{} bytes]", bytes.len());
    }
    text
}
