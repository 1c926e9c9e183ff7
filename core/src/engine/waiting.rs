//! Statements that wait to be resumed.

use super::active_rule::ActiveRule;
use super::decide::{Contest, Sentence, Standing, Subject, Times};
use super::hands::LimiterKey;
use super::rule_state::RuleState;
use super::seal::Seal;
use crate::clock::{Clock, Reading};
use crate::decision::Ticket;
use crate::limit::Limiter;
use crate::metrics::Waits;
use crate::strategy::{Delay, Strategy};
use smallvec::SmallVec;
use sqlthrottle_cells::lock::Lock;
use sqlthrottle_cells::sliding_window::Attempt;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

/// How long after it is due a ticket lapses, in nanoseconds: a host that has not resumed by then has given up.
const GRACE: u64 = 5_000_000_000;
/// Most lapsed tickets dropped for one that is new: more come and go no faster.
const DROPPED_AT_ONCE: usize = 16;
/// Parts of the tickets, each with a lock of its own.
const SHARDS: usize = 16;

/// A delayed statement.
#[derive(Debug)]
pub(super) struct Waiter {
    /// The rule that delays it.
    pub(super) rule: Arc<ActiveRule>,
    /// The rules that take part, that one among them.
    pub(super) sides: Vec<WaitingSide>,
    pub(super) subject: Subject,
    /// When it was delayed first.
    pub(super) since: u64,
    /// When its wait is over.
    pub(super) due: u64,
}

/// A rule that takes part in what is decided about a waiting statement.
#[derive(Debug)]
pub(super) struct WaitingSide {
    pub(super) rule: Arc<ActiveRule>,
    pub(super) limiters: SmallVec<[WaitingLimiter; 1]>,
    pub(super) part: WaitingPart,
}

/// How a rule stands to a waiting statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WaitingPart {
    /// It had room.
    Within,
    /// It was over its limit, and is asked again.
    Exceeded,
    /// It has had its say: its share was drawn and let the attempt pass, or its fixed delay is served.
    Aside,
}

/// A limiter of such a rule.
#[derive(Debug)]
pub(super) struct WaitingLimiter {
    pub(super) key: LimiterKey,
    /// What is counted of the attempt; none where the rule counts none, or the window has forgotten it.
    pub(super) attempt: Option<Attempt>,
    /// What counted it: an attempt means nothing to any other limiter.
    pub(super) limiter: Arc<Limiter>,
    /// Whether that was the limiter that keys without a place share.
    pub(super) overflow: bool,
}

impl Waiter {
    /// A statement that a rule delays. What is counted of it moves here.
    pub(super) fn new(
        contest: &mut Contest<'_>,
        subject: &Subject,
        sentence: &Sentence,
        times: &mut Times<'_>,
    ) -> Self {
        let now = times.by(Reading::Precise);
        let rule = Arc::clone(contest.sides[sentence.side].rule);
        let wait = contest.sides[sentence.side].delay(&contest.drawn);
        let sides = (0..contest.sides.len()).map(|number| contest.waiting_side(number, sentence.side)).collect();
        Self { rule, sides, subject: *subject, since: now, due: now.saturating_add(wait) }
    }
}

impl Contest<'_> {
    fn waiting_side(&mut self, number: usize, deciding: usize) -> WaitingSide {
        let side = &self.sides[number];
        let is_fixed = matches!(side.rule.then.strategy, Strategy::Delay(Delay::Fixed(_)));
        let is_counted = self.drawn[side.limiters.clone()].iter().any(|drawn| drawn.attempt.is_some());
        let part = match &side.standing {
            Standing::Exceeded(_) if number == deciding && is_fixed => WaitingPart::Aside,
            Standing::Exceeded(exceeded) if exceeded.handled == Some(true) => WaitingPart::Exceeded,
            // Its share let the attempt pass, and for an attempt that is drawn once.
            Standing::Exceeded(_) if is_counted => WaitingPart::Aside,
            // Of one that let pass what it has no room to admit, that is another matter by then.
            Standing::Within | Standing::Exceeded(_) => WaitingPart::Within,
        };
        let rule = Arc::clone(side.rule);
        let limiters = self.drawn[side.limiters.clone()].iter_mut();
        let limiters = limiters.map(|drawn| WaitingLimiter {
            key: drawn.key,
            attempt: drawn.attempt.take(),
            limiter: Arc::clone(&drawn.limiter),
            overflow: drawn.overflow,
        });
        WaitingSide { rule, limiters: limiters.collect(), part }
    }
}

