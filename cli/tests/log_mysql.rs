//! MySQL slow logs of every generation, written here, and what is read of them.

mod common;

use common::log::{Read, read, read_as, statement};
use sqlthrottle_cli::log::{Broken, Content, Format, LogReader};

fn sqls(log: &str) -> Vec<String> {
    read(log).entries.into_iter().filter(|entry| entry.content == Content::Statement).map(|entry| entry.sql).collect()
}

#[test]
fn the_oldest_form_has_time_and_user_on_one_line() {
    let log = "\
# Time: 071218 11:48:27 # User@Host: [SQL_SLAVE] @  []
# Thread_id: 10
# Query_time: 0.000012  Lock_time: 0.000000  Rows_sent: 0  Rows_examined: 0
# No InnoDB statistics available for this query
BEGIN;
# User@Host: [SQL_SLAVE] @  []
# Thread_id: 10
# Query_time: 0.726052  Lock_time: 0.000091  Rows_sent: 0  Rows_examined: 62951
use db1;
SET timestamp=1197996507;
update a n
      inner join b using(c)
      set n.d = b.d;
# User@Host: [SQL_SLAVE] @  []
# Query_time: 0.5  Lock_time: 0.000028  Rows_sent: 0  Rows_examined: 0
SET insert_id=34484549,timestamp=1197996508;
INSERT INTO c (d) VALUES ('x');
";
    let Read { entries, totals, .. } = read(log);
    assert_eq!(
        entries,
        [
            statement(1, "2007-12-18 11:48:27", 12, "BEGIN;"),
            statement(
                6,
                "2007-12-18 16:48:27",
                726_052,
                "update a n\n      inner join b using(c)\n      set n.d = b.d;"
            ),
            statement(14, "2007-12-18 16:48:28", 500_000, "INSERT INTO c (d) VALUES ('x');"),
        ]
    );
    assert_eq!((totals.lines, totals.entry_lines, totals.other_lines), (17, 17, 0));
}

#[test]
fn a_local_time_and_a_unix_time_stand_on_one_line_of_time() {
    // The server is five hours behind UTC, which its third entry does not say again.
    let log = "\
# Time: 071218 11:48:27
# User@Host: a[a] @ localhost []
# Query_time: 3  Lock_time: 0  Rows_sent: 0  Rows_examined: 0
SET timestamp=1197996504;
select 1;
# Time: 071218 11:48:30
# User@Host: a[a] @ localhost []
# Query_time: 0  Lock_time: 0  Rows_sent: 0  Rows_examined: 0
select 2;
";
    let times: Vec<_> = read(log).entries.into_iter().map(|entry| entry.at).collect();
    assert_eq!(times, ["2007-12-18 16:48:24", "2007-12-18 16:48:30"]);
}

/// Entries of a server two hours east of UTC: the second of the day, the duration, and the second that `SET timestamp`
/// says, or none.
fn two_hours_east(entries: &[(u64, u64, Option<u64>)]) -> Vec<String> {
    let entry = |(second, took, unix): &(u64, u64, Option<u64>)| {
        let (hour, minute, second) = (second / 3_600 + 2, second / 60 % 60, second % 60);
        let unix = unix.map_or(String::new(), |unix| format!("SET timestamp={};\n", 1_197_936_000 + unix));
        format!(
            "# Time: 071218 {hour:2}:{minute:02}:{second:02}\n# User@Host: a[a] @ localhost []\n\
             # Query_time: {took}  Lock_time: 0  Rows_sent: 0  Rows_examined: 0\n{unix}select 1;\n"
        )
    };
    let log: Vec<String> = entries.iter().map(entry).collect();
    read(&log.concat()).entries.into_iter().map(|entry| entry.at).collect()
}

