//! The readers of database logs, plain and compressed, over inputs that come in pieces and may fail.
//!
//! The first bytes say how the log comes in, the rest is the log.

use sqlthrottle_cli::log::{Content, Entry, Format, LogReader, Totals, source};
use std::io::{self, Read};

/// Most bytes that are decompressed: what a few bytes of input can grow to is without bound.
const LONGEST_LOG: u64 = 1 << 20;

/// Panics where a line or an entry is not accounted for, or depends on the pieces that the log comes in.
pub fn run(data: &[u8]) {
    let Some((&[choice, step, longest], log)) = data.split_first_chunk::<3>() else { return };
    let format = match choice % 4 {
        0 => None,
        1 => Some(Format::MySql),
        _ => Some(Format::PostgreSql),
    };
    let longest = if longest == u8::MAX { 1 << 20 } else { usize::from(longest) * 8 };
    let fails = choice & 4 != 0;
    if choice & 8 != 0 {
        decompressed(log, format, longest);
        return;
    }
    let whole = read(Box::new(Pieces::new(log, log.len(), fails)), format, longest);
    let pieces = read(Box::new(Pieces::new(log, usize::from(step), fails)), format, longest);
    assert_eq!(whole, pieces, "pieces of {step} bytes are read in another way");

    let Some(whole) = whole else { return };
    assert!(whole.sql.iter().all(|sql| sql.len() <= longest), "an entry is longer than asked for");
    assert_eq!(whole.failed, fails, "a failing input is not told");
    let lines = log.split_inclusive(|byte| *byte == b'\n').count();
    assert_eq!(whole.totals.lines, lines as u64, "lines are lost");
}

fn decompressed(log: &[u8], format: Option<Format>, longest: usize) {
    if let Ok(input) = source::decompress(Box::new(io::Cursor::new(log.to_vec()))) {
        read(Box::new(input.take(LONGEST_LOG)), format, longest);
    }
}

/// What a log was read to.
#[derive(Debug, PartialEq, Eq)]
struct Reading {
    entries: Vec<Entry>,
    sql: Vec<Vec<u8>>,
    totals: Totals,
    failed: bool,
}

/// Reads a log to its end; none where its format cannot be told.
fn read(input: Box<dyn Read + Send>, format: Option<Format>, longest: usize) -> Option<Reading> {
    let mut reader = LogReader::with_longest(input, format, longest).ok()?;
    let (mut entries, mut sql): (Vec<Entry>, _) = (Vec::new(), Vec::new());
    while let Some(entry) = reader.next_entry() {
        if let Some(before) = entries.last() {
            assert!(before.at <= entry.at, "time runs backwards: {before:?}, {entry:?}");
            assert!(before.line <= entry.line, "lines run backwards: {before:?}, {entry:?}");
        }
        assert!((1..=reader.totals().lines).contains(&entry.line), "{entry:?} of {} lines", reader.totals().lines);
        if entry.content == Content::Statement {
            assert!(!reader.sql().trim_ascii().is_empty(), "a statement without a text: {entry:?}");
            sql.push(reader.sql().to_vec());
        }
        entries.push(entry);
    }
    assert!(reader.next_entry().is_none(), "an entry behind the last");
    let totals = *reader.totals();
    assert_eq!(totals.lines, totals.entry_lines + totals.other_lines, "{totals:?}");
    assert_eq!(totals.entries, entries.len() as u64, "{totals:?}");
    let broken = entries.iter().filter(|entry| matches!(entry.content, Content::Broken(_))).count();
    assert_eq!(totals.broken, broken as u64, "{totals:?}");
    // The first time that is known can be both astray and a step.
    assert!(totals.late + totals.untimed + totals.steps + totals.astray <= 2 * totals.entries, "{totals:?}");
    Some(Reading { entries, sql, totals, failed: reader.fault().is_some() })
}

/// Gives a log out in pieces of some length, and then ends or fails.
struct Pieces {
    log: io::Cursor<Vec<u8>>,
    step: usize,
    fails: bool,
}

impl Pieces {
    fn new(log: &[u8], step: usize, fails: bool) -> Self {
        Self { log: io::Cursor::new(log.to_vec()), step: step.max(1), fails }
    }
}

impl Read for Pieces {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let step = self.step.min(into.len());
        match self.log.read(&mut into[..step])? {
            0 if self.fails && !into.is_empty() => Err(io::Error::other("the input fails")),
            read => Ok(read),
        }
    }
}
