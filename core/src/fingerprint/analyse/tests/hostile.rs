//! Texts made to break the reader: on a small stack none overflows, and none takes more than linear time.

use super::super::scan::scan;
use super::super::text::{MAX_NESTING, MAX_TOKENS};
use super::analyse;
use crate::fingerprint::Dialect;
use proptest::prelude::*;

/// A thread as small as hosts make them.
const SMALL_STACK: usize = 64 << 10;

fn on_a_small_stack(sql: String) {
    let thread = std::thread::Builder::new().stack_size(SMALL_STACK);
    let reader = thread.spawn(move || {
        for dialect in Dialect::ALL {
            let analysis = analyse(sql.as_bytes(), dialect);
            assert!(!analysis.kinds.is_empty());
        }
    });
    reader.unwrap().join().unwrap();
}

#[test]
fn floods_overflow_nothing() {
    for sql in [
        "(".repeat(100_000),
        format!("select {}", "(".repeat(100_000)),
        format!("select {}1{}", "(".repeat(50_000), ")".repeat(50_000)),
        format!("select {}1{}", "[".repeat(50_000), "]".repeat(50_000)),
        format!("{}select 1", "explain ".repeat(10_000)),
        format!("{}select 1", "describe ".repeat(10_000)),
        format!("{}select 1", "explain analyze ".repeat(10_000)),
        format!("{}select 1", "prepare p as ".repeat(10_000)),
        format!("{}select 1", "if a then ".repeat(10_000)),
        format!("{}select 1", "begin ".repeat(10_000)),
        format!("{}select 1", "with x as (".repeat(10_000)),
        format!("select 1{}", " union select 1".repeat(5_000)),
        format!("select 1 where a{}", " and a".repeat(5_000)),
        format!("delete from t where a{}", " or a".repeat(5_000)),
        format!("select * from t{}", " join t on a".repeat(5_000)),
        format!("select * from {}t{}", "(t join ".repeat(5_000), ")".repeat(5_000)),
        format!("select {}1", "- ".repeat(100_000)),
        format!("select {}1", "not ".repeat(100_000)),
        format!("select {}1{}", "case when ".repeat(20_000), " then 1 end".repeat(20_000)),
        format!("select a{}", ".a".repeat(100_000)),
        format!("select * from a{}", ".a".repeat(100_000)),
        format!("select * from a{}", ", a".repeat(100_000)),
        format!("select '{}", "\\".repeat(1 << 20)),
        "select 1;".repeat(20_000),
        "delete from t where ".repeat(20_000),
        format!("create procedure p() {}", "begin case ; ".repeat(20_000)),
    ] {
        on_a_small_stack(sql);
    }
}

/// The deepest trees that the budget lets through to the parser.
#[test]
fn what_is_just_within_the_budget_overflows_nothing() {
    let half = MAX_TOKENS / 2 - 10;
    let deep = MAX_NESTING - 1;
    for sql in [
        format!("select {}1{}", "(".repeat(MAX_NESTING), ")".repeat(MAX_NESTING)),
        format!("select {}1{}", "(select ".repeat(deep), ")".repeat(deep)),
        format!("select * from {}t{}", "(select * from ".repeat(deep), ") x".repeat(deep)),
        format!("select * from {}t{}", "(t cross join ".repeat(deep), ")".repeat(deep)),
        format!("select {}1{}", "case when ".repeat(deep), " then 1 end".repeat(deep)),
        format!("select {}1{}", "f(".repeat(deep), ")".repeat(deep)),
        format!("delete from t where a{}", " and a".repeat(half)),
        format!("delete from t where a{}", " or a".repeat(half)),
        format!("delete from t where a{}", " = a".repeat(half)),
        format!("delete from t where {}a", "not a = ".repeat(MAX_TOKENS / 3 - 10)),
        format!("delete from t where {}a", "a and not ".repeat(MAX_TOKENS / 3 - 10)),
        format!("select a{}", "::int".repeat(half)),
        format!("select a{}", "[1]".repeat(MAX_TOKENS / 3 - 10)),
        format!("select a{}", " is null".repeat(half)),
        format!("select a{}", " between a and".repeat(MAX_TOKENS / 3 - 10)),
        format!("select a{}", " collate x".repeat(half)),
        format!("select {}1", "interval ".repeat(MAX_TOKENS - 10)),
        format!("select {}1", "x -> ".repeat(half)),
        format!("select {}'a'", "date ".repeat(MAX_TOKENS - 10)),
        format!("select 1{}", " union select 1".repeat(MAX_TOKENS / 3 - 10)),
        format!("select * from t{}", " cross join t".repeat(MAX_TOKENS / 3 - 10)),
        format!("select * from t{}", " natural left join t".repeat(MAX_TOKENS / 4 - 10)),
        format!("select * from t{}", " join t on a".repeat(MAX_TOKENS / 4 - 10)),
        format!("select * from t{}{}", " join t".repeat(MAX_NESTING), " on a".repeat(MAX_NESTING)),
        format!("prepare p as {}select 1", "prepare p as ".repeat(MAX_TOKENS / 3 - 10)),
        format!("if a then {}select 1", "if a then ".repeat(MAX_TOKENS / 3 - 10)),
        format!("create procedure p() {}", "begin ".repeat(MAX_TOKENS - 10)),
        format!("set a = {}1", "explain ".repeat(MAX_TOKENS - 10)),
    ] {
        let mut within = true;
        scan(sql.as_bytes(), Dialect::Generic, |statement| within &= statement.text.is_some());
        assert!(within, "the case tests nothing: {sql}");
        on_a_small_stack(sql);
    }
}

/// Words and marks that steer the reader, in any order.
fn sql_like() -> impl Strategy<Value = String> {
    let pieces = [
        "select",
        "from",
        "where",
        "(",
        ")",
        ",",
        ";",
        "t",
        "a.b",
        "=",
        "1",
        "'x'",
        "?",
        "with",
        "as",
        "insert",
        "into",
        "values",
        "update",
        "set",
        "delete",
        "using",
        "join",
        "on",
        "and",
        "or",
        "not",
        "union",
        "explain",
        "analyze",
        "begin",
        "end",
        "case",
        "when",
        "then",
        "if",
        "else",
        "in",
        "any",
        "null",
        "is",
        "for",
        "create",
        "table",
        "procedure",
        "[",
        "]",
        "@x",
        ":=",
        "::int",
        ".",
        "\"q\"",
        "`q`",
        "/*+",
        "*/",
        "--",
        "\n",
        "\\",
        "'",
        "$$",
        "??",
        "exists",
        "between",
        "like",
        "lock",
        "merge",
        "exec",
        "copy",
        "\u{e9}",
        "interval",
        "array",
        "-",
        "+",
        "*",
    ];
    proptest::collection::vec(proptest::sample::select(pieces.to_vec()), 0..120).prop_map(|words| words.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        for dialect in Dialect::ALL {
            analyse(&bytes, dialect);
        }
    }

    #[test]
    fn any_words_are_read(sql in sql_like()) {
        for dialect in Dialect::ALL {
            let analysis = analyse(sql.as_bytes(), dialect);
            prop_assert!(!analysis.plain_read || !analysis.kinds.is_empty());
        }
    }
}
