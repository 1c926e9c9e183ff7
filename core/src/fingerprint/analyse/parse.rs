//! The SQL parser, on a stack that its recursion cannot exhaust.

use super::{Value, predicates};
use crate::fingerprint::Dialect;
use sqlparser::ast::{Expr, Statement};
use sqlparser::dialect as grammar;
use sqlparser::parser::{Parser, ParserError};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Stack the parser gets. A text within the [budget](super::text) needs a fraction of it, also where the tree it
/// builds is as deep as the text has tokens; only pages that are touched cost memory.
const STACK_BYTES: usize = 8 << 20;

/// Levels of the parser's own count, which grows by about three for one parenthesis.
const RECURSION_LIMIT: usize = 64;

/// Parses one statement and lends it to `read`; `None` where the parser refuses.
///
/// The tree is read and dropped on the grown stack as well: a chain of AND, OR, JOIN or UNION is parsed in a loop, but is
/// visited and dropped by recursion.
pub(super) fn with_statement<R>(sql: &str, dialect: Dialect, read: impl FnOnce(&Statement) -> R) -> Option<R> {
    run(sql, dialect, |parser| {
        let statements = parser.parse_statements()?;
        // It stops before END, which may be the alias of a table whose WHERE is still to come.
        parser.expect_token(&sqlparser::tokenizer::Token::EOF)?;
        // Two statements where the lexer saw one: the two disagree on what the text says, and the lexer stands.
        let [statement] = statements.as_slice() else {
            return Err(ParserError::ParserError(String::new()));
        };
        Ok(read(statement))
    })
}

/// Parses one condition and lends it to `read`; `None` where the parser refuses.
pub(super) fn with_condition<R>(sql: &str, dialect: Dialect, read: impl FnOnce(&Expr) -> R) -> Option<R> {
    run(sql, dialect, |parser| {
        let condition = parser.parse_expr()?;
        parser.expect_token(&sqlparser::tokenizer::Token::EOF)?;
        Ok(read(&condition))
    })
}

/// The text of a constant that stands alone, without its quotes; `None` where the parser knows none there. The grammar of
/// one constant does not nest, so the stack at hand will do.
pub(super) fn constant(sql: &str, dialect: Dialect, must_be_number: bool) -> Option<String> {
    let read = || {
        let mut parser = Parser::new(rules(dialect)).try_with_sql(sql).ok()?;
        let value = parser.parse_value().ok()?.value;
        parser.expect_token(&sqlparser::tokenizer::Token::EOF).ok()?;
        if must_be_number && !matches!(value, sqlparser::ast::Value::Number(..)) {
            return None;
        }
        match predicates::constant(&value)? {
            Value::Constant(text) => Some(text),
            Value::Placeholder(_) => None,
        }
    };
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_default()
}

fn run<R>(sql: &str, dialect: Dialect, read: impl FnOnce(&mut Parser<'_>) -> Result<R, ParserError>) -> Option<R> {
    // Always: how much is left of the stack at hand is known of a thread's own alone, and a host's coroutine may run on another.
    stacker::grow(STACK_BYTES, || {
        // A fault of the parser is a refusal like any other; nothing it has touched outlives the call.
        catch_unwind(AssertUnwindSafe(|| {
            let parser = Parser::new(rules(dialect)).with_recursion_limit(RECURSION_LIMIT);
            read(&mut parser.try_with_sql(sql).ok()?).ok()
        }))
        .unwrap_or_default()
    })
}

fn rules(dialect: Dialect) -> &'static dyn grammar::Dialect {
    match dialect {
        Dialect::Generic => &grammar::GenericDialect {},
        Dialect::MySql => &grammar::MySqlDialect {},
        Dialect::PostgreSql => &grammar::PostgreSqlDialect {},
        Dialect::Sqlite => &grammar::SQLiteDialect {},
        Dialect::MsSql => &grammar::MsSqlDialect {},
        Dialect::Oracle => &grammar::OracleDialect {},
    }
}
