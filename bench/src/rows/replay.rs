//! A log through the released command: bytes a second, and the memory it takes at most.

use super::{Case, Work};
use crate::log::{Written, write_pgbench};
use crate::measure::Quartiles;
use crate::table::{Figure, Row};
use anyhow::{Context, Result, ensure};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fmt};
use tempfile::TempDir;
use wait4::Wait4;

pub(super) const CASES: &[Case] = &[
    Case { name: "replay/statements", build: || own(None) },
    Case { name: "replay/rules", build: || own(Some(RULES)) },
];

/// Runs of the command. Odd, so that the median is the time of a run that took place.
const RUNS: usize = 9;

/// Megabytes of plain log a second.
const TARGET: f64 = 150.0;

/// Of each shape's 286 statements a second a part is refused, so that both ways through a limiter are measured.
const RULES: &str = "dialect: postgresql\ndefault_threshold: {max_count: 200, window: 1s}\n";

fn own(rules: Option<&'static str>) -> Result<Work> {
    let binary = env::var_os("SQLTHROTTLE_BIN").context("SQLTHROTTLE_BIN names no binary of `sqlthrottle`")?;
    Ok(Work::Own(Box::new(move || row(&binary, rules))))
}

fn row(binary: &OsString, rules: Option<&str>) -> Result<Row> {
    let directory = TempDir::new()?;
    let log = Log::find(&directory)?;
    let mut command = Command::new(binary);
    command.args(["replay", "--json"]).arg(&log.path);
    if let Some(rules) = rules {
        let path = directory.path().join("rules.yml");
        fs::write(&path, rules)?;
        command.arg("--rules").arg(path);
    }

    let runs = (0..RUNS).map(|_| run(&mut command, &log)).collect::<Result<Vec<_>>>()?;
    let seconds = Quartiles::of(runs.iter().map(|run| run.time.as_secs_f64()).collect()).median;
    let processor = Quartiles::of(runs.iter().map(|run| run.processor.as_secs_f64()).collect()).median;
    let peak = runs.iter().map(|run| run.peak).max().unwrap_or_default();
    Ok(Row {
        case: format!("replay of {log}, {}", if rules.is_some() { "by rules" } else { "top statements" }),
        peer: "",
        ours: format!("{:.0} ms", seconds * 1e3),
        theirs: String::new(),
        reached: Some(Figure::MegabytesPerSecond(log.bytes as f64 / 1e6 / seconds)),
        target: Some(TARGET),
        note: format!("{:.0} ms of processor time; peak RSS at most {:.1} MB", processor * 1e3, peak as f64 / 1e6),
    })
}

/// What is replayed.
#[derive(Debug)]
struct Log {
    path: PathBuf,
    bytes: u64,
    /// How often each shape is there; unknown of a log from outside.
    transactions: Option<u64>,
}

impl Log {
    fn find(directory: &TempDir) -> Result<Self> {
        if let Some(path) = env::var_os("SQLTHROTTLE_BENCH_LOG") {
            return Self::given(PathBuf::from(path));
        }
        let path = directory.path().join("postgresql.log");
        let Written { bytes, transactions } = write_pgbench(&mut BufWriter::new(File::create(&path)?))?;
        Ok(Self { path, bytes, transactions: Some(transactions) })
    }

    fn given(path: PathBuf) -> Result<Self> {
        let open = || -> io::Result<(u64, [u8; 3])> {
            let mut file = File::open(&path)?;
            let mut head = [0; 3];
            file.read_exact(&mut head)?;
            Ok((file.seek(io::SeekFrom::End(0))?, head))
        };
        let (bytes, head) = open().with_context(|| path.display().to_string())?;
        let compressed = head.starts_with(b"\x1f\x8b") || &head == b"BZh";
        ensure!(!compressed, "{} is compressed; the rate is that of plain bytes", path.display());
        Ok(Self { path, bytes, transactions: None })
    }
}

impl fmt::Display for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.transactions {
            Some(_) => "a pgbench log".as_ref(),
            None => self.path.file_name().unwrap_or_default(),
        };
        write!(f, "{}, {:.1} MB", Path::new(name).display(), self.bytes as f64 / 1e6)
    }
}

/// One run of the command.
#[derive(Clone, Copy, Debug)]
struct Run {
    /// From start to end: what a user waits.
    time: Duration,
    /// Of all threads together; unlike `time` it does not grow with what else the machine does.
    processor: Duration,
    /// Bytes. Linux counts what the parent held when it started the child too, so this is a bound from above.
    peak: u64,
}

fn run(command: &mut Command, log: &Log) -> Result<Run> {
    // Files and no pipes: nobody has to read while the command writes.
    let (mut answer, mut errors) = (tempfile::tempfile()?, tempfile::tempfile()?);
    command.stdin(Stdio::null()).stdout(answer.try_clone()?).stderr(errors.try_clone()?);
    let start = Instant::now();
    let child = command.spawn().with_context(|| format!("cannot start {}", command.get_program().display()))?;
    let used = child.wait4()?;
    let time = start.elapsed();
    let (answer, errors) = (text(&mut answer)?, text(&mut errors)?);
    ensure!(used.status.success(), "`sqlthrottle replay`: {}: {:.300}", used.status, errors.trim());
    ensure!(
        accounts_for(&answer, log),
        "the answer of the replay does not account for the log: `{:.300}`",
        answer.trim()
    );
    Ok(Run { time, processor: used.rusage.utime + used.rusage.stime, peak: used.rusage.maxrss })
}

fn text(file: &mut File) -> io::Result<String> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Whether the answer looks like one about this log: a command that skips what it should read is fast.
fn accounts_for(answer: &str, log: &Log) -> bool {
    match log.transactions {
        None => !answer.trim().is_empty(),
        Some(transactions) => {
            answer.contains("pgbench_history")
                && answer.split(|char: char| !char.is_ascii_digit()).any(|number| number == transactions.to_string())
        }
    }
}
