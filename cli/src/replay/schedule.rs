//! What is still to happen, in the log's time.

use crate::log::LogTime;
use sqlthrottle::{Fingerprint, Permit, Ticket};
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::time::Duration;

/// What is still to happen, the earliest first.
#[derive(Debug, Default)]
pub(super) struct Schedule {
    events: BinaryHeap<Reverse<Event>>,
    turns: u64,
}

/// What happens at a time.
#[derive(Clone, Copy, Debug)]
pub(super) enum What {
    /// A statement ends and gives back the places it holds.
    Release(Permit),
    /// A statement of this shape ends, as the log has it, whatever the rules made of it.
    End(Fingerprint),
    /// A statement has waited.
    Resume(Waiting),
}

/// A statement that was told to wait.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    pub(super) ticket: Ticket,
    pub(super) fingerprint: Fingerprint,
    /// How long it took, as far as the log tells.
    pub(super) query_time: Option<Duration>,
    /// Where the rule that lets it wait stands in the replay's list.
    pub(super) rule: usize,
}

#[derive(Clone, Copy, Debug)]
struct Event {
    due: LogTime,
    turn: u64,
    what: What,
}

impl Schedule {
    /// Puts something into the queue.
    pub(super) fn add(&mut self, due: LogTime, what: What) {
        self.turns += 1;
        self.events.push(Reverse(Event { due, turn: self.turns, what }));
    }

    /// What happens next, by `end` at the latest; with none, whatever there is.
    pub(super) fn next(&mut self, end: Option<LogTime>) -> Option<(LogTime, What)> {
        let Reverse(next) = self.events.peek()?;
        if end.is_some_and(|end| next.due > end) {
            return None;
        }
        self.events.pop().map(|Reverse(event)| (event.due, event.what))
    }
}

impl Event {
    /// Of what happens at one time, statements end before others begin, and those that came first are first.
    fn order(&self) -> (LogTime, bool, u64) {
        (self.due, matches!(self.what, What::Resume(_)), self.turn)
    }
}

impl Ord for Event {
    fn cmp(&self, other: &Self) -> Ordering {
        self.order().cmp(&other.order())
    }
}

impl PartialOrd for Event {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Event {
    fn eq(&self, other: &Self) -> bool {
        self.order() == other.order()
    }
}

impl Eq for Event {}
