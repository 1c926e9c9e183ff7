//! The engine: a statement in, a decision out.
//!
//! [`check`](Engine::check) looks the text up among those of late ([`hot`]). What it does not find there it normalises, and
//! finds what is remembered of its shape ([`shapes`]), with the plan that the rules in force make for it ([`rule_set`]). Then
//! it counts the statement by that plan, and decides ([`decide`]). A delayed statement holds a ticket in [`waiting`] until it
//! is [resumed](resume), one that passes the places of its [permit](permits) until they are released.

mod active_rule;
mod admin;
mod amended;
mod asked;
mod at_hand;
mod builder;
mod credit;
mod current;
mod decide;
mod explain;
mod fork;
mod generations;
mod guard;
mod hands;
mod hot;
mod keys;
mod observe;
mod permits;
mod plan;
mod prepared;
mod provided;
mod readers;
mod refill;
mod reload;
mod resume;
mod rule_set;
mod rule_state;
mod seal;
mod shape;
mod shapes;
mod top;
mod waiting;

pub use admin::AdminAnswer;
pub use builder::Builder;
pub use explain::{ExplainedRule, Explanation, RulePart};
pub use guard::{Guard, ThresholdProvider, Throttled};
pub use prepared::Prepared;
pub use refill::{RefillRequest, Refilled};
pub use top::{Top, TopStatement};

use crate::clock::Clock;
use crate::context::Context;
use crate::decision::{Decision, Permit, Reason, RuleName, Ticket, Verdict};
use crate::error::LoadError;
use crate::fingerprint::{Dialect, FingerprintOptions, Normalized};
use crate::metrics::{Counter, Snapshot};
use crate::rule::{Mode, OnError, RuleFile};
use crate::statement::Statement;
use arc_swap::ArcSwap;
use asked::{Asked, Sent};
use current::{Current, InForce};
use hot::{Hot, Sought};
use permits::Permits;
use plan::Plan;
use provided::Provided;
use readers::Readers;
use refill::Quota;
use reload::{Changes, Opened};
use rule_set::RuleSet;
use shape::{Planned, Shape};
use shapes::Shapes;
use sqlthrottle_cells::lock::Lock;
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use top::Durations;
use waiting::Waiting;

/// Decides which statements may be sent now.
///
/// Cheap to clone: clones share rules and counts. Any number of threads may check at the same time. Each core has a table of
/// its own for what is sent again and again; what all cores share is locked to look up, and at first sight to insert.
///
/// ```
/// use sqlthrottle::rule::{RuleFile, Threshold};
/// use sqlthrottle::{Engine, Verdict};
///
/// let mut rules = RuleFile::default();
/// rules.default_threshold = Some(Threshold::new(2));
/// let engine = Engine::new(rules)?;
///
/// assert!(engine.check("select * from users where id = 1").is_allowed());
/// assert!(engine.check("SELECT * FROM users WHERE id = 2").is_allowed());
///
/// let decision = engine.check("select * from users where id = 3");
/// assert_eq!(decision.verdict, Verdict::Abort);
/// assert_eq!((decision.count, decision.limit), (3, 2));
/// # Ok::<(), sqlthrottle::LoadError>(())
/// ```
#[derive(Clone)]
pub struct Engine(Arc<Inner>);

struct Inner {
    clock: Clock,
    /// What a check reads first.
    current: Current,
    opened: Opened,
    /// The rules in force.
    rules: ArcSwap<RuleSet>,
    /// What changes rules: one change at a time.
    changes: Lock<Changes>,
    provided: Provided,
    readers: Readers,
    hot: Hot,
    shapes: Shapes,
    /// The number of the next shape that is read, or planned anew.
    next_shape: AtomicU64,
    waiting: Waiting,
    permits: Permits,
    durations: Durations,
    /// Failures of the guard itself.
    guard_errors: Counter,
    /// What keeps the counters of rules that instances share.
    quota: Quota,
    /// How often it could not be asked.
    cluster_failures: Counter,
}

