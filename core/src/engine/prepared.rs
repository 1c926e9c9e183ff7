//! Statements that a host knows it will check again and again.

use super::asked::{Asked, Sent};
use super::current::InForce;
use super::hot::Table;
use super::plan::{Plan, Threshold};
use super::refill::Refilled;
use super::shape::Shape;
use super::{Engine, Inner};
use crate::context::Context;
use crate::decision::{Decision, Reason};
use crate::fingerprint::Dialect;
use crate::rule::Mode;
use crate::statement::{Fakes, Statement};
use arc_swap::ArcSwapOption;
use smallvec::SmallVec;
use sqlthrottle_cells::lock::Guard;
use std::fmt;
use std::sync::Arc;

/// A statement that was read once and is checked by reference, from [`Engine::prepare`].
///
/// What a check of it answers is what [`Engine::check_statement`] would, sooner by the look-up of its text. Any number of
/// threads may check one at the same time. It keeps the engine as long as it lives. Where rules have changed, the next check
/// goes by the new ones.
///
/// ```
/// use sqlthrottle::rule::{RuleFile, Threshold};
/// use sqlthrottle::{Engine, Statement};
///
/// let mut rules = RuleFile::default();
/// rules.default_threshold = Some(Threshold::new(2));
/// let engine = Engine::new(rules)?;
/// let by_id = engine.prepare(&Statement::new("select * from users where id = ?"));
///
/// assert!(by_id.check().is_allowed());
/// assert!(by_id.check().is_allowed());
/// assert!(!by_id.check().is_allowed());
/// # Ok::<(), sqlthrottle::LoadError>(())
/// ```
pub struct Prepared {
    engine: Engine,
    sql: Box<[u8]>,
    dialect: Option<Dialect>,
    fakes: Fakes,
    weight: u32,
    context: Owned,
    params: Box<[Option<Box<[u8]>>]>,
    /// As it was when it was prepared.
    shape: Arc<Shape>,
    /// As it was last, once rules have changed.
    renewed: ArcSwapOption<Shape>,
}

/// A context that borrows nothing.
#[derive(Debug)]
struct Owned {
    user: Option<Box<[u8]>>,
    client: Option<Box<[u8]>>,
    database: Option<Box<[u8]>>,
    tags: Box<[(Bytes, Bytes)]>,
}

type Bytes = Box<[u8]>;

impl Prepared {
    pub(super) fn new(engine: Engine, statement: &Statement<'_>) -> Self {
        let own = |bytes: &[u8]| Box::<[u8]>::from(bytes);
        let context = &statement.context;
        let shape = engine.0.prepared_shape(statement.sql, statement.dialect);
        Self {
            engine,
            sql: statement.sql.into(),
            dialect: statement.dialect,
            fakes: statement.fakes,
            weight: statement.weight,
            context: Owned {
                user: context.user.map(own),
                client: context.client.map(own),
                database: context.database.map(own),
                tags: context.tags().map(|(name, value)| (own(name), own(value))).collect(),
            },
            params: statement.params.iter().map(|param| param.map(own)).collect(),
            shape,
            renewed: ArcSwapOption::empty(),
        }
    }

    /// Decides on the statement, as it was prepared.
    pub fn check(&self) -> Decision {
        self.check_weight(self.weight)
    }

    /// Decides on so many executions of the statement at once. Zero counts as one.
    #[inline]
    pub fn check_weight(&self, weight: u32) -> Decision {
        self.check_as(self.fakes, weight)
    }

    /// Decides on so many executions of the statement at once, for a caller who can fake this: of one handle, a host may ask for
    /// rows at one time and for a count at another. Zero executions count as one.
    #[inline]
    pub fn check_as(&self, fakes: Fakes, weight: u32) -> Decision {
        let (inner, weight) = (&*self.engine.0, weight.max(1));
        let now = inner.current.get();
        let sent = Sent { fakes, weight };
        if let Some((threshold, mut table)) = self.at_hand(&self.shape, now) {
            table.count(&self.shape);
            return inner.decide_threshold(threshold, &self.shape, sent, &mut table.hands);
        }
        if let Some(shape) = &*self.renewed.load()
            && let Some((threshold, mut table)) = self.at_hand(shape, now)
        {
            table.count(shape);
            return inner.decide_threshold(threshold, shape, sent, &mut table.hands);
        }
        self.check_at_length(sent)
    }

    /// The same, and where it is answered with [`Verdict::RefillNeeded`](crate::Verdict::RefillNeeded), asks the cluster in this
    /// thread and checks again.
    #[inline]
    pub fn check_weight_blocking(&self, weight: u32) -> Decision {
        let mut decision = self.check_weight(weight);
        self.engine.settle(&mut decision, |refilled| self.check_weight_refilled(weight, refilled));
        decision
    }

    /// Decides on it after a refill, as [`Engine::check_refilled`] does.
    pub fn check_weight_refilled(&self, weight: u32, refilled: Refilled) -> Decision {
        self.check_as_refilled(self.fakes, weight, refilled)
    }

