use super::*;
use ahash::RandomState;
use sqlthrottle_cells::WindowShape;
use sqlthrottle_cells::claim::Reservations;
use sqlthrottle_cells::fixed_window::FixedWindowShape;
use sqlthrottle_cells::token_bucket::{Rate, TokenBucketShape};
use std::thread;

const SECOND: u64 = 1_000_000_000;
const HOUR: u64 = 3600 * SECOND;

/// A rule's limiters, with the hash that the engine brings.
struct Table {
    keys: KeyTable,
    measure: Measure,
    hasher: RandomState,
}

impl Table {
    fn get(&self, key: &[u8], now: u64) -> Lookup {
        let found = self.keys.get(self.hasher.hash_one(key), &Key::new(key), &self.measure, now, |_| now);
        if found.overflow {
            self.keys.count_overflow();
        }
        found
    }

    /// Counts one of a key: what its window counts then, and whether it is the one that keys without a place share.
    fn count(&self, key: &[u8], now: u64) -> (u32, bool) {
        let found = self.get(key, now);
        let (window, shape) = found.limiter.window().unwrap();
        (window.count_attempt(shape, 1, now).total(), found.overflow)
    }
}

impl std::ops::Deref for Table {
    type Target = KeyTable;

    fn deref(&self) -> &KeyTable {
        &self.keys
    }
}

fn window(seconds: u64, buckets: u32) -> Measure {
    Measure::SlidingWindow(Arc::new(WindowShape::new(seconds * SECOND, buckets).unwrap()))
}

fn table(max_keys: usize) -> Table {
    Table { keys: KeyTable::new(max_keys), measure: window(60, 12), hasher: RandomState::new() }
}

fn key(n: u64) -> [u8; 32] {
    // As long as a fingerprint.
    let mut key = [0; 32];
    key[..8].copy_from_slice(&n.to_le_bytes());
    key
}

#[test]
fn a_key_keeps_its_own_limiter() {
    let table = table(100);
    for round in 1..=3 {
        for k in [&b"a"[..], b"b", b"", &[0], &[0, 0]] {
            assert_eq!(table.count(k, 0), (round, false));
        }
    }
    assert_eq!((table.len(), table.overflow_count()), (5, 0));
    let mut seen = 0;
    table.for_each(|limiter| seen += limiter.counted(0));
    assert_eq!(seen, 15);
}

#[test]
fn newcomers_beyond_the_bound_share_one_limiter() {
    let table = table(3);
    for n in 0..3 {
        assert_eq!(table.count(&key(n), 0), (1, false));
    }
    assert_eq!(table.count(&key(3), 0), (1, true));
    assert_eq!(table.count(&key(4), 0), (2, true));
    assert_eq!(table.count(&key(0), 0), (2, false));
    assert_eq!((table.len(), table.overflow_count()), (3, 2));
    assert_eq!(table.overflow(&table.measure, 0, &mut |_| 0).counted(0), 2);
}

#[test]
fn a_table_for_nobody_has_the_overflow_limiter_alone() {
    let table = table(0);
    assert_eq!(table.count(b"a", 0), (1, true));
    assert_eq!(table.count(b"b", 0), (2, true));
    assert_eq!(table.len(), 0);
}

#[test]
fn only_what_equals_a_fresh_limiter_is_let_go() {
    let table = table(2);
    table.count(b"early", 0);
    table.count(b"late", 30 * SECOND);
    assert_eq!(table.count(b"new", 64 * SECOND), (1, true));
    assert_eq!(table.count(b"new", 65 * SECOND), (1, false), "the early key's window is empty now");
    assert_eq!(table.count(b"late", 65 * SECOND), (2, false), "the late key's is not");
    assert_eq!(table.count(b"early", 65 * SECOND), (2, true));
    assert_eq!(table.len(), 2);
}

#[test]
fn a_limiter_in_use_is_not_let_go() {
    let table = table(1);
    let held = table.get(b"held", 0);
    assert!(table.get(b"new", 0).overflow, "what the holder is about to count would be lost");
    let (window, shape) = held.limiter.window().unwrap();
    window.count_attempt(shape, 5, 0);
    drop(held);
    assert_eq!(table.count(b"held", 0), (6, false));
    drop(table.get(b"held", 100 * SECOND));
    assert!(!table.get(b"new", 100 * SECOND).overflow);
}

#[test]
fn a_reference_to_a_limiter_that_was_let_go_is_of_no_use() {
    let table = table(1);
    let kept = Arc::clone(&table.get(b"kept", 0).limiter);
    assert!(!table.get(b"new", 0).overflow, "a mere reference keeps no place");
    assert!(kept.pins().pin().is_none());
    assert!(!Arc::ptr_eq(&kept, &table.get(b"kept", 0).limiter), "it comes back as another");
}

