//! Statements that no rule is asked about, unless one names their kind.

use super::head;
use super::word::Lower;
use crate::fingerprint::Dialect;
use crate::fingerprint::lexer::{Lexer, Token, TokenKind};

/// Whether the text is one statement that manages a transaction, a setting or a cursor, and runs nothing besides.
///
/// Throttling these breaks programs instead of sparing the database: a refused COMMIT loses work, a refused RELEASE breaks
/// the nesting of savepoints. A batch, a `BEGIN … END` block, and a statement that holds another one are none of them.
pub(crate) fn is_never_checked(sql: &[u8], dialect: Dialect) -> bool {
    let mut lexer = Lexer::new(sql, dialect);
    let mut token = lexer.next();
    while token.kind == TokenKind::Semicolon {
        token = lexer.next();
    }
    let first = word(sql, token);
    let mut token = lexer.next();
    let second = word(sql, token);
    if !manages(first.as_bytes(), second.as_bytes()) {
        return false;
    }
    let (mut ended, mut after_dot) = (false, false);
    while token.kind != TokenKind::End {
        match token.kind {
            TokenKind::Semicolon => ended = true,
            _ if ended => return false,
            TokenKind::Word if !after_dot && runs(word(sql, token).as_bytes(), dialect) => return false,
            _ => {}
        }
        after_dot = token.kind == TokenKind::Dot;
        token = lexer.next();
    }
    true
}

/// Whether a statement that begins with the two words is of the list.
fn manages(first: &[u8], second: &[u8]) -> bool {
    match first {
        b"commit" | b"end" | b"rollback" | b"abort" | b"savepoint" | b"release" | b"xa" | b"set" | b"reset"
        | b"show" | b"fetch" | b"close" | b"deallocate" | b"discard" => true,
        b"begin" => head::of(first, second) != head::Head::Block,
        b"save" => matches!(second, b"transaction" | b"tran"),
        b"start" | b"prepare" => second == b"transaction",
        b"unlock" => matches!(second, b"tables" | b"table"),
        _ => false,
    }
}

/// Whether the word begins a statement or a subquery that does work. SQL Server needs no `;` before a statement, so there all
/// that could follow is looked for; in the other dialects words such as `create` may stand here for themselves, as in MySQL's
/// `show create table t`.
fn runs(word: &[u8], dialect: Dialect) -> bool {
    match word {
        b"select" | b"insert" | b"update" | b"delete" | b"merge" | b"exec" | b"execute" => true,
        b"truncate" | b"create" | b"alter" | b"drop" | b"bulk" | b"open" | b"waitfor" | b"dbcc" | b"backup"
        | b"restore" | b"grant" | b"revoke" | b"deny" | b"kill" | b"checkpoint" | b"reconfigure" | b"shutdown"
        | b"readtext" | b"writetext" | b"updatetext" | b"receive" | b"send" => dialect == Dialect::MsSql,
        _ => false,
    }
}

fn word(sql: &[u8], token: Token) -> Lower {
    if token.kind == TokenKind::Word { Lower::of(&sql[token.start..token.end]) } else { Lower::NONE }
}
