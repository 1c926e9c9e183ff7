//! Texts that are compiled into what matches: judged here for files and for rules built in code.

use super::quantity::Misread;
use super::text;

/// Refuses what is no regular expression on the normalised text.
pub(super) fn check_pattern(pattern: &str) -> Result<(), Misread> {
    text::PATTERN.check(pattern)
}

/// Refuses what is no account as MySQL writes it.
pub(super) fn check_account(account: &str) -> Result<(), Misread> {
    text::USER.check(account)
}

/// Refuses what is no table's name, `*` for any characters among them.
pub(super) fn check_table(table: &str) -> Result<(), Misread> {
    text::TABLE.check(table)
}
