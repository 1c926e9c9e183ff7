//! The short ways through a check: known texts, handles, counts that a core takes beforehand. They answer as the long way.

use sqlthrottle::rule::{RuleFile, Threshold};
use sqlthrottle::{Decision, Delay, Dialect, Engine, ManualClock, Reason, Statement, Strategy, Verdict};
use std::num::NonZero;
use std::thread;
use std::time::Duration;

const TEXT: &str = "select a from t where b = 1";

fn rules(max: u32) -> RuleFile {
    let mut rules = RuleFile::default();
    rules.default_threshold = Some(Threshold::new(max));
    rules
}

fn engine(max: u32) -> (Engine, ManualClock) {
    let clock = ManualClock::new();
    (Engine::with_clock(rules(max), clock.clone()).unwrap(), clock)
}

/// A window of a minute, and the bucket it began in.
const MEMORY: Duration = Duration::from_secs(65);
const SECOND: Duration = Duration::from_secs(1);

#[test]
fn counts_are_exact_by_whatever_way_a_statement_comes() {
    let (engine, clock) = engine(1000);
    let prepared = engine.prepare(&Statement::new(TEXT));
    let check = |n: u32| -> Decision {
        match n % 4 {
            0 => engine.check(TEXT),
            1 => engine.check(format!("SELECT a FROM t WHERE b = {n}")),
            2 => prepared.check(),
            _ => engine.check("select a from t where b = ?"),
        }
    };
    for round in 0..3 {
        for n in 1..=5000 {
            let decision = check(n);
            assert_eq!((decision.count, decision.limit), (u64::from(n), 1000), "round {round}");
            if n <= 1000 {
                assert_eq!((decision.verdict, decision.retry_after), (Verdict::Allow, None), "{n}");
            } else {
                assert_eq!((decision.verdict, decision.reason), (Verdict::Abort, Reason::OverLimit), "{n}");
                assert_eq!(decision.retry_after, Some(MEMORY), "{n}");
            }
        }
        clock.advance(MEMORY);
    }
    let stats = &engine.snapshot().rules[0];
    assert_eq!((stats.matched, stats.passed, stats.aborted), (15_000, 3000, 12_000));
}

#[test]
fn counts_are_exact_where_several_shapes_have_one_limiter() {
    let (engine, _) = engine(10_000);
    let mut count = 0;
    for _ in 0..10 {
        for dialect in Dialect::ALL {
            for _ in 0..64 {
                count += 1;
                assert_eq!(engine.check_statement(&Statement::new(TEXT).dialect(dialect)).count, count);
            }
        }
    }
}

#[test]
fn counts_are_exact_where_a_shape_was_forgotten_and_a_handle_has_it_still() {
    let clock = ManualClock::new();
    let mut rules = rules(1_000_000);
    rules.limits.cache_bytes = 64 << 10;
    let engine = Engine::with_clock(rules, clock).unwrap();
    let prepared = engine.prepare(&Statement::new(TEXT));
    let mut count = 0;
    for round in 0..20 {
        for n in 0..200 {
            count += 1;
            let decision = if n % 3 == 0 { engine.check(TEXT) } else { prepared.check() };
            assert_eq!(decision.count, count, "in round {round}");
        }
        for n in 0..500 {
            assert!(engine.check(format!("select a from other_{round}_{n}")).is_allowed());
        }
    }
}

#[test]
fn what_a_core_holds_does_not_stand_in_the_way_of_what_waited() {
    let clock = ManualClock::new();
    let mut threshold = Threshold::new(1000);
    threshold.strategy = Strategy::Delay(Delay::UntilAllowed { max: Duration::from_secs(600) });
    let mut rules = RuleFile::default();
    rules.default_threshold = Some(threshold);
    let engine = Engine::with_clock(rules, clock.clone()).unwrap();
    assert_eq!(engine.check_statement(&Statement::new(TEXT).weight(1000)).count, 1000);
    let delayed = engine.check_statement(&Statement::new(TEXT).weight(900));
    let ticket = delayed.ticket.expect("it waits");
    clock.advance(MEMORY);
    // The window is empty, and one core takes a block for those to come.
    for n in 1..=65 {
        assert_eq!(engine.check(TEXT).count, n);
    }
    let resumed = engine.resume(ticket);
    assert_eq!((resumed.verdict, resumed.count), (Verdict::Allow, 965));
}

