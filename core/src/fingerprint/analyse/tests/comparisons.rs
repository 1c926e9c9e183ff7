//! Comparisons read from tokens are those that the parser's tree shows, or fewer.

use super::predicates::{CASES, written};
use super::{G, LITE, MS, MY, ORA, PG, check};
use crate::fingerprint::Dialect;
use crate::fingerprint::analyse::cursor::Cursor;
use crate::fingerprint::analyse::scan::scan;
use crate::fingerprint::analyse::text::MAX_TOKENS;
use crate::fingerprint::analyse::{Predicate, analyse, comparisons, parse, predicates};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// What the tokens alone say.
fn lexical(sql: &[u8], dialect: Dialect) -> Vec<Predicate> {
    let (mut found, mut cursor) = (vec![], Cursor::new(sql, dialect));
    scan(sql, dialect, |statement| {
        found.extend(comparisons::of_statement(&mut cursor, &statement.span, statement.kind));
    });
    found
}

/// What the parser's tree says; `None` where the parser refuses.
fn parsed(sql: &[u8], dialect: Dialect) -> Option<Vec<Predicate>> {
    let mut found = Some(vec![]);
    scan(sql, dialect, |statement| {
        let text = statement.text.as_deref();
        let read = text.and_then(|text| parse::with_statement(text, dialect, predicates::of_statement));
        found = found.take().zip(read).map(|(mut found, read)| {
            found.extend(read);
            found
        });
    });
    found
}

/// Whether each is found among the others, in their order; one may leave open whose column it is.
fn is_part(part: &[Predicate], whole: &[Predicate]) -> bool {
    let mut whole = whole.iter();
    part.iter().all(|one| {
        whole.any(|other| {
            (one.table.is_none() || one.table == other.table)
                && (&one.column, one.operator, &one.values) == (&other.column, other.operator, &other.values)
        })
    })
}

#[test]
fn tokens_say_what_the_tree_says() {
    let list: Vec<_> = CASES.iter().map(|&(sql, dialect, expected)| (sql, dialect, expected.to_owned())).collect();
    check(&list, |sql, dialect| written(lexical(sql, dialect)));
}

#[test]
fn every_statement_of_the_conformance_cases_is_read_alike() {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/conformance/fingerprint");
    let mut statements: Vec<String> = vec![];
    for file in std::fs::read_dir(directory).unwrap() {
        let cases: serde_json::Value = serde_json::from_slice(&std::fs::read(file.unwrap().path()).unwrap()).unwrap();
        collect(&cases, &mut statements);
    }
    let (mut alike, mut less) = (0, 0);
    for sql in &statements {
        for dialect in [G, MY, PG, LITE, MS, ORA] {
            let Some(parsed) = parsed(sql.as_bytes(), dialect) else { continue };
            let lexical = lexical(sql.as_bytes(), dialect);
            assert!(is_part(&lexical, &parsed), "{dialect}: {sql}\n  {lexical:?}\n  {parsed:?}");
            *(if lexical == parsed { &mut alike } else { &mut less }) += usize::from(!parsed.is_empty());
        }
    }
    assert!(alike > 300 && less < alike / 50, "{alike} alike, {less} with less");
}

/// The texts of a case file, wherever they stand in it.
fn collect(value: &serde_json::Value, statements: &mut Vec<String>) {
    match value {
        serde_json::Value::String(text) => statements.push(text.clone()),
        serde_json::Value::Array(items) => items.iter().for_each(|item| collect(item, statements)),
        serde_json::Value::Object(items) => items.values().for_each(|item| collect(item, statements)),
        _ => {}
    }
}

