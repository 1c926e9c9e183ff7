//! Other rules, while checks go on.

use super::amended::Amended;
use super::readers::same_but_dialect;
use super::rule_set::RuleSet;
use super::{Engine, Inner};
use crate::clock::Clock;
use crate::error::LoadError;
use crate::rule::RuleFile;
use sqlthrottle_cells::lock::Reading;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// How an engine was opened.
#[derive(Debug)]
pub(super) struct Opened {
    /// How far the wall clock was ahead of the engine's, in nanoseconds.
    pub(super) wall: u64,
    /// The file that the rules were read from.
    pub(super) path: Option<PathBuf>,
}

/// What changes of the rules go by, besides the set in force. Whoever has it is the only one who changes them.
///
/// The default is what a fork leaves to its child if a thread was just writing here: then the file is read once more.
#[derive(Debug, Default)]
pub(super) struct Changes {
    /// How the file looked when it was read last.
    pub(super) seen: Option<Look>,
    /// How many rules without a name admin statements have added.
    pub(super) unnamed: u64,
}

/// A file that rules were read from, and how it looked then.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) path: PathBuf,
    pub(super) seen: Option<Look>,
}

/// What tells that a file has changed, without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Look {
    modified: Option<SystemTime>,
    len: u64,
}

impl Source {
    pub(super) fn open(path: &Path) -> Result<(RuleFile, Self), LoadError> {
        // Before it is read: what changes meanwhile is seen next time.
        let seen = look(path);
        Ok((RuleFile::open(path)?, Self { path: path.to_owned(), seen }))
    }
}

fn look(path: &Path) -> Option<Look> {
    let metadata = std::fs::metadata(path).ok()?;
    Some(Look { modified: metadata.modified().ok(), len: metadata.len() })
}

impl Engine {
    /// Puts other rules in force, all at once: no check sees some of the old and some of the new. Returns the version of the
    /// set.
    ///
    /// A rule that keeps its name, the kind of its limit and what it counts by keeps what it has counted: with another maximum
    /// or rate as it is, with another window or number of buckets as if it had all happened now. What admin statements
    /// [added and removed](Self::admin) stays so, but for rules of which the file says something else than it did then.
    ///
    /// # Errors
    ///
    /// As [`RuleFile::validate`] finds them, and where a rule that an admin statement added does not go with the file. The rules
    /// that were in force stay.
    pub fn reload(&self, rules: RuleFile) -> Result<u64, LoadError> {
        let _alone = self.0.changes();
        self.0.replace(rules)
    }

    /// How often the host is to look for a changed file, as the rules in force say; zero for never.
    pub fn watch(&self) -> Duration {
        self.0.set().file.watch
    }

    /// Looks whether the file that the engine was opened with has changed, and puts its rules in force if so. Returns the
    /// version of the set, where there is a new one. It reads the file system: to be called by a timer of the host's, as often
    /// as the file's `watch` says.
    ///
    /// # Errors
    ///
    /// The file cannot be read or has faults. The rules that were in force stay, and the same file is not read again until
    /// it changes.
    pub fn refresh(&self) -> Result<Option<u64>, LoadError> {
        let Some(path) = &self.0.opened.path else { return Ok(None) };
        self.0.tidy();
        let changes = self.0.changes();
        let seen = look(path);
        if seen == changes.seen {
            return Ok(None);
        }
        // Kept to the end: of two that look at once, the one that saw the newer file is to have the last word.
        let mut changes = changes.change();
        changes.seen = seen;
        self.0.replace(RuleFile::open(path)?).map(Some)
    }
}

