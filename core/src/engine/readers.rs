//! Normalisers for the threads that check, so that a check allocates none.

use crate::fingerprint::{Dialect, FingerprintOptions, Normalizer};
use std::sync::Mutex;

/// Normalisers kept; a thread that finds none makes its own and leaves it here for the next.
const KEPT: usize = 32;

/// A stock of normalisers. No thread ever waits for another: a place that is being looked at is passed over.
#[derive(Debug)]
pub(super) struct Readers {
    options: FingerprintOptions,
    places: [Mutex<Option<Box<Normalizer>>>; KEPT],
}

impl Readers {
    pub(super) fn new(options: FingerprintOptions) -> Self {
        Self { options, places: std::array::from_fn(|_| Mutex::new(None)) }
    }

    /// Lends a normaliser of a dialect.
    pub(super) fn with<T>(&self, dialect: Dialect, read: impl FnOnce(&mut Normalizer) -> T) -> T {
        let kept = self.places.iter().find_map(|place| place.try_lock().ok()?.take());
        let mut normalizer = kept.unwrap_or_else(|| Box::new(Normalizer::new(self.options)));
        normalizer.set_dialect(dialect);
        let result = read(&mut normalizer);
        let mut returned = Some(normalizer);
        for place in &self.places {
            if let Ok(mut place) = place.try_lock()
                && place.is_none()
            {
                *place = returned.take();
                break;
            }
        }
        result
    }
}
