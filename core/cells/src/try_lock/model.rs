//! Every interleaving of threads that want the value.

use super::TryLock;
use loom::sync::Arc;
use loom::thread;

#[test]
fn what_one_leaves_the_next_finds() {
    loom::model(|| {
        let lock = Arc::new(TryLock::new([0, 0]));
        let count = |lock: Arc<TryLock<[u32; 2]>>| {
            move || {
                let Some(mut value) = lock.try_lock() else { return 0 };
                assert_eq!(value[0], value[1]);
                value[0] += 1;
                value[1] += 1;
                1
            }
        };
        let threads = [thread::spawn(count(Arc::clone(&lock))), thread::spawn(count(Arc::clone(&lock)))];
        let here = count(Arc::clone(&lock))();
        let counted = here + threads.into_iter().map(|thread| thread.join().unwrap()).sum::<u32>();
        assert!(counted >= 1);
        assert_eq!(*lock.try_lock().unwrap(), [counted, counted]);
    });
}
