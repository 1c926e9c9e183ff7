//! Logs of databases: MySQL slow logs and PostgreSQL stderr logs, read entry by entry.
//!
//! A [`LogReader`] takes any bytes to their end without failing: what cannot be read as an entry is given out as a
//! [`Broken`] one with its line, and every line is counted in [`Totals`], either as part of an entry or as another line.

mod detect;
mod foreign;
mod lines;
mod merge;
mod mysql;
mod postgresql;
mod reader;
mod sender;
pub mod source;
mod time;
mod timeline;

pub use detect::Unrecognised;
pub(crate) use detect::begins_like_a_log;
pub use merge::Merge;
pub use reader::LogReader;
pub use sender::Sender;
pub use time::{LogTime, Rfc3339};
pub use timeline::USUAL_DISORDER;

use sqlthrottle::Dialect;
use std::fmt;
use std::time::Duration;

/// Longest entry that is read, in bytes. Longer ones are named as broken and skipped.
pub const LONGEST_ENTRY: usize = 64 << 20;

/// The format of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A slow log of MySQL, MariaDB or Percona Server, of any generation.
    MySql,
    /// A stderr log of PostgreSQL, with any `log_line_prefix`.
    PostgreSql,
}

impl Totals {
    /// Whether the times of the log are those of UTC.
    pub const fn is_utc(&self) -> bool {
        self.local == 0 && self.untimed == 0 && self.steps == 0
    }
}

impl Format {
    /// The name used on the command line and in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::MySql => "mysql",
            Self::PostgreSql => "postgresql",
        }
    }

    /// What such a log is called.
    pub const fn description(self) -> &'static str {
        match self {
            Self::MySql => "slow log of MySQL",
            Self::PostgreSql => "stderr log of PostgreSQL",
        }
    }

    /// The dialect of the database that writes it.
    pub const fn dialect(self) -> Dialect {
        match self {
            Self::MySql => Dialect::MySql,
            Self::PostgreSql => Dialect::PostgreSql,
        }
    }
}

/// One entry of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The line the entry begins at, from 1.
    pub line: u64,
    /// When it happened. Never before the entry before it: see [`Totals::late`], [`Totals::steps`], [`Totals::astray`]
    /// and [`Totals::untimed`].
    pub at: LogTime,
    /// How long the statement took, where the log says so.
    pub query_time: Option<Duration>,
    /// What the entry holds.
    pub content: Content,
}

/// What an entry holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// A statement that was sent: its text is [`LogReader::sql`].
    Statement,
    /// A command of the protocol that is not SQL (MySQL's `# administrator command: Quit`).
    Administrator,
    /// A further fetch from a portal whose statement was executed before (PostgreSQL's `execute fetch from`).
    Fetch,
    /// An entry without a text.
    Empty,
    /// An entry that could not be read.
    Broken(Broken),
}

/// Why an entry could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Broken {
    /// Its time has the right form, but there is no such day or hour.
    ImpossibleTime,
    /// Its duration is not a number.
    ImpossibleDuration,
    /// It is longer than [`LONGEST_ENTRY`].
    TooLong,
    /// The log could not be read on in the middle of it.
    CutOff,
    /// It begins before the log does.
    NoBeginning,
    /// The line has a time, but no severity: it was cut, or another program wrote it.
    NoSeverity,
}

impl Broken {
    /// The name used in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ImpossibleTime => "impossible_time",
            Self::ImpossibleDuration => "impossible_duration",
            Self::TooLong => "too_long",
            Self::CutOff => "cut_off",
            Self::NoBeginning => "no_beginning",
            Self::NoSeverity => "no_severity",
        }
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ImpossibleTime => "there is no such day or hour",
            Self::ImpossibleDuration => "the duration is not a number",
            Self::TooLong => "the entry is longer than 64 MiB",
            Self::CutOff => "the log could not be read on in the middle of the entry",
            Self::NoBeginning => "the beginning of the entry is not in the log",
            Self::NoSeverity => "a time but no severity: the line was cut, or another program wrote it",
        })
    }
}

/// What was read of a log. `lines` is always `entry_lines + other_lines`, and `entries`, at the end of the log, the number
/// of entries given out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Lines.
    pub lines: u64,
    /// Lines that belong to entries.
    pub entry_lines: u64,
    /// Lines that belong to no entry: banners, and what PostgreSQL logs besides statements.
    pub other_lines: u64,
    /// Entries begun.
    pub entries: u64,
    /// Entries that could not be read.
    pub broken: u64,
    /// Entries without a time of their own, read before any time was known: each is taken to begin when the one before
    /// it was done. Later entries without a time have the time of the entry before.
    pub untimed: u64,
    /// Entries with a time by the log's own clock, which does not say how far it is from UTC.
    pub local: u64,
    /// Entries with a time before that of the entry before them, by no more than [`USUAL_DISORDER`] and the duration of
    /// the statement: each is taken to happen together with the entry before it, because limiters run on monotone time.
    pub late: u64,
    /// How much too early the worst of them is.
    pub latest: Duration,
    /// How often the clock of the log was set: back by more than that, or on by more than a year. The first entry of the
    /// new time is taken to happen together with the entry before it, and those that follow go on from there.
    pub steps: u64,
    /// Entries with a time that neither the entry before nor the entry behind them shares: each is taken to happen
    /// together with the entry before it.
    pub astray: u64,
}
