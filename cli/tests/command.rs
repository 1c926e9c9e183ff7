//! `sqlthrottle fingerprint`, `sqlthrottle validate` and the command as a whole, run as a user runs them.

mod common;

use common::command::{command, file, run};
use serde_json::{Value, json};
use sqlthrottle::HashKind;
use std::io::Write as _;

fn digest(text: &str) -> String {
    HashKind::Sha256.digest(text.as_bytes()).to_string()
}

#[test]
fn statements_are_divided_outside_quotes() {
    let sql = "SELECT a FROM t WHERE b = 'x;y'; -- one; two\n\nDELETE FROM t;\n;\n-- the end\n";
    let ran = run(&["fingerprint"], sql.as_bytes());
    let (first, second) = ("select a from t where b=?", "delete from t");
    assert_eq!(ran.stdout, format!("{}  {first}\n{}  {second}\n", digest(first), digest(second)));
    assert_eq!((ran.code, &*ran.stderr), (Some(0), ""));
}

#[test]
fn json_has_the_keys_that_are_documented() {
    let sql = "select * from shop.users where id = 7; update users set a = 1; delete from t where 1 = 1; begin";
    let ran = run(&["fingerprint", "--dialect", "mysql", "--json", "-"], sql.as_bytes());
    let objects = ran.objects();
    let normalized = "select * from shop.users where id=?";
    assert_eq!(
        objects[0],
        json!({
            "fingerprint": digest(normalized), "normalized": normalized, "kind": "select",
            "tables": ["shop.users"], "where": "present", "plain_read": true,
        })
    );
    let wheres: Vec<_> = objects.iter().map(|object| object["where"].clone()).collect();
    assert_eq!(wheres, ["present", "missing", "always_true", "none"]);
}

#[test]
fn raw_takes_the_bytes_as_they_are() {
    let ran = run(&["fingerprint", "--raw", "--json"], b"select 1; delete from t\n");
    assert_eq!(ran.objects().len(), 1);
    let object = &ran.objects()[0];
    assert_eq!(object["normalized"], "select ?;delete from t");
    assert_eq!((&object["kind"], &object["kinds"]), (&json!("batch"), &json!(["select", "delete"])));
    let ran = run(&["fingerprint", "--raw"], b"");
    assert_eq!(ran.stdout, format!("{}  \n", digest("")));
    let ran = run(&["fingerprint", "--raw"], b"select 'cut off \xff\0");
    assert_eq!(ran.stdout, format!("{}  select ?\n", digest("select ?")));
}

#[test]
fn options_change_the_shape() {
    let path = file("options.sql", b"SELECT a FROM orders_0042 WHERE id IN (3, 1, 2, 1)");
    let ran = run(&["fingerprint", &path, "--in-lists", "distinct", "--fold-digits", "--hash", "md5"], b"");
    let normalized = "select a from orders_N where id in (?,?,?)";
    assert_eq!(ran.stdout, format!("{}  {normalized}\n", HashKind::Md5.digest(normalized.as_bytes())));
}

#[test]
fn names_cannot_steer_the_terminal() {
    let ran = run(&["fingerprint"], b"select \"a\x1b[2Jb\nc\" from t");
    assert!(ran.stdout.ends_with("select \"a\\u{1b}[2Jb\\nc\" from t\n"), "{}", ran.stdout);
}

