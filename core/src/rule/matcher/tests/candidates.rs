//! What the index finds is what asking every rule finds.

use super::*;
use crate::rule::{ColumnName, FingerprintPrefix, MatchField, On, Part, RuleFile, WholeTable};
use proptest::prelude::*;

fn file(rules: Vec<Rule>, options: FingerprintOptions) -> RuleFile {
    RuleFile { fingerprint: options, rules, ..RuleFile::default() }
}

fn candidates(matcher: &Matcher, shape: &Shape) -> Vec<u32> {
    // What stood there before is gone.
    let mut rules = vec![99; 3];
    matcher.candidates(&shape.facts(), &mut rules);
    rules
}

#[test]
fn each_index_finds_its_rules_in_the_order_of_the_file() {
    let options = FingerprintOptions::default();
    let digits = HashKind::Sha256.digest(b"select a from orders where id=?").to_string();
    let prefix = |len: usize| FingerprintPrefix::new(&digits[..len]).unwrap();
    let rules = vec![
        rule(|rule| rule.matching.kinds = vec![Kind::Select]),
        rule(|rule| rule.matching.pattern = Some("select.*FROM orders".to_owned())),
        rule(|rule| rule.matching.tables = strings(&["orders"])),
        rule(|rule| rule.on = On::Request),
        rule(|rule| rule.matching.fingerprints = vec![prefix(12)]),
        rule(|rule| rule.matching.fingerprints = vec![prefix(40), prefix(12)]),
        rule(|rule| rule.matching.like = strings(&["select a from orders where id = 9"])),
        rule(|rule| rule.matching.keywords = strings(&["where"])),
        rule(|rule| rule.matching.tables = strings(&["*"])),
        rule(|rule| rule.matching.pattern = Some("(orders|.*id)".to_owned())),
        rule(|rule| rule.matching.pattern = Some(".".to_owned())),
        rule(|rule| rule.per = vec![Part::Column(ColumnName::new("orders", "id"))]),
        rule(|rule| rule.matching.tables = strings(&["items"])),
        rule(|rule| {
            rule.matching.fingerprints = vec![prefix(12)];
            rule.matching.kinds = vec![Kind::Delete];
        }),
    ];
    let matcher = Matcher::new(&file(rules, options)).unwrap();
    let shape = Shape::of(b"select a from orders where id = 1", options);
    assert_eq!(candidates(&matcher, &shape), [0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11]);
    assert_eq!(candidates(&matcher, &Shape::of(b"select a from Items", options)), [0, 8, 10, 12]);
    assert!(candidates(&matcher, &Shape::of(b"commit", options)).is_empty());
    assert_eq!(matcher.requests(), [3]);
    let mut naming: Vec<_> = matcher.naming(&shape.fingerprint).collect();
    naming.sort_unstable();
    naming.dedup();
    assert_eq!(naming, [4, 5, 6, 13]);
    assert!(matcher.condition(13).is_some() && matcher.condition(14).is_none());
}

#[test]
fn a_file_without_rules_matches_nothing() {
    let matcher = Matcher::new(&RuleFile::default()).unwrap();
    let shape = Shape::of(b"select 1", FingerprintOptions::default());
    assert!(candidates(&matcher, &shape).is_empty());
    assert_eq!(matcher.naming(&shape.fingerprint).count(), 0);
}

#[test]
fn the_grammar_of_a_shape_without_the_table_is_not_read() {
    let rules = vec![
        rule(|rule| rule.matching.tables = strings(&["orders", "items_*"])),
        rule(|rule| rule.matching.columns = vec![(ColumnName::new("orders", "id"), strings(&["1"]))]),
    ];
    let matcher = Matcher::new(&file(rules, FingerprintOptions::default())).unwrap();
    let analysed = |sql: &str| {
        let shape = Shape::of(sql.as_bytes(), FingerprintOptions::default());
        let facts = shape.facts();
        matcher.candidates(&facts, &mut vec![]);
        facts.was_analysed()
    };
    assert!(!analysed("select * from reports where id = 1"));
    assert!(analysed("select * from ITEMS_1"));
}

#[test]
fn every_rule_that_can_match_nothing_is_said() {
    let rules = vec![
        rule(|rule| rule.matching.pattern = Some("(".to_owned())),
        rule(|_| {}),
        rule(|rule| rule.matching.users = strings(&["a", "'b"])),
    ];
    let wrong = Matcher::new(&file(rules, FingerprintOptions::default())).unwrap_err();
    let places: Vec<_> = wrong.iter().map(|wrong| (wrong.rule, wrong.misfit.field, wrong.misfit.index)).collect();
    assert_eq!(places, [(0, MatchField::Pattern, 0), (2, MatchField::User, 1)]);
}

