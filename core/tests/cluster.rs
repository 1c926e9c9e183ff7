//! Rules whose limits instances share, with a quota that stands in for a cluster.

// A test that cannot go on says so by panicking.
#![allow(clippy::unwrap_used, clippy::expect_used)]

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

fn failing(on_failure: &str, rules: &str) -> Instance {
    let instance = Instance::with(&format!(", on_failure: {on_failure}"), rules);
    instance.fake.says(Says::Fails);
    instance
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
    let early = SECOND - refused.retry_after.unwrap();
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
    let instance = Instance::new(ONE_RULE);
    let decision = instance.settle(&Statement::new(SQL).weight(101));
    assert_eq!(outcome(&decision), (Abort, Reason::Never));
    assert_eq!((decision.retry_after, instance.fake.asks()), (None, 0));
}

#[test]
fn instances_pass_no_more_than_the_limit_together() {
    let first = Instance::new(ONE_RULE);
    let second = Instance::sharing(&first.fake, "", ONE_RULE);
    let mut passed = 0;
    for _ in 0..100 {
        passed += first.passing(1) + second.passing(1);
    }
    assert_eq!(passed, 100);
    assert_eq!(outcome(&first.check()), (Abort, Reason::OverLimit));
    assert_eq!(outcome(&second.check()), (Abort, Reason::OverLimit));
}

#[test]
fn threads_spend_no_more_than_was_granted() {
    let rules = "rules:
  - {name: local, limit: {fixed_window: {max: 700, window: 1h}}}
  - {name: shared, limit: {fixed_window: {max: 1000, window: 1h}}, scope: cluster}";
    let instance = Instance::new(rules);
    let passed: usize = std::thread::scope(|scope| {
        let threads = [0; 2].map(|_| scope.spawn(|| instance.passing(500)));
        threads.map(|thread| thread.join().unwrap()).into_iter().sum()
    });
    assert_eq!(passed, 700);
    // What the local rule has refused, at once or in a race, has spent nothing: all that is granted is spent but a last lease
    // of each thread.
    assert!((700..=800).contains(&instance.fake.granted()), "{}", instance.fake.granted());
}

#[test]
fn a_grant_beyond_what_was_asked_for_is_not_spent() {
    let instance = Instance::new(ONE_RULE);
    instance.fake.says(Says::TooMuch);
    assert_eq!(instance.passing(1), 1);
    assert_eq!((0..10).filter(|_| instance.check().is_allowed()).count(), 4);
}

#[test]
fn what_is_not_spent_lapses_with_its_lease() {
    let instance = Instance::new(ONE_RULE);
    assert_eq!(instance.passing(1), 1);
    instance.clock.advance(TTL - Duration::from_nanos(1));
    assert_eq!(instance.check().verdict, Allow);
    instance.clock.advance(Duration::from_nanos(1));
    assert_eq!(instance.check().verdict, RefillNeeded);
    // The three that have lapsed do not come back with the next lease.
    assert_eq!(instance.passing(5), 5);
    assert_eq!(instance.fake.asks(), 2);
    assert_eq!(instance.check().verdict, RefillNeeded);
}

#[test]
fn a_refill_is_for_who_has_asked() {
    let instance = Instance::with(", lease: {fraction: 0}, on_failure: closed", ONE_RULE);
    let refilled = instance.refill();
    // Nobody else is quicker.
    assert_eq!(instance.check().verdict, RefillNeeded);
    let statement = Statement::new(SQL);
    assert_eq!(instance.engine.check_refilled(&statement, refilled).verdict, Allow);

    // Too late, it has lapsed; and a second refill is not asked for.
    let refilled = instance.refill();
    instance.clock.advance(TTL);
    let decision = instance.engine.check_refilled(&statement, refilled);
    assert_eq!(outcome(&decision), (Abort, Reason::ClusterDown));
    assert_eq!(instance.engine.snapshot().cluster_failures, 0);
}

#[test]
fn a_refill_asks_once_for_what_another_has_brought() {
    let instance = Instance::new(ONE_RULE);
    let request = instance.check().refill.unwrap();
    assert_eq!(instance.check().refill.as_ref(), Some(&request));
    let refills: Vec<_> = (0..5).map(|_| instance.engine.refill(&request)).collect();
    assert_eq!(instance.fake.asks(), 1);
    for refilled in refills {
        assert_eq!(instance.engine.check_refilled(&Statement::new(SQL), refilled).verdict, Allow);
    }
    assert_eq!(instance.check().verdict, RefillNeeded);
}