    /// Decides after a refill as [`check_as`](Self::check_as) does before.
    pub fn check_as_refilled(&self, fakes: Fakes, weight: u32, refilled: Refilled) -> Decision {
        let sent = Sent { fakes, weight: weight.max(1) };
        self.with_statement(sent, |statement| self.engine.check_refilled(statement, refilled))
    }

    /// The text that it was prepared with.
    pub fn sql(&self) -> &[u8] {
        &self.sql
    }

    /// What a caller stands in for when the statement is ignored: [`Fakes::Rows`] for a plain read, [`Fakes::Count`] for a write
    /// that answers a count alone, and [`Fakes::None`] where it has no honest empty result, and so is aborted. A caller that can
    /// fake both knows by this which of them is asked for.
    ///
    /// ```
    /// use sqlthrottle::{Engine, Fakes, RuleFile, Statement};
    ///
    /// let engine = Engine::new(RuleFile::default())?;
    /// let faked = |sql: &str| engine.prepare(&Statement::new(sql)).faked();
    /// assert_eq!(faked("select 1"), Fakes::Rows);
    /// assert_eq!(faked("update t set a = 1"), Fakes::Count);
    /// assert_eq!(faked("insert into t values (1) returning id"), Fakes::None);
    /// # Ok::<(), sqlthrottle::LoadError>(())
    /// ```
    pub fn faked(&self) -> Fakes {
        self.shape.faked()
    }

    /// The dialect that it was prepared with; none for that of the rules.
    pub fn dialect(&self) -> Option<Dialect> {
        self.dialect
    }

    /// The weight that it was prepared with.
    pub fn weight(&self) -> u32 {
        self.weight
    }

    /// The engine that it was prepared by.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The single threshold by which a shape is decided, if it is still so, and the table of this core, if it is free.
    #[inline]
    fn at_hand<'s>(&'s self, shape: &'s Shape, now: InForce) -> Option<(&'s Threshold, Guard<'s, Table>)> {
        let inner = &*self.engine.0;
        match &shape.planned.plan {
            Plan::Threshold(threshold) if now.mode() != Mode::Off && inner.is_current(shape, now) => {
                Some((threshold, inner.hot.table()?))
            }
            _ => None,
        }
    }

    /// Decides on the statement with another context, weight, parameters and fakes: those of the one given, whose text and
    /// dialect are not looked at.
    pub fn check_statement(&self, statement: &Statement<'_>) -> Decision {
        let inner = &*self.engine.0;
        let now = inner.current.get();
        if now.mode() == Mode::Off {
            return Decision::allow(None, Reason::Off);
        }
        if inner.is_current(&self.shape, now) {
            return self.check_shape(statement, &self.shape);
        }
        if let Some(shape) = &*self.renewed.load()
            && inner.is_current(shape, now)
        {
            return self.check_shape(statement, shape);
        }
        let shape = inner.prepared_shape(&self.sql, self.dialect);
        self.renewed.store(Some(Arc::clone(&shape)));
        self.check_shape(statement, &shape)
    }

    fn check_shape(&self, statement: &Statement<'_>, shape: &Arc<Shape>) -> Decision {
        let (inner, asked) = (&*self.engine.0, Asked::statement(statement, &self.sql, shape.dialect));
        let Some(mut table) = inner.hot.table() else {
            return inner.decide_plan(&shape.planned.plan, shape, &asked, None);
        };
        table.count(shape);
        let decision = inner.decide_plan(&shape.planned.plan, shape, &asked, Some(&mut table.hands));
        let outlived = table.take_outlived();
        drop(table);
        drop(outlived);
        decision
    }

    /// Decides by the context and the parameters that it was prepared with.
    fn check_at_length(&self, sent: Sent) -> Decision {
        self.with_statement(sent, |statement| self.check_statement(statement))
    }

    /// The statement that it was prepared with, as it is sent now.
    fn with_statement(&self, sent: Sent, act: impl FnOnce(&Statement<'_>) -> Decision) -> Decision {
        let params: SmallVec<[Option<&[u8]>; 8]> = self.params.iter().map(Option::as_deref).collect();
        act(&Statement {
            sql: &self.sql,
            dialect: self.dialect,
            fakes: sent.fakes,
            weight: sent.weight,
            context: self.context.lend(),
            params: &params,
        })
    }
}

impl Owned {
    fn lend(&self) -> Context<'_> {
        let mut context = Context::new();
        (context.user, context.client) = (self.user.as_deref(), self.client.as_deref());
        context.database = self.database.as_deref();
        self.tags.iter().fold(context, |context, (name, value)| context.tag(name, value))
    }
}

impl Inner {
    /// The shape of a statement, as of now.
    fn prepared_shape(&self, sql: &[u8], dialect: Option<Dialect>) -> Arc<Shape> {
        let (now, set) = self.renewed();
        self.shape(self.hot.sought(sql, dialect.unwrap_or(set.file.fingerprint.dialect)), now, &set)
    }
}

impl fmt::Debug for Prepared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prepared")
            .field("sql", &String::from_utf8_lossy(&self.sql))
            .field("weight", &self.weight)
            .finish_non_exhaustive()
    }
}
