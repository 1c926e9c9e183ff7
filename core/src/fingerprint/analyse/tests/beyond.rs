//! Beyond the parser's budget, and where it refuses, the lexical reading tells the same.

use super::super::scan::scan;
use super::super::text::{MAX_NESTING, MAX_TOKENS};
use super::{G, MS, MY, PG, analyse, check};
use crate::fingerprint::{Dialect, analyse::Where};

/// What the lexical reading alone makes of the tables.
fn lexical_tables(sql: &[u8], dialect: Dialect) -> String {
    let mut found: Vec<String> = vec![];
    scan(sql, dialect, |statement| found.extend(statement.tables.iter().map(ToString::to_string)));
    found.join(" ")
}

#[test]
fn tables_are_found_without_the_parser() {
    let list: Vec<_> = [
        ("select * from T, S.U", G, "t s.u"),
        (r#"select * from "Or""ders" o"#, G, r#"Or"ders"#),
        ("select * from [dbo].[Orders]", MS, "dbo.Orders"),
        ("select * from a left join b on a.id = b.id, c", G, "a b c"),
        ("select (select x from b) from a", G, "b a"),
        ("select * from (select * from a) x, b", G, "a b"),
        ("select * from (a join b on a.id = b.id), c", G, "a b c"),
        ("select extract(year from d), trim(both 'x' from y) from t", PG, "t"),
        ("select * from t where a is distinct from b", PG, "t"),
        ("select * from generate_series(1, 2) g, t", PG, "t"),
        ("with x as (select * from a), y(n) as (select * from x) select * from y join b on true", G, "a b"),
        ("insert into t (a, b) select c, d from u", G, "t u"),
        ("insert into t values (1, 2), (3, 4)", G, "t"),
        ("insert ignore into t set a = 1", MY, "t"),
        ("insert or replace into t values (1)", G, "t"),
        ("update t set a = 1, b = (select c from u), d = 2 where e = 3", G, "t u"),
        ("update a join b on a.id = b.id set a.x = 1", MY, "a b"),
        ("update top (5) t set a = 1", MS, "t"),
        ("delete o, i from orders o join items i on o.id = i.oid", MY, "orders items"),
        ("delete t where id = 1", MS, "t"),
        ("delete from a using b where a.id = b.id", PG, "a b"),
        ("merge into t using s on t.id = s.id when matched then update set a = 1", G, "t s"),
        ("create table if not exists t (id int, a int references u (id))", G, "t"),
        ("alter table t add a int, add b int", G, "t"),
        ("drop table if exists a, b", G, "a b"),
        ("truncate a, b", PG, "a b"),
        ("create unique index i on t (a)", G, "t"),
        ("copy t (a) from stdin", PG, "t"),
        ("lock tables a read, b write", MY, "a b"),
        ("load data infile 'x' into table t", MY, "t"),
    ]
    .into_iter()
    .map(|(sql, dialect, expected)| (sql, dialect, expected.to_owned()))
    .collect();
    check(&list, lexical_tables);
}

/// Statements of both sides of the budget, told apart by nothing but a long list.
#[test]
fn a_long_statement_reads_like_a_short_one() {
    for statement in [
        "insert into t (a) values (LIST)",
        "select * from t where id in (LIST)",
        "select * from t where id in (LIST) or 1 = 1",
        "delete from t where id in (LIST)",
        "select LIST from a join b on a.id = b.id",
        "update t set a = coalesce(LIST)",
        "update t set a = coalesce(LIST) where id = 7",
        "update t set a = coalesce(LIST) where 1 = 1",
        "with x as (delete from t where id in (LIST) returning *) select * from x",
    ] {
        let short = analyse(statement.replace("LIST", "1, 2").as_bytes(), G);
        let long_list = vec!["1"; MAX_TOKENS].join(", ");
        let long = analyse(statement.replace("LIST", &long_list).as_bytes(), G);
        assert_eq!(long.kinds, short.kinds, "{statement}");
        assert_eq!(long.tables, short.tables, "{statement}");
        assert_eq!(long.plain_read, short.plain_read, "{statement}");
        if statement.ends_with("or 1 = 1") {
            // Too long to be evaluated: present is all that is certain.
            assert_eq!(long.where_clause, Where::Present, "{statement}");
        } else {
            assert_eq!(long.where_clause, short.where_clause, "{statement}");
        }
    }
    let long_list = vec!["1"; MAX_TOKENS].join(", ");
    let long = analyse(format!("update t set a = coalesce({long_list}) where id = 7").as_bytes(), G);
    assert_eq!(long.predicates.len(), 1);
    assert_eq!(long.predicates[0].table.as_ref().map(ToString::to_string).as_deref(), Some("t"));
}

#[test]
fn the_budget_is_that_of_the_text() {
    let parsed = |sql: &str| {
        let mut within = vec![];
        scan(sql.as_bytes(), G, |statement| within.push(statement.text.is_some()));
        within
    };
    let nested = |levels: usize| format!("select {}1{}", "(".repeat(levels), ")".repeat(levels));
    assert_eq!(parsed(&nested(MAX_NESTING)), [true]);
    assert_eq!(parsed(&nested(MAX_NESTING + 1)), [false]);
    assert_eq!(parsed(&format!("select {}1", "not ".repeat(MAX_NESTING))), [true]);
    assert_eq!(parsed(&format!("select {}1", "not ".repeat(MAX_NESTING + 1))), [false]);
    assert_eq!(parsed(&format!("select {}1", "- + ".repeat(MAX_NESTING))), [false]);
    let tokens = |count: usize| format!("select 1{}", " + a".repeat(count / 2 - 1));
    assert_eq!(parsed(&tokens(MAX_TOKENS)), [true]);
    assert_eq!(parsed(&tokens(MAX_TOKENS + 2)), [false]);
    let batch = "select 1;".repeat(MAX_TOKENS);
    assert_eq!(parsed(&batch).iter().filter(|within| **within).count(), MAX_TOKENS / 2);
}

#[test]
fn placeholders_of_every_form_reach_the_parser() {
    for (sql, dialect) in [
        ("delete from t where id = ?", PG),
        ("delete from t where id = %s", PG),
        ("delete from t where id = %(id)s", MY),
        ("delete from t where id = :id", MY),
        ("delete from t where id = @p1", MS),
        ("delete from t where id = $1", G),
    ] {
        let predicates = analyse(sql.as_bytes(), dialect).predicates;
        assert_eq!(predicates.len(), 1, "{sql}");
        assert_eq!(predicates[0].values, [super::super::Value::Placeholder(0)], "{sql}");
    }
}

#[test]
fn a_flood_of_tables_takes_bounded_memory() {
    let read = |sql: &str| {
        let mut tables = 0;
        scan(sql.as_bytes(), G, |statement| tables += statement.tables.len());
        tables
    };
    assert_eq!(read(&format!("select * from t{}, u", ", t".repeat(10_000))), 2);
    let distinct: Vec<_> = (0..10_000).map(|i| format!("t{i}")).collect();
    assert_eq!(read(&format!("select * from {}", distinct.join(", "))), 1000);
}
