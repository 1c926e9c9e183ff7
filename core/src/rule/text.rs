//! How long texts and lists may be and what they may hold, stated once for files and for rules built in code.

use super::bounds::{Codes, codes};
use super::quantity::{Misread, Wrong, quoted};

/// What a text may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holds {
    /// Any character, and none at all.
    Anything,
    /// Any character.
    Something,
    /// No control characters but for line breaks and tabs.
    Lines,
    /// No control characters.
    Printable,
    /// No control characters and no white space.
    Word,
    /// ASCII letters, digits, `_`, `-` and `.`.
    Identifier,
}

/// What a text may be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextBounds {
    pub(crate) codes: Codes,
    pub(crate) noun: &'static str,
    /// Most characters.
    max: usize,
    holds: Holds,
}

const fn text(codes: Codes, noun: &'static str, max: usize, holds: Holds) -> TextBounds {
    TextBounds { codes, noun, max, holds }
}

/// Most values of a list.
pub(crate) const MAX_ITEMS: usize = 1_000;
/// Most parts of a key.
pub(crate) const MAX_PARTS: usize = 16;
/// Longest name of a thing in a database, in characters: longer than any database allows.
const NAME: usize = 256;
/// Longest statement or pattern, in characters.
const LONG: usize = 65_536;

/// The part of a strategy's name behind `custom:`.
pub(crate) const CUSTOM: TextBounds = text(codes!("threshold.strategy"), "a strategy's name", 64, Holds::Identifier);
/// As for [`CUSTOM`].
pub(crate) const THEN_CUSTOM: TextBounds = TextBounds { codes: codes!("rule.then.strategy"), ..CUSTOM };

pub(crate) const RULE_NAME: TextBounds = text(codes!("rule.name"), "a name", 128, Holds::Printable);
pub(crate) const OWNER: TextBounds = text(codes!("rule.owner"), "an owner", 256, Holds::Printable);
pub(crate) const REASON: TextBounds = text(codes!("rule.reason"), "a reason", 4_096, Holds::Lines);

pub(crate) const LIKE: TextBounds = text(codes!("rule.match.like"), "a statement", LONG, Holds::Something);
pub(crate) const PATTERN: TextBounds = text(codes!("rule.match.pattern"), "a pattern", LONG, Holds::Something);
pub(crate) const KEYWORD: TextBounds = text(codes!("rule.match.keywords"), "a word", NAME, Holds::Printable);
pub(crate) const TABLE: TextBounds = text(codes!("rule.match.tables"), "a table's name", 2 * NAME, Holds::Printable);
pub(crate) const DATABASE: TextBounds =
    text(codes!("rule.match.databases"), "a database's name", NAME, Holds::Printable);
pub(crate) const USER: TextBounds = text(codes!("rule.match.user"), "an account", 2 * NAME, Holds::Printable);
pub(crate) const TAG_NAME: TextBounds = text(codes!("rule.match.tags"), "a tag's name", NAME, Holds::Printable);
pub(crate) const TAG_VALUE: TextBounds = text(codes!("rule.match.tags"), "a tag's value", 4_096, Holds::Anything);
pub(crate) const COLUMN_VALUE: TextBounds = text(codes!("rule.match.columns"), "a value", 4_096, Holds::Anything);
pub(crate) const PER: Codes = codes!("rule.per");
pub(crate) const PER_TAG: TextBounds = TextBounds { codes: PER, ..TAG_NAME };
/// One part of a column's name.
pub(crate) const COLUMN_PART: TextBounds = text(codes!("rule.match.columns"), "a name", NAME, Holds::Printable);

pub(crate) const NAMESPACE: TextBounds = text(codes!("cluster.namespace"), "a namespace", 64, Holds::Word);
pub(crate) const URL: TextBounds = text(codes!("cluster.redis.url"), "a URL", 4_096, Holds::Word);

impl TextBounds {
    /// Refuses a text that is not within the bounds. The text of a long one is not read to its end.
    pub(crate) fn check(&self, text: &str) -> Result<(), Misread> {
        let noun = self.noun;
        if text.is_empty() {
            return match self.holds {
                Holds::Anything => Ok(()),
                _ => Err(Misread::new(Wrong::Empty, "an empty value", format!("write {noun}"))),
            };
        }
        if text.chars().nth(self.max).is_some() {
            let found = format!("{noun} of more than {} characters", self.max);
            return Err(Misread::new(Wrong::TooLong, found, format!("write at most {}", self.max)));
        }
        let refused = |c: char| match self.holds {
            Holds::Anything | Holds::Something => false,
            Holds::Lines => c.is_control() && !matches!(c, '\n' | '\t'),
            Holds::Printable => c.is_control(),
            Holds::Word => c.is_control() || c.is_whitespace(),
            Holds::Identifier => !c.is_ascii_alphanumeric() && !matches!(c, '_' | '-' | '.'),
        };
        match text.chars().find(|c| refused(*c)) {
            None => Ok(()),
            Some(c) => {
                let found = format!("the character {} in {noun}", quoted(&c.to_string()));
                let expected = match self.holds {
                    Holds::Identifier => "write letters, digits, `_`, `-` and `.`",
                    Holds::Word => "write no white space and no control characters",
                    _ => "write no control characters",
                };
                Err(Misread::new(Wrong::Malformed, found, expected))
            }
        }
    }
}

/// Refuses a list of nothing, and one that is too long.
pub(crate) fn check_items(items: usize, most: usize, noun: &str) -> Result<(), Misread> {
    if items == 0 {
        let expected = format!("write {noun}, or leave the key out");
        Err(Misread::new(Wrong::Empty, "an empty list", expected))
    } else if items > most {
        Err(Misread::new(Wrong::TooMany, format!("a list of {items} values"), format!("write at most {most}")))
    } else {
        Ok(())
    }
}
