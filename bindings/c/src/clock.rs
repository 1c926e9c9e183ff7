//! A clock that a test moves.

use crate::guard::call;
use crate::handle::{self, opaque};
use crate::output::cleared;
use crate::status::sqlthrottle_status_t::{self, SQLTHROTTLE_OK};
use sqlthrottle::ManualClock;
use std::time::{Duration, SystemTime};

/// A clock that moves only when told to, so that no test sleeps to see a window pass. One serves any number of engines and threads.
#[derive(Debug)]
pub struct sqlthrottle_clock_t {
    _opaque: (),
}

opaque!(sqlthrottle_clock_t, ManualClock, "clock");

/// Makes a clock that stands at zero, and by the wall clock at the beginning of 1970 UTC. Writes `clock`, to be freed with
/// sqlthrottle_clock_free().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sqlthrottle_clock_new(clock: *mut *mut sqlthrottle_clock_t) -> sqlthrottle_status_t {
    call(|| {
        // SAFETY: the caller's promise.
        let clock = unsafe { cleared(clock, "clock") }?;
        // SAFETY: the caller's promise.
        unsafe { clock.write(handle::new(ManualClock::new())) };
        Ok(SQLTHROTTLE_OK)
    })
}

/// Moves a clock forward by so many nanoseconds, and its wall clock with it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sqlthrottle_clock_advance(
    clock: *const sqlthrottle_clock_t,
    by_ns: u64,
) -> sqlthrottle_status_t {
    call(|| {
        // SAFETY: the caller's promise.
        unsafe { handle::get(clock) }?.advance(Duration::from_nanos(by_ns));
        Ok(SQLTHROTTLE_OK)
    })
}

/// Sets the wall clock of a clock, forwards or back, to so many nanoseconds since the beginning of 1970 UTC. Rules expire by it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sqlthrottle_clock_set_wall(
    clock: *const sqlthrottle_clock_t,
    unix_ns: i64,
) -> sqlthrottle_status_t {
    call(|| {
        let span = Duration::from_nanos(unix_ns.unsigned_abs());
        let time = if unix_ns < 0 { SystemTime::UNIX_EPOCH - span } else { SystemTime::UNIX_EPOCH + span };
        // SAFETY: the caller's promise.
        unsafe { handle::get(clock) }?.set_wall(time);
        Ok(SQLTHROTTLE_OK)
    })
}

/// Frees a clock. Engines and windows that go by it go on, and it stands still for them. Does nothing with NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sqlthrottle_clock_free(clock: *mut sqlthrottle_clock_t) {
    call(|| {
        // SAFETY: the caller's promise.
        drop(unsafe { handle::free(clock) });
        Ok(SQLTHROTTLE_OK)
    });
}
