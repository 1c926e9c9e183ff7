//! An engine, before it is one.

use super::amended::Amended;
use super::current::Current;
use super::hot::Hot;
use super::permits::Permits;
use super::provided::Provided;
use super::readers::Readers;
use super::refill::Quota;
use super::reload::{Changes, Opened, Source, wall_ahead};
use super::rule_set::RuleSet;
use super::shapes::Shapes;
use super::top::Durations;
use super::waiting::Waiting;
use super::{Engine, Inner, cache_bytes};
use crate::clock::Clock;
use crate::error::LoadError;
use crate::metrics::Counter;
use crate::quota::ClusterQuota;
use crate::rule::RuleFile;
use arc_swap::ArcSwap;
use sqlthrottle_cells::lock::Lock;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// What an engine is made of, from [`Engine::builder`].
///
/// ```
/// use sqlthrottle::{Engine, ManualClock, RuleFile};
///
/// let clock = ManualClock::new();
/// let engine = Engine::builder(RuleFile::default()).clock(clock.clone()).asks_provider(true).build()?;
/// # Ok::<(), sqlthrottle::LoadError>(())
/// ```
#[derive(Debug)]
#[must_use]
pub struct Builder {
    rules: RuleFile,
    clock: Clock,
    asks_provider: bool,
    quota: Quota,
    source: Option<Source>,
}

impl Builder {
    pub(super) fn new(rules: RuleFile) -> Self {
        Self { rules, clock: Clock::system(), asks_provider: false, quota: Quota::default(), source: None }
    }

    /// Begins with the rules of a file, for which [`Engine::refresh`] looks again.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or has faults: all of them at once.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, LoadError> {
        let (rules, source) = Source::open(path.as_ref())?;
        Ok(Self { source: Some(source), ..Self::new(rules) })
    }

    /// With another clock than that of the machine.
    pub fn clock(mut self, clock: impl Into<Clock>) -> Self {
        self.clock = clock.into();
        self
    }

    /// Whether the host has a provider of thresholds: then the first sight of a fingerprint is answered with
    /// [`Verdict::ThresholdNeeded`](crate::Verdict::ThresholdNeeded).
    pub fn asks_provider(mut self, asks: bool) -> Self {
        self.asks_provider = asks;
        self
    }

    /// What keeps the counters of rules with the scope `cluster`. Only [`Engine::refill`] calls it.
    pub fn cluster(mut self, quota: Arc<dyn ClusterQuota>) -> Self {
        self.quota = Quota(Some(quota));
        self
    }

    /// The engine.
    ///
    /// # Errors
    ///
    /// As [`RuleFile::validate`] finds them; rules with the scope `cluster` where there is no [quota](Self::cluster) that
    /// keeps their counters; and with one, those of them that limit concurrency, of which no quota keeps the places.
    pub fn build(self) -> Result<Engine, LoadError> {
        let Self { rules, clock, asks_provider, quota, source } = self;
        rules.validate()?;
        rules.refuse_cluster(quota.0.is_some())?;
        let wall = wall_ahead(&clock);
        let set = Arc::new(RuleSet::new(Amended::from(rules), None, wall)?);
        let (path, seen) = source.map_or((None, None), |source| (Some(source.path), source.seen));
        let inner = Inner {
            current: Current::new(set.file.mode, set.file.fingerprint.dialect),
            opened: Opened { wall, path },
            changes: Lock::new(Changes { seen, unnamed: 0 }),
            provided: Provided::new(asks_provider, set.file.limits.max_keys),
            readers: Readers::new(),
            hot: Hot::new(cache_bytes(&set), set.file.fingerprint),
            shapes: Shapes::new(set.file.limits.cache_bytes / 8),
            next_shape: AtomicU64::new(0),
            waiting: Waiting::new(),
            permits: Permits::new(),
            durations: Durations::new(),
            guard_errors: Counter::default(),
            quota,
            cluster_failures: Counter::default(),
            rules: ArcSwap::new(set),
            clock,
        };
        inner.expect_expiry();
        Ok(Engine(Arc::new(inner)))
    }
}
