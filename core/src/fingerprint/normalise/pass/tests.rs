//! Runs of plain tokens against the pass that takes each token by itself.

use super::Pass;
use crate::fingerprint::dialect::Dialect;
use crate::fingerprint::normalise::distinct::Distinct;
use crate::fingerprint::normalise::written::Written;
use crate::fingerprint::options::{FingerprintOptions, InLists};
use proptest::prelude::*;

fn normalized<const PLAIN: bool>(options: &FingerprintOptions, sql: &[u8]) -> (Vec<u8>, usize) {
    let (mut out, mut frames, mut distinct) = (Written::default(), Vec::new(), Distinct::default());
    out.begin(sql.len() + 64, usize::MAX);
    let statements = Pass::new(sql, options, &mut out, &mut frames, &mut distinct).run::<PLAIN>();
    (out.to_vec(), statements)
}

fn assert_same(options: &FingerprintOptions, sql: &str) {
    let (runs, steps) = (normalized::<true>(options, sql.as_bytes()), normalized::<false>(options, sql.as_bytes()));
    let text = |written: &[u8]| String::from_utf8_lossy(written).into_owned();
    assert_eq!(text(&runs.0), text(&steps.0), "{sql:?} in {:?}", options.dialect);
    assert_eq!(runs.1, steps.1, "statements of {sql:?}");
}

fn any_options() -> impl Strategy<Value = FingerprintOptions> {
    (0..Dialect::ALL.len(), any::<bool>()).prop_map(|(dialect, distinct)| FingerprintOptions {
        in_lists: if distinct { InLists::Distinct } else { InLists::Collapse },
        ..FingerprintOptions::new(Dialect::ALL[dialect])
    })
}

/// What runs are made of, what ends them, and what a run must not take for its own.
fn piece() -> impl Strategy<Value = String> {
    const NAMES: &[&str] = &[
        "a",
        "t.id",
        "s.t.id",
        "t.",
        "orders_0042",
        "a_name_of_sixteen",
        "exactly_fifteen_",
        "_x",
        "_utf8",
        "x$y",
        "é",
        "t.1st",
        "N",
        "e",
        "x",
        "q",
        "u",
        "count",
        "coalesce",
        "date",
        "time",
        "order.id",
        "in.x",
        "A.B",
        "tab#",
        "a@b",
    ];
    const KEYWORDS: &[&str] = &[
        "select",
        "from",
        "where",
        "and",
        "or",
        "as",
        "in",
        "on",
        "using",
        "order",
        "group",
        "by",
        "values",
        "value",
        "insert into",
        "update",
        "set",
        "null",
        "true",
        "case",
        "when",
        "then",
        "end",
        "current of",
        "limit",
        "offset",
        "cast",
        "convert",
        "interval",
        "row",
        "array",
        "like",
        "between",
        "not",
        "exists",
        "union all",
        "with",
        "over",
        "savepoint",
        "fetch",
    ];
    const MARKS: &[&str] = &[
        ",", ".", "(", ")", "=", "<", ">", "<>", "<=", ">=", "!=", "<<", "->", "->>", "::", "*", "+", "-", "%", "||",
        "@", "#", ";", "[", "]", "{", "}", "?", "??", "?|", "?1", "$1", "$2x", ":n", ":=", "%s", "@v", "/", "&", "!",
        "\0",
    ];
    const CONSTANTS: &[&str] = &[
        "1", "42", "99.95", "1.", "1..2", ".5", "1e5", "0x1F", "1_000", "'x'", "'it''s'", "'a\\'", "N'x'", "E'x'",
        "\"q\"", "`b`", "$$d$$", "-1", "'open", "1st", "7\u{e9}",
    ];
    const BLANKS: &[&str] =
        &[" ", " ", " ", "", "  ", "\n", "\t ", "/* c */", "-- c\n", "--x", "# c\n", "/*! ", "*/", "/*+ h */", "/*"];
    let one = |pieces: &'static [&'static str]| prop::sample::select(pieces);
    let token = prop_oneof![4 => one(NAMES), 3 => one(KEYWORDS), 4 => one(MARKS), 2 => one(CONSTANTS)];
    (token, one(BLANKS)).prop_map(|(token, blank)| format!("{token}{blank}"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4096, ..ProptestConfig::default() })]

    #[test]
    fn a_run_writes_what_single_tokens_would(options in any_options(), pieces in prop::collection::vec(piece(), 0..24)) {
        assert_same(&options, &pieces.concat());
    }

    #[test]
    fn any_text_reads_alike_in_runs(options in any_options(), text in "[ -~\n]{0,80}") {
        assert_same(&options, &text);
    }
}
