//! Parts of a table or counter that are kept apart, so that threads on different cores do not write to one cache line.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::available_parallelism;

/// Most stripes. Beyond, memory would grow more than contention shrinks.
const MAX_STRIPES: usize = 64;

thread_local! {
    /// The number of this thread, in the order in which threads first asked.
    static ORDINAL: usize = {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        NEXT.fetch_add(1, Ordering::Relaxed)
    };
}

/// Something in as many copies as cores may use it at once, each on cache lines of its own. A thread keeps to one copy;
/// threads beyond the number of copies share them in turn.
#[derive(Debug)]
pub(crate) struct Striped<T>(Box<[OnItsOwn<T>]>);

/// Two lines, because processors fetch them in pairs.
#[derive(Debug, Default)]
#[repr(align(128))]
struct OnItsOwn<T>(T);

impl<T> Striped<T> {
    /// One copy for each core, rounded up to a power of two. `make` is given their number.
    pub(crate) fn new(make: impl Fn(usize) -> T) -> Self {
        let cores = available_parallelism().map_or(1, NonZero::get);
        let copies = cores.next_power_of_two().min(MAX_STRIPES);
        Self((0..copies).map(|_| OnItsOwn(make(copies))).collect())
    }

    /// The number of this thread's copy.
    #[inline]
    pub(crate) fn index(&self) -> usize {
        ORDINAL.with(|ordinal| *ordinal) & (self.0.len() - 1)
    }

    /// This thread's copy.
    #[inline]
    pub(crate) fn mine(&self) -> &T {
        &self.0[self.index()].0
    }

    /// Every copy.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.iter().map(|copy| &copy.0)
    }

    /// How many copies there are.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}
