//! How a sliding window is divided into buckets, and the arithmetic of its epochs.

use std::fmt;

/// Bits that name an epoch in the head word of a cell.
pub(crate) const EPOCH_BITS: u32 = 36;
/// Bits that name a lap of the ring in the tag of a slot.
const LAP_BITS: u32 = 5;
/// Bits of a tag: the phase and the lap.
pub(crate) const TAG_BITS: u32 = 1 + LAP_BITS;

const LAPS: u64 = 1 << LAP_BITS;

/// Slots a ring has beside those of the window's buckets: the one that makes the sum a bound.
///
/// MUTANT `ring_of_n`: without it, intervals of the window's length hold up to twice the limit. `make mutants` builds that,
/// and expects a test to fail.
const SPARE_SLOTS: u64 = if cfg!(mutant = "ring_of_n") { 0 } else { 1 };

/// The shape of a sliding window: how wide its buckets are, and how many slots their ring has.
///
/// Belongs to the rule, not to its cells, so a cell is counters and nothing else.
///
/// Bucket `e` of the clock's time, its *epoch*, spans `e * bucket .. (e + 1) * bucket` nanoseconds. A window of `buckets`
/// buckets is counted in a ring of `buckets + 1` slots: a closed interval as long as the window that ends in epoch `e`
/// begins no earlier than in epoch `e - buckets`, so the ring's sum bounds every such interval, wherever it lies. With
/// `buckets` slots alone the oldest, partly covered bucket is missing, and an interval may hold up to twice the limit.
/// Counting a window in a ring of equal parts is the "basic windows" of Zhu and Shasha, `StatStream` (VLDB 2002); the extra
/// slot turns their estimate into a bound.
///
/// An event is forgotten when its slot's epoch is `buckets + 1` behind: no later than the window and one bucket after it.
/// A saturated window therefore carries `buckets / (buckets + 1)` of its limit, 92 % at 12 buckets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WindowShape {
    /// Nanoseconds.
    bucket: u64,
    /// Slots: one more than there are buckets.
    ring: u64,
    /// Epochs are counted modulo this: a multiple of `LAPS * ring`, so slots and tags run on across the turn.
    turn: u64,
    /// An epoch that lies up to this far ahead is later, one beyond is an older clock's.
    farthest: u64,
}

/// Why a window cannot be divided as asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ShapeError {
    /// There are no buckets.
    NoBuckets,
    /// There are more than [`WindowShape::MAX_BUCKETS`].
    TooManyBuckets,
    /// A bucket would be shorter than [`WindowShape::MIN_BUCKET_NANOS`]; a window of no length is one of these.
    BucketTooShort,
}

impl fmt::Display for ShapeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoBuckets => f.write_str("a window has at least one bucket"),
            Self::TooManyBuckets => write!(f, "a window has at most {} buckets", WindowShape::MAX_BUCKETS),
            Self::BucketTooShort => write!(f, "a bucket lasts at least {} ns", WindowShape::MIN_BUCKET_NANOS),
        }
    }
}

impl std::error::Error for ShapeError {}

impl WindowShape {
    /// Most buckets of a window. With its head word such a cell takes 4 KiB.
    pub const MAX_BUCKETS: u32 = 1021;

    /// Shortest bucket, in nanoseconds: a millisecond.
    ///
    /// Epochs have 36 bits. From 269 ms a bucket they never come round within the 584 years that a time in nanoseconds
    /// spans; at one millisecond they come round after two years, and a cell that nobody touched for a year and a half is
    /// still read rightly. Shorter buckets could not promise that for one year.
    pub const MIN_BUCKET_NANOS: u64 = 1_000_000;

    /// Divides a window, in nanoseconds, into buckets. A bucket is rounded up to whole nanoseconds, never down, so the
    /// window is never shorter than asked.
    ///
    /// # Errors
    ///
    /// When the buckets are none, too many, or too short.
    pub const fn new(window_nanos: u64, buckets: u32) -> Result<Self, ShapeError> {
        if buckets == 0 {
            return Err(ShapeError::NoBuckets);
        }
        if buckets > Self::MAX_BUCKETS {
            return Err(ShapeError::TooManyBuckets);
        }
        let bucket = window_nanos.div_ceil(buckets as u64);
        if bucket < Self::MIN_BUCKET_NANOS {
            return Err(ShapeError::BucketTooShort);
        }
        let ring = buckets as u64 + SPARE_SLOTS;
        let turn = (1 << EPOCH_BITS) / (LAPS * ring) * (LAPS * ring);
        // Where epochs never come round, whatever is not behind is ahead. Elsewhere the far quarter of the circle is the
        // past: the span by which a thread that read its clock long ago may lag.
        let farthest = if u64::MAX / bucket < turn { turn } else { turn - turn / 4 };
        Ok(Self { bucket, ring, turn, farthest })
    }

