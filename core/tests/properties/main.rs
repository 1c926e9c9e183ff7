//! What holds for the fingerprint of every text: idempotence here, what it is blind to and what it tells apart in
//! [`shape`], and bounds on hostile texts in [`hostile`].

mod hostile;
mod shape;

use proptest::prelude::*;
use sqlthrottle::{Dialect, FingerprintOptions, InLists, Normalizer};

/// The given number of cases, unless `PROPTEST_CASES` asks for another.
fn cases(default: u32) -> ProptestConfig {
    let config = ProptestConfig::default();
    let asked = std::env::var_os("PROPTEST_CASES").is_some();
    ProptestConfig { cases: if asked { config.cases } else { default }, ..config }
}

fn normalize(options: FingerprintOptions, sql: &[u8]) -> Vec<u8> {
    Normalizer::new(options).normalize(sql).as_bytes().to_vec()
}

fn any_options() -> impl Strategy<Value = FingerprintOptions> {
    (0..6usize, any::<bool>(), any::<bool>()).prop_map(|(dialect, distinct, fold_digits)| {
        let in_lists = if distinct { InLists::Distinct } else { InLists::Collapse };
        FingerprintOptions::new(Dialect::ALL[dialect]).in_lists(in_lists).fold_digits(fold_digits)
    })
}

/// Pieces of SQL, sensible or not, and the ways to put them together.
fn soup() -> impl Strategy<Value = String> {
    const PIECES: &[&str] = &[
        "select",
        "from",
        "where",
        "and",
        "or",
        "in",
        "not",
        "values",
        "value",
        "insert",
        "into",
        "update",
        "set",
        "delete",
        "order",
        "group",
        "by",
        "limit",
        "offset",
        "null",
        "true",
        "false",
        "cast",
        "convert",
        "as",
        "is",
        "array",
        "row",
        "interval",
        "date",
        "jsonb",
        "case",
        "end",
        "savepoint",
        "rollback",
        "to",
        "release",
        "fetch",
        "next",
        "declare",
        "cursor",
        "for",
        "close",
        "open",
        "current",
        "of",
        "with",
        "join",
        "on",
        "using",
        "table",
        "a",
        "t",
        "orders_0042",
        "N",
        "tN",
        "T_N",
        "s",
        "x1",
        "ÄÖ",
        "\"q\"",
        "`b`",
        "[c]",
        "'str'",
        "'it''s'",
        "N'n'",
        "E'\\n'",
        "X'1F'",
        "_utf8'x'",
        "_utf8 'x'",
        "q'[x]'",
        "$$d$$",
        "$t$d$t$",
        "{ts '2020'}",
        "{fn f()}",
        "1",
        "42",
        "-1",
        "+2.5",
        ".5",
        "1e5",
        "0x1F",
        "1_000",
        "123456",
        "?",
        "?1",
        "$1",
        ":n",
        ":1",
        "@p",
        "@@g",
        "%s",
        "%(n)s",
        "+",
        "-",
        "*",
        "/",
        "%",
        "=",
        "<",
        ">",
        "<>",
        "!=",
        "||",
        "->",
        "->>",
        "::",
        ":",
        ":=",
        "@>",
        "@?",
        "??",
        "?|",
        "#",
        "#>>",
        "@",
        "!",
        "~",
        "&",
        "|",
        "^",
        "$",
        "(",
        "(",
        "(",
        ")",
        ")",
        ")",
        "[",
        "]",
        ",",
        ",",
        ",",
        ".",
        ";",
        "/*c*/",
        "/*+ h(1) */",
        "/*!50001 x */",
        "/*",
        "*/",
        "--c\n",
        "--+ h\n",
        "'",
        "\"",
        "`",
        "\\",
        "\0",
        "{",
        "}",
        "uescape '!'",
        "U&'x'",
        "field",
        "in (1,2,3)",
        "values (1,2),(3,4)",
        "array[1,2]",
        "escape",
    ];
    let piece = (0..PIECES.len()).prop_map(|i| PIECES[i]);
    let glue = prop_oneof![3 => Just(" "), 2 => Just(""), 1 => Just("\n")];
    prop::collection::vec((piece, glue), 0..40).prop_map(|pieces| pieces.iter().flat_map(|(a, b)| [*a, *b]).collect())
}

fn assert_idempotent(options: FingerprintOptions, sql: &[u8]) -> Result<(), TestCaseError> {
    let once = normalize(options, sql);
    let twice = normalize(options, &once);
    prop_assert_eq!(
        String::from_utf8_lossy(&once),
        String::from_utf8_lossy(&twice),
        "{:?} in {:?}",
        String::from_utf8_lossy(sql),
        options
    );
    Ok(())
}

proptest! {
    #![proptest_config(cases(4096))]

    #[test]
    fn normalising_is_idempotent_on_pieces(options in any_options(), sql in soup()) {
        assert_idempotent(options, sql.as_bytes())?;
    }

    #[test]
    fn normalising_is_idempotent_on_bytes(options in any_options(), sql: Vec<u8>) {
        assert_idempotent(options, &sql)?;
    }
}
