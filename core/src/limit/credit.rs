//! What a cluster has granted to this process for one key, and what it has refused.

use std::sync::atomic::{AtomicU64, Ordering};

/// Bits of a refusal for its weight; the others are for its end.
const WEIGHT_BITS: u32 = 12;
/// The end of a refusal is kept in units of so many bits of nanoseconds, about a microsecond: enough for a century.
const END_SHIFT: u32 = 10;

/// The credit of one key: what is left of the leases that a cluster has granted, until when, and what it has refused.
///
/// # Invariants
///
/// 1. No more is set aside, and not given back, than was granted.
/// 2. Nothing is set aside of a lease that has lapsed, and nothing given back to another lease than it was set aside of.
/// 3. A refusal is said of no smaller weight, and for no longer, than it was said by the cluster.
///
/// Times are nanoseconds by the clock of the rule. It takes no lock, so that a fork leaves it whole.
#[derive(Debug, Default)]
pub(crate) struct Credit {
    /// The number of the lease in the upper half, what is left of it in the lower one.
    lease: AtomicU64,
    /// When the lease lapses. Read after the word of the lease, and written before what is left of it grows: who takes from a
    /// lease that has been renewed meanwhile finds its word changed.
    until: AtomicU64,
    /// The weight that was refused in the lowest bits, and until when.
    refused: AtomicU64,
    /// Until when one thread is taken to be asking for a whole lease; zero where none is.
    asking: AtomicU64,
}

/// What is set aside of a credit for one statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SetAside {
    amount: u32,
    /// The number of the lease.
    lease: u32,
}

impl SetAside {
    /// How much it is.
    pub(crate) const fn amount(self) -> u32 {
        self.amount
    }
}

impl Credit {
    /// Sets aside so much, if as much is left.
    pub(crate) fn set_aside(&self, n: u32, now: u64) -> Option<SetAside> {
        let mut word = self.lease.load(Ordering::Acquire);
        loop {
            let (lease, left) = halves(word);
            if left < n || now >= self.until.load(Ordering::Acquire) {
                return None;
            }
            match self.lease.compare_exchange_weak(word, whole(lease, left - n), Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return Some(SetAside { amount: n, lease }),
                Err(changed) => word = changed,
            }
        }
    }

    /// Gives back what was set aside and not spent. Of a lease that has lapsed it is gone.
    pub(crate) fn give_back(&self, set_aside: SetAside) {
        let more = |word| {
            let (lease, left) = halves(word);
            (lease == set_aside.lease).then(|| whole(lease, left.saturating_add(set_aside.amount)))
        };
        let _ = self.lease.fetch_update(Ordering::AcqRel, Ordering::Acquire, more);
    }

    /// Whether what was set aside before may still be spent.
    pub(crate) fn is_live(&self, set_aside: SetAside, now: u64) -> bool {
        halves(self.lease.load(Ordering::Acquire)).0 == set_aside.lease && now < self.until.load(Ordering::Acquire)
    }

    /// Adds what was granted until then, and sets a part of it aside at once, so that nobody is quicker than who has asked for
    /// it.
    pub(crate) fn top_up(&self, granted: u32, n: u32, now: u64, until: u64) -> SetAside {
        let n = n.min(granted);
        loop {
            let word = self.lease.load(Ordering::Acquire);
            let (lease, left) = halves(word);
            let exchange = |new| self.lease.compare_exchange(word, new, Ordering::AcqRel, Ordering::Acquire).is_ok();
            if now >= self.until.load(Ordering::Acquire) {
                // What is left has lapsed. The word changes first, and only then lives anew.
                if exchange(whole(lease.wrapping_add(1), 0)) {
                    self.until.fetch_max(until, Ordering::AcqRel);
                }
                if now >= until {
                    return SetAside { amount: n, lease };
                }
                continue;
            }
            self.until.fetch_max(until, Ordering::AcqRel);
            if exchange(whole(lease, left.saturating_add(granted - n))) {
                return SetAside { amount: n, lease };
            }
        }
    }

    /// Takes note that the cluster has not enough for a weight until then. Of a weight above 4,095 no note is taken.
    pub(crate) fn refuse(&self, weight: u32, until: u64) {
        if weight < 1 << WEIGHT_BITS {
            let end = (until >> END_SHIFT).min((1 << (u64::BITS - WEIGHT_BITS)) - 1);
            self.refused.store(end << WEIGHT_BITS | u64::from(weight), Ordering::Release);
        }
    }

    /// For how many nanoseconds a weight is refused from now on; none where it is not known to be.
    pub(crate) fn refusal(&self, weight: u32, now: u64) -> Option<u64> {
        let word = self.refused.load(Ordering::Acquire);
        let refused = word & ((1 << WEIGHT_BITS) - 1);
        let left = refusal_end(word).checked_sub(now).filter(|left| *left > 0)?;
        (u64::from(weight) >= refused).then_some(left)
    }

    /// Whether the caller is the one to ask for a whole lease; others that ask meanwhile are to ask for what they need. The
    /// caller says when it [has asked](Self::end_asking), or it is forgotten by then.
    pub(crate) fn begin_asking(&self, now: u64, until: u64) -> bool {
        let begin = |asking| (now >= asking).then_some(until);
        self.asking.fetch_update(Ordering::AcqRel, Ordering::Acquire, begin).is_ok()
    }

    /// Lets another one ask for a lease.
    pub(crate) fn end_asking(&self) {
        self.asking.store(0, Ordering::Release);
    }

