//! One comparison that a condition may be made of.

use super::super::cursor::Cursor;
use super::super::{Operator, Value};
use super::operand::{Column, Item, Operand, item, operand};
use crate::fingerprint::lexer::TokenKind;

/// A column compared with values, its table still to be found.
#[derive(Debug)]
pub(super) struct Compared {
    pub(super) column: Column,
    pub(super) operator: Operator,
    pub(super) values: Vec<Value>,
}

/// What a term of a condition turns out to be.
#[derive(Debug)]
pub(super) enum Term {
    /// A comparison, of columns with values or of others: then nothing was compared. The cursor is behind it.
    Compared(Vec<Compared>),
    /// A comparison with the rows of a subquery, or a test whether there are any. The cursor is at its parenthesis.
    Subquery,
}

/// Reads the beginning of a term; `None` where it is something else. The cursor is then anywhere.
pub(super) fn term(cursor: &mut Cursor<'_>) -> Option<Term> {
    if cursor.word().as_bytes() == b"exists" {
        cursor.advance();
        return at_subquery(cursor).then_some(Term::Subquery);
    }
    let left = operand(cursor)?;
    if cursor.word().as_bytes() == b"in" {
        cursor.advance();
        return if at_subquery(cursor) { Some(Term::Subquery) } else { membership(cursor, left) };
    }
    if !cursor.is_operator(b"=") && !cursor.is_operator(b"==") {
        return None;
    }
    cursor.advance();
    if matches!(cursor.word().as_bytes(), b"any" | b"some") {
        cursor.advance();
        return if at_subquery(cursor) { Some(Term::Subquery) } else { any_of(cursor, left) };
    }
    if at_subquery(cursor) { Some(Term::Subquery) } else { equality(left, operand(cursor)?) }
}

/// Whether a parenthesis opens here behind which a query begins.
pub(super) fn at_subquery(cursor: &Cursor<'_>) -> bool {
    cursor.token.kind == TokenKind::LParen
        && matches!(cursor.word_of(cursor.next).as_bytes(), b"select" | b"with" | b"values")
}

fn equality(left: Operand, right: Operand) -> Option<Term> {
    let pairs: Vec<_> = match (left, right) {
        (Operand::One(left), Operand::One(right)) => vec![(left, right)],
        (Operand::Tuple(left), Operand::Tuple(right)) if left.len() == right.len() => {
            left.into_iter().zip(right).collect()
        }
        _ => return None,
    };
    let compared = pairs.into_iter().filter_map(|pair| match pair {
        (Item::Column(column), Item::Value(value)) | (Item::Value(value), Item::Column(column)) => {
            Some(Compared { column, operator: Operator::Equal, values: vec![value] })
        }
        _ => None,
    });
    Some(Term::Compared(compared.collect()))
}

/// `(value, value)`, or rows of as many values as there are columns. A list that holds anything else says nothing certain.
fn membership(cursor: &mut Cursor<'_>, left: Operand) -> Option<Term> {
    let columns = columns(left)?;
    let mut lists: Vec<Vec<Value>> = columns.iter().map(|_| vec![]).collect();
    if cursor.token.kind != TokenKind::LParen {
        return None;
    }
    loop {
        cursor.advance();
        match (lists.as_mut_slice(), columns.len()) {
            ([list], 1) => list.push(value(cursor)?),
            _ => row(cursor, &mut lists)?,
        }
        match cursor.token.kind {
            TokenKind::Comma => {}
            TokenKind::RParen => break,
            _ => return None,
        }
    }
    cursor.advance();
    let compared = columns.into_iter().zip(lists);
    Some(Term::Compared(compared.map(|(column, values)| Compared { column, operator: Operator::In, values }).collect()))
}

fn row(cursor: &mut Cursor<'_>, lists: &mut [Vec<Value>]) -> Option<()> {
    for (position, list) in lists.iter_mut().enumerate() {
        let before = if position == 0 { TokenKind::LParen } else { TokenKind::Comma };
        if cursor.token.kind != before {
            return None;
        }
        cursor.advance();
        list.push(value(cursor)?);
    }
    let closed = cursor.token.kind == TokenKind::RParen;
    cursor.advance();
    closed.then_some(())
}

/// `= any($1)` and `= any(array[1, 2])`: how PostgreSQL's drivers bind a list.
fn any_of(cursor: &mut Cursor<'_>, left: Operand) -> Option<Term> {
    let Operand::One(Item::Column(column)) = left else { return None };
    if cursor.token.kind != TokenKind::LParen {
        return None;
    }
    cursor.advance();
    let mut values = vec![];
    if cursor.word().as_bytes() == b"array" && cursor.next.kind == TokenKind::LBracket {
        cursor.advance();
        while matches!(cursor.token.kind, TokenKind::LBracket | TokenKind::Comma) {
            cursor.advance();
            values.push(value(cursor)?);
        }
        if cursor.token.kind != TokenKind::RBracket {
            return None;
        }
        cursor.advance();
    } else {
        values.push(value(cursor)?);
    }
    let closed = cursor.token.kind == TokenKind::RParen;
    cursor.advance();
    closed.then(|| Term::Compared(vec![Compared { column, operator: Operator::In, values }]))
}

fn columns(operand: Operand) -> Option<Vec<Column>> {
    let items = match operand {
        Operand::One(item) => vec![item],
        Operand::Tuple(items) => items,
    };
    let column = |item| match item {
        Item::Column(column) => Some(column),
        Item::Value(_) => None,
    };
    items.into_iter().map(column).collect()
}

fn value(cursor: &mut Cursor<'_>) -> Option<Value> {
    match item(cursor)? {
        Item::Value(value) => Some(value),
        Item::Column(_) => None,
    }
}
