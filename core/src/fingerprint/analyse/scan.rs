//! The lexical reading: one pass over the tokens, without recursion, whatever the bytes.

use super::statement::Reader;
use super::{Kind, TableName, Where};
use crate::fingerprint::Dialect;
use crate::fingerprint::lexer::{Lexer, Token, TokenKind};

/// What the tokens of one statement say.
#[derive(Debug)]
pub(super) struct Scanned {
    pub(super) kind: Kind,
    /// Present or missing, or none for a kind without one.
    pub(super) clause: Where,
    /// Every parenthesis was closed and looked into: what was not found is not there.
    pub(super) whole: bool,
    /// In order of appearance, each once.
    pub(super) tables: Vec<TableName>,
    /// The statement is a SELECT without an effect that its text shows.
    pub(super) plain_read: bool,
    /// The statement for the parser, without EXPLAIN; `None` beyond the budget.
    pub(super) text: Option<String>,
    /// The one condition of the statement, for the parser.
    pub(super) condition: Option<String>,
}

/// Reads a text and hands over its statements one by one.
pub(super) fn scan(sql: &[u8], dialect: Dialect, mut each: impl FnMut(Scanned)) {
    let mut lexer = Lexer::new(sql, dialect);
    let mut placeholders = 0;
    let mut reader = Reader::new(sql, dialect);
    let mut token = next_outside_hints(&mut lexer);
    while token.kind != TokenKind::End {
        let next = next_outside_hints(&mut lexer);
        let position = (token.kind == TokenKind::Placeholder).then(|| {
            placeholders += 1;
            numbered(&sql[token.start..token.end]).unwrap_or(placeholders - 1)
        });
        if token.kind == TokenKind::Semicolon && !reader.inside_body() {
            reader.end().into_iter().for_each(&mut each);
        } else {
            if reader.divides(token, next) {
                reader.end().into_iter().for_each(&mut each);
            }
            reader.token(token, next, position);
        }
        token = next;
    }
    reader.end().into_iter().for_each(&mut each);
}

/// The next token, past any optimiser hints.
fn next_outside_hints(lexer: &mut Lexer<'_>) -> Token {
    let mut token = lexer.next();
    while token.kind == TokenKind::HintStart {
        while !matches!(token.kind, TokenKind::HintEnd | TokenKind::End) {
            token = lexer.next();
        }
        if token.kind == TokenKind::HintEnd {
            token = lexer.next();
        }
    }
    token
}

/// The position that a numbered placeholder gives itself: `$2`, `?2` and `:2` are the second, position 1.
fn numbered(mark: &[u8]) -> Option<usize> {
    std::str::from_utf8(mark.get(1..)?).ok()?.parse::<usize>().ok()?.checked_sub(1)
}
