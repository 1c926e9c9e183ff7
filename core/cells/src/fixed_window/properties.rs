//! Schedules of every kind against the log of all events.

use super::tests::Window;
use super::*;
use crate::testing::{EventLog, HOUR, MS, SECOND, YEAR, step};
use proptest::prelude::*;

/// The time at which the window of `now` begins, by another arithmetic than the shape's.
fn start((length, offset): (u64, u64), now: u64) -> u64 {
    let ahead = u128::from(now) + u128::from(offset % length);
    (ahead - ahead % u128::from(length)).saturating_sub(u128::from(offset % length)) as u64
}

/// What happened in the window of `now`, counted anew.
fn expected(log: &EventLog, window: (u64, u64), now: u64) -> u32 {
    log.within(start(window, now)..=now) as u32
}

/// The spans that matter to a window: a part of it, a window, some; an hour, days, years.
fn spans(length: u64) -> [u64; 6] {
    [length / 3, length, 7 * length, HOUR, YEAR / 100, 20 * YEAR]
}

/// Windows with their offsets: a millisecond, lengths that divide nothing, an hour.
fn windows() -> impl Strategy<Value = (u64, u64)> {
    let length = prop_oneof![Just(MS), Just(SECOND), MS..20 * MS, Just(HOUR)];
    (length, prop_oneof![Just(0), any::<u64>()])
}

/// In no window does more happen than the limit: not by any of its events, so not by the last.
fn assert_bounds(log: &EventLog, window: (u64, u64), max: u32) {
    for (at, _) in log.tails() {
        assert!(expected(log, window, at) <= max, "the window of {at}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn no_window_holds_more_acquired_than_the_limit(
        of in windows(), max in 0..12u32, steps in prop::collection::vec(step(), 1..80),
    ) {
        let window = Window::new(of.0, of.1);
        let (mut clock, mut latest) = (0u64, 0u64);
        let (mut log, mut open) = (EventLog::default(), Vec::new());
        for step in &steps {
            clock = step.moved(clock, &spans(of.0));
            // An undo from a window that is over changes nothing. One from this window is done at once, below.
            if let Some(at) = open.iter().position(|reservation: &Reservation| reservation.number < window.shape.number(latest)) {
                window.undo(open.swap_remove(at));
            }
            let now = latest.max(clock);
            let before = expected(&log, of, now);
            prop_assert_eq!(window.total(clock), before);
            match window.acquire(step.n, clock, max) {
                Ok(reservation) => {
                    latest = now;
                    prop_assert!(before + step.n <= max);
                    prop_assert_eq!(reservation.total(), before + step.n);
                    if step.turn_back {
                        window.undo(reservation);
                    } else {
                        log.record(now, step.n);
                        open.push(reservation);
                    }
                }
                Err(Exceeded { total }) => {
                    prop_assert!(before + step.n > max);
                    prop_assert_eq!(total, before);
                }
            }
            let total = window.total(clock);
            prop_assert_eq!(total, expected(&log, of, now));
            match window.retry_after(step.n, clock, max) {
                None => prop_assert!(step.n > max || now > u64::MAX - of.0),
                Some(0) => prop_assert!(total + step.n <= max),
                Some(wait) => {
                    prop_assert!(window.total(clock + wait) + step.n <= max);
                    prop_assert!(window.total(clock + wait - 1) + step.n > max);
                }
            }
        }
        assert_bounds(&log, of, max);
    }

    #[test]
    fn no_window_holds_more_attempts_allowed_than_the_limit(
        of in windows(), max in 0..12u32, steps in prop::collection::vec(step(), 1..80),
    ) {
        let window = Window::new(of.0, of.1);
        let (mut clock, mut latest) = (0u64, 0u64);
        let (mut attempts, mut allowed) = (EventLog::default(), EventLog::default());
        for step in &steps {
            clock = step.moved(clock, &spans(of.0));
            latest = latest.max(clock);
            let total = window.attempt(step.n, clock);
            attempts.record(latest, step.n);
            prop_assert_eq!(total, expected(&attempts, of, latest));
            if total <= max {
                allowed.record(latest, step.n);
            }
        }
        assert_bounds(&allowed, of, max);
    }

    #[test]
    fn a_change_of_limit_or_window_never_gives_a_second_budget(
        first in windows(), steps in prop::collection::vec((step(), 0..12u32, prop::option::weighted(0.2, windows())), 1..80),
    ) {
        let (mut of, mut window) = (first, Window::new(first.0, first.1));
        let (mut clock, mut latest) = (0u64, 0u64);
        // What the cell is to hold, and everything that was acquired; what is older than the window of the latest change was
        // forgotten before it.
        let (mut held, mut acquired, mut since) = (EventLog::default(), EventLog::default(), 0);
        for (step, max, change) in &steps {
            clock = step.moved(clock, &spans(of.0));
            if let Some(next) = change {
                latest = latest.max(clock);
                let total = expected(&held, of, latest);
                let shape = FixedWindowShape::new(next.0, next.1).unwrap();
                let cell = FixedWindowCell::succeeding((&window.cell, &window.shape), &shape, latest);
                prop_assert_eq!(cell.total(&shape, latest), total);
                since = start(of, latest).max(since);
                (of, window) = (*next, Window { shape, cell });
                held = EventLog::default();
                held.record(latest, total);
            }
            let now = latest.max(clock);
            let before = expected(&held, of, now);
            let waits = [*max, *max + 1, *max + 7].map(|max| window.retry_after(step.n, clock, max).unwrap_or(u64::MAX));
            prop_assert!(waits.is_sorted_by(|lower, higher| lower >= higher), "a raised limit lengthens no wait");
            let passes = window.acquires(step.n, clock, *max);
            prop_assert_eq!(passes, before + step.n <= *max);
            if passes {
                latest = now;
                held.record(now, step.n);
                acquired.record(now, step.n);
                prop_assert!(acquired.within(since.max(start(of, now))..=now) <= u64::from(*max));
            }
            prop_assert_eq!(window.total(clock), expected(&held, of, now));
        }
    }
}