#[test]
fn what_the_parser_does_not_take_is_read() {
    let list: Vec<_> = [
        ("select * from orders o use index (i) where o.id = 5 and o.a in (1, 2)", MY, "orders.id=5 & orders.a in 1,2"),
        (
            "select * from orders o join items i on o.id = i.oid where i.sku = 'x' procedure analyse()",
            MY,
            "items.sku=x",
        ),
        ("select * from orders with (nolock) where id = 5 option (maxdop 1)", MS, "orders.id=5"),
        ("delete t from orders t where t.id = 5", MS, "orders.id=5"),
        ("delete orders output deleted.id, deleted.a where id = 5", MS, "orders.id=5"),
        ("select * from t where a = 1 && b = 2", MY, "t.a=1 & t.b=2"),
        ("select * from t where a = 1 || b = 2", MY, ""),
        (r"select * from t where a = 'x\'y' and b = 'it''s'", MY, "t.a=x'y & t.b=it's"),
        ("select * from t where a = _utf8mb4 'x' and b = N'y'", MY, "t.a=x & t.b=y"),
        ("select * from t where a = 'x' 'y'", MY, "t.a=xy"),
        ("delete from orders end where end.id = 5", MY, "orders.id=5"),
    ]
    .into_iter()
    .map(|(sql, dialect, expected)| (sql, dialect, expected.to_owned()))
    .collect();
    check(&list, |sql, dialect| written(lexical(sql, dialect)));
}

/// A column is not lost behind a list that is too long to be parsed, wherever the list stands.
#[test]
fn no_length_hides_a_comparison() {
    let long = vec!["7"; MAX_TOKENS].join(", ");
    let rows = vec!["(7, 8)"; MAX_TOKENS].join(", ");
    for statement in [
        "select * from orders where id in (LIST)",
        "select * from orders o join items i on i.oid = o.id where i.x = 1 and o.id in (LIST)",
        "select LIST from orders o, items i where o.id = 5 and i.id in (?, ?)",
        "select LIST from orders o left join items i on i.id = ? and i.a = 'it''s' where o.id in (-1, +2.5, '3'::int)",
        "select * from (select * from s.orders where id in (LIST)) x where x.a = 1",
        "select * from orders where id in (select oid from items where sku in (LIST)) and a = 1",
        "with x as (select * from orders where id in (LIST)) select * from x where a = 1",
        "select * from orders where (a, b) in (ROWS)",
        "select * from a where x in (LIST) union select * from b where y = 2",
        "update orders o set a = coalesce(LIST) where o.id = ? and b = 2",
        "delete from orders where id in (LIST) returning id",
        "insert into t select * from orders where id in (LIST)",
        "select * from orders where id in (LIST) or a = 1",
        "select * from orders where a = 1 and (id in (LIST) or b = 2)",
        "select * from orders where not id in (LIST) and b = 2",
        "select a; select * from orders where id in (LIST) and a = ?; select ?",
    ] {
        let short = statement.replace("LIST", "7, 7").replace("ROWS", "(7, 8), (7, 8)");
        let whole = statement.replace("LIST", &long).replace("ROWS", &rows);
        let few = analyse(short.as_bytes(), PG).predicates;
        let mut many = analyse(whole.as_bytes(), PG).predicates;
        for (one, other) in many.iter_mut().zip(&few) {
            if one.values.len() == MAX_TOKENS {
                assert_eq!(one.values.iter().take(2).cloned().collect::<Vec<_>>(), other.values, "{statement}");
                one.values.truncate(2);
            }
        }
        assert_eq!(many, few, "{statement}");
    }
}

#[test]
fn nesting_and_floods_are_passed_over_in_linear_time() {
    // Each of these would take minutes if a byte were read once for every one before it.
    for (unit, times) in [
        ("(", 50_000),
        ("((a, ", 25_000),
        ("a = 1 and (", 25_000),
        ("a in (1, 2, ", 25_000),
        ("a in (select * from t where ", 50_000),
        ("x.a = 1 and ", 25_000),
        ("cast(", 25_000),
        ("exists (select 1 from u where u.a = 1 and ", 50_000),
        ("case when a = 1 and ", 25_000),
        ("join t on t.a = 1 ", 50_000),
        (", t ", 50_000),
        ("'it''s' ", 25_000),
    ] {
        for before in ["select * from t where ", "select * from t where a = ", "select * from t "] {
            let sql = format!("{before}{}", unit.repeat(times));
            lexical(sql.as_bytes(), MY);
        }
    }
}

fn pick(words: &'static [&'static str]) -> impl Strategy<Value = String> {
    prop::sample::select(words).prop_map(str::to_owned)
}

