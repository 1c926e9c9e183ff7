//! A lock that a fork cannot leave taken.

#[cfg(test)]
#[cfg(loom)]
mod model;
#[cfg(test)]
#[cfg(not(loom))]
mod tests;

use crate::forks;
use crate::sync::{AtomicU32, Ordering, UnsafeCell, yield_now};
use std::fmt;
use std::hint;
use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};
use std::panic::{RefUnwindSafe, UnwindSafe};

/// The word of a lock that nobody has. Else it says what the value is taken for, and above that the count of
/// [forks] by which it was taken.
const FREE: u32 = 0;
/// Taken by one who may be changing the value.
const CHANGING: u32 = 1;
/// Taken by one who only reads it.
const READING: u32 = 2;
const USE_BITS: u32 = 2;

/// How often a thread looks again at once, and then after other threads had a turn, before it sleeps.
const SPINS: u32 = 64;
const YIELDS: u32 = 64;

/// A value that one thread at a time may have.
///
/// One atomic exchange takes it and a plain store gives it back, half the price of a lock whose waiters are woken. It is
/// for what takes nanoseconds: a thread that waits looks again and again, and sleeps a little where the holder was put
/// aside by the system. A thread that panics gives the value back: what it leaves behind must be of use at any moment.
///
/// # Forks
///
/// A thread that has the value while another one forks is not there in the child to give it back. The lock is *abandoned*
/// there, which its word tells: it was taken by another count of [forks]. Whoever comes next in the child takes it
/// over. Where the value was only read, it is kept. Else it may be half changed, so it is neither looked at nor dropped: a
/// fresh one takes its place, which the caller says how to make, and what the old one owned is leaked.
///
/// The thread that forks must not have the value itself. Nothing that is done with it may call what could fork.
///
/// # Invariants
///
/// 1. At most one thread of a process has the value.
/// 2. Whoever has it finds what the one before left, or in the place of an abandoned value that was being changed a fresh one.
pub struct Lock<T> {
    word: AtomicU32,
    value: UnsafeCell<T>,
}

/// The value, to be changed, as long as this lives.
pub struct Guard<'a, T>(&'a Lock<T>);

/// The value, to be read, as long as this lives. Nobody else has it.
pub struct Reading<'a, T>(&'a Lock<T>);

// SAFETY: the value is reached through a guard alone, and there is one at a time: the exchange that makes a guard finds the
// word free, and leaves it taken until the guard is dropped. It acquires what the store of the guard before released. Or it
// finds the word of another count of forks; then the thread which has that guard is none of this process: counts differ
// only across a fork, which copies one thread, and that one has no guard. Of several threads that find it so, the exchange
// lets one through.
unsafe impl<T: Send> Sync for Lock<T> {}
// SAFETY: the value moves with the lock.
unsafe impl<T: Send> Send for Lock<T> {}
// SAFETY: a guard is a reference to the value, of which several threads may have one if they may have several of the value.
unsafe impl<T: Sync> Sync for Guard<'_, T> {}
// SAFETY: as for the guard.
unsafe impl<T: Sync> Sync for Reading<'_, T> {}

// Whoever panics with the value in hand is to leave it of use.
impl<T> UnwindSafe for Lock<T> {}
impl<T> RefUnwindSafe for Lock<T> {}

impl<T> Lock<T> {
    /// A value that nobody has.
    pub fn new(value: T) -> Self {
        forks::watch();
        Self { word: AtomicU32::new(FREE), value: UnsafeCell::new(value) }
    }

