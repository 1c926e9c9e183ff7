//! What a refill brings, and to whom.

use super::*;

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
fn a_refill_is_gone_with_its_lease_though_another_has_begun() {
    let instance = Instance::with(", lease: {fraction: 0}, on_failure: closed", ONE_RULE);
    let late = instance.refill();
    instance.clock.advance(TTL);
    let refilled = instance.refill();
    let statement = Statement::new(SQL);
    assert_eq!(outcome(&instance.engine.check_refilled(&statement, late)), (Abort, Reason::ClusterDown));
    assert_eq!(instance.engine.check_refilled(&statement, refilled).verdict, Allow);
}

#[test]
fn a_refill_for_one_statement_is_not_enough_for_a_batch() {
    let instance = Instance::with(", lease: {fraction: 0}, on_failure: closed", ONE_RULE);
    let refilled = instance.refill();
    let batch = Statement::new(SQL).weight(2);
    assert_eq!(outcome(&instance.engine.check_refilled(&batch, refilled)), (Abort, Reason::ClusterDown));
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
fn a_refill_does_not_ask_again_for_what_was_refused_or_has_failed() {
    for says in [Says::No(Some(SECOND)), Says::Fails] {
        let instance = Instance::new(ONE_RULE);
        instance.fake.says(says);
        let request = instance.check().refill.unwrap();
        for _ in 0..3 {
            let _ = instance.engine.refill(&request);
        }
        assert_eq!(instance.fake.asks(), 1);
    }
}

#[test]
fn a_grant_beyond_what_was_asked_for_is_not_spent() {
    let instance = Instance::new(ONE_RULE);
    instance.fake.says(Says::TooMuch);
    assert_eq!(instance.passing(1), 1);
    assert_eq!((0..10).filter(|_| instance.check().is_allowed()).count(), 4);
}

#[test]
fn a_refill_that_comes_when_the_file_is_off_by_then_is_not_looked_at() {
    let instance = Instance::with(", lease: {fraction: 0}", ONE_RULE);
    let refilled = instance.refill();
    instance.engine.reload(file("", &format!("mode: off\n{ONE_RULE}"))).unwrap();
    assert_eq!(outcome(&instance.engine.check_refilled(&Statement::new(SQL), refilled)), (Allow, Reason::Off));
}
