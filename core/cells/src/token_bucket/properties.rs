//! Schedules of every kind against the log of all events.

use super::tests::Bucket;
use super::*;
use crate::testing::{EventLog, HOUR, SECOND, YEAR, step};
use proptest::prelude::*;

/// How many tokens have arrived, by a plain division.
fn arrived((tokens, nanos): (u64, u64), now: u64) -> u64 {
    (u128::from(now) * u128::from(tokens) / u128::from(nanos)) as u64
}

/// What is spent of the tokens, counted anew: as much as the busiest of all the intervals that end now took more than
/// came in it.
fn expected(log: &EventLog, rate: (u64, u64), now: u64) -> u64 {
    let excess = |(at, taken): (u64, u64)| taken.saturating_sub(arrived(rate, now) - arrived(rate, at));
    log.tails().map(excess).max().unwrap_or(0)
}

/// The spans that matter to a bucket: what a token takes, half a bucket, a whole one; hours, a day's idleness, years.
fn spans(capacity: u32, (tokens, nanos): (u64, u64)) -> [u64; 6] {
    let token = nanos / tokens;
    let full = token.saturating_mul(u64::from(capacity));
    [token, full / 2, full, HOUR, 24 * HOUR, 20 * YEAR]
}

fn rates() -> impl Strategy<Value = (u64, u64)> {
    prop_oneof![
        Just((3, 7 * SECOND)),
        Just((1, 24 * HOUR)),
        Just((5_000_000, SECOND)),
        Just((999_999_999, SECOND)),
        (1..2000u64, SECOND..3 * SECOND),
    ]
}

