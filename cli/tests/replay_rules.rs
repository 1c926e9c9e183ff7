//! `sqlthrottle replay` against whole rule files: who sends a statement, what several rules make of it, and what they refuse.

mod common;

use common::command::{Ran, file, run};
use serde_json::{Value, json};
use sqlthrottle::HashKind;

/// Replays a log from standard input against rules.
fn replay(name: &str, rules: &str, log: &str, more: &[&str]) -> Ran {
    let rules = file(&format!("replay-rules-{name}.yml"), rules.as_bytes());
    let ran = run(&[&["replay", "--rules", &rules, "-"], more].concat(), log.as_bytes());
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    ran
}

/// What became of the statements that a rule matched, from the objects of a replay.
fn counts(ran: &Ran, rule: &str) -> Value {
    let object = ran.of_type("rule").into_iter().find(|object| object["rule"] == rule);
    let object = object.unwrap_or_else(|| panic!("no rule {rule}: {}", ran.stdout));
    let keys = ["matched", "passed", "passed_over", "aborted", "ignored", "delayed", "outranked"];
    keys.into_iter().map(|key| object[key].clone()).collect()
}

/// A PostgreSQL log: each statement with milliseconds after 12:00, who sent it, how long it took, and its text.
fn log(statements: impl IntoIterator<Item = (u64, &'static str, Option<u64>, &'static str)>) -> String {
    let line = |(millis, sender, took, sql): (u64, &str, Option<u64>, &str)| {
        let (minute, second, millis) = (millis / 60_000, millis / 1_000 % 60, millis % 1_000);
        let took = took.map_or_else(String::new, |took| format!("duration: {took} ms  "));
        format!("2024-05-06 12:{minute:02}:{second:02}.{millis:03} UTC [1] {sender} LOG:  {took}statement: {sql}\n")
    };
    statements.into_iter().map(line).collect()
}

