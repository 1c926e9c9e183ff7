//! The stderr log of PostgreSQL, with any `log_line_prefix`.
//!
//! A message is a line of prefix, severity, a colon and two spaces, and the text; the text's further lines begin with a
//! tab. Statements are the LOG messages `duration: 0.027 ms  statement: …`, `statement: …`, and `execute name: …` with
//! either beginning. `parse` and `bind` are steps of one execution and are not counted as another.

use super::lines::{Ending, Lines};
use super::reader::{Damage, RawEntry, SqlBuffer};
use super::time::{self, CivilClock, Found, Stamp};
use super::{Broken, Content, Totals};
use memchr::memmem::Finder;
use std::ops::Range;
use std::time::Duration;

/// What stands between a severity and its message.
const COLON: &[u8] = b":  ";

const SEVERITIES: [&[u8]; 13] = [
    b"LOG",
    b"ERROR",
    b"FATAL",
    b"PANIC",
    b"WARNING",
    b"NOTICE",
    b"INFO",
    b"DETAIL",
    b"HINT",
    b"CONTEXT",
    b"STATEMENT",
    b"QUERY",
    b"LOCATION",
];

/// Where a severity stands in a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Severity {
    /// Where its word begins and ends.
    word: Range<usize>,
    is_log: bool,
}

impl Severity {
    /// Where the message begins.
    fn message(&self) -> usize {
        self.word.end + COLON.len()
    }
}

/// The first severity of a line.
pub(super) fn severity(line: &[u8]) -> Option<Severity> {
    find_severity(&Finder::new(COLON), line)
}

fn find_severity(colon: &Finder<'_>, line: &[u8]) -> Option<Severity> {
    let mut from = 0;
    while let Some(at) = colon.find(&line[from..]) {
        let end = from + at;
        let len =
            line[..end].iter().rev().take_while(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit()).count();
        let word = &line[end - len..end];
        if word == b"LOG" {
            return Some(Severity { word: end - len..end, is_log: true });
        }
        if SEVERITIES.contains(&word) || (word.len() == 6 && word.starts_with(b"DEBUG")) {
            return Some(Severity { word: end - len..end, is_log: false });
        }
        from = end + COLON.len();
    }
    None
}

/// What a message says.
#[derive(Debug, PartialEq, Eq)]
enum Message {
    /// A statement or a fetch; its text begins here.
    Statement { text: usize, query_time: Option<Duration>, content: Content },
    /// The duration of a statement that cannot be read.
    Broken,
    /// No statement.
    Other,
}

impl Message {
    fn of(message: &[u8]) -> Self {
        let (mut rest, mut query_time, mut damaged) = (message, None, false);
        if let Some(duration) = message.strip_prefix(b"duration: ") {
            // Normally a number; where it is not, the rest tells whether a statement is lost by it.
            let (value, len) = match time::duration(duration, 1_000_000) {
                Some((value, len)) => (Some(value), len),
                None => (None, duration.iter().take_while(|byte| **byte != b' ').count()),
            };
            let Some(after) = duration[len..].strip_prefix(b" ms") else {
                return Self::Other;
            };
            rest = after.trim_ascii_start();
            query_time = value;
            damaged = value.is_none();
        }
        let Some((text, content)) = statement(rest) else {
            return Self::Other;
        };
        if damaged {
            return Self::Broken;
        }
        Self::Statement { text: message.len() - rest.len() + text, query_time, content }
    }
}

/// Where the text of `statement: …` or `execute name: …` begins.
fn statement(rest: &[u8]) -> Option<(usize, Content)> {
    let (colon, content) = if rest.starts_with(b"statement:") {
        (b"statement".len(), Content::Statement)
    } else if rest.starts_with(b"execute ") {
        // Clients choose the names; none known puts a colon and a space into them.
        let colon =
            Finder::new(b": ").find(rest).or_else(|| rest.len().checked_sub(1).filter(|at| rest[*at] == b':'))?;
        (colon, if rest.starts_with(b"execute fetch from ") { Content::Fetch } else { Content::Statement })
    } else {
        return None;
    };
    // An empty statement leaves nothing behind the colon where an editor or a shipper has trimmed the line.
    Some((colon + 1 + usize::from(rest.get(colon + 1) == Some(&b' ')), content))
}

