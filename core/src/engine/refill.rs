//! Asking a cluster for what a check lacks, where blocking is allowed, and checking again.

use super::active_rule::{ActiveRule, Meter};
use super::asked::Asked;
use super::credit::Shared;
use super::decide::{Contest, Drawn, Times};
use super::hands::LimiterKey;
use super::rule_set::RuleSet;
use super::waiting::{Waiter, WaitingPart};
use super::{Engine, Inner};
use crate::clock::Reading;
use crate::context::Context;
use crate::decision::{Decision, Reason, Ticket, Verdict};
use crate::limit::{SetAside, nanos};
use crate::quota::{ClusterQuota, QuotaAsk};
use crate::rule::Mode;
use crate::statement::Statement;
use std::fmt;
use std::sync::Arc;

/// What a check lacks, and [`Engine::refill`] is to ask the cluster for. It says nothing of the statement but its weight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefillRequest(Arc<Lacking>);

#[derive(Debug, PartialEq, Eq)]
struct Lacking {
    keys: Box<[LimiterKey]>,
    weight: u32,
}

/// What the cluster has answered, for the check that lacked it.
///
/// What was granted for the statement is set aside for it as long as a lease is good for. Dropped without a check, it is lost;
/// what the lease holds beyond that is there for all.
#[derive(Debug)]
#[must_use = "what was granted for the statement is lost when this is dropped"]
pub struct Refilled(Vec<Answer>);

#[derive(Clone, Copy, Debug)]
struct Answer {
    key: LimiterKey,
    /// Whether it is of the limiter that keys without a place share.
    overflow: bool,
    said: Said,
}

#[derive(Clone, Copy, Debug)]
enum Said {
    Granted(SetAside),
    /// Refused until then, by the clock of the rule.
    Refused(u64),
}

/// The quota of an engine, if it has one.
#[derive(Clone, Default)]
pub(super) struct Quota(pub(super) Option<Arc<dyn ClusterQuota>>);

impl fmt::Debug for Quota {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Quota").field(&self.0.is_some()).finish()
    }
}

impl RefillRequest {
    pub(super) fn new(keys: Vec<LimiterKey>, weight: u32) -> Self {
        Self(Arc::new(Lacking { keys: keys.into(), weight }))
    }
}

impl Refilled {
    /// What is set aside for a limiter.
    pub(super) fn set_aside(&self, drawn: &Drawn) -> Option<SetAside> {
        match self.said(drawn)? {
            Said::Granted(set_aside) => Some(set_aside),
            Said::Refused(_) => None,
        }
    }

    /// For how many nanoseconds a limiter is refused from now on.
    pub(super) fn refusal(&self, drawn: &Drawn) -> Option<u64> {
        match self.said(drawn)? {
            Said::Granted(_) => None,
            Said::Refused(until) => Some(until.saturating_sub(drawn.now).max(1)),
        }
    }

    fn said(&self, drawn: &Drawn) -> Option<Said> {
        let answer = self.0.iter().find(|answer| answer.key == drawn.key && answer.overflow == drawn.overflow)?;
        Some(answer.said)
    }
}

