//! The time of one check.

use crate::clock::{Clock, Reading};

/// The time of one check by each reading of the clock that its rules ask for: read when it is first asked for, and the same
/// for all that ask alike.
pub(in crate::engine) struct Times<'a> {
    clock: &'a Clock,
    read: [Option<u64>; 3],
}

impl<'a> Times<'a> {
    pub(in crate::engine) const fn new(clock: &'a Clock) -> Self {
        Self { clock, read: [None; 3] }
    }

    /// Nanoseconds since the zero of the clock.
    #[inline]
    pub(in crate::engine) fn by(&mut self, reading: Reading) -> u64 {
        let place = match reading {
            Reading::Coarse => 0,
            Reading::Precise => 1,
            Reading::WithSuspend => 2,
        };
        *self.read[place].get_or_insert_with(|| self.clock.read(reading))
    }
}