impl Engine {
    /// An engine with the rules of a file.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or has faults: all of them at once.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, LoadError> {
        Builder::open(path)?.build()
    }

    /// An engine with rules.
    ///
    /// # Errors
    ///
    /// As [`RuleFile::validate`] finds them.
    pub fn new(rules: RuleFile) -> Result<Self, LoadError> {
        Self::builder(rules).build()
    }

    /// An engine with rules and a clock, for tests and for replaying what was logged.
    ///
    /// ```
    /// use sqlthrottle::rule::{RuleFile, Threshold};
    /// use sqlthrottle::{Engine, ManualClock};
    /// use std::time::Duration;
    ///
    /// let mut rules = RuleFile::default();
    /// rules.default_threshold = Some(Threshold::new(1));
    /// let clock = ManualClock::new();
    /// let engine = Engine::with_clock(rules, clock.clone())?;
    ///
    /// assert!(engine.check("select 1").is_allowed());
    /// assert!(!engine.check("select 2").is_allowed());
    /// clock.advance(Duration::from_secs(65)); // the window, and the bucket it began in
    /// assert!(engine.check("select 3").is_allowed());
    /// # Ok::<(), sqlthrottle::LoadError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`RuleFile::validate`] finds them.
    pub fn with_clock(rules: RuleFile, clock: impl Into<Clock>) -> Result<Self, LoadError> {
        Self::builder(rules).clock(clock).build()
    }

    /// An engine with rules, and with whatever else is said.
    pub fn builder(rules: RuleFile) -> Builder {
        Builder::new(rules)
    }

    /// The rules in force, with those that admin statements added.
    pub fn rules(&self) -> RuleFile {
        self.0.set().file.clone()
    }

    /// How often the rules have changed: 1 for those that the engine was opened with.
    pub fn version(&self) -> u64 {
        self.0.set().version
    }

    /// How the rules in force have texts normalised.
    pub fn fingerprint_options(&self) -> FingerprintOptions {
        self.0.set().file.fingerprint
    }

    /// The name of the rule at a place of [`Snapshot::rules`]; none where there are not so many.
    pub fn rule_name(&self, place: usize) -> Option<RuleName> {
        self.0.rule_name(place)
    }

    /// Decides on a text of any bytes.
    ///
    /// Fakes nothing: a statement to be ignored is aborted with [`Reason::IgnoreUnavailable`]. A caller that can stand in
    /// for a result says so with [`check_statement`](Self::check_statement).
    pub fn check(&self, sql: impl AsRef<[u8]>) -> Decision {
        self.check_statement(&Statement::new(&sql))
    }

    /// Decides on a statement.
    pub fn check_statement(&self, statement: &Statement<'_>) -> Decision {
        self.0.check(statement)
    }

    /// Decides on a request, by the rules that say `on: request`: for gateways and web filters, which know who asks and not yet
    /// what for.
    pub fn check_request(&self, context: &Context<'_>) -> Decision {
        self.0.check_request(context)
    }

    /// Takes note of a statement that is going to be checked many times: [`Prepared::check`] spares the look-up of its text.
    pub fn prepare(&self, statement: &Statement<'_>) -> Prepared {
        Prepared::new(self.clone(), statement)
    }

    /// Decides on a statement whose wait is over.
    ///
    /// Its first check has counted it, and it is not counted a second time: with
    /// [`Delay::UntilAllowed`](crate::Delay::UntilAllowed) its count moves to now when it is allowed, so that in any window
    /// no more than the limit is sent, at once or after a wait. The other rules are asked again, as they are by then. Too
    /// early, the answer is to wait on, with the same rule and a new ticket; a ticket is good for one call, and lapses five
    /// seconds after it was due, and means nothing to another engine.
    pub fn resume(&self, ticket: Ticket) -> Decision {
        self.0.resume(ticket, None)
    }

    /// Ends the wait of a statement that will not be resumed, because its caller has gone: another may wait in its place at once, and
    /// not only when the ticket lapses. What its first check has counted stays counted. False where the ticket has been used, has
    /// lapsed, or is another engine's.
    pub fn give_up(&self, ticket: Ticket) -> bool {
        self.0.waiting.give_up(ticket, &self.0.clock)
    }

    /// Gives back what a statement held while it ran. False where that was done already, or all of it was free again because
    /// its lease had lapsed, or because the permit is another engine's: then nothing happens.
    pub fn release(&self, permit: Permit) -> bool {
        self.0.permits.release(permit)
    }

    /// What a binding answers where the guard itself has failed, which is counted: what the rule file's `on_error` says.
    pub fn guard_error(&self) -> Decision {
        self.0.guard_errors.add();
        let decision = Decision::allow(None, Reason::GuardError);
        match self.0.set().file.on_error {
            OnError::Allow => decision,
            OnError::Abort => Decision { verdict: Verdict::Abort, ..decision },
        }
    }

    /// What has been done so far.
    pub fn snapshot(&self) -> Snapshot {
        self.0.snapshot()
    }
}

