//! A lock that nobody waits for.

#[cfg(test)]
#[cfg(loom)]
mod model;

use crate::sync::{AtomicU32, Ordering, UnsafeCell};
use std::fmt;
use std::ops::{Deref, DerefMut};

const FREE: u32 = 0;
const TAKEN: u32 = 1;

/// A value that one thread at a time may have, for those who have something else to do where it is taken.
///
/// One atomic exchange takes it and a plain store gives it back, half the price of a lock that threads can wait for. A
/// thread that panics gives it back too: what it leaves behind must be of use at any moment.
pub struct TryLock<T> {
    state: AtomicU32,
    value: UnsafeCell<T>,
}

/// The value, as long as this lives.
pub struct Guard<'a, T>(&'a TryLock<T>);

// SAFETY: the value is reached through a guard alone, and there is one at a time: the exchange that makes a guard finds the
// state free, and leaves it taken until the guard is dropped. It acquires what the store of the guard before released.
unsafe impl<T: Send> Sync for TryLock<T> {}
// SAFETY: the value moves with the lock.
unsafe impl<T: Send> Send for TryLock<T> {}
// SAFETY: a guard is a reference to the value, of which several threads may have one if they may have several of the value.
unsafe impl<T: Sync> Sync for Guard<'_, T> {}

impl<T> TryLock<T> {
    /// A value that nobody has.
    pub fn new(value: T) -> Self {
        Self { state: AtomicU32::new(FREE), value: UnsafeCell::new(value) }
    }

    /// The value, unless another thread, or this one further up, has it.
    #[inline]
    pub fn try_lock(&self) -> Option<Guard<'_, T>> {
        let was = self.state.compare_exchange(FREE, TAKEN, Ordering::Acquire, Ordering::Relaxed);
        was.is_ok().then(|| Guard(self))
    }
}

impl<T> Drop for Guard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        self.0.state.store(FREE, Ordering::Release);
    }
}

impl<T> Deref for Guard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: this is the only guard, and it is borrowed shared.
        self.0.value.with(|value| unsafe { &*value })
    }
}

impl<T> DerefMut for Guard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: this is the only guard, and it is borrowed alone.
        self.0.value.with_mut(|value| unsafe { &mut *value })
    }
}

impl<T> fmt::Debug for TryLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TryLock").finish_non_exhaustive()
    }
}

impl<T: fmt::Debug> fmt::Debug for Guard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Guard").field(&&**self).finish()
    }
}

#[cfg(test)]
#[cfg(not(loom))]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::thread;

    #[test]
    fn one_has_it_and_nobody_waits() {
        let lock = TryLock::new(1);
        let mut guard = lock.try_lock().unwrap();
        assert!(lock.try_lock().is_none());
        *guard += 1;
        drop(guard);
        assert_eq!(*lock.try_lock().unwrap(), 2);
    }

    #[test]
    fn a_panic_gives_it_back() {
        let lock = TryLock::new(1);
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            let _guard = lock.try_lock().unwrap();
            panic!("with the value in hand");
        }));
        assert!(panicked.is_err());
        assert!(lock.try_lock().is_some());
    }

    #[test]
    fn no_count_is_lost_between_threads() {
        let (lock, rounds) = (TryLock::new(0_u64), 100_000);
        let mine = |_: u32| {
            let count =
                || (0..rounds).filter(|_| lock.try_lock().map(|mut value| *value += 1).is_some()).count() as u64;
            count()
        };
        let counted: u64 = thread::scope(|scope| {
            let threads: Vec<_> = (0..3)
                .map(|n| {
                    let mine = &mine;
                    scope.spawn(move || mine(n))
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        assert_eq!(*lock.try_lock().unwrap(), counted);
    }
}
