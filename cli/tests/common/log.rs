//! What the tests of the log readers share.

use sqlthrottle_cli::log::{Content, Format, LONGEST_ENTRY, LogReader, Totals};
use std::io::Cursor;
use std::time::Duration;

/// An entry with its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub line: u64,
    pub at: String,
    pub query_time: Option<Duration>,
    pub content: Content,
    /// Empty where the entry is no statement.
    pub sql: String,
}

/// A log, read to its end.
#[derive(Debug)]
pub struct Read {
    pub format: Option<Format>,
    pub entries: Vec<Entry>,
    pub totals: Totals,
}

/// Reads a log whose format is to be found out, and checks what holds for every log.
pub fn read(log: &str) -> Read {
    read_as(None, log.as_bytes(), LONGEST_ENTRY)
}

/// Reads a log, and checks what holds for every log: each line and each entry is accounted for.
pub fn read_as(format: Option<Format>, log: &[u8], longest: usize) -> Read {
    let mut reader = LogReader::with_longest(Box::new(Cursor::new(log.to_vec())), format, longest).unwrap();
    let mut entries: Vec<Entry> = Vec::new();
    let mut last = None;
    while let Some(entry) = reader.next_entry() {
        assert!(last <= Some(entry.at), "time runs backwards at line {}", entry.line);
        last = Some(entry.at);
        let is_statement = entry.content == Content::Statement;
        let sender = reader.sender();
        let parts = [sender.user, sender.client, sender.database];
        assert!(parts.into_iter().flatten().all(|part| !part.is_empty()), "{sender:?} at line {}", entry.line);
        entries.push(Entry {
            line: entry.line,
            at: entry.at.to_string(),
            query_time: entry.query_time,
            content: entry.content,
            sql: if is_statement { String::from_utf8_lossy(reader.sql()).into_owned() } else { String::new() },
        });
    }
    let totals = *reader.totals();
    let newlines = log.split(|byte| *byte == b'\n').count() as u64 - 1;
    let unended = u64::from(log.last().is_some_and(|byte| *byte != b'\n'));
    assert_eq!(totals.lines, newlines + unended);
    assert_eq!(totals.lines, totals.entry_lines + totals.other_lines);
    assert_eq!(totals.entries, entries.len() as u64);
    let broken = entries.iter().filter(|entry| matches!(entry.content, Content::Broken(_))).count();
    assert_eq!(totals.broken, broken as u64);
    assert!(entries.windows(2).all(|pair| pair[0].line < pair[1].line));
    Read { format: reader.format(), entries, totals }
}

/// A statement, its duration in microseconds.
pub fn statement(line: u64, at: &str, micros: u64, sql: &str) -> Entry {
    Entry {
        line,
        at: at.to_owned(),
        query_time: Some(Duration::from_micros(micros)),
        content: Content::Statement,
        sql: sql.to_owned(),
    }
}