impl Engine {
    /// Asks the cluster for what a check lacks. It never decides: hand what it returns to
    /// [`check_refilled`](Self::check_refilled), or for a statement that has waited, to
    /// [`resume_refilled`](Self::resume_refilled).
    ///
    /// It blocks for as long as the [quota](ClusterQuota) does, so it is to be called where that is allowed: in the thread of
    /// the statement, or in one that an asynchronous host keeps for such calls. It may be called again with the same
    /// request, and by several threads at a time.
    ///
    /// A lease that is taken here serves all statements of its key, of which most find what they need without another call.
    ///
    /// ```
    /// use sqlthrottle::{ClusterQuota, Engine, QuotaAsk, QuotaError, QuotaGrant, RuleFile, Statement, Verdict};
    /// use std::sync::Arc;
    ///
    /// /// Stands in for a server: there is always more.
    /// struct Plenty;
    ///
    /// impl ClusterQuota for Plenty {
    ///     fn take(&self, ask: &QuotaAsk<'_>) -> Result<QuotaGrant, QuotaError> {
    ///         Ok(QuotaGrant { granted: ask.most, retry_after: None })
    ///     }
    /// }
    ///
    /// let rules = RuleFile::parse("
    /// cluster: {redis: {url: 'redis://localhost'}, namespace: shop}
    /// rules:
    ///   - name: reports
    ///     match: {tables: [reports]}
    ///     limit: {fixed_window: {max: 1000, window: 1s}}
    ///     scope: cluster
    /// ")?;
    /// let engine = Engine::builder(rules).cluster(Arc::new(Plenty)).build()?;
    ///
    /// let statement = Statement::new("select * from reports");
    /// let mut decision = engine.check_statement(&statement);
    /// assert_eq!(decision.verdict, Verdict::RefillNeeded);
    /// if let Some(request) = &decision.refill {
    ///     decision = engine.check_refilled(&statement, engine.refill(request));
    /// }
    /// assert!(decision.is_allowed());
    /// assert!(engine.check_statement(&statement).is_allowed()); // of the same lease
    /// # Ok::<(), sqlthrottle::LoadError>(())
    /// ```
    pub fn refill(&self, request: &RefillRequest) -> Refilled {
        self.0.refill(request)
    }

    /// Decides on a statement whose check was answered with [`Verdict::RefillNeeded`], after the refill. It is not answered so
    /// again: what the cluster has not granted by then, the rule's `on_failure` decides.
    #[expect(clippy::needless_pass_by_value, reason = "one refill is good for one more check")]
    pub fn check_refilled(&self, statement: &Statement<'_>, refilled: Refilled) -> Decision {
        let inner = &*self.0;
        let (now, set) = inner.renewed();
        if set.file.mode == Mode::Off {
            return Decision::allow(None, Reason::Off);
        }
        let text = inner.hot.sought(statement.sql, statement.dialect.unwrap_or(set.file.fingerprint.dialect));
        let shape = inner.shape(text, now, &set);
        let asked = Asked { refilled: Some(&refilled), ..Asked::statement(statement, text.bytes, text.dialect) };
        inner.check_shape(&asked, &shape)
    }

    /// The same for a request, whose check was one by [`check_request`](Self::check_request).
    #[expect(clippy::needless_pass_by_value, reason = "one refill is good for one more check")]
    pub fn check_request_refilled(&self, context: &Context<'_>, refilled: Refilled) -> Decision {
        let inner = &*self.0;
        let (now, set) = inner.renewed();
        if set.file.mode == Mode::Off {
            return Decision::allow(None, Reason::Off);
        }
        let asked = Asked { refilled: Some(&refilled), ..Asked::request(context) };
        inner.check_shape(&asked, &inner.shape_of_requests(now, &set))
    }

    /// The same for a statement that has waited, whose [`resume`](Self::resume) was answered with [`Verdict::RefillNeeded`] and a
    /// new ticket. The ticket lapses when that before it would have.
    #[expect(clippy::needless_pass_by_value, reason = "one refill is good for one more check")]
    pub fn resume_refilled(&self, ticket: Ticket, refilled: Refilled) -> Decision {
        self.0.resume(ticket, Some(&refilled))
    }
}

impl Inner {
    fn refill(&self, request: &RefillRequest) -> Refilled {
        let set = self.set();
        let Lacking { keys, weight } = &*request.0;
        let ask = |key: &LimiterKey| {
            let rule = set.successor_of(key.rule())?;
            let (shared, meter, quota) = (rule.shared.as_ref()?, rule.allows.meter()?, self.quota.0.as_deref()?);
            let fits = (1..=shared.max).contains(weight);
            if fits { self.take(*key, *weight, rule, shared, meter, quota) } else { None }
        };
        Refilled(keys.iter().filter_map(ask).collect())
    }

