//! Normalisers for the threads that check, so that a check allocates none.

use crate::fingerprint::{Dialect, FingerprintOptions, Normalized, Normalizer};
use sqlthrottle_cells::lock::Lock;

/// Normalisers kept; a thread that finds none makes its own and leaves it here for the next.
const KEPT: usize = 32;

/// A stock of normalisers. No thread ever waits for another: a place that is being looked at is passed over.
#[derive(Debug)]
pub(super) struct Readers {
    places: [Lock<Option<Box<Normalizer>>>; KEPT],
}

impl Readers {
    pub(super) fn new() -> Self {
        Self { places: std::array::from_fn(|_| Lock::new(None)) }
    }

    /// Normalises a text and lends the outcome to `read`.
    pub(super) fn normalize<T>(
        &self,
        options: FingerprintOptions,
        sql: &[u8],
        dialect: Dialect,
        read: impl FnOnce(&Normalized<'_>) -> T,
    ) -> T {
        // Those of other options are from before the rules changed, and are let go.
        let kept = self.places.iter().find_map(|place| place.try_lock()?.take());
        let kept = kept.filter(|normalizer| same_but_dialect(*normalizer.options(), options));
        let mut normalizer = kept.unwrap_or_else(|| Box::new(Normalizer::new(options)));
        normalizer.set_dialect(dialect);
        let result = read(&normalizer.normalize(sql));
        // What a giant statement has grown is not kept: in a place that is seldom reached it would stay for good.
        if sql.len() <= options.max_sql_bytes {
            self.keep(normalizer);
        }
        result
    }

    fn keep(&self, normalizer: Box<Normalizer>) {
        let mut returned = Some(normalizer);
        for place in &self.places {
            if let Some(mut place) = place.try_lock()
                && place.is_none()
            {
                *place = returned.take();
                break;
            }
        }
    }
}

/// Whether texts of one dialect are normalised alike.
pub(super) fn same_but_dialect(a: FingerprintOptions, b: FingerprintOptions) -> bool {
    FingerprintOptions { dialect: b.dialect, ..a } == b
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_of_giant_statements_are_given_back() {
        let options = FingerprintOptions { max_sql_bytes: 1000, ..FingerprintOptions::default() };
        let readers = Readers::new();
        let kept = || readers.places.iter().filter(|place| place.lock().is_some()).count();
        let giant = [b'a'; 1001];
        readers.normalize(options, b"select 1", Dialect::Generic, |_| {
            readers.normalize(options, &giant, Dialect::Generic, |normalized| {
                assert_eq!(normalized.as_bytes().len(), 1001);
            });
            assert_eq!(kept(), 0);
            readers.normalize(options, &giant[1..], Dialect::Generic, |_| {});
        });
        assert_eq!(kept(), 2);
        readers.normalize(options, &giant, Dialect::MySql, |_| {});
        assert_eq!(kept(), 1, "the first in line had to read it");
    }
}