#[test]
fn a_flood_of_keys_neither_grows_the_table_nor_resets_a_throttled_one() {
    let table = table(1000);
    let max = 10;
    for _ in 0..=max {
        table.count(b"victim", 0);
    }
    // A key each 50 microseconds: a minute and a bit of keys, so those of the first moments are let go again.
    let (step, keys) = (50_000, 1_400_000);
    for n in 0..keys {
        let now = n * step;
        if n % 100_000 == 0 {
            assert!(table.len() <= 1000);
            assert!(table.count(b"victim", now).0 > max, "the throttled key was reset");
        }
        table.count(&key(n), now);
    }
    assert_eq!(table.len(), 1000);
    let newest = table.get(&key(keys), keys * step + 70 * SECOND);
    assert!(!newest.overflow, "once the flood is over, there are places again");
    assert!(table.overflow_count() > keys / 2);
}

#[test]
fn let_go_keeps_the_index_in_step() {
    // Limiters are fresh at once where nothing is counted, so each newcomer takes the place of another.
    let table = table(50);
    for n in 0..20_000 {
        assert!(!table.get(&key(n), 0).overflow);
        assert!(table.len() <= 50);
    }
    let mut keys = Vec::new();
    for shard in &table.shards {
        keys.extend(shard.read().entries.iter().map(|entry| (entry.hash, entry.key)));
    }
    assert_eq!(keys.len(), 50);
    for (hash, key) in keys {
        let found = table.keys.get(hash, &key, &table.measure, 0, |_| 0);
        let (window, shape) = found.limiter.window().unwrap();
        assert_eq!(window.count_attempt(shape, 1, 0).total(), 1);
    }
    let mut counted = 0;
    table.for_each(|limiter| counted += limiter.counted(0));
    assert_eq!(counted, 50, "every key kept is one that is found");
}

#[test]
fn threads_lose_no_count_and_never_exceed_the_bound() {
    let table = table(700);
    let (hot, cold, rounds) = (64, 5_000, 20_000);
    thread::scope(|scope| {
        for seed in 1..=3u64 {
            let table = &table;
            scope.spawn(move || {
                for n in 0..rounds {
                    // Hot keys are counted; the cold only pass through, so their limiters are let go all the time.
                    assert!(!table.count(&key(n % hot), 0).1);
                    table.get(&key(hot + (n * 7 + seed * 13) % cold), 0);
                    if n % 1000 == 0 {
                        assert!(table.len() <= 700);
                    }
                }
            });
        }
    });
    assert!(table.len() <= 700);
    let total: u64 = (0..hot).map(|k| table.get(&key(k), 0).limiter.counted(0)).sum();
    assert_eq!(total, 3 * rounds);
}

#[test]
fn another_measure_takes_over_what_is_counted() {
    let mut table = table(1);
    for _ in 0..3 {
        table.count(b"a", 0);
        table.count(b"overflow", 0);
    }
    table.measure = window(10, 2);
    let held = table.get(b"a", 30 * SECOND);
    assert!(held.limiter.is_measured_by(&table.measure));
    assert_eq!(held.limiter.counted(30 * SECOND), 3);
    drop(held);
    assert_eq!(table.count(b"a", 39 * SECOND), (4, false), "as if it had happened when the measure changed");
    assert_eq!(table.count(b"overflow", 39 * SECOND), (4, true));
    assert_eq!(table.count(b"a", 45 * SECOND), (2, false));
}

#[test]
fn another_measure_takes_effect_though_the_limiter_is_in_use() {
    let mut table = table(1);
    for key in [&b"a"[..], b"overflow"] {
        table.count(key, 0);
        let held = table.get(key, 0);
        let old = std::mem::replace(&mut table.measure, window(10, 2));
        let found = table.get(key, 0);
        assert!(found.limiter.is_measured_by(&table.measure));
        assert_eq!((found.limiter.counted(0), found.overflow), (1, held.overflow));
        assert!(held.limiter.is_succeeded(), "what the holder counts from now on is lost, and so he is told");
        assert!(!found.limiter.is_succeeded() && table.get(key, 0).limiter.is_measured_by(&table.measure));
        table.measure = old;
    }
}

