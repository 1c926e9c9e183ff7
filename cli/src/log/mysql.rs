//! The slow log of MySQL, MariaDB and Percona Server, of any generation.
//!
//! An entry is a header of `# ` lines, then optionally `use db;` and `SET timestamp=…;`, then the statement, which may
//! have any number of lines, or an `# administrator command: …` line. Which header lines there are depends on the server
//! and its settings; any of them may come first. Lines of the statement may begin with `#` too, because that is a comment
//! in MySQL: only a line that has the whole form of a header ends a statement, or after a `;` one that has its beginning.

mod prefix;

use super::lines::{Ending, Lines};
use super::reader::{Damage, RawEntry, SqlBuffer};
use super::sender::SenderText;
use super::time::{self, CivilClock, Found, LogTime, Stamp};
use super::{Broken, Content, Totals};
use memchr::memmem;
use prefix::Prefix;
use std::time::Duration;

const TIME: &[u8] = b"# Time: ";
const USER: &[u8] = b"# User@Host: ";
const USER_ONLY: &[u8] = b"# User: ";
const THREAD: &[u8] = b"# Thread_id: ";
const QUERY_TIME: &[u8] = b"# Query_time: ";
/// Where other servers say the database, in a header of any name.
const SCHEMA: &[u8] = b"Schema: ";
const ADMINISTRATOR: &[u8] = b"# administrator command: ";

/// Zones differ by multiples of this from UTC, in seconds.
const ZONE_STEP: i64 = 15 * 60;
/// How far from such a multiple a local time and a Unix time of one moment may be apart, in seconds: both are whole ones.
const ZONE_SLACK: i64 = 2;

/// What a line can be in the header of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Header {
    Time,
    User,
    Thread,
    QueryTime,
}

impl Header {
    fn of(line: &[u8]) -> Option<Self> {
        // Every one begins so, and most lines of statements do not.
        if !line.starts_with(b"# ") {
            None
        } else if line.starts_with(TIME) {
            Some(Self::Time)
        } else if line.starts_with(USER) || line.starts_with(USER_ONLY) {
            Some(Self::User)
        } else if line.starts_with(THREAD) {
            Some(Self::Thread)
        } else if line.starts_with(QUERY_TIME) {
            Some(Self::QueryTime)
        } else {
            None
        }
    }

    /// Whether the line has the whole form of this header, which no comment has by accident.
    fn is_whole(self, line: &[u8]) -> bool {
        match self {
            Self::Time => !matches!(read_time(&mut CivilClock::default(), &line[TIME.len()..]), Found::Absent),
            Self::User => memmem::find(line, b"] @ ").is_some(),
            Self::Thread => false,
            Self::QueryTime => {
                line.get(QUERY_TIME.len()).is_some_and(u8::is_ascii_digit)
                    && memmem::find(line, b" Lock_time: ").is_some()
            }
        }
    }
}

/// Whether the line has the form of the first line of an entry.
pub(super) fn begins_entry(line: &[u8]) -> bool {
    Header::of(line).is_some_and(|header| header.is_whole(line))
}

/// Whether the line is the first of the three that a server writes when it opens its log.
pub(super) fn is_banner(line: &[u8]) -> bool {
    line.ends_with(b"started with:") && memmem::find(line, b", Version: ").is_some()
}

/// Whether the line is the second or third of those.
fn follows_banner(line: &[u8]) -> bool {
    line.starts_with(b"Tcp port: ")
        || line.starts_with(b"TCP Port: ")
        || (line.starts_with(b"Time") && memmem::find(line, b"Id Command").is_some())
}

fn read_time(clock: &mut CivilClock, text: &[u8]) -> Found {
    match clock.read(text) {
        Found::Absent => time::short(text),
        found => found,
    }
}

/// Reads entries; knows what holds from one to the next.
#[derive(Debug, Default)]
pub(super) struct MySql {
    clock: CivilClock,
    /// Seconds that the server's zone is east of UTC, learned from the last entry that has both its local time and a Unix
    /// time. Without it the two could not stand on one line of time.
    zone: Option<i64>,
    /// The database of the last entry that says one: the server says it only where it has changed.
    database: Vec<u8>,
}

