//! Schedules of every kind against the log of all events.

use super::tests::Window;
use super::*;
use crate::testing::{EventLog, MS, YEAR, step};
use proptest::prelude::*;
use std::collections::VecDeque;

/// The spans that matter to a window: bucket, window, ring of slots, 32 laps of the ring, days.
fn spans(shape: &WindowShape) -> [u64; 5] {
    let bucket = shape.bucket_nanos();
    let ring = bucket * u64::from(shape.buckets() + 1);
    [bucket, bucket * u64::from(shape.buckets()), ring, 32 * ring, YEAR / 100]
}

/// What a ring with one slot more than the window has buckets is to hold of the log, counted anew.
fn expected(log: &EventLog, shape: &WindowShape, now: u64) -> u32 {
    let bucket = shape.bucket_nanos();
    let oldest = (now / bucket).saturating_sub(u64::from(shape.buckets()));
    log.within(oldest * bucket..=now) as u32
}

fn assert_bounds(log: &EventLog, shape: &WindowShape, window: u64, now: u64, total: u32) {
    let longest = shape.bucket_nanos() * u64::from(shape.buckets() + 1);
    let (least, most) =
        (log.within(now.saturating_sub(window)..=now), log.within(now.saturating_sub(longest - 1)..=now));
    assert!((least..=most).contains(&u64::from(total)), "{total} is not within {least} and {most} at {now}");
}

fn shapes() -> impl Strategy<Value = (u64, u32)> {
    let buckets = prop_oneof![4 => 1..5u32, 2 => 12..16u32, 1 => Just(61u32)];
    // Widths on both sides of 269 ms, where epochs cease to come round; windows that their buckets do not divide.
    let width = prop_oneof![Just(MS), Just(7 * MS), MS..20 * MS, 265 * MS..275 * MS, Just(5000 * MS)];
    (width, buckets, 0..3u64).prop_map(|(width, buckets, extra)| (width * u64::from(buckets) + extra, buckets))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn no_interval_holds_more_acquired_than_the_limit(
        (length, buckets) in shapes(), max in 0..12u32, steps in prop::collection::vec(step(), 1..80),
    ) {
        let window = Window::new(length, buckets);
        let (mut clock, mut latest, mut log) = (0u64, 0u64, EventLog::default());
        for step in &steps {
            clock = step.moved(clock, &spans(&window.shape));
            latest = latest.max(clock);
            let before = expected(&log, &window.shape, latest);
            prop_assert_eq!(window.total(clock), before);
            match window.acquire(step.n, clock, max) {
                Ok(reservation) => {
                    prop_assert!(before + step.n <= max);
                    prop_assert_eq!(reservation.total(), before + step.n);
                    if step.turn_back {
                        window.cell.undo(reservation);
                    } else {
                        log.record(latest, step.n);
                    }
                }
                Err(Exceeded { total }) => {
                    prop_assert!(before + step.n > max);
                    prop_assert_eq!(total, before);
                }
            }
            window.assert_at_rest();
            let total = window.total(clock);
            prop_assert_eq!(total, expected(&log, &window.shape, latest));
            assert_bounds(&log, &window.shape, length, latest, total);
            match window.retry_after(step.n, clock, max) {
                None => prop_assert!(step.n > max),
                Some(0) => prop_assert!(total + step.n <= max),
                Some(wait) => {
                    prop_assert!(window.total(clock + wait) + step.n <= max);
                    prop_assert!(window.total(clock + wait - 1) + step.n > max);
                }
            }
        }
        prop_assert!(log.busiest(length) <= u64::from(max));
    }

    #[test]
    fn no_interval_holds_more_attempts_allowed_or_renewed_than_the_limit(
        (length, buckets) in shapes(), max in 0..12u32, steps in prop::collection::vec(step(), 1..80),
    ) {
        let window = Window::new(length, buckets);
        let (mut clock, mut latest) = (0u64, 0u64);
        let (mut attempts, mut allowed) = (EventLog::default(), EventLog::default());
        // Those over the limit, with the times they count as.
        let mut waiting: VecDeque<(Attempt, u64, u32)> = VecDeque::new();
        for step in &steps {
            clock = step.moved(clock, &spans(&window.shape));
            latest = latest.max(clock);
            if step.turn_back && let Some((attempt, at, n)) = waiting.pop_front() {
                let before = expected(&attempts, &window.shape, latest);
                let is_forgotten = !window.shape.is_live(window.shape.epoch(at), window.shape.epoch(latest));
                match window.renew(attempt, clock, max) {
                    Renewal::Renewed { total, .. } => {
                        prop_assert!(!is_forgotten && total <= max);
                        prop_assert_eq!(total, before);
                        attempts.remove(at, n);
                        attempts.record(latest, n);
                        allowed.record(latest, n);
                    }
                    Renewal::Exceeded { attempt, total } => {
                        prop_assert!(!is_forgotten && total > max);
                        prop_assert_eq!(total, before);
                        waiting.push_back((attempt, at, n));
                    }
                    Renewal::Forgotten => prop_assert!(is_forgotten),
                }
                window.assert_at_rest();
                prop_assert_eq!(window.total(clock), before);
            }
            let attempt = window.count(step.n, clock);
            let total = attempt.total();
            attempts.record(latest, step.n);
            prop_assert_eq!(total, expected(&attempts, &window.shape, latest));
            assert_bounds(&attempts, &window.shape, length, latest, total);
            if total <= max {
                allowed.record(latest, step.n);
            } else {
                waiting.push_back((attempt, latest, step.n));
            }
            window.assert_at_rest();
        }
        prop_assert!(allowed.busiest(length) <= u64::from(max));
        prop_assert!(allowed.all() <= attempts.all());
    }

    #[test]
    fn a_change_of_limit_or_window_never_gives_a_second_budget(
        first in shapes(), steps in prop::collection::vec((step(), 0..12u32, prop::option::weighted(0.2, shapes())), 1..80),
    ) {
        let mut window = Window::new(first.0, first.1);
        let (mut clock, mut latest) = (0u64, 0u64);
        // What the cell is to hold, and everything that was acquired; the shortest window there was, by which nothing is
        // forgotten too early.
        let (mut held, mut acquired, mut shortest) = (EventLog::default(), EventLog::default(), first.0);
        for (step, max, change) in &steps {
            clock = step.moved(clock, &spans(&window.shape));
            latest = latest.max(clock);
            if let Some((length, buckets)) = change {
                let total = expected(&held, &window.shape, latest);
                window = window.succeeded(*length, *buckets, latest);
                window.assert_at_rest();
                prop_assert_eq!(window.total(latest), total);
                held = EventLog::default();
                held.record(latest, total);
                shortest = shortest.min(*length);
            }
            let before = expected(&held, &window.shape, latest);
            let waits = [*max, *max + 1, *max + 7].map(|max| window.retry_after(step.n, clock, max).unwrap_or(u64::MAX));
            prop_assert!(waits.is_sorted_by(|lower, higher| lower >= higher), "a raised limit lengthens no wait");
            let passes = window.acquires(step.n, clock, *max);
            prop_assert_eq!(passes, before + step.n <= *max);
            if passes {
                held.record(latest, step.n);
                acquired.record(latest, step.n);
                prop_assert!(acquired.within(latest.saturating_sub(shortest)..=latest) <= u64::from(*max));
            }
            prop_assert_eq!(window.total(clock), expected(&held, &window.shape, latest));
        }
    }
}
