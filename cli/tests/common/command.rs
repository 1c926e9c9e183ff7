//! What the tests of the command share: running it, and files for it.

use serde_json::Value;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// What a run of the command gave.
#[derive(Debug)]
pub struct Ran {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    /// The objects printed, one a line.
    pub fn objects(&self) -> Vec<Value> {
        self.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// The objects of one type.
    pub fn of_type(&self, kind: &str) -> Vec<Value> {
        self.objects().into_iter().filter(|object| object["type"] == kind).collect()
    }
}

/// The command, with standard input, output and error piped.
pub fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sqlthrottle"));
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs the command to its end.
pub fn run(arguments: &[&str], stdin: &[u8]) -> Ran {
    let mut child = command(arguments).spawn().unwrap();
    // A command that fails at once does not read its input.
    let _ = child.stdin.take().unwrap().write_all(stdin);
    let output = child.wait_with_output().unwrap();
    Ran {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// A file of its own for a test; the name must not be used by another.
pub fn file(name: &str, bytes: &[u8]) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, bytes).unwrap();
    path.to_str().unwrap().to_owned()
}

/// A PostgreSQL log: each statement with its time in milliseconds after 12:00.
pub fn postgresql(statements: &[(u64, &str)]) -> String {
    let line = |(millis, sql): &(u64, &str)| {
        let (minute, second, millis) = (millis / 60_000, millis / 1_000 % 60, millis % 1_000);
        format!("2024-05-06 12:{minute:02}:{second:02}.{millis:03} UTC [1] LOG:  duration: 2.5 ms  statement: {sql}\n")
    };
    statements.iter().map(line).collect()
}

/// `count` statements of one shape, `step` milliseconds apart.
pub fn burst(count: u64, step: u64) -> String {
    let sql: Vec<String> = (0..count).map(|i| format!("select a from t where b = {i}")).collect();
    let statements: Vec<_> = sql.iter().zip(0..).map(|(sql, i)| (i * step, sql.as_str())).collect();
    postgresql(&statements)
}

/// A text, compressed by gzip.
pub fn gz(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

/// A text, compressed by bzip2.
pub fn bz2(text: &[u8]) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}
