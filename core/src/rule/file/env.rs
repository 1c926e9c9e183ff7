//! `${NAME}` and `${NAME:-default}` in a value, from the environment.

use crate::rule::quantity::quoted;
use std::borrow::Cow;

/// Most bytes that all values of a file may become.
const MAX_BYTES: usize = 8 << 20;

/// Why a value could not be filled in.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Unfilled {
    pub(super) code: &'static str,
    pub(super) found: String,
    pub(super) expected: String,
}

impl Unfilled {
    fn new(code: &'static str, found: String, expected: impl Into<String>) -> Self {
        Self { code, found, expected: expected.into() }
    }
}

/// Says what a variable holds.
type Answer<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Where values come from, and how much of it is left.
pub(super) struct Environment<'a> {
    /// None where nothing is filled in.
    answer: Option<Answer<'a>>,
    left: usize,
}

impl<'a> Environment<'a> {
    pub(super) fn new(answer: Answer<'a>) -> Self {
        Self { answer: Some(answer), left: MAX_BYTES }
    }

    /// Leaves every text as it is.
    pub(super) fn none() -> Self {
        Self { answer: None, left: 0 }
    }

    /// Whether a text is filled in.
    pub(super) fn fills(&self, text: &str) -> bool {
        self.answer.is_some() && text.contains("${")
    }

    /// The text with every `${…}` replaced, in one pass: what comes in is not looked at again. `$${` stands for `${`;
    /// any other `$` is a character like others.
    pub(super) fn fill<'t>(&mut self, text: &'t str) -> Result<Cow<'t, str>, Unfilled> {
        if !self.fills(text) {
            return Ok(Cow::Borrowed(text));
        }
        let mut filled = String::new();
        let mut rest = text;
        while let Some(at) = rest.find("${") {
            let (before, after) = (&rest[..at], &rest[at + 2..]);
            if let Some(before) = before.strip_suffix('$') {
                self.push(&mut filled, before)?;
                self.push(&mut filled, "${")?;
                rest = after;
                continue;
            }
            self.push(&mut filled, before)?;
            let (inner, after) = after.split_once('}').ok_or_else(|| malformed(&rest[at..], "is not closed"))?;
            let value = self.value(inner)?;
            self.push(&mut filled, &value)?;
            rest = after;
        }
        self.push(&mut filled, rest)?;
        Ok(Cow::Owned(filled))
    }

    /// The value of what stands between the braces.
    fn value<'t>(&self, inner: &'t str) -> Result<Cow<'t, str>, Unfilled> {
        let (name, default) = match inner.split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (inner, None),
        };
        let written = format!("${{{inner}}}");
        let first = name.bytes().next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_');
        if !first || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
            return Err(malformed(&written, "names no variable"));
        }
        if default.is_some_and(|default| default.contains("${")) {
            return Err(malformed(&written, "has a variable inside its default"));
        }
        // As a shell has it: a default stands in for an empty variable too.
        match (self.answer.and_then(|answer| answer(name)), default) {
            (Some(value), None) => Ok(Cow::Owned(value)),
            (Some(value), Some(_)) if !value.is_empty() => Ok(Cow::Owned(value)),
            (_, Some(default)) => Ok(Cow::Borrowed(default)),
            (None, None) => Err(Unfilled::new(
                "env.missing",
                format!("the environment has no variable {}", quoted(name)),
                "set it, or give a default: `${NAME:-default}`",
            )),
        }
    }

    fn push(&mut self, filled: &mut String, part: &str) -> Result<(), Unfilled> {
        self.left = self.left.checked_sub(part.len()).ok_or_else(|| {
            let found = format!("the variables of this file come to more than {MAX_BYTES} bytes");
            Unfilled::new("env.too_long", found, "use shorter values, or fewer")
        })?;
        filled.push_str(part);
        Ok(())
    }
}

fn malformed(written: &str, how: &str) -> Unfilled {
    let expected = "write `${NAME}` or `${NAME:-default}`, or `$${` for the characters `${`";
    Unfilled::new("env.malformed", format!("{} {how}", quoted(written)), expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(text: &str) -> Result<String, &'static str> {
        let answer = |name: &str| match name {
            "A" => Some("alpha".to_owned()),
            "EMPTY" => Some(String::new()),
            "TRAP" => Some("${A} $${A} : , [".to_owned()),
            _ => None,
        };
        Environment::new(&answer).fill(text).map(Cow::into_owned).map_err(|unfilled| unfilled.code)
    }

    #[test]
    fn variables_are_filled_in_once() {
        let cases = [
            ("plain", Ok("plain")),
            ("$ $A $$ {A} $", Ok("$ $A $$ {A} $")),
            ("${A}", Ok("alpha")),
            ("<${A}|${A}>", Ok("<alpha|alpha>")),
            ("${A:-b}", Ok("alpha")),
            ("${NONE:-b:-c}", Ok("b:-c")),
            ("${NONE:-}", Ok("")),
            ("${EMPTY}", Ok("")),
            ("${EMPTY:-b}", Ok("b")),
            ("$${A}", Ok("${A}")),
            ("$$${A}", Ok("$${A}")),
            ("$${${A}", Ok("${alpha")),
            ("${TRAP}", Ok("${A} $${A} : , [")),
            ("${NONE}", Err("env.missing")),
            ("${A", Err("env.malformed")),
            ("${}", Err("env.malformed")),
            ("${1A}", Err("env.malformed")),
            ("${A B}", Err("env.malformed")),
            ("${A:b}", Err("env.malformed")),
            ("${:-b}", Err("env.malformed")),
            ("${NONE:-${A}}", Err("env.malformed")),
        ];
        for (text, expected) in cases {
            assert_eq!(fill(text), expected.map(str::to_owned), "{text}");
        }
    }

    #[test]
    fn what_variables_come_to_is_bounded() {
        let answer = |_: &str| Some("x".repeat(1 << 20));
        let mut environment = Environment::new(&answer);
        for _ in 0..8 {
            assert!(environment.fill("${A}").is_ok());
        }
        assert_eq!(environment.fill("${A}").unwrap_err().code, "env.too_long");
    }
}
