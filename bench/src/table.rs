//! The table that a run prints.

use crate::measure::Quartiles;
use comfy_table::{CellAlignment, Table as Layout, presets};
use std::fmt;

/// One line of the table.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// What is measured.
    pub(crate) case: String,
    /// What it is measured against; empty where it stands alone.
    pub(crate) peer: &'static str,
    /// The raw figure of ours.
    pub(crate) ours: String,
    /// The raw figure of the peer's.
    pub(crate) theirs: String,
    /// What the target speaks of; none where the row could not be measured.
    pub(crate) reached: Option<Figure>,
    /// The least that `reached` should be, in its unit; none where the row only informs.
    pub(crate) target: Option<f64>,
    /// What the columns cannot say; printed under the table.
    pub(crate) note: String,
}

/// What a row reached.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Figure {
    /// So many times faster than the peer.
    Times(Quartiles),
    /// The peer's work is a part of ours; its share of our time, of 1.
    Share(Quartiles),
    /// Megabytes (1,000,000 bytes) a second.
    MegabytesPerSecond(f64),
}

impl Figure {
    fn value(self) -> f64 {
        match self {
            Self::Times(quartiles) | Self::Share(quartiles) => quartiles.median,
            Self::MegabytesPerSecond(rate) => rate,
        }
    }

    fn target(self, least: f64) -> String {
        match self {
            Self::Times(_) => format!("≥ {least:.1} ×"),
            Self::Share(_) => format!("≥ {:.0} %", least * 100.0),
            Self::MegabytesPerSecond(_) => format!("≥ {least:.0} MB/s"),
        }
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Times(Quartiles { low, median, high }) => write!(f, "{median:.2} × ({low:.2} to {high:.2})"),
            Self::Share(Quartiles { low, median, high }) => {
                write!(f, "{:.0} % ({:.0} to {:.0})", median * 100.0, low * 100.0, high * 100.0)
            }
            Self::MegabytesPerSecond(rate) => write!(f, "{rate:.0} MB/s"),
        }
    }
}

impl Row {
    /// The row of a case that could not be run, with the reason.
    pub(crate) fn not_measured(case: &str, why: &anyhow::Error) -> Self {
        Self {
            case: case.to_owned(),
            peer: "",
            ours: String::new(),
            theirs: String::new(),
            reached: None,
            target: None,
            note: format!("{why:#}"),
        }
    }

    fn verdict(&self) -> Verdict {
        match (self.reached, self.target) {
            (None, _) => Verdict::NotMeasured,
            (Some(_), None) => Verdict::Informs,
            (Some(reached), Some(target)) if reached.value() >= target => Verdict::Pass,
            _ => Verdict::Miss,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Pass,
    Miss,
    Informs,
    NotMeasured,
}

impl Verdict {
    const fn mark(self) -> &'static str {
        match self {
            Self::Pass => "✓ pass",
            Self::Miss => "✗ MISS",
            Self::Informs => "",
            Self::NotMeasured => "NOT MEASURED",
        }
    }
}

/// Every row of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    rows: Vec<Row>,
}

impl Table {
    /// Adds a row at the end.
    pub(crate) fn push(&mut self, row: Row) {
        self.rows.push(row);
    }

    fn count(&self, verdict: Verdict) -> usize {
        self.rows.iter().filter(|row| row.verdict() == verdict).count()
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut layout = Layout::new();
        layout.load_style(presets::ASCII_MARKDOWN);
        layout.set_header(["case", "peer", "ours", "peer's", "reached (middle half)", "target", ""]);
        for row in &self.rows {
            layout.add_row([
                row.case.clone(),
                row.peer.to_owned(),
                row.ours.clone(),
                row.theirs.clone(),
                row.reached.map_or_else(String::new, |figure| figure.to_string()),
                row.reached.zip(row.target).map_or_else(String::new, |(figure, least)| figure.target(least)),
                row.verdict().mark().to_owned(),
            ]);
        }
        for right in [2, 3, 4, 5] {
            if let Some(column) = layout.column_mut(right) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        writeln!(f, "{layout}\n")?;
        for row in self.rows.iter().filter(|row| !row.note.is_empty()) {
            writeln!(f, "{}: {}", row.case, row.note)?;
        }
        writeln!(
            f,
            "{} targets met, {} missed; {} rows not measured. Medians; both sides run in turns.",
            self.count(Verdict::Pass),
            self.count(Verdict::Miss),
            self.count(Verdict::NotMeasured),
        )
    }
}

/// Nanoseconds for people: `1,234 ns`, and a digit after the point where there are few.
pub(crate) fn nanoseconds(ns: f64) -> String {
    if ns < 100.0 {
        return format!("{ns:.1} ns");
    }
    let mut digits = format!("{ns:.0}");
    let mut end = digits.len();
    while end > 3 {
        end -= 3;
        digits.insert(end, ',');
    }
    digits + " ns"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nanoseconds_are_grouped() {
        assert_eq!(nanoseconds(7.25), "7.2 ns");
        assert_eq!(nanoseconds(999.4), "999 ns");
        assert_eq!(nanoseconds(1000.0), "1,000 ns");
        assert_eq!(nanoseconds(1_234_567.8), "1,234,568 ns");
    }

    #[test]
    fn a_row_passes_from_its_target_up() {
        let row = |reached, target| Row {
            reached: Some(Figure::MegabytesPerSecond(reached)),
            target,
            ..Row::not_measured("case", &anyhow::anyhow!(""))
        };
        assert_eq!(row(150.0, Some(150.0)).verdict(), Verdict::Pass);
        assert_eq!(row(149.9, Some(150.0)).verdict(), Verdict::Miss);
        assert_eq!(row(1.0, None).verdict(), Verdict::Informs);
    }

    #[test]
    fn a_row_without_a_figure_says_so() {
        let mut table = Table::default();
        table.push(Row::not_measured("replay", &anyhow::anyhow!("no binary")));
        let text = table.to_string();
        assert!(text.contains("NOT MEASURED") && text.contains("no binary"), "{text}");
        assert!(text.contains("1 rows not measured"), "{text}");
    }
}
