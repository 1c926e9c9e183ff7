//! A fingerprint, or the beginning of one, as a key of `thresholds` or a value of a rule.

use super::faults::Mark;
use super::reader::Reader;
use crate::fingerprint::HashKind;
use crate::rule::quantity;
use crate::rule::{FingerprintPrefix, InvalidPrefix};

/// What decisions and replays put before the digits, so that it is copied with them.
const RULE_NAME: &str = "threshold:";

/// The fault codes.
pub(super) struct PrefixCodes {
    pub(super) malformed: &'static str,
    pub(super) elided: &'static str,
    pub(super) too_short: &'static str,
    pub(super) too_long: &'static str,
}

/// Reads the digits. `hash` is none where the file does not say it rightly.
pub(super) fn read(
    reader: &mut Reader<'_>,
    codes: &PrefixCodes,
    key: &str,
    mark: Mark,
    hash: Option<HashKind>,
) -> Option<FingerprintPrefix> {
    let error = match FingerprintPrefix::new(key) {
        Ok(prefix) => match hash.map_or(Ok(()), |hash| prefix.fits(hash)) {
            Ok(()) => return Some(prefix),
            Err(misread) => {
                reader.fault(mark, codes.too_long, misread.found, misread.expected);
                return None;
            }
        },
        Err(error) => error,
    };
    let (code, found) = match error {
        InvalidPrefix::NotHexadecimal => (codes.malformed, format!("{} is not a fingerprint", quantity::quoted(key))),
        InvalidPrefix::Elided => (codes.elided, "the fingerprint ends in an ellipsis".to_owned()),
        InvalidPrefix::TooShort => (codes.too_short, format!("the fingerprint has only {} digits", key.len())),
        InvalidPrefix::TooLong => (codes.too_long, format!("the fingerprint has {} digits", key.len())),
    };
    // Whoever writes a variable here expects it to be filled in.
    let expected = if key.contains("${") {
        format!("variables are filled in values only: {error}")
    } else if key.strip_prefix(RULE_NAME).is_some_and(|digits| FingerprintPrefix::new(digits).is_ok()) {
        format!("leave out `{RULE_NAME}`")
    } else {
        error.to_string()
    };
    reader.fault(mark, code, found, expected);
    None
}
