//! A PostgreSQL log as a pgbench run leaves it.

use crate::samples::Random;
use std::fmt;
use std::io::{self, Write};

/// The wanted length, in bytes: 20 MB.
const LENGTH: u64 = 20_000_000;

/// Connections of the run: their transactions interleave in the log.
const CLIENTS: usize = 4;

/// Statements between two checkpoints, each of which leaves a line that is no statement.
const CHECKPOINT: u64 = 10_000;

/// What was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Written {
    /// Bytes of the log.
    pub(crate) bytes: u64,
    /// Transactions in it, each with one statement of every shape.
    pub(crate) transactions: u64,
}

/// Writes a log of about [`LENGTH`] bytes: whole transactions of pgbench's default script by [`CLIENTS`] connections.
pub(crate) fn write_pgbench(out: &mut impl Write) -> io::Result<Written> {
    let mut random = Random::default();
    let mut clients: [Client; CLIENTS] = std::array::from_fn(|number| Client::new(number as u64));
    let mut written = Written { bytes: 0, transactions: 0 };
    let mut line = Vec::new();
    let mut statements = 0;
    // The last transactions are brought to their end, so that every shape is there equally often.
    while written.bytes < LENGTH || clients.iter().any(Client::is_busy) {
        let client = &mut clients[random.below(CLIENTS as u64) as usize];
        if written.bytes >= LENGTH && !client.is_busy() {
            continue;
        }
        line.clear();
        let now = Moment { statements };
        client.statement(&mut line, now, &mut random)?;
        written.transactions += u64::from(!client.is_busy());
        statements += 1;
        if statements % CHECKPOINT == 0 {
            writeln!(line, "{now}::@:[12762]:LOG:  checkpoint starting: time")?;
        }
        out.write_all(&line)?;
        written.bytes += line.len() as u64;
    }
    out.flush()?;
    Ok(written)
}

/// A connection in the middle of its transaction.
#[derive(Debug)]
struct Client {
    port: u64,
    process: u64,
    step: Step,
    /// The account and the amount of the transaction.
    account: u64,
    delta: i64,
}

/// The statement that comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Begin,
    Account,
    Balance,
    Teller,
    Branch,
    History,
    End,
}

impl Client {
    const fn new(number: u64) -> Self {
        Self { port: 50_916 + 2 * number, process: 14_386 + number, step: Step::Begin, account: 0, delta: 0 }
    }

    fn is_busy(&self) -> bool {
        self.step != Step::Begin
    }

    /// Writes the line of the next statement.
    fn statement(&mut self, out: &mut Vec<u8>, now: Moment, random: &mut Random) -> io::Result<()> {
        let &mut Self { port, process, .. } = self;
        let micros = 8 + random.below(1800);
        write!(
            out,
            "{now}:192.168.1.20({port}):app@bench:[{process}]:LOG:  duration: {}.{:03} ms  statement: ",
            micros / 1000,
            micros % 1000
        )?;
        if self.step == Step::Begin {
            self.account = 1 + random.below(100_000);
            self.delta = random.below(10_001).cast_signed() - 5000;
        }
        let &mut Self { account, delta, .. } = self;
        let teller = 1 + random.below(10);
        self.step = match self.step {
            Step::Begin => {
                writeln!(out, "BEGIN;")?;
                Step::Account
            }
            Step::Account => {
                writeln!(out, "UPDATE pgbench_accounts SET abalance = abalance + {delta} WHERE aid = {account};")?;
                Step::Balance
            }
            Step::Balance => {
                writeln!(out, "SELECT abalance FROM pgbench_accounts WHERE aid = {account};")?;
                Step::Teller
            }
            Step::Teller => {
                writeln!(out, "UPDATE pgbench_tellers SET tbalance = tbalance + {delta} WHERE tid = {teller};")?;
                Step::Branch
            }
            Step::Branch => {
                writeln!(out, "UPDATE pgbench_branches SET bbalance = bbalance + {delta} WHERE bid = 1;")?;
                Step::History
            }
            Step::History => {
                writeln!(
                    out,
                    "INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) \
                     VALUES ({teller}, 1, {account}, {delta}, CURRENT_TIMESTAMP);"
                )?;
                Step::End
            }
            Step::End => {
                writeln!(out, "END;")?;
                Step::Begin
            }
        };
        Ok(())
    }
}

/// The time of a line: 2,000 statements a second.
#[derive(Clone, Copy, Debug)]
struct Moment {
    statements: u64,
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let second = 20 * 3600 + 40 * 60 + 44 + self.statements / 2000;
        write!(f, "2020-03-11 {:02}:{:02}:{:02} CET", second / 3600 % 24, second / 60 % 60, second % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_statement_of_the_script_is_there_equally_often() {
        let mut log = Vec::new();
        let written = write_pgbench(&mut log).unwrap();
        assert_eq!(written.bytes, log.len() as u64);
        assert!((LENGTH..LENGTH + 10_000).contains(&written.bytes));
        let log = String::from_utf8(log).unwrap();
        for statement in [
            "BEGIN;",
            "UPDATE pgbench_accounts",
            "SELECT abalance",
            "UPDATE pgbench_tellers",
            "UPDATE pgbench_branches",
            "INSERT INTO pgbench_history",
            "END;",
        ] {
            let count = log.matches(&format!(" ms  statement: {statement}")).count();
            assert_eq!(count as u64, written.transactions, "{statement}");
        }
        assert!(log.starts_with("2020-03-11 20:40:44 CET:192.168.1.20("));
    }
}
