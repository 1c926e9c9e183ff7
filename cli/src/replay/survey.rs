//! The statements of a log without rules: which are busy.

use super::tally::Tally;
use crate::log::LogTime;
use sqlthrottle::{FingerprintOptions, Normalizer};
use std::time::Duration;

/// Counts the shapes of statements.
#[derive(Debug)]
pub(super) struct Survey {
    /// One for each log: logs of several databases can be read together.
    normalizers: Vec<Normalizer>,
}

impl Survey {
    pub(super) fn new(options: impl IntoIterator<Item = FingerprintOptions>) -> Self {
        Self { normalizers: options.into_iter().map(Normalizer::new).collect() }
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
