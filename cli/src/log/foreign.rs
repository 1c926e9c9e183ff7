//! Logs that hold statements in a form that is not read. To read them as something else would lose parts of statements
//! in silence, so they are refused with what to do instead.

use super::Format;
use std::fmt;

/// A form that is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Foreign {
    /// Lines that syslog or the journal wrote: each line of a statement is a message of its own.
    Syslog,
    /// Lines that a container's runtime wrote, each with a stamp of its own.
    Container,
    /// An object a line.
    Json,
    /// A record a line, with quotes.
    Csv,
    /// The general log of MySQL, which has no durations and another form.
    General,
}

impl Foreign {
    /// The form that a line cannot but be of, whatever it holds.
    pub(super) fn of(line: &[u8]) -> Option<Self> {
        if is_syslog(line) {
            Some(Self::Syslog)
        } else if is_container(line) {
            Some(Self::Container)
        } else if is_general(line) {
            Some(Self::General)
        } else {
            None
        }
    }

    /// The form of a line that holds a message of PostgreSQL, or that belongs to no log that is read.
    pub(super) fn around_message(line: &[u8]) -> Option<Self> {
        (line.first() == Some(&b'{')).then_some(Self::Json)
    }

    /// The form that a line looks like which belongs to no log that is read.
    pub(super) fn guess(line: &[u8]) -> Option<Self> {
        let csv = line.first().is_some_and(u8::is_ascii_digit)
            && line.windows(3).any(|part| part == b",\"\"" || part == b",,,");
        if csv { Some(Self::Csv) } else { Self::around_message(line) }
    }

    /// Whether a log said to be of this format would be read wrongly. The lines of a statement, which a log may begin in
    /// the middle of, can have any form.
    pub(super) fn spoils(self, format: Format) -> bool {
        match format {
            Format::MySql => matches!(self, Self::General | Self::Container),
            Format::PostgreSql => true,
        }
    }
}

impl fmt::Display for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Syslog => {
                "it looks like syslog output, which divides statements at their lines: set log_destination = 'stderr'"
            }
            Self::Container => {
                "it looks like the log of a container's runtime, which divides statements at their lines: give what the \
                 server wrote, as `kubectl logs` and `docker logs` print it"
            }
            Self::Json => "it looks like a JSON log, which is not read: set log_destination = 'stderr'",
            Self::Csv => "it looks like a CSV log, which is not read: set log_destination = 'stderr'",
            Self::General => {
                "MySQL's general log is not read: set slow_query_log = ON and long_query_time = 0, and give the slow log"
            }
        })
    }
}

