//! Several logs as one, in the order of time: rotated pieces of one log, or the logs of several servers.

use super::reader::LogReader;
use super::{Entry, LogTime, Sender};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Gives out the entries of several logs in the order of their times; of equal times, the log named first comes first.
#[derive(Debug)]
pub struct Merge {
    logs: Vec<LogReader>,
    heads: Vec<Option<Entry>>,
    order: BinaryHeap<Reverse<(LogTime, usize)>>,
    current: Option<usize>,
}

impl Merge {
    /// The entries of these logs.
    pub fn new(logs: Vec<LogReader>) -> Self {
        let mut merge =
            Self { heads: vec![None; logs.len()], order: BinaryHeap::with_capacity(logs.len()), logs, current: None };
        for log in 0..merge.logs.len() {
            merge.read(log);
        }
        merge
    }

    fn read(&mut self, log: usize) {
        self.heads[log] = self.logs[log].next_entry();
        if let Some(entry) = self.heads[log] {
            self.order.push(Reverse((entry.at, log)));
        }
    }

    /// The next entry, and the index of its log.
    pub fn next_entry(&mut self) -> Option<(usize, Entry)> {
        // The log that gave out the entry before keeps its text until now.
        if let Some(log) = self.current.take() {
            if self.logs.len() == 1 {
                let entry = self.logs[log].next_entry()?;
                self.current = Some(log);
                return Some((log, entry));
            }
            self.read(log);
        }
        let Reverse((_, log)) = self.order.pop()?;
        self.current = Some(log);
        self.heads[log].take().map(|entry| (log, entry))
    }

    /// The text of the last entry, where it is a [`Statement`](super::Content::Statement).
    pub fn sql(&self) -> &[u8] {
        self.current.map_or(&[], |log| self.logs[log].sql())
    }

    /// Who sent the last entry, where it is a [`Statement`](super::Content::Statement).
    pub fn sender(&self) -> Sender<'_> {
        self.current.map_or_else(Sender::default, |log| self.logs[log].sender())
    }

    /// The time of the entry that comes next, before the first is asked for.
    pub(crate) fn first_time(&self) -> Option<LogTime> {
        self.order.peek().map(|Reverse((time, _))| *time)
    }

    /// The logs, in the order they were given.
    pub fn logs(&self) -> &[LogReader] {
        &self.logs
    }
}
