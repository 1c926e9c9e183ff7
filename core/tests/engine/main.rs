//! What the engine decides: thresholds, strategies, shares, waiting, and what is never checked.

// A test that cannot go on says so by panicking.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod engines;
mod hot;
mod rules;
mod waiting;

use sqlthrottle::rule::{FingerprintPrefix, Mode, OnError, RuleFile, Threshold};
use sqlthrottle::{
    Decision, Delay, Dialect, Engine, Fakes, FingerprintOptions, ManualClock, Normalizer, Reason, Share, Statement,
    Strategy, Verdict,
};
use std::time::Duration;

const READ: &str = "select * from users where id = 7";
const WRITE: &str = "update users set name = 'x' where id = 7";
const SECOND: Duration = Duration::from_secs(1);

/// An engine whose default threshold is given, and its clock.
fn engine(threshold: Threshold) -> (Engine, ManualClock) {
    engine_with(threshold, |_| {})
}

fn engine_with(threshold: Threshold, change: impl FnOnce(&mut RuleFile)) -> (Engine, ManualClock) {
    let mut rules = RuleFile::default();
    rules.default_threshold = Some(threshold);
    change(&mut rules);
    let clock = ManualClock::new();
    (Engine::with_clock(rules, clock.clone()).unwrap(), clock)
}

fn verdicts<const N: usize>(mut check: impl FnMut() -> Decision) -> [Verdict; N] {
    std::array::from_fn(|_| check().verdict)
}

fn outcome(decision: &Decision) -> (Verdict, Reason) {
    (decision.verdict, decision.reason)
}

fn delaying(delay: Delay) -> Threshold {
    Threshold::new(1).window(10 * SECOND).buckets(10).strategy(Strategy::Delay(delay))
}

use Verdict::{Abort, Allow, Ignore};

#[test]
fn what_is_over_the_threshold_is_aborted_until_the_window_has_passed() {
    let (engine, clock) = engine(Threshold::new(2).window(10 * SECOND).buckets(10));
    assert_eq!(verdicts(|| engine.check(READ)), [Allow, Allow, Abort, Abort]);

    let refused = engine.check(READ);
    assert_eq!(outcome(&refused), (Abort, Reason::OverLimit));
    assert_eq!((refused.count, refused.limit), (5, 2));
    assert_eq!(refused.rule.unwrap().as_str(), "default_threshold");
    // All five count until the window and the bucket they began in are over.
    assert_eq!(refused.retry_after, Some(11 * SECOND));

    clock.advance(Duration::from_nanos(10_999_999_999));
    assert_eq!(engine.check(READ).verdict, Abort);
    clock.advance(11 * SECOND);
    assert_eq!(engine.check(READ).verdict, Allow);
}

#[test]
fn shapes_are_counted_apart_and_constants_together() {
    let (engine, _clock) = engine(Threshold::new(1));
    assert!(engine.check("select a from t where b = 1").is_allowed());
    assert!(engine.check("select a from t where c = 1").is_allowed());
    assert!(!engine.check("SELECT a FROM t WHERE b = 2 -- again").is_allowed());
}

#[test]
fn a_named_fingerprint_has_its_own_threshold() {
    let fingerprint =
        Normalizer::new(FingerprintOptions::new(Dialect::Generic)).normalize(READ.as_bytes()).fingerprint();
    let (engine, _clock) = engine_with(Threshold::new(1), |rules| {
        let other = FingerprintPrefix::new("000000000000").unwrap();
        rules.thresholds.push((other, Threshold::new(50)));
        rules.thresholds.push((FingerprintPrefix::new(&format!("{fingerprint:.16}")).unwrap(), Threshold::new(3)));
    });
    assert_eq!(verdicts(|| engine.check(READ)), [Allow, Allow, Allow, Abort]);
    assert_eq!(engine.check(READ).rule.unwrap().as_str(), format!("threshold:{fingerprint:.12}"));
    assert_eq!(verdicts(|| engine.check(WRITE)), [Allow, Abort]);

    let names: Vec<_> = engine.snapshot().rules.iter().map(|rule| rule.name.to_string()).collect();
    assert_eq!(
        names,
        ["threshold:000000000000".into(), format!("threshold:{fingerprint:.12}"), "default_threshold".into()]
    );
}

