//! PostgreSQL stderr logs, written here, and what is read of them.

mod common;

use common::log::{Read, read, read_as, statement};
use sqlthrottle_cli::log::{Broken, Content, Format, LogReader};
use std::time::Duration;

#[test]
fn statements_are_told_from_what_else_is_logged() {
    let log = "\
2020-03-11 20:40:43 CET::@:[12760]:LOG:  starting PostgreSQL 12.2 on x86_64-pc-linux-gnu, compiled by gcc, 64-bit
2020-03-11 20:40:43 CET::@:[12761]:LOG:  database system was shut down at 2020-03-11 20:40:23 CET
2020-03-11 20:40:44 CET:[local]:postgres@template1:[12774]:LOG:  duration: 0.027 ms  statement: 
2020-03-11 20:40:50 CET:192.168.1.201(50906):a@b:[12795]:FATAL:  no pg_hba.conf entry for host \"192.168.1.201\"
2020-03-11 20:41:42 CET:[local]:postgres@postgres:[12835]:LOG:  duration: 0.860 ms  statement: SELECT 'LOG:  duration: 5 ms  statement: x';
2020-03-11 20:41:42 CET:[local]:postgres@postgres:[12835]:LOG:  duration: 1.5 ms  statement: SELECT a,
\t\tb -- the second tab is the client's
\t
\tFROM t;
2020-03-11 20:41:43 CET:[local]:a@b:[1]:ERROR:  relation \"u\" does not exist at character 15
2020-03-11 20:41:43 CET:[local]:a@b:[1]:STATEMENT:  SELECT a
\tFROM u;
2020-03-11 20:41:44 CET:[local]:a@b:[1]:LOG:  statement: COMMIT
";
    let Read { entries, totals, format } = read(log);
    assert_eq!(format, Some(Format::PostgreSql));
    assert_eq!(entries.len(), 4);
    assert_eq!((entries[0].content, entries[0].line), (Content::Empty, 3));
    assert_eq!(
        entries[1..3],
        [
            statement(5, "2020-03-11 20:41:42", 860, "SELECT 'LOG:  duration: 5 ms  statement: x';"),
            statement(6, "2020-03-11 20:41:42", 1_500, "SELECT a,\n\tb -- the second tab is the client's\n\nFROM t;"),
        ]
    );
    assert_eq!((&*entries[3].sql, entries[3].query_time), ("COMMIT", None));
    assert_eq!((totals.lines, totals.entry_lines, totals.other_lines), (13, 7, 6));
}

#[test]
fn the_extended_protocol_executes_once() {
    let log = "\
2020-03-11 20:40:43.100 UTC [1] a@b LOG:  duration: 0.1 ms  parse S_1: select $1
2020-03-11 20:40:43.101 UTC [1] a@b LOG:  duration: 0.1 ms  bind S_1: select $1
2020-03-11 20:40:43.101 UTC [1] a@b DETAIL:  parameters: $1 = '7'
2020-03-11 20:40:43.102 UTC [1] a@b LOG:  duration: 0.2 ms  execute S_1: select $1
2020-03-11 20:40:43.102 UTC [1] a@b DETAIL:  parameters: $1 = '7'
2020-03-11 20:40:43.103 UTC [1] a@b LOG:  execute <unnamed>: select $1 || ': '
2020-03-11 20:40:43.103 UTC [1] a@b LOG:  duration: 0.3 ms
2020-03-11 20:40:43.104 UTC [1] a@b LOG:  duration: 0.4 ms  execute fetch from S_1/C_2: select $1
\t, 2
2020-03-11 20:40:43.105 UTC [1] a@b LOG:  duration: 0.4 ms  plan:
\tQuery Text: select 1
2020-03-11 20:40:43.106 UTC [1] a@b LOG:  duration: 0.4 ms  execute S_1/C_2: select 3
";
    let Read { entries, totals, .. } = read(log);
    let found: Vec<_> = entries.iter().map(|entry| (entry.line, entry.content, &*entry.sql)).collect();
    assert_eq!(
        found,
        [
            (4, Content::Statement, "select $1"),
            (6, Content::Statement, "select $1 || ': '"),
            (8, Content::Fetch, ""),
            (12, Content::Statement, "select 3"),
        ]
    );
    assert_eq!(entries[0].query_time, Some(Duration::from_micros(200)));
    assert_eq!((totals.entry_lines, totals.other_lines), (5, 7));
}

#[test]
fn the_time_is_found_in_any_prefix() {
    for (prefix, time) in [
        ("2017-09-06 08:41:41 UTC [36]: [121-1] user=a,db=b,app=c,client=172.23.0.1 ", "2017-09-06 08:41:41"),
        ("user=a 2017-09-06 08:41:41.250 CEST ", "2017-09-06 08:41:41.250"),
        ("[1-1] 10.2.3.4 2017-09-06 08:41:41 -03 x ", "2017-09-06 11:41:41"),
        ("1504687301.123 [77] ", "2017-09-06 08:41:41.123"),
        ("[77] app: 1504687301.123:", "2017-09-06 08:41:41.123"),
        ("[77]: ", "1970-01-01 00:00:00"),
        ("", "1970-01-01 00:00:00"),
    ] {
        let entries = read(&format!("{prefix}LOG:  duration: 1 ms  statement: select 1\n")).entries;
        assert_eq!(entries, [statement(1, time, 1_000, "select 1")], "{prefix}");
    }
}