#[test]
fn a_good_rule_file_is_summed_up() {
    let path = file("good.yml", b"dialect: mysql\ndefault_threshold: {max_count: 1000, window: 60s}\n");
    let ran = run(&["validate", &path], b"");
    assert_eq!(ran.code, Some(0));
    assert_eq!(ran.stdout, "ok: 0 thresholds, 0 rules, a default threshold, dialect mysql, mode enforce\n");
    let ran = run(&["validate", "--json", &path], b"");
    let object = json!({
        "ok": true, "file": path, "dialect": "mysql", "mode": "enforce", "thresholds": 0, "rules": 0,
        "default_threshold": true,
        "warnings": [],
    });
    assert_eq!((ran.code, ran.objects()), (Some(0), vec![object]));

    let text = "dialect: mysql\nlimits: {warn_rules: 1}\nthresholds: {9f2c41d07b6e: 100}\n";
    let path = file("many.yml", text.as_bytes());
    let ran = run(&["validate", &path], b"");
    assert!(ran.stderr.starts_with("warning: 1 rules: "), "{}", ran.stderr);
    let ran = run(&["validate", "--json", &path], b"");
    assert_eq!((ran.objects()[0]["warnings"].as_array().unwrap().len(), &*ran.stderr), (1, ""));

    let path = file("no-dialect.yml", b"thresholds: {9f2c41d07b6e: 100}\n");
    let ran = run(&["validate", &path], b"");
    let warning = "warning: no `dialect`: statements that do not say theirs are read as generic; fingerprints found in a MySQL \
                   or PostgreSQL log may not match\n";
    assert_eq!((ran.code, &*ran.stderr), (Some(0), warning));
}

