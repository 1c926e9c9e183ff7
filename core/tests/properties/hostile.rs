//! Texts made to exhaust a reader: each is read to its end, and what is written stays in proportion.

use super::normalize;
use sqlthrottle::fingerprint::{analyse, split};
use sqlthrottle::{Dialect, FingerprintOptions, InLists, Normalizer};

const MEGABYTE: usize = 1 << 20;

/// A text of `times` units between a beginning and an end.
struct Text {
    begin: &'static str,
    unit: &'static str,
    end: &'static str,
    times: usize,
}

impl Text {
    const fn of(begin: &'static str, unit: &'static str, end: &'static str, times: usize) -> Self {
        Self { begin, unit, end, times }
    }

    fn bytes(&self, times: usize) -> Vec<u8> {
        [self.begin.as_bytes(), &self.unit.as_bytes().repeat(times), self.end.as_bytes()].concat()
    }
}

const TEXTS: [Text; 33] = [
    Text::of("select ", "(", "", 100_000),
    Text::of("select ", ")", "", 100_000),
    Text::of("select ", "[", "", 100_000),
    Text::of("select ", "{", "", 100_000),
    Text::of("", "{ts '", "", 100_000),
    Text::of("select a from t where a in (", "(1,(", "", 50_000),
    Text::of("insert into t values ", "(1,(", "", 50_000),
    Text::of("select '", "\\", "", MEGABYTE),
    Text::of("select '", "''", "", MEGABYTE / 2),
    Text::of("select \"", "\"\"", "", MEGABYTE / 2),
    Text::of("select `", "``", "", MEGABYTE / 2),
    Text::of("select [", "]]", "", MEGABYTE / 2),
    Text::of("", "/*", "", MEGABYTE / 2),
    Text::of("", "/*! ", "", MEGABYTE / 4),
    Text::of("select ", "/*+ ", "", MEGABYTE / 4),
    Text::of("", "--", "", MEGABYTE / 2),
    Text::of("select 1", "- -", "1", MEGABYTE / 4),
    Text::of("select ", "$a", "", MEGABYTE / 4),
    Text::of("select ", "q'", "", MEGABYTE / 4),
    Text::of("select a", " ?", "", MEGABYTE / 4),
    Text::of("select a", " * /**/", "", MEGABYTE / 8),
    Text::of("select ", "_utf8 ", "'x'", MEGABYTE / 8),
    Text::of("select %", "(a", "", MEGABYTE / 4),
    Text::of("select 1", "::int", "", MEGABYTE / 8),
    Text::of("", ";", "", MEGABYTE),
    Text::of("", "select 1;", "", MEGABYTE / 16),
    Text::of("select a from t where a in (0", ",1,a", ")", MEGABYTE / 8),
    Text::of("insert into t values (0)", ",(now(),1),(2)", "", MEGABYTE / 16),
    Text::of("select a", "+", "", MEGABYTE),
    Text::of("select a", "+-", "", MEGABYTE / 2),
    Text::of("select a ?", "-|", "", MEGABYTE / 2),
    Text::of("select a from ", "abcdef", "", MEGABYTE / 6),
    Text::of("select ", "deadbeef.", "a", MEGABYTE / 9),
];

fn all_options() -> impl Iterator<Item = FingerprintOptions> {
    Dialect::ALL.into_iter().flat_map(|dialect| {
        [(InLists::Collapse, true), (InLists::Distinct, false)]
            .map(|(in_lists, fold_digits)| FingerprintOptions::new(dialect).in_lists(in_lists).fold_digits(fold_digits))
    })
}

fn assert_bounded(options: FingerprintOptions, sql: &[u8]) -> usize {
    let once = normalize(options, sql);
    let shown = String::from_utf8_lossy(&sql[..sql.len().min(40)]).into_owned();
    assert!(once.len() <= 3 * sql.len() + 64, "{shown} in {options:?}: {} bytes became {}", sql.len(), once.len());
    assert!(normalize(options, &once) == once, "{shown} in {options:?} is not read back");
    once.len()
}

#[test]
fn repeated_units_are_read_to_their_end_in_proportion() {
    for text in TEXTS {
        let (half, whole) = (text.bytes(text.times / 2), text.bytes(text.times));
        for options in all_options() {
            let (half, whole) = (assert_bounded(options, &half), assert_bounded(options, &whole));
            assert!(whole <= 2 * half + 64, "{}… in {options:?}: {half} bytes, then {whole}", text.unit);
        }
        for dialect in Dialect::ALL {
            assert!(split(&whole, dialect).map(<[u8]>::len).sum::<usize>() <= whole.len());
            let _ = analyse(&whole, dialect);
        }
    }
}

#[test]
fn distinct_unions_stay_apart_and_are_counted_by_nobody() {
    let unions: Vec<String> = (0..5_000).map(|i| format!("select a from t_{i}x where b={i}")).collect();
    let sql = unions.join(" union ");
    for options in all_options() {
        assert_bounded(options, sql.as_bytes());
        let printed = normalize(options.fold_digits(false), sql.as_bytes());
        let printed = String::from_utf8(printed).unwrap();
        assert_eq!(printed.matches(" union ").count(), 4_999);
        assert!(printed.contains("from t_0x where b=? union ") && printed.ends_with("from t_4999x where b=?"));
    }
    for dialect in Dialect::ALL {
        assert_eq!(analyse(sql.as_bytes(), dialect).kinds.len(), 1);
    }
}

#[test]
fn ten_megabytes_are_hashed_to_their_end_and_printed_cut() {
    let list = "12345,'constant',".repeat(10 * MEGABYTE / 17);
    let columns = "column_name,".repeat(10 * MEGABYTE / 12);
    for dialect in Dialect::ALL {
        let options = FingerprintOptions::new(dialect);
        let mut normalizer = Normalizer::new(options);
        let text = format!("select a from t where a in ({list}0) and b=1");
        assert_eq!(normalizer.normalize(text.as_bytes()).text(), "select a from t where a in (?) and b=?");

        let [one, other] = ["b", "c"].map(|last| {
            let text = format!("select {columns}{last} from t");
            let normalized = normalizer.normalize(text.as_bytes());
            let printed = normalized.text();
            assert!(printed.len() <= options.max_sql_bytes + 3 && printed.ends_with('…'));
            normalized.fingerprint()
        });
        assert_ne!(one, other, "the end is shape as the beginning is");
    }
}

#[test]
fn every_byte_is_read_alone_and_in_long_runs() {
    for byte in 0..=u8::MAX {
        for options in all_options() {
            for times in [1, 2, 3, 1_000] {
                assert_bounded(options, &vec![byte; times]);
                assert_bounded(options, &[&b"select a "[..], &vec![byte; times], b" from t"].concat());
            }
        }
    }
}