#[test]
fn what_was_taken_beforehand_comes_back_when_its_bucket_ends() {
    let (engine, clock) = engine(100_000);
    let mut expected = Vec::new();
    for bucket in 0..40_u64 {
        // More than a block, and not a multiple of one.
        let checks = 70 + 13 * (bucket % 5);
        for _ in 0..checks {
            assert!(engine.check(TEXT).is_allowed());
        }
        expected.push(checks);
        let live: u64 = expected.iter().rev().take(13).sum();
        let decision = engine.check(TEXT);
        assert_eq!(decision.count, live + 1, "in bucket {bucket}");
        *expected.last_mut().unwrap() += 1;
        clock.advance(Duration::from_secs(5));
    }
}

#[test]
fn weights_are_taken_whole() {
    let (engine, _) = engine(1000);
    let mut count = 0;
    for weight in (1..=9).cycle().take(400) {
        let decision = engine.check_statement(&Statement::new(TEXT).weight(weight));
        count += u64::from(weight);
        assert_eq!(decision.count, count);
        assert_eq!(decision.is_allowed(), count <= 1000);
    }
}

#[test]
fn threads_pass_no_more_than_the_limit_together_and_lose_no_count() {
    let (max, threads, checks) = (20_000, 4, 20_000_u64);
    let (engine, _) = engine(max);
    let passed: u64 = thread::scope(|scope| {
        let run = || (0..checks).filter(|_| engine.check(TEXT).is_allowed()).count() as u64;
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(run)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    let cores = thread::available_parallelism().map_or(1, NonZero::get).next_power_of_two() as u64;
    assert!(passed <= u64::from(max), "{passed} passed");
    // What a core has taken beforehand and not spent is all that may be missing.
    assert!(passed + 64 * cores >= u64::from(max), "only {passed} passed");
    let stats = &engine.snapshot().rules[0];
    assert_eq!((stats.passed, stats.passed + stats.aborted), (passed, threads * checks));
}

#[test]
fn a_forgotten_text_is_read_again_and_its_counts_are_not_forgotten() {
    let clock = ManualClock::new();
    let mut rules = rules(2);
    rules.limits.cache_bytes = 64 << 10;
    let engine = Engine::with_clock(rules, clock).unwrap();
    let texts: Vec<String> = (0..3000).map(|n| format!("select a from t{n} where b = ?")).collect();
    for round in 1..=3 {
        for text in &texts {
            let decision = engine.check(text);
            assert_eq!((decision.count, decision.is_allowed()), (round, round <= 2), "{text}");
        }
    }
    assert!(engine.snapshot().shapes < 1000, "{} shapes are remembered", engine.snapshot().shapes);
}

#[test]
fn a_limiter_that_another_key_took_the_place_of_counts_no_more() {
    let clock = ManualClock::new();
    let mut rules = rules(5);
    rules.limits.max_keys = 1;
    let engine = Engine::with_clock(rules, clock.clone()).unwrap();
    let (one, other) = ("select 1 from a", "select 1 from b");
    for n in 1..=4 {
        assert_eq!(engine.check(one).count, n);
    }
    assert!(engine.check(other).overflow);
    clock.advance(MEMORY);
    // The first key's limiter is as good as new by now, and is let go, though a core has it at hand.
    let decision = engine.check(other);
    assert_eq!((decision.count, decision.overflow), (1, false));
    let decision = engine.check(one);
    assert_eq!((decision.count, decision.overflow), (1, true));
    assert_eq!((engine.check(other).count, engine.check(one).count), (2, 2));
}

/// Rules with a default threshold of that window.
fn windowed(max: u32, window: Duration, buckets: u32) -> RuleFile {
    let mut rules = RuleFile::default();
    rules.default_threshold = Some(Threshold::new(max).window(window).buckets(buckets));
    rules
}

#[test]
fn what_a_core_has_taken_of_one_window_is_not_spent_by_another() {
    let clock = ManualClock::new();
    let engine = Engine::with_clock(windowed(100, 10 * SECOND, 1), clock.clone()).unwrap();
    for _ in 0..40 {
        assert!(engine.check(TEXT).is_allowed());
    }
    engine.reload(windowed(100, SECOND, 1)).unwrap();
    // Other cores are the first to come to the new window.
    for _ in 0..8 {
        thread::scope(|scope| scope.spawn(|| engine.check(TEXT).is_allowed()).join().unwrap());
    }
    // The old one would still be in its first bucket; the new one has forgotten all of that.
    clock.advance(5 * SECOND);
    let admitted = (0..300).filter(|_| engine.check(TEXT).is_allowed()).count();
    assert_eq!(admitted, 100);
}

#[test]
fn windows_that_change_under_load_admit_no_more_than_the_limit() {
    // The time stands, so nothing is forgotten, whatever the window.
    let max = 100_000;
    let engine = Engine::with_clock(windowed(max, 60 * SECOND, 12), ManualClock::new()).unwrap();
    let admitted: usize = thread::scope(|scope| {
        let check = || (0..120_000).filter(|_| engine.check(TEXT).is_allowed()).count();
        let threads = [scope.spawn(check), scope.spawn(check), scope.spawn(check)];
        let mut reloads = 0;
        while !threads.iter().all(thread::ScopedJoinHandle::is_finished) {
            reloads += 1;
            engine.reload(windowed(max, (60 + reloads % 3) * SECOND, 12 + reloads % 2)).unwrap();
        }
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert!(admitted <= max as usize && admitted > 1000, "{admitted} of {max}");
    assert_eq!(engine.check(TEXT).verdict, Verdict::Abort);
}

/// The statements that are sent most often, with how often.
fn counts(engine: &Engine) -> Vec<(String, u64)> {
    engine.top(10).by_count.into_iter().map(|top| (top.normalized.unwrap(), top.count)).collect()
}

#[test]
fn statements_are_counted_by_whatever_way_they_come() {
    let rule = "rules: [{name: r, match: {tables: u}, limit: {token_bucket: {capacity: 9, rate: 1/s}}}]";
    for file in ["default_threshold: {max_count: 3, window: 1m}", "", rule] {
        let engine = Engine::new(RuleFile::parse(file).unwrap()).unwrap();
        let [one, other] = ["select a from t where b = 7", "select a from u where b = 7"];
        let [one_text, other_text] = ["select a from t where b=?", "select a from u where b=?"].map(str::to_owned);
        let (prepared, twin, others) = (
            engine.prepare(&Statement::new(one)),
            engine.prepare(&Statement::new("SELECT a FROM t WHERE b = 8")),
            engine.prepare(&Statement::new(other)),
        );
        assert_eq!(counts(&engine), [], "{file}: nothing was checked");
        // In one thread, so that all are counted by one core or, where it moves on, by several: none is missed.
        for n in 0..100 {
            let _ = prepared.check();
            let _ = twin.check_statement(&Statement::new(one));
            let _ = others.check_weight(1);
            let _ = engine.check(one);
            let _ = engine.check(format!("select a from t where b = {n}"));
        }
        assert_eq!(counts(&engine), [(one_text.clone(), 400), (other_text.clone(), 100)], "{file}");
        engine.reload(rules(5)).unwrap();
        for _ in 0..10 {
            let _ = prepared.check();
            let _ = others.check();
        }
        assert_eq!(counts(&engine), [(one_text, 410), (other_text, 110)], "{file}: after a reload");
    }
}
