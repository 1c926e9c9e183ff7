//! Statements that have waited.

use super::*;

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
fn a_fixed_delay_that_is_served_asks_the_cluster_for_nothing() {
    let rules = "rules:
  - {name: shared, limit: {fixed_window: {max: 100, window: 1h}}, scope: cluster, then: {strategy: delay, delay: 1s}}";
    let instance = Instance::new(rules);
    instance.fake.says(Says::No(Some(SECOND)));
    let delayed = instance.settled();
    assert_eq!((delayed.verdict, delayed.delay), (Delay, Some(SECOND)));
    instance.clock.advance(SECOND);
    assert_eq!(outcome(&instance.engine.resume(delayed.ticket.unwrap())), (Allow, Reason::Allowed));
    assert_eq!(instance.fake.asks(), 1);
}

/// Too heavy for the refusal to be remembered: it is known by the refill alone.
#[test]
fn a_heavy_batch_that_is_refused_after_its_wait_waits_on() {
    let rules = "rules:
  - name: shared
    limit: {fixed_window: {max: 10000, window: 1h}}
    scope: cluster
    then: {strategy: delay, delay: until_allowed, max_delay: 10s}";
    let instance = Instance::with(", on_failure: closed", rules);
    instance.fake.says(Says::No(Some(SECOND)));
    let delayed = instance.settle(&Statement::new(SQL).weight(5000));
    assert_eq!((delayed.verdict, delayed.delay), (Delay, Some(SECOND)));
    instance.clock.advance(SECOND);
    let needed = instance.engine.resume(delayed.ticket.unwrap());
    let refilled = instance.engine.refill(&needed.refill.unwrap());
    let again = instance.engine.resume_refilled(needed.ticket.unwrap(), refilled);
    assert_eq!((outcome(&again), again.delay), ((Delay, Reason::OverLimit), Some(SECOND)));
}
