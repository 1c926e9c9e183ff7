//! What becomes of an engine in the child of a fork.

use super::Engine;

impl Engine {
    /// Puts an engine in order in the child, after a fork. Rules, what they have counted and what is remembered of shapes stay. What
    /// belongs to statements of the parent goes: places of concurrency limits are free, what a cluster has granted is not spent here, and permits and tickets that were
    /// handed out before mean nothing here. What threads were at that do not exist in the child is ended or forgotten.
    ///
    /// To be called once in the child, by a handler such as Python's `os.register_at_fork`, before anything is checked there
    /// and while it has one thread. It takes memory, so it is nothing for a handler of `pthread_atfork` in a process whose
    /// allocator a fork may leave locked. Called again, or where there was no fork, it lets go of permits and tickets that are
    /// in use, and does no other harm.
    ///
    /// A process may fork at any moment on Unix, whatever its other threads check, but not from within a call of the engine.
    /// Where a thread was changing a table just then, that part of it begins empty in the child: a few shapes are read again,
    /// the provider is asked again for what it has said, or keys that newcomers would have joined are counted from zero.
    ///
    /// ```
    /// use sqlthrottle::{Engine, RuleFile};
    ///
    /// let engine = Engine::new(RuleFile::parse("
    /// rules:
    ///   - name: one-report
    ///     match: {tables: [reports]}
    ///     limit: {concurrency: {max: 1, lease: 60s}}
    /// ")?)?;
    /// let report = engine.check("select * from reports");
    /// assert!(report.is_allowed() && !engine.check("select * from reports").is_allowed());
    ///
    /// engine.after_fork(); // the report is the parent's
    /// assert!(engine.check("select * from reports").is_allowed());
    /// assert!(!engine.release(report.permit.unwrap()));
    /// # Ok::<(), sqlthrottle::LoadError>(())
    /// ```
    pub fn after_fork(&self) {
        let inner = &*self.0;
        let set = inner.set();
        inner.permits.clear();
        inner.waiting.clear();
        for state in set.states() {
            state.places.clear();
            state.limiters.after_fork();
        }
        // After the limiters: a key whose limiter is lost is to have one for all cores.
        inner.hot.after_fork();
        // A thread that put rules in force may have got no further than that.
        inner.expect_expiry();
    }
}
