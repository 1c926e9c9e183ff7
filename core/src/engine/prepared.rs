//! Statements that a host knows it will check again and again.

use super::Engine;
use super::shape::Shape;
use crate::decision::{Decision, Reason};
use crate::rule::Mode;
use crate::statement::{Fakes, Statement};
use std::fmt;
use std::sync::Arc;

/// A statement that was read once and is checked by reference, from [`Engine::prepare`].
///
/// What a check of it answers is what [`Engine::check_statement`] would, sooner by the look-up of its text. Any number of
/// threads may check one at the same time. It keeps the engine as long as it lives.
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
    shape: Arc<Shape>,
    fakes: Fakes,
    weight: u32,
}

impl Prepared {
    pub(super) fn new(engine: Engine, shape: Arc<Shape>, statement: &Statement<'_>) -> Self {
        Self { engine, shape, fakes: statement.fakes, weight: statement.weight }
    }

    /// Decides on the statement, with the weight it was prepared with.
    pub fn check(&self) -> Decision {
        self.check_weight(self.weight)
    }

    /// Decides on so many executions of the statement at once. Zero counts as one.
    pub fn check_weight(&self, weight: u32) -> Decision {
        let inner = &*self.engine.0;
        if inner.mode == Mode::Off {
            return Decision::allow(None, Reason::Off);
        }
        // Of the statement, a check of a known shape asks no more than this.
        inner.check_shape(&Statement::new(&[]).fakes(self.fakes).weight(weight), &self.shape)
    }
}

impl fmt::Debug for Prepared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prepared").field("shape", &self.shape).field("weight", &self.weight).finish_non_exhaustive()
    }
}
