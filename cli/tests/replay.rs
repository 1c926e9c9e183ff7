//! `sqlthrottle replay`, run as a user runs it.

mod common;

use common::command::{burst, bz2, file, gz, postgresql, run};
use serde_json::{Value, json};
use sqlthrottle::HashKind;
use std::io::Write as _;

/// Replays a log from standard input against rules; the one rule's object and the one statement's.
fn throttle(name: &str, rules: &str, log: &str) -> (Value, Value) {
    let rules = file(&format!("{name}.yml"), rules.as_bytes());
    let ran = run(&["replay", "--json", "--rules", &rules, "-"], log.as_bytes());
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let (rules, statements) = (ran.of_type("rule"), ran.of_type("statement"));
    assert_eq!((rules.len(), statements.len()), (1, 1));
    (rules[0].clone(), statements[0].clone())
}

fn counts(object: &Value) -> Value {
    let keys = ["matched", "passed", "passed_over", "aborted", "ignored", "delayed"];
    keys.into_iter().map(|key| object[key].clone()).collect()
}

#[test]
fn what_is_over_the_threshold_is_aborted_from_a_moment_that_is_named() {
    let rules = "dialect: postgresql\ndefault_threshold: {max_count: 3, window: 10s}\n";
    let (rule, statement) = throttle("abort", rules, &burst(10, 50));
    for object in [rule, statement] {
        assert_eq!(counts(&object), json!([10, 3, 0, 7, 0, 0]));
        assert_eq!(object["first_refusal"], "2024-05-06T12:00:00.150000Z");
        assert_eq!((&object["peak_per_second"], &object["peak_per_second_after"]), (&json!(10), &json!(3)));
    }
}

#[test]
fn time_is_the_logs_own() {
    // A statement every four seconds never has more than three in ten seconds, however fast it is replayed.
    let rules = "dialect: postgresql\ndefault_threshold: {max_count: 4, window: 10s}\n";
    let (rule, _) = throttle("slow", rules, &burst(100, 4_000));
    assert_eq!(counts(&rule), json!([100, 100, 0, 0, 0, 0]));
    assert_eq!(rule["first_refusal"], Value::Null);
}

#[test]
fn a_share_passes_over_the_rest() {
    let rules = "dialect: postgresql\ndefault_threshold: {max_count: 2, window: 10s, rate: 1/2}\n";
    let (rule, _) = throttle("share", rules, &burst(12, 10));
    assert_eq!(counts(&rule), json!([12, 2, 5, 5, 0, 0]));
    assert_eq!(rule["peak_per_second_after"], 7);
}

#[test]
fn ignored_statements_can_be_faked() {
    let rules = "dialect: postgresql\ndefault_threshold: {max_count: 2, window: 10s, strategy: ignore}\n";
    let (rule, _) = throttle("ignore", rules, &burst(5, 10));
    assert_eq!(counts(&rule), json!([5, 2, 0, 0, 3, 0]));
}

#[test]
fn delayed_statements_pass_at_a_later_time() {
    let rules = "dialect: postgresql\ndefault_threshold: {max_count: 2, window: 10s, strategy: delay, delay: 3s}\n";
    let (rule, statement) = throttle("delay", rules, &burst(5, 10));
    for object in [rule, statement] {
        assert_eq!(counts(&object), json!([5, 5, 0, 0, 0, 3]));
        assert_eq!(object["first_refusal"], "2024-05-06T12:00:00.020000Z");
        // Two at once, three when their wait is over.
        assert_eq!((&object["peak_per_second"], &object["peak_per_second_after"]), (&json!(5), &json!(3)));
    }
}

#[test]
fn waits_end_at_their_time_and_not_at_the_end_of_the_log() {
    // A minute later the ticket would have lapsed.
    let rules = "dialect: postgresql\ndefault_threshold: {max_count: 2, window: 10s, strategy: delay, delay: 3s}\n";
    let log = burst(3, 10) + &postgresql(&[(60_000, "select a from t where b = 4")]);
    let (rule, _) = throttle("waits", rules, &log);
    assert_eq!(counts(&rule), json!([4, 4, 0, 0, 0, 1]));
}

