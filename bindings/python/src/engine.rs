//! `Engine`: what `Throttle` is a subclass of.

use crate::check::Asks;
use crate::clock::ManualClock;
use crate::decision::Decision;
use crate::guard::{counted, guarded};
use crate::spare::Spare;
use crate::statement::{Arguments, weight};
use crate::text::{string, text};
use crate::{error, names, seconds, threshold};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use sqlthrottle::{Builder, Fakes, LoadError, Normalizer, RuleFile};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU8, Ordering};

/// Nothing was checked in this process yet.
const FRESH: u8 = 0;
const CHECKED: u8 = 1;
const CLOSED: u8 = 2;

/// What a throttle is made of.
#[pyclass(frozen, subclass, weakref, module = "sqlthrottle._native", name = "Engine")]
#[derive(Debug)]
#[expect(clippy::struct_field_names, reason = "it is the engine itself")]
pub(crate) struct Engine {
    pub(crate) engine: sqlthrottle::Engine,
    state: AtomicU8,
    pub(crate) spare: Spare,
}

impl Engine {
    /// The engine, to be checked by.
    #[inline]
    pub(crate) fn ready<'a>(slf: &'a Bound<'_, Self>) -> PyResult<&'a sqlthrottle::Engine> {
        let this = slf.get();
        if this.state.load(Ordering::Relaxed) != CHECKED {
            Self::start(slf)?;
        }
        Ok(&this.engine)
    }

    #[cold]
    fn start(slf: &Bound<'_, Self>) -> PyResult<()> {
        let state = &slf.get().state;
        match state.compare_exchange(FRESH, CHECKED, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => slf.call_method0("_start").map(drop),
            Err(CLOSED) => Err(error::closed(slf.py())),
            Err(_) => Ok(()),
        }
    }

    /// The engine, for anything but a check.
    fn open(&self, py: Python<'_>) -> PyResult<&sqlthrottle::Engine> {
        if self.state.load(Ordering::Relaxed) == CLOSED {
            return Err(error::closed(py));
        }
        Ok(&self.engine)
    }

    /// Does something with the engine that may take its time.
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        act: impl FnOnce(&sqlthrottle::Engine) -> Result<T, LoadError> + Send,
    ) -> PyResult<T> {
        let engine = self.open(py)?;
        py.detach(|| counted(engine, || act(engine)))
            .map_err(|panicked| error::panicked(py, panicked))?
            .map_err(|refused| error::refused(py, &refused))
    }

    fn normalizer(&self, py: Python<'_>, name: Option<&str>) -> PyResult<Normalizer> {
        let mut normalizer = Normalizer::new(self.engine.fingerprint_options());
        if let Some(name) = name {
            normalizer.set_dialect(names::dialect(py, name)?);
        }
        Ok(normalizer)
    }
}

#[pymethods]
impl Engine {
    /// The source is the path of a file, or the text of rules.
    #[new]
    #[pyo3(signature = (source, is_path, asks_provider, clock, /))]
    fn new(
        py: Python<'_>,
        source: &Bound<'_, PyAny>,
        is_path: bool,
        asks_provider: bool,
        clock: Option<&Bound<'_, ManualClock>>,
    ) -> PyResult<Self> {
        let source = Source::read(source, is_path)?;
        let clock = clock.map(|clock| clock.get().0.clone());
        let opened = py.detach(|| {
            guarded(|| {
                let mut builder = match source {
                    Source::Path(path) => Builder::open(path)?,
                    Source::Rules(rules) => sqlthrottle::Engine::builder(RuleFile::parse(rules)?),
                };
                if let Some(clock) = clock {
                    builder = builder.clock(clock);
                }
                builder.asks_provider(asks_provider).build()
            })
        });
        let engine = opened
            .map_err(|panicked| error::panicked(py, panicked))?
            .map_err(|refused| error::refused(py, &refused))?;
        Ok(Self { engine, state: AtomicU8::new(FRESH), spare: Spare::default() })
    }