/// The entry being read.
#[derive(Debug, Default)]
struct Building {
    line: u64,
    header: Option<Stamp>,
    query_time: Option<Duration>,
    seen_time: bool,
    seen_user: bool,
    seen_thread: bool,
    seen_query_time: bool,
    in_text: bool,
    /// Whether the last line of the text that is not blank ends in `;`.
    ended: bool,
    damage: Damage,
    /// Whether the header says the database, or that there is none.
    has_schema: bool,
}

impl Building {
    fn is_begun(&self) -> bool {
        self.line > 0
    }

    fn has_header(&self) -> bool {
        self.seen_time || self.seen_user || self.seen_thread || self.seen_query_time
    }

    /// Whether the entry has a header line that comes no earlier in an entry than this one: then this one begins another.
    fn is_past(&self, header: Header) -> bool {
        match header {
            Header::Time => self.has_header(),
            Header::User => self.seen_user || self.seen_query_time,
            Header::Thread => self.seen_thread,
            Header::QueryTime => self.seen_query_time,
        }
    }
}

impl MySql {
    /// The next entry.
    pub(super) fn next(&mut self, lines: &mut Lines, sql: &mut SqlBuffer, totals: &mut Totals) -> Option<RawEntry> {
        let mut entry = Building::default();
        while lines.advance() {
            let line = lines.bytes();
            let header = Header::of(line);
            if ends(&entry, line, header) {
                lines.hold();
                break;
            }
            let is_command = line.starts_with(ADMINISTRATOR);
            // What was cut off may have been any of these.
            let belongs =
                entry.is_begun() || header.is_some() || is_command || is_text(line) || lines.ending() == Ending::CutOff;
            if !belongs || (!entry.is_begun() && (is_banner(line) || follows_banner(line))) {
                totals.other_lines += 1;
                if is_banner(line) {
                    self.database.clear();
                }
                continue;
            }
            if !entry.is_begun() {
                entry.line = lines.number();
                totals.entries += 1;
            }
            totals.entry_lines += 1;
            entry.damage.line(lines.ending());
            if is_command && !has_statement(sql.bytes()) {
                return Some(self.finish(entry, sql, Some(Content::Administrator)));
            }
            if !entry.in_text && line.first() == Some(&b'#') {
                self.read_header(&mut entry, header, line, &mut sql.sender);
            } else {
                if !entry.in_text && !entry.has_header() {
                    // Logs are rotated and cut anywhere; the end of a statement is not a statement.
                    entry.damage.note(Broken::NoBeginning);
                }
                push_line(&mut entry, line, sql);
            }
        }
        entry.is_begun().then(|| self.finish(entry, sql, None))
    }

    fn read_header(&mut self, entry: &mut Building, header: Option<Header>, line: &[u8], sender: &mut SenderText) {
        if matches!(header, None | Some(Header::Thread))
            && let Some(schema) = schema(line)
        {
            entry.has_schema = true;
            sender.database.clear();
            sender.database.extend_from_slice(schema);
        }
        match header {
            Some(Header::Time) => {
                entry.seen_time = true;
                match read_time(&mut self.clock, &line[TIME.len()..]) {
                    Found::Time(stamp) => {
                        entry.header = Some(stamp);
                        // The oldest servers write both on one line.
                        let rest = &line[TIME.len() + stamp.len..];
                        if let Some(at) = memmem::find(rest, USER) {
                            entry.seen_user = true;
                            sender.head.extend_from_slice(&rest[at + USER.len()..]);
                        }
                    }
                    Found::Absent | Found::Impossible => entry.damage.note(Broken::ImpossibleTime),
                }
            }
            Some(Header::User) => {
                entry.seen_user = true;
                let account = line.strip_prefix(USER).or_else(|| line.strip_prefix(USER_ONLY)).unwrap_or_default();
                sender.head.clear();
                sender.head.extend_from_slice(account);
            }
            Some(Header::QueryTime) => {
                entry.seen_query_time = true;
                match time::duration(&line[QUERY_TIME.len()..], 1_000_000_000) {
                    Some((query_time, _)) => entry.query_time = Some(query_time),
                    None => entry.damage.note(Broken::ImpossibleDuration),
                }
            }
            Some(Header::Thread) => entry.seen_thread = true,
            // Servers add lines of their own to the header.
            None => {}
        }
    }