#[test]
fn limiters_that_are_succeeded_while_threads_acquire_admit_no_more_than_the_maximum() {
    /// The time stands, so nothing comes back.
    const MAX: u32 = 50_000;
    for kind in 0..3 {
        let measure = |number: u64| match kind {
            0 => window(60 + number % 7, 12 + number as u32 % 5),
            1 => Measure::TokenBucket(Arc::new(TokenBucketShape::new(MAX, Rate::new(1 + number % 7, HOUR).unwrap()))),
            _ => Measure::FixedWindow(Arc::new(FixedWindowShape::new(HOUR + number % 7, 0).unwrap())),
        };
        let keys = KeyTable::new(1);
        let (key, passed) = (Key::new(b"busy"), AtomicU64::new(0));
        thread::scope(|scope| {
            for thread in 0..3 {
                let (keys, key, passed, measure) = (&keys, &key, &passed, &measure);
                scope.spawn(move || {
                    for round in 0..40_000u64 {
                        let lookup = keys.get(0, key, &measure(round / 16 + thread), 0, |_| 0);
                        let mut reservations = Reservations::new();
                        if reservations.acquire(&[lookup.limiter.claim(MAX, 0, 0)], 1).is_ok()
                            && !lookup.limiter.is_succeeded()
                        {
                            passed.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                });
            }
        });
        let (passed, last) = (passed.into_inner(), keys.peek(0, &key, false).unwrap());
        assert!(passed <= u64::from(MAX) && passed > 1000, "{passed} of {MAX}, kind {kind}");
        assert!(last.counted(0) >= passed, "{passed} passed, and {} are counted", last.counted(0));
    }
}

#[test]
fn what_is_counted_keeps_its_age_when_only_one_of_two_windows_counts_suspended_time() {
    const MINUTE: u64 = 60 * SECOND;
    let (short, long) = (window(30 * 60, 30), window(2 * 3600, 24));
    assert_eq!((short.reading() == Reading::WithSuspend, long.reading()), (false, Reading::WithSuspend));
    let keys = KeyTable::new(1);
    let key = Key::new(b"a");
    // The machine was suspended for ten hours before anything came.
    let suspended = 10 * HOUR;
    let clock = |awake: u64| move |reading| if reading == Reading::WithSuspend { awake + suspended } else { awake };
    let find = |measure: &Measure, awake: u64| {
        let clock = clock(awake);
        keys.get(0, &key, measure, clock(measure.reading()), clock).limiter
    };
    let counted = |measure: &Measure, awake: u64| find(measure, awake).counted(clock(awake)(measure.reading()));
    let found = find(&short, MINUTE);
    let (cell, shape) = found.window().unwrap();
    cell.count_attempt(shape, 5, MINUTE);
    drop(found);

    // Its events are there as of the change, for as long as the new window lasts and no longer.
    assert_eq!(counted(&long, 20 * MINUTE), 5);
    assert_eq!(counted(&long, 20 * MINUTE + 2 * HOUR), 5);
    assert_eq!(counted(&long, 21 * MINUTE + 2 * HOUR + 5 * MINUTE), 0);

    let found = find(&long, 3 * HOUR);
    let (cell, shape) = found.window().unwrap();
    cell.count_attempt(shape, 7, 3 * HOUR + suspended);
    drop(found);
    assert_eq!(counted(&short, 4 * HOUR), 7);
    assert_eq!(counted(&short, 4 * HOUR + 30 * MINUTE), 7);
    assert_eq!(counted(&short, 4 * HOUR + 31 * MINUTE), 0);
    // What the old window has forgotten is not taken over.
    let found = find(&short, 5 * HOUR);
    let (cell, shape) = found.window().unwrap();
    cell.count_attempt(shape, 9, 5 * HOUR);
    drop(found);
    assert_eq!(counted(&long, 5 * HOUR + 32 * MINUTE), 0);
}

#[test]
fn a_cleared_table_counts_from_nothing_and_has_all_its_places() {
    let table = table(2);
    table.count(b"a", 0);
    table.count(b"b", 0);
    table.clear();
    assert_eq!(table.len(), 0);
    assert_eq!([b"c", b"a"].map(|key| table.count(key, 0)), [(1, false), (1, false)]);
    assert_eq!(table.count(b"d", 0), (1, true));
}

#[test]
fn a_tracked_key_takes_little_memory() {
    assert_eq!(size_of::<Entry>(), 64);
}

#[test]
fn every_place_is_seen_however_many_keys_there_are() {
    let table = Table { measure: Measure::Concurrency, ..table(1000) };
    for k in 0..1000 {
        let found = table.get(&key(k), 0);
        let CellKind::Concurrency(cell) = found.limiter.cell() else { panic!("another kind") };
        let _held = cell.acquire(0, SECOND, 1).unwrap();
    }
    assert_eq!(table.places(0), (1000, 0));
    table.after_fork();
    assert_eq!((table.places(0), table.len()), ((0, 0), 1000));
}

#[test]
fn places_of_threads_that_a_fork_left_behind_are_free_in_the_child() {
    let table = table(100);
    table.count(&key(0), 0);
    // They were taken, and their keys never came.
    assert!((0..99).all(|_| table.take_place()));
    assert!(table.count(&key(1), 0).1);
    table.after_fork();
    let overflowed = (0..101).filter(|k| table.count(&key(*k), 0).1).count();
    assert_eq!((table.len(), overflowed), (100, 1));
}
