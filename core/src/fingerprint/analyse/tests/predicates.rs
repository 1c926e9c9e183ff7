//! Columns compared with values.

use super::{G, MS, MY, ORA, PG, check};
use crate::fingerprint::Dialect;
use crate::fingerprint::analyse::{Operator, Predicate, Value, analyse};

/// `table.column=value`, `table.column in value,value`, placeholders as `?0`; the table is `-` where it is not known.
fn predicates(sql: &[u8], dialect: Dialect) -> String {
    written(analyse(sql, dialect).predicates)
}

pub(super) fn written(predicates: Vec<Predicate>) -> String {
    let written = predicates.into_iter().map(|predicate| {
        let table = predicate.table.map_or_else(|| "-".to_owned(), |table| table.to_string());
        let operator = match predicate.operator {
            Operator::Equal => "=",
            Operator::In => " in ",
        };
        let values: Vec<_> = predicate
            .values
            .into_iter()
            .map(|value| match value {
                Value::Constant(text) => text,
                Value::Placeholder(position) => format!("?{position}"),
            })
            .collect();
        format!("{table}.{}{operator}{}", predicate.column, values.join(","))
    });
    written.collect::<Vec<_>>().join(" & ")
}

#[test]
fn comparisons_that_must_hold_are_read() {
    let list: Vec<_> = CASES.iter().map(|&(sql, dialect, expected)| (sql, dialect, expected.to_owned())).collect();
    check(&list, predicates);
}

pub(super) const CASES: &[(&str, Dialect, &str)] = &[
    ("select * from t where id = 5", G, "t.id=5"),
    ("select * from t where 5 = ID", G, "t.id=5"),
    (r#"select * from t where "Id" = 'a''b'"#, G, "t.Id=a'b"),
    ("select * from t where id = -5 and a = +1.50", G, "t.id=-5 & t.a=1.50"),
    ("select * from t where (id = 5) and ((a = 'x'))", G, "t.id=5 & t.a=x"),
    ("select * from t where active = true", PG, "t.active=true"),
    ("select * from t where id in (1, 2, 'x')", G, "t.id in 1,2,x"),
    ("select * from t where id in (?, ?) and a = ?", G, "t.id in ?0,?1 & t.a=?2"),
    ("select a + ? from t where id = ?", MY, "t.id=?1"),
    ("select * from t where b = $2 and a = $1", PG, "t.b=?1 & t.a=?0"),
    ("select * from t where id = ? and b = ?", PG, "t.id=?0 & t.b=?1"),
    ("select * from t where id = any($1)", PG, "t.id in ?0"),
    ("select * from t where id = any(array[1, 2])", PG, "t.id in 1,2"),
    ("select * from t where id = '5'::int", PG, "t.id=5"),
    ("select * from t where d = date '2020-01-01'", PG, "t.d=2020-01-01"),
    ("select * from t where n = N'x'", MS, "t.n=x"),
    ("select * from t where n = :name", ORA, "t.n=?0"),
    ("select * from t where (a, b) = (1, 2)", G, "t.a=1 & t.b=2"),
    ("select * from t where (a, b) in ((1, 2), (3, 4))", G, "t.a in 1,3 & t.b in 2,4"),
    ("select * from orders o where o.id = 5", G, "orders.id=5"),
    ("select * from s.orders where s.orders.id = 5", G, "s.orders.id=5"),
    ("select * from a join b on a.id = b.id and b.x = 1 where a.y = 2", G, "b.x=1 & a.y=2"),
    ("select * from a, b where id = 5", G, "-.id=5"),
    ("select * from a left join b on b.x = 1 and a.y = 2", G, "b.x=1"),
    ("select * from a right join b on b.x = 1 and a.y = 2", G, "a.y=2"),
    ("select * from a full join b on b.x = 1", G, ""),
    ("select * from (select * from t where id = 5) x where x.a = 1", G, "t.id=5 & -.a=1"),
    ("select * from a where id in (select aid from b where c = 1)", G, "b.c=1"),
    ("select * from a where exists (select 1 from b where b.aid = a.id and a.x = 3)", G, "a.x=3"),
    ("select * from a where id = 1 union select * from b where id = 2", G, "a.id=1 & b.id=2"),
    ("with x as (select * from t where id = 5) select * from x where a = 1", G, "t.id=5 & -.a=1"),
    ("update t set a = 1 where id = 5", G, "t.id=5"),
    ("update t set a = ? where id = ?", G, "t.id=?1"),
    ("update o set a = 1 from orders o where o.id = 5", MS, "orders.id=5"),
    ("delete from t where id = 5 limit 1", MY, "t.id=5"),
    ("delete o from orders o join items i on o.id = i.oid where i.sku = 'x'", MY, "items.sku=x"),
    ("insert into t select * from u where id = 5", G, "u.id=5"),
    ("select * from t where id = ?; delete from t where id = ?", G, "t.id=?0 & t.id=?1"),
    // What need not hold says nothing.
    ("select * from t where id = 5 or a = 1", G, ""),
    ("select * from t where not (id = 5)", G, ""),
    ("select * from t where id not in (1, 2)", G, ""),
    ("select * from t where not exists (select 1 from u where id = 5)", G, ""),
    ("select * from t where id <> 5 and a > 1", G, ""),
    ("select * from t where id = null", G, ""),
    ("select * from t where id = other", G, ""),
    ("select * from t where lower(name) = 'x'", G, ""),
    ("select * from t where id in (1, f(2))", G, ""),
    ("select id = 5 from t", G, ""),
    ("insert into t values (1)", G, ""),
    ("explain analyze delete from t where id = 5", PG, "t.id=5"),
];
