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

/// How many stripes there are: one for each core, rounded up to a power of two.
#[inline]
pub(crate) fn count() -> usize {
    /// Zero until it is known.
    static COUNT: AtomicUsize = AtomicUsize::new(0);

    match COUNT.load(Ordering::Relaxed) {
        0 => first_count(&COUNT),
        count => count,
    }
}

/// Not by a `LazyLock`: a child that was forked while another thread counts would wait for it forever. Of several threads
/// that count, the first is believed.
#[cold]
fn first_count(known: &AtomicUsize) -> usize {
    let cores = available_parallelism().map_or(1, NonZero::get);
    let count = cores.next_power_of_two().min(MAX_STRIPES);
    known.compare_exchange(0, count, Ordering::Relaxed, Ordering::Relaxed).map_or_else(|earlier| earlier, |_| count)
}

/// Something in a copy for each stripe, on cache lines of its own.
#[derive(Debug)]
pub(crate) struct Striped<T>(Box<[OnItsOwn<T>]>);

/// Two lines, because processors fetch them in pairs.
#[derive(Debug, Default)]
#[repr(align(128))]
struct OnItsOwn<T>(T);

impl<T> Striped<T> {
    /// A copy for each stripe.
    pub(crate) fn new(make: impl Fn() -> T) -> Self {
        Self::numbered(|_| make())
    }

    /// A copy for each stripe, made from its number.
    pub(crate) fn numbered(make: impl Fn(usize) -> T) -> Self {
        Self((0..count()).map(|number| OnItsOwn(make(number))).collect())
    }

    /// This thread's copy.
    #[inline]
    pub(crate) fn mine(&self) -> &T {
        self.mine_numbered().1
    }

    /// This thread's copy, with its number.
    #[inline]
    pub(crate) fn mine_numbered(&self) -> (usize, &T) {
        // Their number is a power of two; threads beyond it share them in turn.
        let number = ORDINAL.with(|ordinal| *ordinal) & (self.0.len() - 1);
        (number, self.of(number))
    }

    /// The copy of a stripe, for whoever knows its number: to ask for that of this thread is a call in a shared library.
    #[inline]
    pub(crate) fn of(&self, number: usize) -> &T {
        &self.0[number & (self.0.len() - 1)].0
    }

    /// Every copy.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.iter().map(|copy| &copy.0)
    }
}
