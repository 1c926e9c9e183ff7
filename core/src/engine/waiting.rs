//! Statements that wait to be resumed.

use crate::clock::Clock;
use crate::decision::Ticket;
use crate::fingerprint::Fingerprint;
use crate::rule::RuleState;
use dashmap::DashMap;
use sqlthrottle_cells::sliding_window::Attempt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// How long after it is due a ticket lapses, in nanoseconds: a host that has not resumed by then has given up.
const GRACE: u64 = 5_000_000_000;
/// How long a full rule waits between two searches for tickets that have lapsed, in nanoseconds.
const SEARCH: u64 = 10_000_000;

/// A delayed statement.
#[derive(Debug)]
pub(super) struct Waiter {
    pub(super) rule: Arc<RuleState>,
    pub(super) fingerprint: Fingerprint,
    pub(super) weight: u32,
    /// What is counted of it; none where the window has forgotten it.
    pub(super) attempt: Option<Attempt>,
    /// Whether it was counted by the limiter that keys without a place share.
    pub(super) overflow: bool,
    /// When it was delayed first.
    pub(super) since: u64,
    /// When its wait is over.
    pub(super) due: u64,
}

/// What became of a ticket.
#[derive(Debug)]
pub(super) enum Taken {
    /// It is still good, at this time by its rule's reading of the clock.
    Due(Waiter, u64),
    /// It was not come back with in time.
    Lapsed(Waiter),
    /// There is none of the name: it has been used, or has lapsed and was dropped.
    Unknown,
}

/// The places of one rule for statements that wait.
#[derive(Debug)]
pub(crate) struct Places {
    taken: AtomicU32,
    /// No ticket of the rule lapses before; a hint that spares a full rule the search for one that has.
    next_lapse: AtomicU64,
}

impl Default for Places {
    fn default() -> Self {
        Self { taken: AtomicU32::new(0), next_lapse: AtomicU64::new(u64::MAX) }
    }
}

impl Places {
    fn take(&self, max: u32) -> bool {
        let more = |taken| (taken < max).then_some(taken + 1);
        self.taken.fetch_update(Ordering::AcqRel, Ordering::Acquire, more).is_ok()
    }

    pub(super) fn give_back(&self) {
        self.taken.fetch_sub(1, Ordering::AcqRel);
    }
}

/// The tickets that are out. Each holds a place of its rule, so there are never more than the rules allow.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    tickets: DashMap<u64, Waiter>,
    last: AtomicU64,
}

impl Waiting {
    /// A ticket, unless as many statements as the rule allows are waiting.
    pub(super) fn enter(&self, waiter: Waiter, max: u32, now: u64) -> Option<Ticket> {
        if !waiter.rule.places.take(max) {
            self.drop_lapsed(&waiter.rule, now);
            if !waiter.rule.places.take(max) {
                return None;
            }
        }
        Some(self.put(waiter))
    }

    /// A new ticket for a statement that has been taken back and waits on. It has kept its place.
    pub(super) fn put(&self, waiter: Waiter) -> Ticket {
        let rule = Arc::clone(&waiter.rule);
        let ticket = self.last.fetch_add(1, Ordering::Relaxed) + 1;
        let lapse = lapse(&waiter);
        self.tickets.insert(ticket, waiter);
        // In this order: a search that resets the hint behind this line has seen the ticket.
        rule.places.next_lapse.fetch_min(lapse, Ordering::AcqRel);
        Ticket(ticket)
    }

    /// Takes a ticket back. The statement keeps its place until it is [`put`](Self::put) back or gives it back.
    pub(super) fn take(&self, ticket: Ticket, clock: &Clock) -> Taken {
        let Some((_, waiter)) = self.tickets.remove(&ticket.0) else { return Taken::Unknown };
        let now = clock.read(waiter.rule.reading.precise());
        if now <= lapse(&waiter) {
            return Taken::Due(waiter, now);
        }
        waiter.rule.counters.lapsed.add();
        waiter.rule.places.give_back();
        Taken::Lapsed(waiter)
    }

    /// How many statements wait.
    pub(super) fn len(&self) -> usize {
        self.tickets.len()
    }

    /// Drops the tickets of a rule that nobody came back with.
    fn drop_lapsed(&self, rule: &Arc<RuleState>, now: u64) {
        let places = &rule.places;
        if now <= places.next_lapse.load(Ordering::Acquire) {
            return;
        }
        places.next_lapse.store(u64::MAX, Ordering::Release);
        self.tickets.retain(|_, waiter| {
            if !Arc::ptr_eq(&waiter.rule, rule) {
                return true;
            }
            let lapsed = now > lapse(waiter);
            if lapsed {
                rule.counters.lapsed.add();
                places.give_back();
            } else {
                places.next_lapse.fetch_min(lapse(waiter), Ordering::AcqRel);
            }
            !lapsed
        });
        // Tickets that lapse one after another are not worth a search each.
        places.next_lapse.fetch_max(now.saturating_add(SEARCH), Ordering::AcqRel);
    }
}

fn lapse(waiter: &Waiter) -> u64 {
    waiter.due.saturating_add(GRACE)
}
