//! The brute-force oracle of rate limiters: every event, and what an interval really held.

use std::ops::RangeInclusive;

/// Events with their weights, in the order of their times.
#[derive(Clone, Debug, Default)]
pub(crate) struct EventLog(Vec<(u64, u64)>);

impl EventLog {
    /// Notes an event, which is not before the last one.
    pub(crate) fn record(&mut self, at: u64, n: u32) {
        assert!(self.0.last().is_none_or(|last| last.0 <= at), "events come in the order of their times");
        self.0.push((at, u64::from(n)));
    }

    /// Strikes out an event that was noted.
    pub(crate) fn remove(&mut self, at: u64, n: u32) {
        let noted = self.0.iter().position(|event| *event == (at, u64::from(n)));
        self.0.remove(noted.expect("only what was noted is struck out"));
    }

    /// What happened within these times, both ends included.
    pub(crate) fn within(&self, times: RangeInclusive<u64>) -> u64 {
        self.0.iter().filter(|event| times.contains(&event.0)).map(|event| event.1).sum()
    }

    /// The most that happened in any interval of this length, both ends included. An interval that holds the most can be
    /// moved to begin with an event, so those that do are all there is to look at.
    pub(crate) fn busiest(&self, length: u64) -> u64 {
        let starts = self.0.iter().map(|event| event.0);
        starts.map(|start| self.within(start..=start.saturating_add(length))).max().unwrap_or(0)
    }

    /// Everything that happened.
    pub(crate) fn all(&self) -> u64 {
        self.within(0..=u64::MAX)
    }

    /// Every event with its time and what happened from it on, itself included; the oldest first.
    pub(crate) fn tails(&self) -> impl Iterator<Item = (u64, u64)> {
        let mut tail = self.all();
        self.0.iter().map(move |&(at, n)| {
            let from_it_on = tail;
            tail -= n;
            (at, from_it_on)
        })
    }

    /// Every interval that begins and ends with an event: its length and what it held, both ends included. Whatever bound
    /// grows with the length holds for all intervals if it holds for these.
    pub(crate) fn intervals(&self) -> impl Iterator<Item = (u64, u64)> {
        self.0.iter().enumerate().flat_map(|(i, first)| {
            let sums = self.0[i..].iter().scan(0, |sum, event| {
                *sum += event.1;
                Some((event.0, *sum))
            });
            sums.map(|(at, sum)| (at - first.0, sum))
        })
    }
}