#[test]
fn after_a_failure_the_rule_holds_in_the_process() {
    let rules = "rules: [{name: reports, limit: {fixed_window: {max: 2, window: 1h}}, scope: cluster}]";
    let instance = failing("local", rules);
    let decisions: Vec<_> = (0..3).map(|_| instance.settled()).collect();
    assert_eq!(
        decisions.iter().map(outcome).collect::<Vec<_>>(),
        [(Allow, Reason::Allowed), (Allow, Reason::Allowed), (Abort, Reason::OverLimit)]
    );
    assert_eq!((decisions[1].count, decisions[1].limit), (2, 2));
    // A cluster that is down is not asked by every check.
    assert_eq!((instance.fake.asks(), instance.engine.snapshot().cluster_failures), (1, 1));
    assert!(instance.engine.snapshot().prometheus().contains("sql_throttle_cluster_failures_total 1\n"));

    instance.clock.advance(TTL);
    instance.fake.says(Says::WithinLimit);
    assert_eq!(instance.settled().verdict, Allow);
    assert_eq!(instance.fake.asks(), 2);
}

#[test]
fn after_a_failure_what_a_closed_rule_matches_is_aborted() {
    let then = "rules: [{name: reports, limit: {fixed_window: {max: 100, window: 1h}}, scope: cluster,
        then: {strategy: delay, delay: 1s, share: 1/2}}]";
    let instance = failing("closed", then);
    for _ in 0..2 {
        let decision = instance.settled();
        assert_eq!(outcome(&decision), (Abort, Reason::ClusterDown));
        assert_eq!((decision.retry_after, decision.limit), (Some(TTL), 100));
        assert_eq!(decision.rule.unwrap().as_str(), "reports");
    }
    instance.clock.advance(TTL);
    assert_eq!(instance.check().verdict, RefillNeeded);
}

#[test]
fn after_a_failure_an_open_rule_is_not_asked() {
    let instance = failing("open", ONE_RULE);
    let decision = instance.settled();
    assert_eq!((outcome(&decision), decision.rule), ((Allow, Reason::Allowed), None));
    assert_eq!(instance.passing(1000), 1000);
    assert_eq!(instance.engine.snapshot().rules[0].matched, 0);

    let with_threshold = failing("open", &format!("default_threshold: 3\n{ONE_RULE}"));
    assert_eq!(with_threshold.passing(10), 3);
}

#[test]
fn after_a_failure_another_limit_and_share_hold() {
    let instance = failing("{max: 2, window: 1s, share: 1/2}", ONE_RULE);
    let decisions: Vec<_> = (0..6).map(|_| instance.settled()).collect();
    assert_eq!(
        decisions.iter().map(|decision| decision.reason).collect::<Vec<_>>(),
        [
            Reason::Allowed,
            Reason::Allowed,
            Reason::PassedOver,
            Reason::OverLimit,
            Reason::PassedOver,
            Reason::OverLimit,
        ]
    );
    assert!(decisions.iter().all(|decision| decision.limit == 2));

    // Once the cluster answers again, the limit is the rule's, and so is the share.
    instance.clock.advance(TTL);
    instance.fake.says(Says::WithinLimit);
    assert_eq!(instance.settled().limit, 100);
    assert_eq!(instance.passing(99), 99);
    assert_eq!(outcome(&instance.settled()), (Abort, Reason::OverLimit));
    assert_eq!(outcome(&instance.settled()), (Abort, Reason::OverLimit));
}

#[test]
fn a_rule_may_have_a_policy_of_its_own() {
    let rules = "rules:
  - {name: strict, match: {tables: [payments]}, limit: {fixed_window: {max: 5, window: 1s}}, scope: cluster, on_failure: closed}
  - {name: lax, match: {tables: [reports]}, limit: {fixed_window: {max: 5, window: 1s}}, scope: cluster}";
    let instance = failing("open", rules);
    let strict = instance.settle(&Statement::new("select * from payments"));
    assert_eq!(outcome(&strict), (Abort, Reason::ClusterDown));
    assert_eq!(outcome(&instance.settled()), (Allow, Reason::Allowed));
}

#[test]
fn a_failure_is_of_the_rule_and_not_of_each_key() {
    let rules = "rules: [{name: reports, limit: {fixed_window: {max: 9, window: 1s}}, per: [user], scope: cluster}]";
    let instance = failing("open", rules);
    for user in 0..100 {
        let user = user.to_string();
        assert_eq!(instance.settle(&Statement::new(SQL).user(&user)).verdict, Allow);
    }
    assert_eq!(instance.fake.asks(), 1);
}

