//! Texts that are compiled into what matches, judged once for files and for rules built in code.

use super::matcher::{Account, Keyword, Pattern, TableGlob};
use super::quantity::{Misread, Wrong, quoted};
use super::text::{self, TextBounds};

/// Longest reason that is told, in characters: one may repeat what was read.
const MOST_TOLD: usize = 200;

/// Refuses what is no regular expression on the normalised text.
pub(super) fn check_pattern(pattern: &str) -> Result<(), Misread> {
    let expected =
        "write a regular expression such as `select.*from reports`; `\\` before a character takes it as it is";
    check(&text::PATTERN, pattern, |text| Pattern::new(text).map(drop), "a regular expression", expected)
}

/// Refuses what is no account as MySQL writes it.
pub(super) fn check_account(account: &str) -> Result<(), Misread> {
    let expected = "write an account such as `dev@192.168.%`, or `dev` for one from any host";
    check(&text::USER, account, |text| Account::new(text).map(drop), "an account", expected)
}

/// Refuses what is no table's name, `*` for any characters among them.
pub(super) fn check_table(table: &str) -> Result<(), Misread> {
    let expected = "write a name such as `orders`, `orders_*` or `shop.orders`";
    check(&text::TABLE, table, |text| TableGlob::new(text).map(drop), "a table's name", expected)
}

/// Refuses what is no single word.
pub(super) fn check_keyword(keyword: &str) -> Result<(), Misread> {
    let expected = "write the words one by one: `keywords: [select, reports]`";
    check(&text::KEYWORD, keyword, |text| Keyword::new(text).map(drop), "a word", expected)
}

fn check(
    bounds: &TextBounds,
    text: &str,
    compile: impl FnOnce(&str) -> Result<(), String>,
    noun: &str,
    expected: &str,
) -> Result<(), Misread> {
    bounds.check(text)?;
    compile(text).map_err(|reason| {
        let reason: String = reason.chars().filter(|c| !c.is_control()).take(MOST_TOLD).collect();
        Misread::new(Wrong::Malformed, format!("{} is not {noun}: {reason}", quoted(text)), expected)
    })
}
