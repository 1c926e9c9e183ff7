//! Admin statements: rules that are added and removed while an engine runs.

use super::file::{self, Mark};
use super::quantity::quoted;
use super::{Rule, text};
use crate::error::{Fault, LoadError};
use std::path::Path;

#[cfg(test)]
mod tests;

/// Longest statement, in bytes.
const MAX_BYTES: usize = 1 << 16;
const ADD: &str = "sql_throttle_add_rule";
const REMOVE: &str = "sql_throttle_remove_rule";
const RULES: &str = "sql_throttle_rules";
/// What statements are called where a file has its name.
const NAME: &str = "admin statement";
const EXAMPLES: &str = "write `SET GLOBAL sql_throttle_add_rule = '…'`, `SET GLOBAL sql_throttle_remove_rule = '…'` or \
                        `SHOW GLOBAL sql_throttle_rules`";

/// What an admin statement asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AdminStatement {
    /// Adds a rule. One that was not given a name has an empty one.
    AddRule(Box<Rule>),
    /// Removes the rule of that name.
    RemoveRule(String),
    /// Lists the rules.
    ShowRules,
}

/// Reads an admin statement: `SET GLOBAL sql_throttle_add_rule = '{…}'`, `SET GLOBAL sql_throttle_remove_rule = 'name'` or
/// `SHOW GLOBAL sql_throttle_rules`, words in any case, with a `;` at the end or without.
///
/// # Errors
///
/// Every fault of the rule; of the statement around it the first. Lines and columns are those of the statement.
pub(crate) fn parse(statement: &[u8]) -> Result<AdminStatement, LoadError> {
    read(statement).map_err(|error| error.in_file(Path::new(NAME)))
}

fn read(statement: &[u8]) -> Result<AdminStatement, LoadError> {
    if statement.len() > MAX_BYTES {
        let found = format!("the statement is longer than {MAX_BYTES} bytes");
        return Err(fault(Mark::START, "admin.too_long", found, "write a shorter rule"));
    }
    let statement = std::str::from_utf8(statement).map_err(|error| {
        let valid = statement.get(..error.valid_up_to()).and_then(|valid| std::str::from_utf8(valid).ok());
        let place = Mark::behind(valid.unwrap_or_default());
        fault(place, "admin.encoding", "the statement is not UTF-8", "write it in UTF-8")
    })?;
    let mut cursor = Cursor { text: statement, at: 0 };
    let (verb, place) = cursor.word();
    let sets = verb.eq_ignore_ascii_case("set");
    if !sets && !verb.eq_ignore_ascii_case("show") {
        return Err(fault(place, "admin.unknown", format!("{} begins no admin statement", shown(verb)), EXAMPLES));
    }
    let (scope, place) = cursor.word();
    if !scope.eq_ignore_ascii_case("global") {
        let found = format!("{} stands where `GLOBAL` belongs", shown(scope));
        return Err(fault(place, "admin.not_global", found, EXAMPLES));
    }
    let (variable, place) = cursor.word();
    let names: &[&str] = if sets { &[ADD, REMOVE] } else { &[RULES] };
    let Some(variable) = names.iter().find(|name| name.eq_ignore_ascii_case(variable)) else {
        let found = format!("{} is an unknown variable of {}", shown(variable), if sets { "SET" } else { "SHOW" });
        return Err(fault(place, "admin.variable.unknown", found, file::suggest(variable, names, "write")));
    };
    if !sets {
        cursor.end()?;
        return Ok(AdminStatement::ShowRules);
    }
    cursor.equals(variable)?;
    let value = cursor.string()?;
    cursor.end()?;
    if *variable == REMOVE {
        let name: String = value.chars().collect();
        return match text::RULE_NAME.check(&name) {
            Ok(()) => Ok(AdminStatement::RemoveRule(name)),
            Err(misread) => {
                let code = text::RULE_NAME.codes.of(misread.wrong);
                Err(fault(cursor.mark(value.begin), code, misread.found, misread.expected))
            }
        };
    }
    let rule: String = value.chars().collect();
    file::parse_rule(&rule).map(|rule| AdminStatement::AddRule(Box::new(rule))).map_err(|error| {
        let mut faults = error.faults().to_vec();
        for fault in &mut faults {
            let place = cursor.mark(value.place(fault.line, fault.column));
            (fault.line, fault.column) = (place.line, place.column);
        }
        LoadError::with_faults(faults)
    })
}