    /// Asks for a key; none where there is no answer, or none is needed.
    fn take(
        &self,
        key: LimiterKey,
        weight: u32,
        rule: &ActiveRule,
        shared: &Shared,
        meter: &Meter,
        quota: &dyn ClusterQuota,
    ) -> Option<Answer> {
        let precise = || self.clock.read(Reading::Precise);
        let ttl = shared.ttl_nanos();
        let mut times = Times::new(&self.clock);
        let now = times.by(meter.reading);
        let lookup = key.look_up(rule, meter, &mut times);
        let overflow = lookup.overflow;
        let answer = |said| Some(Answer { key, overflow, said });
        let credit = lookup.limiter.credit()?;
        // Another thread may have asked meanwhile.
        if let Some(set_aside) = credit.set_aside(weight, now) {
            return answer(Said::Granted(set_aside));
        }
        if credit.refusal(weight, now).is_some() || rule.state.failure(precise).is_some() {
            return None;
        }
        let asks_for_lease = credit.begin_asking(now, now.saturating_add(ttl));
        // Threads that ask at the same time are not to take a lease each.
        let most = if asks_for_lease { shared.most(weight) } else { weight };
        let said = quota.take(&QuotaAsk {
            namespace: &shared.namespace,
            rule: rule.name.as_str(),
            key: key.of_quota(rule.per(), overflow),
            limit: shared.limit,
            least: weight,
            most,
            ttl: shared.ttl,
        });
        if asks_for_lease {
            credit.end_asking();
        }
        let now = self.clock.read(meter.reading);
        match said {
            Ok(grant) if grant.granted >= weight => {
                let granted = grant.granted.min(most);
                answer(Said::Granted(credit.top_up(granted, weight, now, now.saturating_add(ttl))))
            }
            Ok(grant) => {
                let until = now.saturating_add(grant.retry_after.map_or(ttl, nanos));
                credit.refuse(weight, until);
                answer(Said::Refused(until))
            }
            Err(_) => {
                self.cluster_failures.add();
                rule.state.fail(precise().saturating_add(ttl));
                None
            }
        }
    }

    /// Sets aside what a statement that comes back takes of rules that a cluster counts.
    ///
    /// # Errors
    ///
    /// What is to be asked for first.
    pub(super) fn set_aside_for(
        &self,
        waiter: &Waiter,
        set: &RuleSet,
        refilled: Option<&Refilled>,
    ) -> Result<Refilled, RefillRequest> {
        let asked = waiter.sides.iter().filter(|side| side.part != WaitingPart::Aside);
        let shared: Vec<_> = asked
            .filter_map(|side| {
                Some((set.successor_of(side.rule.state.number).filter(|rule| rule.shared.is_some())?, side))
            })
            .collect();
        let mut times = Times::new(&self.clock);
        let mut contest = Contest::new(true);
        for (rule, side) in &shared {
            contest.enter(rule, false);
            let Some(meter) = rule.allows.meter() else { continue };
            for limiter in &side.limiters {
                contest.draw(limiter.key, rule, meter, &mut times, None);
            }
        }
        contest.set_aside(waiter.subject.weight, &mut times, refilled)?;
        let granted = |drawn: &Drawn| {
            let set_aside = drawn.funds.set_aside()?;
            Some(Answer { key: drawn.key, overflow: drawn.overflow, said: Said::Granted(set_aside) })
        };
        let refused = |answer: &&Answer| matches!(answer.said, Said::Refused(_));
        let refused = refilled.iter().flat_map(|refilled| &refilled.0).filter(refused).copied();
        Ok(Refilled(contest.drawn.iter().filter_map(granted).chain(refused).collect()))
    }
}

impl Decision {
    /// Nothing is decided: this is to be asked for first.
    pub(super) fn refill_needed(fingerprint: Option<crate::Fingerprint>, request: RefillRequest) -> Self {
        let undecided = Self::allow(fingerprint, Reason::Undecided);
        Self { verdict: Verdict::RefillNeeded, refill: Some(request), ..undecided }
    }
}
