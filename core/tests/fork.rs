//! Children of a process that forks while its other threads are in checks.
//!
//! It has no harness: the thread that forks is to be the one that the process began with.

// A test that cannot go on says so by panicking.
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[cfg(unix)]
fn main() {
    unix::every_child_finishes_its_checks();
}

#[cfg(not(unix))]
fn main() {}

#[cfg(unix)]
mod unix {
    use fork::{ChildEvent, ProcessFork, ProcessId, Signal, fork_process, signal_process, wait_event_nohang};
    use sqlthrottle::{Context, Decision, Engine, Permit, Reason, RuleFile, Statement, Ticket, Verdict};
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::process;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;
    use std::time::{Duration, Instant};

    const CHILDREN: usize = 120;
    const THREADS: usize = 2;
    /// What no child takes that has nothing to wait for.
    const PATIENCE: Duration = Duration::from_secs(60);
    const KILL: i32 = 9;

    const HELD: &str = "select * from held";
    const COUNTED: &str = "select * from counted";
    const DELAYED: &str = "select * from delayed";

    /// The rules of what the parent leaves to its children, and of what the other threads are busy with. Few shapes and keys are
    /// kept, so that others make room for them all the time.
    const RULES: &str = "
limits: {max_keys: 600, cache_bytes: 256KiB}
default_threshold: {max_count: 1000000, window: 24ms}
rules:
  - {name: held, match: {tables: [held]}, limit: {concurrency: {max: 1, lease: 1h}}}
  - {name: counted, match: {tables: [counted]}, limit: {sliding_window: {max: 4, window: 1h}}}
  - name: delayed
    match: {tables: [delayed]}
    limit: {sliding_window: {max: 1, window: 1h}}
    then: {strategy: delay, delay: 1h, max_delayed: 1}
  - {name: users, match: {tables: [busy]}, per: [user], limit: {token_bucket: {capacity: 5, rate: 1000/s}}}
  - {name: places, match: {tables: [busy]}, per: ['tag:shard'], limit: {concurrency: {max: 100, lease: 60s}}}
  - name: waits
    match: {tables: [waits]}
    limit: {sliding_window: {max: 1, window: 1h}}
    then: {strategy: delay, delay: 1ms}
";

    fn rules() -> RuleFile {
        RuleFile::parse(RULES).unwrap()
    }

    /// Numbers that look random.
    struct Numbers(u64);

