//! Rules whose limits instances share, with a quota that stands in for a cluster.

// A test that cannot go on says so by panicking.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod failure;
mod refill;
mod together;
mod waiting;

use sqlthrottle::{
    ClusterQuota, Decision, Engine, Limit, ManualClock, QuotaAsk, QuotaError, QuotaGrant, QuotaKey, Reason, Refilled,
    RuleFile, Statement, Verdict,
};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use Verdict::{Abort, Allow, Delay, RefillNeeded};

const SECOND: Duration = Duration::from_secs(1);
const TTL: Duration = Duration::from_millis(500);
const SQL: &str = "select * from reports where id = 7";
const ONE_RULE: &str = "rules: [{name: reports, limit: {fixed_window: {max: 100, window: 1h}}, scope: cluster}]";

/// Grants in all as much as a limit allows, and never forgets: what is taken in one window of it.
#[derive(Default)]
struct Fake {
    counts: Mutex<HashMap<(String, QuotaKey), u32>>,
    asked: Mutex<Vec<(String, QuotaKey, u32, u32)>>,
    says: Mutex<Says>,
    asks: AtomicU64,
}

#[derive(Clone, Copy, Default)]
enum Says {
    /// As much as is asked for, within the limit; beyond it no, for ten seconds.
    #[default]
    WithinLimit,
    /// No, for so long.
    No(Option<Duration>),
    /// More than it was asked for.
    TooMuch,
    Fails,
}

impl Fake {
    fn says(&self, says: Says) {
        *self.says.lock().unwrap() = says;
    }

    /// How often it was asked.
    fn asks(&self) -> u64 {
        self.asks.load(Ordering::Relaxed)
    }

    /// The rule, key, least and most of every time it was asked.
    fn asked(&self) -> Vec<(String, QuotaKey, u32, u32)> {
        self.asked.lock().unwrap().clone()
    }

    /// What it has granted in all.
    fn granted(&self) -> u32 {
        self.counts.lock().unwrap().values().sum()
    }
}

impl ClusterQuota for Fake {
    fn take(&self, ask: &QuotaAsk<'_>) -> Result<QuotaGrant, QuotaError> {
        self.asks.fetch_add(1, Ordering::Relaxed);
        assert_eq!(ask.namespace, "shop");
        assert!(1 <= ask.least && ask.least <= ask.most);
        self.asked.lock().unwrap().push((ask.rule.to_owned(), ask.key, ask.least, ask.most));
        match *self.says.lock().unwrap() {
            Says::WithinLimit => {}
            Says::No(retry_after) => return Ok(QuotaGrant { granted: 0, retry_after }),
            Says::TooMuch => return Ok(QuotaGrant { granted: ask.most + 1000, retry_after: None }),
            Says::Fails => return Err(QuotaError::new("connection refused")),
        }
        let (Limit::FixedWindow { max, .. } | Limit::TokenBucket { capacity: max, .. }) = ask.limit else {
            panic!("{:?}", ask.limit)
        };
        let mut counts = self.counts.lock().unwrap();
        let count = counts.entry((ask.rule.to_owned(), ask.key)).or_default();
        let granted = (max - *count).min(ask.most);
        if granted < ask.least {
            return Ok(QuotaGrant { granted: 0, retry_after: Some(10 * SECOND) });
        }
        *count += granted;
        Ok(QuotaGrant { granted, retry_after: None })
    }
}

/// An engine with a cluster and these rules, its clock, and what stands in for the cluster.
struct Instance {
    engine: Engine,
    clock: ManualClock,
    fake: Arc<Fake>,
}

impl Instance {
    fn new(rules: &str) -> Self {
        Self::with("", rules)
    }

    /// `cluster` is what the section says besides where the cluster is.
    fn with(cluster: &str, rules: &str) -> Self {
        Self::sharing(&Arc::default(), cluster, rules)
    }

    fn sharing(fake: &Arc<Fake>, cluster: &str, rules: &str) -> Self {
        let clock = ManualClock::new();
        let quota: Arc<dyn ClusterQuota> = fake.clone();
        let engine = Engine::builder(file(cluster, rules)).clock(clock.clone()).cluster(quota).build().unwrap();
        Self { engine, clock, fake: Arc::clone(fake) }
    }

    fn check(&self) -> Decision {
        self.engine.check(SQL)
    }

    /// Checks, and asks the cluster where that is needed.
    fn settle(&self, statement: &Statement<'_>) -> Decision {
        let decision = self.engine.check_statement(statement);
        match &decision.refill {
            Some(request) => self.engine.check_refilled(statement, self.engine.refill(request)),
            None => decision,
        }
    }

    fn settled(&self) -> Decision {
        self.settle(&Statement::new(SQL))
    }

    /// Asks the cluster for what a check lacks.
    fn refill(&self) -> Refilled {
        self.engine.refill(&self.check().refill.expect("it lacks credit"))
    }

