//! The lexer and the normaliser, in every dialect and mode.
//!
//! The first byte chooses the options, the rest is the statement.

use sqlthrottle::fingerprint::split;
use sqlthrottle::{Dialect, FingerprintOptions, InLists, Normalizer};

/// Bytes that a normalised text may have beyond [`GROWTH`] times the statement's.
const SLACK: usize = 64;
/// How many times longer than its statement a normalised text may be: canonical spaces and `/**/` are all that is added.
const GROWTH: usize = 3;
/// A print limit that small inputs reach.
const SHORT: usize = 48;

/// The options that a byte stands for. `seeds` writes the byte that this reads.
pub fn options(choice: u8) -> FingerprintOptions {
    let choice = usize::from(choice);
    FingerprintOptions::new(Dialect::ALL[choice % 6])
        .in_lists(if (choice / 6).is_multiple_of(2) { InLists::Collapse } else { InLists::Distinct })
        .fold_digits(!(choice / 12).is_multiple_of(2))
        .max_sql_bytes(if (choice / 24).is_multiple_of(2) { 1 << 20 } else { SHORT })
}

/// Panics where the normalised text of these bytes is not what it promises to be.
pub fn run(data: &[u8]) {
    let Some((&choice, sql)) = data.split_first() else { return };
    let options = options(choice);
    let mut reader = Normalizer::new(options);

    let normalized = reader.normalize(sql);
    let (once, statements) = (normalized.as_bytes().to_vec(), normalized.statements());
    let fingerprint = normalized.fingerprint();
    let printed = normalized.text();
    assert!(once.len() <= GROWTH * sql.len() + SLACK, "{} bytes became {}", sql.len(), once.len());
    // What is not UTF-8 is printed as a character of three bytes.
    assert!(printed.chars().count() <= options.max_sql_bytes + 1, "more is printed than asked for");
    assert_eq!(fingerprint, options.hash.digest(&once));

    let twice = reader.normalize(&once);
    assert_eq!(
        String::from_utf8_lossy(&once),
        String::from_utf8_lossy(twice.as_bytes()),
        "{:?} in {options:?} is not read back",
        String::from_utf8_lossy(sql)
    );
    assert_eq!(once, twice.as_bytes());
    assert_eq!(statements, twice.statements(), "statements of {:?}", String::from_utf8_lossy(&once));

    let again = reader.normalize(sql);
    assert_eq!(once, again.as_bytes(), "what was read before is remembered");

    divide(sql, options.dialect, statements);
}

fn divide(sql: &[u8], dialect: Dialect, statements: usize) {
    let mut pieces = 0;
    let mut bytes = 0;
    for piece in split(sql, dialect) {
        assert!(!piece.is_empty(), "a piece without a token");
        pieces += 1;
        bytes += piece.len();
    }
    assert!(bytes <= sql.len(), "pieces overlap");
    assert_eq!(pieces, statements, "pieces and statements of {:?} in {dialect}", String::from_utf8_lossy(sql));
}