fn fault(place: Mark, code: &'static str, found: impl Into<String>, expected: impl Into<String>) -> LoadError {
    let (path, found, expected) = (String::new(), found.into(), expected.into());
    LoadError::with_faults(vec![Fault { code, path, line: place.line, column: place.column, found, expected }])
}

/// A word for a message.
fn shown(word: &str) -> String {
    if word.is_empty() { "nothing".to_owned() } else { quoted(word) }
}

/// What is left to read of a statement.
struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn mark(&self, at: usize) -> Mark {
        Mark::behind(&self.text[..at])
    }

    fn skip_blanks(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    /// The next word and its place; empty where none comes next.
    fn word(&mut self) -> (&'a str, Mark) {
        self.skip_blanks();
        let (rest, place) = (self.rest(), self.mark(self.at));
        let len = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        self.at += len;
        (&rest[..len], place)
    }

    fn equals(&mut self, variable: &str) -> Result<(), LoadError> {
        self.skip_blanks();
        if self.rest().starts_with('=') {
            self.at += 1;
            return Ok(());
        }
        let found = format!("`{variable}` is given no value");
        Err(fault(self.mark(self.at), "admin.value.missing", found, format!("write `{variable} = '…'`")))
    }

    /// The string that comes next.
    fn string(&mut self) -> Result<Quoted<'a>, LoadError> {
        self.skip_blanks();
        let open = self.at;
        let Some(quote @ ('\'' | '"')) = self.rest().chars().next() else {
            let expected = "write the value in single or double quotes";
            return Err(fault(self.mark(open), "admin.value.unquoted", "the value is not quoted", expected));
        };
        let value = Quoted { text: self.text, begin: open + 1, quote };
        let mut chars = value.chars();
        chars.by_ref().for_each(drop);
        let close = chars.at;
        if close == self.text.len() {
            let expected = format!("close it with {quote}; a quote inside is written twice or behind a backslash");
            return Err(fault(self.mark(open), "admin.value.unclosed", "the quotes are not closed", expected));
        }
        self.at = close + 1;
        Ok(value)
    }

    /// Refuses anything but a `;` in what is left.
    fn end(&mut self) -> Result<(), LoadError> {
        self.skip_blanks();
        if self.rest().starts_with(';') {
            self.at += 1;
            self.skip_blanks();
        }
        if self.rest().is_empty() {
            return Ok(());
        }
        let found = format!("{} stands behind the statement", quoted(self.rest()));
        let expected = "write one statement at a time; a quote inside a string is written twice or behind a backslash";
        Err(fault(self.mark(self.at), "admin.trailing_text", found, expected))
    }
}

/// A string of a statement, as MySQL writes it.
#[derive(Clone, Copy)]
struct Quoted<'a> {
    text: &'a str,
    /// The place behind the quote that opens it.
    begin: usize,
    quote: char,
}

impl<'a> Quoted<'a> {
    fn chars(self) -> Chars<'a> {
        Chars { text: self.text, at: self.begin, quote: self.quote }
    }

    /// The place in the statement of a line and column of what is quoted.
    fn place(self, line: usize, column: usize) -> usize {
        let mut chars = self.chars();
        let (mut here, mut last) = ((1, 1), '\0');
        while here < (line, column) {
            let Some(c) = chars.next() else { break };
            // As YAML counts lines: a carriage return and a line feed end one line together.
            here = match c {
                '\n' if last == '\r' => here,
                '\n' | '\r' => (here.0 + 1, 1),
                _ => (here.0, here.1 + 1),
            };
            last = c;
        }
        chars.at
    }
}

/// The characters that a string stands for; ends at the closing quote or the end of the text.
struct Chars<'a> {
    text: &'a str,
    at: usize,
    quote: char,
}

impl Iterator for Chars<'_> {
    type Item = char;

    fn next(&mut self) -> Option<char> {
        let mut rest = self.text[self.at..].chars();
        let stands_for = match rest.next()? {
            c if c == self.quote => {
                if rest.clone().next() != Some(c) {
                    return None;
                }
                rest.next();
                c
            }
            '\\' => match rest.clone().next() {
                // Two keep theirs, being escaped for LIKE; what ends in one is not closed either way.
                Some('%' | '_') | None => '\\',
                Some(c) => {
                    rest.next();
                    unescaped(c)
                }
            },
            c => c,
        };
        self.at = self.text.len() - rest.as_str().len();
        Some(stands_for)
    }
}

/// What a character stands for behind a backslash.
const fn unescaped(c: char) -> char {
    match c {
        '0' => '\0',
        'b' => '\u{8}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'Z' => '\u{1a}',
        other => other,
    }
}
