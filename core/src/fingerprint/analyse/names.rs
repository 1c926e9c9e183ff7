//! Table names, read from tokens.

use super::TableName;
use crate::fingerprint::lexer::{Token, TokenKind};

/// A name's text: unquoted, and in lower case where it was written without quotes. ASCII only, as everywhere.
pub(super) fn text_of(sql: &[u8], token: Token) -> String {
    let bytes = &sql[token.start..token.end];
    if token.kind != TokenKind::Quoted {
        return String::from_utf8_lossy(&bytes.to_ascii_lowercase()).into_owned();
    }
    let [_, inner @ .., close] = bytes else {
        return String::new();
    };
    let text = String::from_utf8_lossy(inner);
    let close = char::from(*close);
    text.replace(&format!("{close}{close}"), &close.to_string())
}

/// Whether a word stands between a verb and the name of its table; `previous` is the word before it.
pub(super) fn is_modifier(word: &[u8], next: Token, previous: &[u8]) -> bool {
    let goes_on = matches!(next.kind, TokenKind::Word | TokenKind::Quoted);
    match word {
        b"lateral" | b"top" => goes_on || next.kind == TokenKind::LParen,
        b"only" | b"if" | b"not" | b"exists" | b"ignore" | b"low_priority" | b"high_priority" | b"delayed"
        | b"quick" | b"or" | b"overwrite" | b"concurrently" | b"table" | b"tables" => goes_on,
        b"replace" | b"abort" | b"fail" | b"rollback" => goes_on && previous == b"or",
        _ => false,
    }
}

/// A name under way: `a.b.c`, part by part.
#[derive(Debug, Default)]
pub(super) struct Parts(Vec<String>);

impl Parts {
    /// Names of more parts than any database has keep their last ones.
    const MOST: usize = 4;

    pub(super) fn push(&mut self, part: String) {
        if self.0.len() == Self::MOST {
            self.0.remove(0);
        }
        self.0.push(part);
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// The name read so far, which begins anew.
    pub(super) fn take(&mut self) -> Option<TableName> {
        let name = self.0.pop()?;
        let schema = (!self.0.is_empty()).then(|| self.0.join("."));
        self.clear();
        Some(TableName { schema, name })
    }
}
