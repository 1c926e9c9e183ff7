//! A pool of connections that all threads share, as a service has one. Whoever asks first is served first.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A fixed number of things, each lent to one thread at a time.
#[derive(Debug)]
pub(crate) struct Pool<T> {
    things: Vec<Mutex<T>>,
    queue: Mutex<Queue>,
    changed: Condvar,
}

#[derive(Debug)]
struct Queue {
    /// Positions in `things`.
    idle: Vec<usize>,
    /// The turn of the next thread to ask.
    next: u64,
    /// The turn of the next thread to be served.
    serving: u64,
}

impl<T> Pool<T> {
    pub(crate) fn new(things: Vec<T>) -> Self {
        let queue = Queue { idle: (0..things.len()).collect(), next: 0, serving: 0 };
        Self { things: things.into_iter().map(Mutex::new).collect(), queue: Mutex::new(queue), changed: Condvar::new() }
    }

    /// Borrows one: waits for all who asked before, and until one is idle.
    pub(crate) fn take(&self) -> Lease<'_, T> {
        let mut queue = lock(&self.queue);
        let turn = queue.next;
        queue.next += 1;
        loop {
            if queue.serving == turn
                && let Some(index) = queue.idle.pop()
            {
                queue.serving += 1;
                // There may be one for the next in turn too.
                self.changed.notify_all();
                return Lease { pool: self, index };
            }
            queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// One of a pool's things. It goes back when this is dropped.
#[derive(Debug)]
pub(crate) struct Lease<'a, T> {
    pool: &'a Pool<T>,
    index: usize,
}

impl<T> Lease<'_, T> {
    /// The thing. Its lock is never waited for: only this lease has its position.
    pub(crate) fn get(&self) -> MutexGuard<'_, T> {
        lock(&self.pool.things[self.index])
    }
}

impl<T> Drop for Lease<'_, T> {
    fn drop(&mut self) {
        lock(&self.pool.queue).idle.push(self.index);
        self.pool.changed.notify_all();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;
    use std::thread;

    #[test]
    fn no_more_are_lent_than_there_are_and_all_come_back() {
        let pool = Pool::new(vec![0_u32; 3]);
        let (out, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        let lease = pool.take();
                        most.fetch_max(out.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        *lease.get() += 1;
                        out.fetch_sub(1, Ordering::SeqCst);
                    }
                });
            }
        });
        assert!(most.into_inner() <= 3);
        assert_eq!(pool.things.iter().map(|thing| *lock(thing)).sum::<u32>(), 8 * 200);
        assert_eq!(lock(&pool.queue).idle.len(), 3);
    }

    #[test]
    fn who_asks_first_is_served_first() {
        let pool = Pool::new(vec![()]);
        let (served, order) = mpsc::channel();
        let first = pool.take();
        thread::scope(|scope| {
            for i in 0..6 {
                let (served, pool) = (served.clone(), &pool);
                scope.spawn(move || {
                    let _lease = pool.take();
                    served.send(i).unwrap();
                });
                // The next is started when this one has its turn.
                while lock(&pool.queue).next < i + 2 {
                    thread::yield_now();
                }
            }
            drop(first);
        });
        assert_eq!(order.try_iter().collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5]);
    }
}