/// Reads entries; remembers where in the prefix the time stands.
#[derive(Debug)]
pub(super) struct PostgreSql {
    clock: CivilClock,
    colon: Finder<'static>,
    column: usize,
    /// Whether any message has been seen, so that lines with a tab can belong to it.
    seen_message: bool,
}

impl PostgreSql {
    pub(super) fn new() -> Self {
        Self { clock: CivilClock::default(), colon: Finder::new(COLON), column: 0, seen_message: false }
    }

    /// The next entry.
    pub(super) fn next(&mut self, lines: &mut Lines, sql: &mut SqlBuffer, totals: &mut Totals) -> Option<RawEntry> {
        while lines.advance() {
            let line = lines.bytes();
            let read = if line.first() != Some(&b'\t') {
                self.read(line, lines.ending(), sql)
            } else if self.seen_message {
                None
            } else {
                // Logs are rotated and cut anywhere; the end of a statement is not a statement.
                Some((None, None, Content::Broken(Broken::NoBeginning)))
            };
            let Some((time, query_time, content)) = read else {
                totals.other_lines += 1;
                continue;
            };
            self.seen_message = true;
            totals.entries += 1;
            totals.entry_lines += 1;
            let mut damage = Damage::default();
            if let Content::Broken(reason) = content {
                damage.note(reason);
            }
            damage.line(lines.ending());
            let number = lines.number();
            while lines.advance() {
                let Some(text) = lines.bytes().strip_prefix(b"\t") else {
                    lines.hold();
                    break;
                };
                totals.entry_lines += 1;
                sql.push(b"\n");
                sql.push(text);
                damage.line(lines.ending());
            }
            if sql.overflow() {
                damage.note(Broken::TooLong);
            }
            let content = match damage.reason() {
                Some(reason) => Content::Broken(reason),
                None if content == Content::Statement && sql.is_empty() => Content::Empty,
                None => content,
            };
            let absolute = time.is_some_and(|stamp| stamp.absolute);
            return Some(RawEntry { line: number, time: time.map(|stamp| stamp.time), absolute, query_time, content });
        }
        None
    }

    /// Reads the first line of a message; none where it is no entry.
    #[inline]
    fn read(
        &mut self,
        line: &[u8],
        ending: Ending,
        sql: &mut SqlBuffer,
    ) -> Option<(Option<Stamp>, Option<Duration>, Content)> {
        let Some(severity) = find_severity(&self.colon, line) else {
            // Other programs write to the same stderr; their lines have no time where the prefix has it.
            let reason = match ending {
                Ending::CutOff => Broken::CutOff,
                _ if line.get(self.column..).is_some_and(CivilClock::has_form) => Broken::NoSeverity,
                _ => return None,
            };
            return Some((None, None, Content::Broken(reason)));
        };
        self.seen_message = true;
        if !severity.is_log {
            return None;
        }
        let start = severity.message();
        match Message::of(&line[start..]) {
            Message::Other => None,
            Message::Broken => Some((None, None, Content::Broken(Broken::ImpossibleDuration))),
            Message::Statement { text, query_time, content } => {
                let time = match self.time(&line[..severity.word.start]) {
                    Found::Time(stamp) => Some(stamp),
                    Found::Absent => None,
                    Found::Impossible => return Some((None, None, Content::Broken(Broken::ImpossibleTime))),
                };
                sql.push(&line[start + text..]);
                sql.sender.head.extend_from_slice(&line[..severity.word.start]);
                Some((time, query_time, content))
            }
        }
    }

    /// The first time of a prefix.
    fn time(&mut self, prefix: &[u8]) -> Found {
        // A prefix is nearly always laid out like the one before it.
        if let Some(text) = prefix.get(self.column..) {
            let found = self.clock.read(text);
            if found != Found::Absent && (self.column == 0 || !prefix[self.column - 1].is_ascii_digit()) {
                return found;
            }
        }
        for at in 0..prefix.len() {
            if !prefix[at].is_ascii_digit() || (at > 0 && prefix[at - 1].is_ascii_digit()) {
                continue;
            }
            let found = match self.clock.read(&prefix[at..]) {
                Found::Absent => time::epoch(&prefix[at..]),
                found => found,
            };
            if found != Found::Absent {
                self.column = at;
                return found;
            }
        }
        Found::Absent
    }
}
