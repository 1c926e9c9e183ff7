//! The database: a table of orders in a temporary file.

use rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

/// Orders in the table.
pub(crate) const ORDERS: u32 = 200_000;

/// How long a writer waits for another: SQLite has one at a time.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// A database that lasts as long as this value.
#[derive(Debug)]
pub(crate) struct Database {
    path: PathBuf,
    _directory: TempDir,
}

impl Database {
    /// Creates the file and fills the table.
    pub(crate) fn create() -> Result<Self, Box<dyn std::error::Error>> {
        let directory = tempfile::tempdir()?;
        let path = directory.path().join("shop.sqlite");
        let connection = open(&path)?;
        // With a write-ahead log readers do not wait for the writer; what they wait for here is a connection.
        connection.execute_batch("pragma journal_mode = wal; begin")?;
        connection.execute_batch(
            "create table orders (id integer primary key, customer integer not null, total integer not null,
             status text not null, note text not null)",
        )?;
        connection.execute(
            "with recursive numbers(n) as (values (1) union all select n + 1 from numbers where n < ?1)
             insert into orders
             select n, n * 7919 % 5000, n * 104729 % 50000, 'open', printf('parcel %d for door %d', n * 7919 % 99991, n % 97)
             from numbers",
            [ORDERS],
        )?;
        connection.execute_batch("commit")?;
        Ok(Self { path, _directory: directory })
    }

    /// Another connection to it.
    pub(crate) fn connect(&self) -> rusqlite::Result<Connection> {
        open(&self.path)
    }
}

fn open(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.pragma_update(None, "synchronous", "normal")?;
    Ok(connection)
}

/// Runs a statement of any kind to its end.
pub(crate) fn execute(connection: &Connection, sql: &str) -> rusqlite::Result<()> {
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query([])?;
    while rows.next()?.is_some() {}
    Ok(())
}
