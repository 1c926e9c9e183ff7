//! Both runs side by side.

use crate::latency::{Latencies, show};
use crate::plan::Phase;
use crate::run::{Results, Sample};
use crate::statement::Kind;
use crate::tally::{Counts, Outcome};
use comfy_table::{CellAlignment, Table, presets};

/// The table of two runs.
pub(crate) fn table(unprotected: &Results, protected: &Results) -> Table {
    let runs = [unprotected, protected];
    let mut table = Table::new();
    table.load_style(presets::UTF8_FULL_CONDENSED);
    table.set_header(["", "unprotected", "protected"]);
    let mut row = |name: String, value: &dyn Fn(&Results) -> String| {
        let [first, second] = runs.map(value);
        table.add_row([name, first, second]);
    };
    for kind in Kind::ALL {
        let name = kind.plural();
        row(format!("{name}: sent"), &|run| counts(run, kind).sent().to_string());
        row("  refused".to_owned(), &|run| counts(run, kind).refused.to_string());
        if runs.iter().any(|run| counts(run, kind).failed > 0) {
            row("  failed in the database".to_owned(), &|run| counts(run, kind).failed.to_string());
        }
    }
    row("reports passed before, in and after the burst".to_owned(), &|run| {
        let passed = [Phase::Before, Phase::Burst, Phase::After].map(|phase| reports_passed(run, phase).to_string());
        passed.join(", ")
    });
    for (title, phase) in [("before", Phase::Before), ("in", Phase::Burst)] {
        row(format!("innocent statements {title} the burst: done a second"), &|run| {
            format!("{:.0}", innocent_rate(run, phase))
        });
        for (name, percent) in [("p50", 50), ("p99", 99), ("max", 100)] {
            row(format!("  latency {name}"), &|run| {
                innocent_latencies(run, phase).percentile(percent).map_or_else(|| "-".to_owned(), show)
            });
        }
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

fn counts(run: &Results, kind: Kind) -> Counts {
    let mut counts = Counts::default();
    for sample in run.samples.iter().filter(|sample| sample.kind == kind) {
        match sample.outcome {
            Outcome::Passed => counts.passed += 1,
            Outcome::Refused => counts.refused += 1,
            Outcome::Failed => counts.failed += 1,
        }
    }
    counts
}

fn reports_passed(run: &Results, phase: Phase) -> usize {
    let passed = |sample: &&Sample| sample.kind == Kind::Report && sample.outcome == Outcome::Passed;
    run.samples.iter().filter(passed).filter(|sample| run.plan.phase(sample.due) == phase).count()
}

/// The innocent statements that the database ran.
fn innocent(run: &Results) -> impl Iterator<Item = &Sample> {
    run.samples.iter().filter(|sample| sample.kind != Kind::Report && sample.outcome == Outcome::Passed)
}

/// Latencies of the innocent statements that were due in a phase.
pub(crate) fn innocent_latencies(run: &Results, phase: Phase) -> Latencies {
    let due = innocent(run).filter(|sample| run.plan.phase(sample.due) == phase);
    Latencies::new(due.map(|sample| sample.latency).collect())
}

/// How many innocent statements were answered in a second of a phase.
fn innocent_rate(run: &Results, phase: Phase) -> f64 {
    let (begin, end) = run.plan.burst();
    let lasted = match phase {
        Phase::Before => begin,
        Phase::Burst => end.saturating_sub(begin),
        Phase::After => run.plan.run().saturating_sub(end),
    };
    let answered = innocent(run).filter(|sample| run.plan.phase(sample.due + sample.latency) == phase);
    answered.count() as f64 / lasted.as_secs_f64()
}