    /// Decides on a statement. It does not wait, and what is allowed is to be given to ``release`` once it has ended.
    ///
    /// :param user: who sends it, and ``client`` from which address, and ``database`` to which; else as ``context`` says.
    /// :param tags: what else rules match and count by, such as an endpoint or a tenant.
    /// :param params: bound parameters in the order of their places, for rules that look at columns.
    /// :param dialect: a ``Dialect``, where it differs from that of the rules.
    /// :param weight: how many executions it stands for.
    /// :param fakes: what the caller can stand in for, as ``Fakes``; nothing, unless it is said.
    /// :raises ThrottleClosedError: the throttle is closed.
    #[pyo3(signature = (sql, *, user=None, client=None, database=None, tags=None, params=None, dialect=None, weight=1, fakes=None))]
    // Spelt out, as a call of the interpreter's that brings keywords along in a dictionary takes longer.
    #[expect(clippy::too_many_arguments, reason = "as many as a statement has parts")]
    fn check<'py>(
        slf: &Bound<'py, Self>,
        sql: &Bound<'py, PyAny>,
        user: Option<Bound<'py, PyAny>>,
        client: Option<Bound<'py, PyAny>>,
        database: Option<Bound<'py, PyAny>>,
        tags: Option<Bound<'py, PyAny>>,
        params: Option<Bound<'py, PyAny>>,
        dialect: Option<&str>,
        #[pyo3(from_py_with = weight)] weight: u32,
        fakes: Option<&str>,
    ) -> PyResult<Bound<'py, Decision>> {
        let dialect = dialect.map(|name| names::dialect(slf.py(), name)).transpose()?;
        let fakes = fakes.map_or(Ok(Fakes::None), |name| names::fakes(slf.py(), name))?;
        let arguments = Arguments { user, client, database, tags, params, dialect, weight, fakes };
        Self::decide(slf, sql, &arguments, Asks::Settled)
    }

    /// As ``check``, but where more is to be asked for that may block, the verdict says so.
    #[pyo3(signature = (sql, **said))]
    fn _check_unsettled<'py>(
        slf: &Bound<'py, Self>,
        sql: &Bound<'py, PyAny>,
        said: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, Decision>> {
        Self::decide(slf, sql, &Arguments::read("check", said)?, Asks::Unsettled)
    }

    /// Decides on a request, by the rules that say ``on: request``: for gateways and web filters.
    #[pyo3(signature = (*, user=None, client=None, database=None, tags=None))]
    fn check_request<'py>(
        slf: &Bound<'py, Self>,
        user: Option<Bound<'py, PyAny>>,
        client: Option<Bound<'py, PyAny>>,
        database: Option<Bound<'py, PyAny>>,
        tags: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, Decision>> {
        Self::request(slf, &Arguments { user, client, database, tags, ..Arguments::default() }, Asks::Settled)
    }

    /// As ``check_request``, but where more is to be asked for that may block, the verdict says so.
    #[pyo3(signature = (*, user=None, client=None, database=None, tags=None))]
    fn _check_request_unsettled<'py>(
        slf: &Bound<'py, Self>,
        user: Option<Bound<'py, PyAny>>,
        client: Option<Bound<'py, PyAny>>,
        database: Option<Bound<'py, PyAny>>,
        tags: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, Decision>> {
        Self::request(slf, &Arguments { user, client, database, tags, ..Arguments::default() }, Asks::Unsettled)
    }

    /// Decides on a statement whose wait is over. It may be refused, and it may have to wait on.
    ///
    /// A decision to delay is good for one call, until five seconds after it was due; a later call is answered with abort. Of any
    /// other decision, that decision is the answer.
    #[pyo3(signature = (decision, /))]
    fn resume<'py>(slf: &Bound<'py, Self>, decision: &Bound<'py, Decision>) -> PyResult<Bound<'py, Decision>> {
        Self::resumed(slf, decision, Asks::Settled)
    }

    /// As ``resume``, but where more is to be asked for that may block, the verdict says so.
    #[pyo3(signature = (decision, /))]
    fn _resume_unsettled<'py>(
        slf: &Bound<'py, Self>,
        decision: &Bound<'py, Decision>,
    ) -> PyResult<Bound<'py, Decision>> {
        Self::resumed(slf, decision, Asks::Unsettled)
    }

    /// Gives back what a statement held while it ran, once it has ended, however it has.
    ///
    /// Harmless otherwise, and never raises: of any other decision, a second time, too late, or after ``close``.
    ///
    /// :returns: whether there was something to give back.
    #[pyo3(signature = (decision, /))]
    fn release(&self, decision: &Bound<'_, Decision>) -> bool {
        let permit = decision.get().0.permit;
        guarded(|| permit.is_some_and(|permit| self.engine.release(permit))).unwrap_or(false)
    }

    /// Ends the wait of a statement that will not be resumed: another may wait in its place at once.
    ///
    /// Harmless otherwise, and never raises, as ``release``.
    ///
    /// :returns: whether there was a wait to end.
    #[pyo3(signature = (decision, /))]
    fn give_up(&self, decision: &Bound<'_, Decision>) -> bool {
        let ticket = decision.get().0.ticket;
        guarded(|| ticket.is_some_and(|ticket| self.engine.give_up(ticket))).unwrap_or(false)
    }

    /// Puts other rules in force, and returns their version.
    #[pyo3(signature = (source, is_path, /))]
    fn _reload(&self, py: Python<'_>, source: &Bound<'_, PyAny>, is_path: bool) -> PyResult<u64> {
        let source = Source::read(source, is_path)?;
        self.with(py, |engine| {
            engine.reload(match source {
                Source::Path(path) => RuleFile::open(path)?,
                Source::Rules(rules) => RuleFile::parse(rules)?,
            })
        })
    }

    /// The version of the rules where they have changed.
    fn _refresh(&self, py: Python<'_>) -> PyResult<Option<u64>> {
        self.with(py, sqlthrottle::Engine::refresh)
    }

    /// Seconds between two looks at the file; 0 for none.
    fn _watch(&self) -> f64 {
        self.engine.watch().as_secs_f64()
    }

    /// To be called in a child after a fork.
    fn _after_fork(&self, py: Python<'_>) -> PyResult<()> {
        // One that was closed stays so.
        let _ = self.state.compare_exchange(CHECKED, FRESH, Ordering::AcqRel, Ordering::Acquire);
        counted(&self.engine, || self.engine.after_fork()).map_err(|panicked| error::panicked(py, panicked))
    }

    /// No check is answered any more.
    fn _close(&self) {
        self.state.store(CLOSED, Ordering::Release);
    }

    /// Whether it was closed.
    #[getter]
    fn closed(&self) -> bool {
        self.state.load(Ordering::Acquire) == CLOSED
    }

    /// The version of the rules in force, which grows with every change.
    #[getter]
    fn version(&self) -> u64 {
        self.engine.version()
    }

    /// Whether a rule looks at bound parameters.
    #[getter]
    fn reads_params(&self) -> bool {
        self.engine.reads_params()
    }

    /// The answer to an admin statement, as JSON.
    #[pyo3(signature = (statement, /))]
    fn _admin(&self, py: Python<'_>, statement: &Bound<'_, PyAny>) -> PyResult<String> {
        let statement = text(statement, "statement")?.into_owned();
        self.with(py, |engine| Ok(engine.admin(statement)?.to_json()))
    }

    /// All counters, as JSON.
    fn _snapshot(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, |engine| Ok(engine.snapshot().to_json()))
    }

    /// All counters, as a page for Prometheus.
    fn metrics(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, |engine| Ok(engine.snapshot().prometheus()))
    }

    /// The statements that are sent most, as JSON.
    #[pyo3(signature = (most, /))]
    fn _top(&self, py: Python<'_>, most: usize) -> PyResult<String> {
        self.with(py, |engine| Ok(engine.top(most).to_json()))
    }

    /// What statements have in common that differ in constants, comments and white space alone: hexadecimal digits.
    #[pyo3(signature = (sql, *, dialect=None))]
    fn fingerprint(&self, py: Python<'_>, sql: &Bound<'_, PyAny>, dialect: Option<&str>) -> PyResult<String> {
        let (sql, mut normalizer) = (text(sql, "sql")?, self.normalizer(py, dialect)?);
        guarded(|| normalizer.normalize(&sql).fingerprint().to_string())
            .map_err(|panicked| error::panicked(py, panicked))
    }

    /// The text that the fingerprint is the hash of; bytes of it that are no UTF-8 are replaced.
    #[pyo3(signature = (sql, *, dialect=None))]
    fn normalize(&self, py: Python<'_>, sql: &Bound<'_, PyAny>, dialect: Option<&str>) -> PyResult<String> {
        let (sql, mut normalizer) = (text(sql, "sql")?, self.normalizer(py, dialect)?);
        guarded(|| string(normalizer.normalize(&sql).as_bytes()).into_owned())
            .map_err(|panicked| error::panicked(py, panicked))
    }

    /// As ``normalize``, to the byte.
    #[pyo3(signature = (sql, /, *, dialect=None))]
    fn _normalize_bytes<'py>(
        &self,
        py: Python<'py>,
        sql: &Bound<'py, PyAny>,
        dialect: Option<&str>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (sql, mut normalizer) = (text(sql, "sql")?, self.normalizer(py, dialect)?);
        let normalized = guarded(|| normalizer.normalize(&sql).as_bytes().to_vec());
        Ok(PyBytes::new(py, &normalized.map_err(|panicked| error::panicked(py, panicked))?))
    }

    /// Takes note of how long a statement took to run, in seconds, by its decision or its fingerprint.
    #[pyo3(signature = (statement, duration, /))]
    fn record_duration(
        &self,
        py: Python<'_>,
        statement: &Bound<'_, PyAny>,
        duration: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let fingerprint = match statement.cast::<Decision>() {
            Ok(decision) => decision.get().0.fingerprint,
            Err(_) => Some(threshold::fingerprint(py, statement.extract()?)?),
        };
        let duration = seconds::read(duration, "duration")?;
        let engine = self.open(py)?;
        if let Some(fingerprint) = fingerprint {
            counted(engine, || engine.record_duration(&fingerprint, duration))
                .map_err(|panicked| error::panicked(py, panicked))?;
        }
        Ok(())
    }

    /// What a provider says of a fingerprint.
    #[pyo3(signature = (fingerprint, threshold, time_to_live, /))]
    fn _set_threshold(
        &self,
        py: Python<'_>,
        fingerprint: &str,
        threshold: Option<&Bound<'_, PyAny>>,
        time_to_live: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let fingerprint = threshold::fingerprint(py, fingerprint)?;
        let threshold = threshold.map(threshold::read).transpose()?;
        let time_to_live = seconds::read(time_to_live, "time_to_live")?;
        self.with(py, |engine| engine.set_threshold(&fingerprint, threshold, time_to_live))
    }

    /// That a provider could not be asked for a fingerprint.
    #[pyo3(signature = (fingerprint, /))]
    fn _threshold_failed(&self, py: Python<'_>, fingerprint: &str) -> PyResult<()> {
        let fingerprint = threshold::fingerprint(py, fingerprint)?;
        counted(&self.engine, || self.engine.threshold_failed(&fingerprint))
            .map_err(|panicked| error::panicked(py, panicked))
    }

    /// The fingerprints for which a provider is to be asked again.
    #[pyo3(signature = (most, /))]
    fn _thresholds_due(&self, py: Python<'_>, most: usize) -> PyResult<Vec<String>> {
        self.with(py, |engine| Ok(engine.thresholds_due(most).iter().map(ToString::to_string).collect()))
    }
}

enum Source {
    Path(PathBuf),
    Rules(Vec<u8>),
}

impl Source {
    fn read(source: &Bound<'_, PyAny>, is_path: bool) -> PyResult<Self> {
        Ok(if is_path { Self::Path(source.extract()?) } else { Self::Rules(text(source, "rules")?.into_owned()) })
    }
}
