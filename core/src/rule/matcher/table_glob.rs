//! A rule's name of tables.

use super::glob::{Glob, Piece};
use crate::fingerprint::TableName;

/// Names of tables: any case, with `*` for any characters. A schema is compared part by part from the right, as far as both
/// the rule and the statement write one: `shop.orders` is met by `orders`, `shop.orders` and `db.shop.orders`.
#[derive(Clone, Debug)]
pub(crate) struct TableGlob {
    name: Glob,
    /// The innermost first.
    schema: Box<[Glob]>,
}

impl TableGlob {
    /// Longest text, in bytes: beyond the names of any database, and it bounds the work of a comparison.
    pub(crate) const MAX_BYTES: usize = 1024;

    /// Reads `orders`, `orders_*` or `schema.orders`.
    ///
    /// # Errors
    ///
    /// A message: it is too long, quoted, or lacks a name.
    pub(crate) fn new(text: &str) -> Result<Self, String> {
        if text.len() > Self::MAX_BYTES {
            return Err(format!("the name has {} bytes, and {} is the most", text.len(), Self::MAX_BYTES));
        }
        let mut parts = Vec::new();
        for part in text.rsplit('.') {
            if part.trim().is_empty() {
                return Err("name a table, `table` or `schema.table`".to_owned());
            }
            if part.starts_with(['"', '`', '[', '\'']) || part.ends_with(['"', '`', ']', '\'']) {
                return Err("write the name without quotes: it is compared in any case".to_owned());
            }
            let piece = |byte| if byte == b'*' { Piece::Any } else { Piece::Byte(byte) };
            parts.push(Glob::new(part.bytes().map(piece)));
        }
        let name = parts.remove(0);
        Ok(Self { name, schema: parts.into() })
    }

    pub(crate) fn matches(&self, table: &TableName) -> bool {
        let written = table.schema.iter().flat_map(|schema| schema.rsplit('.'));
        self.name.matches(table.name.as_bytes())
            && self.schema.iter().zip(written).all(|(glob, part)| glob.matches(part.as_bytes()))
    }

    /// The longest text that stands in every statement with such a table; none where there is none. What a quoted name
    /// may spell otherwise than it reads, a doubled quote, is left out, and so are bytes that may replace others.
    pub(super) fn literal(&self) -> Option<Vec<u8>> {
        let literal = |piece: &Piece| match piece {
            Piece::Byte(byte) if byte.is_ascii() && !br#""'`[]\"#.contains(byte) => Some(byte.to_ascii_lowercase()),
            _ => None,
        };
        let runs = self.name.pieces().split(|piece| literal(piece).is_none());
        let longest = runs.max_by_key(|run| run.len()).filter(|run| !run.is_empty())?;
        Some(longest.iter().filter_map(literal).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: &str) -> TableName {
        crate::fingerprint::analyse(format!("select * from {text}").as_bytes(), crate::Dialect::Generic)
            .tables
            .remove(0)
    }

    #[test]
    fn names_match_in_any_case_and_schemas_where_both_write_one() {
        for (glob, written, expected) in [
            ("orders", "orders", true),
            ("Orders", "ORDERS", true),
            ("orders", r#""Orders""#, true),
            ("orders", "orders_1", false),
            ("orders_*", "orders_1", true),
            ("orders_*", "orders", false),
            ("*orders", "my_orders", true),
            ("o*s", "orders", true),
            ("*", "anything", true),
            ("orders", "shop.orders", true),
            ("shop.orders", "orders", true),
            ("shop.orders", "shop.orders", true),
            ("SHOP.orders", "shop.orders", true),
            ("shop.orders", "other.orders", false),
            ("shop.orders", "db.shop.orders", true),
            ("shop.orders", "shop.dbo.orders", false),
            ("db.shop.orders", "shop.orders", true),
            ("db.shop.orders", "other.shop.orders", false),
            ("sh*.orders", "shop.orders", true),
            ("*.orders", "shop.orders", true),
            // A wildcard stays within its part.
            ("sh*", "shop.orders", false),
            ("orders", r#""a.orders""#, false),
        ] {
            assert_eq!(TableGlob::new(glob).unwrap().matches(&table(written)), expected, "{glob} {written}");
        }
    }

    #[test]
    fn what_names_no_table_is_refused() {
        for text in ["", " ", ".", "shop.", ".orders", "a..b", "`orders`", "\"orders\"", "shop.[orders]"] {
            assert!(TableGlob::new(text).is_err(), "{text}");
        }
        assert!(TableGlob::new(&"a".repeat(TableGlob::MAX_BYTES)).is_ok());
        assert!(TableGlob::new(&"a".repeat(TableGlob::MAX_BYTES + 1)).unwrap_err().contains("1024"));
    }

    #[test]
    fn the_literal_is_the_longest_piece_that_cannot_be_spelt_otherwise() {
        for (glob, expected) in [
            ("Orders", Some("orders")),
            ("shop.orders", Some("orders")),
            ("o*ders_*", Some("ders_")),
            ("or`ders", Some("ders")),
            ("é_x", Some("_x")),
            ("*", None),
            ("é", None),
        ] {
            assert_eq!(
                TableGlob::new(glob).unwrap().literal(),
                expected.map(|text| text.as_bytes().to_vec()),
                "{glob}"
            );
        }
    }
}
