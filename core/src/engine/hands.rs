//! The limiters that a core has at hand, by rule and key.

use super::active_rule::{ActiveRule, Meter};
use super::at_hand::AtHand;
use super::decide::Times;
use super::generations::{Generations, Outlived};
use super::plan::Plan;
use crate::quota::{Key, Lookup, QuotaKey};
use crate::rule::Part;
use ahash::RandomState;
use sqlthrottle_cells::claim::Reservations;
use std::sync::Arc;

/// One part in so many of what a core has at hand is for plans: few rules ask for the context, and few contexts differ in what
/// they ask for.
const PLANS: usize = 11;

/// Which limiter counts a statement: a rule's, for a key. Shapes of one rule, of one fingerprint in several dialects, or read
/// again after they were forgotten, have it in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LimiterKey {
    hash: u64,
    /// The number of the rule's state.
    rule: u32,
    key: Key,
}

impl LimiterKey {
    /// `hasher` is one that no attacker knows.
    pub(super) fn new(rule: &ActiveRule, key: Key, hasher: &RandomState) -> Self {
        let rule = rule.state.number;
        Self { hash: hasher.hash_one((rule, key)), rule, key }
    }

    #[inline]
    pub(super) const fn hash(&self) -> u64 {
        self.hash
    }

    /// The number of the rule's state.
    pub(super) const fn rule(&self) -> u32 {
        self.rule
    }

    /// What a quota calls it, where the rule counts by `per`; or the counter that keys without a place share.
    pub(super) fn of_quota(&self, per: &[Part], overflow: bool) -> QuotaKey {
        QuotaKey::of(per, (!overflow).then_some(&self.key))
    }

    /// What the limiter counts, and nothing where there is none: nobody is asked anything, and nothing is changed.
    pub(super) fn counted(&self, rule: &ActiveRule, overflow: bool, now: u64) -> u64 {
        let limiters = &rule.state.limiters;
        limiters.peek(self.hash, &self.key, overflow).map_or(0, |limiter| limiter.counted(now))
    }

    /// The limiter itself, where the rules keep it.
    pub(super) fn look_up(&self, rule: &ActiveRule, meter: &Meter, times: &mut Times<'_>) -> Lookup {
        let now = times.by(meter.reading);
        rule.state.limiters.get(self.hash, &self.key, &meter.measure, now, |reading| times.by(reading))
    }
}

/// What a core has at hand besides the texts it knows.
#[derive(Debug)]
pub(super) struct Hands {
    /// The number of the core.
    pub(super) core: usize,
    limiters: Generations<Hand>,
    /// What the rules that ask for a context come to, by shape and context.
    plans: Generations<ContextPlan>,
    /// Memory for what a check reserves, so that a check asks for none.
    pub(super) reservations: Reservations,
}

#[derive(Debug)]
struct Hand {
    key: LimiterKey,
    at_hand: AtHand,
}

#[derive(Debug)]
struct ContextPlan {
    key: Key,
    plan: Arc<Plan>,
}

impl Hands {
    /// Of at most `bytes`.
    pub(super) fn new(bytes: usize, core: usize) -> Self {
        Self {
            core,
            limiters: Generations::new(bytes - bytes / PLANS),
            plans: Generations::new(bytes / PLANS),
            reservations: Reservations::new(),
        }
    }

    /// Allows so many bytes from now on.
    pub(super) fn set_bytes(&mut self, bytes: usize) {
        self.limiters.set_bytes(bytes - bytes / PLANS);
        self.plans.set_bytes(bytes / PLANS);
    }

    /// What is at hand for a key, if anything is.
    #[inline]
    pub(super) fn at_hand(&mut self, key: &LimiterKey) -> Option<&mut AtHand> {
        self.limiters.get(key.hash, |hand| hand.key == *key).map(|hand| &mut hand.at_hand)
    }

    /// The limiter of a key, from now on at hand. What the core holds of it unspent does not stand in the way of whoever counts
    /// on it by himself.
    pub(super) fn limiter(
        &mut self,
        key: &LimiterKey,
        rule: &ActiveRule,
        meter: &Meter,
        times: &mut Times<'_>,
    ) -> Lookup {
        if let Some(at_hand) = self.at_hand(key)
            && let Some(limiter) = at_hand.limiter(&meter.measure)
        {
            at_hand.give_back();
            return Lookup { limiter, overflow: false };
        }
        let lookup = key.look_up(rule, meter, times);
        // The limiter that keys share is not this key's to keep.
        if !lookup.overflow {
            self.keep(key, rule, &lookup);
        }
        lookup
    }

    fn keep(&mut self, key: &LimiterKey, rule: &ActiveRule, lookup: &Lookup) {
        let limiter = Arc::clone(&lookup.limiter);
        if let Some(at_hand) = self.at_hand(key) {
            at_hand.keep(limiter);
            return;
        }
        let at_hand = AtHand::new(&rule.name, limiter);
        let owned = at_hand.bytes();
        self.limiters.insert(key.hash, Hand { key: *key, at_hand }, owned);
    }

    /// The plan of a shape and context, if it is known.
    pub(super) fn plan(&mut self, hash: u64, key: &Key) -> Option<Arc<Plan>> {
        self.plans.get(hash, |kept| kept.key == *key).map(|kept| Arc::clone(&kept.plan))
    }

    /// Keeps the plan of a shape and context that was not known.
    pub(super) fn keep_plan(&mut self, hash: u64, key: Key, plan: Arc<Plan>) {
        let owned = size_of::<Plan>() + 2 * size_of::<usize>() + plan.bytes();
        self.plans.insert(hash, ContextPlan { key, plan }, owned);
    }

    /// Lets go of every limiter, and gives back what is held of it unspent.
    pub(super) fn clear_limiters(&mut self) {
        self.limiters.clear();
    }

    /// What had to make room of late: to be dropped where the table is no longer held.
    pub(super) fn take_outlived(&mut self) -> impl Sized + use<> {
        let (hands, plans): (Outlived<Hand>, Outlived<ContextPlan>) =
            (self.limiters.take_outlived(), self.plans.take_outlived());
        (hands, plans)
    }
}
