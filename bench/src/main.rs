//! sqlthrottle beside its peers, in one table.
//!
//! Every row compares a loop of ours with a loop of a peer that does the same work; both run in turns in this process, so
//! that a machine that slows down slows both. A missed target is marked in the table and never fails the run: figures
//! belong to a machine, tests do not.

mod log;
mod measure;
mod peers;
mod rows;
mod samples;
mod table;

use anyhow::{Context, Result, bail, ensure};
use clap::Parser;
use rows::{Case, Work};
use table::{Row, Table};

/// Prints one table: sqlthrottle beside its peers.
#[derive(Debug, Parser)]
#[command(
    version,
    after_help = "Environment: SQLTHROTTLE_BIN is the release binary that replays logs; SQLTHROTTLE_BENCH_LOG a plain \
                  PostgreSQL stderr log to replay in place of the generated one."
)]
struct Arguments {
    /// Only the rows whose name holds this text; may be given several times.
    #[arg(long, value_name = "TEXT")]
    only: Vec<String>,

    /// List the names of the rows and measure nothing.
    #[arg(long)]
    list: bool,

    /// Run our side of one row this many times and measure nothing: something for callgrind or perf to watch.
    #[arg(long, value_name = "TIMES", value_parser = clap::value_parser!(u64).range(1..))]
    repeat: Option<u64>,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let wanted = |case: &Case| arguments.only.is_empty() || arguments.only.iter().any(|text| case.name.contains(text));
    let cases: Vec<&Case> = rows::all().filter(|case| wanted(case)).collect();
    ensure!(!cases.is_empty(), "no row of that name; `--list` names them all");

    if arguments.list {
        for case in cases {
            println!("{}", case.name);
        }
        return Ok(());
    }
    if let Some(times) = arguments.repeat {
        return repeat(&cases, times);
    }

    let mut table = Table::default();
    for case in cases {
        table.push(measure(case).unwrap_or_else(|why| Row::not_measured(case.name, &why)));
    }
    print!("{table}");
    Ok(())
}

fn measure(case: &Case) -> Result<Row> {
    match (case.build)()? {
        Work::Duel(duel) => Ok(duel.fight()),
        Work::Own(row) => row(),
    }
}

fn repeat(cases: &[&Case], times: u64) -> Result<()> {
    let [case] = cases else {
        bail!("`--repeat` runs one row; `--only` names {}", cases.len());
    };
    match (case.build)().with_context(|| case.name)? {
        Work::Duel(mut duel) => {
            // The first run grows the buffers, which is not what one wants to see counted.
            (duel.ours)(1);
            measure::repeat_alone(&mut duel.ours, times);
            Ok(())
        }
        Work::Own(_) => bail!("`{}` is no loop in this process", case.name),
    }
}
