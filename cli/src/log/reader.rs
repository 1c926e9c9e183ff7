//! One log from its first line to its last.

use super::detect::{self, Unrecognised};
use super::lines::{Ending, Lines};
use super::mysql::MySql;
use super::postgresql::PostgreSql;
use super::sender::{Sender, SenderText};
use super::time::LogTime;
use super::timeline::{Moment, Timeline};
use super::{Broken, Content, Entry, Format, LONGEST_ENTRY, Totals};
use std::io::{self, Read};
use std::time::Duration;

/// Reads a log entry by entry into buffers that are kept.
pub struct LogReader {
    lines: Lines,
    parser: Parser,
    sql: SqlBuffer,
    /// The entry behind the one given out, where the time of that one needed it. Its text has a buffer of its own.
    ahead: Option<RawEntry>,
    sql_ahead: SqlBuffer,
    totals: Totals,
    timeline: Timeline,
}

enum Parser {
    MySql(MySql),
    PostgreSql(Box<PostgreSql>),
    /// A log without a byte: what would have written it cannot be known and does not matter.
    Nothing,
}

impl Parser {
    fn next(&mut self, lines: &mut Lines, sql: &mut SqlBuffer, totals: &mut Totals) -> Option<RawEntry> {
        sql.clear();
        let raw = match self {
            Self::MySql(parser) => parser.next(lines, sql, totals),
            Self::PostgreSql(parser) => parser.next(lines, sql, totals),
            Self::Nothing => None,
        };
        totals.lines = lines.number();
        totals.broken += u64::from(raw.as_ref().is_some_and(|raw| matches!(raw.content, Content::Broken(_))));
        raw
    }
}

impl std::fmt::Debug for LogReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LogReader")
            .field("format", &self.format())
            .field("totals", &self.totals)
            .finish_non_exhaustive()
    }
}

/// An entry as a format's parser gives it out, before its time is put in order.
#[derive(Debug)]
pub(super) struct RawEntry {
    pub(super) line: u64,
    pub(super) time: Option<LogTime>,
    /// Whether the time is UTC; else it is that of the log's own clock.
    pub(super) absolute: bool,
    pub(super) query_time: Option<Duration>,
    pub(super) content: Content,
}

impl RawEntry {
    /// When it says that it happened; a broken one is not to be believed.
    fn moment(&self) -> Option<Moment> {
        let time = self.time.filter(|_| !matches!(self.content, Content::Broken(_)))?;
        Some(Moment { time, query_time: self.query_time.unwrap_or_default() })
    }
}

impl LogReader {
    /// A reader of a log that is not compressed. Without a format, the log's first lines tell it.
    ///
    /// # Errors
    ///
    /// Where the first lines are of a form that would be read wrongly, or no format is given and they belong to none. An input that fails is not an error here: what it
    /// gave before is read, and [`fault`](Self::fault) tells.
    pub fn new(input: Box<dyn Read + Send>, format: Option<Format>) -> Result<Self, Unrecognised> {
        Self::with_longest(input, format, LONGEST_ENTRY)
    }

