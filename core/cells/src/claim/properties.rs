//! Random sets of limiters, on one thread, against the logs of all events.

use super::tests::{LEASE, Limiter};
use super::*;
use crate::testing::{EventLog, HOUR, MS, SECOND, YEAR, step};
use proptest::prelude::*;

/// A limiter, its clock, and every event it admitted.
struct Logged {
    limiter: Limiter,
    spec: Spec,
    max: u32,
    /// How far its clock is ahead of the one of the schedule.
    ahead: u64,
    /// The newest time at which something was taken: an older one counts as this.
    latest: u64,
    log: EventLog,
}

#[derive(Clone, Copy, Debug)]
enum Spec {
    SlidingWindow { bucket: u64, buckets: u32 },
    TokenBucket { tokens: u64, nanos: u64 },
    FixedWindow { length: u64 },
    Concurrency,
}

impl Logged {
    fn new((spec, max, ahead): (Spec, u32, u64)) -> Self {
        let limiter = match spec {
            Spec::SlidingWindow { bucket, buckets } => Limiter::sliding_window(bucket * u64::from(buckets), buckets),
            Spec::TokenBucket { tokens, nanos } => Limiter::token_bucket(max, tokens, nanos),
            Spec::FixedWindow { length } => Limiter::fixed_window(length, 0),
            Spec::Concurrency => Limiter::concurrency(),
        };
        Self { limiter, spec, max, ahead, latest: 0, log: EventLog::default() }
    }

    fn now(&self, clock: u64) -> u64 {
        clock.saturating_add(self.ahead)
    }

    fn claim(&self, clock: u64) -> Claim<'_> {
        self.limiter.claim(self.max, self.now(clock))
    }

    /// What it is to count, from the log alone.
    fn expected(&self, clock: u64) -> u64 {
        let now = self.now(clock).max(self.latest);
        match self.spec {
            Spec::SlidingWindow { bucket, buckets } => {
                self.log.within((now / bucket).saturating_sub(u64::from(buckets)) * bucket..=now)
            }
            Spec::TokenBucket { tokens, nanos } => {
                let arrived = |at: u64| (u128::from(at) * u128::from(tokens) / u128::from(nanos)) as u64;
                let excess = |(at, taken): (u64, u64)| taken.saturating_sub(arrived(now) - arrived(at));
                self.log.tails().map(excess).max().unwrap_or(0)
            }
            Spec::FixedWindow { length } => self.log.within(now - now % length..=now),
            Spec::Concurrency => {
                let now = self.now(clock);
                self.log.all() - if now < LEASE { 0 } else { self.log.within(0..=now - LEASE) }
            }
        }
    }

    fn has_room(&self, n: u32, clock: u64) -> bool {
        let wanted = if matches!(self.spec, Spec::Concurrency) { 1 } else { u64::from(n) };
        self.expected(clock) + wanted <= u64::from(self.max)
    }

    fn record(&mut self, n: u32, clock: u64) {
        self.latest = self.latest.max(self.now(clock));
        self.log.record(self.latest, if matches!(self.spec, Spec::Concurrency) { 1 } else { n });
    }
}

fn specs() -> impl Strategy<Value = Vec<(Spec, u32, u64)>> {
    let spec = prop_oneof![
        (prop_oneof![Just(MS), Just(100 * MS), Just(300 * MS)], prop_oneof![1..5u32, 12..16u32])
            .prop_map(|(bucket, buckets)| Spec::SlidingWindow { bucket, buckets }),
        prop_oneof![Just((3, 7 * SECOND)), Just((1000, SECOND)), Just((1, HOUR))]
            .prop_map(|(tokens, nanos)| Spec::TokenBucket { tokens, nanos }),
        prop_oneof![Just(MS), Just(SECOND), Just(HOUR)].prop_map(|length| Spec::FixedWindow { length }),
        Just(Spec::Concurrency),
    ];
    prop::collection::vec((spec, 0..12u32, prop_oneof![Just(0), 0..YEAR]), 1..6)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn what_is_refused_changes_nothing_and_what_is_admitted_counts_everywhere(
        specs in specs(), steps in prop::collection::vec((step(), any::<u8>()), 1..60),
    ) {
        let mut limiters: Vec<_> = specs.into_iter().map(Logged::new).collect();
        let (mut clock, mut reservations) = (0u64, Reservations::new());
        for (step, chosen) in &steps {
            // Never back, since leases do not count from the newest time as the others do; and less than a year in all.
            clock = clock.max(step.moved(clock, &[MS, 100 * MS, SECOND, LEASE, HOUR, YEAR / 200]));
            let chosen: Vec<usize> = (0..limiters.len()).filter(|at| chosen >> at & 1 == 1).collect();
            let claims: Vec<_> = chosen.iter().map(|at| limiters[*at].claim(clock)).collect();
            let words: Vec<_> = limiters.iter().map(|logged| logged.limiter.words()).collect();
            let fits = chosen.iter().all(|at| limiters[*at].has_room(step.n, clock));
            match reservations.acquire(&claims, step.n) {
                Ok(()) => {
                    prop_assert!(fits);
                    if step.turn_back {
                        reservations.undo(&claims);
                    } else {
                        for at in chosen {
                            limiters[at].record(step.n, clock);
                        }
                    }
                }
                Err(Refusal { claim, over }) => {
                    prop_assert!(!fits);
                    let refused = &limiters[chosen[claim]];
                    prop_assert!(!refused.has_room(step.n, clock));
                    prop_assert_eq!(over.counted, refused.expected(clock));
                    for (at, logged) in limiters.iter().enumerate() {
                        // Leases that lapsed may be found.
                        if !matches!(logged.spec, Spec::Concurrency) {
                            prop_assert_eq!(&logged.limiter.words(), &words[at]);
                        }
                    }
                    // No other has to wait for longer, and all that time brings is there when the wait is over.
                    let has_room = |wait: u64| {
                        let timed = chosen.iter().filter(|at| !matches!(limiters[**at].spec, Spec::Concurrency));
                        timed.into_iter().all(|at| limiters[*at].has_room(step.n, clock + wait))
                    };
                    match over.wait {
                        Wait::Release => prop_assert!(has_room(0)),
                        Wait::Nanos(wait) => prop_assert!(has_room(wait) && !has_room(wait - 1)),
                        Wait::Never => prop_assert!(step.n > refused.max || refused.max == 0),
                    }
                }
            }
            for logged in &limiters {
                if let Limiter::Concurrency(cell) = &logged.limiter {
                    cell.reap(logged.now(clock));
                }
                prop_assert_eq!(logged.limiter.counted(logged.now(clock)), logged.expected(clock));
            }
        }
    }
}