/// In no interval does more happen than the capacity, what comes in it, and one.
fn assert_bounds(log: &EventLog, capacity: u32, (tokens, nanos): (u64, u64)) {
    for (length, n) in log.intervals() {
        let most =
            u128::from(capacity) * u128::from(nanos) + u128::from(length) * u128::from(tokens) + u128::from(nanos);
        assert!(u128::from(n) * u128::from(nanos) <= most, "{n} in {length} ns");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn no_interval_holds_more_acquired_than_capacity_and_rate(
        rate in rates(), capacity in 0..12u32, steps in prop::collection::vec(step(), 1..80),
    ) {
        let bucket = Bucket::new(capacity, rate.0, rate.1);
        let (mut clock, mut latest, mut log) = (0u64, 0u64, EventLog::default());
        for step in &steps {
            clock = step.moved(clock, &spans(capacity, rate));
            let now = latest.max(clock);
            let before = expected(&log, rate, now);
            prop_assert_eq!(bucket.spent(clock), before);
            match bucket.acquire(step.n, clock) {
                Ok(reservation) => {
                    latest = now;
                    prop_assert!(before + u64::from(step.n) <= u64::from(capacity));
                    if step.turn_back {
                        bucket.cell.undo(reservation);
                    } else {
                        log.record(now, step.n);
                    }
                }
                Err(Exceeded { spent }) => {
                    prop_assert!(before + u64::from(step.n) > u64::from(capacity));
                    prop_assert_eq!(spent, before);
                }
            }
            let spent = expected(&log, rate, now);
            prop_assert_eq!(bucket.spent(clock), spent);
            prop_assert_eq!(bucket.cell.is_fresh(&bucket.shape, clock), spent == 0);
            match bucket.retry_after(step.n, clock) {
                None => prop_assert!(step.n > capacity),
                Some(0) => prop_assert!(spent + u64::from(step.n) <= u64::from(capacity)),
                Some(wait) => {
                    prop_assert!(bucket.available(clock + wait) >= step.n);
                    prop_assert!(bucket.available(clock + wait - 1) < step.n);
                }
            }
        }
        assert_bounds(&log, capacity, rate);
    }

    #[test]
    fn undos_at_any_later_moment_never_admit_more(
        rate in rates(), capacity in 1..12u32, steps in prop::collection::vec((step(), any::<prop::sample::Index>()), 1..80),
    ) {
        // Some reservations are kept a while, and undone in any order: those that are lost have happened.
        let bucket = Bucket::new(capacity, rate.0, rate.1);
        let (mut clock, mut latest) = (0u64, 0u64);
        let (mut events, mut open) = (Vec::new(), Vec::new());
        for (step, index) in &steps {
            clock = step.moved(clock, &spans(capacity, rate));
            if step.turn_back && !open.is_empty() {
                let (reservation, event): (Reservation, usize) = open.swap_remove(index.index(open.len()));
                bucket.cell.undo(reservation);
                // An undo may be lost, so the event counts as one that never was: what passes without it must do.
                let (_, n): &mut (u64, u32) = &mut events[event];
                *n = 0;
            } else if let Ok(reservation) = bucket.acquire(step.n, clock) {
                latest = latest.max(clock);
                open.push((reservation, events.len()));
                events.push((latest, step.n));
            }
        }
        let mut log = EventLog::default();
        for (at, n) in events {
            log.record(at, n);
        }
        assert_bounds(&log, capacity, rate);
    }

    #[test]
    fn no_interval_holds_more_attempts_allowed_than_capacity_and_rate(
        rate in rates(), capacity in 0..12u32, steps in prop::collection::vec(step(), 1..80),
    ) {
        let bucket = Bucket::new(capacity, rate.0, rate.1);
        let (mut clock, mut latest, mut allowed) = (0u64, 0u64, EventLog::default());
        for step in &steps {
            clock = step.moved(clock, &spans(capacity, rate));
            latest = latest.max(clock);
            let before = bucket.spent(clock);
            let spent = bucket.attempt(step.n, clock);
            prop_assert_eq!(spent, before + u64::from(step.n));
            prop_assert_eq!(bucket.spent(clock), spent.min(2 * u64::from(capacity)));
            prop_assert!(bucket.spent(clock) >= expected(&allowed, rate, latest));
            if spent <= u64::from(capacity) {
                allowed.record(latest, step.n);
            }
        }
        assert_bounds(&allowed, capacity, rate);
    }

    #[test]
    fn a_raised_bucket_never_lengthens_a_wait_and_a_lowered_one_gives_no_second_budget(
        one in rates(), other in rates(), capacities in (1..12u32, 1..12u32),
        steps in prop::collection::vec(step(), 1..40), flood in 0..30u32,
    ) {
        let bucket = Bucket::new(capacities.0, one.0, one.1);
        let mut clock = 0;
        for step in &steps {
            clock = clock.max(step.moved(clock, &spans(capacities.0, one)));
            let _ = bucket.acquires(step.n, clock);
        }
        bucket.attempt(flood, clock);
        let changed = Bucket::new(capacities.1, other.0, other.1).succeeding(&bucket, clock);
        let (before, after) = (bucket.spent(clock), changed.spent(clock));
        let most = 2 * u64::from(capacities.1);
        prop_assert!(after <= before, "nothing is spent that was not");
        prop_assert!(after >= before.min(most), "and nothing is back that was");
        let of = |rate: (u64, u64)| u128::from(rate.0) * u128::from(if rate == one { other.1 } else { one.1 });
        let (is_faster, is_slower) = (of(other) >= of(one), of(other) <= of(one));
        for n in 1..=capacities.0.min(capacities.1) {
            let waits = (bucket.retry_after(n, clock).unwrap(), changed.retry_after(n, clock).unwrap());
            if is_faster && capacities.1 >= capacities.0 {
                prop_assert!(waits.1 <= waits.0, "{n} tokens: {} ns, and {} before", waits.1, waits.0);
            }
            if is_slower && capacities.1 <= capacities.0 && before <= most {
                prop_assert!(waits.1 >= waits.0, "{n} tokens: {} ns, and {} before", waits.1, waits.0);
            }
        }
    }

    #[test]
    fn any_number_of_changes_gives_no_more_than_the_rates_do(
        capacity in 1..12u32, changes in prop::collection::vec((rates(), prop::collection::vec(step(), 1..12)), 1..20),
    ) {
        let mut clock = 0u64;
        let mut bucket = Bucket::new(capacity, 1, SECOND);
        // What came by each moment at which something was taken, in tokens; and what was taken.
        let (mut came, mut taken): (f64, Vec<(f64, u32)>) = (0.0, Vec::new());
        // Of what is added up here; a change brings nothing.
        let rounding = 0.001;
        for (rate, steps) in changes {
            bucket = Bucket::new(capacity, rate.0, rate.1).succeeding(&bucket, clock);
            for step in steps {
                // Not back, so that what comes can be added up; and not for long, so that it can be told from rounding.
                let [token, half, full, ..] = spans(capacity, rate);
                let next = step.moved(clock, &[token, half, full]).max(clock);
                came += (next - clock) as f64 * rate.0 as f64 / rate.1 as f64;
                clock = next;
                if bucket.acquires(step.n, clock) {
                    taken.push((came, step.n));
                    let mut sum = 0;
                    for (at, n) in taken.iter().rev() {
                        sum += n;
                        prop_assert!(f64::from(sum) <= f64::from(capacity) + (came - at) + 1.0 + rounding);
                    }
                }
            }
        }
    }
}
