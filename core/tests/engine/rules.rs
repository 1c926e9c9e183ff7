//! Several rules in one check, and rules that change while statements wait or are held.

use sqlthrottle::rule::{Limit, Rule};
use sqlthrottle::{
    AdminAnswer, Decision, Engine, Fakes, ManualClock, Reason, RuleFile, RuleName, RuleStats, Statement, Threshold,
    Ticket, Verdict,
};
use std::time::{Duration, SystemTime};

const SECOND: Duration = Duration::from_secs(1);
const SQL: &str = "select * from users where id = 7";

fn rules(text: &str) -> RuleFile {
    RuleFile::parse(text).unwrap()
}

fn engine(text: &str) -> (Engine, ManualClock) {
    let clock = ManualClock::new();
    (Engine::with_clock(rules(text), clock.clone()).unwrap(), clock)
}

fn stats(engine: &Engine, name: &str) -> RuleStats {
    engine.snapshot().rules.into_iter().find(|rule| rule.name.as_str() == name).unwrap()
}

fn wait(clock: &ManualClock, decision: &Decision) -> Ticket {
    assert_eq!(decision.verdict, Verdict::Delay, "{decision:?}");
    clock.advance(decision.delay.unwrap());
    decision.ticket.unwrap()
}

/// What becomes of a statement, and what its rule counts by then.
fn outcome(engine: &Engine, sql: &str) -> (Verdict, u64) {
    let decision = engine.check(sql);
    (decision.verdict, decision.count)
}

#[test]
fn a_statement_that_is_held_back_again_and_again_is_one_attempt() {
    let (engine, clock) = engine(
        "
        default_threshold: {max_count: 5, window: 1m}
        rules:
          - {name: one, limit: {concurrency: {max: 1}}, then: {strategy: delay, delay: until_allowed, max_delay: 1m}}
        ",
    );
    let running = engine.check(SQL).permit.unwrap();
    let mut decision = engine.check(SQL);
    for _ in 0..20 {
        decision = engine.resume(wait(&clock, &decision));
    }
    let ticket = wait(&clock, &decision);
    assert!(engine.release(running));
    assert!(engine.resume(ticket).is_allowed());
    // The two that were sent, and no more of what one of them has tried.
    let threshold = engine.check(SQL);
    assert_eq!(threshold.verdict, Verdict::Delay);
    let (free, _) = (engine.rules(), engine.reload(rules("default_threshold: {max_count: 5, window: 1m}")).unwrap());
    assert_eq!(free.rules.len(), 1);
    assert_eq!(engine.check(SQL).count, 4);
}

#[test]
fn a_wait_for_several_rules_is_bounded_as_a_whole() {
    let (engine, clock) = engine(
        "
        rules:
          - {name: a, limit: {concurrency: {max: 1}}, then: {strategy: delay, delay: until_allowed, max_delay: 1s}}
          - {name: b, limit: {token_bucket: {capacity: 1, rate: 1/400ms}}, then: {strategy: delay, delay: until_allowed, max_delay: 1s}}
        ",
    );
    let running = engine.check(SQL).permit.unwrap();
    let mut decision = engine.check(SQL);
    let mut waited = Duration::ZERO;
    while let Some(delay) = decision.delay {
        waited += delay;
        decision = engine.resume(wait(&clock, &decision));
    }
    assert_eq!((decision.verdict, decision.reason), (Verdict::Abort, Reason::MaxDelay));
    assert_eq!(waited, SECOND, "for b until it had a token, and then for a");
    assert!(engine.release(running));
    assert_eq!((stats(&engine, "b").resumed, stats(&engine, "a").aborted_waiting), (1, 1));
    assert_eq!(engine.snapshot().waiting, 0);
}

#[test]
fn a_place_is_handed_out_once() {
    let (engine, _clock) = engine(
        "
        mode: observe
        rules:
          - {name: places, limit: {concurrency: {max: 10}}}
          - {name: few, limit: {fixed_window: {max: 1, window: 1h}}}
        ",
    );
    let first = engine.check(SQL);
    let second = engine.check(SQL);
    assert_eq!((second.observed, second.permit), (Some(Verdict::Abort), None), "it holds nothing");
    assert_eq!(stats(&engine, "places").in_use, 1);
    assert!(engine.release(first.permit.unwrap()));
    assert_eq!(stats(&engine, "places").in_use, 0);
}