#[test]
fn waiting_statements_that_are_too_many_are_aborted() {
    let rules = "dialect: postgresql\n\
                 default_threshold: {max_count: 2, window: 10s, strategy: delay, delay: 3s, max_delayed: 4}\n";
    let (rule, _) = throttle("max_delayed", rules, &burst(10, 10));
    assert_eq!(counts(&rule), json!([10, 6, 0, 4, 0, 4]));
}

#[test]
fn rules_are_shown_as_if_enforced_whatever_their_mode() {
    // Eight are over the limit; four may wait, and pass in the end. Observed, none would have to.
    let rules = "dialect: postgresql\n\
                 default_threshold: {max_count: 2, window: 10s, strategy: delay, delay: 3s, max_delayed: 4}\n";
    let (rule, _) = throttle("enforced", rules, &burst(10, 10));
    assert_eq!(counts(&rule), json!([10, 6, 0, 4, 0, 4]));
    for mode in ["observe", "off"] {
        let rules = format!("mode: {mode}\n{rules}");
        assert_eq!(throttle(mode, &rules, &burst(10, 10)).0, rule, "{mode}");
        let path = file(&format!("head-{mode}.yml"), rules.as_bytes());
        let ran = run(&["replay", "--rules", &path, "-"], burst(10, 10).as_bytes());
        assert!(ran.stdout.starts_with(&format!("mode {mode}: shown as if enforced\n")), "{}", ran.stdout);
        assert!(ran.stdout.contains("10 entries = 10 checked + 0 not checked + 0 broken\n"), "{}", ran.stdout);
        let ran = run(&["replay", "--json", "--rules", &path, "-"], burst(10, 10).as_bytes());
        let summary = &ran.of_type("summary")[0];
        let account = ["mode", "statements", "checked", "never_checked"].map(|key| summary[key].clone());
        assert_eq!(json!(account), json!([mode, 10, 10, 0]));
    }
}

#[test]
fn a_rule_that_nothing_matches_is_listed_too() {
    let rules = format!("dialect: postgresql\nthresholds:\n  \"{}\": 100\n", "0123456789ab".repeat(5) + "abcd");
    let (rule, statement) = throttle("idle", &rules, &burst(3, 50));
    assert_eq!(counts(&rule), json!([0, 0, 0, 0, 0, 0]));
    assert_eq!(counts(&statement), json!([0, 3, 0, 0, 0, 0]));
}

#[test]
fn a_threshold_that_nothing_matches_is_warned_of() {
    let idle = |name: &str, thresholds: &str| {
        let path =
            file(name, format!("dialect: postgresql\ndefault_threshold: 9\nthresholds: {{{thresholds}}}\n").as_bytes());
        run(&["replay", "--rules", &path, "-"], burst(3, 50).as_bytes()).stderr
    };
    assert_eq!(
        idle("one-idle.yml", "aaaaaaaaaaaa: 1"),
        "warning: threshold:aaaaaaaaaaaa matched no statement of the logs: compare its digits, `dialect` and `fingerprint` \
         with those of `sqlthrottle replay` without --rules\n"
    );
    let hit = HashKind::Sha256.digest(b"select a from t where b=?");
    assert_eq!(idle("hit.yml", &format!("'{hit}': 1")), "");
    let many: Vec<String> = (0..25).map(|i| format!("{i:012x}: 1")).collect();
    let told = idle("many-idle.yml", &many.join(", "));
    assert_eq!(told.lines().count(), 21);
    assert!(told.ends_with("warning: nor did 5 more thresholds; the list of rules has them all\n"), "{told}");
}