const STATEMENTS: &[&str] = &[
    "select a from orders where id = 1",
    "SELECT * FROM Shop.Orders o JOIN items i ON o.id = i.id WHERE i.x IN (1, 2)",
    "select * from \"or\"\"ders\", `it``ems`",
    "delete from orders",
    "delete from orders where 1 = 1",
    "update items_0042 set a = 1 where id = id",
    "insert into orders values (1, 'items')",
    "select 'orders' /* items */",
    "commit",
    "set a = 1",
    "set a = 1; delete from items",
    "with orders as (select 1) select * from orders",
    "select * from [or]]ders]",
    "truncate orders",
    "nonsense orders",
    "",
];

const WORDS: &[&str] = &["select", "orders", "ORDERS", "items", "delete", "id", "a", "from", "set", "ders"];

fn any_rule() -> impl Strategy<Value = Rule> {
    let word = || prop::sample::select(WORDS);
    let words = move |most| prop::collection::vec(word().prop_map(str::to_owned), 0..most);
    let piece = prop_oneof![
        4 => word().prop_map(str::to_owned),
        2 => Just(".*".to_owned()),
        1 => Just(" ".to_owned()),
        1 => (word(), word()).prop_map(|(a, b)| format!("({a}|{b})")),
        1 => word().prop_map(|word| format!("({word})?")),
    ];
    let pattern = prop::option::of(prop::collection::vec(piece, 1..4).prop_map(|pieces| pieces.concat()));
    let glob = prop_oneof![
        word().prop_map(str::to_owned),
        word().prop_map(|word| format!("{}*", &word[..1])),
        word().prop_map(|word| format!("shop.{word}")),
        Just("or\"ders".to_owned()),
        Just("items_*".to_owned()),
        Just("*".to_owned()),
    ];
    let tables = prop_oneof![3 => Just(vec![]), 1 => prop::collection::vec(glob, 1..3)];
    let like = prop_oneof![
        4 => Just(vec![]),
        1 => prop::collection::vec(prop::sample::select(STATEMENTS).prop_map(str::to_owned), 1..3),
    ];
    let kinds = prop_oneof![
        3 => Just(vec![]),
        1 => prop::collection::vec(prop::sample::select(&Kind::ALL[..]), 1..4),
    ];
    let column = prop_oneof![
        4 => Just(vec![]),
        1 => (word(), word()).prop_map(|(table, column)| vec![ColumnName::new(table, column)]),
    ];
    let whole = prop::option::weighted(0.2, prop::sample::select(&WholeTable::ALL[..]));
    (pattern, words(3), tables, like, kinds, (column.clone(), column), whole).prop_map(
        |(pattern, keywords, tables, like, kinds, (columns, per), whole)| {
            rule(|rule| {
                let matching = &mut rule.matching;
                (matching.pattern, matching.keywords, matching.tables) = (pattern, keywords, tables);
                (matching.like, matching.kinds, matching.whole_table) = (like, kinds, whole);
                matching.columns = columns.into_iter().map(|column| (column, strings(&["1"]))).collect();
                rule.per = per.into_iter().map(Part::Column).collect();
            })
        },
    )
}

proptest! {
    #[test]
    fn the_index_finds_what_asking_every_rule_finds(
        rules in prop::collection::vec(any_rule(), 0..12),
        statements in prop::collection::vec(
            prop_oneof![
                prop::sample::select(STATEMENTS).prop_map(str::to_owned),
                prop::collection::vec(prop::sample::select(WORDS), 0..8).prop_map(|words| words.join(" ")),
            ],
            1..8,
        ),
        dialect in prop::sample::select(&Dialect::ALL[..]),
        fold_digits: bool,
    ) {
        let options = FingerprintOptions::new(dialect).fold_digits(fold_digits);
        let matcher = Matcher::new(&file(rules.clone(), options)).unwrap();
        for sql in statements {
            let shape = Shape::of(sql.as_bytes(), options);
            let asked = (0..).zip(&rules).filter(|(number, _)| {
                matcher.condition(*number).unwrap().of_shape(&shape.facts()).is_ok()
            });
            let expected: Vec<u32> = asked.map(|(number, _)| number).collect();
            prop_assert_eq!(candidates(&matcher, &shape), expected, "{}", sql);
        }
    }

    #[test]
    fn a_shape_lets_through_what_its_statements_match(
        rule in any_rule(),
        sql in prop::sample::select(STATEMENTS),
        dialect in prop::sample::select(&Dialect::ALL[..]),
        fold_digits: bool,
    ) {
        // What the constants decide, read of the statement alone, the shape must not have decided against.
        let options = FingerprintOptions::new(dialect).fold_digits(fold_digits);
        let mut asked = super::rule(|_| {});
        (asked.matching.columns, asked.per) = (rule.matching.columns.clone(), rule.per.clone());
        let condition = Condition::new(&asked, &mut Normalizer::new(options), &mut CompiledPatterns::default()).unwrap();
        let statement = Statement::new(sql);
        let shape = Shape::of(sql.as_bytes(), options);
        let facts = shape.facts();
        if !facts.never_checked && condition.of_constants(&Constants::new(statement.sql, dialect, &[])).is_ok() {
            prop_assert_eq!(condition.of_shape(&facts), Ok(()), "{}", sql);
        }
    }
}
