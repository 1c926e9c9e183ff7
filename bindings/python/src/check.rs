//! How an engine is asked for a decision, and by whom what it needs for that is done.

use crate::answer::Answer;
use crate::context::ambient;
use crate::decision::Decision;
use crate::engine::Engine;
use crate::guard::decide;
use crate::statement::Arguments;
use crate::text::text;
use pyo3::prelude::*;
use sqlthrottle::{Statement, Verdict};

/// How often a provider is asked for one check. More than once only where its answers are forgotten at once.
const MAX_ASKED: usize = 4;

/// Whether a check may block, and ask what is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asks {
    Settled,
    /// What is needed is answered.
    Unsettled,
}

impl Engine {
    /// Decides on a statement.
    #[inline]
    pub(crate) fn decide<'py>(
        slf: &Bound<'py, Self>,
        sql: &Bound<'py, PyAny>,
        arguments: &Arguments<'py>,
        asks: Asks,
    ) -> PyResult<Bound<'py, Decision>> {
        let py = slf.py();
        let engine = Self::ready(slf)?;
        let sql = &*text(sql, "sql")?;
        let ambient = ambient(py)?;
        if arguments.is_bare() && ambient.is_none() {
            let mut statement = Statement::new(sql);
            statement.set_dialect(arguments.dialect);
            statement.set_fakes(arguments.fakes);
            statement.set_weight(arguments.weight);
            return Self::answer(slf, engine, &statement, asks);
        }
        arguments.with(sql, ambient.as_ref().map(Bound::get), |statement| Self::answer(slf, engine, statement, asks))
    }

    #[inline]
    fn answer<'py>(
        slf: &Bound<'py, Self>,
        engine: &sqlthrottle::Engine,
        statement: &Statement<'_>,
        asks: Asks,
    ) -> PyResult<Bound<'py, Decision>> {
        let py = slf.py();
        Self::settled(slf, asks, || {
            let mut decision = engine.check_statement(statement);
            if decision.refill.is_some() && asks == Asks::Settled {
                py.detach(|| engine.settle(&mut decision, |refilled| engine.check_refilled(statement, refilled)));
            }
            decision
        })
    }

    /// Hands out what `check` decides, once the provider has said what it needs.
    #[inline]
    pub(crate) fn settled<'py>(
        slf: &Bound<'py, Self>,
        asks: Asks,
        check: impl Fn() -> sqlthrottle::Decision,
    ) -> PyResult<Bound<'py, Decision>> {
        let decided = decide(&slf.get().engine, &check, |decision| Self::hand_out(slf, decision))?;
        Self::provided(slf, decided, asks, &check)
    }

    /// As `settled`; none where the statement is allowed and holds nothing, so that nothing is left to be done with a decision.
    #[inline]
    pub(crate) fn unless_passed<'py>(
        slf: &Bound<'py, Self>,
        asks: Asks,
        check: impl Fn() -> sqlthrottle::Decision,
    ) -> PyResult<Option<Bound<'py, Decision>>> {
        let decided = decide(&slf.get().engine, &check, |decision| match decision.verdict {
            Verdict::Allow if decision.permit.is_none() => Ok(None),
            _ => Self::hand_out(slf, decision).map(Some),
        })?;
        decided.map(|decided| Self::provided(slf, decided, asks, &check)).transpose()
    }

    #[inline]
    fn hand_out<'py>(slf: &Bound<'py, Self>, decision: sqlthrottle::Decision) -> PyResult<Bound<'py, Decision>> {
        slf.get().spare.hand_out(slf.py(), Answer::from(decision))
    }

    #[inline]
    fn provided<'py>(
        slf: &Bound<'py, Self>,
        decided: Bound<'py, Decision>,
        asks: Asks,
        check: &dyn Fn() -> sqlthrottle::Decision,
    ) -> PyResult<Bound<'py, Decision>> {
        if decided.get().0.verdict == Verdict::ThresholdNeeded && asks == Asks::Settled {
            return Self::ask_provider(slf, decided, check);
        }
        Ok(decided)
    }

    #[cold]
    fn ask_provider<'py>(
        slf: &Bound<'py, Self>,
        mut decided: Bound<'py, Decision>,
        check: &dyn Fn() -> sqlthrottle::Decision,
    ) -> PyResult<Bound<'py, Decision>> {
        for asked in 0..=MAX_ASKED {
            let answer = &decided.get().0;
            let Some(fingerprint) = answer.fingerprint.filter(|_| answer.verdict == Verdict::ThresholdNeeded) else {
                break;
            };
            if asked < MAX_ASKED {
                slf.call_method1("_ask_provider", (fingerprint.to_string(),))?;
            } else {
                // Nobody else would know what to do with that: the other rules decide.
                slf.get().engine.threshold_failed(&fingerprint);
            }
            decided = decide(&slf.get().engine, check, |decision| Self::hand_out(slf, decision))?;
        }
        Ok(decided)
    }

    /// Decides on a request, or on a statement that has waited.
    fn other<'py>(
        slf: &Bound<'py, Self>,
        asks: Asks,
        unsettled: impl Fn(&sqlthrottle::Engine) -> sqlthrottle::Decision + Sync,
        settled: impl Fn(&sqlthrottle::Engine) -> sqlthrottle::Decision + Sync,
    ) -> PyResult<Bound<'py, Decision>> {
        let (py, engine) = (slf.py(), Self::ready(slf)?);
        Self::settled(slf, asks, || match asks {
            Asks::Settled => py.detach(|| settled(engine)),
            Asks::Unsettled => unsettled(engine),
        })
    }

    pub(crate) fn request<'py>(
        slf: &Bound<'py, Self>,
        arguments: &Arguments<'py>,
        asks: Asks,
    ) -> PyResult<Bound<'py, Decision>> {
        let ambient = ambient(slf.py())?;
        arguments.with(&[], ambient.as_ref().map(Bound::get), |statement| {
            let mut statement = statement.clone();
            let context = &*statement.context_mut();
            let ask = |engine: &sqlthrottle::Engine| engine.check_request(context);
            Self::other(slf, asks, ask, |engine| {
                let mut decision = engine.check_request(context);
                engine.settle(&mut decision, |refilled| engine.check_request_refilled(context, refilled));
                decision
            })
        })
    }

    pub(crate) fn resumed<'py>(
        slf: &Bound<'py, Self>,
        decision: &Bound<'py, Decision>,
        asks: Asks,
    ) -> PyResult<Bound<'py, Decision>> {
        match decision.get().0.ticket {
            Some(ticket) => {
                Self::other(slf, asks, |engine| engine.resume(ticket), |engine| engine.resume_blocking(ticket))
            }
            None => Ok(decision.clone()),
        }
    }
}
