//! Two loops, timed in turns.

use rustix::time::{ClockId, Timespec, clock_gettime};
use std::hint::black_box;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Rounds of a comparison. Odd, so that a median is the figure of a round that took place.
const ROUNDS: usize = 31;

/// The least time of a batch: long beside the resolution of the clock, short beside the time in which a machine changes its
/// frequency or its neighbours.
const BATCH: Duration = Duration::from_millis(4);

/// A loop that runs its subject the given number of times.
pub(crate) type Loop = Box<dyn FnMut(u64)>;

/// Makes a loop of a subject. What the subject returns is used as far as the optimiser can tell, and dropped inside the loop.
pub(crate) fn looped<R>(mut subject: impl FnMut() -> R + 'static) -> Loop {
    Box::new(move |times| {
        for _ in 0..times {
            // By reference: to move a large result would be timed too.
            let result = subject();
            black_box(&result);
        }
    })
}

/// What two loops took beside each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Comparison {
    /// Median time of one run of ours, in nanoseconds.
    pub(crate) ours: f64,
    /// Median time of one run of the peer's, in nanoseconds.
    pub(crate) theirs: f64,
    /// Peer's time over ours, round by round.
    pub(crate) ratio: Quartiles,
}

/// Times both loops in turns. Which one goes first changes with every round, so that neither profits from the caches or
/// the frequency that the other leaves behind.
pub(crate) fn compare(ours: &mut Loop, theirs: &mut Loop) -> Comparison {
    let ours_times = times_per_batch(ours);
    let theirs_times = times_per_batch(theirs);
    let (mut our_ns, mut their_ns) = (Vec::with_capacity(ROUNDS), Vec::with_capacity(ROUNDS));
    for round in 0..ROUNDS {
        if round % 2 == 0 {
            our_ns.push(time(ours, ours_times));
            their_ns.push(time(theirs, theirs_times));
        } else {
            their_ns.push(time(theirs, theirs_times));
            our_ns.push(time(ours, ours_times));
        }
    }
    let ratios = our_ns.iter().zip(&their_ns).map(|(ours, theirs)| theirs / ours).collect();
    Comparison {
        ours: Quartiles::of(our_ns).median,
        theirs: Quartiles::of(their_ns).median,
        ratio: Quartiles::of(ratios),
    }
}

/// Runs a loop for an observer outside. Never inlined: callgrind is told to collect inside this function only.
#[inline(never)]
pub(crate) fn repeat_alone(subject: &mut Loop, times: u64) {
    subject(times);
}

/// How many runs fill a batch; finding out warms caches, branch predictors and buffers up.
fn times_per_batch(subject: &mut Loop) -> u64 {
    let mut times = 1;
    loop {
        let ns = time(subject, times) * times as f64;
        let share = ns / BATCH.as_nanos() as f64;
        if share >= 1.0 {
            return times;
        }
        // Straight to the goal once the time says something, and never by more than tenfold where it does not.
        times = ((times as f64 * (1.2 / share).min(10.0)).ceil() as u64).max(times + 1);
    }
}

/// Nanoseconds of one run, out of so many. Of the thread's own time on a processor: what other processes take from it in
/// the meantime is no part of either side.
fn time(subject: &mut Loop, times: u64) -> f64 {
    let start = thread_time();
    subject(times);
    thread_time().saturating_sub(start).as_nanos() as f64 / times as f64
}

/// Runs a second of one thread and of two, in turns, for so many rounds; returns the runs a second of all threads together.
pub(crate) fn throughput(run: &(impl Fn() -> bool + Sync)) -> (Vec<f64>, Vec<f64>) {
    const ROUNDS: usize = 9;
    const SPAN: Duration = Duration::from_millis(150);
    let rate = |threads: usize| {
        let (barrier, stop) = (Barrier::new(threads + 1), AtomicBool::new(false));
        thread::scope(|scope| {
            let count = || {
                barrier.wait();
                let mut runs = 0_u64;
                while !stop.load(Ordering::Relaxed) {
                    for _ in 0..1000 {
                        black_box(run());
                    }
                    runs += 1000;
                }
                runs
            };
            let counting: Vec<_> = (0..threads).map(|_| scope.spawn(count)).collect();
            barrier.wait();
            let start = Instant::now();
            thread::sleep(SPAN);
            stop.store(true, Ordering::Relaxed);
            let seconds = start.elapsed().as_secs_f64();
            counting.into_iter().filter_map(|thread| thread.join().ok()).sum::<u64>() as f64 / seconds
        })
    };
    (0..ROUNDS).map(|_| (rate(1), rate(2))).unzip()
}

fn thread_time() -> Duration {
    let Timespec { tv_sec, tv_nsec } = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(tv_sec.cast_unsigned(), tv_nsec as u32)
}

/// The middle of a distribution and the bounds of its middle half.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Quartiles {
    /// A quarter of the values is lower.
    pub(crate) low: f64,
    /// Half of the values is lower.
    pub(crate) median: f64,
    /// A quarter of the values is higher.
    pub(crate) high: f64,
}

impl Quartiles {
    /// Of at least one value, none of them NaN.
    pub(crate) fn of(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        let at = |quarter: usize| values[(values.len() - 1) * quarter / 4];
        Self { low: at(1), median: at(2), high: at(3) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::rc::Rc;

    #[test]
    fn quartiles_ignore_order_and_outliers() {
        let quartiles = Quartiles::of(vec![9000.0, 3.0, 1.0, 4.0, 2.0]);
        assert_eq!(quartiles, Quartiles { low: 2.0, median: 3.0, high: 4.0 });
    }

    #[test]
    fn a_loop_runs_as_often_as_it_says() {
        let count = Rc::new(Cell::new(0));
        let mut subject = looped({
            let count = Rc::clone(&count);
            move || count.set(count.get() + 1)
        });
        repeat_alone(&mut subject, 1000);
        assert_eq!(count.get(), 1000);
    }
}