const MONTHS: [&[u8]; 12] =
    [b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec"];

/// Whether a text begins as a form does, where `0` stands for a digit and `_` for a digit or a space.
fn has_form(text: &[u8], form: &[u8]) -> bool {
    text.len() >= form.len()
        && text.iter().zip(form).all(|(byte, form)| match form {
            b'0' => byte.is_ascii_digit(),
            b'_' => byte.is_ascii_digit() || *byte == b' ',
            _ => byte == form,
        })
}

/// What follows a time such as `2024-05-06T12:00:00.123456+00:00 `. PostgreSQL divides date and time by a space.
fn after_iso(line: &[u8]) -> Option<&[u8]> {
    if !has_form(line, b"0000-00-00T00:00:00") {
        return None;
    }
    let len = memchr::memchr(b' ', line)?;
    Some(&line[len + 1..])
}

/// What follows a time such as `May  6 12:00:00 `.
fn after_month(line: &[u8]) -> Option<&[u8]> {
    let month = MONTHS.iter().any(|month| line.starts_with(month));
    (month && has_form(&line[3..], b" _0 00:00:00 ")).then(|| &line[16..])
}

/// `May  6 12:00:00 db1 postgres[77]: …`, `2024-05-06T12:00:00+00:00 db1 postgres[77]: …`, `<134>1 …`.
fn is_syslog(line: &[u8]) -> bool {
    if let Some(priority) = line.strip_prefix(b"<") {
        let digits = priority.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let message = priority[digits..].strip_prefix(b">").filter(|_| (1..=3).contains(&digits));
        return message.is_some_and(|message| {
            after_month(message).is_some() || message.strip_prefix(b"1 ").is_some_and(|rest| after_iso(rest).is_some())
        });
    }
    let Some(rest) = after_month(line).or_else(|| after_iso(line)) else {
        return false;
    };
    // The host, then the program with its process.
    let mut words = rest.split(|byte| *byte == b' ');
    let (Some(host), Some(program)) = (words.next(), words.next()) else {
        return false;
    };
    let process = |program: &[u8]| {
        let open = memchr::memchr(b'[', program).unwrap_or(0);
        open > 0 && program[open + 1..].iter().all(u8::is_ascii_digit)
    };
    !host.is_empty() && program.strip_suffix(b"]:").is_some_and(process)
}

/// `2024-05-06T12:00:00.123456789Z stderr F …`.
fn is_container(line: &[u8]) -> bool {
    after_iso(line).is_some_and(|rest| {
        [&b"stdout F "[..], b"stdout P ", b"stderr F ", b"stderr P "].iter().any(|form| rest.starts_with(form))
    })
}

/// The commands of MySQL's protocol that begin or end what any client does.
const COMMANDS: [&[u8]; 10] = [
    b"Query",
    b"Connect",
    b"Quit",
    b"Prepare",
    b"Execute",
    b"Init DB",
    b"Close stmt",
    b"Reset stmt",
    b"Field List",
    b"Statistics",
];

/// `2024-05-06T12:00:00.123456Z\t    8 Query\tselect 1`; the time may be a short one or left out.
fn is_general(line: &[u8]) -> bool {
    let Some(tab) = memchr::memchr(b'\t', line) else {
        return false;
    };
    let time = &line[..tab];
    let timed = time.is_empty() || has_form(time, b"0000-00-00T00:00:00") || has_form(time, b"000000 _0:00:00");
    let thread = line[tab..].trim_ascii_start();
    let digits = thread.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let Some(command) = thread[digits..].strip_prefix(b" ").filter(|_| timed && digits > 0) else {
        return false;
    };
    COMMANDS
        .iter()
        .any(|name| command.strip_prefix(*name).is_some_and(|rest| rest.is_empty() || rest.first() == Some(&b'\t')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_that_are_not_read_are_told() {
        for (line, form) in [
            (
                "May  6 12:00:00 db1 postgres[77]: [3-1] 2024-05-06 12:00:00 UTC LOG:  statement: select",
                Foreign::Syslog,
            ),
            ("May 16 12:00:00 db1 postgres[77]: [3-2] #011from t", Foreign::Syslog),
            ("2024-05-06T12:00:00.123456+00:00 db1 postgres[77]: LOG:  statement: select", Foreign::Syslog),
            ("<134>1 2024-05-06T12:00:00Z db1 postgres 77 - - [3-1] LOG:  statement: select", Foreign::Syslog),
            ("<134>May  6 12:00:00 postgres[77]: [3-1] LOG:  statement: select", Foreign::Syslog),
            ("2024-05-06T12:00:00.123456789Z stderr F 2024-05-06 12:00:00 UTC LOG:  x", Foreign::Container),
            ("2024-05-06T12:00:00.123456Z\t    8 Query\tselect 1", Foreign::General),
            ("240506 12:00:00\t    8 Connect\troot@localhost on shop", Foreign::General),
            ("240506  9:00:00\t    8 Query\tselect 1", Foreign::General),
            ("\t\t    8 Quit", Foreign::General),
            ("\t    8 Init DB\tshop", Foreign::General),
        ] {
            assert_eq!(Foreign::of(line.as_bytes()), Some(form), "{line}");
        }
    }

    #[test]
    fn what_is_read_is_not_taken_for_another_form() {
        for line in [
            "2017-09-06 08:41:41 UTC [36]: [121-1] user=a,db=b LOG:  statement: select 1",
            "[1-1] 10.2.3.4 2017-09-06 08:41:41 -03 x LOG:  statement: select 1",
            "app[77]: [3-1] LOG:  statement: select 1",
            "2017-09-06 08:41:41 UTC:10.0.0.1(5):a@b:[77]:LOG:  statement: select 1",
            "# Time: 2020-03-11T20:40:43.123456Z",
            "\t8 Querying",
            "\tselect\t8 Query\t",
            "<b>",
            "",
            "2024-05-06T12:00:00",
            "May",
        ] {
            assert_eq!(Foreign::of(line.as_bytes()), None, "{line}");
        }
    }
}