    /// Whether it is as good as a fresh one. A lease of which nothing is left may be what somebody has set aside.
    pub(crate) fn is_fresh(&self, now: u64) -> bool {
        now >= self.until.load(Ordering::Acquire) && now >= refusal_end(self.refused.load(Ordering::Acquire))
    }

    /// Drops the lease, which is a parent process's. What was refused is refused here as well.
    pub(crate) fn after_fork(&self) {
        let (lease, _) = halves(self.lease.load(Ordering::Acquire));
        self.lease.store(whole(lease.wrapping_add(1), 0), Ordering::Release);
        self.until.store(0, Ordering::Release);
        self.end_asking();
    }
}

const fn halves(word: u64) -> (u32, u32) {
    ((word >> 32) as u32, word as u32)
}

const fn whole(lease: u32, left: u32) -> u64 {
    (lease as u64) << 32 | left as u64
}

const fn refusal_end(word: u64) -> u64 {
    (word >> WEIGHT_BITS) << END_SHIFT
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A credit of so much until 1,000, none of it set aside.
    fn credit(granted: u32) -> Credit {
        let credit = Credit::default();
        let _ = credit.top_up(granted, 0, 0, 1000);
        credit
    }

    #[test]
    fn what_is_granted_is_set_aside_once() {
        let credit = Credit::default();
        assert_eq!(credit.set_aside(1, 0), None);
        let own = credit.top_up(5, 2, 0, 1000);
        assert_eq!(own.amount, 2);
        assert!(credit.set_aside(4, 999).is_none());
        let three = credit.set_aside(3, 999).unwrap();
        assert!(credit.set_aside(1, 999).is_none());
        credit.give_back(three);
        assert!(credit.set_aside(3, 999).is_some());
    }

    #[test]
    fn what_has_lapsed_is_neither_spent_nor_given_back() {
        let credit = credit(5);
        let two = credit.set_aside(2, 999).unwrap();
        assert!(credit.is_live(two, 999) && !credit.is_live(two, 1000));
        assert!(credit.set_aside(1, 1000).is_none());
        // The three that are left have lapsed with it.
        let _ = credit.top_up(1, 0, 1000, 2000);
        credit.give_back(two);
        assert!(!credit.is_live(two, 1000));
        assert!(credit.set_aside(2, 1000).is_none());
        assert!(credit.set_aside(1, 1000).is_some());
    }

    #[test]
    fn a_lease_that_is_topped_up_keeps_what_is_left() {
        let credit = credit(3);
        let one = credit.set_aside(1, 10).unwrap();
        let _ = credit.top_up(4, 0, 500, 1500);
        credit.give_back(one);
        assert!(credit.set_aside(7, 1499).is_some());
    }

    #[test]
    fn a_grant_that_has_lapsed_already_is_nothing() {
        let credit = Credit::default();
        let own = credit.top_up(5, 2, 1000, 1000);
        assert!(!credit.is_live(own, 1000) && credit.set_aside(1, 1000).is_none());
    }

    #[test]
    fn a_refusal_is_of_its_weight_and_more_and_ends_on_time() {
        let credit = Credit::default();
        credit.refuse(3, 10 << END_SHIFT);
        assert_eq!(credit.refusal(2, 0), None);
        assert_eq!(credit.refusal(3, 0), Some(10 << END_SHIFT));
        assert_eq!(credit.refusal(4, (10 << END_SHIFT) - 1), Some(1));
        assert_eq!(credit.refusal(4, 10 << END_SHIFT), None);
        assert!(!credit.is_fresh(0) && credit.is_fresh(10 << END_SHIFT));
        // An end that is too far ahead to be kept is not one in the past; and a weight that is too large leaves what is known.
        credit.refuse(1, u64::MAX);
        assert!(credit.refusal(1, 1 << 61).is_some());
        credit.refuse(4096, 0);
        assert!(credit.refusal(1, 0).is_some());
    }

    #[test]
    fn one_asks_for_a_lease_at_a_time() {
        let credit = Credit::default();
        assert!(credit.begin_asking(0, 1000));
        assert!(!credit.begin_asking(999, 2000));
        assert!(credit.begin_asking(1000, 2000));
        credit.end_asking();
        assert!(credit.begin_asking(1000, 2000));
    }

    #[test]
    fn a_fork_drops_the_lease_and_keeps_the_refusal() {
        let credit = credit(5);
        let two = credit.set_aside(2, 0).unwrap();
        credit.refuse(9, 1 << 20);
        credit.after_fork();
        credit.give_back(two);
        assert!(credit.set_aside(1, 0).is_none() && !credit.is_live(two, 0));
        assert!(credit.refusal(9, 0).is_some());
    }

    #[test]
    fn threads_spend_no_more_than_is_granted() {
        let credit = credit(0);
        let spent: u32 = std::thread::scope(|scope| {
            let take = |thread: u32| {
                let credit = &credit;
                move || {
                    (0..10_000)
                        .map(|round| {
                            let own = if round % 10 == 0 { credit.top_up(3, 1, 0, 1000).amount } else { 0 };
                            let aside = credit.set_aside(1 + (round + thread) % 2, 0);
                            match aside {
                                Some(aside) if round % 3 == 0 => {
                                    credit.give_back(aside);
                                    own
                                }
                                aside => own + aside.map_or(0, |aside| aside.amount),
                            }
                        })
                        .sum::<u32>()
                }
            };
            let threads = [scope.spawn(take(0)), scope.spawn(take(1))];
            threads.map(|thread| thread.join().unwrap()).into_iter().sum()
        });
        let left = halves(credit.lease.load(Ordering::Relaxed)).1;
        assert_eq!(spent + left, 2 * 1000 * 3);
    }
}
