//! The kind of a statement, from the words it begins with.

use super::Kind;
use super::word::Lower;
use crate::fingerprint::lexer::{Token, TokenKind};

/// What the first word of a statement says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Head {
    /// The statement is of this kind and goes on.
    Kind(Kind),
    /// EXPLAIN or DESCRIBE: a statement may follow.
    Explain,
    /// MariaDB's ANALYZE, which runs the statement that follows, or ANALYZE of a table.
    Analyze,
    /// WITH: the kind comes after the CTEs.
    With,
    /// BEGIN, ELSE, LOOP or END of a block: a statement may follow.
    Block,
    /// IF and WHILE: a statement follows the condition.
    Control,
}

/// Reads the first word; `next` is the word behind it, empty where something else stands there.
pub(super) fn of(word: &[u8], next: &[u8]) -> Head {
    let kind = match word {
        b"with" => return Head::With,
        b"explain" | b"describe" | b"desc" => return Head::Explain,
        b"analyze" | b"analyse" => return Head::Analyze,
        b"begin" if begins_block(next) => return Head::Block,
        b"else" | b"loop" | b"repeat" => return Head::Block,
        b"if" | b"while" => return Head::Control,
        b"select" | b"values" | b"table" | b"from" | b"sel" => Kind::Select,
        b"insert" => Kind::Insert,
        b"replace" => Kind::Replace,
        b"update" => Kind::Update,
        b"delete" => Kind::Delete,
        b"merge" => Kind::Merge,
        b"call" | b"exec" | b"execute" | b"do" => Kind::Call,
        b"create" | b"alter" | b"drop" | b"truncate" | b"rename" | b"comment" => Kind::Ddl,
        b"begin" | b"commit" | b"end" | b"rollback" | b"abort" | b"savepoint" | b"release" | b"xa" => Kind::Transaction,
        b"start" | b"prepare" if next == b"transaction" => Kind::Transaction,
        b"save" if matches!(next, b"transaction" | b"tran") => Kind::Transaction,
        b"set" | b"reset" => Kind::Set,
        b"show" | b"pragma" => Kind::Show,
        b"copy" => Kind::Copy,
        b"load" if matches!(next, b"data" | b"xml") => Kind::Copy,
        b"bulk" if next == b"insert" => Kind::Copy,
        b"lock" | b"unlock" => Kind::Lock,
        _ => Kind::Other,
    };
    Head::Kind(kind)
}

/// BEGIN alone, or with the words of a transaction, opens a transaction; with anything else a block.
fn begins_block(next: &[u8]) -> bool {
    !matches!(
        next,
        b"" | b"transaction"
            | b"tran"
            | b"work"
            | b"isolation"
            | b"read"
            | b"not"
            | b"deferrable"
            | b"deferred"
            | b"immediate"
            | b"exclusive"
            | b"concurrent"
            | b"distributed"
    )
}

/// The kind of a statement that EXPLAIN, WITH or a condition may stand before, where the word begins one.
pub(super) fn of_verb(word: &[u8]) -> Option<Kind> {
    match word {
        b"select" | b"values" | b"table" => Some(Kind::Select),
        b"insert" => Some(Kind::Insert),
        b"replace" => Some(Kind::Replace),
        b"update" => Some(Kind::Update),
        b"delete" => Some(Kind::Delete),
        b"merge" => Some(Kind::Merge),
        b"exec" | b"execute" | b"call" => Some(Kind::Call),
        b"create" => Some(Kind::Ddl),
        b"declare" => Some(Kind::Other),
        _ => None,
    }
}

/// Whether END of this closes something that no BEGIN opened.
pub(super) fn ends_control(word: &[u8]) -> bool {
    matches!(word, b"if" | b"loop" | b"while" | b"repeat" | b"case")
}

/// Whether the value of an option of EXPLAIN is what PostgreSQL takes for false: `false` or `off`, as a word, a quoted one or a
/// string, in any case, or an integer that is zero.
pub(super) fn says_no(sql: &[u8], value: Token) -> bool {
    let bytes = &sql[value.start..value.end];
    let word = match (value.kind, bytes) {
        (TokenKind::Number, digits) => return digits.iter().all(|digit| *digit == b'0'),
        (TokenKind::Word, _) => bytes,
        (TokenKind::Quoted | TokenKind::Text, [b'"' | b'\'', inner @ .., b'"' | b'\'']) => inner,
        _ => return false,
    };
    matches!(Lower::of(word).as_bytes(), b"false" | b"off")
}