#[test]
fn rules_see_the_user_the_client_and_the_database_of_the_log() {
    let senders = ["dev@shop 10.0.0.7", "dev@shop 10.0.0.8", "etl@shop 10.0.0.7", "dev@audit 10.0.0.7"];
    let log = log((0..12).map(|i| (i * 10, senders[i as usize % 4], Some(1), "select 1")));
    let rules = "\
dialect: postgresql
rules:
  - {name: dev, match: {user: \"dev@10.0.0.7\"}, limit: {fixed_window: {max: 100, window: 1h}}}
  - {name: shop, match: {databases: [shop]}, limit: {fixed_window: {max: 100, window: 1h}}}
  - {name: each, per: [user, client, database], limit: {fixed_window: {max: 2, window: 1h}}}
";
    let ran = replay("sender", rules, &log, &["--json"]);
    assert_eq!(counts(&ran, "each"), json!([12, 8, 0, 4, 0, 0, 0]));
    assert_eq!(counts(&ran, "dev")[0], 6);
    assert_eq!(counts(&ran, "shop")[0], 9);

    let mysql = "\
# Time: 2026-03-02T09:30:00.000000Z
# User@Host: app[dev] @ web1 [10.0.0.7]  Id:     5
# Query_time: 0.1  Lock_time: 0 Rows_sent: 1  Rows_examined: 1
use shop;
SET timestamp=1772443800;
select 1;
# Time: 2026-03-02T09:30:01.000000Z
# User@Host: app[etl] @ localhost []  Id:     6
# Query_time: 0.1  Lock_time: 0 Rows_sent: 1  Rows_examined: 1
SET timestamp=1772443801;
select 1;
";
    let ran = replay("mysql", &rules.replace("postgresql", "mysql"), mysql, &["--json"]);
    assert_eq!((&counts(&ran, "dev")[0], &counts(&ran, "shop")[0]), (&json!(1), &json!(2)));
    assert_eq!(counts(&ran, "each"), json!([2, 2, 0, 0, 0, 0, 0]));
}

#[test]
fn places_are_held_for_as_long_as_a_statement_took() {
    let rules = "dialect: postgresql\nrules: [{name: places, limit: {concurrency: {max: 2}}}]\n";
    // The first two end at 1,000 and 1,010; the one at 1,005 takes the place of the first.
    let times = [0, 10, 20, 999, 1_005, 1_006, 1_010];
    let ran = replay("places", rules, &log(times.map(|at| (at, "a@b", Some(1_000), "select 1"))), &["--json"]);
    assert_eq!(counts(&ran, "places"), json!([7, 4, 0, 3, 0, 0, 0]));
    assert_eq!(ran.of_type("summary")[0]["places_without_duration"], 0);
    // A place lapses, however long the log says that the statement took.
    let lease = rules.replace("max: 2", "max: 2, lease: 15ms");
    let ran = replay("lease", &lease, &log(times.map(|at| (at, "a@b", Some(86_400_000), "select 1"))), &["--json"]);
    assert_eq!(counts(&ran, "places"), json!([7, 5, 0, 2, 0, 0, 0]));

    let untimed = log(times.map(|at| (at, "a@b", None, "select 1")));
    let ran = replay("untimed", rules, &untimed, &[]);
    let told = "\n7 statements gave back their places of concurrency limits at once: the log does not say how long they took\n";
    assert!(ran.stdout.contains(told), "{}", ran.stdout);
    let ran = replay("untimed-json", rules, &untimed, &["--json"]);
    assert_eq!(counts(&ran, "places"), json!([7, 7, 0, 0, 0, 0, 0]));
    assert_eq!(ran.of_type("summary")[0]["places_without_duration"], 7);
}

#[test]
fn a_delayed_statement_holds_its_place_from_when_it_is_sent() {
    let rules = "\
dialect: postgresql
rules:
  - {name: slow, match: {tables: [t]}, limit: {fixed_window: {max: 1, window: 1h}}, then: {strategy: delay, delay: 1s}}
  - {name: place, limit: {concurrency: {max: 1}}}
";
    // The second waits until 1,100 and runs until 1,600.
    let statements = [
        (0, "a@b", Some(50), "select 1 from t"),
        (100, "a@b", Some(500), "select 1 from t"),
        (1_000, "a@b", Some(50), "select 2"),
        (1_500, "a@b", Some(50), "select 2"),
        (1_700, "a@b", Some(50), "select 2"),
    ];
    let ran = replay("delayed", rules, &log(statements), &["--json"]);
    assert_eq!(counts(&ran, "slow"), json!([2, 2, 0, 0, 0, 1, 0]));
    assert_eq!(counts(&ran, "place")[3], 1);
    // What ends at the moment at which another has waited makes room for it, though it came later.
    let statements =
        [statements[0], statements[1], (500, "a@b", Some(600), "select 2"), (3_000, "a@b", Some(50), "select 2")];
    let ran = replay("makes-room", rules, &log(statements), &["--json"]);
    assert_eq!(counts(&ran, "slow"), json!([2, 2, 0, 0, 0, 1, 0]));
    assert_eq!(counts(&ran, "place")[3], 0);
}

#[test]
fn rules_expire_by_the_time_of_the_log() {
    let rules = |expires: &str| {
        format!("dialect: postgresql\nrules: [{{name: closed, limit: {{block: true}}, expires: {expires}}}]\n")
    };
    let log = log((0..10).map(|i| (i * 1_000, "a@b", Some(1), "select 1")));
    let ran = replay("expiry", &rules("2024-05-06T12:00:04Z"), &log, &["--json"]);
    assert_eq!(counts(&ran, "closed"), json!([4, 0, 0, 4, 0, 0, 0]));
    assert_eq!(ran.of_type("rule")[0]["mode"], "expired");
    let told =
        "warning: closed has expired at 2024-05-06T12:00:04Z: what the logs have from then on is not held against it\n";
    assert_eq!(ran.stderr, told);
    // Over by today, and not by then.
    let ran = replay("unexpired", &rules("2025-01-01T00:00:00Z"), &log, &["--json"]);
    assert_eq!((counts(&ran, "closed"), &*ran.stderr), (json!([10, 0, 0, 10, 0, 0, 0]), ""));
}

#[test]
fn rules_that_are_observed_are_enforced_and_rules_that_are_off_stay_off() {
    let rules = "\
dialect: postgresql
mode: observe
rules:
  - {name: observed, match: {tables: [t]}, limit: {fixed_window: {max: 1, window: 1h}}, mode: observe}
  - {name: strong, limit: {fixed_window: {max: 2, window: 1h}}, then: {strategy: ignore}}
  - {name: unused, limit: {block: true}, mode: \"off\"}
  - {name: web, on: request, limit: {block: true}}
  - {name: idle, match: {tables: [u]}, limit: {block: true}}
";
    let statement = |(i, sql): (u64, _)| (i * 100, "a@b", Some(1), sql);
    let (in_t, other) = ("select 1 from t", "select 1");
    let log = log((0..).zip([in_t, in_t, in_t, other, other, other, other, in_t]).map(statement));
    let ran = replay("modes", rules, &log, &[]);
    // Of the last one, both are over their limits, and to abort is stronger.
    let expected = "\
mode observe: shown as if enforced
Rules
matched  passed  passed over  aborted  ignored  delayed  outranked            first refusal  peak/s  after  rule
      8       4            0        0        3        0          1  2024-05-06 12:00:00.400       4      1  strong
      4       1            0        3        0        0          0  2024-05-06 12:00:00.100       4      1  observed (observe)
      0       0            0        0        0        0          0                        -       0      0  unused (off)
      0       0            0        0        0        0          0                        -       0      0  web (on: request)
      0       0            0        0        0        0          0                        -       0      0  idle

Statements
";
    assert!(ran.stdout.starts_with(expected), "{}", ran.stdout);
    let idle = "warning: idle matched no statement of the logs: `sqlthrottle explain` says by which field one does not match\n";
    assert_eq!(ran.stderr, idle);
}

/// A flood of one shape, and two others that share its limit.
fn flood() -> String {
    let flood = (0..40).map(|i| (i * 100, "a@b", Some(1_000), "select 1 from flood"));
    let calm = (0..4).map(|i| (i * 1_000 + 50, "a@b", Some(10), "select 2 from calm"));
    let mut statements: Vec<_> = flood.chain(calm).chain([(3_999, "a@b", None, "select 1 from rare")]).collect();
    statements.sort_by_key(|statement| statement.0);
    log(statements)
}

#[test]
fn the_innocent_statements_that_a_rule_touched_are_named() {
    let rules = "\
dialect: postgresql
rules:
  - {name: shared, limit: {sliding_window: {max: 10, window: 1m}}}
";
    let ran = replay("innocent", rules, &flood(), &["--explain", "--top", "2"]);
    let expected = "
Refused by shared: 10 in any 1m; beyond it abort
refused  of  own peak  innocent  statement
     31  40        40        no  769ad520826f  select ? from flood
      3   4         4       yes  5b8d57d0eae2  select ? from calm
and 1 more of other statements

Statements
";
    assert!(ran.stdout.contains(expected), "{}", ran.stdout);
    let refused = replay("innocent-json", rules, &flood(), &["--explain", "--json"]).of_type("refused");
    assert_eq!(refused.len(), 3);
    let normalized = "select ? from rare";
    assert_eq!(
        refused[2],
        json!({
            "type": "refused", "rule": "shared", "normalized": normalized,
            "fingerprint": HashKind::Sha256.digest(normalized.as_bytes()).to_string(),
            "refused": 1, "count": 1, "own_peak": 1, "max": 10, "innocent": true,
        })
    );
    let ran = replay("innocent-cut", rules, &flood(), &["--explain", "--json", "--top", "1"]);
    assert_eq!(
        ran.of_type("refused")[1],
        json!({ "type": "refused", "rule": "shared", "fingerprint": null, "refused": 4 })
    );
}

#[test]
fn a_shape_is_judged_by_what_the_limit_would_have_made_of_it_alone() {
    let judged = |limit: &str| {
        let rules = format!("dialect: postgresql\nrules: [{{name: shared, limit: {{{limit}}}}}]\n");
        let refused = replay("judged", &rules, &flood(), &["--explain", "--json"]).of_type("refused");
        let of = |table: &str| {
            let of_table = |object: &&Value| object["normalized"].as_str().is_some_and(|text| text.ends_with(table));
            let object = refused.iter().find(of_table).unwrap();
            ["own_peak", "max", "innocent"].map(|key| object[key].clone())
        };
        json!([of("flood"), of("calm")])
    };
    for (limit, expected) in [
        ("token_bucket: {capacity: 10, rate: 1/m}", json!([[40, 10, false], [4, 10, true]])),
        // It fills in two seconds, and twelfths of that are counted.
        ("token_bucket: {capacity: 10, rate: 5/s}", json!([[22, 10, false], [3, 10, true]])),
        ("fixed_window: {max: 4, window: 1h}", json!([[40, 4, false], [4, 4, true]])),
        ("fixed_window: {max: 3, window: 1h}", json!([[40, 3, false], [4, 3, false]])),
        // Ten of the flood would run at once, one of the others.
        ("concurrency: {max: 5}", json!([[10, 5, false], [1, 5, true]])),
        ("block: true", json!([[null, null, null], [null, null, null]])),
    ] {
        assert_eq!(judged(limit), expected, "{limit}");
    }
}

#[test]
fn explain_needs_rules() {
    let ran = run(&["replay", "--explain", "-"], b"");
    assert_eq!((ran.code, ran.stderr.contains("--rules <FILE>")), (Some(2), true), "{}", ran.stderr);
    let ran = replay("calm", "dialect: postgresql\ndefault_threshold: 100\n", &flood(), &["--explain"]);
    assert!(!ran.stdout.contains("Refused by"), "{}", ran.stdout);
}

#[test]
fn a_limit_that_instances_share_is_one_over_all_logs() {
    let rules = "\
dialect: postgresql
cluster: {redis: {url: \"redis://127.0.0.1\"}, namespace: a}
rules: [{name: shared, limit: {fixed_window: {max: 3, window: 1h}}, scope: cluster}]
";
    let ran = replay("cluster", rules, &flood(), &["--json"]);
    assert_eq!(counts(&ran, "shared"), json!([45, 3, 0, 42, 0, 0, 0]));
    let told = "warning: rules with `scope: cluster`: 1; each is one limit over all logs, though this build has no backend for \
                it and an engine refuses the file\n";
    assert_eq!(ran.stderr, told);
}
