//! The engine: a statement in, a decision out.
//!
//! [`check`](Engine::check) looks the text up among those of late ([`hot`]). What it does not find there it normalises, and
//! finds what is remembered of its shape ([`shapes`]). Then it counts the statement against the rule that names it, and
//! decides ([`decide`]). A delayed statement holds a ticket in [`waiting`] until it is [resumed](resume).

mod at_hand;
mod decide;
mod generations;
mod hot;
mod prepared;
mod readers;
mod resume;
mod rules;
mod shape;
mod shapes;
mod waiting;

pub use prepared::Prepared;

use crate::clock::Clock;
use crate::decision::{Decision, Reason, Ticket};
use crate::error::LoadError;
use crate::fingerprint::Dialect;
use crate::metrics::Snapshot;
use crate::rule::{Mode, RuleFile};
use crate::statement::Statement;
use at_hand::AtHand;
use hot::{Hot, Sought};
use readers::Readers;
use rules::{RuleSet, RuleState};
use shape::Shape;
use shapes::Shapes;
use std::fmt;
use std::path::Path;
use std::sync::Arc;
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
    mode: Mode,
    file: RuleFile,
    rules: RuleSet,
    readers: Readers,
    hot: Hot,
    shapes: Shapes,
    waiting: Waiting,
}

impl Engine {
    /// An engine with the rules of a file.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or has faults: all of them at once.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, LoadError> {
        Self::new(RuleFile::open(path)?)
    }

    /// An engine with rules.
    ///
    /// # Errors
    ///
    /// As [`RuleFile::validate`] finds them.
    pub fn new(rules: RuleFile) -> Result<Self, LoadError> {
        Self::with_clock(rules, Clock::system())
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
        rules.validate()?;
        let clock = clock.into();
        Ok(Self(Arc::new(Inner {
            mode: rules.mode,
            rules: RuleSet::new(&rules, clock.now())?,
            readers: Readers::new(rules.fingerprint),
            hot: Hot::new(rules.limits.cache_bytes - rules.limits.cache_bytes / 8, rules.fingerprint),
            shapes: Shapes::new(rules.limits.cache_bytes / 8),
            waiting: Waiting::default(),
            clock,
            file: rules,
        })))
    }

    /// The rules in force.
    pub fn rules(&self) -> &RuleFile {
        &self.0.file
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

    /// Takes note of a statement that is going to be checked many times: [`Prepared::check`] spares the look-up of its text.
    pub fn prepare(&self, statement: &Statement<'_>) -> Prepared {
        let dialect = statement.dialect.unwrap_or(self.0.file.fingerprint.dialect);
        Prepared::new(self.clone(), self.0.shape(statement.sql, dialect), statement)
    }

    /// Decides on a statement whose wait is over.
    ///
    /// Its first check has counted it, and it is not counted a second time: with
    /// [`Delay::UntilAllowed`](crate::Delay::UntilAllowed) its count moves to now when it is allowed, so that in any window
    /// no more than the limit is sent, at once or after a wait. Too early, the answer is to wait on, with the same
    /// rule and a new ticket; a ticket is good for one call, and lapses five seconds after it was due.
    pub fn resume(&self, ticket: Ticket) -> Decision {
        self.0.resume(ticket)
    }

    /// What has been done so far.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            rules: self.0.rules.iter().map(RuleState::stats).collect(),
            shapes: self.0.shapes.len(),
            waiting: self.0.waiting.len(),
        }
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
        if self.mode == Mode::Off {
            return Decision::allow(None, Reason::Off);
        }
        let text = self.hot.sought(statement.sql, statement.dialect.unwrap_or(self.file.fingerprint.dialect));
        if let Some(mut table) = self.hot.table()
            && let Some((shape, at_hand)) = table.known(text)
        {
            return self.answer(statement, shape, at_hand);
        }
        self.check_at_length(statement, text)
    }

    /// Decides on a statement whose text this core does not know.
    fn check_at_length(&self, statement: &Statement<'_>, text: Sought<'_>) -> Decision {
        if let Some(mut table) = self.hot.table()
            && let Some((shape, at_hand)) = table.recognised(text, &self.hot)
        {
            let decision = self.answer(statement, shape, at_hand);
            let outlived = table.take_outlived();
            drop(table);
            drop(outlived);
            return decision;
        }
        self.check_first(statement, &self.shape(text.bytes, text.dialect))
    }

    /// Decides on a statement whose shape was read once.
    #[inline]
    fn check_shape(&self, statement: &Statement<'_>, shape: &Arc<Shape>) -> Decision {
        if let Some(mut table) = self.hot.table()
            && let Some(at_hand) = table.at_hand(&shape.counted_by)
        {
            return self.answer(statement, shape, at_hand);
        }
        self.check_first(statement, shape)
    }

    /// Decides on a statement of which this core does not have everything at hand, and takes it in hand.
    fn check_first(&self, statement: &Statement<'_>, shape: &Arc<Shape>) -> Decision {
        let Some(mut table) = self.hot.table() else { return self.answer(statement, shape, &mut AtHand::default()) };
        let decision = match table.take_in_hand(shape, &self.hot) {
            Some(at_hand) => self.answer(statement, shape, at_hand),
            None => self.answer(statement, shape, &mut AtHand::default()),
        };
        let outlived = table.take_outlived();
        drop(table);
        drop(outlived);
        decision
    }

    /// What is remembered of a text's shape.
    fn shape(&self, sql: &[u8], dialect: Dialect) -> Arc<Shape> {
        self.readers.normalize(sql, dialect, |normalized| {
            self.shapes.get(dialect, normalized.as_bytes(), || {
                let fingerprint = normalized.fingerprint();
                let rule = self.rules.of(&fingerprint);
                let counted_by = self.hot.key(rule.as_ref(), &fingerprint);
                Shape::read(dialect, normalized, fingerprint, rule, counted_by)
            })
        })
    }

    /// Decides by the limiter that is at hand.
    #[inline]
    fn answer(&self, statement: &Statement<'_>, shape: &Shape, at_hand: &mut AtHand) -> Decision {
        match &shape.rule {
            _ if !shape.checked => Decision::allow(Some(shape.fingerprint), Reason::NotChecked),
            None => Decision::allow(Some(shape.fingerprint), Reason::Allowed),
            Some(rule) => self.decide(statement, shape, rule, at_hand),
        }
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine").field("rules", &self.0.file).finish_non_exhaustive()
    }
}
