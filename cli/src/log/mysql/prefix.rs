//! What the server writes before a statement.

use crate::log::Broken;
use crate::log::time::{self, LogTime};
use std::ops::Range;

/// What the server writes before a statement: `use db;` where it changed, and `SET timestamp=…;`.
#[derive(Debug, Default)]
pub(super) struct Prefix {
    pub(super) len: usize,
    /// Where the database stands that the connection is in.
    pub(super) database: Option<Range<usize>>,
    pub(super) timestamp: Option<Result<LogTime, Broken>>,
}

impl Prefix {
    pub(super) fn of(text: &[u8]) -> Self {
        let mut prefix = Self::default();
        let mut rest = text;
        if let Some(line) = first_line(rest).filter(|line| starts_with(line, b"use ")) {
            prefix.database = Some(named(line));
            rest = rest[line.len()..].trim_ascii_start();
        }
        if let Some(line) = first_line(rest).filter(|line| starts_with(line, b"set "))
            && let Some(timestamp) = timestamp(&line[4..line.len() - 1])
        {
            prefix.timestamp = Some(timestamp);
            rest = rest[line.len()..].trim_ascii_start();
        }
        prefix.len = text.len() - rest.len();
        prefix
    }
}

/// The first line, up to and with its `;`; none where that is not its only one, at its end.
fn first_line(text: &[u8]) -> Option<&[u8]> {
    let semicolon = memchr::memchr2(b';', b'\n', text).filter(|at| text[*at] == b';')?;
    let rest = &text[semicolon + 1..];
    let len = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
    rest[..len].trim_ascii().is_empty().then_some(&text[..=semicolon])
}

/// Where the name stands in `use name;`.
fn named(line: &[u8]) -> Range<usize> {
    let name = line[4..line.len() - 1].trim_ascii_end();
    let blanks = name.len() - name.trim_ascii_start().len();
    let quotes = usize::from(name.len() - blanks > 2 && name[blanks] == b'`' && name.ends_with(b"`"));
    4 + blanks + quotes..4 + name.len() - quotes
}

fn starts_with(line: &[u8], word: &[u8]) -> bool {
    line.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
}

/// Reads `insert_id=34484549,timestamp=1197996507`. None where it sets something else: then it is a statement of the
/// client.
fn timestamp(assignments: &[u8]) -> Option<Result<LogTime, Broken>> {
    let mut found = None;
    for assignment in assignments.split(|byte| *byte == b',') {
        let equals = memchr::memchr(b'=', assignment)?;
        let (name, value) = (assignment[..equals].trim_ascii(), assignment[equals + 1..].trim_ascii());
        let digits = value.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits == 0 {
            return None;
        }
        if name.eq_ignore_ascii_case(b"timestamp") {
            let (micros, len) = time::fraction(&value[digits..]);
            if digits + len != value.len() {
                return None;
            }
            let seconds = std::str::from_utf8(&value[..digits]).ok().and_then(|value| value.parse().ok());
            let time = seconds.and_then(LogTime::from_seconds).map(|time| time.plus_micros(micros));
            found = Some(time.ok_or(Broken::ImpossibleTime));
        } else if !(name.eq_ignore_ascii_case(b"insert_id") || name.eq_ignore_ascii_case(b"last_insert_id")) {
            return None;
        }
    }
    found
}