#[test]
fn the_zone_does_not_depend_on_how_long_the_first_statement_took() {
    // At the beginning, as some versions write it, and at the end, as others do.
    for first in [3_600, 3_600 + 660] {
        let times = two_hours_east(&[(3_600 + 660, 660, Some(first)), (5_000, 0, None), (5_001, 0, Some(5_001))]);
        assert_eq!(times[1..], ["2007-12-18 01:23:20", "2007-12-18 01:23:21"], "{first}");
    }
    // Nine hundred seconds could be a zone as well; the next entry tells.
    let times =
        two_hours_east(&[(900, 900, Some(0)), (1_000, 0, Some(1_000)), (1_900, 900, Some(1_000)), (2_000, 0, None)]);
    assert_eq!(times[3], "2007-12-18 00:33:20");
}

#[test]
fn the_zone_is_learned_again_when_it_changes() {
    // The local clock is put back by an hour between the first and the second.
    let times = two_hours_east(&[(0, 0, Some(0)), (100, 0, Some(3_700)), (200, 0, None)]);
    assert_eq!(times, ["2007-12-18 00:00:00", "2007-12-18 01:01:40", "2007-12-18 01:03:20"]);
}

#[test]
fn the_newest_form_is_read_to_the_microsecond() {
    let log = "\
/usr/sbin/mysqld, Version: 8.0.36 (MySQL Community Server - GPL). started with:
Tcp port: 3306  Unix socket: /var/run/mysqld/mysqld.sock
Time                 Id Command    Argument
# Time: 2020-03-11T20:40:43.123456Z
# User@Host: shop[shop] @ app1 [10.0.0.5]  Id:     5
# Query_time: 0.000150  Lock_time: 0.000002 Rows_sent: 1  Rows_examined: 1
use shop;
SET timestamp=1583959243;
SELECT * FROM users WHERE id = 7;
# Time: 2020-03-11T21:40:44.500000+01:00
# User@Host: shop[shop] @ app1 [10.0.0.5]  Id:     5
# Query_time: 2.000000  Lock_time: 0.000002 Rows_sent: 1  Rows_examined: 1
SET timestamp=1583959242;
SELECT sleep(2);
/usr/sbin/mysqld, Version: 8.0.36 (MySQL Community Server - GPL). started with:
Tcp port: 3306  Unix socket: /var/run/mysqld/mysqld.sock
Time                 Id Command    Argument
# Time: 2020-03-11T20:40:50.000001Z
# User@Host: shop[shop] @ app1 [10.0.0.5]  Id:     6
# Query_time: 0.000150  Lock_time: 0.000002 Rows_sent: 1  Rows_examined: 1
SET timestamp=1583959250;
SELECT 3;
";
    let Read { entries, totals, .. } = read(log);
    assert_eq!(
        entries,
        [
            statement(4, "2020-03-11 20:40:43.123456", 150, "SELECT * FROM users WHERE id = 7;"),
            // The statement began two seconds before it was logged; time does not run backwards.
            statement(10, "2020-03-11 20:40:43.123456", 2_000_000, "SELECT sleep(2);"),
            statement(18, "2020-03-11 20:40:50.000001", 150, "SELECT 3;"),
        ]
    );
    assert_eq!((totals.entry_lines, totals.other_lines, totals.late), (16, 6, 1));
    assert_eq!(totals.latest.as_micros(), 1_123_456);
}

#[test]
fn administrator_commands_are_no_statements() {
    let log = "\
# User@Host: meow[meow] @  [1.2.3.8]
# Thread_id: 5  Schema: db1
# Query_time: 0.000002  Lock_time: 0.000000  Rows_sent: 0  Rows_examined: 0
# administrator command: Quit;
# User@Host: meow[meow] @  [1.2.3.8]
# Thread_id: 6  Schema: db2
# Query_time: 0.000899  Lock_time: 0.000000  Rows_sent: 0  Rows_examined: 0
use db;
SET NAMES utf8;
# User@Host: meow[meow] @  [1.2.3.8]
# Thread_id: 7  Schema: db2
# Query_time: 0.018799  Lock_time: 0.009453  Rows_sent: 0  Rows_examined: 0
use db2;
SET timestamp=1197996508;
# administrator command: Quit;
";
    let entries = read(log).entries;
    let contents: Vec<_> = entries.iter().map(|entry| entry.content).collect();
    assert_eq!(contents, [Content::Administrator, Content::Statement, Content::Administrator]);
    assert_eq!(entries[1].sql, "SET NAMES utf8;");
}