#[test]
fn without_a_rule_everything_passes() {
    let clock = ManualClock::new();
    let engine = Engine::with_clock(RuleFile::default(), clock).unwrap();
    let decision = engine.check(READ);
    assert_eq!(outcome(&decision), (Allow, Reason::Allowed));
    assert_eq!(decision.rule, None);
    assert!(decision.fingerprint.is_some());
}

#[test]
fn an_exact_share_of_what_is_over_the_limit_is_refused() {
    let (engine, _clock) = engine(Threshold::new(1).share(Share::new(2, 3).unwrap()));
    assert_eq!(verdicts(|| engine.check(READ)), [Allow, Allow, Abort, Abort, Allow, Abort, Abort]);
    let passed_over = engine.check(READ);
    assert_eq!(outcome(&passed_over), (Allow, Reason::PassedOver));
    let rule = &engine.snapshot().rules[0];
    assert_eq!((rule.matched, rule.passed, rule.passed_over, rule.aborted), (8, 1, 3, 4));
}

#[test]
fn only_what_the_caller_can_fake_is_ignored() {
    let (engine, _clock) = engine(Threshold::new(2).strategy(Strategy::Ignore));
    let check = |sql, fakes| outcome(&engine.check_statement(&Statement::new(sql).fakes(fakes)));
    let unavailable = (Abort, Reason::IgnoreUnavailable);
    let ignored = (Ignore, Reason::OverLimit);
    let returning = "insert into t(a) values (1) returning id";
    for sql in [READ, WRITE, returning, "select 1; select 2", "call f()", "select nextval('s')"] {
        assert!(engine.check(sql).is_allowed());
        let _ = engine.check(sql);
    }
    assert_eq!(outcome(&engine.check(READ)), unavailable, "a plain check can fake nothing");
    assert_eq!(check(READ, Fakes::Rows), ignored);
    assert_eq!(check(READ, Fakes::Count), unavailable);
    assert_eq!(check(WRITE, Fakes::Count), ignored);
    assert_eq!(check(WRITE, Fakes::Rows), unavailable);
    assert_eq!(check(READ, Fakes::RowsAndCount), ignored);
    for sql in [returning, "select 1; select 2", "call f()", "select nextval('s')"] {
        assert_eq!(check(sql, Fakes::RowsAndCount), unavailable, "{sql}");
    }
}

#[test]
fn observing_counts_everything_and_stops_nothing() {
    let (engine, _clock) = engine_with(delaying(Delay::Fixed(SECOND)), |rules| rules.mode = Mode::Observe);
    let _ = engine.check(READ);
    let decision = engine.check(READ);
    assert_eq!(outcome(&decision), (Allow, Reason::Allowed));
    assert_eq!((decision.observed, decision.ticket, decision.delay), (Some(Verdict::Delay), None, None));
    let snapshot = engine.snapshot();
    let rule = &snapshot.rules[0];
    assert_eq!((rule.matched, rule.passed, rule.delayed, rule.would_delay, snapshot.waiting), (2, 2, 0, 1, 0));
}

#[test]
fn off_looks_at_nothing() {
    let (engine, _clock) = engine_with(Threshold::new(1), |rules| rules.mode = Mode::Off);
    for _ in 0..3 {
        let decision = engine.check(READ);
        assert_eq!(outcome(&decision), (Allow, Reason::Off));
        assert_eq!(decision.fingerprint, None);
    }
    assert_eq!(engine.snapshot().rules[0].matched, 0);
}

#[test]
fn a_guard_that_fails_answers_what_the_file_says() {
    for (on_error, verdict) in [(OnError::Allow, Allow), (OnError::Abort, Abort)] {
        let (engine, _) = engine_with(Threshold::new(1), |rules| rules.on_error = on_error);
        assert_eq!(outcome(&engine.guard_error()), (verdict, Reason::GuardError));
        assert_eq!(engine.snapshot().guard_errors, 1);
    }
}

#[test]
fn transactions_and_settings_are_never_checked_alone() {
    let (engine, _clock) = engine_with(Threshold::new(2), |rules| rules.fingerprint.dialect = Dialect::MySql);
    for sql in ["begin", "COMMIT", "rollback to savepoint s1", "set names utf8", "show tables", "xa start 'x'"] {
        for _ in 0..3 {
            assert_eq!(outcome(&engine.check(sql)), (Allow, Reason::NotChecked), "{sql}");
        }
    }
    for sql in ["set a = 1; delete from t", "set @x = (select max(id) from t)"] {
        assert_eq!(engine.check(sql).reason, Reason::Allowed, "{sql}");
        assert!((0..2).any(|_| !engine.check(sql).is_allowed()), "{sql}");
    }
}

