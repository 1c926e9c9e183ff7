//! The sliding window as a type of its own.

use crate::clock::sqlthrottle_clock_t;
use crate::guard::call;
use crate::handle::{self, opaque};
use crate::input::value;
use crate::output::{cleared, put_if_wanted, wanted};
use crate::status::sqlthrottle_status_t::{self, SQLTHROTTLE_OK};
use sqlthrottle::{Clock, SlidingWindow};
use std::time::Duration;

/// Counts events of any kind in a sliding window, without locks. One serves any number of threads.
#[derive(Debug)]
pub struct sqlthrottle_window_t {
    _opaque: (),
}

opaque!(sqlthrottle_window_t, SlidingWindow, "window");

/// Makes a window of so many nanoseconds, counted in `buckets` parts: 12 are usual, more forget sooner. An event is forgotten when it
/// is as old as the window, or at most one bucket older. `clock` is NULL for the machine's. Writes `window`, to be freed with
/// sqlthrottle_window_free().
///
/// Returns SQLTHROTTLE_ERROR_VALUE where there are no buckets, more than 1021, or buckets shorter than a millisecond.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sqlthrottle_window_new(
    window_ns: u64,
    buckets: u32,
    clock: *const sqlthrottle_clock_t,
    window: *mut *mut sqlthrottle_window_t,
) -> sqlthrottle_status_t {
    call(|| {
        // SAFETY: the caller's promise.
        let window = unsafe { cleared(window, "window") }?;
        // SAFETY: the caller's promise.
        let clock = if clock.is_null() { Clock::system() } else { unsafe { handle::get(clock) }?.clone().into() };
        let counting = SlidingWindow::new(Duration::from_nanos(window_ns), buckets, clock)
            .map_err(|error| value(format_args!("{error}")))?;
        // SAFETY: the caller's promise.
        unsafe { window.write(handle::new(counting)) };
        Ok(SQLTHROTTLE_OK)
    })
}

/// Counts an event that happens now. `count`, unless NULL, is told how many count now, with this one. Allocates nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sqlthrottle_window_record(
    window: *const sqlthrottle_window_t,
    count: *mut u64,
) -> sqlthrottle_status_t {
    call(|| {
        // SAFETY: the caller's promise.
        unsafe { put_if_wanted(count, handle::get(window)?.record()) };
        Ok(SQLTHROTTLE_OK)
    })
}

/// Tells `count` how many events count now.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sqlthrottle_window_count(
    window: *const sqlthrottle_window_t,
    count: *mut u64,
) -> sqlthrottle_status_t {
    call(|| {
        let count = wanted(count, "count")?;
        // SAFETY: the caller's promise.
        unsafe { count.write(handle::get(window)?.count()) };
        Ok(SQLTHROTTLE_OK)
    })
}

/// Forgets all events. One that another thread records meanwhile may stay.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sqlthrottle_window_reset(window: *const sqlthrottle_window_t) -> sqlthrottle_status_t {
    call(|| {
        // SAFETY: the caller's promise.
        unsafe { handle::get(window) }?.reset();
        Ok(SQLTHROTTLE_OK)
    })
}

/// Frees a window. Does nothing with NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sqlthrottle_window_free(window: *mut sqlthrottle_window_t) {
    call(|| {
        // SAFETY: the caller's promise.
        drop(unsafe { handle::free(window) });
        Ok(SQLTHROTTLE_OK)
    });
}
