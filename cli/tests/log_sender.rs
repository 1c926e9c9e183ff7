//! Who sent a statement, as the readers of logs tell it.

use sqlthrottle_cli::log::{Content, LogReader};
use std::io::Cursor;

/// User, client and database of each statement of a log; a dash where one is not said.
fn senders(log: &str) -> Vec<String> {
    let mut reader =
        LogReader::new(Box::new(Cursor::new(log.as_bytes().to_vec())), None).unwrap_or_else(|error| panic!("{error}"));
    let mut senders = Vec::new();
    while let Some(entry) = reader.next_entry() {
        if entry.content == Content::Statement {
            let sender = reader.sender();
            let parts = [sender.user, sender.client, sender.database];
            senders.push(parts.map(|part| part.map_or("-".into(), String::from_utf8_lossy)).join(" "));
        }
    }
    senders
}

/// An entry of a MySQL slow log, `more` between its header and its timestamp.
fn entry(second: u32, header: &str, more: &str) -> String {
    format!(
        "# Time: 2026-03-02T09:30:{second:02}.000000Z\n{header}# Query_time: 0.1  Lock_time: 0 Rows_sent: 1  \
         Rows_examined: 1\n{more}SET timestamp={};\nselect 1;\n",
        1_772_443_800 + second
    )
}

#[test]
fn mysql_says_the_database_where_it_has_changed() {
    const DEV: &str = "# User@Host: app[dev] @ web1 [10.0.0.7]  Id:     5\n";
    const BANNER: &str = "/usr/sbin/mysqld, Version: 8.0.36 (MySQL Community Server - GPL). started with:\n";
    let log = [
        entry(0, DEV, ""),
        entry(1, DEV, "use shop;\n"),
        entry(2, "# User@Host: root[root] @ localhost []\n", ""),
        entry(3, DEV, "use `odd name`;\n"),
        // MariaDB and Percona say it in the header, also that there is none.
        entry(4, &format!("{DEV}# Thread_id: 8  Schema: audit  QC_hit: No\n"), ""),
        entry(5, &format!("{DEV}# Schema:   Last_errno: 0  Killed: 0\n"), ""),
        entry(6, "", ""),
        // A server that is started anew says it anew.
        BANNER.to_owned(),
        entry(7, DEV, ""),
    ]
    .concat();
    let expected = [
        "dev 10.0.0.7 -",
        "dev 10.0.0.7 shop",
        "root localhost shop",
        "dev 10.0.0.7 odd name",
        "dev 10.0.0.7 audit",
        "dev 10.0.0.7 -",
        "- - odd name",
        "dev 10.0.0.7 -",
    ];
    assert_eq!(senders(&log), expected);
}

#[test]
fn the_sender_is_that_of_the_statement_also_where_its_time_needs_the_next_one() {
    // Long silences make the reader look ahead.
    let log = "\
2024-05-06 12:00:00 UTC [1] a@one LOG:  statement: select 1
2024-05-06 13:00:00 UTC [1] user=b,db=two,client=10.0.0.7 LOG:  statement: select 2
2024-05-06 14:00:00 UTC [1] [unknown]@[unknown] LOG:  statement: select 3
2024-05-06 14:00:01 UTC [1] d@four LOG:  statement: select 4
";
    assert_eq!(senders(log), ["a - one", "b 10.0.0.7 two", "- - -", "d - four"]);
}
