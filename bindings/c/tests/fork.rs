//! Children of a process that forks while its other threads are in checks, as a server does that forks its workers.
//!
//! It has no harness: the thread that forks is to be the one that the process began with.

// A test that cannot go on says so by panicking.
#![allow(clippy::unwrap_used, clippy::expect_used)]
#![allow(unsafe_code, clippy::undocumented_unsafe_blocks, reason = "called as C calls it")]

#[cfg(unix)]
#[path = "shared/c_api.rs"]
mod c_api;

#[cfg(unix)]
fn main() {
    unix::every_child_goes_on_after_its_fork();
}

#[cfg(not(unix))]
fn main() {}

#[cfg(unix)]
mod unix {
    use crate::c_api::{Context, Engine, Statement, last_message, success};
    use fork::{ChildEvent, ProcessFork, ProcessId, Signal, fork_process, signal_process, wait_event_nohang};
    use sqlthrottle_c::engine::sqlthrottle_after_fork;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::process;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;
    use std::time::{Duration, Instant};

    const CHILDREN: usize = 60;
    const THREADS: usize = 4;
    /// What no child takes that has nothing to wait for.
    const PATIENCE: Duration = Duration::from_secs(60);
    const KILL: i32 = 9;

    const HELD: &str = "select * from held";
    const COUNTED: &str = "select * from counted";
    const DELAYED: &str = "select * from delayed";
    const RULES: &str = "
limits: {max_keys: 600, cache_bytes: 256KiB}
rules:
  - {name: held, match: {tables: [held]}, limit: {concurrency: {max: 1, lease: 1h}}}
  - {name: counted, match: {tables: [counted]}, limit: {sliding_window: {max: 4, window: 1h}}}
  - name: delayed
    match: {tables: [delayed]}
    limit: {sliding_window: {max: 1, window: 1h}}
    then: {strategy: delay, delay: 1h, max_delayed: 1}
  - {name: places, match: {tables: [busy]}, per: [user], limit: {concurrency: {max: 100, lease: 60s}}}
";

    /// One round of all that takes a lock, of the engine and of the handles: shapes that are new, places, handles that come and
    /// go, errors and rules.
    fn be_busy(engine: &Engine, round: usize) {
        let own = engine.another();
        let _ = own.check(format!("select a{} from t", round % 3000));
        let user = format!("user{}", round % 1000);
        let context = Context { user: Some(&user), ..Context::default() };
        let statement = Statement { context, ..Statement::new("select * from busy") };
        let prepared = own.prepare(&statement).unwrap();
        for decision in [own.check_statement(&statement).unwrap(), prepared.check()] {
            assert!(own.release(decision.0.permit));
        }
        if round.is_multiple_of(64) {
            own.reload(RULES).unwrap();
            assert!(own.reload("rules: 1").is_err());
            assert!(!last_message().is_empty());
            assert!(own.snapshot()["rules"].is_array());
        }
    }

    /// What holds in a child, where a permit and a ticket are out that the parent took.
    fn check_in_child(engine: &Engine, permit: u64, ticket: u64, child: usize) {
        success(unsafe { sqlthrottle_after_fork(engine.as_ptr()) }).unwrap();
        // Places are free, and what the parent holds stands for none of them.
        let held = engine.check(HELD).0.permit;
        assert!(held != 0);
        assert!(!engine.release(permit));
        assert_eq!(engine.check(HELD).reason(), "over_limit");
        assert!(engine.release(held));
        // What was counted counts.
        let counted = engine.check(COUNTED);
        assert_eq!((counted.is_allowed(), counted.0.count), (true, 4));
        assert_eq!(engine.check(COUNTED).reason(), "over_limit");
        // Nobody waits.
        assert_eq!(engine.resume(ticket).reason(), "max_delay");
        assert!(engine.check(DELAYED).0.ticket != 0);
        assert_eq!(engine.check(DELAYED).reason(), "max_delayed");
        // And nothing is in the way of whatever else.
        for round in 0..100 {
            be_busy(engine, child * 100 + round);
        }
        let snapshot = engine.snapshot();
        for rule in snapshot["rules"].as_array().unwrap() {
            assert_eq!(rule["in_use"], 0, "{rule}");
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

    pub(super) fn every_child_goes_on_after_its_fork() {
        let engine = Engine::new(RULES).unwrap();
        let permit = engine.check(HELD).0.permit;
        for _ in 0..3 {
            assert!(engine.check(COUNTED).is_allowed());
        }
        assert!(engine.check(DELAYED).is_allowed());
        let ticket = engine.check(DELAYED).0.ticket;
        assert!(permit != 0 && ticket != 0);

        let ends = AtomicBool::new(false);
        let failed: Vec<String> = thread::scope(|scope| {
            for thread in 0..THREADS {
                let (engine, ends) = (&engine, &ends);
                scope.spawn(move || {
                    let mut round = thread * 1000;
                    while !ends.load(Ordering::Relaxed) {
                        be_busy(engine, round);
                        round += 1;
                    }
                });
            }
            let children = (0..CHILDREN).map(|number| {
                let child = match fork_process().unwrap() {
                    ProcessFork::Parent(child) => child,
                    ProcessFork::Child => {
                        let checks = || check_in_child(&engine, permit, ticket, number);
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
        assert_eq!(engine.check(HELD).reason(), "over_limit");
        assert!(engine.release(permit));
        assert_eq!(engine.check(COUNTED).0.count, 4);
        println!("{CHILDREN} children have gone on");
    }
}