    impl Numbers {
        fn next(&mut self) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            self.0 >> 33
        }
    }

    /// One round of everything that an engine locks something for.
    fn be_busy(engine: &Engine, numbers: &mut Numbers) {
        // A shape that is new, or was forgotten, with a key of the default threshold.
        let _ = engine.check(format!("select a{} from t", numbers.next() % 3000));
        // Keys of two rules, and a place.
        let (user, shard) = (format!("user{}", numbers.next() % 3000), format!("shard{}", numbers.next() % 3000));
        let context = Context::new().user(&user).tag("shard", &shard);
        let decision = engine.check_statement(&Statement::new("select * from busy").context(context));
        if let Some(permit) = decision.permit {
            assert!(engine.release(permit));
        }
        // A ticket, which is taken and put back until it is due.
        if numbers.next().is_multiple_of(16) {
            let mut decision = engine.check("select * from waits");
            while let Some(ticket) = decision.ticket {
                decision = engine.resume(ticket);
            }
        }
        if numbers.next().is_multiple_of(64) {
            engine.snapshot();
        }
        if numbers.next().is_multiple_of(256) {
            engine.reload(rules()).unwrap();
        }
    }

    fn outcome(decision: &Decision) -> (Verdict, Reason) {
        (decision.verdict, decision.reason)
    }

    /// What holds in a child, where a permit and a ticket are out that the parent took.
    fn check_in_child(engine: &Engine, permit: Permit, ticket: Ticket, numbers: &mut Numbers) {
        engine.after_fork();
        // Places are free, and what the parent holds stands for none of them.
        let held = engine.check(HELD);
        assert!(held.permit.is_some(), "{held:?}");
        assert!(!engine.release(permit));
        assert_eq!(outcome(&engine.check(HELD)), (Verdict::Abort, Reason::OverLimit));
        assert!(engine.release(held.permit.unwrap()));
        // What was counted counts.
        let counted = engine.check(COUNTED);
        assert_eq!((counted.verdict, counted.count), (Verdict::Allow, 4), "{counted:?}");
        assert_eq!(outcome(&engine.check(COUNTED)), (Verdict::Abort, Reason::OverLimit));
        // Nobody waits.
        assert_eq!(outcome(&engine.resume(ticket)), (Verdict::Abort, Reason::MaxDelay));
        let delayed = engine.check(DELAYED);
        assert!(delayed.ticket.is_some(), "{delayed:?}");
        assert_eq!(outcome(&engine.check(DELAYED)), (Verdict::Abort, Reason::MaxDelayed));
        // And nothing is in the way of whatever else.
        for _ in 0..100 {
            be_busy(engine, numbers);
        }
        engine.admin("SET GLOBAL sql_throttle_add_rule = '{pattern: \"select.*late\", capacity: 1, rate: 1}'").unwrap();
        let late = [(); 2].map(|()| engine.check("select late"));
        assert_eq!(late.each_ref().map(|decision| decision.verdict), [Verdict::Allow, Verdict::Abort], "{late:?}");
        engine.reload(rules()).unwrap();
        let stats = engine.snapshot();
        for rule in &stats.rules {
            assert_eq!(rule.in_use, 0, "{}", rule.name);
            assert!(rule.keys <= 600, "{}: {} keys", rule.name, rule.keys);
        }
    }

    /// Waits for a child to end by itself, and makes an end of it where it does not.
    fn wait(child: ProcessId) -> Result<(), String> {
        let started = Instant::now();
        let mut is_killed = false;
        loop {
            match wait_event_nohang(child).unwrap() {
                Some(ChildEvent::Exited { code: 0, .. }) => return Ok(()),
                Some(ChildEvent::Exited { code, .. }) => return Err(format!("ended with {code}")),
                Some(ChildEvent::Signalled { .. }) if is_killed => return Err("hung".to_owned()),
                Some(ChildEvent::Signalled { signal, .. }) => return Err(format!("ended by signal {signal}")),
                _ => {}
            }
            if !is_killed && started.elapsed() > PATIENCE {
                signal_process(child, Signal::try_from(KILL).unwrap()).unwrap();
                is_killed = true;
            }
            thread::yield_now();
        }
    }

    pub(super) fn every_child_finishes_its_checks() {
        let engine = Engine::new(rules()).unwrap();
        let permit = engine.check(HELD).permit.unwrap();
        for _ in 0..3 {
            assert!(engine.check(COUNTED).is_allowed());
        }
        assert!(engine.check(DELAYED).is_allowed());
        let ticket = engine.check(DELAYED).ticket.unwrap();

        let ends = AtomicBool::new(false);
        let failed: Vec<String> = thread::scope(|scope| {
            for thread in 0..THREADS {
                let (engine, ends) = (&engine, &ends);
                scope.spawn(move || {
                    let mut numbers = Numbers(thread as u64);
                    while !ends.load(Ordering::Relaxed) {
                        be_busy(engine, &mut numbers);
                    }
                });
            }
            let children = (0..CHILDREN).map(|number| {
                let child = match fork_process().unwrap() {
                    ProcessFork::Parent(child) => child,
                    ProcessFork::Child => {
                        let mut numbers = Numbers(u64::MAX / (number as u64 + 1));
                        let checks = || check_in_child(&engine, permit, ticket, &mut numbers);
                        process::exit(catch_unwind(AssertUnwindSafe(checks)).is_err().into())
                    }
                };
                wait(child).map_err(|fault| format!("child {number} {fault}"))
            });
            let failed = children.filter_map(Result::err).take(3).collect();
            ends.store(true, Ordering::Relaxed);
            failed
        });
        assert!(failed.is_empty(), "{}", failed.join("\n"));
        // Nothing of that is seen in the parent.
        assert_eq!(outcome(&engine.check(HELD)), (Verdict::Abort, Reason::OverLimit));
        assert!(engine.release(permit));
        assert_eq!(engine.check(COUNTED).count, 4);
        println!("{CHILDREN} children have finished their checks");
    }
}