#[test]
fn attempts_taken_beforehand_refuse_nothing_once_rules_only_observe() {
    for changed in ["mode: observe", "default_threshold: {max_count: 2, rate: 1/2}"] {
        let before = "default_threshold: {max_count: 2}";
        let (engine, _clock) = engine(before);
        for _ in 0..50 {
            let _ = engine.check(SQL);
        }
        let text = if changed.starts_with("mode") { format!("{changed}\n{before}") } else { changed.to_owned() };
        engine.reload(rules(&text)).unwrap();
        let allowed = (0..10).filter(|_| engine.check(SQL).is_allowed()).count();
        assert_eq!(allowed, if changed.starts_with("mode") { 10 } else { 5 }, "{changed}");
    }
}

#[test]
fn what_waits_is_let_go_where_rules_are_turned_off() {
    let rule = "{name: slow, limit: {token_bucket: {capacity: 1, rate: 1/h}}, then: {strategy: delay, delay: until_allowed, max_delay: 1h}";
    for off in [format!("mode: off\nrules: [{rule}}}]"), format!("rules: [{rule}, mode: off}}]"), String::new()] {
        let (engine, clock) = engine(&format!("rules: [{rule}}}]"));
        assert!(engine.check(SQL).is_allowed());
        let (one, two) = (engine.check(SQL), engine.check(SQL));
        let ticket = wait(&clock, &one);
        engine.reload(rules(&off)).unwrap();
        // The one token that has come by then would not do for both.
        assert!(engine.resume(ticket).is_allowed(), "{off}");
        assert!(engine.resume(two.ticket.unwrap()).is_allowed(), "{off}");
    }
}

#[test]
fn an_abort_goes_before_what_a_host_decides_by_itself() {
    let (engine, clock) = engine(
        "
        rules:
          - {name: hosts, limit: {fixed_window: {max: 1, window: 1h}}, then: {strategy: 'custom:shed'}}
          - {name: plain, limit: {token_bucket: {capacity: 1, rate: 1/s}}}
        ",
    );
    assert!(engine.check(SQL).is_allowed());
    let both = engine.check(SQL);
    assert_eq!((both.rule.unwrap().to_string().as_str(), both.custom), ("plain", None));
    clock.advance(SECOND);
    assert_eq!(engine.check(SQL).custom.as_deref(), Some("shed"));
}

/// Of either set one of its two rules blocks all that comes; without that one, or with both of them off, statements would pass.
#[test]
fn no_check_sees_half_of_two_sets() {
    let set = |off, on| {
        rules(&format!(
            "rules: [{{name: {off}, limit: {{block: true}}, mode: off}}, {{name: {on}, limit: {{block: true}}}}]"
        ))
    };
    let (one, other) = (set("a", "b"), set("b", "a"));
    let engine = Engine::new(one.clone()).unwrap();
    std::thread::scope(|scope| {
        let checks = scope.spawn(|| {
            for round in 0..5_000 {
                for sql in [SQL, &format!("select {round} from t{}", round % 1000)] {
                    assert_eq!(engine.check(sql).reason, Reason::Blocked, "{sql}");
                }
            }
        });
        // However the two threads are scheduled, rules change as long as there are checks.
        while !checks.is_finished() {
            engine.reload(other.clone()).unwrap();
            engine.reload(one.clone()).unwrap();
        }
        checks.join().unwrap();
    });
}

#[test]
fn tickets_of_rules_that_are_gone_are_let_go() {
    let (engine, clock) = engine("");
    for round in 0..20 {
        let then = "{strategy: delay, delay: 10ms, max_delayed: 50}";
        engine.reload(rules(&format!("rules: [{{name: r{round}, limit: {{block: true}}, then: {then}}}]"))).unwrap();
        for _ in 0..100 {
            let _ = engine.check(SQL);
        }
        assert!(engine.snapshot().waiting <= 100, "those of the rule before may come back yet");
        clock.advance(Duration::from_secs(3600));
    }
    engine.reload(rules("")).unwrap();
    assert_eq!(engine.snapshot().waiting, 0);
}