#[test]
fn entries_without_times_follow_one_another() {
    let log = "\
# User: user[user] @ [1.2.3.4]
# Query_time: 2  Lock_time: 0  Rows_sent: 0  Rows_examined: 0
SELECT 1 FROM foo;
# Query_time: 0.5  Lock_time: 0  Rows_sent: 0  Rows_examined: 0
SELECT 2 FROM foo;
# Thread_id: 7  Schema: db2
# Query_time: 0.5  Lock_time: 0  Rows_sent: 0  Rows_examined: 0
SELECT 3 FROM foo;
";
    let Read { entries, totals, .. } = read(log);
    let times: Vec<_> = entries.iter().map(|entry| (entry.line, &*entry.at)).collect();
    assert_eq!(times, [(1, "1970-01-01 00:00:00"), (4, "1970-01-01 00:00:02"), (6, "1970-01-01 00:00:02.500")]);
    assert_eq!(totals.untimed, 3);
}

#[test]
fn comments_in_statements_are_not_headers() {
    let sql = "select a, # Time: none\n# Time: how long it took\n# User@Host: whom?\n# Query_time: ?\n# anything\n  b from t;";
    let log = format!("{HEADER}{sql}\n{HEADER}select 2;\n");
    assert_eq!(sqls(&log), [sql, "select 2;"]);
}

#[test]
fn several_statements_of_an_entry_stay_together() {
    let log = format!("{HEADER}select 1;\nselect ';\n' from t;\nselect 3;\n\n{HEADER}select 4;\n");
    assert_eq!(sqls(&log), ["select 1;\nselect ';\n' from t;\nselect 3;\n", "select 4;"]);
}

#[test]
fn a_statement_without_its_semicolon_does_not_swallow_the_next_entry() {
    let log = format!("{HEADER}select a from\n{HEADER}select 2;\n");
    assert_eq!(sqls(&log), ["select a from", "select 2;"]);
}

#[test]
fn only_what_the_server_writes_before_a_statement_is_taken_off() {
    for sql in
        ["use a; select 1;", "set timestamp=1, b=2;", "set timestamp=now();", "SET @a=1;", "use", "set timestamp=-1;"]
    {
        assert_eq!(sqls(&format!("{HEADER}{sql}\n")), [sql]);
    }
    assert_eq!(sqls(&format!("{HEADER}SET timestamp=1;\nSET timestamp=2;\n")), ["SET timestamp=2;"]);
    let entries = read(&format!("{HEADER}use a;\nSET timestamp=1;\n")).entries;
    assert_eq!(entries[0].content, Content::Empty);
}

#[test]
fn headers_without_a_statement_are_empty_entries() {
    let Read { entries, totals, .. } = read(&format!("{HEADER}{HEADER}select 1;\n{HEADER};\n"));
    let contents: Vec<_> = entries.iter().map(|entry| entry.content).collect();
    assert_eq!(contents, [Content::Empty, Content::Statement, Content::Empty]);
    assert_eq!(totals.entries, 3);
}

#[test]
fn line_feeds_of_windows_are_line_feeds() {
    let log = format!("{HEADER}select a,\n  b;\n{HEADER}select 2;\n").replace('\n', "\r\n");
    assert_eq!(sqls(&log), ["select a,\n  b;", "select 2;"]);
}

