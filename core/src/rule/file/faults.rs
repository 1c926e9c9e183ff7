//! The faults of one file, collected until all of it is read.

use crate::error::{Fault, LoadError};
use std::fmt::Write;

/// Most faults that are told of one file; a file of a million faults is one fault repeated.
const MAX_FAULTS: usize = 1_000;
/// Longest part of a key that a path repeats, in characters.
const SHOWN_CHARS: usize = 64;

/// A place in a file: line and column, counted from 1, in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::rule) struct Mark {
    pub(in crate::rule) line: usize,
    pub(in crate::rule) column: usize,
}

impl Mark {
    /// Where a file begins: the place of what concerns it as a whole.
    pub(in crate::rule) const START: Self = Self { line: 1, column: 1 };

    /// The place behind a text that begins a file. As YAML has it, a carriage return alone ends a line too.
    pub(in crate::rule) fn behind(text: &str) -> Self {
        let line_start = text.rfind(['\n', '\r']).map_or(0, |at| at + 1);
        let line = text.matches(['\n', '\r']).count() - text.matches("\r\n").count() + 1;
        let column = text[line_start..].trim_start_matches('\u{feff}').chars().count() + 1;
        Self { line, column }
    }
}

/// The faults found so far.
#[derive(Debug, Default)]
pub(super) struct Faults {
    list: Vec<Fault>,
    untold: usize,
}

impl Faults {
    /// Whether further ones are counted and not told.
    pub(super) fn is_full(&self) -> bool {
        self.list.len() >= MAX_FAULTS
    }

    pub(super) fn push(&mut self, mark: Mark, code: &'static str, path: &str, found: String, expected: String) {
        if self.is_full() {
            self.untold += 1;
            return;
        }
        let (path, line, column) = (path.to_owned(), mark.line, mark.column);
        self.list.push(Fault { code, path, line, column, found, expected });
    }

    /// Nothing, where there is no fault; otherwise all of them in the order of the file.
    pub(super) fn into_result(mut self) -> Result<(), LoadError> {
        if self.list.is_empty() {
            return Ok(());
        }
        self.list.sort_by_key(|fault| (fault.line, fault.column));
        if self.untold > 0 {
            let place = self.list.last().map_or(Mark::START, |fault| Mark { line: fault.line, column: fault.column });
            self.list.push(Fault {
                code: "file.too_many_faults",
                path: String::new(),
                line: place.line,
                column: place.column,
                found: format!("{} more faults are not listed", self.untold),
                expected: "correct those above first".to_owned(),
            });
        }
        Err(LoadError::with_faults(self.list))
    }
}

/// Appends a key to a path: `thresholds."9f2c41d07b6e".window`.
pub(super) fn push_key(path: &mut String, key: &str) {
    if !path.is_empty() {
        path.push('.');
    }
    let is_name = key.bytes().all(|b| b.is_ascii_lowercase() || b == b'_') && key.len() <= SHOWN_CHARS;
    // A fingerprint may happen to hold letters only; it is quoted like its neighbours.
    let is_digits = key.bytes().all(|b| b.is_ascii_hexdigit());
    if is_name && !is_digits {
        path.push_str(key);
        return;
    }
    push_quoted(path, key);
}

/// Appends a text in quotes, cut where it is long.
fn push_quoted(path: &mut String, key: &str) {
    path.push('"');
    for (i, c) in key.chars().enumerate() {
        if i == SHOWN_CHARS {
            path.push('…');
            break;
        }
        if c.is_control() || matches!(c, '"' | '\\') {
            // Writing to a String cannot fail.
            let _ = write!(path, "{}", c.escape_default());
        } else {
            path.push(c);
        }
    }
    path.push('"');
}

/// The path of a rule: by its name, `rules."reports"`, or by its place, counted from 0, where it has none.
pub(crate) fn rule_path(place: usize, name: Option<&str>) -> String {
    match name {
        Some(name) if !name.is_empty() => {
            let mut path = "rules.".to_owned();
            push_quoted(&mut path, name);
            path
        }
        _ => format!("rules[{place}]"),
    }
}

/// A path and a key behind it.
pub(crate) fn path_to(path: &str, key: &str) -> String {
    let mut path = path.to_owned();
    push_key(&mut path, key);
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_are_no_names_are_quoted_in_a_path() {
        let cases = [
            ("window", "window"),
            ("9f2c41d07b6e", "\"9f2c41d07b6e\""),
            ("abcdefabcdef", "\"abcdefabcdef\""),
            ("", "\"\""),
            ("a.b", "\"a.b\""),
            ("say \"a\"\n", "\"say \\\"a\\\"\\n\""),
        ];
        for (key, expected) in cases {
            let mut path = String::new();
            push_key(&mut path, key);
            assert_eq!(path, expected);
        }
        let mut path = "limits".to_owned();
        push_key(&mut path, &"k".repeat(1_000_000));
        assert!(path.starts_with("limits.\"kkk") && path.ends_with("k…\"") && path.len() < 100, "{path}");
    }
}