#[test]
fn without_rules_the_busiest_statements_are_listed() {
    let log = postgresql(&[
        (0, "select 1 from often"),
        (100, "select 2 from often"),
        (2_000, "select 3 from often"),
        (2_100, "insert into seldom values (1)"),
        (3_000, ""),
    ]) + "2024-05-06 12:00:09 UTC [1] LOG:  duration: 900 ms  statement: delete from slow\n\
          2024-05-06 12:00:09 UTC [1] ERROR:  x\n";
    let ran = run(&["replay", "--json", "-"], log.as_bytes());
    let listed: Vec<_> = ran
        .of_type("statement")
        .iter()
        .map(|object| (object["normalized"].clone(), object["count"].clone(), object["peak_per_second"].clone()))
        .collect();
    assert_eq!(listed[0], (json!("select ? from often"), json!(3), json!(2)));
    assert_eq!(listed.len(), 3);
    let summary = &ran.of_type("summary")[0];
    for (key, value) in [("entries", 6), ("statements", 5), ("empty", 1), ("broken", 0)] {
        assert_eq!(summary[key], value, "{key}");
    }
    // Without rules nothing is checked.
    assert_eq!((&summary["checked"], &summary["never_checked"]), (&Value::Null, &Value::Null));
    let log_object = &ran.of_type("log")[0];
    assert_eq!((&log_object["lines"], &log_object["other_lines"]), (&json!(7), &json!(1)));

    let ran = run(&["replay", "--top", "1", "-"], log.as_bytes());
    let of = |title: &str| ran.stdout.split_once(title).unwrap().1.lines().nth(1).unwrap().to_owned();
    assert!(of("by count\n").ends_with("select ? from often"), "{}", ran.stdout);
    assert!(of("by total time\n").ends_with("delete from slow"), "{}", ran.stdout);
    assert!(
        ran.stdout.contains("\n6 entries = 5 statements + 1 without a statement (empty 1) + 0 broken\n"),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.contains("\n7 lines = 6 in entries + 1 outside\n"), "{}", ran.stdout);
    assert!(!ran.stdout.contains('\u{1b}'), "colour without a terminal");
}

#[test]
fn kinds_that_are_never_checked_are_accounted_for() {
    let log = postgresql(&[(0, "BEGIN;"), (1, "select 1"), (2, "COMMIT"), (3, ""), (4, "set a = 1")]);
    let rules = file("kinds.yml", b"dialect: postgresql\ndefault_threshold: {max_count: 1, window: 10s}\n");
    let ran = run(&["replay", "--rules", &rules, "-"], log.as_bytes());
    let account = "5 entries = 1 checked + 4 not checked (never checked kinds 3, empty 1) + 0 broken\n";
    assert!(ran.stdout.contains(account), "{}", ran.stdout);
}

#[test]
fn fingerprints_of_a_survey_are_those_of_the_rule_file_to_be() {
    let log = postgresql(&[(0, "select a from orders_0042 where b in (3, 1, 3)")]);
    let options = ["--in-lists", "distinct", "--fold-digits", "--hash", "md5"];
    let ran = run(&[&["replay", "--json"][..], &options, &["-"]].concat(), log.as_bytes());
    let statement = &ran.of_type("statement")[0];
    assert_eq!(statement["normalized"], "select a from orders_N where b in (?,?)");
    let rules = format!(
        "dialect: postgresql\nfingerprint: {{hash: md5, in_lists: distinct, fold_digits: true}}\n\
         thresholds: {{{}: 1}}\n",
        statement["fingerprint"]
    );
    let (rule, _) = throttle("md5", &rules, &log);
    assert_eq!(counts(&rule), json!([1, 1, 0, 0, 0, 0]));
    // A rule file says all that, and two masters are one too many.
    let path = file("masters.yml", rules.as_bytes());
    for option in [&options[..2], &options[2..3], &options[3..]] {
        let ran = run(&[&["replay", "--rules", &path][..], option, &["-"]].concat(), log.as_bytes());
        assert_eq!(ran.code, Some(2), "{option:?}");
    }
}

