//! What admin statements say, and every way in which they can be wrong.

use super::*;
use crate::rule::{Limit, Mode, OnFailure, Part, RuleFile, Scope};
use proptest::prelude::*;

fn rule(value: &str) -> Rule {
    let statement = format!("SET GLOBAL sql_throttle_add_rule = '{value}'");
    match parse(statement.as_bytes()) {
        Ok(AdminStatement::AddRule(rule)) => *rule,
        other => panic!("{statement}: {other:?}"),
    }
}

fn faults(statement: impl AsRef<[u8]>) -> Vec<Fault> {
    let statement = statement.as_ref();
    parse(statement).map_or_else(|error| error.faults().to_vec(), |read| panic!("was accepted: {read:?}"))
}

fn bucket(capacity: u32, rate: &str) -> Limit {
    Limit::TokenBucket { capacity, rate: rate.parse().unwrap() }
}

#[test]
fn the_statements_of_the_documentation_are_read() {
    let read = rule("{pattern: \"select.*\", capacity: 100, rate: 1000}");
    let mut expected = Rule::new("", bucket(100, "1000/s"));
    expected.matching.pattern = Some("select.*".to_owned());
    assert_eq!(read, expected);

    let read = rule("{pattern: update, user: \"dev@192.168.%\", capacity: 50, rate: 200}");
    let mut expected = Rule::new("", bucket(50, "200/s"));
    expected.matching.pattern = Some("update".to_owned());
    expected.matching.users.push("dev@192.168.%".to_owned());
    assert_eq!(read, expected);

    let removed = AdminStatement::RemoveRule("name".to_owned());
    assert_eq!(parse(b"SET GLOBAL sql_throttle_remove_rule = 'name'").unwrap(), removed);
    assert_eq!(parse(b"SHOW GLOBAL sql_throttle_rules").unwrap(), AdminStatement::ShowRules);
}

#[test]
fn the_examples_of_the_page_are_read() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/rules.md");
    let page = std::fs::read_to_string(path).unwrap();
    let examples = page.split("```sql\n").skip(1).flat_map(|rest| rest.split_once("```").unwrap().0.lines());
    let mut read = 0;
    for example in examples {
        parse(example.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
        read += 1;
    }
    assert!(read >= 4, "only {read}");
    assert!(page.contains(&format!("A statement is at most {} KiB long.", MAX_BYTES >> 10)));
}

#[test]
fn the_flat_form_takes_what_a_rule_says() {
    let read = rule("{name: a, tables: orders, per: user, capacity: 1, rate: 10/5s, mode: observe, owner: ops}");
    let mut expected = Rule::new("a", bucket(1, "10/5s"));
    expected.matching.tables.push("orders".to_owned());
    expected.per.push(Part::User);
    (expected.mode, expected.owner) = (Some(Mode::Observe), Some("ops".to_owned()));
    assert_eq!(read, expected);
    assert_eq!(rule("{capacity: 1, rate: 1}"), Rule::new("", bucket(1, "1/s")));
    assert_eq!(rule("{tables: t, limit: {block: true}}").limit, Limit::Block);
}

#[test]
fn the_form_of_a_file_is_read_as_a_file_is() {
    let text = "{name: a, match: {kinds: [select], tables: [t]}, per: [user], limit: {concurrency: {max: 3}}, \
                then: {strategy: ignore, share: 2/3}, expires: 2026-12-01T10:00:00Z}";
    let file = RuleFile::parse(format!("rules: [{text}]")).unwrap();
    assert_eq!(rule(text), file.rules[0]);
    assert_eq!(rule("{match: {tables: t}, capacity: 1, rate: 1}").matching.tables, ["t"]);
}

#[test]
fn words_and_white_space_are_free() {
    for statement in [
        "show global SQL_Throttle_Rules",
        "  SHOW\n\tGLOBAL\r\nsql_throttle_rules  ;  ",
        "SHOW GLOBAL sql_throttle_rules;",
    ] {
        assert_eq!(parse(statement.as_bytes()).unwrap(), AdminStatement::ShowRules, "{statement}");
    }
    for statement in [
        "set global SQL_THROTTLE_REMOVE_RULE='a'",
        "SET GLOBAL sql_throttle_remove_rule=\"a\" ;",
        "SET\u{a0}GLOBAL\nsql_throttle_remove_rule\n=\n'a'\n",
    ] {
        assert_eq!(parse(statement.as_bytes()).unwrap(), AdminStatement::RemoveRule("a".to_owned()), "{statement}");
    }
}