/// What became of a ticket.
#[derive(Debug)]
pub(super) enum Taken {
    /// It is still good, at this time.
    Due(Waiter, u64),
    /// It was not come back with in time.
    Lapsed(Waiter),
    /// There is none of the name: it has been used, has lapsed and was dropped, or is another engine's.
    Unknown,
}

/// The places of one rule for statements that wait.
#[derive(Debug)]
pub(super) struct Places {
    taken: AtomicU32,
    /// The tickets of the rule, in the order in which they lapse: as many as there are places, at most.
    queue: Lock<BTreeSet<(u64, u64)>>,
    /// When the first of them lapses: spares a full rule the lock as long as none has.
    next_lapse: AtomicU64,
}

impl Default for Places {
    fn default() -> Self {
        Self { taken: AtomicU32::new(0), queue: Lock::default(), next_lapse: AtomicU64::new(u64::MAX) }
    }
}

impl Places {
    fn take(&self, max: u32) -> bool {
        let more = |taken| (taken < max).then_some(taken + 1);
        self.taken.fetch_update(Ordering::AcqRel, Ordering::Acquire, more).is_ok()
    }

    /// Gives a place back; none where all have been given back at once, after a fork.
    pub(super) fn give_back(&self) {
        let less = |taken: u32| taken.checked_sub(1);
        let _ = self.taken.fetch_update(Ordering::AcqRel, Ordering::Acquire, less);
    }

    /// Lets nobody wait: those who did wait in the parent process.
    pub(super) fn clear(&self) {
        self.taken.store(0, Ordering::Release);
        self.change_queue(BTreeSet::clear);
    }

    /// Whether any ticket of the rule is out.
    fn has_queue(&self) -> bool {
        self.next_lapse.load(Ordering::Acquire) < u64::MAX
    }

    fn enqueue(&self, ticket: u64, lapse: u64) {
        self.change_queue(|queue| queue.insert((lapse, ticket)));
    }

    fn dequeue(&self, ticket: u64, lapse: u64) {
        self.change_queue(|queue| queue.remove(&(lapse, ticket)));
    }

    /// Some of the tickets that have lapsed, the first ones, taken out of the queue.
    fn dequeue_lapsed(&self, now: u64) -> Vec<u64> {
        if now <= self.next_lapse.load(Ordering::Acquire) {
            return Vec::new();
        }
        self.change_queue(|queue| {
            let mut tickets = Vec::new();
            while let Some((_, ticket)) = queue.first().filter(|(lapse, _)| now > *lapse).copied()
                && tickets.len() < DROPPED_AT_ONCE
            {
                queue.pop_first();
                tickets.push(ticket);
            }
            tickets
        })
    }

    /// The queue is whole between any two of its operations, so a panic of a holder leaves nothing half done.
    fn change_queue<T>(&self, change: impl FnOnce(&mut BTreeSet<(u64, u64)>) -> T) -> T {
        let mut queue = self.queue.lock();
        let result = change(&mut queue);
        self.next_lapse.store(queue.first().map_or(u64::MAX, |(lapse, _)| *lapse), Ordering::Release);
        result
    }
}

/// The tickets that are out. Each holds a place of its rule, so there are never more than the rules allow.
#[derive(Debug)]
pub(super) struct Waiting {
    /// By number. Numbers follow on each other, so each shard has its share of them.
    tickets: [Lock<HashMap<u64, Waiter>>; SHARDS],
    last: AtomicU64,
    seal: Seal,
    /// Rules that are gone, and left tickets.
    left: Lock<Vec<Arc<RuleState>>>,
    /// How many have waited to the end, and nanoseconds of their waits.
    ended: AtomicU64,
    waited: AtomicU64,
}

impl Waiting {
    pub(super) fn new() -> Self {
        Self {
            tickets: std::array::from_fn(|_| Lock::default()),
            last: AtomicU64::new(0),
            seal: Seal::new(),
            left: Lock::default(),
            ended: AtomicU64::new(0),
            waited: AtomicU64::new(0),
        }
    }

    /// A ticket, unless as many statements as the rule allows are waiting.
    pub(super) fn enter(&self, waiter: Waiter, max: u32, now: u64) -> Option<Ticket> {
        if !waiter.rule.state.places.take(max) {
            self.drop_lapsed(&waiter.rule.state, now);
            if !waiter.rule.state.places.take(max) {
                return None;
            }
        }
        Some(self.put(waiter))
    }

