//! What holds for any bytes: readers end, panic never, and account for every line and entry.

mod common;

use common::log::read_as;
use proptest::prelude::*;
use sqlthrottle_cli::log::{Content, Format};

/// Pieces of logs, so that random texts reach every state of the readers.
const PIECES: &[&str] = &[
    "# Time: 071218 11:48:27",
    "# Time: 2020-03-11T20:40:43.123456Z",
    "# Time: 2020-13-45T20:40:43Z",
    "# Time: ",
    "# User@Host: a[a] @ localhost []",
    "# User: a",
    "# Thread_id: 5 Schema: b",
    "# Query_time: 1.5  Lock_time: 0",
    "# Query_time: x",
    "# administrator command: Quit;",
    "use a;",
    "SET timestamp=1197996507;",
    "select 1;",
    "select 'a",
    "; ",
    "mysqld, Version: 8 (x). started with:",
    "Tcp port: 3306",
    "Time                 Id Command    Argument",
    "2020-03-11 20:40:43 CET:[1]:LOG:  duration: 0.027 ms  statement: select 1",
    "LOG:  statement:",
    "2020-02-30 20:40:43 CET LOG:  execute a: b",
    "1583955644.123 ERROR:  x",
    "\t",
    "\tfrom t",
    "2020-03-11 20:40:43 CET",
    "LOG:  duration: 1 ms  execute fetch from a: b",
    "LOG:  duration: x ms  bind a: b",
    "DETAIL:  parameters: $1 = '1'",
    "\r",
    "\0",
    "\u{e9}",
    ":  ",
    "LOG:  ",
    "9",
    "-",
    " ",
    "",
];

fn log() -> impl Strategy<Value = Vec<u8>> {
    let line =
        prop::collection::vec(prop::sample::select(PIECES), 0..3).prop_map(|pieces| pieces.concat().into_bytes());
    let noise = prop::collection::vec(any::<u8>(), 0..20);
    let part = prop_oneof![8 => line, 1 => noise];
    (prop::collection::vec(part, 0..30), any::<bool>()).prop_map(|(lines, ended)| {
        let mut log = lines.join(&b'\n');
        if ended {
            log.push(b'\n');
        }
        log
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn every_line_and_entry_of_any_bytes_is_accounted_for(log in log(), longest in 0_usize..200) {
        for format in [Format::MySql, Format::PostgreSql] {
            for entry in read_as(Some(format), &log, longest).entries {
                prop_assert!(entry.content != Content::Statement || !entry.sql.is_empty());
            }
        }
    }

    #[test]
    fn entries_do_not_depend_on_how_lines_end(log in log()) {
        // A carriage return within a line is not the end of one.
        let unix: Vec<u8> = log.into_iter().filter(|byte| *byte != b'\r').collect();
        let windows: Vec<u8> =
            unix.iter().flat_map(|byte| if *byte == b'\n' { vec![b'\r', b'\n'] } else { vec![*byte] }).collect();
        for format in [Format::MySql, Format::PostgreSql] {
            prop_assert_eq!(
                read_as(Some(format), &unix, 10_000).entries,
                read_as(Some(format), &windows, 10_000).entries
            );
        }
    }
}