fn column() -> impl Strategy<Value = String> {
    pick(&["a", "B", "o.a", "i.b", "orders.c", "s.orders.a", "\"Q\"", "x.a", "k", "o.key"])
}

fn constant() -> impl Strategy<Value = String> {
    pick(&[
        "1",
        "-2",
        "+3",
        "'x'",
        "'it''s'",
        "?",
        "$3",
        "true",
        "1.5",
        "'4'::int",
        "cast(5 as int)",
        "date '2020-01-01'",
        "(6)",
        "N'n'",
        "1e3",
    ])
}

fn condition() -> impl Strategy<Value = String> {
    condition_with(true)
}

/// A condition, from comparisons to subqueries, under whatever joins them.
fn condition_with(queries: bool) -> impl Strategy<Value = String> {
    let list = prop::collection::vec(constant(), 1..4).prop_map(|list| list.join(", ")).boxed();
    let leaf = prop_oneof![
        6 => (column(), pick(&["=", "=", "=", "<>", ">", "like"]), constant()).prop_map(|(a, op, b)| format!("{a} {op} {b}")),
        1 => (constant(), column()).prop_map(|(a, b)| format!("{a} = {b}")),
        1 => (column(), column()).prop_map(|(a, b)| format!("{a} = {b}")),
        3 => (column(), pick(&["in", "not in"]), list.clone()).prop_map(|(a, op, b)| format!("{a} {op} ({b})")),
        1 => (column(), column(), constant(), constant()).prop_map(|(a, b, c, d)| format!("({a}, {b}) = ({c}, {d})")),
        1 => (column(), column(), constant(), constant()).prop_map(|(a, b, c, d)| format!("({a}, {b}) in (({c}, {d}), ({d}, {c}))")),
        1 => (column(), list).prop_map(|(a, b)| format!("{a} = any(array[{b}])")),
        1 => (column(), constant(), constant()).prop_map(|(a, b, c)| format!("{a} between {b} and {c}")),
        1 => (column(), constant()).prop_map(|(a, b)| format!("lower({a}) = {b}")),
        1 => (column(), constant()).prop_map(|(a, b)| format!("{a} = {b} + 1")),
        1 => (column(), constant()).prop_map(|(a, b)| format!("case when {a} = {b} and k = 1 or k = 2 then 1 else 2 end = 1")),
        1 => column().prop_map(|a| format!("{a} is null")),
        1 => pick(&["true", "1 = 1", "o.offset = 1 and a > o.offset"]),
    ];
    let queries = u32::from(queries);
    leaf.prop_recursive(4, 16, 3, move |inner| {
        prop_oneof![
            6 => prop::collection::vec(inner.clone(), 2..4).prop_map(|all| all.join(" and ")),
            2 => prop::collection::vec(inner.clone(), 2..3).prop_map(|all| all.join(" or ")),
            3 => inner.clone().prop_map(|one| format!("({one})")),
            1 => inner.clone().prop_map(|one| format!("not ({one})")),
            1 => inner.clone().prop_map(|one| format!("({one}) is true")),
            2 * queries => (column(), inner.clone()).prop_map(|(a, one)| format!("{a} in (select i.b from items i where {one})")),
            queries => inner.clone().prop_map(|one| format!("exists (select 1 from shop.u, v where {one})")),
            queries => inner.clone().prop_map(|one| format!("not exists (select 1 from u where {one})")),
            queries => inner.prop_map(|one| format!("a = (select max(b) from u x where {one} group by c having c = 3)")),
        ]
    })
}

