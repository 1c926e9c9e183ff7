//! Schedules of every kind against the log of all uses.

use super::*;
use crate::testing::{HOUR, SECOND, YEAR, step};
use proptest::prelude::*;

/// The brute-force oracle: every use there was, and how it ended.
#[derive(Default)]
struct Uses(Vec<Use>);

struct Use {
    permit: Permit,
    until: u64,
    ended: Option<End>,
}

#[derive(PartialEq, Eq)]
enum End {
    Released,
    Lapsed,
}

impl Uses {
    fn begin(&mut self, permit: Permit, until: u64) {
        assert!(self.0.iter().all(|other| other.permit != permit), "a permit is unlike all before it");
        let mut running = self.0.iter().filter(|other| other.ended.is_none());
        assert!(running.all(|other| other.permit.place != permit.place), "a place is held by one");
        self.0.push(Use { permit, until, ended: None });
    }

    /// Ends what has lapsed by now.
    fn lapse(&mut self, now: u64) {
        for lapsed in self.0.iter_mut().filter(|running| running.ended.is_none() && now >= running.until) {
            lapsed.ended = Some(End::Lapsed);
        }
    }

    /// Ends one by a release; whether it ran.
    fn release(&mut self, at: usize) -> bool {
        let runs = self.0[at].ended.is_none();
        self.0[at].ended.get_or_insert(End::Released);
        runs
    }

    fn running(&self) -> u32 {
        self.0.iter().filter(|running| running.ended.is_none()).count() as u32
    }

    fn lapsed(&self) -> u64 {
        self.0.iter().filter(|lapsed| lapsed.ended == Some(End::Lapsed)).count() as u64
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn what_is_held_is_what_the_log_says(
        lease in prop_oneof![Just(0), Just(1), Just(30 * SECOND), Just(u64::MAX)],
        steps in prop::collection::vec((step(), 0..6u32, any::<prop::sample::Index>(), any::<bool>()), 1..120),
    ) {
        let cell = ConcurrencyCell::new();
        let (mut clock, mut uses) = (0u64, Uses::default());
        for (step, max, index, other_lease) in &steps {
            clock = step.moved(clock, &[lease / 3, lease, lease.saturating_mul(2), HOUR, YEAR, 50 * YEAR]);
            let lease = if *other_lease { lease / 2 } else { lease };
            if step.turn_back && !uses.0.is_empty() {
                // Of any use there was: one that runs, one that was released, one that lapsed.
                let at = index.index(uses.0.len());
                prop_assert_eq!(cell.release(uses.0[at].permit), uses.release(at));
            } else {
                uses.lapse(clock);
                match cell.acquire(clock, lease, *max) {
                    Ok(permit) => {
                        prop_assert!(uses.running() < *max);
                        uses.begin(permit, clock.saturating_add(lease));
                    }
                    Err(Full { in_use }) => {
                        prop_assert!(uses.running() >= *max);
                        prop_assert_eq!(in_use, uses.running());
                    }
                }
            }
            if step.n == 0 {
                uses.lapse(clock);
                prop_assert_eq!(cell.is_fresh(clock), uses.running() == 0);
            }
            prop_assert_eq!(cell.in_use(), uses.running());
            prop_assert_eq!(cell.leaked(), uses.lapsed());
        }
        cell.clear();
        prop_assert!(cell.is_fresh(clock));
        prop_assert!(uses.0.iter().all(|ended| !cell.release(ended.permit)));
    }
}