// A panic between two steps of a check leaves counts that are at most one statement too high, and every table whole: the
// steps inside a lock run no foreign code.
impl std::panic::UnwindSafe for Engine {}
impl std::panic::RefUnwindSafe for Engine {}

impl Inner {
    /// Decides on a statement. A decision is large, so functions return it from where they are called last, and it is
    /// written once, where the caller wants it.
    #[inline]
    fn check(&self, statement: &Statement<'_>) -> Decision {
        let now = self.current.get();
        if now.mode() == Mode::Off {
            return Decision::allow(None, Reason::Off);
        }
        let text = self.hot.sought(statement.sql, statement.dialect.unwrap_or(now.dialect()));
        let mut is_stale = false;
        if let Some(mut table) = self.hot.table()
            && let Some((shape, hands)) = table.known(text)
            && {
                is_stale = !self.is_current(shape, now);
                !is_stale
            }
        {
            return match &shape.planned.plan {
                Plan::Threshold(threshold) => self.decide_threshold(threshold, shape, Sent::of(statement), hands),
                plan => {
                    let asked = Asked::statement(statement, text.bytes, text.dialect);
                    self.decide_plan(plan, shape, &asked, Some(hands))
                }
            };
        }
        self.check_at_length(statement, text, is_stale)
    }

    /// Decides on a statement whose text this core does not know, or knows as it was before rules have changed.
    fn check_at_length(&self, statement: &Statement<'_>, text: Sought<'_>, is_stale: bool) -> Decision {
        let (now, set) = self.renewed();
        if set.file.mode == Mode::Off {
            return Decision::allow(None, Reason::Off);
        }
        let text = text.in_dialect(statement.dialect.unwrap_or(set.file.fingerprint.dialect));
        let asked = Asked::statement(statement, text.bytes, text.dialect);
        if let Some(mut table) = self.hot.table() {
            if table.version() != set.version {
                table.adapt(set.version, set.file.fingerprint, cache_bytes(&set));
            }
            if table.reads(text) {
                let find = |normalized: &Normalized<'_>| self.shape_of(normalized, text.dialect, now, &set);
                let (shape, hands) = table.read((text, is_stale), &self.hot, |shape| self.is_current(shape, now), find);
                let decision = self.decide_plan(&shape.planned.plan, shape, &asked, Some(hands));
                let outlived = table.take_outlived();
                drop(table);
                drop(outlived);
                return decision;
            }
        }
        let shape = self.shape(text, now, &set);
        self.decide_plan(&shape.planned.plan, &shape, &asked, None)
    }

    /// Decides on a statement whose shape is known.
    fn check_shape(&self, asked: &Asked<'_, '_>, shape: &Shape) -> Decision {
        match self.hot.table() {
            Some(mut table) => self.decide_plan(&shape.planned.plan, shape, asked, Some(&mut table.hands)),
            None => self.decide_plan(&shape.planned.plan, shape, asked, None),
        }
    }

