//! What holds when the cluster does not answer.

use super::*;

fn failing(on_failure: &str, rules: &str) -> Instance {
    let instance = Instance::with(&format!(", on_failure: {on_failure}"), rules);
    instance.fake.says(Says::Fails);
    instance
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
