//! What a statement's own text and its bound parameters say, which its shape does not.

use super::column::Column;
use crate::fingerprint::{Analysis, Dialect, Value, analyse};
use std::cell::OnceCell;

/// Most values of a column that make keys.
const MAX_COLUMN_VALUES: usize = 16;

/// The constants and bound parameters of one statement. Its grammar is read only where a rule asks for it, and once.
///
/// Values are compared byte by byte, as they are written without their quotes: `042` is not `42`, nor is `4.2e1`. A parameter
/// that is not bound, or bound to NULL, is no value.
#[derive(Debug)]
pub(crate) struct Constants<'a> {
    sql: &'a [u8],
    params: &'a [Option<&'a [u8]>],
    dialect: Dialect,
    analysis: OnceCell<Analysis>,
}

impl<'a> Constants<'a> {
    /// Those of a text, with the parameters that are bound to it.
    pub(crate) fn new(sql: &'a [u8], dialect: Dialect, params: &'a [Option<&'a [u8]>]) -> Self {
        Self { sql, params, dialect, analysis: OnceCell::new() }
    }

    /// What the statement does, its constants read.
    pub(crate) fn analysis(&self) -> &Analysis {
        self.analysis.get_or_init(|| analyse(self.sql, self.dialect))
    }

    /// What the statement compares the column with by `=` or IN, in order of appearance and with repetitions.
    pub(super) fn values_of<'c>(&'c self, column: &'c Column) -> impl Iterator<Item = &'c [u8]> {
        let Analysis { predicates, tables, .. } = self.analysis();
        let predicates = predicates.iter().filter(|predicate| column.is_compared_by(predicate, tables));
        predicates.flat_map(|predicate| &predicate.values).filter_map(|value| match value {
            Value::Constant(text) => Some(text.as_bytes()),
            Value::Placeholder(position) => self.params.get(*position).copied().flatten(),
        })
    }

    /// What the statement compares the column with by `=` or IN: the first [`MAX_COLUMN_VALUES`] different ones, in order.
    /// None where it does not compare it with a value.
    pub(crate) fn column_values<'c>(&'c self, column: &'c Column) -> Vec<&'c [u8]> {
        let mut values: Vec<&[u8]> = Vec::new();
        for value in self.values_of(column) {
            if !values.contains(&value) {
                values.push(value);
                if values.len() == MAX_COLUMN_VALUES {
                    break;
                }
            }
        }
        values
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fingerprint::FingerprintOptions;
    use crate::rule::ColumnName;

    fn values(sql: &str, params: &[Option<&[u8]>], column: &str) -> String {
        let mut parts = column.rsplit('.');
        let (name, table) = (parts.next().unwrap(), parts.next().unwrap());
        let column = ColumnName { schema: parts.next().map(str::to_owned), ..ColumnName::new(table, name) };
        let column = Column::new(&column, &FingerprintOptions::default());
        let constants = Constants::new(sql.as_bytes(), Dialect::Generic, params);
        let values = constants.column_values(&column);
        values.iter().map(|value| String::from_utf8_lossy(value)).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn values_of_a_column() {
        let params: &[Option<&[u8]>] = &[Some(b"a"), None, Some(b"\xFF")];
        for (sql, column, expected) in [
            ("select * from orders where id = 42", "orders.id", "42"),
            ("select * from Orders where ID = 42", "ORDERS.id", "42"),
            ("select * from orders where id = '42'", "orders.id", "42"),
            ("select * from orders where id = 042", "orders.id", "042"),
            ("select * from orders where id = 'a''b'", "orders.id", "a'b"),
            ("select * from orders where id in (3, 1, 3, 2)", "orders.id", "3 1 2"),
            ("select * from orders where id = 1 and id in (2, 1)", "orders.id", "1 2"),
            ("select * from orders where id > 1", "orders.id", ""),
            ("select * from orders where id = 1 or x = 2", "orders.id", ""),
            ("select * from orders where id = null", "orders.id", ""),
            ("select * from orders where x = 1", "orders.id", ""),
            ("select * from items where id = 1", "orders.id", ""),
            ("select * from orders o where o.id = 1", "orders.id", "1"),
            ("select * from orders o join items i on i.id = 2 where o.id = 1", "orders.id", "1"),
            ("select * from orders, items where id = 1", "orders.id", ""),
            ("select * from (select * from orders) o where o.id = 1", "orders.id", "1"),
            ("select * from shop.orders where id = 1", "orders.id", "1"),
            ("select * from shop.orders where id = 1", "shop.orders.id", "1"),
            ("select * from orders where id = 1", "shop.orders.id", "1"),
            ("select * from other.orders where id = 1", "shop.orders.id", ""),
            ("update orders set id = 1 where id = 2", "orders.id", "2"),
            ("delete from orders where id = 2; delete from items where id = 3", "orders.id", "2"),
            ("select * from orders where id = ?", "orders.id", "a"),
            ("select * from orders where x = ? and id = ?", "orders.id", ""),
            ("select * from orders where id in (?, ?, ?, ?)", "orders.id", "a \u{FFFD}"),
            ("select * from orders where id in (?, 7)", "orders.id", "a 7"),
            ("not sql at all", "orders.id", ""),
            ("", "orders.id", ""),
        ] {
            assert_eq!(values(sql, params, column), expected, "{sql} {column}");
        }
    }

    #[test]
    fn of_a_long_list_the_first_sixteen_are_kept() {
        let list = |range: std::ops::Range<u32>| range.map(|n| n.to_string()).collect::<Vec<_>>().join(", ");
        let sql = format!("select * from t where id in (0, {})", list(0..100));
        assert_eq!(values(&sql, &[], "t.id"), list(0..16).replace(',', ""));
    }

    #[test]
    fn a_list_too_long_to_be_parsed_hides_no_value() {
        let column = Column::new(&ColumnName::new("orders", "id"), &FingerprintOptions::default());
        let list = (0..10_000).map(|n| n.to_string()).collect::<Vec<_>>().join(", ");
        for sql in [
            format!("select * from orders o join items i on i.oid = o.id where i.a = 1 and o.id in ({list})"),
            format!("select {list} from orders o, items i where o.id in (3, 9999)"),
            format!("update orders set a = coalesce({list}) where id in (?, 9999)"),
        ] {
            let constants = Constants::new(sql.as_bytes(), Dialect::Generic, &[Some(b"7")]);
            assert!(constants.values_of(&column).any(|value| value == b"9999"), "{}", &sql[..60]);
            let others = Column::new(&ColumnName::new("items", "id"), &FingerprintOptions::default());
            assert_eq!(constants.values_of(&others).count(), 0, "{}", &sql[..60]);
        }
    }

    #[test]
    fn constants_are_read_in_the_dialect_of_the_statement() {
        let column = Column::new(&ColumnName::new("t", "a"), &FingerprintOptions::default());
        let sql = r#"select * from t where a = "x""#;
        assert_eq!(Constants::new(sql.as_bytes(), Dialect::MySql, &[]).column_values(&column), [b"x"]);
        assert!(Constants::new(sql.as_bytes(), Dialect::PostgreSql, &[]).column_values(&column).is_empty());
    }
}
