//! `Decision`. What it says is made an object of Python when that is asked for: of most decisions only the verdict is.

use crate::answer::Answer;
use crate::names;
use crate::spare::Written;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use sqlthrottle::{Permit, RuleName, Ticket, Verdict};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

/// What a pickled decision consists of, in the order of the parameters of `_restore`.
type Parts = (
    &'static str,
    &'static str,
    Option<&'static str>,
    bool,
    Option<String>,
    Option<String>,
    (u64, u64),
    (Option<Duration>, Option<Duration>),
    (u64, u64),
    Option<String>,
);

/// The answer to a check. It does not change, and is neither true nor false: ask for ``verdict`` or ``allowed``.
///
/// Decisions compare by all that they say, and may be pickled; to be released or resumed they must be the process's own.
#[pyclass(frozen, module = "sqlthrottle", name = "Decision")]
#[derive(Debug)]
pub(crate) struct Decision(pub(crate) Written);

#[pymethods]
impl Decision {
    /// What is to be done with the statement.
    #[getter]
    fn verdict(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        names::verdict(py, self.0.verdict)
    }

    /// Why.
    #[getter]
    fn reason(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        names::reason(py, self.0.reason)
    }

    /// What rules that are only observed would have done; none where they would have let it pass.
    #[getter]
    fn observed(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        self.0.observed.map(|verdict| names::verdict(py, verdict)).transpose()
    }

    /// Whether the verdict is to send it.
    #[getter]
    fn allowed(&self) -> bool {
        self.0.verdict == Verdict::Allow
    }

    /// The hexadecimal digits of the fingerprint; none of a request, and where the statement was not read.
    #[getter]
    fn fingerprint(&self) -> Option<String> {
        self.0.fingerprint.map(|fingerprint| fingerprint.to_string())
    }

    /// The name of the rule that decided; none where no rule matched.
    #[getter]
    fn rule(&self) -> Option<&str> {
        self.0.rule.as_ref().map(RuleName::as_str)
    }

    /// What the limiter of the rule counts: attempts or statements in its window, tokens that are spent, places that are held.
    #[getter]
    fn count(&self) -> u64 {
        self.0.count
    }

    /// The limit that the count is held against; 0 where no rule matched, and of a rule that counts nothing.
    #[getter]
    fn limit(&self) -> u64 {
        self.0.limit
    }

    /// Seconds until a statement of this shape and weight may pass again if none is tried meanwhile.
    ///
    /// None where this one is within the limit, and where no wait is known to help.
    #[getter]
    fn retry_after(&self) -> Option<f64> {
        self.0.retry_after.map(|span| span.as_secs_f64())
    }

    /// Seconds to wait before it is resumed; only where the verdict is to delay.
    #[getter]
    fn delay(&self) -> Option<f64> {
        self.0.delay.map(|span| span.as_secs_f64())
    }

    /// Whether the limiter is the one that keys beyond ``max_keys`` share.
    #[getter]
    fn overflow(&self) -> bool {
        self.0.overflow
    }

    /// The strategy of the host that is to decide, where a rule says ``custom:NAME``: the verdict holds where it is not known.
    #[getter]
    fn custom(&self) -> Option<&str> {
        self.0.custom.as_deref()
    }

    /// Whether the statement holds anything that is to be released.
    #[getter]
    fn has_permit(&self) -> bool {
        self.0.permit.is_some()
    }

    /// Whether the statement waits, and is to be resumed or given up.
    #[getter]
    fn has_ticket(&self) -> bool {
        self.0.ticket.is_some()
    }

    /// There is no telling whether an ignored or a delayed statement were true.
    #[expect(clippy::unused_self, reason = "none of them is")]
    fn __bool__(&self) -> PyResult<bool> {
        Err(pyo3::exceptions::PyTypeError::new_err(
            "a decision is neither true nor false: ask for its verdict, or for allowed",
        ))
    }

    fn __eq__(&self, other: &Self) -> bool {
        *self.0 == *other.0
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.0.hash(&mut hasher);
        hasher.finish()
    }

    fn __repr__(&self) -> String {
        format!("<Decision {}>", *self.0)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let answer = &slf.get().0;
        let parts: Parts = (
            answer.verdict.name(),
            answer.reason.name(),
            answer.observed.map(Verdict::name),
            answer.overflow,
            answer.fingerprint.map(|fingerprint| fingerprint.to_string()),
            answer.rule.as_ref().map(|rule| rule.as_str().to_owned()),
            (answer.count, answer.limit),
            (answer.retry_after, answer.delay),
            (answer.ticket.map_or(0, Ticket::number), answer.permit.map_or(0, Permit::number)),
            answer.custom.as_deref().map(str::to_owned),
        );
        Ok((slf.get_type().getattr("_restore")?, parts.into_pyobject(slf.py())?))
    }

    /// A decision of what a pickled one consists of.
    #[staticmethod]
    #[pyo3(signature = (verdict, reason, observed, overflow, fingerprint, rule, counts, spans, numbers, custom, /))]
    #[expect(clippy::too_many_arguments, reason = "as many as a decision has parts")]
    fn _restore(
        verdict: &str,
        reason: &str,
        observed: Option<&str>,
        overflow: bool,
        fingerprint: Option<&str>,
        rule: Option<&str>,
        counts: (u64, u64),
        spans: (Option<Duration>, Option<Duration>),
        numbers: (u64, u64),
        custom: Option<&str>,
    ) -> PyResult<Self> {
        let unknown = || PyValueError::new_err("a decision of another version of sqlthrottle");
        let verdict_of = |name| names::verdict_of(name).ok_or_else(unknown);
        Ok(Self(Written::from(Answer {
            verdict: verdict_of(verdict)?,
            reason: names::reason_of(reason).ok_or_else(unknown)?,
            observed: observed.map(verdict_of).transpose()?,
            overflow,
            fingerprint: fingerprint.map(str::parse).transpose().map_err(|_| unknown())?,
            rule: rule.map(rule_name),
            count: counts.0,
            limit: counts.1,
            retry_after: spans.0,
            delay: spans.1,
            ticket: Ticket::from_number(numbers.0),
            permit: Permit::from_number(numbers.1),
            custom: custom.map(Into::into),
        })))
    }
}

/// The name of the kind that it had: rules are not called as thresholds are.
fn rule_name(name: &str) -> RuleName {
    match name {
        "default_threshold" => RuleName::DefaultThreshold,
        "provider" => RuleName::Provider,
        name if name.starts_with("threshold:") => RuleName::Threshold(name.into()),
        name => RuleName::Rule(name.into()),
    }
}