impl Inner {
    /// The right to change rules.
    pub(super) fn changes(&self) -> Reading<'_, Changes> {
        self.changes.read()
    }

    /// Puts the rules of another file in force. To be called by who has the changes.
    fn replace(&self, rules: RuleFile) -> Result<u64, LoadError> {
        rules.validate()?;
        self.put_in_force(self.set().amended().onto(rules)?)
    }

    /// Lets go of what is of no use any more: what rules have counted that have expired, and tickets that nobody came back with.
    /// For calls that are not a check: it looks at everything.
    pub(super) fn tidy(&self) {
        let set = self.set();
        set.iter().filter(|rule| rule.state.is_expired()).for_each(|rule| rule.state.limiters.clear());
        self.waiting.sweep(set.states(), self.clock.read(crate::clock::Reading::Precise));
    }

    /// Puts rules in force. To be called by who has the changes.
    pub(super) fn put_in_force(&self, rules: Amended) -> Result<u64, LoadError> {
        let previous = self.set();
        rules.file.refuse_cluster(self.quota.0.is_some())?;
        let set = Arc::new(RuleSet::new(rules, Some(&previous), self.opened.wall)?);
        let (version, options) = (set.version, set.file.fingerprint);
        self.provided.set_most(set.file.limits.max_keys);
        set.states().for_each(|state| state.set_max_keys(set.file.limits.max_keys));
        self.rules.store(Arc::clone(&set));
        // The set before the epoch: who sees the new epoch sees the new rules.
        let _ = self.in_force();
        self.expect_expiry();
        let before = &previous.file;
        if !same_but_dialect(before.fingerprint, options) || before.limits.cache_bytes != set.file.limits.cache_bytes {
            self.shapes.renew(set.file.limits.cache_bytes / 8);
        }
        for rule in previous.iter().filter(|rule| !set.has(&rule.state)) {
            rule.state.limiters.clear();
            self.waiting.leave(&rule.state);
        }
        self.tidy();
        Ok(version)
    }

    /// Lets rules expire whose time has come.
    pub(super) fn let_expire(&self) {
        // While rules are changed, the rules that have expired are not asked either; the next check looks again.
        let Some(_alone) = self.changes.try_lock() else { return };
        let (wall, set) = (self.clock.wall(), self.set());
        let mut any = false;
        for rule in set.iter().filter(|rule| rule.expires.is_some_and(|expires| wall >= expires)) {
            any |= rule.state.expire();
        }
        self.expect_expiry();
        if any {
            self.current.renew();
        }
    }

    /// Takes note of when the next rule expires.
    pub(super) fn expect_expiry(&self) {
        let set = self.set();
        let live = set.iter().filter(|rule| !rule.state.is_expired());
        self.current.expect(live.filter_map(|rule| rule.expires).min());
    }
}

/// How far the wall clock is ahead of an engine's clock, in nanoseconds: what fixed windows are aligned by.
pub(super) fn wall_ahead(clock: &Clock) -> u64 {
    let wall = clock.wall().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    crate::limit::nanos(wall).saturating_sub(clock.now())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SQL: &str = "select 1";

    fn limited_to(max: u64) -> RuleFile {
        RuleFile::parse(format!("default_threshold: {{max_count: {max}, window: 1h}}")).unwrap()
    }

    /// A way to see rules, by its name: whether it shows those that are new.
    type Way = (&'static str, fn(&Engine) -> bool);

    /// An engine of which a thread puts a limit of 1000 in force, and is kept from going on where they are found but no epoch has
    /// begun.
    fn half_changed() -> Engine {
        let engine = Engine::new(limited_to(1)).unwrap();
        assert_eq!([engine.check(SQL), engine.check(SQL), engine.check(SQL)].map(|it| it.limit), [1; 3]);
        let previous = engine.0.set();
        let rules = previous.amended().onto(limited_to(1000)).unwrap();
        engine.0.rules.store(Arc::new(RuleSet::new(rules, Some(&previous), engine.0.opened.wall).unwrap()));
        engine
    }

    #[test]
    fn whoever_has_seen_rules_is_decided_on_by_them() {
        assert_eq!(half_changed().check(SQL).limit, 1, "nobody has seen them");
        let ways: [Way; 5] = [
            ("version", |engine| engine.version() == 2),
            ("snapshot", |engine| engine.snapshot().version == 2),
            ("rules", |engine| engine.rules().default_threshold.is_some_and(|it| it.max_count == 1000)),
            ("another text", |engine| engine.check("select 2 from t").limit == 1000),
            ("a request", |engine| engine.check_request(&crate::Context::default()).is_allowed()),
        ];
        for (way, sees) in ways {
            let engine = half_changed();
            assert!(sees(&engine), "{way}");
            assert_eq!(engine.check(SQL).limit, 1000, "{way}");
        }
    }
}
