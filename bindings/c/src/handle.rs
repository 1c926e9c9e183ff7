//! What stands behind a pointer to an opaque struct.

use crate::error::{Error, Result};
use crate::status::sqlthrottle_status_t::SQLTHROTTLE_ERROR_FREED;
use sqlthrottle_cells::lock::Lock;
use std::collections::VecDeque;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

/// How many places of a type rest, freed, before one is used again.
const RESTING: usize = 1024;

/// A struct that C knows by its address alone, and what that stands for.
pub(crate) trait Opaque: Sized + 'static {
    /// Any thread may use it, and any other one free it.
    type Value: Send + Sync + 'static;

    /// What errors call it.
    const NOUN: &'static str;

    fn resting() -> &'static Resting<Self::Value>;
}

/// Says what an opaque struct stands for.
macro_rules! opaque {
    ($struct:ty, $value:ty, $noun:literal) => {
        impl $crate::handle::Opaque for $struct {
            type Value = $value;

            const NOUN: &'static str = $noun;

            fn resting() -> &'static $crate::handle::Resting<$value> {
                static RESTING: $crate::handle::Resting<$value> = $crate::handle::Resting::new();
                &RESTING
            }
        }
    };
}
pub(crate) use opaque;

/// Where a value is kept.
///
/// A place outlives its value: it is never given back to the allocator, and serves another value only after many others
/// were freed. So a call with what was freed is an error and no fault of memory, and to free twice does nothing. That
/// holds for a mistake made one step after the other; where one thread frees what another is using there is no help, and
/// the header says so.
///
/// It has a line of the cache to itself: every call reads it, and a neighbour that is written would take it away.
#[repr(align(64))]
pub(crate) struct Place<T: 'static>(AtomicPtr<T>);

/// The places of a type that are free.
///
/// They are made by whoever asks first. Not by a `LazyLock`: a child that was forked while another thread makes them would wait
/// for it forever.
pub(crate) struct Resting<T: 'static>(AtomicPtr<Queue<T>>);

/// The one that has rested longest is first.
type Queue<T> = Lock<VecDeque<&'static Place<T>>>;

impl<T> Resting<T> {
    pub(crate) const fn new() -> Self {
        Self(AtomicPtr::new(ptr::null_mut()))
    }

    fn queue(&self) -> &'static Queue<T> {
        // SAFETY: it is NULL, or what was leaked below.
        if let Some(known) = unsafe { self.0.load(Ordering::Acquire).as_ref() } {
            return known;
        }
        let made = Box::into_raw(Box::new(Queue::default()));
        match self.0.compare_exchange(ptr::null_mut(), made, Ordering::AcqRel, Ordering::Acquire) {
            // SAFETY: it came from a box, and is never dropped.
            Ok(_) => unsafe { &*made },
            Err(earlier) => {
                // SAFETY: it came from a box, and nobody else knows of it.
                drop(unsafe { Box::from_raw(made) });
                // SAFETY: it was leaked by the thread that was earlier.
                unsafe { &*earlier }
            }
        }
    }
}

/// Keeps a value for C.
pub(crate) fn new<S: Opaque>(value: S::Value) -> *mut S {
    let value = Box::into_raw(Box::new(value));
    let mut resting = S::resting().queue().lock();
    let rested = if resting.len() > RESTING { resting.pop_front() } else { None };
    drop(resting);
    let place: &'static Place<S::Value> = match rested {
        Some(place) => {
            place.0.store(value, Ordering::Release);
            place
        }
        None => Box::leak(Box::new(Place(AtomicPtr::new(value)))),
    };
    ptr::from_ref(place).cast_mut().cast()
}

/// The value that C means.
///
/// # Safety
///
/// The pointer is NULL or came from [`new`], and the value is not freed while it is in use.
#[inline]
pub(crate) unsafe fn get<'a, S: Opaque>(handle: *const S) -> Result<&'a S::Value> {
    // SAFETY: a place lives for good.
    let Some(place) = (unsafe { handle.cast::<Place<S::Value>>().as_ref() }) else { return Err(Error::null(S::NOUN)) };
    // SAFETY: a value is dropped in `free` alone, and then its place no longer says where it was.
    match unsafe { place.0.load(Ordering::Acquire).as_ref() } {
        Some(value) => Ok(value),
        None => Err(freed(S::NOUN)),
    }
}

/// Takes a value back. None where the pointer is NULL or that was done before.
///
/// # Safety
///
/// As for [`get`].
pub(crate) unsafe fn free<S: Opaque>(handle: *mut S) -> Option<S::Value> {
    // SAFETY: a place lives for good.
    let place: &'static Place<S::Value> = unsafe { handle.cast::<Place<S::Value>>().as_ref() }?;
    let value = place.0.swap(ptr::null_mut(), Ordering::AcqRel);
    if value.is_null() {
        return None;
    }
    S::resting().queue().lock().push_back(place);
    // SAFETY: it came from a box, and the swap gave it to this call alone.
    Some(*unsafe { Box::from_raw(value) })
}

/// What a handle is refused with that was freed before.
#[cold]
pub(crate) fn freed(noun: &str) -> Error {
    Error::new(SQLTHROTTLE_ERROR_FREED, format_args!("the {noun} has been freed"))
}
