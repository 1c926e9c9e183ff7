//! Which database wrote a log, told from its first lines.

use super::Format;
use super::foreign::Foreign;
use super::lines::Lines;
use super::{mysql, postgresql};
use std::fmt;

/// How far into a log a line of a known format is looked for, in bytes.
const FAR: usize = 1 << 20;

/// The log's first lines belong to no format that is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unrecognised(Hint);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Hint {
    Foreign(Foreign),
    /// The log could not be read on.
    Fault(String),
    Nothing,
}

impl fmt::Display for Unrecognised {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("neither a MySQL slow log nor a PostgreSQL stderr log; ")?;
        match &self.0 {
            Hint::Foreign(foreign) => foreign.fmt(f),
            Hint::Fault(error) => write!(f, "only its beginning could be read: {error}"),
            Hint::Nothing => f.write_str("give --format if it is one that begins with something else"),
        }
    }
}

impl std::error::Error for Unrecognised {}

/// What a line says of the log it stands in.
enum Sign {
    Format(Format),
    /// MySQL wrote it, at the head of a log of either kind.
    Banner,
    Foreign(Foreign),
    Nothing,
}

impl Sign {
    fn of(line: &[u8]) -> Self {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if let Some(foreign) = Foreign::of(line) {
            Self::Foreign(foreign)
        } else if mysql::begins_entry(line) {
            Self::Format(Format::MySql)
        } else if mysql::is_banner(line) {
            Self::Banner
        } else if postgresql::severity(line).is_some() {
            Foreign::around_message(line).map_or(Self::Format(Format::PostgreSql), Self::Foreign)
        } else {
            Self::Nothing
        }
    }
}

/// The format of the first line that belongs to one; none where the log is empty. Where the format is given, a line of a
/// form that would be read wrongly is looked for all the same.
pub(super) fn format(lines: &mut Lines, given: Option<Format>) -> Result<Option<Format>, Unrecognised> {
    let (mut looked_at, mut found) = (0, given);
    let spoilt = |foreign: Foreign| given.is_none_or(|given| foreign.spoils(given));
    loop {
        let unread = lines.unread();
        while let Some(len) = memchr::memchr(b'\n', &unread[looked_at..]) {
            match Sign::of(&unread[looked_at..looked_at + len]) {
                Sign::Format(format) => return Ok(given.or(Some(format))),
                Sign::Foreign(foreign) if spoilt(foreign) => return Err(Unrecognised(Hint::Foreign(foreign))),
                Sign::Banner => found = found.or(Some(Format::MySql)),
                Sign::Foreign(_) | Sign::Nothing => {}
            }
            looked_at += len + 1;
        }
        if lines.unread().len() > FAR || !lines.fill() {
            break;
        }
    }
    let unread = lines.unread();
    // The last line may have no end.
    match Sign::of(&unread[looked_at..]) {
        Sign::Format(format) => Ok(given.or(Some(format))),
        Sign::Foreign(foreign) if spoilt(foreign) => Err(Unrecognised(Hint::Foreign(foreign))),
        Sign::Banner => Ok(found.or(Some(Format::MySql))),
        _ if found.is_some() || unread.is_empty() => Ok(found),
        _ => Err(Unrecognised(hint(lines))),
    }
}

/// Whether a text that was given as SQL begins like a log. Only its first line that is not blank is looked at: further down,
/// statements may hold anything.
pub(crate) fn begins_like_a_log(text: &[u8]) -> bool {
    let mut lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end);
    let first = lines.find(|line| !line.is_empty()).unwrap_or_default();
    matches!(Sign::of(first), Sign::Format(_) | Sign::Banner)
}

/// What may be wrong with a log of no format.
fn hint(lines: &Lines) -> Hint {
    let first = lines.unread().split(|byte| *byte == b'\n').next().unwrap_or_default();
    match (Foreign::guess(first), lines.fault()) {
        (Some(foreign), _) => Hint::Foreign(foreign),
        (None, Some(error)) => Hint::Fault(error.to_string()),
        (None, None) => Hint::Nothing,
    }
}