#[test]
fn one_log_is_read_twice_only_where_it_can_be() {
    let ran = run(&["replay", "-", "-"], burst(3, 10).as_bytes());
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("standard input can be read only once"), "{}", ran.stderr);
    let path = file("twice.log", burst(3, 10).as_bytes());
    let again = path.replace("twice.log", "./twice.log");
    let ran = run(&["replay", &path, &again], b"");
    assert_eq!(ran.code, Some(0));
    assert!(ran.stderr.contains("twice.log is given more than once"), "{}", ran.stderr);
    assert!(ran.stdout.contains("6 entries = 6 statements"), "{}", ran.stdout);
}

#[test]
fn compression_is_found_out_whatever_the_name() {
    let log = burst(50, 20);
    let plain = run(&["replay", "--json", "-"], log.as_bytes());
    for (name, bytes) in
        [("plain.gz", log.clone().into_bytes()), ("gz.log", gz(log.as_bytes())), ("bz2", bz2(log.as_bytes()))]
    {
        let path = file(name, &bytes);
        let ran = run(&["replay", "--json", &path], b"");
        assert_eq!(ran.of_type("statement"), plain.of_type("statement"), "{name}");
        assert_eq!(ran.of_type("summary"), plain.of_type("summary"), "{name}");
    }
}

#[test]
fn a_truncated_log_is_read_as_far_as_it_goes_and_fails() {
    let log = burst(20_000, 20);
    let whole = gz(log.as_bytes());
    let path = file("truncated.gz", &whole[..whole.len() / 2]);
    let ran = run(&["replay", "--json", &path], b"");
    assert_eq!(ran.code, Some(1));
    let log = &ran.of_type("log")[0];
    let line = log["fault"]["line"].as_u64().unwrap();
    assert_eq!(log["fault"]["message"], "the compressed data ends early");
    assert!(ran.stderr.contains(&format!("truncated.gz:{line}: the compressed data ends early")), "{}", ran.stderr);
    let summary = &ran.of_type("summary")[0];
    assert!(summary["statements"].as_u64().unwrap() > 1_000);
    assert_eq!(summary["statements"].as_u64().unwrap() + summary["broken"].as_u64().unwrap(), line);
}

#[test]
fn a_log_of_which_nothing_can_be_read_has_no_report() {
    let log = burst(50, 20);
    for (name, bytes) in [("at-once.gz", gz(log.as_bytes())), ("at-once.bz2", bz2(log.as_bytes()))] {
        let path = file(name, &bytes[..12]);
        for more in [&[][..], &["--json"], &["--format", "postgresql"]] {
            let ran = run(&[&["replay", &path][..], more].concat(), b"");
            assert_eq!((ran.code, &*ran.stdout), (Some(1), ""), "{name}");
            assert_eq!(ran.stderr, format!("error: {path}: the compressed data ends early\n"));
        }
    }
    // A few bytes of the first line are no log either, and why there are no more is said.
    let stored = |text: &[u8]| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    };
    let path = file("first-line.gz", &stored(log.as_bytes())[..30]);
    let ran = run(&["replay", &path], b"");
    assert_eq!((ran.code, &*ran.stdout), (Some(1), ""));
    assert!(ran.stderr.contains("only its beginning could be read: the compressed data ends early"), "{}", ran.stderr);
}

#[test]
fn broken_entries_are_named_and_never_fatal() {
    let broken = "2020-02-30 20:40:43 CET LOG:  statement: select 1\n";
    let log = burst(2, 10) + &broken.repeat(25) + &burst(1, 10);
    let path = file("broken.log", log.as_bytes());
    let ran = run(&["replay", &path], b"");
    assert_eq!(ran.code, Some(0));
    let named: Vec<_> = ran.stdout.lines().filter(|line| line.contains("no such day")).collect();
    assert_eq!(named.len(), 20);
    assert_eq!(named[0], format!("{path}:3: there is no such day or hour"));
    assert!(ran.stdout.contains("and 5 more"));
    assert!(ran.stdout.contains("28 entries = 3 statements + 0 without a statement + 25 broken"), "{}", ran.stdout);
    let ran = run(&["replay", "--json", &path], b"");
    assert_eq!(ran.of_type("broken").len(), 25);
    assert_eq!(ran.of_type("broken")[24]["line"], 27);
}

