//! The statements of a log without rules: which are busy.

use super::tally::Tally;
use crate::log::LogTime;
use sqlthrottle::{Dialect, FingerprintOptions, Normalizer};
use std::time::Duration;

/// Counts the shapes of statements.
#[derive(Debug)]
pub(super) struct Survey {
    /// One for each log: logs of several databases can be read together.
    normalizers: Vec<Normalizer>,
}

impl Survey {
    pub(super) fn new(dialects: Vec<Dialect>) -> Self {
        let normalizer = |dialect| Normalizer::new(FingerprintOptions::new(dialect));
        Self { normalizers: dialects.into_iter().map(normalizer).collect() }
    }

    /// Counts a statement of a log.
    #[inline]
    pub(super) fn send(
        &mut self,
        log: usize,
        sql: &[u8],
        at: LogTime,
        query_time: Option<Duration>,
        tally: &mut Tally,
    ) {
        let normalized = self.normalizers[log].normalize(sql);
        tally.sent(normalized.fingerprint(), at, query_time, || normalized);
    }
}
