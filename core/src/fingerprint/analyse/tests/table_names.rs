//! Tables.

use super::{G, MS, MY, ORA, PG, check, tables};

fn cases<'a>(
    list: &[(&'a str, crate::fingerprint::Dialect, &str)],
) -> Vec<(&'a str, crate::fingerprint::Dialect, String)> {
    list.iter().map(|(sql, dialect, expected)| (*sql, *dialect, (*expected).to_owned())).collect()
}

#[test]
fn every_table_is_named_once_in_order() {
    let list = cases(&[
        ("select * from t", G, "t"),
        ("select * from T, S.U", G, "t s.u"),
        ("select * from db.s.t", G, "db.s.t"),
        (r#"select * from "Orders" o, "S"."t""#, G, "Orders S.t"),
        ("select * from `Orders`", MY, "Orders"),
        ("select * from [dbo].[Orders]", MS, "dbo.Orders"),
        ("select * from t a join t b on a.id = b.id", G, "t"),
        ("select * from a left join b on a.id = b.id, c", G, "a b c"),
        ("select (select x from b) from a", G, "b a"),
        ("select * from a where id in (select id from b) and exists (select 1 from c)", G, "a b c"),
        ("select * from (select * from a) x, b", G, "a b"),
        ("select * from (a join b on a.id = b.id)", G, "a b"),
        ("select * from a union select * from b", G, "a b"),
        ("select extract(year from d), trim(both 'x' from y) from t", PG, "t"),
        ("select * from t where a is distinct from b", PG, "t"),
        ("select * from generate_series(1, 2) g, t", PG, "t"),
        ("select 1", G, ""),
        ("table t", PG, "t"),
        ("with x as (select * from a) select * from x join b on true", G, "a b"),
        ("with x as (select * from a), y as (select * from x) select * from y", G, "a"),
        ("with t as (select * from t) select * from t", PG, "t"),
        ("with recursive t as (select 1 union all select * from t) select * from t", PG, ""),
        ("with x as (select 1) select * from s.x", G, "s.x"),
        ("insert into t (a) values (1)", G, "t"),
        ("insert into t select * from u", G, "t u"),
        ("replace into t values (1)", MY, "t"),
        ("update t set a = (select b from u)", G, "t u"),
        ("update a join b on a.id = b.id set a.x = 1", MY, "a b"),
        ("update t set a = 1 from u where t.id = u.id", PG, "t u"),
        ("update o set a = 1 from orders o join items i on o.id = i.id", MS, "orders items"),
        ("delete from t where id = 1", G, "t"),
        ("delete o, i from orders o join items i on o.id = i.oid", MY, "orders items"),
        ("delete from o using orders o join items i where o.id = i.id", MY, "orders items"),
        ("delete from a using b where a.id = b.id", PG, "a b"),
        ("merge into t using s on t.id = s.id when matched then update set a = 1", G, "t s"),
        ("create table t (id int)", G, "t"),
        ("create table t as select * from u", G, "t u"),
        ("alter table t add column a int", G, "t"),
        ("drop table if exists a, b", G, "a b"),
        ("truncate table t", G, "t"),
        ("truncate a, b", PG, "a b"),
        ("create index i on t (a)", G, "t"),
        ("copy t (a) from stdin", PG, "t"),
        ("copy (select * from t) to stdout", PG, "t"),
        ("lock table t in exclusive mode", PG, "t"),
        ("lock tables a read, b write", MY, "a b"),
        ("load data infile 'x' into table t", MY, "t"),
        ("rename table a to b", MY, "a"),
        ("explain select * from t", G, "t"),
        ("explain analyze delete from t", PG, "t"),
        ("with x as (delete from a returning *) insert into b select * from x", PG, "a b"),
        ("select 1 from a; delete from b; select 1 from a", G, "a b"),
        ("select * from t for update of t", PG, "t"),
        ("select * from t where x = 'from u'", G, "t"),
        ("select /*+ full(u) */ * from t", ORA, "t"),
        ("select /*! straight_join */ * from t -- from u", MY, "t"),
        ("select a -- from u\n from t", G, "t"),
        ("grant select on t to u", G, ""),
        ("set a = 1", G, ""),
    ]);
    check(&list, tables);
}
