//! A burst of statements against an embedded SQLite database, first unprotected, then protected by a rule file.
//!
//! `make demo`, or `cargo run --release -p burst [RULES]`. `BURST_SECONDS` is the length of each run: 2 to 20, 10 unless
//! set.

#![forbid(unsafe_code)]

mod database;
mod latency;
mod live;
mod plan;
mod pool;
mod run;
mod statement;
mod table;
mod tally;

use database::{Database, ORDERS};
use latency::show;
use live::Live;
use plan::{Phase, Plan};
use pool::Pool;
use run::{Results, Run};
use sqlthrottle::rule::{Mode, RuleFile};
use sqlthrottle::{Engine, Normalizer};
use statement::{Kind, Random};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// Connections of the pool.
const CONNECTIONS: usize = 4;

fn main() -> ExitCode {
    match demonstrate() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn demonstrate() -> Result<(), Box<dyn Error>> {
    let plan = Plan::new(run_length()?);
    let default = || Path::new(env!("CARGO_MANIFEST_DIR")).join("sqlthrottle.yml");
    let path = std::env::args_os().nth(1).map_or_else(default, PathBuf::from);
    let rules = RuleFile::open(&path)?;
    let text = std::fs::read_to_string(&path)?;

    println!("A shop's database: {ORDERS} orders in SQLite, {CONNECTIONS} connections that all threads share.");
    println!("Innocent clients read and change single orders. Then, for a while, others ask for one expensive report");
    println!("as fast as they are answered, with other constants every time:\n");
    print_fingerprint(&rules);
    println!("\nThe rules, {}:\n", shorten(&path).display());
    text.lines().for_each(|line| println!("{}", format!("    {line}").trim_end()));

    let database = Database::create()?;
    let connections = (0..CONNECTIONS).map(|_| database.connect()).collect::<Result<Vec<_>, _>>()?;
    let pool = Pool::new(connections);
    let seconds = plan.run().as_secs();

    println!(
        "\nRun 1 of 2, {seconds} s: unprotected (the same rules in `mode: observe`: they count and refuse nothing)\n"
    );
    let mut observing = rules.clone();
    observing.mode = Mode::Observe;
    let observed = Engine::new(observing)?;
    let unprotected = Run::go(&observed, &pool, plan, &mut Live::new());
    let would: u64 = observed.snapshot().rules.iter().map(|rule| rule.would_abort + rule.would_delay).sum();
    println!("The rules would have refused or delayed {would} statements.");

    println!("\nRun 2 of 2, {seconds} s: protected\n");
    let protected = Run::go(&Engine::new(rules)?, &pool, plan, &mut Live::new());
    print_first_refusal(&protected);

    println!("\n{}", table::table(&unprotected, &protected));
    for run in [&unprotected, &protected] {
        if let Some(error) = &run.first_error {
            println!("The database's first error: {error}");
        }
    }
    print_conclusion(&unprotected, &protected);
    println!(
        "A threshold counts attempts, so what is aborted stays shut out until its burst ends; `rate` and `strategy: delay`"
    );
    println!("let a part of it through.");
    println!("\nNext: change the rules and run this again; then \"Five minutes\" in README.md, and docs/rules.md.");
    Ok(())
}

/// How long each run lasts.
fn run_length() -> Result<Duration, Box<dyn Error>> {
    let Some(text) = std::env::var_os("BURST_SECONDS") else {
        return Ok(Duration::from_secs(10));
    };
    let seconds = text.to_str().and_then(|text| text.parse().ok()).filter(|seconds| (2..=20).contains(seconds));
    let seconds = seconds.ok_or_else(|| format!("BURST_SECONDS is {}; it is a number from 2 to 20", text.display()))?;
    Ok(Duration::from_secs(seconds))
}

/// Shows where a fingerprint comes from.
fn print_fingerprint(rules: &RuleFile) {
    let report = Kind::Report.statement(&mut Random::new(0));
    let mut normalizer = Normalizer::new(rules.fingerprint);
    let normalized = normalizer.normalize(report.as_bytes());
    println!("    statement     {report}");
    println!("    normalised    {}", normalized.text());
    println!("    fingerprint   {}", normalized.fingerprint());
}

/// Shows what the engine says when it says no.
fn print_first_refusal(run: &Results) {
    let Some(decision) = &run.first_refusal else {
        println!("Nothing was refused.");
        return;
    };
    let rule = decision.rule.as_ref().map_or("no rule", |rule| rule.as_str());
    print!("The first refusal: {} by {rule}, reason {}", decision.verdict, decision.reason);
    print!(", count {}, limit {}", decision.count, decision.limit);
    println!(", retry after {}.", decision.retry_after.map_or_else(|| "never".to_owned(), show));
}

/// Says in a sentence what the table shows.
fn print_conclusion(unprotected: &Results, protected: &Results) {
    let [without, with] = [unprotected, protected].map(|run| table::innocent_latencies(run, Phase::Burst));
    if let (Some(slow), Some(fast)) = (without.percentile(99), with.percentile(99)) {
        println!(
            "\nIn the burst, 99 of 100 innocent statements were answered within {} unprotected, {} protected.",
            show(slow),
            show(fast)
        );
    }
}

/// A path as seen from here, where it is below.
fn shorten(path: &Path) -> &Path {
    std::env::current_dir().ok().and_then(|here| path.strip_prefix(here).ok()).unwrap_or(path)
}
