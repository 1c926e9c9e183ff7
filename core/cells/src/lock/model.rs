//! Every interleaving of threads that want the value.

use super::{CHANGING, Guard, Lock, READING, Reading};
use loom::sync::Arc;
use loom::thread;

/// The counts of forks of a parent and its child.
const PARENT: u32 = 0;
const CHILD: u32 = 1;

type Pair = [u32; 2];

fn count_in(mut pair: Guard<'_, Pair>) {
    assert_eq!(pair[0], pair[1]);
    pair[0] += 1;
    pair[1] += 1;
}

/// Takes the value in the child.
fn changing(lock: &Lock<Pair>) -> Guard<'_, Pair> {
    lock.wait(CHANGING, CHILD, || [10, 10]);
    Guard(lock)
}

fn reading(lock: &Lock<Pair>) -> Reading<'_, Pair> {
    lock.wait(READING, CHILD, || [10, 10]);
    Reading(lock)
}

#[test]
fn what_one_leaves_the_next_finds() {
    loom::model(|| {
        let lock = Arc::new(Lock::new([0, 0]));
        let count = |lock: Arc<Lock<Pair>>| move || lock.try_lock().map(count_in).map_or(0, |()| 1);
        let threads = [thread::spawn(count(Arc::clone(&lock))), thread::spawn(count(Arc::clone(&lock)))];
        let here = count(Arc::clone(&lock))();
        let counted = here + threads.into_iter().map(|thread| thread.join().unwrap()).sum::<u32>();
        assert!(counted >= 1);
        assert_eq!(*lock.lock(), [counted, counted]);
    });
}

#[test]
fn whoever_waits_gets_it() {
    loom::model(|| {
        let lock = Arc::new(Lock::new([0, 0]));
        let other = Arc::clone(&lock);
        let thread = thread::spawn(move || {
            let read = other.read();
            assert_eq!(read[0], read[1]);
            count_in(read.change());
        });
        count_in(lock.lock());
        thread.join().unwrap();
        assert_eq!(*lock.read(), [2, 2]);
    });
}

/// What two threads of a child make of a lock that was abandoned with this value and this use.
fn inherit(left: Pair, taken_for: u32) -> Pair {
    let lock = Arc::new(Lock::new(left));
    assert!(lock.take(taken_for, PARENT, || unreachable!()));
    let other = Arc::clone(&lock);
    let thread = thread::spawn(move || count_in(changing(&other)));
    count_in(reading(&lock).change());
    thread.join().unwrap();
    *reading(&lock)
}

#[test]
fn one_of_several_takes_over_what_was_half_changed_with_a_fresh_value() {
    loom::model(|| assert_eq!(inherit([7, 8], CHANGING), [12, 12]));
}

#[test]
fn what_was_only_read_is_kept_by_whoever_takes_over() {
    loom::model(|| assert_eq!(inherit([3, 3], READING), [5, 5]));
}