#[test]
fn a_waiting_statement_goes_by_what_the_provider_says_now() {
    let clock = ManualClock::new();
    let engine = Engine::builder(RuleFile::default()).clock(clock.clone()).asks_provider(true).build().unwrap();
    let fingerprint = engine.check(SQL).fingerprint.unwrap();
    let mut threshold = Threshold::new(1);
    threshold.strategy = sqlthrottle::Strategy::Delay(sqlthrottle::Delay::UntilAllowed { max: 600 * SECOND });
    engine.set_threshold(&fingerprint, Some(threshold), SECOND).unwrap();
    assert!(engine.check(SQL).is_allowed());
    let waiting = [(); 3].map(|()| engine.check(SQL));
    let tickets = waiting.each_ref().map(|delayed| delayed.ticket.unwrap());
    let _ = wait(&clock, &waiting[0]);
    assert!(engine.resume(tickets[0]).is_allowed());
    assert_eq!(engine.resume(tickets[1]).verdict, Verdict::Delay);
    engine.set_threshold(&fingerprint, None, SECOND).unwrap();
    assert!(engine.resume(tickets[2]).is_allowed());
}

#[test]
fn a_threshold_of_the_provider_that_is_out_of_bounds_changes_nothing() {
    let engine = Engine::builder(RuleFile::default()).asks_provider(true).build().unwrap();
    let fingerprint = engine.check(SQL).fingerprint.unwrap();
    engine.set_threshold(&fingerprint, Some(Threshold::new(1)), SECOND).unwrap();
    assert!(engine.set_threshold(&fingerprint, Some(Threshold::new(2).buckets(0)), SECOND).is_err());
    assert_eq!([engine.check(SQL).verdict, engine.check(SQL).verdict], [Verdict::Allow, Verdict::Abort]);
}

#[test]
fn no_more_thresholds_are_due_than_are_asked_for() {
    let clock = ManualClock::new();
    let engine = Engine::builder(RuleFile::default()).clock(clock.clone()).asks_provider(true).build().unwrap();
    for sql in ["select a", "select b", "select c"] {
        engine.set_threshold(&engine.check(sql).fingerprint.unwrap(), None, SECOND).unwrap();
    }
    assert_eq!(engine.thresholds_due(10).len(), 0);
    clock.advance(SECOND);
    assert_eq!([2, 10].map(|most| engine.thresholds_due(most).len()), [2, 3]);
}

#[test]
fn an_answer_for_one_statement_leaves_the_others_as_they_are() {
    let engine = Engine::builder(RuleFile::default()).clock(ManualClock::new()).asks_provider(true).build().unwrap();
    let others: Vec<String> = (0..50).map(|n| format!("select * from t{n}")).collect();
    for (n, sql) in others.iter().enumerate() {
        let needed = engine.check(sql);
        assert_eq!(needed.verdict, Verdict::ThresholdNeeded);
        engine.set_threshold(&needed.fingerprint.unwrap(), Some(Threshold::new(2)), SECOND).unwrap();
        assert!(others[..=n].iter().all(|sql| engine.check(sql).verdict != Verdict::ThresholdNeeded));
    }
}

#[test]
fn a_host_without_a_provider_at_hand_passes_by_the_other_rules() {
    let engine = Engine::builder(RuleFile::default()).asks_provider(true).build().unwrap();
    assert!(engine.guard(&Statement::new(SQL)).is_ok());
    assert_eq!(engine.snapshot().provider_failures, 1);
}

