//! What passes and what is refused, while it happens: a line updated in place on a terminal, a line a second elsewhere.

use crate::statement::Kind;
use crate::tally::Counts;
use std::io::{IsTerminal, Write, stdout};
use std::time::Duration;

/// Shows one run.
#[derive(Debug)]
pub(crate) struct Live {
    terminal: bool,
    last: Duration,
    counts: [Counts; 3],
}

impl Live {
    pub(crate) fn new() -> Self {
        let terminal = stdout().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
        Self { terminal, last: Duration::ZERO, counts: Default::default() }
    }

    /// Writes what stands above the lines.
    pub(crate) fn begin() {
        let _ = writeln!(stdout(), "{HEAD}");
    }

    /// How often there is something new to show.
    pub(crate) fn period(&self) -> Duration {
        Duration::from_millis(if self.terminal { 250 } else { 1000 })
    }

    /// Shows the rates since the last time.
    pub(crate) fn show(&mut self, now: Duration, phase: &str, counts: [Counts; 3]) {
        let seconds = now.saturating_sub(self.last).as_secs_f64().max(1e-3);
        let news: Vec<Counts> = counts.iter().zip(self.counts).map(|(now, then)| now.since(then)).collect();
        let innocent = news[Kind::Select as usize].plus(news[Kind::Write as usize]);
        let line = line(now, phase, innocent, news[Kind::Report as usize], seconds);
        (self.last, self.counts) = (now, counts);
        self.write(&line);
    }

    /// Leaves the line.
    pub(crate) fn end(&self) {
        if self.terminal {
            self.write("");
        }
    }

    /// Nobody may be reading any more; the run goes on, and its results are printed or not.
    fn write(&self, line: &str) {
        let mut out = stdout().lock();
        // Back to the first column, and what stands there erased.
        let _ = if self.terminal { write!(out, "\r\x1b[K{line}") } else { writeln!(out, "{line}") };
        let _ = out.flush();
    }
}

/// Stands above the lines. With them less than 80 columns wide, so that no terminal breaks them.
const HEAD: &str = " a second        innocent passed   refused    reports passed   refused";

fn line(now: Duration, phase: &str, innocent: Counts, reports: Counts, seconds: f64) -> String {
    let rate = |count: u64| (count as f64 / seconds).round();
    let [a, b, c, d] = [innocent.passed, innocent.refused, reports.passed, reports.refused].map(rate);
    format!("{:5.1} s  {phase:<12} {a:>10} {b:>9} {c:>17} {d:>9}", now.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_gives_rates_under_their_heads() {
        let innocent = Counts { passed: 100, refused: 0, failed: 0 };
        let reports = Counts { passed: 12, refused: 1500, failed: 0 };
        let text = line(Duration::from_millis(12_340), "burst", innocent, reports, 0.5);
        assert_eq!(text, " 12.3 s  burst               200         0                24      3000");
        assert_eq!(text.len(), HEAD.len());
    }
}
