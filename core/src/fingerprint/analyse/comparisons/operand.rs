//! One side of a comparison: a column, a value, or a tuple of them.

use super::super::cursor::Cursor;
use super::super::names::text_of;
use super::super::{Value, parse};
use crate::fingerprint::Dialect;
use crate::fingerprint::lexer::TokenKind;
use std::borrow::Cow;

/// Most parentheses and casts around one operand that are looked through. What has more is no comparison that people write,
/// and each try is read again where it fails.
const MAX_WRAPPERS: usize = 4;

/// Most parts of a column's name: server, database, schema, table, column.
const MAX_PARTS: usize = 5;

/// A column as it is written: unquoted, and in lower case where it was written without quotes.
#[derive(Debug)]
pub(super) struct Column {
    /// The parts before its name, the outermost first.
    pub(super) qualifier: Vec<String>,
    pub(super) name: String,
}

/// What stands between two commas, or on one side of a comparison.
#[derive(Debug)]
pub(super) enum Item {
    Column(Column),
    Value(Value),
}

/// One side of a comparison.
#[derive(Debug)]
pub(super) enum Operand {
    One(Item),
    Tuple(Vec<Item>),
}

/// What stands around an operand and is still open.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wrapper {
    Paren,
    Cast,
}

/// Reads an operand and goes on behind it; `None` where there is something else. The cursor is then anywhere.
pub(super) fn operand(cursor: &mut Cursor<'_>) -> Option<Operand> {
    if cursor.token.kind == TokenKind::LParen {
        let mut tried = cursor.clone();
        if let Some(items) = tuple(&mut tried) {
            *cursor = tried;
            return Some(Operand::Tuple(items));
        }
    }
    item(cursor).map(Operand::One)
}

/// A list of two and more in parentheses.
fn tuple(cursor: &mut Cursor<'_>) -> Option<Vec<Item>> {
    let mut items = vec![];
    while matches!(cursor.token.kind, TokenKind::LParen | TokenKind::Comma) {
        cursor.advance();
        items.push(item(cursor)?);
    }
    let closed = cursor.token.kind == TokenKind::RParen && items.len() > 1;
    cursor.advance();
    closed.then_some(items)
}

/// A column or a value, with the parentheses and casts around it.
pub(super) fn item(cursor: &mut Cursor<'_>) -> Option<Item> {
    let mut wrappers = Vec::new();
    loop {
        let wrapper = match cursor.token.kind {
            TokenKind::LParen => Wrapper::Paren,
            TokenKind::Word if is_cast(cursor) => {
                cursor.advance();
                Wrapper::Cast
            }
            _ => break,
        };
        if wrappers.len() == MAX_WRAPPERS {
            return None;
        }
        cursor.advance();
        wrappers.push(wrapper);
    }
    let signed = cursor.token.kind == TokenKind::Number && matches!(cursor.bytes().first(), Some(b'-' | b'+'));
    let item = bare(cursor)?;
    let is_value = matches!(item, Item::Value(_));
    loop {
        if cursor.is_operator(b"::") {
            // The cast of `-1::int` is that of 1.
            if !is_value || (signed && wrappers.is_empty()) {
                return None;
            }
            cursor.advance();
            type_behind_colons(cursor)?;
            continue;
        }
        match wrappers.last() {
            Some(Wrapper::Paren) if cursor.token.kind == TokenKind::RParen => cursor.advance(),
            Some(Wrapper::Cast) if is_value && cursor.word().as_bytes() == b"as" => type_of_cast(cursor)?,
            Some(_) => return None,
            None => return Some(item),
        }
        wrappers.pop();
    }
}

fn is_cast(cursor: &Cursor<'_>) -> bool {
    cursor.next.kind == TokenKind::LParen && matches!(cursor.word().as_bytes(), b"cast" | b"try_cast" | b"safe_cast")
}

/// Passes over `as type)`.
fn type_of_cast(cursor: &mut Cursor<'_>) -> Option<()> {
    let mut open = 1_usize;
    while open > 0 {
        cursor.advance();
        match cursor.token.kind {
            TokenKind::LParen => open += 1,
            TokenKind::RParen => open -= 1,
            TokenKind::Word
            | TokenKind::Quoted
            | TokenKind::Dot
            | TokenKind::Comma
            | TokenKind::Number
            | TokenKind::LBracket
            | TokenKind::RBracket => {}
            _ => return None,
        }
    }
    cursor.advance();
    Some(())
}

/// Passes over the type behind `::`.
fn type_behind_colons(cursor: &mut Cursor<'_>) -> Option<()> {
    if !matches!(cursor.token.kind, TokenKind::Word | TokenKind::Quoted) {
        return None;
    }
    cursor.advance();
    while cursor.token.kind == TokenKind::Dot {
        cursor.advance();
        cursor.advance();
    }
    let goes_on = |word: &[u8]| matches!(word, b"precision" | b"varying" | b"with" | b"without" | b"time" | b"zone");
    while goes_on(cursor.word().as_bytes()) {
        cursor.advance();
    }
    for (open, close) in [(TokenKind::LParen, TokenKind::RParen), (TokenKind::LBracket, TokenKind::RBracket)] {
        while cursor.token.kind == open {
            cursor.advance();
            while matches!(cursor.token.kind, TokenKind::Number | TokenKind::Comma) {
                cursor.advance();
            }
            if cursor.token.kind != close {
                return None;
            }
            cursor.advance();
        }
    }
    Some(())
}