#[test]
fn what_a_local_rule_refuses_spends_no_credit() {
    let rules = "rules:
  - {name: local, limit: {fixed_window: {max: 2, window: 1s}}}
  - {name: shared, limit: {fixed_window: {max: 100, window: 1h}}, scope: cluster}";
    let instance = Instance::new(rules);
    assert_eq!(instance.passing(50), 2);
    assert_eq!(instance.engine.snapshot().rules[0].aborted, 48);
    // Of the lease of five, three are left for the next window; they have not lapsed.
    let engine = &instance.engine;
    let third = file("", "rules: [{name: shared, limit: {fixed_window: {max: 100, window: 1h}}, scope: cluster}]");
    engine.reload(third).unwrap();
    assert_eq!((0..10).filter(|_| instance.check().is_allowed()).count(), 3);
    assert_eq!(instance.fake.asks(), 1);
}

#[test]
fn a_cluster_that_refuses_spends_nothing_of_a_local_rule() {
    let rules = "rules:
  - {name: local, limit: {fixed_window: {max: 2, window: 1h}}}
  - {name: shared, limit: {fixed_window: {max: 100, window: 1h}}, scope: cluster}";
    let instance = Instance::new(rules);
    instance.fake.says(Says::No(None));
    assert_eq!(instance.passing(10), 0);
    instance.clock.advance(TTL);
    instance.fake.says(Says::WithinLimit);
    assert_eq!(instance.passing(10), 2);
}

#[test]
fn of_what_the_cluster_refuses_the_share_is_drawn() {
    let rules = "rules:
  - {name: reports, limit: {fixed_window: {max: 100, window: 1h}}, scope: cluster, then: {strategy: abort, share: 1/2}}";
    let instance = Instance::new(rules);
    instance.fake.says(Says::No(Some(SECOND)));
    let reasons: Vec<_> = (0..4).map(|_| instance.settled().reason).collect();
    assert_eq!(reasons, [Reason::PassedOver, Reason::OverLimit, Reason::PassedOver, Reason::OverLimit]);
}

#[test]
fn several_keys_are_taken_all_or_none() {
    let rules = "rules:
  - {name: orders, match: {tables: [orders]}, limit: {fixed_window: {max: 2, window: 1h}}, per: ['column:orders.id'], scope: cluster}";
    let instance = Instance::with(", lease: {fraction: 1}", rules);
    let check = |ids: &str| {
        let sql = format!("select * from orders where id in ({ids})");
        instance.settle(&Statement::new(&sql)).verdict
    };
    assert_eq!([check("1"), check("1")], [Allow, Allow]);
    assert_eq!([check("1,2"), check("2,1")], [Abort, Abort]);
    assert_eq!([check("2"), check("2"), check("2")], [Allow, Allow, Abort]);
    let keys: std::collections::HashSet<_> = instance.fake.asked().into_iter().map(|(_, key, ..)| key).collect();
    assert_eq!(keys.len(), 2);
}

#[test]
fn instances_name_a_key_alike() {
    let rules =
        "rules: [{name: reports, limit: {fixed_window: {max: 9, window: 1s}}, per: [user, client], scope: cluster}]";
    let (first, second) = (Instance::new(rules), Instance::new(rules));
    for instance in [&first, &second] {
        assert_eq!(instance.settle(&Statement::new(SQL).user("dev").client("10.0.0.1")).verdict, Allow);
    }
    let key = |instance: &Instance| instance.fake.asked().remove(0).1.to_string();
    assert_eq!(key(&first), key(&second));
    assert_eq!(key(&first).len(), 64);
    assert!(!key(&first).contains("dev"));
}

#[test]
fn keys_without_a_place_share_a_counter_of_the_cluster() {
    let rules = "limits: {max_keys: 10}
rules: [{name: reports, limit: {fixed_window: {max: 100, window: 1h}}, per: [user], scope: cluster}]";
    let instance = Instance::new(rules);
    let decide = |user: u32| instance.settle(&Statement::new(SQL).user(user.to_string().as_str()));
    let overflowing = (0..1000).filter(|user| decide(*user).overflow).count();
    // Those that came first keep their places as long as their leases last.
    assert_eq!(overflowing, 990);
    let keys: std::collections::HashSet<_> = instance.fake.asked().into_iter().map(|(_, key, ..)| key).collect();
    assert_eq!(keys.len(), 11);
    assert_eq!(instance.engine.snapshot().rules[0].keys, 10);

    // When those have lapsed there is room for others.
    instance.clock.advance(TTL);
    assert!(!decide(5000).overflow);
    assert_eq!(instance.engine.snapshot().rules[0].keys, 10);
}

const WAITING: &str = "rules:
  - name: shared
    limit: {fixed_window: {max: 100, window: 1h}}
    scope: cluster
    then: {strategy: delay, delay: until_allowed, max_delay: 10s}";