#[test]
fn several_logs_are_merged_by_time() {
    // Two servers, each with a statement every 100 ms; named in the wrong order they would be 20 seconds of silence.
    let statements: Vec<_> = (0..200).map(|i| (i * 100, "select 1")).collect();
    let early = file("early.log", postgresql(&statements[..100]).as_bytes());
    let late = file("late.log", postgresql(&statements[100..]).as_bytes());
    let both = file("both.log", postgresql(&statements).as_bytes());
    let rules = file("merge.yml", b"dialect: postgresql\ndefault_threshold: {max_count: 150, window: 60s}\n");
    let ran = run(&["replay", "--json", "--rules", &rules, &late, &early], b"");
    assert_eq!(ran.of_type("rule")[0]["first_refusal"], "2024-05-06T12:00:15.000000Z");
    let ran = run(&["replay", "--json", "--rules", &rules, &both, &both], b"");
    assert_eq!(ran.of_type("rule")[0]["first_refusal"], "2024-05-06T12:00:07.500000Z");
    assert_eq!(ran.of_type("rule")[0]["peak_per_second"], 20);
    assert!(ran.of_type("log").iter().all(|log| log["late"] == 0));
}

#[test]
fn mysql_logs_are_read_in_their_dialect() {
    let log = "\
# User@Host: a[a] @ localhost []
# Query_time: 1.5  Lock_time: 0  Rows_sent: 0  Rows_examined: 0
SET timestamp=1583959243;
select \"it's\" from `t`;
# User@Host: a[a] @ localhost []
# Query_time: 1.5  Lock_time: 0  Rows_sent: 0  Rows_examined: 0
# administrator command: Quit;
";
    let ran = run(&["replay", "--json", "-"], log.as_bytes());
    let statement = &ran.of_type("statement")[0];
    assert_eq!((&statement["normalized"], &statement["total_seconds"]), (&json!("select ? from `t`"), &json!(1.5)));
    assert_eq!(ran.of_type("summary")[0]["administrator"], 1);
    let ran = run(&["replay", "--json", "--dialect", "postgresql", "-"], log.as_bytes());
    assert_eq!(ran.of_type("statement")[0]["normalized"], "select \"it's\" from `t`");
}

#[test]
fn the_rule_files_dialect_is_kept_with_a_warning() {
    let rules = file("dialect.yml", b"dialect: mysql\ndefault_threshold: {max_count: 1, window: 10s}\n");
    let ran = run(&["replay", "--rules", &rules, "-"], burst(1, 1).as_bytes());
    assert!(ran.stderr.contains("read as mysql, because the rule file says so\n"), "{}", ran.stderr);
    let silent = file("no-dialect-said.yml", b"default_threshold: {max_count: 1, window: 10s}\n");
    let ran = run(&["replay", "--rules", &silent, "-"], burst(1, 1).as_bytes());
    let why = "read as generic, because the rule file names no other dialect; write `dialect: postgresql` in it\n";
    assert!(ran.stderr.ends_with(why), "{}", ran.stderr);
    let ran = run(&["replay", "--rules", &rules, "--dialect", "postgresql", "-"], burst(1, 1).as_bytes());
    assert_eq!(ran.stderr, "");
}