    /// A new ticket for a statement that has been taken back and waits on. It has kept its place.
    pub(super) fn put(&self, waiter: Waiter) -> Ticket {
        let rule = Arc::clone(&waiter.rule);
        let (ticket, sealed) = loop {
            let ticket = self.last.fetch_add(1, Ordering::Relaxed);
            if let Some(sealed) = self.seal.put_on(ticket) {
                break (ticket, Ticket(sealed));
            }
        };
        let lapse = lapse(&waiter);
        // In this order: what is found in the queue is a ticket that is out, or that somebody is just taking back.
        self.shard(ticket).lock().insert(ticket, waiter);
        rule.state.places.enqueue(ticket, lapse);
        sealed
    }

    /// Takes a ticket back. The statement keeps its place until it is [`put`](Self::put) back or gives it back.
    pub(super) fn take(&self, ticket: Ticket, clock: &Clock) -> Taken {
        let ticket = self.seal.take_off(ticket.0);
        let Some(waiter) = self.remove(ticket) else { return Taken::Unknown };
        waiter.rule.state.places.dequeue(ticket, lapse(&waiter));
        let now = clock.read(Reading::Precise);
        if now <= lapse(&waiter) {
            return Taken::Due(waiter, now);
        }
        waiter.rule.state.counters.lapsed.add();
        waiter.rule.state.places.give_back();
        Taken::Lapsed(waiter)
    }

    /// Ends the wait of a statement that nobody will come back with, and frees its place. False where there is none.
    pub(super) fn give_up(&self, ticket: Ticket, clock: &Clock) -> bool {
        match self.take(ticket, clock) {
            Taken::Due(waiter, _) => {
                waiter.rule.state.counters.lapsed.add();
                waiter.rule.state.places.give_back();
                true
            }
            Taken::Lapsed(_) | Taken::Unknown => false,
        }
    }

    /// Takes note of a wait that has come to its end.
    pub(super) fn end(&self, since: u64, now: u64) {
        self.ended.fetch_add(1, Ordering::Relaxed);
        self.waited.fetch_add(now.saturating_sub(since), Ordering::Relaxed);
    }

    /// How long statements have waited to the end.
    pub(super) fn waits(&self) -> Waits {
        let sum = Duration::from_nanos(self.waited.load(Ordering::Relaxed));
        Waits { count: self.ended.load(Ordering::Relaxed), sum }
    }

    /// Forgets all of them: they wait in the parent process. The places that they hold are to be cleared with them.
    pub(super) fn clear(&self) {
        for shard in &self.tickets {
            shard.lock().clear();
        }
        self.left.lock().clear();
    }

    /// How many statements wait.
    pub(super) fn len(&self) -> usize {
        self.tickets.iter().map(|shard| shard.read().len()).sum()
    }

    fn shard(&self, ticket: u64) -> &Lock<HashMap<u64, Waiter>> {
        &self.tickets[ticket as usize % SHARDS]
    }

    fn remove(&self, ticket: u64) -> Option<Waiter> {
        self.shard(ticket).lock().remove(&ticket)
    }

    /// Keeps an eye on the tickets of a rule that is gone: no newcomer will make room among them.
    pub(super) fn leave(&self, rule: &Arc<RuleState>) {
        if rule.places.has_queue() {
            self.left.lock().push(Arc::clone(rule));
        }
    }

    /// Drops every ticket that nobody came back with, of these rules and of those that are gone.
    pub(super) fn sweep<'a>(&self, rules: impl Iterator<Item = &'a Arc<RuleState>>, now: u64) {
        for rule in rules {
            while self.drop_lapsed(rule, now) {}
        }
        self.left.lock().retain(|rule| {
            while self.drop_lapsed(rule, now) {}
            rule.places.has_queue()
        });
    }

    /// Drops some tickets of a rule that nobody came back with; whether there were any.
    fn drop_lapsed(&self, rule: &RuleState, now: u64) -> bool {
        let lapsed = rule.places.dequeue_lapsed(now);
        for ticket in &lapsed {
            // One that is gone is being taken back by its host, which is told so.
            if self.remove(*ticket).is_some() {
                rule.counters.lapsed.add();
                rule.places.give_back();
            }
        }
        !lapsed.is_empty()
    }
}

fn lapse(waiter: &Waiter) -> u64 {
    waiter.due.saturating_add(GRACE)
}