fn from() -> impl Strategy<Value = String> {
    let table = || {
        prop_oneof![
            4 => pick(&["orders", "orders o", "items as i", "s.orders", "orders \"Q\"", "f(1) o", "w", "w x", "\"Orders\" x"]),
            1 => condition().prop_map(|one| format!("(select * from orders where {one}) as x")),
        ]
    };
    let inner = (table(), pick(&["join", "inner join"]), table(), condition());
    // What an outer join asks by a subquery is left to the tree.
    let outer = pick(&["left join", "right outer join", "full join", "left outer join"]);
    let outer = (table(), outer, table(), condition_with(false));
    let joined = prop_oneof![inner, outer].boxed();
    prop_oneof![
        3 => table(),
        2 => (table(), table()).prop_map(|(a, b)| format!("{a}, {b}")),
        3 => joined.clone().prop_map(|(a, join, b, on)| format!("{a} {join} {b} on {on}")),
        1 => (joined.clone(), table()).prop_map(|((a, join, b, on), c)| format!("{c} left join ({a} {join} {b} on {on}) on k = 1")),
        1 => (joined, table()).prop_map(|((a, join, b, on), c)| format!("{a} {join} {b} using (id) cross join {c} join t on {on}")),
    ]
}

fn statement() -> impl Strategy<Value = String> {
    let tail = pick(&["", "", " group by a, b having a = 1", " order by a, b limit 5", " for update"]);
    let select = || (from(), condition()).prop_map(|(from, one)| format!("select a, count(*) from {from} where {one}"));
    prop_oneof![
        4 => (select(), tail).prop_map(|(select, tail)| format!("{select}{tail}")),
        1 => (select(), select()).prop_map(|(a, b)| format!("{a} union all {b}")),
        1 => (select(), select()).prop_map(|(a, b)| format!("({a}) except ({b})")),
        1 => (select(), select()).prop_map(|(a, b)| format!("with w as ({a}), v (a, b) as (select 1) {b}")),
        1 => (select(), select()).prop_map(|(a, b)| format!("{a}; {b}")),
        1 => select().prop_map(|a| format!("insert into t (a, b) {a}")),
        1 => (condition(), condition()).prop_map(|(a, b)| format!("update orders o set a = 1, b = (select c from u where {a}) where {b}")),
        1 => (from(), condition()).prop_map(|(a, b)| format!("update o set a = ? from {a} where {b}")),
        1 => condition().prop_map(|a| format!("delete from orders o where {a} returning a, b")),
        1 => (from(), condition()).prop_map(|(a, b)| format!("delete from o using {a} where {b}")),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 4 * ProptestConfig::default().cases, ..ProptestConfig::default() })]

    /// What is written in forms that both know is read alike.
    #[test]
    fn generated_statements_are_read_alike(sql in statement()) {
        if let Some(parsed) = parsed(sql.as_bytes(), PG) {
            let lexical = lexical(sql.as_bytes(), PG);
            prop_assert_eq!(written(lexical), written(parsed));
        }
    }
}

proptest! {
    // Always the same edits: of words that no database accepts, as in `select in * from t`, the parser makes trees of its own.
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        cases: 1000,
        rng_seed: RngSeed::Fixed(500),
        ..ProptestConfig::default()
    })]

    /// Words put where nobody expects them never make the tokens say more than the tree.
    #[test]
    fn disturbed_statements_are_read_alike_or_less(
        sql in statement(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..3, pick(&[
            "and", "or", "not", "(", ")", ",", "=", "in", "a", "o.a", "1", "?", "where", "on", "from", "join", "left", "select",
            "case", "when", "then", "end", "between", "is", "null", "as", "exists", "any", "+", "-", "::", "int", "xor", "||", "&&",
            "collate", "escape", "limit", "group", "order", "by", "union", "set", "offset", "for", "using", "lateral", "with",
        ])), 1..4),
        dialect in prop::sample::select(&[G, MY, PG, LITE, MS, ORA][..]),
    ) {
        let mut words: Vec<&str> = sql.split(' ').collect();
        for (place, how, word) in &edits {
            let place = place.index(words.len());
            match how {
                0 => words.insert(place, word),
                1 => words[place] = word,
                _ => drop(words.remove(place)),
            }
            if words.is_empty() {
                break;
            }
        }
        let sql = words.join(" ");
        if let Some(parsed) = parsed(sql.as_bytes(), dialect) {
            let lexical = lexical(sql.as_bytes(), dialect);
            prop_assert!(is_part(&lexical, &parsed), "{}: {}\n  {}\n  {}", dialect, sql, written(lexical), written(parsed));
        }
    }
}