    /// Decides on a request.
    fn check_request(&self, context: &Context<'_>) -> Decision {
        let (now, set) = self.renewed();
        if set.file.mode == Mode::Off {
            return Decision::allow(None, Reason::Off);
        }
        let asked = Asked::request(context);
        if let Some(mut table) = self.hot.table() {
            let find = || self.shape_of_requests(now, &set);
            let (shape, hands) = table.requests(|shape| self.is_current(shape, now), find);
            return self.decide_plan(&shape.planned.plan, shape, &asked, Some(hands));
        }
        let shape = self.shape_of_requests(now, &set);
        self.decide_plan(&shape.planned.plan, &shape, &asked, None)
    }

    /// Whether what is remembered of a shape is up to date.
    #[inline]
    fn is_current(&self, shape: &Shape, now: InForce) -> bool {
        shape.planned.epoch == now.epoch() && shape.planned.until.is_none_or(|until| self.clock.wall() < until)
    }

    /// The epoch and the rules in force, those that have expired let go. What is decided by this set, is by no other: the epoch is
    /// that of the set, or an older one, and what is remembered under an older one is soon looked at anew.
    fn renewed(&self) -> (InForce, arc_swap::Guard<Arc<RuleSet>>) {
        if self.current.is_over(|| self.clock.wall()) {
            self.let_expire();
        }
        self.in_force()
    }

    /// The rules in force, whose epoch has begun: whoever has seen them is not decided on by those before.
    fn in_force(&self) -> (InForce, arc_swap::Guard<Arc<RuleSet>>) {
        loop {
            let now = self.current.get();
            let set = self.rules.load();
            if set.is_announced() {
                return (now, set);
            }
            // Who puts them in force has not come so far yet, and may be kept from it: this begins their epoch in his place.
            // Nothing begins if another has begun since, so none begins by a set that is followed by another.
            if let Some(now) = self.current.change(now, set.file.mode, set.file.fingerprint.dialect) {
                set.announce();
                return (now, set);
            }
        }
    }

    /// The rules in force.
    fn set(&self) -> Arc<RuleSet> {
        arc_swap::Guard::into_inner(self.in_force().1)
    }

    /// What is remembered of a text's shape.
    fn shape(&self, text: Sought<'_>, now: InForce, set: &RuleSet) -> Arc<Shape> {
        self.readers.normalize(set.file.fingerprint, text.bytes, text.dialect, |normalized| {
            self.shape_of(normalized, text.dialect, now, set)
        })
    }

    /// What is remembered of the shape of a normalised text.
    fn shape_of(&self, normalized: &Normalized<'_>, dialect: Dialect, now: InForce, set: &RuleSet) -> Arc<Shape> {
        // What was read before the rules changed may be named by another hash.
        let is_named_so = |shape: &Shape| shape.fingerprint.as_bytes().len() == set.file.fingerprint.hash.bytes();
        let is_current = |shape: &Shape| self.is_current(shape, now) && is_named_so(shape);
        self.shapes.get(dialect, normalized.as_bytes(), is_current, |known| {
            if let Some(known) = known.filter(|known| is_named_so(known)) {
                return known.planned_anew(|facts| self.plan(facts, now, set));
            }
            let hash = self.hot.sought(normalized.as_bytes(), dialect).hash;
            Shape::read(normalized, dialect, hash, |facts| self.plan(facts, now, set))
        })
    }

    /// What stands for requests in place of a shape.
    fn shape_of_requests(&self, now: InForce, set: &RuleSet) -> Arc<Shape> {
        let (plan, until) = set.plan_of_requests(self.clock.wall(), self.hot.hasher());
        let number = self.next_shape.fetch_add(1, Ordering::Relaxed);
        Arc::new(Shape::of_requests(Planned { epoch: now.epoch(), until, plan, number, tables: Box::default() }))
    }
}

/// Bytes of the tables of all cores: the shapes that they have in common take the rest.
fn cache_bytes(set: &RuleSet) -> usize {
    let bytes = set.file.limits.cache_bytes;
    bytes - bytes / 8
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine").field("rules", &self.0.set().file).finish_non_exhaustive()
    }
}
