//! How many forks this process has come through.
//!
//! A fork copies the memory of a process and, of its threads, only the one that forks. What another thread had locked stays
//! locked in the child, by nobody. So a [`Lock`](crate::lock::Lock) writes down the count of forks with whoever takes it: in
//! a process with another count, that holder is not there.

use std::sync::atomic::{AtomicU32, Ordering};

/// The standard library's in the model checker too: it changes where there is one thread.
static FORKS: AtomicU32 = AtomicU32::new(0);

/// How many forks there are between this process and the first of its ancestors that [watched](watch). Elsewhere than on
/// Unix there are none.
#[inline]
pub fn count() -> u32 {
    // Whoever reads it was started by the thread that counted, or is that thread.
    FORKS.load(Ordering::Relaxed)
}

/// Counts the forks from now on. To be called before the first lock is taken; again does no harm.
///
/// What counts is a handler of `pthread_atfork`, so a child that is made around those, by a bare system call, finds the
/// locks of its parent's threads taken for good. So does a child of `vfork`, which is to call `exec` and nothing else.
pub fn watch() {
    #[cfg(unix)]
    at_fork::watch();
}

#[cfg(unix)]
mod at_fork {
    use super::{FORKS, Ordering};
    use std::ffi::c_int;
    use std::sync::atomic::AtomicBool;

    type Handler = Option<unsafe extern "C" fn()>;

    unsafe extern "C" {
        fn pthread_atfork(prepare: Handler, parent: Handler, child: Handler) -> c_int;
    }

    /// In the child, before `fork` returns: no other thread is there yet. One atomic operation is all that it does, which a
    /// handler of a signal may do too.
    unsafe extern "C" fn count_one() {
        FORKS.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn watch() {
        static WATCHES: AtomicBool = AtomicBool::new(false);

        if WATCHES.load(Ordering::Acquire) {
            return;
        }
        // Two threads may come here at once, or a fork in between: then one fork counts twice, which is as good. A `Once`
        // would be another lock for a fork to leave taken.
        // SAFETY: the handler is of the type that is asked for, and as long as this code is loaded: the C library forgets the
        // handlers of a library that is unloaded.
        let refused = unsafe { pthread_atfork(None, None, Some(count_one)) };
        // It is refused for want of memory alone: the next lock tries again.
        WATCHES.store(refused == 0, Ordering::Release);
    }
}