#[test]
fn no_name_of_a_savepoint_decides_for_all_savepoints() {
    let (engine, _clock) = engine(Threshold::new(1));
    for name in ["update", "s1", "delete", "s2"] {
        for sql in [format!("savepoint {name}"), format!("release savepoint {name}"), format!("rollback to {name}")] {
            assert_eq!(outcome(&engine.check(&sql)), (Allow, Reason::NotChecked), "{sql}");
        }
    }
}

#[test]
fn no_plan_and_no_rows_of_a_write_are_faked() {
    let (engine, _clock) = engine_with(Threshold::new(1).strategy(Strategy::Ignore), |rules| {
        rules.fingerprint.dialect = Dialect::PostgreSql;
    });
    for sql in [
        "explain analyze select a from t",
        "explain (analyze, buffers) select a from t",
        "explain analyze update t set a = 1 where b = 2",
        "with d as (delete from t where a = 1) select 1",
    ] {
        assert!(engine.check(sql).is_allowed());
        let second = engine.check_statement(&Statement::new(sql).fakes(Fakes::RowsAndCount));
        assert_eq!(outcome(&second), (Abort, Reason::IgnoreUnavailable), "{sql}");
    }
}

#[test]
fn a_batch_weighs_what_it_executes() {
    let (engine, clock) = engine(Threshold::new(10).window(10 * SECOND).buckets(10));
    let batch = |weight| engine.check_statement(&Statement::new(READ).weight(weight));
    assert_eq!(batch(0).count, 1, "none weighs as much as one");
    assert_eq!(batch(7).count, 8);
    assert_eq!(batch(3).verdict, Abort);
    clock.advance(20 * SECOND);
    let never = batch(11);
    assert_eq!(outcome(&never), (Abort, Reason::Never));
    assert_eq!(never.retry_after, None);
    let three = "select a from t where b = 1; select a from t where b = 2; select 3";
    assert_eq!(engine.check(three).count, 3, "a text weighs as many as it has statements");
}

#[test]
fn the_statement_says_its_dialect() {
    let (engine, _clock) = engine_with(Threshold::new(1), |rules| rules.fingerprint.dialect = Dialect::MySql);
    let sql = "select \"a\" from t";
    let mysql = engine.check(sql).fingerprint;
    let postgresql = engine.check_statement(&Statement::new(sql).dialect(Dialect::PostgreSql)).fingerprint;
    assert_ne!(mysql, postgresql, "a constant here, a column there");
    assert_eq!(engine.check("select 'b' from t").fingerprint, mysql);
}

#[test]
fn a_flood_of_shapes_is_bounded_and_frees_no_throttled_one() {
    let (engine, _clock) = engine_with(Threshold::new(1), |rules| {
        rules.limits.max_keys = 100;
        rules.limits.cache_bytes = 1 << 20;
    });
    let _ = engine.check(READ);
    let mut overflow = 0;
    for i in 0..20_000 {
        overflow += u64::from(engine.check(format!("select c{i} from t")).overflow);
    }
    assert!(!engine.check(READ).is_allowed());
    let snapshot = engine.snapshot();
    let rule = &snapshot.rules[0];
    assert_eq!(rule.keys, 100);
    assert_eq!(rule.overflow, overflow);
    assert_eq!(overflow, 20_000 - 99);
    assert!(snapshot.shapes * 256 <= 1 << 20, "{} shapes", snapshot.shapes);
}

#[test]
fn threads_share_one_exact_count() {
    let (engine, _clock) = engine(Threshold::new(1000));
    let allowed: usize = std::thread::scope(|scope| {
        let run = || (0..2000).filter(|i| engine.check(format!("{READ} or id = {i}")).is_allowed()).count();
        let threads = [scope.spawn(run), scope.spawn(run)];
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(allowed, 1000);
    let rule = &engine.snapshot().rules[0];
    assert_eq!((rule.matched, rule.passed, rule.aborted), (4000, 1000, 3000));
}

#[test]
fn any_bytes_get_a_decision() {
    let (engine, _clock) = engine(Threshold::new(1));
    for sql in [&b""[..], b"\0", b"\xff\xfe", b"'", b"/*", b"select '\xf0\x9f"] {
        assert!(engine.check(sql).is_allowed());
        assert!(engine.check(sql).fingerprint.is_some());
    }
}
