//! The lexical reading: one pass over the tokens, without recursion, whatever the bytes.

use super::cursor::Cursor;
use super::statement::Reader;
use super::{Kind, TableName, Where};
use crate::fingerprint::Dialect;
use crate::fingerprint::lexer::TokenKind;
use std::ops::Range;

/// What the tokens of one statement say.
#[derive(Debug)]
pub(super) struct Scanned {
    pub(super) kind: Kind,
    /// Its bytes within the text, from its first token to its last.
    pub(super) span: Range<usize>,
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
    let mut cursor = Cursor::new(sql, dialect);
    let mut reader = Reader::new(sql, dialect);
    while cursor.token.kind != TokenKind::End {
        let (token, next) = (cursor.token, cursor.next);
        if token.kind == TokenKind::Semicolon && !reader.inside_body() {
            reader.end().into_iter().for_each(&mut each);
        } else {
            if reader.divides(token, next) {
                reader.end().into_iter().for_each(&mut each);
            }
            reader.token(token, next, cursor.position());
        }
        cursor.advance();
    }
    reader.end().into_iter().for_each(&mut each);
}