#[test]
fn what_is_no_log_is_refused() {
    let csv = "2024-05-06 12:00:00 UTC,\"a\",\"b\",1,,,,,,,LOG,00000,\"statement: select 1\"\n";
    let ran = run(&["replay", "-"], csv.as_bytes());
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.contains("CSV log"), "{}", ran.stderr);
    let ran = run(&["replay", "--format", "postgresql", "-"], csv.as_bytes());
    assert_eq!(ran.code, Some(0));
    assert!(ran.stdout.contains("<stdin>:1: a time but no severity"), "{}", ran.stdout);
    let ran = run(&["replay", "-"], b"2024-05-06 12:00:00 UTC [1] LOG:  checkpoint starting: time\n");
    assert_eq!(ran.code, Some(0));
    assert!(ran.stderr.contains("no statement found, lines: 1"), "{}", ran.stderr);
    let ran = run(&["replay", "--format", "mysql", "-"], b"\x01\x02 no log\nat all\n");
    assert_eq!(ran.code, Some(0));
    assert!(ran.stderr.contains("not one entry could be read, of 1; is it a slow log of MySQL?"), "{}", ran.stderr);
    let ran = run(&["replay", "no-such.log"], b"");
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.contains("no-such.log: "), "{}", ran.stderr);
    let ran = run(&["replay", "-"], b"");
    assert_eq!(ran.code, Some(0));
    // No heading stands above nothing.
    let account = "0 entries = 0 statements + 0 without a statement + 0 broken\n0 lines = 0 in entries + 0 outside\n";
    assert_eq!((&*ran.stdout, &*ran.stderr), (account, "warning: no statement in <stdin>: it is empty\n"));
}

/// A PostgreSQL log of one shape, each line with the time given.
fn at(times: impl IntoIterator<Item = String>) -> String {
    let line = |time: String| time + " [1] LOG:  statement: select a from t where b = 1\n";
    times.into_iter().map(line).collect()
}

#[test]
fn the_clock_change_of_autumn_is_no_burst() {
    // A statement a minute, for seventy minutes.
    let summer = (50..60).map(|minute| format!("2024-10-27 02:{minute:02}:00 CEST"));
    let winter = (0..60).map(|minute| format!("2024-10-27 02:{minute:02}:00 CET"));
    let rules = file("autumn.yml", b"dialect: postgresql\ndefault_threshold: {max_count: 10, window: 1m}\n");
    let ran = run(&["replay", "--json", "--rules", &rules, "-"], at(summer.chain(winter)).as_bytes());
    assert_eq!(counts(&ran.of_type("rule")[0]), json!([70, 70, 0, 0, 0, 0]));
    let log = &ran.of_type("log")[0];
    assert_eq!((&log["steps"], &log["astray"], &log["late"]), (&json!(1), &json!(0), &json!(0)));
    assert!(ran.stderr.contains("the log's clock was set: 1"), "{}", ran.stderr);
    // Which hour of UTC that was, the log does not say.
    assert_eq!(ran.of_type("summary")[0]["first"], "2024-10-27T02:50:00.000000");
}

#[test]
fn one_entry_of_a_wrong_year_moves_no_other() {
    let times = (0..60).map(|minute| match minute {
        20 => "9999-12-31 23:59:59 UTC".to_owned(),
        40 => "1971-01-01 00:00:00 UTC".to_owned(),
        _ => format!("2024-05-06 12:{minute:02}:00 UTC"),
    });
    let rules = file("year.yml", b"dialect: postgresql\ndefault_threshold: {max_count: 10, window: 1m}\n");
    let ran = run(&["replay", "--json", "--rules", &rules, "-"], at(times).as_bytes());
    assert_eq!(counts(&ran.of_type("rule")[0]), json!([60, 60, 0, 0, 0, 0]));
    let log = &ran.of_type("log")[0];
    assert_eq!((&log["steps"], &log["astray"], &log["late"]), (&json!(0), &json!(2), &json!(0)));
    let summary = &ran.of_type("summary")[0];
    let span = (&summary["first"], &summary["last"]);
    assert_eq!(span, (&json!("2024-05-06T12:00:00.000000Z"), &json!("2024-05-06T12:59:00.000000Z")));
    assert!(ran.stderr.contains("that their neighbours do not share: 2"), "{}", ran.stderr);
}