#[test]
fn the_rules_of_a_file_are_counted_and_warned_of() {
    let text = "\
dialect: mysql
thresholds: {9f2c41d07b6e: 100}
cluster: {redis: {url: \"redis://127.0.0.1\"}, namespace: a}
rules:
  - {name: ended, limit: {block: true}, expires: 2020-01-01T00:00:00Z}
  - {name: shared, limit: {fixed_window: {max: 1, window: 1s}}, scope: cluster}
";
    let path = file("rules.yml", text.as_bytes());
    let ran = run(&["validate", &path], b"");
    assert_eq!(ran.stdout, "ok: 1 threshold, 2 rules, no default threshold, dialect mysql, mode enforce\n");
    let shared = "rules with `scope: cluster`: 1; no backend for limits that instances share is built in, so an engine refuses \
                  the file";
    let ended = "the rule `ended` has expired at 2020-01-01T00:00:00Z: it matches nothing";
    assert_eq!((ran.code, ran.stderr), (Some(0), format!("warning: {shared}\nwarning: {ended}\n")));
    let ran = run(&["validate", "--json", &path], b"");
    let object = &ran.objects()[0];
    assert_eq!((&object["rules"], &object["warnings"], &*ran.stderr), (&json!(2), &json!([shared, ended]), ""));
    // A word that is misspelt is told by its place in the rule.
    let path = file("misspelt.yml", text.replace("expires", "expiers").as_bytes());
    let ran = run(&["validate", &path], b"");
    assert!(ran.stderr.starts_with(&format!("error: {path}:5:")), "{}", ran.stderr);
    assert!(ran.stderr.contains("rules.\"ended\"") && ran.stderr.contains("`expires`"), "{}", ran.stderr);
}

#[test]
fn a_log_given_as_sql_is_told_from_it() {
    let slow = b"\n# Time: 2026-03-02T09:30:00.498321Z\n# Query_time: 1.0  Lock_time: 0.0 Rows_sent: 1  Rows_examined: 1\nselect 1;\n";
    for log in [&slow[..], b"2024-05-06 12:00:00.000 UTC [1] LOG:  duration: 2.5 ms  statement: select 1\n"] {
        let ran = run(&["fingerprint"], log);
        let warning = "warning: this looks like a log; `sqlthrottle replay -` lists its statements\n";
        assert_eq!((ran.code, &*ran.stderr), (Some(0), warning), "{}", String::from_utf8_lossy(log));
    }
    // A statement may hold a line of a log.
    let ran = run(&["fingerprint"], b"insert into lines values ('\n2024-05-06 12:00:00 UTC [1] LOG:  statement: x')");
    assert_eq!(ran.stderr, "");
}

#[test]
fn a_statement_given_as_a_file_is_answered_with_the_way_to_give_it() {
    let hint = "FILE is a file; for a text: echo '…' | sqlthrottle fingerprint\n";
    let ran = run(&["fingerprint", "select 1"], b"");
    assert_eq!((ran.code, ran.stderr.ends_with(hint)), (Some(1), true), "{}", ran.stderr);
    assert!(ran.stderr.starts_with("error: select 1: "), "{}", ran.stderr);
    let ran = run(&["fingerprint", "no-such.sql"], b"");
    assert_eq!((ran.code, ran.stderr.contains("FILE")), (Some(1), false), "{}", ran.stderr);
}

/// The keys that every fault has in JSON, in their order.
const FAULT_KEYS: [&str; 8] = ["ok", "file", "line", "column", "path", "code", "found", "expected"];

fn keys(object: &Value) -> Vec<&str> {
    object.as_object().into_iter().flatten().map(|(key, _)| &**key).collect()
}

#[test]
fn all_faults_of_a_rule_file_are_named() {
    let path = file("bad.yml", b"dialect: cobol\nmode: sometimes\ndefault_threshold: {max_count: 0, window: 60s}\n");
    let ran = run(&["validate", &path], b"");
    assert_eq!(ran.code, Some(1));
    assert_eq!((ran.stderr.lines().count(), &*ran.stdout), (3, ""), "{}", ran.stderr);
    for (line, number) in ran.stderr.lines().zip(1..) {
        assert!(line.starts_with(&format!("error: {path}:{number}:")), "{line}");
    }
    let told = ran.stderr;
    let ran = run(&["validate", "--json", &path], b"");
    assert_eq!(ran.code, Some(1));
    let lines: Vec<_> = ran.objects().iter().map(|object| object["line"].clone()).collect();
    assert_eq!(lines, [1, 2, 3]);
    for object in ran.objects() {
        assert_eq!(keys(&object), FAULT_KEYS);
        assert_eq!((&object["ok"], &object["file"]), (&json!(false), &json!(path)));
    }
    // The same words wherever a rule file is read.
    let ran = run(&["replay", "--rules", &path, "-"], b"");
    assert_eq!((ran.code, ran.stderr), (Some(1), told));
}

#[test]
fn a_rule_file_that_cannot_be_read_is_a_failure() {
    let ran = run(&["validate", "no-such.yml"], b"");
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.starts_with("error: no-such.yml: "), "{}", ran.stderr);
    let ran = run(&["validate", "--json", "no-such.yml"], b"");
    assert_eq!((ran.code, ran.objects().len()), (Some(1), 1));
    let object = &ran.objects()[0];
    assert_eq!(keys(object), FAULT_KEYS);
    assert_eq!(
        (&object["ok"], &object["line"], &object["code"]),
        (&json!(false), &json!(null), &json!("file.unreadable"))
    );
    assert!(!object["found"].as_str().unwrap().contains("no-such.yml"), "{object}");
}

#[test]
fn exit_codes_tell_misuse_from_failure() {
    for arguments in [&["--help"][..], &["--version"], &["replay", "--help"], &["fingerprint", "-h"]] {
        let ran = run(arguments, b"");
        assert_eq!((ran.code, ran.stdout.is_empty()), (Some(0), false), "{arguments:?}");
    }
    for arguments in [
        &[][..],
        &["frobnicate"],
        &["replay"],
        &["validate"],
        &["fingerprint", "--dialect", "cobol"],
        &["replay", "--top", "-1", "x"],
    ] {
        let ran = run(arguments, b"");
        assert_eq!((ran.code, ran.stderr.is_empty()), (Some(2), false), "{arguments:?}");
    }
    assert_eq!(run(&["fingerprint", "no-such.sql"], b"").code, Some(1));
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let mut child = command(&["fingerprint"]).spawn().unwrap();
    // The reader is gone before the command has anything to write.
    drop(child.stdout.take());
    child.stdin.take().unwrap().write_all("select a from t;".repeat(10_000).as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}
