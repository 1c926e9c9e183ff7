//! What threads saw, against what is counted.

use crate::c_api::{Clock, Engine, SQLTHROTTLE_OK};
use crate::worker::{CAPACITY, MAX_COUNTED};
use sqlthrottle_c::window::{
    sqlthrottle_window_count, sqlthrottle_window_free, sqlthrottle_window_new, sqlthrottle_window_record,
    sqlthrottle_window_t,
};
use std::iter::Sum;
use std::ptr::null_mut;

/// Checks of the statements of one rule, and what was answered.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Checks {
    pub(crate) made: u64,
    pub(crate) passed: u64,
    pub(crate) aborted: u64,
    pub(crate) delayed: u64,
}

impl Checks {
    fn add(&mut self, other: Self) {
        self.made += other.made;
        self.passed += other.passed;
        self.aborted += other.aborted;
        self.delayed += other.delayed;
    }
}

#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) counted: Checks,
    pub(crate) spent: Checks,
    pub(crate) held: Checks,
    pub(crate) delayed: Checks,
    pub(crate) resumed: u64,
    pub(crate) recorded: u64,
    pub(crate) reloads: u64,
}

impl Sum for Tally {
    fn sum<I: Iterator<Item = Self>>(tallies: I) -> Self {
        tallies.fold(Self::default(), |mut sum, tally| {
            sum.counted.add(tally.counted);
            sum.spent.add(tally.spent);
            sum.held.add(tally.held);
            sum.delayed.add(tally.delayed);
            sum.resumed += tally.resumed;
            sum.recorded += tally.recorded;
            sum.reloads += tally.reloads;
            sum
        })
    }
}

impl Tally {
    /// What the threads saw is what the engine has counted, and as much has passed as the rules allow: no more and no less.
    pub(crate) fn assert_counted(&self, engine: &Engine, window: &Window) {
        assert!(self.counted.made > MAX_COUNTED && self.spent.made > CAPACITY && self.reloads > 0, "{self:?}");
        assert_eq!((self.counted.passed, self.spent.passed), (MAX_COUNTED, CAPACITY), "{self:?}");
        assert_eq!((self.delayed.passed, self.delayed.aborted), (1, 0), "{self:?}");
        assert_eq!(self.resumed, self.delayed.delayed, "{self:?}");
        assert!(self.held.passed > 0, "{self:?}");

        let snapshot = engine.snapshot();
        for (name, checks) in
            [("counted", self.counted), ("spent", self.spent), ("held", self.held), ("delayed", self.delayed)]
        {
            let rules = snapshot["rules"].as_array().unwrap();
            let rule = rules.iter().find(|rule| rule["name"] == name).unwrap();
            let counters = ["matched", "passed", "aborted", "delayed", "in_use", "leaked"];
            let counted = counters.map(|counter| rule[counter].as_u64().unwrap());
            assert_eq!(counted, [checks.made, checks.passed, checks.aborted, checks.delayed, 0, 0], "{rule}");
        }
        let totals = ["waiting", "waits", "version", "guard_errors"].map(|total| snapshot[total].as_u64().unwrap());
        assert_eq!(totals, [0, self.resumed, 1 + self.reloads, 0], "{snapshot}");
        assert_eq!(window.count(), self.recorded);
    }
}

/// A window of its own, which all threads count in.
pub(crate) struct Window(*mut sqlthrottle_window_t);

impl Window {
    pub(crate) fn new(clock: &Clock) -> Self {
        let mut window = null_mut();
        let day = 86_400_000_000_000;
        assert_eq!(unsafe { sqlthrottle_window_new(day, 12, clock.as_ptr(), &raw mut window) }, SQLTHROTTLE_OK);
        Self(window)
    }

    pub(crate) fn record(&self) {
        assert_eq!(unsafe { sqlthrottle_window_record(self.0, null_mut()) }, SQLTHROTTLE_OK);
    }

    pub(crate) fn count(&self) -> u64 {
        let mut count = 0;
        assert_eq!(unsafe { sqlthrottle_window_count(self.0, &raw mut count) }, SQLTHROTTLE_OK);
        count
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        unsafe { sqlthrottle_window_free(self.0) };
    }
}