    /// The number of buckets.
    pub const fn buckets(&self) -> u32 {
        (self.ring - SPARE_SLOTS) as u32
    }

    /// The length of a bucket, in nanoseconds.
    pub const fn bucket_nanos(&self) -> u64 {
        self.bucket
    }

    /// Nanoseconds from `now` until what is recorded now is forgotten.
    pub const fn memory(&self, now: u64) -> u64 {
        (now / self.bucket).saturating_add(self.ring).saturating_mul(self.bucket) - now
    }

    /// The number of slots a cell needs: one more than there are buckets.
    pub const fn slots(&self) -> usize {
        self.ring as usize
    }

    /// Whether epochs come round within the span of a time.
    const fn turns(&self) -> bool {
        self.farthest < self.turn
    }

    pub(crate) const fn epoch(&self, now: u64) -> u64 {
        let epoch = now / self.bucket;
        if epoch < self.turn { epoch } else { epoch % self.turn }
    }

    /// How many epochs `now` lies ahead of `epoch`; 0 also where it lies behind, because an older clock's time counts as
    /// the newest epoch seen.
    #[inline]
    pub(crate) const fn ahead(&self, epoch: u64, now: u64) -> u64 {
        // Neither product nor difference is out of range where now is in the epoch; and a hot cell is spared a division.
        if now.wrapping_sub(epoch.wrapping_mul(self.bucket)) < self.bucket {
            return 0;
        }
        if !self.turns() {
            return (now / self.bucket).saturating_sub(epoch);
        }
        let ahead = (self.epoch(now) + self.turn - epoch) % self.turn;
        if ahead < self.farthest { ahead } else { 0 }
    }

    /// The epoch that lies `ahead` of `epoch`.
    pub(crate) const fn later(&self, epoch: u64, ahead: u64) -> u64 {
        (epoch + ahead) % self.turn
    }

    /// Whether an epoch still counts in the `newest` one, which is not before it.
    pub(crate) const fn is_live(&self, epoch: u64, newest: u64) -> bool {
        (newest + self.turn - epoch) % self.turn < self.ring
    }

    pub(crate) const fn place(&self, epoch: u64, phase: u32) -> Place {
        let lap = (epoch / self.ring % LAPS) as u32;
        Place { index: (epoch % self.ring) as usize, tag: phase << LAP_BITS | lap }
    }

    /// The places of the epochs that are live in `epoch`, the oldest first and `epoch` last.
    pub(crate) fn live(&self, epoch: u64, phase: u32) -> impl Iterator<Item = Place> + use<> {
        // Adding the turn changes no place, and keeps epochs before the first one from being negative.
        let oldest = self.place(epoch + self.turn - (self.ring - 1), phase);
        let newest = self.place(epoch, phase);
        let to_the_end = (oldest.index..self.slots()).map(move |index| Place { index, ..oldest });
        to_the_end.chain((0..oldest.index).map(move |index| Place { index, ..newest }))
    }

    /// How long it is from `now` to the start of an epoch that is not before it by the shorter way; 0 where it has begun.
    pub(crate) const fn until_epoch(&self, now: u64, epoch: u64) -> u64 {
        if self.ahead(epoch, now) > 0 { 0 } else { self.until(now, epoch, 0) }
    }

    /// How long it is from `now` to the start of the epoch `after` epochs later than `epoch`, where now is not ahead of
    /// `epoch`.
    pub(crate) const fn until(&self, now: u64, epoch: u64, after: u64) -> u64 {
        let lag = (epoch + self.turn - self.epoch(now)) % self.turn;
        let start = (now / self.bucket + lag + after).saturating_mul(self.bucket);
        start.saturating_sub(now)
    }
}

