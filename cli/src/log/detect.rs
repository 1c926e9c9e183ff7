//! Which database wrote a log, told from its first lines.

use super::Format;
use super::lines::Lines;
use super::{mysql, postgresql};
use std::fmt;

/// How far into a log a line of a known format is looked for, in bytes.
const FAR: usize = 1 << 20;

/// The log's first lines belong to no format that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unrecognised(&'static str);

impl fmt::Display for Unrecognised {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "neither a MySQL slow log nor a PostgreSQL stderr log; {}", self.0)
    }
}

impl std::error::Error for Unrecognised {}

/// The format of the first line that belongs to one; none where the log is empty.
pub(super) fn format(lines: &mut Lines) -> Result<Option<Format>, Unrecognised> {
    let mut looked_at = 0;
    loop {
        let unread = lines.unread();
        while let Some(len) = memchr::memchr(b'\n', &unread[looked_at..]) {
            let line = &unread[looked_at..looked_at + len];
            if let Some(format) = of_line(line) {
                return Ok(Some(format));
            }
            looked_at += len + 1;
        }
        if lines.unread().len() > FAR {
            return Err(hint(lines.unread()));
        }
        if !lines.fill() {
            break;
        }
    }
    let unread = lines.unread();
    match of_line(&unread[looked_at..]) {
        Some(format) => Ok(Some(format)),
        None if unread.is_empty() => Ok(None),
        None => Err(hint(unread)),
    }
}

fn of_line(line: &[u8]) -> Option<Format> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if mysql::begins_entry(line) || mysql::is_banner(line) {
        Some(Format::MySql)
    } else if postgresql::severity(line).is_some() {
        Some(Format::PostgreSql)
    } else {
        None
    }
}

fn hint(text: &[u8]) -> Unrecognised {
    let line = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
    Unrecognised(if line.first() == Some(&b'{') {
        "it looks like a JSON log, which is not read: set log_destination = 'stderr'"
    } else if line.first().is_some_and(u8::is_ascii_digit)
        && line.windows(3).any(|part| part == b",\"\"" || part == b",,,")
    {
        "it looks like a CSV log, which is not read: set log_destination = 'stderr'"
    } else {
        "give --format if it is one that begins with something else"
    })
}