    /// The value, unless another thread, or this one further up, has it. In place of one that was abandoned half changed, a
    /// `fresh` one.
    #[inline]
    pub fn try_lock_or(&self, fresh: impl FnOnce() -> T) -> Option<Guard<'_, T>> {
        self.take(CHANGING, forks::count(), fresh).then(|| Guard(self))
    }

    /// The value, as soon as no other thread has it. In place of one that was abandoned half changed, a `fresh` one.
    pub fn lock_or(&self, fresh: impl Fn() -> T) -> Guard<'_, T> {
        self.wait(CHANGING, forks::count(), fresh);
        Guard(self)
    }

    /// The value for reading, as soon as no other thread has it. In place of one that was abandoned half changed, a `fresh` one.
    ///
    /// What may be read by several threads at once changes, if at all, by atomic steps. So a thread of the parent that was
    /// reading has left nothing half done.
    pub fn read_or(&self, fresh: impl Fn() -> T) -> Reading<'_, T>
    where
        T: Sync,
    {
        self.wait(READING, forks::count(), fresh);
        Reading(self)
    }

    /// Waits until the value is taken for a use.
    fn wait(&self, taken_for: u32, forks: u32, fresh: impl Fn() -> T) {
        let mut tries = 0;
        while !self.take(taken_for, forks, &fresh) {
            pause(tries);
            tries = tries.saturating_add(1);
        }
    }

    /// Takes the value for a use, in a process of that count of forks.
    #[inline]
    fn take(&self, taken_for: u32, forks: u32, fresh: impl FnOnce() -> T) -> bool {
        let word = forks << USE_BITS | taken_for;
        match self.word.compare_exchange(FREE, word, Ordering::Acquire, Ordering::Relaxed) {
            Ok(_) => true,
            Err(found) => self.take_over(found, word, fresh),
        }
    }

    /// Takes the value from a holder that is not there, if that is what the word found says.
    #[cold]
    fn take_over(&self, found: u32, word: u32, fresh: impl FnOnce() -> T) -> bool {
        if found == FREE || found >> USE_BITS == word >> USE_BITS {
            return false;
        }
        let take = |word| self.word.compare_exchange(found, word, Ordering::Acquire, Ordering::Relaxed).is_ok();
        if found & READING != 0 {
            return take(word);
        }
        // First, for should it panic, the lock stays as it is.
        let fresh = fresh();
        let forks = word >> USE_BITS;
        if !take(forks << USE_BITS | CHANGING) {
            return false;
        }
        // SAFETY: this thread alone has the value now. What is there is overwritten as bytes, whatever they are.
        self.value.with_mut(|value| unsafe { value.write(fresh) });
        self.word.store(word, Ordering::Release);
        true
    }

    fn give_back(&self) {
        self.word.store(FREE, Ordering::Release);
    }
}

/// With a default that takes the place of what was abandoned half changed.
impl<T: Default> Lock<T> {
    /// [`try_lock_or`](Self::try_lock_or) the default.
    #[inline]
    pub fn try_lock(&self) -> Option<Guard<'_, T>> {
        self.try_lock_or(T::default)
    }

    /// [`lock_or`](Self::lock_or) the default.
    pub fn lock(&self) -> Guard<'_, T> {
        self.lock_or(T::default)
    }

    /// [`read_or`](Self::read_or) the default.
    pub fn read(&self) -> Reading<'_, T>
    where
        T: Sync,
    {
        self.read_or(T::default)
    }
}

impl<T: Default> Default for Lock<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<'a, T> Reading<'a, T> {
    /// The value, to be changed from now on. It has not been given back in between.
    pub fn change(self) -> Guard<'a, T> {
        let Self(lock) = *ManuallyDrop::new(self);
        // Acquires, so that no change is seen before it in a child.
        lock.word.fetch_xor(READING | CHANGING, Ordering::Acquire);
        Guard(lock)
    }
}

/// Lets a while pass, longer with each time.
fn pause(times: u32) {
    if cfg!(loom) || (SPINS..SPINS + YIELDS).contains(&times) {
        yield_now();
    } else if times < SPINS {
        hint::spin_loop();
    } else {
        #[cfg(not(loom))]
        std::thread::sleep(std::time::Duration::from_micros(50));
    }
}

impl<T> Drop for Guard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        self.0.give_back();
    }
}

impl<T> Drop for Reading<'_, T> {
    #[inline]
    fn drop(&mut self) {
        self.0.give_back();
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

impl<T> Deref for Reading<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: this is the only guard.
        self.0.value.with(|value| unsafe { &*value })
    }
}

impl<T> fmt::Debug for Lock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lock").finish_non_exhaustive()
    }
}

impl<T: fmt::Debug> fmt::Debug for Guard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Guard").field(&&**self).finish()
    }
}

impl<T: fmt::Debug> fmt::Debug for Reading<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Reading").field(&&**self).finish()
    }
}