#[test]
fn strings_are_read_as_mysql_writes_them() {
    for (written, name) in [
        ("'it''s'", "it's"),
        ("\"it's\"", "it's"),
        ("\"a\"\"b\"", "a\"b"),
        (r"'it\'s'", "it's"),
        (r#""a\"b""#, "a\"b"),
        (r"'a\\b'", r"a\b"),
        (r"'a\\'", r"a\"),
        (r"'50\%\_'", r"50\%\_"),
        (r"'\q'", "q"),
        ("''''", "'"),
        ("'; drop'", "; drop"),
        ("'größe'", "größe"),
    ] {
        let statement = format!("SET GLOBAL sql_throttle_remove_rule = {written}");
        assert_eq!(parse(statement.as_bytes()).unwrap(), AdminStatement::RemoveRule(name.to_owned()), "{statement}");
    }
    assert_eq!(rule(r#"{pattern: "it''s", capacity: 1, rate: 1}"#).matching.pattern.unwrap(), "it's");
    assert_eq!(rule(r"{pattern: select\\s, capacity: 1, rate: 1}").matching.pattern.unwrap(), r"select\s");
    assert_eq!(rule(r"{\n  pattern: select,\n  capacity: 1, rate: 1}").matching.pattern.unwrap(), "select");
}

#[test]
fn variables_of_the_environment_stay_closed() {
    assert_eq!(rule("{owner: \"${PATH}\", reason: \"${\", capacity: 1, rate: 1}").owner.unwrap(), "${PATH}");
}

#[test]
fn every_fault_is_told_with_its_place() {
    // `‸` marks the place.
    #[rustfmt::skip]
    let cases = [
        ("‸", "admin.unknown", "nothing begins", "SHOW GLOBAL"),
        ("‸select 1", "admin.unknown", "`select`", "SET GLOBAL"),
        ("‸{pattern: a}", "admin.unknown", "nothing begins", ""),
        ("SET ‸sql_throttle_add_rule = '{}'", "admin.not_global", "`sql_throttle_add_rule`", ""),
        ("SET ‸@@global.sql_throttle_add_rule = '{}'", "admin.not_global", "nothing", ""),
        ("SET ‸SESSION", "admin.not_global", "`SESSION`", ""),
        ("SET GLOBAL ‸sql_throttle_ad_rule = '{}'", "admin.variable.unknown", "of SET", "did you mean `sql_throttle_add_rule`?"),
        ("SET GLOBAL ‸max_connections = 1", "admin.variable.unknown", "", "`sql_throttle_remove_rule`"),
        ("SET GLOBAL ‸sql_throttle_rules = ''", "admin.variable.unknown", "", ""),
        ("SHOW GLOBAL ‸sql_throttle_rule", "admin.variable.unknown", "of SHOW", "did you mean `sql_throttle_rules`?"),
        ("SHOW GLOBAL‸", "admin.variable.unknown", "nothing", ""),
        ("SHOW GLOBAL sql_throttle_rules ‸like 'a'", "admin.trailing_text", "`like 'a'`", "one statement"),
        ("SHOW GLOBAL sql_throttle_rules; ‸SHOW GLOBAL sql_throttle_rules", "admin.trailing_text", "", ""),
        ("SHOW GLOBAL sql_throttle_rules;‸;", "admin.trailing_text", "", ""),
        ("SET GLOBAL sql_throttle_add_rule‸", "admin.value.missing", "no value", "= '…'"),
        ("SET GLOBAL sql_throttle_add_rule ‸'{}'", "admin.value.missing", "", ""),
        ("SET GLOBAL sql_throttle_remove_rule = ‸", "admin.value.unquoted", "", "quotes"),
        ("SET GLOBAL sql_throttle_remove_rule = ‸name", "admin.value.unquoted", "", "quotes"),
        ("SET GLOBAL sql_throttle_remove_rule = ‸`name`", "admin.value.unquoted", "", ""),
        ("SET GLOBAL sql_throttle_remove_rule = ‸'name", "admin.value.unclosed", "", "close it with '"),
        ("SET GLOBAL sql_throttle_remove_rule = ‸'name''", "admin.value.unclosed", "", ""),
        ("SET GLOBAL sql_throttle_remove_rule = ‸'name\\'", "admin.value.unclosed", "", ""),
        ("SET GLOBAL sql_throttle_remove_rule = ‸'name\\", "admin.value.unclosed", "", ""),
        ("SET GLOBAL sql_throttle_remove_rule = ‸\"", "admin.value.unclosed", "", ""),
        ("SET GLOBAL sql_throttle_remove_rule = 'it' ‸s'", "admin.trailing_text", "", "written twice"),
        ("SET GLOBAL sql_throttle_remove_rule = '‸'", "rule.name.empty", "", "a name"),
        ("SET GLOBAL sql_throttle_remove_rule = '‸a\\nb'", "rule.name.malformed", "", "control"),
        ("SET GLOBAL sql_throttle_add_rule = '‸'", "rule.wrong_type", "", "capacity: 100"),
        ("SET GLOBAL sql_throttle_add_rule = '‸select'", "rule.wrong_type", "", "capacity: 100"),
        ("SET GLOBAL sql_throttle_add_rule = '‸SET GLOBAL sql_throttle_add_rule = \"{}\"'", "rule.wrong_type", "", ""),
        ("SET GLOBAL sql_throttle_add_rule = '‸{}'", "rule.limit.missing", "", "capacity: 100"),
        ("SET GLOBAL sql_throttle_add_rule = '{‸rules: [], capacity: 1, rate: 1}'", "file.unknown_key", "`rules`", ""),
        ("SET GLOBAL sql_throttle_add_rule = '‸{capacity: 1}'", "rule.limit.token_bucket.rate.missing", "", "rate: 1000"),
        ("SET GLOBAL sql_throttle_add_rule = '{capacity: ‸0, rate: 1}'", "rule.limit.token_bucket.capacity.zero", "", ""),
        ("SET GLOBAL sql_throttle_add_rule = '{capacity: 1, rate: ‸1/0}'", "rule.limit.token_bucket.rate.divided_by_zero", "", ""),
        ("SET GLOBAL sql_throttle_add_rule = '{capacity: 1, rate: ‸0}'", "rule.limit.token_bucket.rate.zero", "", ""),
        ("SET GLOBAL sql_throttle_add_rule = '{limit: ‸{}}'", "rule.limit.empty", "", ""),
        ("SET GLOBAL sql_throttle_add_rule = '{‸capacity: 1, limit: {block: true}}'", "admin.rule.two_forms", "`capacity` stands beside `limit`", "inside"),
        ("SET GLOBAL sql_throttle_add_rule = '{‸tables: t, match: {user: a}, limit: {block: true}}'", "admin.rule.two_forms", "`tables` stands beside `match`", ""),
        ("SET GLOBAL sql_throttle_add_rule = '{name: ‸admin-1, capacity: 1, rate: 1}'", "rule.name.reserved", "", ""),
        ("SET GLOBAL sql_throttle_add_rule = '{tables: ‸[], capacity: 1, rate: 1}'", "rule.match.tables.empty", "", ""),
        ("SET GLOBAL sql_throttle_add_rule = '{on: request, ‸pattern: a, capacity: 1, rate: 1}'", "rule.match.pattern.on_request", "", ""),
        ("SET GLOBAL sql_throttle_add_rule = '{pattern: \"it''s\", user: ‸[], capacity: 1, rate: 1}'", "rule.match.user.empty", "", ""),
        ("SET GLOBAL\nsql_throttle_add_rule = '{\n  tags: {größe: \\'a\\'},\n  kinds: ‸all, capacity: 1, rate: 1}'", "rule.match.kinds.unknown", "`all`", ""),
        ("SET GLOBAL sql_throttle_add_rule = \"{\\r\\n\\n  tags: {größe: \"\"a\\\"}, kinds: ‸all, capacity: 1, rate: 1}\"", "rule.match.kinds.unknown", "`all`", ""),
    ];
    let mut wrong = Vec::new();
    for (marked, code, found, expected) in cases {
        let (before, after) = marked.split_once('‸').unwrap();
        let place = (before.matches('\n').count() + 1, before.rsplit('\n').next().unwrap().chars().count() + 1);
        let told = faults(format!("{before}{after}"));
        let right = |fault: &Fault| {
            (fault.code, (fault.line, fault.column)) == (code, place)
                && fault.found.contains(found)
                && fault.expected.contains(expected)
        };
        if told.len() != 1 || !right(&told[0]) {
            wrong.push(format!("{marked}\nshould be {code} at {place:?}, is {told:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn all_faults_of_a_rule_come_at_once() {
    let told = faults("SET GLOBAL sql_throttle_add_rule = '{kinds: [x], per: [y], capacity: 0, rate: z}'");
    let codes: Vec<_> = told.iter().map(|fault| fault.code).collect();
    assert_eq!(
        codes,
        [
            "rule.match.kinds.unknown",
            "rule.per.unknown",
            "rule.limit.token_bucket.capacity.zero",
            "rule.limit.token_bucket.rate.malformed"
        ]
    );
    let error = parse(b"SHOW").unwrap_err().to_string();
    assert!(error.starts_with("admin statement:1:5: nothing stands where `GLOBAL` belongs; "), "{error}");
}

#[test]
fn hostile_statements_are_refused_in_bounds() {
    let add = |value: String| format!("SET GLOBAL sql_throttle_add_rule = '{value}'");
    for (statement, code) in [
        ("x".repeat(1 << 20), "admin.too_long"),
        (add("{".repeat(60_000)), "yaml.too_deep"),
        (add("&a {match: *a}".to_owned()), "yaml.cyclic_alias"),
        (add(format!("{{pattern: {}, capacity: 1, rate: 1}}", "(".repeat(60_000))), "rule.match.pattern.malformed"),
        (add(format!("{{{}}}", "a: 1, ".repeat(9_000))), "yaml.duplicate_key"),
        ("'".repeat(60_000), "admin.unknown"),
        (format!("SET GLOBAL sql_throttle_add_rule = '{}", "''".repeat(30_000)), "admin.value.unclosed"),
        (format!("SHOW GLOBAL {}", "x".repeat(60_000)), "admin.variable.unknown"),
    ] {
        let told = faults(&statement);
        assert_eq!(told[0].code, code);
        assert!(told.iter().all(|fault| fault.to_string().len() < 1_000));
    }
    assert_eq!(faults(b"SHOW GLOBAL \xff")[0].code, "admin.encoding");
    assert_eq!(faults(b"SHOW GLOBAL\n \xff")[0].column, 2);
}

#[test]
fn a_rule_is_admitted_where_it_goes_together_with_the_file() {
    let told = |file: &RuleFile, rule: &Rule| match file.admits(rule) {
        Ok(()) => Vec::new(),
        Err(error) => error.faults().iter().map(|fault| (fault.path.clone(), fault.code)).collect(),
    };
    let mut file = RuleFile::default();
    let shared = rule("{scope: cluster, mode: enforce, on_failure: open, capacity: 1, rate: 1}");
    assert_eq!((shared.scope, shared.on_failure), (Scope::Cluster, Some(OnFailure::Open)));
    assert_eq!(told(&file, &shared), [("scope".to_owned(), "rule.scope.without_cluster")]);
    file.mode = Mode::Observe;
    assert_eq!(
        told(&file, &rule("{mode: enforce, capacity: 1, rate: 1}")),
        [("mode".to_owned(), "rule.mode.stricter")]
    );
    assert!(told(&file, &rule("{mode: off, capacity: 1, rate: 1}")).is_empty());
    file.rules.push(shared);
    assert_eq!(file.refuse_cluster(false).unwrap_err().faults()[0].code, "rule.scope.no_backend");
}

/// Pieces that admin statements are made of.
#[rustfmt::skip]
const PIECES: [&str; 24] = [
    "SET ", "SHOW ", "GLOBAL ", ADD, REMOVE, RULES, " = ", "=", "'", "''", "\"", "\\", ";", "{", "}", "name: a", "pattern: ",
    "capacity: 1", "rate: 2/s", ", ", "\n", "é", "\0", "[",
];

/// Whatever is read is a statement; whatever is refused says why, and where in the text.
fn is_answered(statement: &[u8]) -> Result<(), TestCaseError> {
    match parse(statement) {
        Ok(AdminStatement::AddRule(rule)) => prop_assert!(RuleFile::default().admits(&rule).is_ok()),
        Ok(AdminStatement::RemoveRule(name)) => prop_assert!(text::RULE_NAME.check(&name).is_ok()),
        Ok(AdminStatement::ShowRules) => {}
        Err(error) => {
            prop_assert!(!error.faults().is_empty());
            let lines = String::from_utf8_lossy(statement).split(['\n', '\r']).count();
            for fault in error.faults() {
                prop_assert!((1..=lines).contains(&fault.line) && fault.column > 0, "{:?}", fault);
                prop_assert!(!fault.code.is_empty() && !fault.found.is_empty() && !fault.expected.is_empty());
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn any_bytes_are_answered(bytes: Vec<u8>) {
        is_answered(&bytes)?;
        is_answered(&[b"SET GLOBAL sql_throttle_add_rule = '", &bytes[..]].concat())?;
    }

    #[test]
    fn any_pieces_are_answered(pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..30)) {
        let text = pieces.concat();
        is_answered(text.as_bytes())?;
        is_answered(format!("SET GLOBAL sql_throttle_add_rule = '{{{text}}}'").as_bytes())?;
    }

    #[test]
    fn any_name_is_quoted_and_read_back(name in "[^\\p{Cc}]{1,128}") {
        let quoted = name.replace('\\', "\\\\").replace('\'', "''");
        let read = parse(format!("SET GLOBAL sql_throttle_remove_rule = '{quoted}'").as_bytes());
        prop_assert_eq!(read.ok(), Some(AdminStatement::RemoveRule(name)));
    }
}