#[test]
fn a_statement_that_has_waited_may_need_a_refill() {
    let instance = Instance::new(WAITING);
    instance.fake.says(Says::No(Some(SECOND)));
    let delayed = instance.settled();
    assert_eq!((delayed.verdict, delayed.delay), (Delay, Some(SECOND)));

    instance.clock.advance(SECOND);
    instance.fake.says(Says::WithinLimit);
    let needed = instance.engine.resume(delayed.ticket.unwrap());
    assert_eq!(outcome(&needed), (RefillNeeded, Reason::Undecided));
    assert_eq!((needed.delay, needed.fingerprint), (None, delayed.fingerprint));
    let refilled = instance.engine.refill(&needed.refill.unwrap());
    let decision = instance.engine.resume_refilled(needed.ticket.unwrap(), refilled);
    assert_eq!(outcome(&decision), (Allow, Reason::Allowed));

    let stats = &instance.engine.snapshot().rules[0];
    assert_eq!((stats.matched, stats.delayed, stats.resumed), (1, 1, 1));
    assert_eq!(instance.engine.snapshot().waiting, 0);
    // One of the five is spent.
    assert_eq!((0..10).filter(|_| instance.check().is_allowed()).count(), 4);
}

#[test]
fn a_statement_that_is_refused_after_its_wait_waits_on() {
    let instance = Instance::new(WAITING);
    instance.fake.says(Says::No(Some(SECOND)));
    let delayed = instance.settled();
    instance.clock.advance(SECOND);
    let needed = instance.engine.resume(delayed.ticket.unwrap());
    let refilled = instance.engine.refill(&needed.refill.unwrap());
    let again = instance.engine.resume_refilled(needed.ticket.unwrap(), refilled);
    assert_eq!((again.verdict, again.delay), (Delay, Some(SECOND)));
}

#[test]
fn a_statement_that_is_not_come_back_with_lapses_in_spite_of_a_refill() {
    let instance = Instance::new(WAITING);
    instance.fake.says(Says::No(Some(SECOND)));
    let delayed = instance.settled();
    instance.clock.advance(5 * SECOND);
    let needed = instance.engine.resume(delayed.ticket.unwrap());
    assert_eq!(needed.verdict, RefillNeeded);
    instance.clock.advance(2 * SECOND);
    let refilled = instance.engine.refill(&needed.refill.unwrap());
    let lapsed = instance.engine.resume_refilled(needed.ticket.unwrap(), refilled);
    assert_eq!(outcome(&lapsed), (Abort, Reason::MaxDelay));
}

#[test]
fn a_wait_for_a_local_rule_spends_credit_when_it_ends() {
    let rules = "rules:
  - {name: local, limit: {fixed_window: {max: 1, window: 1s}}, then: {strategy: delay, delay: until_allowed, max_delay: 10s}}
  - {name: shared, limit: {fixed_window: {max: 2, window: 1h}}, scope: cluster}";
    let instance = Instance::with(", lease: {fraction: 1, ttl: 1h}", rules);
    assert_eq!(instance.settled().verdict, Allow);
    let delayed = instance.settled();
    assert_eq!(delayed.verdict, Delay);
    instance.clock.advance(delayed.delay.unwrap());
    assert_eq!(instance.engine.resume(delayed.ticket.unwrap()).verdict, Allow);
    instance.clock.advance(SECOND);
    // Both that there were are spent.
    assert_eq!(outcome(&instance.settled()), (Abort, Reason::OverLimit));
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
fn a_rule_that_is_only_observed_draws_credit_and_refuses_nothing() {
    let rules = "rules: [{name: reports, limit: {fixed_window: {max: 10, window: 1h}}, scope: cluster, mode: observe}]";
    let instance = Instance::with(", lease: {fraction: 0.5}, on_failure: closed", rules);
    assert_eq!(instance.check().verdict, RefillNeeded);
    let decisions: Vec<_> = (0..15).map(|_| instance.settled()).collect();
    assert!(decisions.iter().all(Decision::is_allowed));
    assert_eq!(decisions.iter().filter(|decision| decision.observed == Some(Abort)).count(), 5);
    assert_eq!(instance.fake.granted(), 10);
    let stats = &instance.engine.snapshot().rules[0];
    assert_eq!((stats.passed, stats.would_abort), (15, 5));

    instance.clock.advance(20 * SECOND);
    instance.fake.says(Says::Fails);
    let decision = instance.settled();
    assert_eq!((decision.verdict, decision.observed), (Allow, Some(Abort)));
}

#[test]
fn what_is_refused_draws_nothing_of_a_rule_that_is_only_observed() {
    let rules = "rules:
  - {name: local, limit: {fixed_window: {max: 1, window: 1h}}}
  - {name: shared, limit: {fixed_window: {max: 100, window: 1h}}, scope: cluster, mode: observe}";
    let instance = Instance::new(rules);
    assert_eq!(instance.passing(20), 1);
    // Of a lease of five one is spent.
    assert_eq!(instance.fake.asks(), 1);
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