    fn finish(&mut self, mut entry: Building, sql: &mut SqlBuffer, content: Option<Content>) -> RawEntry {
        if sql.overflow() {
            entry.damage.note(Broken::TooLong);
        }
        let prefix = Prefix::of(sql.bytes());
        if let Some(database) = &prefix.database {
            self.database.clear();
            self.database.extend_from_slice(&sql.bytes()[database.clone()]);
        }
        if !entry.has_schema {
            sql.sender.database.extend_from_slice(&self.database);
        }
        sql.skip(prefix.len);
        let unix = match prefix.timestamp {
            Some(Ok(time)) => Some(time),
            Some(Err(reason)) => {
                entry.damage.note(reason);
                None
            }
            None => None,
        };
        let time = self.time(entry.header, unix, entry.query_time);
        let absolute = unix.is_some() || self.zone.is_some() || entry.header.is_some_and(|header| header.absolute);
        let content = match (entry.damage.reason(), content) {
            (Some(reason), _) => Content::Broken(reason),
            (None, Some(content)) => content,
            (None, None) if sql.is_empty() => Content::Empty,
            (None, None) => Content::Statement,
        };
        RawEntry { line: entry.line, time, absolute, query_time: entry.query_time, content }
    }

    /// The time of an entry: its Unix time, made finer by the header where both name the same second, else the header's.
    fn time(&mut self, header: Option<Stamp>, unix: Option<LogTime>, query_time: Option<Duration>) -> Option<LogTime> {
        let Some(header) = header else { return unix };
        let Some(unix) = unix else {
            let zone = if header.absolute { 0 } else { self.zone.unwrap_or(0) };
            return Some(header.time.plus_seconds(-zone));
        };
        let zone = if header.absolute {
            0
        } else {
            let took = query_time.map_or(0, |query_time| query_time.as_secs_f64().round() as i64);
            // An entry that does not tell says nothing of the zone, unless nothing else does.
            let told = zone(header.time.second() - unix.second(), took, self.zone);
            self.zone = told.or(self.zone);
            self.zone.unwrap_or(0)
        };
        let header = header.time.plus_seconds(-zone);
        Some(if header.second() == unix.second() { header } else { unix })
    }
}

/// The zone of an entry, in seconds east of UTC, from how far its local time is from its Unix time. The local time is that
/// of the end of the statement, the Unix time that of the end or, in other versions, of the beginning: so they are apart
/// by the zone, or by the zone and the time that the statement took. None where they are apart by neither.
fn zone(apart: i64, took: i64, known: Option<i64>) -> Option<i64> {
    let nearest = |apart: i64| {
        let zone = (apart + ZONE_STEP / 2).div_euclid(ZONE_STEP) * ZONE_STEP;
        ((apart - zone).abs() <= ZONE_SLACK).then_some(zone)
    };
    let (ended, begun) = (nearest(apart), nearest(apart - took));
    match (ended, begun) {
        // A statement that took quarters of an hour.
        (Some(ended), Some(begun)) if ended != begun => known.filter(|known| [ended, begun].contains(known)),
        _ => ended.or(begun),
    }
}

/// Whether a line begins something else than the entry that is being read.
fn ends(entry: &Building, line: &[u8], header: Option<Header>) -> bool {
    if !entry.is_begun() {
        return false;
    }
    match header {
        Some(header) if entry.in_text => entry.ended || header.is_whole(line),
        Some(header) => entry.is_past(header),
        None => is_banner(line),
    }
}

fn is_text(line: &[u8]) -> bool {
    !line.trim_ascii().is_empty() && line.first() != Some(&b'#')
}

fn push_line(entry: &mut Building, line: &[u8], sql: &mut SqlBuffer) {
    if entry.in_text {
        sql.push(b"\n");
    } else if line.trim_ascii().is_empty() {
        return;
    }
    sql.push(line);
    entry.in_text = true;
    if let Some(last) = line.trim_ascii_end().last() {
        entry.ended = *last == b';';
    }
}

/// Whether a text holds more than what the server writes before a statement.
fn has_statement(text: &[u8]) -> bool {
    !text[Prefix::of(text).len..].trim_ascii().is_empty()
}

/// The database that a line of a header says, as `Schema: shop  Last_errno: 0`; it may be empty.
fn schema(line: &[u8]) -> Option<&[u8]> {
    let at = memmem::find(line, SCHEMA)?;
    let rest = &line[at + SCHEMA.len()..];
    Some(rest[..memmem::find(rest, b"  ").unwrap_or(rest.len())].trim_ascii())
}
