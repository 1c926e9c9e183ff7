//! Thresholds that the host gives, and durations that it reports.

use crate::decision::sqlthrottle_fingerprint_t;
use crate::engine::sqlthrottle_engine_t;
use crate::error::{Error, Result};
use crate::growing::Growing;
use crate::guard::with_engine;
use crate::input::{In, value};
use crate::output::wanted;
use crate::status::sqlthrottle_status_t::{self, SQLTHROTTLE_NOTHING, SQLTHROTTLE_OK};
use sqlthrottle::{Delay, Fingerprint, Share, Strategy, Threshold};
use std::time::Duration;

/// What is done to a statement over its threshold.
#[repr(u32)]
#[derive(Clone, Copy, Debug)]
pub enum sqlthrottle_strategy_t {
    /// An error is reported.
    SQLTHROTTLE_STRATEGY_ABORT = 0,
    /// An empty result is reported.
    SQLTHROTTLE_STRATEGY_IGNORE = 1,
    /// It waits for `delay_ns` once.
    SQLTHROTTLE_STRATEGY_DELAY = 2,
    /// It waits until the threshold allows it, at most `delay_ns` in all.
    SQLTHROTTLE_STRATEGY_DELAY_UNTIL_ALLOWED = 3,
}

/// A limit on identical statements in a sliding window. Set `size`, `max_count`, and what is to differ from zero, which stands for what a
/// rule file takes where a key is left out.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct sqlthrottle_threshold_t {
    /// Its size in bytes as the program was compiled with.
    pub size: usize,
    /// Nanoseconds of the window; 0 for 60 seconds.
    pub window_ns: u64,
    /// Nanoseconds of the wait; only with a strategy that delays.
    pub delay_ns: u64,
    /// Most statements that are sent in any interval of the window.
    pub max_count: u32,
    /// How many parts the window is counted in; 0 for 12.
    pub buckets: u32,
    /// The part of statements over the limit that the strategy is applied to, such as 2 of 3; both 0 for all.
    pub share: u32,
    /// See `share`.
    pub share_of: u32,
    /// What is done to them, of sqlthrottle_strategy_t.
    pub strategy: u32,
    /// How many statements may wait at once; 0 for 100.
    pub max_delayed: u32,
}

// SAFETY: it begins with its size; the other fields are numbers.
unsafe impl Growing for sqlthrottle_threshold_t {
    const FIRST_SIZE: usize = size_of::<Self>();
}

impl sqlthrottle_threshold_t {
    /// The threshold it describes.
    fn get(&self) -> Result<Threshold> {
        let delay = Duration::from_nanos(self.delay_ns);
        let strategy = match self.strategy {
            0 => Strategy::Abort,
            1 => Strategy::Ignore,
            2 => Strategy::Delay(Delay::Fixed(delay)),
            3 => Strategy::Delay(Delay::UntilAllowed { max: delay }),
            other => return Err(value(format_args!("strategy is {other}, which is none of sqlthrottle_strategy_t"))),
        };
        let mut threshold = Threshold::new(self.max_count).strategy(strategy);
        if self.window_ns != 0 {
            threshold = threshold.window(Duration::from_nanos(self.window_ns));
        }
        if self.buckets != 0 {
            threshold = threshold.buckets(self.buckets);
        }
        if self.max_delayed != 0 {
            threshold = threshold.max_delayed(self.max_delayed);
        }
        if (self.share, self.share_of) != (0, 0) {
            let share = Share::new(self.share, self.share_of).ok_or_else(|| {
                value(format_args!(
                    "the share is {} of {}; it is more than none and at most all",
                    self.share, self.share_of
                ))
            })?;
            threshold = threshold.share(share);
        }
        Ok(threshold)
    }
}