#[test]
fn a_prefix_may_change_on_the_way() {
    let log = "\
2020-03-11 20:40:43 UTC [1] LOG:  statement: select 1
[1] 2020-03-11 20:40:44 UTC LOG:  statement: select 2
2020-03-11 20:40:45 UTC [1] LOG:  statement: select 3
";
    let times: Vec<_> = read(log).entries.into_iter().map(|entry| entry.at).collect();
    assert_eq!(times, ["2020-03-11 20:40:43", "2020-03-11 20:40:44", "2020-03-11 20:40:45"]);
}

#[test]
fn broken_entries_are_named_and_the_rest_is_read() {
    let log = "\
\tFROM a_statement_whose_beginning_was_rotated_away
\tWHERE b;
2020-03-11 20:40:43 CET:[1]:LOG:  duration: 1 ms  statement: select 1
2020-13-45 20:40:43 CET:[1]:LOG:  duration: 1 ms  statement: select 2
\tfrom t
2020-02-30 20:40:43 CET:[1]:LOG:  duration: 1 ms  statement: select 3
2020-03-11 20:40:43 CET:[1]:LOG:  duration: ? ms  statement: select 4
2020-03-11 20:40:43 CET:[1]:LO
rsync: a line of another program, 2020-03-11 20:40:43
2020-13-45 20:40:43 CET:[1]:ERROR:  no entry, so nothing is lost
2020-03-11 20:40:44 CET:[1]:LOG:  duration: 1 ms  statement: select 5
";
    let Read { entries, totals, .. } = read(log);
    let found: Vec<_> = entries.iter().map(|entry| (entry.line, entry.content)).collect();
    assert_eq!(
        found,
        [
            (1, Content::Broken(Broken::NoBeginning)),
            (3, Content::Statement),
            (4, Content::Broken(Broken::ImpossibleTime)),
            (6, Content::Broken(Broken::ImpossibleTime)),
            (7, Content::Broken(Broken::ImpossibleDuration)),
            (8, Content::Broken(Broken::NoSeverity)),
            (11, Content::Statement),
        ]
    );
    assert_eq!(totals.other_lines, 2);
}

#[test]
fn an_entry_beyond_the_limit_is_named_and_skipped() {
    let prefix = "2020-03-11 20:40:43 CET:[1]:LOG:  duration: 1 ms  statement: ";
    for long in ["x".repeat(400), "xxx\n\t".repeat(100)] {
        let log = format!("{prefix}select {long}\n{prefix}select 2\n");
        let found: Vec<_> = read_as(None, log.as_bytes(), 300).entries.iter().map(|entry| entry.content).collect();
        assert_eq!(found, [Content::Broken(Broken::TooLong), Content::Statement]);
    }
}

#[test]
fn logs_that_divide_statements_at_their_lines_are_refused() {
    let syslog = "\
May  6 12:00:00 db1 postgres[77]: [3-1] 2024-05-06 12:00:00 UTC LOG:  duration: 1 ms  statement: select a
May  6 12:00:00 db1 postgres[77]: [3-2] #011from t
";
    let container = "\
2024-05-06T12:00:00.123456789Z stderr F 2024-05-06 12:00:00 UTC [77] LOG:  duration: 1 ms  statement: select a
2024-05-06T12:00:00.123456789Z stderr F \tfrom t
";
    let docker = "{\"log\":\"2024-05-06 12:00:00 UTC [77] LOG:  statement: select a\\n\",\"stream\":\"stderr\"}\n";
    for (log, hint) in [
        (
            syslog,
            "it looks like syslog output, which divides statements at their lines: set log_destination = 'stderr'",
        ),
        (container, "container's runtime"),
        (docker, "JSON"),
    ] {
        for format in [None, Some(Format::PostgreSql)] {
            let message = LogReader::new(Box::new(log.as_bytes()), format).unwrap_err().to_string();
            assert!(message.contains(hint), "{message}");
        }
    }
}

#[test]
fn an_empty_log_is_a_log_and_other_texts_are_not() {
    let open = |text: &'static str| LogReader::new(Box::new(text.as_bytes()), None);
    assert_eq!(open("").unwrap().format(), None);
    for (text, hint) in [
        ("hello\nworld\n", "give --format"),
        ("{\"timestamp\":\"2020-03-11 20:40:43.100 CET\"}\n", "JSON"),
        ("2020-03-11 20:40:43.100 CET,\"a\",\"b\",1,\"[local]\",5e,1,\"SELECT\",,,0,LOG,00000,\"x\"\n", "CSV"),
    ] {
        let message = open(text).unwrap_err().to_string();
        assert!(message.contains(hint), "{message}");
    }
}