/// Where the count of an epoch is kept: a slot, and the tag that the slot then has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) index: usize,
    pub(crate) tag: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    #[test]
    fn impossible_divisions_are_refused() {
        assert_eq!(WindowShape::new(60_000 * MS, 0), Err(ShapeError::NoBuckets));
        assert_eq!(WindowShape::new(u64::MAX, WindowShape::MAX_BUCKETS + 1), Err(ShapeError::TooManyBuckets));
        assert_eq!(WindowShape::new(12 * MS - 12, 12), Err(ShapeError::BucketTooShort));
        assert_eq!(WindowShape::new(0, 1), Err(ShapeError::BucketTooShort));
        assert!(WindowShape::new(12 * MS, 12).is_ok());
        assert!(WindowShape::new(u64::MAX, 1).is_ok());
    }

    #[test]
    fn a_window_is_never_shorter_than_asked() {
        let shape = WindowShape::new(1_000 * MS, 12).unwrap();
        assert_eq!(shape.bucket_nanos(), 83_333_334);
        assert_eq!((shape.buckets(), shape.slots()), (12, 13));
    }

    #[test]
    fn slots_and_laps_run_on_across_the_turn_of_the_epochs() {
        for buckets in [1, 2, 12, 13, 14, 1021] {
            let shape = WindowShape::new(MS * u64::from(buckets), buckets).unwrap();
            let (last, first) = (shape.place(shape.turn - 1, 0), shape.place(0, 0));
            assert_eq!(last, Place { index: shape.slots() - 1, tag: LAPS as u32 - 1 }, "{buckets} buckets");
            assert_eq!(first, Place { index: 0, tag: 0 });
            let across: Vec<_> = shape.live(0, 0).collect();
            assert_eq!(across.last(), Some(&first));
            assert_eq!(across.len(), shape.slots());
            assert_eq!(across[across.len() - 2], last);
        }
    }

    #[test]
    fn an_older_clock_is_not_ahead() {
        for (window, buckets) in [(1_000 * MS, 1), (12 * MS, 12), (60_000 * MS, 12)] {
            let shape = WindowShape::new(window, buckets).unwrap();
            let bucket = shape.bucket_nanos();
            for epoch in [0, 1, 100, 1 << 30] {
                let now = epoch * bucket;
                assert_eq!(shape.ahead(epoch, now), 0);
                assert_eq!(shape.ahead(epoch, now + bucket - 1), 0);
                assert_eq!(shape.ahead(epoch, now + bucket), 1);
                assert_eq!(shape.ahead(epoch, now.saturating_sub(1)), 0);
                assert_eq!(shape.ahead(epoch, now.saturating_sub(3_600_000 * MS)), 0);
                assert_eq!(shape.ahead(epoch, now + 7 * bucket + 3), 7);
            }
        }
    }

    #[test]
    fn epochs_that_come_round_are_told_apart_by_the_shorter_way() {
        let shape = WindowShape::new(12 * MS, 12).unwrap();
        let turn = shape.turn * shape.bucket_nanos();
        assert_eq!(shape.epoch(turn), 0);
        assert_eq!(shape.ahead(shape.turn - 1, turn), 1, "the turn is one step like others");
        assert_eq!(shape.ahead(0, turn - 1), 0, "a clock read just before the turn is older");
        let year = 365 * 24 * 3_600_000 * MS;
        assert_eq!(shape.ahead(shape.epoch(turn - MS), turn - MS + year), year / MS);
    }

    #[test]
    fn what_stays_live_keeps_its_tag_and_nothing_else_does() {
        for buckets in [1, 2, 12] {
            let shape = WindowShape::new(MS * u64::from(buckets), buckets).unwrap();
            let ring = shape.slots() as u64;
            for ahead in (1..3 * LAPS * ring).chain([shape.farthest - 1]) {
                for epoch in [0, 5, shape.turn - 3] {
                    let before: Vec<_> = shape.live(epoch, 0).collect();
                    assert_eq!(before.last(), Some(&shape.place(epoch, 0)));
                    let phase = u32::from(ahead >= ring);
                    let after = shape.live(shape.later(epoch, ahead), phase);
                    let kept = after.filter(|place| before.contains(place)).count() as u64;
                    assert_eq!(kept, ring.saturating_sub(ahead), "{buckets} buckets, {ahead} ahead");
                }
            }
        }
    }

    #[test]
    fn the_end_of_time_is_reached_without_overflow() {
        for (window, buckets) in [(12 * MS, 12), (60_000 * MS, 12), (u64::MAX, 1), (u64::MAX, 1021)] {
            let shape = WindowShape::new(window, buckets).unwrap();
            let epoch = shape.epoch(u64::MAX);
            assert_eq!(shape.ahead(epoch, u64::MAX), 0);
            assert_eq!(shape.until(u64::MAX, epoch, 13), 0);
            assert!(shape.until(0, shape.epoch(0), shape.ring) >= window);
        }
    }
}