    /// How many of so many pass.
    fn passing(&self, times: usize) -> usize {
        (0..times).filter(|_| self.settled().is_allowed()).count()
    }
}

fn file(cluster: &str, rules: &str) -> RuleFile {
    let text = format!("cluster: {{redis: {{url: 'redis://h'}}, namespace: shop{cluster}}}\n{rules}");
    RuleFile::parse(text).unwrap()
}

fn outcome(decision: &Decision) -> (Verdict, Reason) {
    (decision.verdict, decision.reason)
}

#[test]
fn a_check_without_credit_asks_for_a_refill_and_counts_nothing() {
    let rules = "default_threshold: 1\n".to_owned() + ONE_RULE;
    let instance = Instance::new(&rules);
    for _ in 0..3 {
        let decision = instance.check();
        assert_eq!(outcome(&decision), (RefillNeeded, Reason::Undecided));
        assert!(decision.refill.is_some() && decision.ticket.is_none());
    }
    assert_eq!(instance.fake.asks(), 0);
    assert!(instance.engine.snapshot().rules.iter().all(|rule| rule.matched == 0));
    // The threshold has counted none of them.
    assert_eq!(outcome(&instance.settled()), (Allow, Reason::Allowed));
    assert_eq!(outcome(&instance.settled()), (Abort, Reason::OverLimit));
}

#[test]
fn a_lease_serves_the_checks_after_it() {
    let instance = Instance::new(ONE_RULE);
    assert_eq!(instance.passing(5), 5);
    assert_eq!(instance.fake.asks(), 1);
    let (rule, _, least, most) = instance.fake.asked().remove(0);
    assert_eq!((rule.as_str(), least, most), ("reports", 1, 5));
    assert_eq!(instance.check().verdict, RefillNeeded);

    let decision = instance.settled();
    assert_eq!((decision.rule.unwrap().as_str(), decision.count, decision.limit), ("reports", 0, 100));
    assert_eq!(instance.engine.snapshot().rules[0].passed, 6);
}

#[test]
fn a_lease_of_nothing_asks_for_each_statement() {
    let instance = Instance::with(", lease: {fraction: 0}", ONE_RULE);
    assert_eq!(instance.passing(3), 3);
    assert_eq!(instance.settle(&Statement::new(SQL).weight(7)).verdict, Allow);
    let asked = instance.fake.asked();
    assert_eq!(
        asked.iter().map(|(_, _, least, most)| (*least, *most)).collect::<Vec<_>>(),
        [(1, 1), (1, 1), (1, 1), (7, 7)]
    );
}

#[test]
fn a_refusal_holds_as_long_as_the_cluster_says() {
    let instance = Instance::new(ONE_RULE);
    instance.fake.says(Says::No(Some(2 * SECOND)));
    let refused = instance.settled();
    assert_eq!(outcome(&refused), (Abort, Reason::OverLimit));
    assert_eq!((refused.count, refused.limit, refused.retry_after), (100, 100, Some(2 * SECOND)));

    instance.clock.advance(SECOND);
    let refused = instance.check();
    assert_eq!(outcome(&refused), (Abort, Reason::OverLimit));
    // To the microsecond.
    let early = SECOND.saturating_sub(refused.retry_after.unwrap());
    assert!(early < Duration::from_nanos(1024), "{early:?}");
    assert_eq!(instance.fake.asks(), 1);

    instance.clock.advance(SECOND);
    assert_eq!(instance.check().verdict, RefillNeeded);
}

#[test]
fn a_refusal_without_an_end_holds_for_the_time_of_a_lease() {
    let instance = Instance::new(ONE_RULE);
    instance.fake.says(Says::No(None));
    assert_eq!(instance.settled().retry_after, Some(TTL));
    instance.clock.advance(TTL);
    assert_eq!(instance.check().verdict, RefillNeeded);
}

#[test]
fn a_refused_batch_does_not_refuse_what_is_lighter() {
    let instance = Instance::with(", lease: {fraction: 0}", ONE_RULE);
    assert_eq!(instance.settle(&Statement::new(SQL).weight(60)).verdict, Allow);
    let batch = Statement::new(SQL).weight(50);
    assert_eq!(instance.settle(&batch).verdict, Abort);
    assert_eq!(instance.settled().verdict, Allow);
    let asks = instance.fake.asks();
    assert_eq!(instance.engine.check_statement(&batch).verdict, Abort);
    assert_eq!(instance.fake.asks(), asks);
}

#[test]
fn a_batch_beyond_the_limit_is_never_asked_for() {
    // However lax its policy: it is no failure of the cluster.
    let instance = Instance::with(", on_failure: open", ONE_RULE);
    let decision = instance.engine.check_statement(&Statement::new(SQL).weight(101));
    assert_eq!(outcome(&decision), (Abort, Reason::Never));
    assert_eq!((decision.retry_after, instance.fake.asks()), (None, 0));
}