    /// As [`new`](Self::new), with a limit of one's own for the length of an entry, in bytes.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn with_longest(
        input: Box<dyn Read + Send>,
        format: Option<Format>,
        longest: usize,
    ) -> Result<Self, Unrecognised> {
        let mut lines = Lines::new(input, longest);
        let parser = match detect::format(&mut lines, format)? {
            Some(Format::MySql) => Parser::MySql(MySql::default()),
            Some(Format::PostgreSql) => Parser::PostgreSql(Box::new(PostgreSql::new())),
            None => Parser::Nothing,
        };
        Ok(Self {
            lines,
            parser,
            sql: SqlBuffer::new(longest),
            ahead: None,
            sql_ahead: SqlBuffer::new(longest),
            totals: Totals::default(),
            timeline: Timeline::default(),
        })
    }

    /// The next entry; none at the end of the log, or where it could not be read on.
    pub fn next_entry(&mut self) -> Option<Entry> {
        let raw = if let Some(raw) = self.ahead.take() {
            std::mem::swap(&mut self.sql, &mut self.sql_ahead);
            raw
        } else {
            self.parser.next(&mut self.lines, &mut self.sql, &mut self.totals)?
        };
        let at = match raw.moment() {
            Some(moment) => {
                self.totals.local += u64::from(!raw.absolute);
                let next = if self.timeline.doubts(moment) { self.look_ahead() } else { None };
                self.timeline.timed(moment, next, &mut self.totals)
            }
            None if matches!(raw.content, Content::Broken(_)) => self.timeline.now(),
            None => self.timeline.untimed(raw.query_time.unwrap_or_default(), &mut self.totals),
        };
        Some(Entry { line: raw.line, at, query_time: raw.query_time, content: raw.content })
    }

    /// The moment of the entry that follows.
    fn look_ahead(&mut self) -> Option<Moment> {
        self.ahead = self.parser.next(&mut self.lines, &mut self.sql_ahead, &mut self.totals);
        self.ahead.as_ref().and_then(RawEntry::moment)
    }

    /// The text of the last entry, where it is a [`Content::Statement`].
    pub fn sql(&self) -> &[u8] {
        self.sql.bytes()
    }

    /// Who sent the last entry, where it is a [`Content::Statement`].
    pub fn sender(&self) -> Sender<'_> {
        match self.parser {
            Parser::MySql(_) => self.sql.sender.of_account(),
            Parser::PostgreSql(_) => self.sql.sender.of_prefix(),
            Parser::Nothing => Sender::default(),
        }
    }

    /// The format; none where the log is empty.
    pub fn format(&self) -> Option<Format> {
        match self.parser {
            Parser::MySql(_) => Some(Format::MySql),
            Parser::PostgreSql(_) => Some(Format::PostgreSql),
            Parser::Nothing => None,
        }
    }

    /// What was read so far, which may be one entry more than was given out.
    pub fn totals(&self) -> &Totals {
        &self.totals
    }

    /// What kept the first byte of the log from being read, before any entry was asked for.
    pub fn unreadable(&self) -> Option<&io::Error> {
        self.lines.fault().filter(|_| self.lines.number() == 0 && self.lines.unread().is_empty())
    }

    /// What stopped the reading before the end of the log, and the line it stopped at.
    pub fn fault(&self) -> Option<(u64, &io::Error)> {
        self.lines.fault().map(|error| (self.lines.number(), error))
    }
}

/// The text of the entry being read, and who sent it.
#[derive(Debug)]
pub(super) struct SqlBuffer {
    text: Vec<u8>,
    begin: usize,
    longest: usize,
    overflow: bool,
    pub(super) sender: SenderText,
}

impl SqlBuffer {
    fn new(longest: usize) -> Self {
        Self { text: Vec::new(), begin: 0, longest, overflow: false, sender: SenderText::default() }
    }

    fn clear(&mut self) {
        self.text.clear();
        self.begin = 0;
        self.overflow = false;
        self.sender.clear();
    }

    /// Appends to the text; beyond the longest entry it only notes that there was more.
    #[inline]
    pub(super) fn push(&mut self, text: &[u8]) {
        if text.len() > self.longest.saturating_sub(self.text.len()) {
            self.overflow = true;
        } else if !self.overflow {
            self.text.extend_from_slice(text);
        }
    }

    /// Drops bytes of the beginning.
    pub(super) fn skip(&mut self, len: usize) {
        self.begin = (self.begin + len).min(self.text.len());
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.text[self.begin..]
    }

    /// Whether the text holds a statement: anything but white space and semicolons.
    pub(super) fn is_empty(&self) -> bool {
        self.bytes().iter().all(|byte| byte.is_ascii_whitespace() || *byte == b';')
    }

    pub(super) fn overflow(&self) -> bool {
        self.overflow
    }
}

/// What became of the lines of an entry: the worst of it decides whether the entry can be believed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Damage(Option<Broken>);

impl Damage {
    /// Notes a reason; the first one stays.
    pub(super) fn note(&mut self, reason: Broken) {
        self.0.get_or_insert(reason);
    }

    /// Notes how a line of the entry ended.
    #[inline]
    pub(super) fn line(&mut self, ending: Ending) {
        match ending {
            Ending::Whole => {}
            Ending::TooLong => self.note(Broken::TooLong),
            Ending::CutOff => self.note(Broken::CutOff),
        }
    }

    pub(super) fn reason(self) -> Option<Broken> {
        self.0
    }
}
