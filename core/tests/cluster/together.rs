//! Several instances, threads, rules and keys.

use super::*;

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
fn a_check_that_lacks_one_lease_spends_nothing_of_another() {
    let rules = "rules:
  - {name: wide, limit: {fixed_window: {max: 100, window: 1h}}, scope: cluster}
  - {name: narrow, limit: {fixed_window: {max: 20, window: 1h}}, scope: cluster}";
    let instance = Instance::new(rules);
    let asked = || instance.fake.asked().into_iter().map(|(rule, ..)| rule).collect::<Vec<_>>();
    // A lease of five, and one of one, which is spent.
    assert_eq!(instance.passing(1), 1);
    assert!((0..10).all(|_| instance.check().verdict == RefillNeeded));
    assert_eq!(instance.passing(4), 4);
    assert_eq!(asked(), ["wide", "narrow", "narrow", "narrow", "narrow", "narrow"]);
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
fn rules_that_are_only_observed_spend_no_credit_where_one_of_them_would_refuse() {
    let rules = "rules:
  - {name: local, limit: {fixed_window: {max: 1, window: 1h}}, mode: observe}
  - {name: shared, limit: {fixed_window: {max: 100, window: 1h}}, scope: cluster, mode: observe}";
    let instance = Instance::new(rules);
    assert_eq!(instance.passing(20), 20);
    assert_eq!(instance.engine.snapshot().rules[0].would_abort, 19);
    // Of a lease of five one is spent.
    assert_eq!(instance.fake.asks(), 1);
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