#[test]
fn a_rule_that_has_expired_does_not_come_back_with_another_change() {
    let at = |seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
    let text = "rules: [{name: r, limit: {block: true}, expires: 1970-01-01T00:01:00Z}]";
    let (engine, clock) = engine(text);
    assert!(!engine.check(SQL).is_allowed());
    clock.set_wall(at(60));
    assert!(engine.check(SQL).is_allowed());
    clock.set_wall(at(0));
    engine.admin("SET GLOBAL sql_throttle_add_rule = '{pattern: nothing, capacity: 1, rate: 1}'").unwrap();
    engine.reload(rules(text)).unwrap();
    assert!(engine.check(SQL).is_allowed());
    // Another time is another word.
    engine.reload(rules("rules: [{name: r, limit: {block: true}, expires: 1970-01-01T00:02:00Z}]")).unwrap();
    assert!(!engine.check(SQL).is_allowed());
}

#[test]
fn a_file_that_an_added_rule_does_not_go_with_is_refused_and_says_so() {
    let (engine, _clock) = engine("");
    engine.admin("SET GLOBAL sql_throttle_add_rule = '{pattern: select, capacity: 1, rate: 1}'").unwrap();
    let error = engine.reload(rules("limits: {max_rules: 1}\nrules: [{name: r, limit: {block: true}}]")).unwrap_err();
    assert_eq!(error.faults()[0].code, "rules.too_many");
    let added = "{name: strict, mode: enforce, match: {pattern: select}, limit: {block: true}}";
    engine.admin(format!("SET GLOBAL sql_throttle_add_rule = '{added}'")).unwrap();
    let error = engine.reload(rules("mode: observe")).unwrap_err();
    assert!(error.to_string().contains("the rule `strict` of an admin statement"), "{error}");
    assert_eq!(engine.version(), 3);
}

#[test]
fn who_removes_what_is_no_rule_in_force_is_told_what_it_is() {
    let (engine, _clock) =
        engine("default_threshold: 9\nthresholds: {9f2c41d07b6e: 9}\nrules: [{name: r, limit: {block: true}}]");
    let remove = |name: &str| engine.admin(format!("SET GLOBAL sql_throttle_remove_rule = '{name}'"));
    let code = |name: &str| remove(name).unwrap_err().faults()[0].code;
    assert_eq!(remove("r").unwrap(), AdminAnswer::Removed(RuleName::Rule("r".into())));
    assert_eq!(code("r"), "admin.rule.removed");
    assert_eq!(code("x"), "admin.rule.unknown");
    for threshold in ["default_threshold", "threshold:9f2c41d07b6e", "provider"] {
        assert_eq!(code(threshold), "admin.rule.threshold", "{threshold}");
    }
    let AdminAnswer::Rules { version, rules, removed } = engine.admin("SHOW GLOBAL sql_throttle_rules").unwrap() else {
        panic!("the rules were to be shown");
    };
    assert_eq!((version, removed), (2, vec![RuleName::Rule("r".into())]));
    assert_eq!(engine.snapshot().removed, [RuleName::Rule("r".into())]);
    assert_eq!(rules.len(), 2);
    assert_eq!(engine.rules().rules, []);
}

#[test]
fn no_more_removals_are_remembered_than_the_file_has_rules() {
    let (engine, _clock) = engine("");
    for n in 0..50 {
        engine.reload(rules(&format!("rules: [{{name: r{n}, limit: {{block: true}}}}]"))).unwrap();
        engine.admin(format!("SET GLOBAL sql_throttle_remove_rule = 'r{n}'")).unwrap();
        assert_eq!(engine.snapshot().removed.len(), 1);
    }
}

#[test]
fn what_many_rules_come_to_counts_as_memory() {
    let rule = |n| format!("  - {{name: r{n}, limit: {{fixed_window: {{max: 1000000, window: 1s}}}}}}\n");
    let many = (0..500).map(rule).collect::<Vec<_>>().concat();
    let (engine, _clock) = engine(&format!("limits: {{cache_bytes: 1MiB}}\nrules:\n{many}"));
    for n in 0..300 {
        assert!(engine.check(format!("select * from t{n}")).is_allowed());
    }
    // A plan of 500 rules takes tens of kilobytes, and the shapes an eighth of a megabyte.
    assert!(engine.snapshot().shapes < 50, "{}", engine.snapshot().shapes);
}