fn bare(cursor: &mut Cursor<'_>) -> Option<Item> {
    let value = match cursor.token.kind {
        TokenKind::Number => {
            let value = number(cursor)?;
            cursor.advance();
            value
        }
        TokenKind::Placeholder => {
            let position = cursor.position()?;
            cursor.advance();
            Value::Placeholder(position)
        }
        TokenKind::Text => text(cursor)?,
        TokenKind::Word => match cursor.word().as_bytes() {
            // To SQL Server and Oracle these are names like others.
            word @ (b"true" | b"false") if !matches!(cursor.dialect, Dialect::MsSql | Dialect::Oracle) => {
                let truth = Value::Constant(String::from_utf8_lossy(word).into_owned());
                cursor.advance();
                truth
            }
            b"date" | b"time" | b"timestamp" | b"datetime" if cursor.next.kind == TokenKind::Text => {
                cursor.advance();
                text(cursor)?
            }
            _ => return column(cursor).map(Item::Column),
        },
        TokenKind::Quoted => return column(cursor).map(Item::Column),
        _ => return None,
    };
    Some(Item::Value(value))
}

fn column(cursor: &mut Cursor<'_>) -> Option<Column> {
    let is_other = matches!(
        cursor.word().as_bytes(),
        b"null"
            | b"true"
            | b"false"
            | b"not"
            | b"case"
            | b"exists"
            | b"interval"
            | b"select"
            | b"current_date"
            | b"current_time"
            | b"current_timestamp"
            | b"localtime"
            | b"localtimestamp"
            | b"current_user"
            | b"session_user"
            | b"user"
            | b"default"
            | b"binary"
    );
    if is_other || cursor.bytes().starts_with(b"@") {
        return None;
    }
    let mut qualifier = vec![];
    loop {
        if !matches!(cursor.token.kind, TokenKind::Word | TokenKind::Quoted) || qualifier.len() == MAX_PARTS {
            return None;
        }
        let part = text_of(cursor.sql, cursor.token);
        cursor.advance();
        match cursor.token.kind {
            TokenKind::Dot => cursor.advance(),
            // A function, or Oracle's mark of an outer join.
            TokenKind::LParen => return None,
            _ => return Some(Column { qualifier, name: part }),
        }
        qualifier.push(part);
    }
}

/// The number at the cursor, its sign written without a space, and not at all where it is a plus.
fn number(cursor: &Cursor<'_>) -> Option<Value> {
    let bytes = cursor.bytes();
    let (minus, digits) = match bytes.split_first()? {
        (b'-', digits) => (true, digits.trim_ascii_start()),
        (b'+', digits) => (false, digits.trim_ascii_start()),
        _ => (false, bytes),
    };
    let plain = digits.iter().all(u8::is_ascii_digit);
    let text = String::from_utf8_lossy(digits);
    if !plain {
        let is_signed = digits.len() < bytes.len();
        let number = parse::constant(&text, cursor.dialect, is_signed)?;
        return Some(Value::Constant(if minus { format!("-{number}") } else { number }));
    }
    Some(Value::Constant(if minus { format!("-{text}") } else { text.into_owned() }))
}

/// The string at the cursor, with those that continue it.
fn text(cursor: &mut Cursor<'_>) -> Option<Value> {
    let bytes = without_charset(cursor.bytes());
    cursor.advance();
    if cursor.token.kind != TokenKind::Text {
        if let Some(plain) = plain_text(bytes, cursor.dialect) {
            return Some(Value::Constant(plain));
        }
        return parse::constant(&String::from_utf8_lossy(bytes), cursor.dialect, false).map(Value::Constant);
    }
    let mut whole = String::from_utf8_lossy(bytes).into_owned();
    while cursor.token.kind == TokenKind::Text {
        whole.push(' ');
        whole.push_str(&String::from_utf8_lossy(cursor.bytes()));
        cursor.advance();
    }
    parse::constant(&whole, cursor.dialect, false).map(Value::Constant)
}

/// The text of a string in single quotes without a backslash that may escape.
fn plain_text(bytes: &[u8], dialect: Dialect) -> Option<String> {
    let [b'\'', inner @ .., b'\''] = bytes else { return None };
    if dialect == Dialect::MySql && inner.contains(&b'\\') {
        return None;
    }
    let text = String::from_utf8_lossy(inner);
    Some(if inner.contains(&b'\'') { text.replace("''", "'") } else { Cow::into_owned(text) })
}

/// `_utf8mb4 'x'` without what introduces it.
fn without_charset(bytes: &[u8]) -> &[u8] {
    if bytes.first() != Some(&b'_') {
        return bytes;
    }
    let word = bytes.iter().position(|byte| matches!(byte, b'\'' | b'"') || byte.is_ascii_whitespace());
    word.map_or(bytes, |end| bytes[end..].trim_ascii_start())
}
