//! What a rule asks, stage by stage.

use super::*;
use crate::rule::{ColumnName, FingerprintPrefix, MatchField, Part, WholeTable};

fn condition(change: impl FnOnce(&mut Rule)) -> Condition {
    compile(&rule(change), FingerprintOptions::default())
}

fn compile(rule: &Rule, options: FingerprintOptions) -> Condition {
    Condition::new(rule, &mut Normalizer::new(options), &mut CompiledPatterns::default()).unwrap()
}

/// All stages in order, as an engine asks them: `matches`, or the field that fails.
fn ask(condition: &Condition, statement: &Statement<'_>, options: FingerprintOptions) -> &'static str {
    let options = FingerprintOptions { dialect: statement.dialect.unwrap_or(options.dialect), ..options };
    let shape = Shape::of(statement.sql, options);
    let facts = shape.facts();
    let asked = condition.of_shape(&facts).and_then(|()| condition.of_context(&statement.context)).and_then(|()| {
        let constants = Constants::new(statement.sql, options.dialect, statement.params);
        if condition.asks_constants(&facts) { condition.of_constants(&constants) } else { Ok(()) }
    });
    asked.map_or_else(Mismatch::name, |()| "matches")
}

fn check(change: impl FnOnce(&mut Rule), cases: &[(&str, &str)]) {
    let condition = condition(change);
    for (sql, expected) in cases {
        assert_eq!(ask(&condition, &Statement::new(*sql), FingerprintOptions::default()), *expected, "{sql}");
    }
}

#[test]
fn a_rule_that_asks_nothing_matches_all_that_is_checked() {
    check(
        |_| {},
        &[
            ("select 1", "matches"),
            ("", "matches"),
            ("nonsense", "matches"),
            ("commit", "never_checked"),
            ("set a = 1", "never_checked"),
            ("set a = 1; delete from t", "matches"),
            ("create table t (a int)", "matches"),
        ],
    );
}

#[test]
fn what_is_never_checked_is_matched_by_its_kind_alone() {
    check(
        |rule| rule.matching.kinds = vec![Kind::Transaction, Kind::Select],
        &[("commit", "matches"), ("set a = 1", "never_checked"), ("select 1", "matches")],
    );
    check(|rule| rule.matching.pattern = Some("commit".to_owned()), &[("commit", "never_checked")]);
    check(|rule| rule.matching.like = strings(&["commit"]), &[("commit", "never_checked")]);
}

#[test]
fn examples_and_fingerprints_name_shapes() {
    let like = |rule: &mut Rule| rule.matching.like = strings(&["SELECT * FROM t WHERE id = 1", "select 1 from u"]);
    check(
        like,
        &[
            ("select * from t where id = 77", "matches"),
            ("select * from T where id=?", "matches"),
            ("select 2 from u", "matches"),
            ("select * from t", "like"),
        ],
    );
    let digits = HashKind::Sha256.digest(b"select ? from v").to_string();
    let named = |rule: &mut Rule| rule.matching.fingerprints = vec![FingerprintPrefix::new(&digits[..13]).unwrap()];
    check(named, &[("select 1 from v", "matches"), ("select 1 from w", "fingerprints")]);
    // Either is enough.
    check(
        |rule| {
            like(rule);
            named(rule);
        },
        &[("select 1 from v", "matches"), ("select 1 from u", "matches"), ("select 1 from w", "fingerprints")],
    );
}

#[test]
fn examples_are_read_as_the_file_says() {
    let options = FingerprintOptions::new(Dialect::MySql).hash(HashKind::Md5).fold_digits(true);
    let rule = rule(|rule| rule.matching.like = strings(&["select * from t_01 where a = \"x\""]));
    let condition = compile(&rule, options);
    assert_eq!(ask(&condition, &Statement::new("select * from t_77 where a = 'y'"), options), "matches");
    // A statement's own dialect says how it is read, and its shape is compared.
    let other = Statement::new("select * from t_77 where a = \"y\"").dialect(Dialect::PostgreSql);
    assert_eq!(ask(&condition, &other, options), "like");
    assert!(condition.names(&HashKind::Md5.digest(b"select * from t_N where a=?")));
    assert!(!condition.names(&HashKind::Md5.digest(b"select ?")));
}

#[test]
fn pattern_and_keywords_read_the_normalised_text() {
    check(
        |rule| rule.matching.pattern = Some("SELECT.*from reports where id=\\?".to_owned()),
        &[
            ("select *\nFROM reports -- c\n where id = 42", "matches"),
            ("/* select */ select a from reports where id = 'x'", "matches"),
            ("insert into a select * from reports where id = 1", "pattern"),
        ],
    );
    check(
        |rule| rule.matching.keywords = strings(&["SELECT", "reports"]),
        &[
            ("select * from Reports", "matches"),
            ("select * from \"Reports\"", "matches"),
            ("select 'reports'", "keywords"),
            ("with reports as (select 1) table x", "keywords"),
        ],
    );
}

#[test]
fn of_a_batch_one_kind_is_enough() {
    check(
        |rule| rule.matching.kinds = vec![Kind::Delete, Kind::Update],
        &[
            ("delete from t", "matches"),
            ("select 1; update t set a = 1", "matches"),
            ("select 1; insert into t values (1)", "kinds"),
            ("", "kinds"),
            ("with x as (delete from t returning *) select * from x", "matches"),
        ],
    );
}

#[test]
fn one_of_the_tables_is_enough() {
    check(
        |rule| rule.matching.tables = strings(&["reports", "orders_*", "shop.items"]),
        &[
            ("select * from Reports", "matches"),
            ("select * from a join db.orders_1 on true", "matches"),
            ("select * from items", "matches"),
            ("select * from shop.items", "matches"),
            ("select * from other.items", "tables"),
            ("select reports from a", "tables"),
            ("select * from orders", "tables"),
            ("delete from a; delete from reports", "matches"),
        ],
    );
}

#[test]
fn where_is_of_updates_and_deletes() {
    check(
        |rule| rule.matching.whole_table = Some(WholeTable::Missing),
        &[
            ("delete from t", "matches"),
            ("update t set a = 1", "matches"),
            ("delete from t where id = 1", "where"),
            ("delete from t where 1 = 1", "where"),
            ("select * from t", "where"),
            ("insert into t select * from u", "where"),
            ("truncate table t", "where"),
            ("select * from t; delete from t where id = 1", "where"),
            ("select * from t; delete from t", "matches"),
            ("insert into t values (1); select * from t", "where"),
            ("delete from t where 1 = 1; delete from t", "matches"),
            ("with x as (delete from t returning *) insert into u select * from x", "matches"),
            ("explain delete from t", "where"),
        ],
    );
    check(
        |rule| rule.matching.whole_table = Some(WholeTable::AlwaysTrue),
        &[
            ("delete from t where 1 = 1", "matches"),
            ("delete from t where 1 = 0", "where"),
            ("delete from t where id = id", "matches"),
            ("delete from t where true", "matches"),
            ("delete from t where id = 1", "where"),
            ("delete from t where id = 1 or 'a' = 'a'", "matches"),
            ("delete from t where ? = ?", "where"),
            ("delete from t", "where"),
            ("delete from t; delete from t where 1 = 1", "where"),
            ("select * from t where 1 = 1", "where"),
        ],
    );
}

#[test]
fn the_constants_are_asked_only_where_they_have_a_say() {
    let asks = |condition: &Condition, sql: &str| {
        let shape = Shape::of(sql.as_bytes(), FingerprintOptions::default());
        condition.asks_constants(&shape.facts())
    };
    let always = condition(|rule| rule.matching.whole_table = Some(WholeTable::AlwaysTrue));
    assert!(asks(&always, "delete from t where 1 = 1"));
    let worse = "delete from t; delete from t where 1 = 1";
    for sql in
        ["delete from t", worse, "delete from t where id = 1", "delete from t where id = id", "select 1 where 1 = 1"]
    {
        assert!(!asks(&always, sql), "{sql}");
    }
    let missing = condition(|rule| rule.matching.whole_table = Some(WholeTable::Missing));
    assert!(!asks(&missing, "delete from t where 1 = 1") && !asks(&missing, "delete from t"));
    assert!(!asks(&condition(|_| {}), "delete from t where 1 = 1"));
    let column = ColumnName::new("t", "id");
    assert!(asks(&condition(|rule| rule.matching.columns = vec![(column.clone(), strings(&["1"]))]), "select 1"));
    assert!(asks(&condition(|rule| rule.per = vec![Part::Column(column)]), "select 1"));
    assert!(!asks(&condition(|rule| rule.per = vec![Part::User]), "select 1"));
}

#[test]
fn columns_are_compared_with_constants_and_parameters() {
    let columns = |rule: &mut Rule| {
        rule.matching.columns = vec![
            (ColumnName::new("orders", "id"), strings(&["42", "x y"])),
            (ColumnName::new("orders", "tenant"), strings(&["7"])),
        ];
    };
    check(
        columns,
        &[
            ("select * from orders where id = 42 and tenant = 7", "matches"),
            ("select * from Orders where ID in (1, 42) and Tenant = '7'", "matches"),
            ("select * from orders where id = 'x y' and tenant = 7", "matches"),
            ("select * from orders where id = 042 and tenant = 7", "columns"),
            ("select * from orders where id = 42.0 and tenant = 7", "columns"),
            ("select * from orders where id = 42", "columns"),
            ("select * from orders where id = 42 or tenant = 7", "columns"),
            ("select * from items where id = 42 and tenant = 7", "columns"),
            ("select * from orders o, items i where o.id = 42 and o.tenant = 7", "matches"),
            ("select * from orders, items where id = 42 and tenant = 7", "columns"),
            ("select 'orders', 'id', 'tenant'", "columns"),
        ],
    );
    let sql = "select * from orders where id = ? and tenant = ?";
    for (params, expected) in [
        ([Some(&b"42"[..]), Some(b"7")], "matches"),
        ([Some(b"7"), Some(b"42")], "columns"),
        ([Some(b"42"), None], "columns"),
    ] {
        let statement = Statement::new(sql).params(&params);
        assert_eq!(ask(&condition(columns), &statement, FingerprintOptions::default()), expected, "{params:?}");
    }
    check(columns, &[(sql, "columns")]);
    // The seventeenth value counts too: only keys are capped.
    let list = (100..130).map(|n| n.to_string()).collect::<Vec<_>>().join(",");
    check(columns, &[(&format!("select 1 from orders where id in ({list},42) and tenant=7"), "matches")]);
}

#[test]
fn folded_digits_hide_no_column() {
    let options = FingerprintOptions::default().fold_digits(true);
    let rule = rule(|rule| {
        rule.matching.columns = vec![(ColumnName::new("orders_0042", "id"), strings(&["1"]))];
    });
    let statement = Statement::new("select * from orders_0042 where id = 1");
    assert_eq!(ask(&compile(&rule, options), &statement, options), "matches");
}

#[test]
fn a_column_that_is_counted_by_must_have_a_value() {
    let per = |rule: &mut Rule| rule.per = vec![Part::User, Part::Column(ColumnName::new("orders", "id"))];
    check(
        per,
        &[
            ("select * from orders where id = 42", "matches"),
            ("select * from orders where id in (1, 2)", "matches"),
            ("select * from orders where id > 42", "per"),
            ("select * from orders where id = ?", "per"),
            ("select * from orders", "per"),
            ("select * from items where id = 42", "per"),
        ],
    );
    let condition = condition(per);
    let statement = Statement::new("select * from orders where id in (2, 1)");
    let constants = Constants::new(statement.sql, Dialect::Generic, &[]);
    let keys: Vec<_> = condition.key_columns().iter().map(|column| constants.column_values(column)).collect();
    assert_eq!(keys, [[b"2", b"1"]]);
}

#[test]
fn the_context_is_asked_by_databases_users_and_tags() {
    let condition = condition(|rule| {
        rule.matching.databases = strings(&["shop", "crm"]);
        rule.matching.users = strings(&["root", "dev@192.168.%"]);
        rule.matching.tags.insert("endpoint".to_owned(), strings(&["report", "export"]));
        rule.matching.tags.insert("tenant".to_owned(), strings(&["7"]));
    });
    let full =
        Context::new().database("crm").user("dev").client("192.168.0.7").tag("endpoint", "export").tag("tenant", "7");
    assert_eq!(condition.of_context(&full), Ok(()));
    assert_eq!(condition.of_context(&full.clone().user("root").client("10.0.0.1")), Ok(()));
    for (context, expected) in [
        (full.clone().database("Shop"), MatchField::Databases),
        (full.clone().database(""), MatchField::Databases),
        (full.clone().user("other"), MatchField::User),
        (full.clone().client("10.0.0.1"), MatchField::User),
        (full.clone().tag("endpoint", "Report"), MatchField::Tags),
        (full.clone().tag("tenant", "8"), MatchField::Tags),
        (Context::new(), MatchField::Databases),
        (Context::new().database("shop"), MatchField::User),
        (Context::new().database("shop").user("dev@192.168.0.7"), MatchField::Tags),
        (Context::new().database("shop").user("root").tag("endpoint", "report"), MatchField::Tags),
    ] {
        assert_eq!(condition.of_context(&context), Err(Mismatch::Field(expected)), "{context:?}");
    }
    assert!(condition.asks_context());
}

#[test]
fn the_context_is_asked_only_where_it_has_a_say() {
    assert!(!condition(|rule| rule.matching.pattern = Some("a".to_owned())).asks_context());
    assert!(condition(|rule| rule.matching.databases = strings(&["a"])).asks_context());
    assert!(condition(|rule| rule.matching.users = strings(&["a"])).asks_context());
    assert!(condition(|rule| drop(rule.matching.tags.insert("a".to_owned(), strings(&["b"])))).asks_context());
    assert_eq!(condition(|_| {}).of_context(&Context::new()), Ok(()));
}

#[test]
fn the_grammar_is_read_only_where_all_else_holds() {
    let shape = Shape::of(b"select * from reports", FingerprintOptions::default());
    let asks = |change: &dyn Fn(&mut Rule)| {
        let facts = shape.facts();
        let _ = condition(|rule| change(rule)).of_shape(&facts);
        facts.was_analysed()
    };
    assert!(asks(&|rule| rule.matching.tables = strings(&["reports"])));
    assert!(asks(&|rule| rule.matching.whole_table = Some(WholeTable::Missing)));
    assert!(!asks(&|rule| rule.matching.pattern = Some("select".to_owned())));
    for other in [
        &(|rule: &mut Rule| rule.matching.kinds = vec![Kind::Delete]) as &dyn Fn(&mut Rule),
        &|rule| rule.matching.keywords = strings(&["delete"]),
        &|rule| rule.matching.pattern = Some("delete".to_owned()),
        &|rule| rule.matching.like = strings(&["delete from t"]),
        &|rule| rule.per = vec![Part::Column(ColumnName::new("orders", "id"))],
    ] {
        assert!(!asks(&|rule| {
            rule.matching.tables = strings(&["reports"]);
            other(rule);
        }));
    }
}

#[test]
fn all_that_cannot_be_matched_is_said_at_once() {
    let rule = rule(|rule| {
        rule.matching.pattern = Some("(".to_owned());
        rule.matching.keywords = strings(&["select", "group by", "a"]);
        rule.matching.tables = strings(&["a", "b", ""]);
        rule.matching.users = strings(&["dev@10.0.0.0/99"]);
    });
    let misfits =
        Condition::new(&rule, &mut Normalizer::new(FingerprintOptions::default()), &mut CompiledPatterns::default())
            .unwrap_err();
    let places: Vec<_> = misfits.iter().map(|misfit| (misfit.field.name(), misfit.index)).collect();
    assert_eq!(places, [("pattern", 0), ("keywords", 1), ("tables", 2), ("user", 0)]);
    assert!(misfits.iter().all(|misfit| !misfit.message.is_empty()));
}
