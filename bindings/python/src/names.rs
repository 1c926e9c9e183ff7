//! Members of the enumerations of `sqlthrottle._names`, by what the engine says.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use sqlthrottle::{Dialect, Fakes, Reason, Verdict};

const MODULE: &str = "sqlthrottle._names";

/// The members of an enumeration in the order of the engine's.
struct Members<const N: usize> {
    class: &'static str,
    cell: PyOnceLock<[Py<PyAny>; N]>,
}

static VERDICTS: Members<6> = Members { class: "Verdict", cell: PyOnceLock::new() };
static REASONS: Members<14> = Members { class: "Reason", cell: PyOnceLock::new() };

const ALL_VERDICTS: [Verdict; 6] =
    [Verdict::Allow, Verdict::Abort, Verdict::Ignore, Verdict::Delay, Verdict::RefillNeeded, Verdict::ThresholdNeeded];

const ALL_REASONS: [Reason; 14] = [
    Reason::Allowed,
    Reason::Exempt,
    Reason::NotChecked,
    Reason::PassedOver,
    Reason::OverLimit,
    Reason::Blocked,
    Reason::MaxDelayed,
    Reason::MaxDelay,
    Reason::IgnoreUnavailable,
    Reason::Never,
    Reason::ClusterDown,
    Reason::GuardError,
    Reason::Undecided,
    Reason::Off,
];

impl<const N: usize> Members<N> {
    /// The member at a place, by the names of all.
    fn get(&self, py: Python<'_>, place: usize, names: [&'static str; N]) -> PyResult<Py<PyAny>> {
        let members = self.cell.get_or_try_init(py, || {
            let class = py.import(MODULE)?.getattr(self.class)?;
            let mut members = Vec::with_capacity(N);
            for name in names {
                members.push(class.call1((name,))?.unbind());
            }
            members.try_into().map_err(|_| pyo3::exceptions::PyAssertionError::new_err("as many members as names"))
        })?;
        Ok(members[place].clone_ref(py))
    }
}

/// The member of a verdict. One that this module does not know is not to be sent.
pub(crate) fn verdict(py: Python<'_>, verdict: Verdict) -> PyResult<Py<PyAny>> {
    let place = ALL_VERDICTS.iter().position(|known| *known == verdict).unwrap_or(1);
    VERDICTS.get(py, place, ALL_VERDICTS.map(Verdict::name))
}

pub(crate) fn reason(py: Python<'_>, reason: Reason) -> PyResult<Py<PyAny>> {
    let place = ALL_REASONS.iter().position(|known| *known == reason).unwrap_or(12);
    REASONS.get(py, place, ALL_REASONS.map(Reason::name))
}

pub(crate) fn verdict_of(name: &str) -> Option<Verdict> {
    ALL_VERDICTS.into_iter().find(|known| known.name() == name)
}

pub(crate) fn reason_of(name: &str) -> Option<Reason> {
    ALL_REASONS.into_iter().find(|known| known.name() == name)
}

/// What can be faked, by its name.
pub(crate) fn fakes(py: Python<'_>, name: &str) -> PyResult<Fakes> {
    Ok(match name {
        "none" => Fakes::None,
        "rows" => Fakes::Rows,
        "count" => Fakes::Count,
        "rows_and_count" => Fakes::RowsAndCount,
        other => {
            let message = format!("there are no fakes {other:?}; there are none, rows, count and rows_and_count");
            return Err(crate::error::value(py, message));
        }
    })
}

pub(crate) fn fakes_name(fakes: Fakes) -> &'static str {
    match (fakes.rows(), fakes.count()) {
        (false, false) => "none",
        (true, false) => "rows",
        (false, true) => "count",
        (true, true) => "rows_and_count",
    }
}

pub(crate) fn dialect(py: Python<'_>, name: &str) -> PyResult<Dialect> {
    name.parse().map_err(|unknown| crate::error::value(py, unknown))
}
