//! What the command prints: plain lines with colour on a terminal, or one JSON object a line.

use crate::Exit;
use anstream::AutoStream;
use anstyle::{AnsiColor, Style};
use serde_json::Value;
use sqlthrottle::LoadError;
use std::fmt::{self, Display, Write as _};
use std::io::{self, BufWriter, ErrorKind, IsTerminal, StdoutLock, Write};

/// Headings.
pub(crate) const HEADING: Style = Style::new().bold();
/// What went wrong.
pub(crate) const ERROR: Style = AnsiColor::Red.on_default().bold();
/// What deserves attention.
pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default().bold();

/// Why the command ends early.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Standard output cannot be written.
    Output(io::Error),
    /// A rule file was refused.
    Rules(LoadError),
    /// Something else; the text says what.
    Message(String),
}

impl Failure {
    pub(crate) fn message(what: impl Display, why: impl Display) -> Self {
        Self::Message(format!("{what}: {why}"))
    }

    /// Says on standard error what went wrong. Whoever closes our output has seen what they wanted: that is no failure.
    pub(crate) fn report(&self) -> Exit {
        match self {
            Self::Output(error) if error.kind() == ErrorKind::BrokenPipe => return Exit::Success,
            Self::Output(error) => fail(format_args!("standard output: {error}")),
            // A line for each fault.
            Self::Rules(error) => error.to_string().lines().for_each(fail),
            Self::Message(text) => fail(text),
        }
        Exit::Failure
    }
}

/// Says something on standard error that does not end the command.
pub(crate) fn warn(text: impl Display) {
    complain(WARNING, "warning", text);
}

/// Says on standard error what makes the command fail, although it goes on.
pub(crate) fn fail(text: impl Display) {
    complain(ERROR, "error", text);
}

fn complain(style: Style, kind: &str, text: impl Display) {
    let mut stderr = anstream::stderr().lock();
    // There is nowhere left to say that standard error cannot be written.
    let _ = writeln!(stderr, "{style}{kind}:{style:#} {}", Lines(&text.to_string()));
}

/// Standard output, buffered; colours are dropped where it is not a terminal or the environment says so.
pub(crate) struct Output {
    out: BufWriter<AutoStream<StdoutLock<'static>>>,
    /// Columns of the terminal; none where the output is not one and lines may have any length.
    pub(crate) width: Option<usize>,
}

impl Output {
    pub(crate) fn stdout() -> Self {
        let stdout = io::stdout();
        let width =
            stdout.is_terminal().then(|| terminal_size::terminal_size().map_or(80, |(width, _)| usize::from(width.0)));
        Self { out: BufWriter::with_capacity(64 * 1024, AutoStream::auto(stdout.lock())), width }
    }

    pub(crate) fn line(&mut self, line: impl Display) -> Result<(), Failure> {
        writeln!(self.out, "{line}").map_err(Failure::Output)
    }

    pub(crate) fn heading(&mut self, heading: impl Display) -> Result<(), Failure> {
        self.line(format_args!("{HEADING}{heading}{HEADING:#}"))
    }

    pub(crate) fn json(&mut self, object: &Value) -> Result<(), Failure> {
        self.line(object)
    }

    pub(crate) fn finish(&mut self) -> Result<(), Failure> {
        self.out.flush().map_err(Failure::Output)
    }

    /// Prints rows under a heading: numbers to the right, and a last column to the left, cut to the terminal's width.
    pub(crate) fn table(&mut self, heads: &[&str], rows: &[Vec<String>]) -> Result<(), Failure> {
        let last = heads.len().saturating_sub(1);
        let width = |column: usize| {
            let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
            cells.chain([heads[column].chars().count()]).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..last).map(width).collect();
        let used = widths.iter().map(|width| width + 2).sum::<usize>();
        let room = self.width.map(|width| width.saturating_sub(used).max(20));
        let render = |cells: &[String]| {
            let mut line = String::new();
            for (cell, width) in cells.iter().zip(&widths) {
                let _ = write!(line, "{cell:>width$}  ");
            }
            if let Some(cell) = cells.get(last) {
                line.push_str(&cut(cell, room));
            }
            line
        };
        let heads: Vec<String> = heads.iter().map(|head| (*head).to_owned()).collect();
        self.heading(render(&heads))?;
        rows.iter().try_for_each(|row| self.line(render(row)))
    }
}

fn cut(text: &str, room: Option<usize>) -> String {
    match room {
        Some(room) if text.chars().count() > room => text.chars().take(room.saturating_sub(1)).chain(['…']).collect(),
        _ => text.to_owned(),
    }
}

/// A text of foreign origin on one line: control characters, which could move the cursor of a terminal, end the line or
/// turn the direction of writing, are shown as escapes.
pub(crate) struct OneLine<'a>(pub(crate) &'a str);

impl Display for OneLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        escape(self.0, f, false)
    }
}

/// As [`OneLine`], but line feeds stay.
struct Lines<'a>(&'a str);

impl Display for Lines<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        escape(self.0, f, true)
    }
}

fn escape(text: &str, f: &mut fmt::Formatter<'_>, keep_lines: bool) -> fmt::Result {
    for part in text.split_inclusive(is_control) {
        match part.chars().next_back().filter(|last| is_control(*last)) {
            Some('\n') if keep_lines => f.write_str(part)?,
            Some(last) => write!(f, "{}{}", &part[..part.len() - last.len_utf8()], last.escape_default())?,
            None => f.write_str(part)?,
        }
    }
    Ok(())
}

fn is_control(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A number with its thousands divided.
pub(crate) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_divided() {
        for (number, text) in [(0, "0"), (999, "999"), (1_000, "1,000"), (114_594, "114,594"), (1_234_567, "1,234,567")]
        {
            assert_eq!(thousands(number), text);
        }
    }

    #[test]
    fn foreign_text_cannot_steer_a_terminal() {
        assert_eq!(OneLine("a\u{1b}[2Jb\nc\u{202e}é").to_string(), "a\\u{1b}[2Jb\\nc\\u{202e}é");
        assert_eq!(Lines("a\nb\r").to_string(), "a\nb\\r");
    }

    #[test]
    fn long_cells_are_cut_only_on_a_terminal() {
        assert_eq!(cut("select 1", Some(6)), "selec…");
        assert_eq!(cut("select 1", Some(8)), "select 1");
        assert_eq!(cut("select 1", None), "select 1");
    }
}