#[test]
fn what_is_not_spent_lapses_with_its_lease() {
    let instance = Instance::new(ONE_RULE);
    assert_eq!(instance.passing(1), 1);
    instance.clock.advance(TTL.saturating_sub(Duration::from_nanos(1)));
    assert_eq!(instance.check().verdict, Allow);
    instance.clock.advance(Duration::from_nanos(1));
    assert_eq!(instance.check().verdict, RefillNeeded);
    // The three that have lapsed do not come back with the next lease.
    assert_eq!(instance.passing(5), 5);
    assert_eq!(instance.fake.asks(), 2);
    assert_eq!(instance.check().verdict, RefillNeeded);
}

#[test]
fn a_guard_asks_the_cluster_by_itself() {
    let instance = Instance::new(ONE_RULE);
    let statement = Statement::new(SQL);
    assert!((0..100).all(|_| instance.engine.guard(&statement).is_ok()));
    let throttled = instance.engine.guard(&statement).unwrap_err();
    assert_eq!(throttled.0.reason, Reason::OverLimit);
    assert_eq!(instance.fake.asks(), 21);
}

#[test]
fn a_fork_drops_credit() {
    let instance = Instance::with(", on_failure: closed", ONE_RULE);
    let refilled = instance.refill();
    assert_eq!(instance.check().verdict, Allow);
    instance.engine.after_fork();
    assert_eq!(instance.check().verdict, RefillNeeded);
    // What was set aside is the parent's to spend.
    let decision = instance.engine.check_refilled(&Statement::new(SQL), refilled);
    assert_eq!(outcome(&decision), (Abort, Reason::ClusterDown));
}

#[test]
fn a_request_may_need_a_refill() {
    let rules = "rules: [{name: requests, on: request, limit: {fixed_window: {max: 100, window: 1h}}, scope: cluster}]";
    let instance = Instance::new(rules);
    let context = sqlthrottle::Context::new();
    let needed = instance.engine.check_request(&context);
    assert_eq!(needed.verdict, RefillNeeded);
    let refilled = instance.engine.refill(&needed.refill.unwrap());
    assert_eq!(instance.engine.check_request_refilled(&context, refilled).verdict, Allow);
    assert_eq!(instance.engine.check_request(&context).verdict, Allow);
}

#[test]
fn credit_follows_a_rule_through_a_reload() {
    let instance = Instance::new(ONE_RULE);
    assert_eq!(instance.passing(1), 1);
    let request = {
        let other = "rules: [{name: reports, limit: {fixed_window: {max: 200, window: 1h}}, scope: cluster}]";
        instance.engine.reload(file("", other)).unwrap();
        assert_eq!((0..4).filter(|_| instance.check().is_allowed()).count(), 4);
        instance.check().refill.unwrap()
    };
    // A rule that is gone by then is not asked for.
    instance.engine.reload(RuleFile::default()).unwrap();
    let refilled = instance.engine.refill(&request);
    assert_eq!(instance.fake.asks(), 1);
    let decision = instance.engine.check_refilled(&Statement::new(SQL), refilled);
    assert_eq!((outcome(&decision), decision.rule), ((Allow, Reason::Allowed), None));
}

#[test]
fn a_rule_may_move_to_the_cluster_and_back() {
    let of_process = "rules: [{name: reports, limit: {fixed_window: {max: 2, window: 1h}}}]";
    let of_cluster = "rules: [{name: reports, limit: {fixed_window: {max: 2, window: 1h}}, scope: cluster}]";
    let instance = Instance::new(of_process);
    assert_eq!(instance.passing(1), 1);
    instance.engine.reload(file("", of_cluster)).unwrap();
    assert_eq!(instance.passing(5), 2);
    instance.engine.reload(file("", of_process)).unwrap();
    // What was counted here before is not forgotten.
    assert_eq!(instance.passing(5), 1);
}

#[test]
fn rules_that_instances_share_need_a_quota_that_keeps_what_they_count() {
    let code = |error: sqlthrottle::LoadError| error.faults()[0].code;
    assert_eq!(code(Engine::new(file("", ONE_RULE)).unwrap_err()), "rule.scope.no_backend");
    let places = "rules: [{name: reports, limit: {concurrency: {max: 2}}, scope: cluster}]";
    let build = |rules| Engine::builder(file("", rules)).cluster(Arc::<Fake>::default()).build();
    let refused = build(places).unwrap_err();
    assert_eq!(refused.faults()[0].path, "rules.\"reports\".scope");
    assert_eq!(code(refused), "rule.scope.concurrency");
    let engine = build(ONE_RULE).unwrap();
    assert_eq!(code(engine.reload(file("", places)).unwrap_err()), "rule.scope.concurrency");
}