/// # Safety
///
/// The pointer is NULL, or a fingerprint is there.
pub(crate) unsafe fn fingerprint(given: *const sqlthrottle_fingerprint_t) -> Result<Fingerprint> {
    // SAFETY: the caller's promise.
    let given = unsafe { given.as_ref() }.ok_or_else(|| Error::null("fingerprint"))?;
    given
        .bytes
        .get(..given.length as usize)
        .and_then(Fingerprint::from_bytes)
        .ok_or_else(|| value(format_args!("the length of the fingerprint is {}; it is 32, 20 or 16", given.length)))
}

/// Says what the host's provider says of a fingerprint: a threshold, or with NULL that it has none. Of an engine that was opened with
/// `asks_provider`, in force from the next check on; any other never looks at it. After `time_to_live_ns` nanoseconds it is due to be
/// renewed, and stays in force until it is.
///
/// Returns SQLTHROTTLE_ERROR_REFUSED where a value is out of its bounds, which docs/rules.md has; what was said before stays in force.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sqlthrottle_set_threshold(
    engine: *const sqlthrottle_engine_t,
    fingerprint: *const sqlthrottle_fingerprint_t,
    threshold: *const sqlthrottle_threshold_t,
    time_to_live_ns: u64,
) -> sqlthrottle_status_t {
    // SAFETY: the caller's promise.
    unsafe {
        with_engine(engine, |engine| {
            let fingerprint = self::fingerprint(fingerprint)?;
            let threshold = match In::if_given(threshold, "threshold")? {
                Some(given) => Some(given.get()?),
                None => None,
            };
            engine.set_threshold(&fingerprint, threshold, Duration::from_nanos(time_to_live_ns))?;
            Ok(SQLTHROTTLE_OK)
        })
    }
}

/// Says that the host's provider could not be asked for a fingerprint. What it said before stays in force; where it never said anything,
/// the statement passes by the other rules alone. Either is due again after a second, and the failure is counted.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sqlthrottle_threshold_failed(
    engine: *const sqlthrottle_engine_t,
    fingerprint: *const sqlthrottle_fingerprint_t,
) -> sqlthrottle_status_t {
    // SAFETY: the caller's promise.
    unsafe {
        with_engine(engine, |engine| {
            engine.threshold_failed(&self::fingerprint(fingerprint)?);
            Ok(SQLTHROTTLE_OK)
        })
    }
}

/// Writes fingerprints whose threshold is to be renewed by now, at most `capacity` of them, and tells `count` how many: for a timer of
/// the host's, which asks its provider and calls sqlthrottle_set_threshold(). Until it does, they are due again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sqlthrottle_thresholds_due(
    engine: *const sqlthrottle_engine_t,
    fingerprints: *mut sqlthrottle_fingerprint_t,
    capacity: usize,
    count: *mut usize,
) -> sqlthrottle_status_t {
    // SAFETY: the caller's promise.
    unsafe {
        with_engine(engine, |engine| {
            let fingerprints = wanted(fingerprints, "fingerprints")?;
            let count = wanted(count, "count")?;
            let due = engine.thresholds_due(capacity);
            for (i, fingerprint) in due.iter().enumerate() {
                fingerprints.add(i).write(fingerprint.into());
            }
            count.write(due.len());
            Ok(SQLTHROTTLE_OK)
        })
    }
}

/// Takes note of how many nanoseconds a statement took to run, for sqlthrottle_top(). Returns SQLTHROTTLE_NOTHING for no fingerprint,
/// as decisions on statements have that are not read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sqlthrottle_record_duration(
    engine: *const sqlthrottle_engine_t,
    fingerprint: *const sqlthrottle_fingerprint_t,
    duration_ns: u64,
) -> sqlthrottle_status_t {
    // SAFETY: the caller's promise.
    unsafe {
        with_engine(engine, |engine| {
            if fingerprint.as_ref().is_some_and(|fingerprint| fingerprint.length == 0) {
                return Ok(SQLTHROTTLE_NOTHING);
            }
            engine.record_duration(&self::fingerprint(fingerprint)?, Duration::from_nanos(duration_ns));
            Ok(SQLTHROTTLE_OK)
        })
    }
}
