//! Any bytes at all, and texts made of the pieces of rule files.

use super::{FULL, parse};
use proptest::prelude::*;

/// Pieces that rule files and hostile YAML are made of.
const PIECES: [&str; 60] = [
    "mode",
    "off",
    "thresholds",
    "9f2c41d07b6e",
    "max_count",
    "window",
    "limits",
    "1",
    "60s",
    "2/3",
    "rules",
    "name",
    "match",
    "limit",
    "block: true",
    "tables",
    "per",
    "user",
    "then",
    "10/5s",
    "expires",
    "2026-12-01T10:00:00Z",
    ": ",
    ":",
    "\n",
    "\n  ",
    "\n    ",
    "- ",
    "? ",
    "[",
    "]",
    "{",
    "}",
    ", ",
    ",",
    "&a ",
    "*a",
    "!t ",
    "!!str ",
    "|\n",
    ">-\n",
    "'",
    "\"",
    "\\",
    "#",
    " # x\n",
    "---\n",
    "...\n",
    "%YAML 1.2\n",
    "%TAG ! !\n",
    "<<",
    "\t",
    "\r",
    "\r\n",
    "\u{feff}",
    "\0",
    "é",
    "${",
    "}",
    "$",
];

fn pieces() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(&PIECES[..]), 0..40).prop_map(|pieces| pieces.concat())
}

/// Whatever is read is in order; whatever is refused says why and where.
fn is_answered(text: &[u8]) -> Result<(), TestCaseError> {
    match parse(text) {
        Ok(file) => prop_assert!(file.validate().is_ok()),
        Err(error) => {
            prop_assert!(!error.faults().is_empty());
            prop_assert!(
                error.faults().iter().all(|fault| fault.line > 0 && fault.column > 0 && !fault.code.is_empty())
            );
            prop_assert!(error.faults().is_sorted_by_key(|fault| (fault.line, fault.column)));
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn bytes(bytes: Vec<u8>) {
        is_answered(&bytes)?;
    }

    #[test]
    fn yaml_like_text(text in pieces()) {
        is_answered(text.as_bytes())?;
    }

    #[test]
    fn a_rule_file_with_something_in_it(at in 0..=FULL.len(), cut in 0..8_usize, piece in pieces()) {
        let mut bytes = FULL.as_bytes().to_vec();
        bytes.splice(at..(at + cut).min(FULL.len()), piece.bytes().take(6));
        is_answered(&bytes)?;
    }
}