#[test]
fn broken_entries_are_named_and_the_rest_is_read() {
    let log = "\
of a statement whose beginning was rotated away;
# Time: 2020-13-45T20:40:43.000000Z
# User@Host: a[a] @ localhost []
# Query_time: 1  Lock_time: 0  Rows_sent: 0  Rows_examined: 0
select 1;
# Time: 2020-03-11T20:40:43.000000Z
# User@Host: a[a] @ localhost []
# Query_time: ?  Lock_time: 0  Rows_sent: 0  Rows_examined: 0
select 2;
# Time: 210230 20:40:43
# User@Host: a[a] @ localhost []
# Query_time: 1  Lock_time: 0  Rows_sent: 0  Rows_examined: 0
select 3;
# Time: 2020-03-11T20:40:43.000000Z
# User@Host: a[a] @ localhost []
# Query_time: 1  Lock_time: 0  Rows_sent: 0  Rows_examined: 0
SET timestamp=99999999999999999999;
select 4;
# Time: 2020-03-11T20:40:43.000000Z
# User@Host: a[a] @ localhost []
# Query_time: 1  Lock_time: 0  Rows_sent: 0  Rows_examined: 0
select 5;
";
    let Read { entries, totals, .. } = read(log);
    let found: Vec<_> = entries.iter().map(|entry| (entry.line, entry.content)).collect();
    assert_eq!(
        found,
        [
            (1, Content::Broken(Broken::NoBeginning)),
            (2, Content::Broken(Broken::ImpossibleTime)),
            (6, Content::Broken(Broken::ImpossibleDuration)),
            (10, Content::Broken(Broken::ImpossibleTime)),
            (14, Content::Broken(Broken::ImpossibleTime)),
            (19, Content::Statement),
        ]
    );
    assert_eq!(totals.entries, 6);
    assert_eq!(totals.entry_lines, 22);
}

#[test]
fn an_entry_beyond_the_limit_is_named_and_skipped() {
    let rows = "(1,'abc'),\n".repeat(100);
    for sql in [rows.clone(), rows.replace('\n', "")] {
        let log = format!("{HEADER}insert into t values {sql}(1,'abc');\n{HEADER}select 2;\n");
        let entries = read_as(Some(Format::MySql), log.as_bytes(), 500).entries;
        let found: Vec<_> = entries.iter().map(|entry| entry.content).collect();
        assert_eq!(found, [Content::Broken(Broken::TooLong), Content::Statement]);
    }
}

const BANNER: &str = "\
/usr/sbin/mysqld, Version: 8.0.36 (MySQL Community Server - GPL). started with:
Tcp port: 3306  Unix socket: /var/run/mysqld/mysqld.sock
Time                 Id Command    Argument
";

#[test]
fn the_general_log_is_refused() {
    for lines in [
        "2024-05-06T12:00:00.123456Z\t    8 Connect\troot@localhost on  using Socket\n",
        "240506 12:00:00\t    8 Query\tselect 1\n\t\t    8 Quit\t\n",
        "\t\t    8 Query\tselect 1",
    ] {
        for (log, format) in
            [(lines.to_owned(), None), (BANNER.to_owned() + lines, None), (lines.to_owned(), Some(Format::MySql))]
        {
            let message = LogReader::new(Box::new(std::io::Cursor::new(log)), format).unwrap_err().to_string();
            assert!(message.contains("MySQL's general log is not read: set slow_query_log = ON"), "{message}");
        }
    }
    let Read { format, entries, totals } = read(BANNER);
    assert_eq!((format, entries.len(), totals.other_lines), (Some(Format::MySql), 0, 3));
}

#[test]
fn the_lines_of_a_cut_statement_do_not_say_what_wrote_the_log() {
    let log = format!("{{\"a\": 1}}\nMay  6 12:00:00 db1 sshd[77]: in a text');\n{HEADER}select 2;\n");
    let found: Vec<_> =
        read_as(Some(Format::MySql), log.as_bytes(), 1_000).entries.iter().map(|entry| entry.content).collect();
    assert_eq!(found, [Content::Broken(Broken::NoBeginning), Content::Statement]);
}

const HEADER: &str = "\
# User@Host: root[root] @ localhost []
# Query_time: 2  Lock_time: 0  Rows_sent: 1  Rows_examined: 0
";
