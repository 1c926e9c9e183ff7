//! `sqlthrottle explain`, run as a user runs it.

mod common;

use common::command::{Ran, file, run};
use serde_json::{Value, json};
use sqlthrottle::HashKind;

const RULES: &str = "\
dialect: mysql
default_threshold: 50
thresholds:
  FINGERPRINT: 100
  0123456789ab: 5
  0123456789ac: 5
rules:
  - name: reports-per-user
    match: {tables: [reports], user: \"dev@10.%\"}
    per: [user, \"column:reports.id\"]
    limit: {token_bucket: {capacity: 100, rate: 20/s}}
  - {name: no-deletes, match: {kinds: [delete]}, limit: {block: true}, then: {strategy: ignore}}
  - {name: endpoint, match: {tags: {endpoint: report}}, limit: {block: true}, mode: observe}
  - {name: web, on: request, limit: {concurrency: {max: 3}}}
  - {name: ended, limit: {block: true}, expires: 2020-01-01T00:00:00Z}
  - {name: off, limit: {unlimited: true}, mode: off}
";

fn digest(text: &str) -> String {
    HashKind::Sha256.digest(text.as_bytes()).to_string()
}

/// Explains against the rules above, in a file of its own.
fn explain(name: &str, arguments: &[&str], stdin: &[u8]) -> Ran {
    let rules = RULES.replace("FINGERPRINT", &digest("select * from reports where id=?"));
    let rules = file(&format!("explain-{name}.yml"), rules.as_bytes());
    run(&[&["explain", "--rules", &rules], arguments].concat(), stdin)
}

/// The keys and the values of the last object.
fn verdict(ran: &Ran) -> Value {
    let objects = ran.of_type("verdict");
    assert_eq!(objects.len(), 1, "{}", ran.stderr);
    let keys = ["verdict", "reason", "rule", "count", "limit"];
    keys.into_iter().map(|key| objects[0][key].clone()).collect()
}

/// Whether a rule matches, and the field by which it does not.
fn part(ran: &Ran, rule: &str) -> (Value, Value) {
    let object = ran.of_type("rule").into_iter().find(|object| object["rule"] == rule);
    let object = object.unwrap_or_else(|| panic!("no rule {rule}: {}", ran.stdout));
    (object["matches"].clone(), object["field"].clone())
}

#[test]
fn each_rule_is_named_with_its_key_or_the_field_that_differs() {
    let sql = "SELECT * FROM reports WHERE id = ?";
    let context = ["--user", "dev", "--client", "10.0.0.7", "--param", "42"];
    let ran = explain("text", &[&[sql][..], &context].concat(), b"");
    let normalized = "select * from reports where id=?";
    let (fingerprint, twelve) = (digest(normalized), &digest(normalized)[..12]);
    let expected = format!(
        "\
{normalized}

fingerprint  {fingerprint}
kinds        select
tables       reports
where        present

Rules
matches  threshold:{twelve}: 100 in any 1m, tried; beyond it abort
matches  reports-per-user: a burst of 100, then 20/s; beyond it abort; key user=dev, column:reports.id=42
differs  no-deletes: by `kinds`
differs  endpoint (observed): by `tags`
differs  web: by `on`: it is asked about requests
expired  ended: would match but for its time
matches  off (off): exempt from every other rule
differs  default_threshold: another rule names the statement
differs  2 thresholds of other statements; --all lists them

Verdict of a first check
allow (allowed) by threshold:{twelve}: 1 of 100
"
    );
    assert_eq!(ran.stdout, expected);
    assert_eq!(ran.code, Some(0));
    assert_eq!(ran.stderr, "warning: the rule `ended` has expired at 2020-01-01T00:00:00Z: it matches nothing\n");

    let ran = explain("all", &[sql, "--all"], b"");
    assert!(ran.stdout.contains("\ndiffers  threshold:0123456789ac: by `fingerprints`\n"), "{}", ran.stdout);
    assert!(ran.stdout.contains("\ndiffers  reports-per-user: by `user`\n"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("--all"), "{}", ran.stdout);
}

#[test]
fn json_has_the_keys_that_are_documented() {
    let ran = explain("json", &["--json", "select 1 from reports where id in (7, 8)", "--user", "dev@10.0.0.7"], b"");
    let objects = ran.objects();
    let normalized = "select ? from reports where id in (?)";
    assert_eq!(
        objects[0],
        json!({
            "type": "statement", "normalized": normalized, "fingerprint": digest(normalized), "kinds": ["select"],
            "tables": ["reports"], "where": "present", "never_checked": false,
        })
    );
    assert_eq!(
        objects[1],
        json!({
            "type": "rule", "rule": "reports-per-user", "mode": "enforced", "matches": true, "field": null,
            "keys": ["user=dev@10.0.0.7, column:reports.id=7", "user=dev@10.0.0.7, column:reports.id=8"],
            "terms": "a burst of 100, then 20/s; beyond it abort", "exempted_by": null,
        })
    );
    assert_eq!(
        objects.last().unwrap(),
        &json!({
            "type": "verdict", "verdict": "allow", "reason": "allowed", "rule": "default_threshold", "count": 1,
            "limit": 50, "retry_after_seconds": null, "delay_seconds": null, "custom": null, "observed": null,
            "overflow": false, "unlisted_thresholds": 3,
        })
    );
    assert_eq!(explain("json-all", &["--json", "--all", "select 1"], b"").of_type("rule").len(), 10);
}

/// Others match and yet do nothing: a reader must see why.
#[test]
fn an_exempting_rule_is_named_where_others_match() {
    let rules = "\
default_threshold: 50
rules:
  - {name: blocked, match: {tables: [t]}, limit: {block: true}}
  - {name: seven, match: {columns: {t.id: [7]}}, limit: {unlimited: true}}
  - {name: dba, match: {user: dba}, limit: {unlimited: true}}
  - {name: watched, per: [table], limit: {fixed_window: {max: 1, window: 1m}}, mode: observe}
  - {name: idle, limit: {block: true}, mode: off}
  - {name: seen, match: {user: auditor}, limit: {unlimited: true}, mode: observe}
";
    let rules = file("explain-exempt.yml", rules.as_bytes());
    let explain = |arguments: &[&str]| run(&[&["explain", "--rules", &rules], arguments].concat(), b"");
    let exempted = |arguments: &[&str]| {
        let ran = explain(&[&["--json"], arguments].concat());
        let by = ran.of_type("rule").into_iter().map(|rule| rule["exempted_by"].clone()).collect::<Vec<_>>();
        (Value::from(by), ran.of_type("verdict")[0]["rule"].clone())
    };

    let sql = "select a from t where id = 7";
    // The one that a check names: it asks no constant.
    let by = json!(["dba", "dba", null, "dba", null, null, "dba"]);
    assert_eq!(exempted(&[sql, "--user", "dba"]), (by, json!("dba")));
    let by = json!([null, null, null, null, null, null, null]);
    assert_eq!(exempted(&["select a from t where id = 8", "--user", "auditor"]), (by, json!("blocked")));
    let ran = explain(&[sql]);
    let expected = "\
Rules
matches  blocked: nothing passes; abort
         not asked: seven exempts the statement
matches  seven: exempt from every other rule
differs  dba: by `user`
matches  watched (observed): 1 in each 1m; beyond it abort; key table=t
         not asked: seven exempts the statement
matches  idle (off): nothing passes; abort
differs  seen (observed): by `user`
matches  default_threshold: 50 in any 1m, tried; beyond it abort; key fingerprint=FINGERPRINT
         not asked: seven exempts the statement

Verdict of a first check
allow (exempt) by seven
";
    let expected = expected.replace("FINGERPRINT", &digest("select a from t where id=?"));
    assert!(ran.stdout.ends_with(&expected), "{}", ran.stdout);
}

#[test]
fn rules_that_are_off_or_expired_show_their_keys_too() {
    let rules = "\
rules:
  - {name: live, match: {tables: [none]}, limit: {block: true}}
  - {name: off, per: [table, user], limit: {fixed_window: {max: 1, window: 1m}}, mode: off}
  - {name: ended, per: [table], limit: {fixed_window: {max: 1, window: 1m}}, expires: 2020-01-01T00:00:00Z}
  - {name: other, match: {kinds: [delete]}, limit: {block: true}, expires: 2020-01-01T00:00:00Z}
";
    for mode in ["enforce", "off"] {
        let rules = file(&format!("explain-keys-{mode}.yml"), format!("mode: {mode}\n{rules}").as_bytes());
        let arguments = ["explain", "--rules", &rules, "select 1 from a join s.b on true", "--user", "dev"];
        let ran = run(&arguments, b"");
        for line in [
            "matches  off (off): 1 in each 1m; beyond it abort; keys table=a, user=dev; table=s.b, user=dev\n",
            "expired  ended: would match but for its time; keys table=a; table=s.b\n",
            "differs  other (expired): by `kinds`\n",
        ] {
            assert!(ran.stdout.contains(line), "{mode}: {line}{}", ran.stdout);
        }
        let ran = run(&[&arguments[..], &["--json"]].concat(), b"");
        assert_eq!(part(&ran, "ended"), (json!(false), json!("expires")), "{mode}");
        assert_eq!(part(&ran, "other"), (json!(false), json!("kinds")), "{mode}");
        let keys =
            ran.of_type("rule").into_iter().find(|rule| rule["rule"] == "ended").map(|rule| rule["keys"].clone());
        assert_eq!(keys, Some(json!(["table=a", "table=s.b"])), "{mode}");
    }
}

#[test]
fn the_verdict_is_that_of_a_first_check_with_what_is_said() {
    let delete = "delete from reports";
    let ran = explain("unfaked", &["--json", delete], b"");
    assert_eq!(verdict(&ran), json!(["abort", "ignore_unavailable", "no-deletes", 0, 0]));
    for (faked, expected) in [
        ("rows", json!(["abort", "ignore_unavailable", "no-deletes", 0, 0])),
        ("count", json!(["ignore", "blocked", "no-deletes", 0, 0])),
        ("both", json!(["ignore", "blocked", "no-deletes", 0, 0])),
    ] {
        let ran = explain(&format!("fakes-{faked}"), &["--json", delete, "--fakes", faked], b"");
        assert_eq!(verdict(&ran), expected, "{faked}");
    }
    let ran = explain("weight", &["--json", "select 1", "--weight", "51"], b"");
    assert_eq!(verdict(&ran), json!(["abort", "never", "default_threshold", 51, 50]));
    let ran = explain("observed", &["--json", "select 1", "--tag", "endpoint=report", "--tag", "a="], b"");
    assert_eq!(
        (part(&ran, "endpoint"), &ran.of_type("verdict")[0]["observed"]),
        ((json!(true), json!(null)), &json!("abort"))
    );
    let ran = explain("never", &["BEGIN"], b"");
    assert!(ran.stdout.contains("\nStatements of this kind are never checked, unless a rule names the kind.\n"));
    assert!(ran.stdout.contains("\ndiffers  default_threshold: statements of this kind are never checked\n"));
    assert!(ran.stdout.ends_with("\nallow (not_checked)\n"), "{}", ran.stdout);
}

#[test]
fn parameters_keep_their_order_whichever_option_gives_them() {
    let rules = "rules: [{name: a, match: {columns: {t.b: [-7]}}, limit: {block: true}}]\n";
    let rules = file("explain-params.yml", rules.as_bytes());
    let sql = "select 1 from t where a = ? and b = ?";
    let field = |params: &[&str]| {
        let ran = run(&[&["explain", "--json", "--rules", &rules, sql], params].concat(), b"");
        part(&ran, "a")
    };
    assert_eq!(field(&["--param-null", "--param", "-7"]), (json!(true), json!(null)));
    assert_eq!(field(&["--param", "x", "--param=-7", "--param-null"]), (json!(true), json!(null)));
    assert_eq!(field(&["--param", "-7", "--param-null"]), (json!(false), json!("columns")));
    assert_eq!(field(&[]), (json!(false), json!("columns")));
}

#[test]
fn the_statement_comes_from_the_command_line_a_file_or_standard_input() {
    let sql = b"select \"a\" from t\n";
    let path = file("explain.sql", sql);
    let normalized = |ran: &Ran| ran.objects()[0]["normalized"].clone();
    assert_eq!(normalized(&explain("file", &["--json", "--file", &path], b"")), "select ? from t");
    assert_eq!(normalized(&explain("stdin", &["--json", "-"], sql)), "select ? from t");
    assert_eq!(normalized(&explain("file-stdin", &["--json", "--file", "-"], sql)), "select ? from t");
    let ran = explain("dialect", &["--json", "--dialect", "postgresql", "select \"a\" from t"], b"");
    assert_eq!(normalized(&ran), "select \"a\" from t");
    // Foreign text does not steer the terminal.
    let ran = explain("control", &["select \"a\x1b[2J\" from `t\x1b`", "--dialect", "generic"], b"");
    assert!(!ran.stdout.contains('\x1b'), "{}", ran.stdout);
}

#[test]
fn misuse_is_answered_with_what_would_be_right() {
    for (arguments, told) in [
        (&["select 1", "--tag", "endpoint"][..], "write a name and a value, as in `endpoint=report`"),
        (&["select 1", "--tag", "=report"], "write the tag's name before `=`, as in `endpoint=report`"),
        (&["select 1", "--weight", "0"], "0 is not in 1.."),
        (&["select 1", "--fakes", "all"], "possible values: none, rows, count, both"),
        (&["select 1", "--file", "x.sql"], "cannot be used with"),
        (&[], "required"),
    ] {
        let ran = explain("misuse", arguments, b"");
        assert_eq!(ran.code, Some(2), "{arguments:?}");
        assert!(ran.stderr.contains(told), "{arguments:?}: {}", ran.stderr);
    }
    assert_eq!(run(&["explain", "select 1"], b"").code, Some(2));
    let ran = explain("no-file", &["--file", "no-such.sql"], b"");
    assert_eq!((ran.code, ran.stderr.contains("error: no-such.sql: ")), (Some(1), true), "{}", ran.stderr);
    let ran = run(&["explain", "select 1", "--rules", "no-such.yml"], b"");
    assert_eq!((ran.code, ran.stderr.starts_with("error: no-such.yml: ")), (Some(1), true), "{}", ran.stderr);
}

#[test]
fn shared_limits_and_modes_of_the_file_are_explained_too() {
    let shared = "\
dialect: mysql
cluster: {redis: {url: \"redis://127.0.0.1\"}, namespace: a}
rules: [{name: shared, limit: {fixed_window: {max: 2, window: 90s}}, scope: cluster, on_failure: closed}]
";
    let rules = file("explain-shared.yml", shared.as_bytes());
    let ran = run(&["explain", "select 1", "--rules", &rules], b"");
    assert_eq!((ran.code, ran.stderr.contains("no backend")), (Some(0), true), "{}", ran.stderr);
    assert!(ran.stdout.ends_with("\nallow (allowed) by shared: 1 of 2\n"), "{}", ran.stdout);
    for (mode, told) in [("observe", "allow (allowed) by a; observed rules would abort\n"), ("off", "allow (off)\n")] {
        let rules = format!("mode: {mode}\nrules: [{{name: a, limit: {{block: true}}}}]\n");
        let rules = file(&format!("explain-{mode}.yml"), rules.as_bytes());
        let ran = run(&["explain", "select 1", "--rules", &rules], b"");
        assert!(ran.stdout.ends_with(told), "{}", ran.stdout);
    }
    let rules = file("explain-none.yml", b"dialect: mysql\n");
    let ran = run(&["explain", "select 1", "--rules", &rules], b"");
    assert!(ran.stdout.contains("\nRules\nnone\n\n"), "{}", ran.stdout);
}
