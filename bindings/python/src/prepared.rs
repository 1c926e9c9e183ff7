//! `Prepared`: a text that was read once, with what is said of it.

use crate::check::Asks;
use crate::context::{Context, ambient};
use crate::decision::Decision;
use crate::engine::Engine;
use crate::guard::counted;
use crate::statement::{Arguments, params, weight};
use crate::text::text;
use crate::{error, names};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use sqlthrottle::{Fakes, Statement};

/// A text that was read once, with what is said of it.
#[pyclass(frozen, subclass, module = "sqlthrottle._native", name = "Prepared")]
#[derive(Debug)]
pub(crate) struct Prepared {
    throttle: Py<Engine>,
    text: sqlthrottle::Prepared,
    /// What it was prepared with, for checks where there is more to say than that.
    context: Context,
    params: Vec<Option<Vec<u8>>>,
    fakes: Fakes,
    weight: u32,
}

impl Prepared {
    /// By what is said of it, or what it was prepared with.
    fn decide<'py>(
        &self,
        py: Python<'py>,
        weight: Option<u32>,
        fakes: Option<&str>,
        asks: Asks,
    ) -> PyResult<Bound<'py, Decision>> {
        let throttle = self.throttle.bind(py);
        let engine = Engine::ready(throttle)?;
        let fakes = fakes.map_or(Ok(self.fakes), |name| names::fakes(py, name))?;
        let weight = weight.unwrap_or(self.weight);
        match ambient(py)? {
            Some(ambient) => self.decide_in(throttle, ambient.get(), weight, fakes, asks),
            None => Engine::settled(throttle, asks, || self.ask(py, engine, weight, fakes, asks)),
        }
    }

    #[inline]
    fn ask(
        &self,
        py: Python<'_>,
        engine: &sqlthrottle::Engine,
        weight: u32,
        fakes: Fakes,
        asks: Asks,
    ) -> sqlthrottle::Decision {
        let mut decision = self.text.check_as(fakes, weight);
        if decision.refill.is_some() && asks == Asks::Settled {
            py.detach(|| engine.settle(&mut decision, |refilled| self.text.check_as_refilled(fakes, weight, refilled)));
        }
        decision
    }

    /// As `decide` by what it was prepared with; none where it is allowed and holds nothing.
    fn unless_passed<'py>(&self, py: Python<'py>, asks: Asks) -> PyResult<Option<Bound<'py, Decision>>> {
        let throttle = self.throttle.bind(py);
        let engine = Engine::ready(throttle)?;
        if ambient(py)?.is_some() {
            let decided = self.decide(py, None, None, asks)?;
            let has_passed = decided.get().0.has_passed();
            return Ok((!has_passed).then_some(decided));
        }
        Engine::unless_passed(throttle, asks, || self.ask(py, engine, self.weight, self.fakes, asks))
    }

    /// By what an ambient context says where the statement does not.
    fn decide_in<'py>(
        &self,
        throttle: &Bound<'py, Engine>,
        ambient: &Context,
        weight: u32,
        fakes: Fakes,
        asks: Asks,
    ) -> PyResult<Bound<'py, Decision>> {
        let (py, engine) = (throttle.py(), self.text.engine());
        let params: Vec<_> = self.params.iter().map(Option::as_deref).collect();
        let mut statement = Statement::new(self.text.sql());
        let context = statement.context_mut();
        context.set_user(self.context.user.as_deref().or(ambient.user.as_deref()));
        context.set_client(self.context.client.as_deref().or(ambient.client.as_deref()));
        context.set_database(self.context.database.as_deref().or(ambient.database.as_deref()));
        for (name, value) in ambient.tags.iter().chain(&self.context.tags) {
            context.set_tag(name, value);
        }
        statement.set_params(&params);
        statement.set_dialect(self.text.dialect());
        statement.set_fakes(fakes);
        statement.set_weight(weight);
        Engine::settled(throttle, asks, || {
            let mut decision = self.text.check_statement(&statement);
            if decision.refill.is_some() && asks == Asks::Settled {
                py.detach(|| engine.settle(&mut decision, |refilled| engine.check_refilled(&statement, refilled)));
            }
            decision
        })
    }
}

#[pymethods]
impl Prepared {
    #[new]
    #[pyo3(signature = (throttle, sql, /, **said))]
    fn new<'py>(
        throttle: &Bound<'py, Engine>,
        sql: &Bound<'py, PyAny>,
        said: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Self> {
        let py = throttle.py();
        let arguments = Arguments::read("prepare", said)?;
        let engine = Engine::ready(throttle)?;
        let sql = text(sql, "sql")?;
        let prepared = arguments.with(&sql, None, |statement| {
            counted(engine, || engine.prepare(statement)).map_err(|panicked| error::panicked(py, panicked))
        })?;
        Ok(Self {
            throttle: throttle.clone().unbind(),
            text: prepared,
            context: Context::read(
                arguments.user.as_ref(),
                arguments.client.as_ref(),
                arguments.database.as_ref(),
                arguments.tags.as_ref(),
            )?,
            params: params(arguments.params.as_ref())?.into_vec(),
            fakes: arguments.fakes,
            weight: arguments.weight,
        })
    }

    /// Decides on the statement, by what it was prepared with where nothing else is said. Otherwise as ``Throttle.check``.
    #[pyo3(signature = (*, weight=None, fakes=None))]
    fn check<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = weight_if_said)] weight: Option<u32>,
        fakes: Option<&str>,
    ) -> PyResult<Bound<'py, Decision>> {
        self.decide(py, weight, fakes, Asks::Settled)
    }

    /// As ``check``, but where more is to be asked for that may block, the verdict says so.
    #[pyo3(signature = (*, weight=None, fakes=None))]
    fn _check_unsettled<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = weight_if_said)] weight: Option<u32>,
        fakes: Option<&str>,
    ) -> PyResult<Bound<'py, Decision>> {
        self.decide(py, weight, fakes, Asks::Unsettled)
    }

    /// As ``check`` by what it was prepared with; none where it is allowed and holds nothing: then there is nothing more to do.
    fn _unless_passed<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, Decision>>> {
        self.unless_passed(py, Asks::Settled)
    }

    /// As ``_unless_passed``, but where more is to be asked for that may block, the verdict says so.
    fn _unless_passed_unsettled<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, Decision>>> {
        self.unless_passed(py, Asks::Unsettled)
    }

    /// What is to be stood in for where it is ignored, as ``Fakes``.
    #[getter]
    fn faked(&self) -> &'static str {
        names::fakes_name(self.text.faked())
    }

    /// The throttle that has prepared it.
    #[getter]
    fn throttle(&self, py: Python<'_>) -> Py<Engine> {
        self.throttle.clone_ref(py)
    }
}

/// The weight of a call; none for that which the statement was prepared with.
fn weight_if_said(value: &Bound<'_, PyAny>) -> PyResult<Option<u32>> {
    if value.is_none() { Ok(None) } else { weight(value).map(Some) }
}