#[test]
fn a_check_that_falls_to_the_shared_limiter_is_counted_once() {
    let (engine, _clock) = engine(
        "
        limits: {max_keys: 1}
        rules:
          - {name: ids, per: ['column:users.id'], limit: {fixed_window: {max: 100, window: 1h}}}
        ",
    );
    let ids = |list: &str| format!("select * from users where id in ({list})");
    assert!(!engine.check(ids("1")).overflow);
    assert!(engine.check(ids("2, 3, 4")).overflow);
    assert_eq!(stats(&engine, "ids").overflow, 1);
    let decision = engine.check_statement(&Statement::new(&ids("5")).fakes(Fakes::Rows));
    assert_eq!((decision.count, stats(&engine, "ids").overflow), (2, 2));
}

#[test]
fn patterns_of_the_file_and_of_admin_statements_share_their_bounds() {
    // Run on every text, and together a little less than is allowed.
    let open = |from: usize, to: usize| {
        let mut file = RuleFile::default();
        for i in from..to {
            let mut rule = Rule::new(format!("rule-{i}"), Limit::Block);
            rule.matching.pattern = Some(format!("[0-9]+ [a-{}]{{500}}", char::from(b'b' + i as u8)));
            file.rules.push(rule);
        }
        file
    };
    let most = (1..25).find(|to| open(0, *to).validate().is_err()).unwrap() - 1;
    let engine = Engine::new(open(0, most)).unwrap();
    let add = |pattern: &str| {
        engine.admin(format!(
            "SET GLOBAL sql_throttle_add_rule = '{{name: added, pattern: \"{pattern}\", limit: {{block: true}}}}'"
        ))
    };
    let error = add("[0-9]+ [a-z]{600}").unwrap_err();
    assert_eq!(error.faults()[0].code, "rule.match.pattern.too_many");
    assert_eq!(error.faults()[0].path, "rules.\"added\".match.pattern");
    assert_eq!(engine.snapshot().version, 1);
    // One with a literal of its own is not concerned, and neither is one that a rule of the file has already.
    add("update reports").unwrap();
    assert!(!engine.check("update reports set a = 1").is_allowed() && engine.check("select 1").is_allowed());
    engine.admin("SET GLOBAL sql_throttle_remove_rule = 'added'").unwrap();
    add("[0-9]+ [a-b]{500}").unwrap();
    // What was added and what is read next are counted together.
    open(1, most + 1).validate().unwrap();
    let error = engine.reload(open(1, most + 1)).unwrap_err();
    assert_eq!(error.faults()[0].code, "rule.match.pattern.too_many");
    assert_eq!(error.faults()[0].path, "rules.\"added\".match.pattern");
    engine.reload(open(0, most)).unwrap();
}

#[test]
fn an_attempt_that_waits_is_none_of_a_window_in_other_buckets() {
    // Buckets of a second in both: an epoch is the same in either, and its slot is not there in the smaller one.
    let rules_of = |buckets: u32, max: u32| {
        rules(&format!(
            "
            default_threshold: {{max_count: {max}, window: {buckets}s, buckets: {buckets}}}
            rules:
              - {{name: slow, limit: {{token_bucket: {{capacity: 1, rate: 1/h}}}}, then: {{strategy: delay, delay: 1s}}}}
            "
        ))
    };
    let clock = ManualClock::new();
    let engine = Engine::with_clock(rules_of(61, 3), clock.clone()).unwrap();
    clock.advance(50 * SECOND);
    assert!(engine.check(SQL).is_allowed());
    let delayed = engine.check(SQL);
    engine.reload(rules_of(12, 3)).unwrap();
    let ticket = wait(&clock, &delayed);
    // It is among what the new window took over, and counts once more as it is sent.
    assert!(engine.resume(ticket).is_allowed());
    assert_eq!(stats(&engine, "default_threshold").keys, 1);
    engine.reload(rules("default_threshold: {max_count: 3, window: 12s, buckets: 12}")).unwrap();
    assert_eq!(outcome(&engine, SQL), (Verdict::Abort, 4));
    clock.advance(14 * SECOND);
    assert_eq!(outcome(&engine, SQL), (Verdict::Allow, 1));
}
