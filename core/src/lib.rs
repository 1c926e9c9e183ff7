//! Stops bursts of SQL before they reach a database.
//!
//! A statement comes in as bytes, a [`Decision`] goes out: send it, raise an error, return nothing, or wait. Statements of one
//! shape, whatever their constants, share a [`Fingerprint`]. A [`Threshold`] says how many of a shape may be sent in any
//! interval of a window; a [`Rule`] says so of whatever it matches, in all or for each user, table or tag.
//!
//! ```
//! use sqlthrottle::{Engine, RuleFile, Verdict};
//!
//! let rules = RuleFile::parse("{dialect: mysql, default_threshold: {max_count: 100, window: 10s}}")?;
//! let engine = Engine::new(rules)?; // or Engine::open("sqlthrottle.yml")
//!
//! let decision = engine.check("select * from users where id = 7");
//! match decision.verdict {
//!     Verdict::Allow => { /* send it */ }
//!     _ => eprintln!("{}: {} of {}", decision.reason, decision.count, decision.limit),
//! }
//! # assert!(decision.is_allowed());
//! # Ok::<(), sqlthrottle::LoadError>(())
//! ```
//!
//! # What a decision asks for
//!
//! | [`Verdict`] | What the caller does |
//! | --- | --- |
//! | [`Allow`](Verdict::Allow) | sends the statement, and [releases](Engine::release) its `permit` once that has ended |
//! | [`Abort`](Verdict::Abort) | raises an error of its own, with `rule`, `fingerprint`, `reason` and `retry_after` |
//! | [`Ignore`](Verdict::Ignore) | does not send it, and returns an empty result of the right type |
//! | [`Delay`](Verdict::Delay) | waits for `delay` by its own means, then calls [`Engine::resume`] with `ticket` |
//! | [`ThresholdNeeded`](Verdict::ThresholdNeeded) | asks its [provider](#thresholds-from-elsewhere), and checks again |
//! | [`RefillNeeded`](Verdict::RefillNeeded) | calls [`Engine::refill`] with `refill` where it may block, then [`Engine::check_refilled`] |
//!
//! A plain [`check`](Engine::check) is never answered with Ignore. A caller that can stand in for a result says so, and with it
//! the weight of a batch or a dialect other than the file's:
//!
//! ```
//! use sqlthrottle::{Dialect, Engine, Fakes, RuleFile, Statement};
//!
//! let engine = Engine::new(RuleFile::default())?;
//! let statement = Statement::new("select * from users").dialect(Dialect::PostgreSql).fakes(Fakes::Rows).weight(50);
//! assert!(engine.check_statement(&statement).is_allowed());
//! # Ok::<(), sqlthrottle::LoadError>(())
//! ```
//!
//! A statement that is checked again and again is [prepared](Engine::prepare) once.
//!
//! # Rules
//!
//! A [`RuleFile`] is read from YAML, or built in code; `docs/rules.md` describes every key, and `docs/semantics.md` how several
//! rules come to one decision. A file with faults is refused whole, and a [`LoadError`] tells all of them, each with its place,
//! what would be right and a code that stays the same. With [`Mode::Observe`], for the file or a rule, everything is decided and
//! counted, nothing is refused, and [`Decision::observed`] says what would have been done: the way to begin.
//!
//! ```
//! use sqlthrottle::rule::{Part, Rule};
//! use sqlthrottle::{Engine, Limit, Reason, RuleFile, Statement, Verdict};
//!
//! let mut rules = RuleFile::parse(
//!     "
//!     rules:
//!       - name: reports-per-user
//!         match: {kinds: [select], tables: [reports, 'orders_*']}
//!         per: [user]
//!         limit: {token_bucket: {capacity: 1, rate: 1/m}}
//!       - name: nobody-drops
//!         match: {pattern: drop table}
//!         limit: {block: true}
//!         mode: observe
//!     ",
//! )?;
//! let mut tenants = Rule::new("tenants", Limit::concurrency(5)); // in code
//! tenants.per.push(Part::Tag("tenant".to_owned()));
//! rules.rules.push(tenants);
//! let engine = Engine::new(rules)?;
//!
//! let report = Statement::new("select * from reports").user("ann").client("10.0.0.7").tag("tenant", "acme");
//! assert!(engine.check_statement(&report).is_allowed());
//! assert_eq!(engine.check_statement(&report).reason, Reason::OverLimit);
//! assert!(engine.check_statement(&report.clone().user("bob")).is_allowed());
//!
//! let decision = engine.check("drop table users");
//! assert_eq!((decision.verdict, decision.observed), (Verdict::Allow, Some(Verdict::Abort)));
//! # Ok::<(), sqlthrottle::LoadError>(())
//! ```
//!
//! A [`Context`] says who sends a statement and where to. Gateways and web filters have one before there is any SQL, and ask
//! the rules that say `on: request`:
//!
//! ```
//! use sqlthrottle::{Context, Engine, RuleFile};
//!
//! let rules = "rules: [{name: tenants, on: request, per: ['tag:tenant'], limit: {concurrency: {max: 1}}}]";
//! let engine = Engine::new(RuleFile::parse(rules)?)?;
//! let decision = engine.check_request(&Context::new().tag("tenant", "acme"));
//! assert!(!engine.check_request(&Context::new().tag("tenant", "acme")).is_allowed());
//! if let Some(permit) = decision.permit {
//!     engine.release(permit); // the request has been answered
//! }
//! assert!(engine.check_request(&Context::new().tag("tenant", "acme")).is_allowed());
//! # Ok::<(), sqlthrottle::LoadError>(())
//! ```
//!
//! # Guards
//!
//! What a limit of concurrency allows holds a place, for which a decision carries a [`Permit`]. A [`Guard`] does by itself all
//! that a decision asks for: [`Engine::guard`] checks, waits in this thread where the statement is to wait, and gives the places
//! back when it is dropped; [`Engine::guard_async`] waits by a sleep of the host's runtime.
//!
//! ```
//! use sqlthrottle::{Engine, RuleFile, Statement, Throttled};
//!
//! let rules = "rules: [{name: one-at-a-time, limit: {concurrency: {max: 1}}}]";
//! let engine = Engine::new(RuleFile::parse(rules)?)?;
//! let statement = Statement::new("select * from reports");
//! {
//!     let _guard = engine.guard(&statement)?;
//!     // Here the statement runs.
//!     let Err(Throttled(decision)) = engine.guard(&statement) else { unreachable!("there is one place") };
//!     assert_eq!(decision.rule.as_ref().map(|rule| rule.as_str()), Some("one-at-a-time"));
//! }
//! assert!(engine.guard(&statement).is_ok());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Other rules while it runs
//!
//! [`Engine::reload`] puts a whole set of rules in force at once, and [`Engine::refresh`] does so with the file that the engine
//! was opened with, where it has changed: for a timer of the host's. What has been counted follows a rule's name, kind of limit
//! and `per`. [`Engine::admin`] adds and removes single rules.
//!
//! ```
//! use sqlthrottle::{AdminAnswer, Engine, RuleFile};
//!
//! let engine = Engine::new(RuleFile::parse("default_threshold: 1")?)?;
//! assert!(engine.check("select 1").is_allowed());
//! assert!(!engine.check("select 1").is_allowed());
//! assert_eq!(engine.reload(RuleFile::parse("default_threshold: 3")?)?, 2); // the version of the set
//! assert!(engine.check("select 1").is_allowed());
//!
//! let added = engine.admin("SET GLOBAL sql_throttle_add_rule = '{tables: reports, limit: {block: true}}'")?;
//! let AdminAnswer::Added(name) = added else { unreachable!("it was to be added") };
//! assert!(!engine.check("select * from reports").is_allowed());
//! engine.admin(format!("SET GLOBAL sql_throttle_remove_rule = '{name}'"))?;
//! assert!(engine.check("select * from reports").is_allowed());
//! # Ok::<(), sqlthrottle::LoadError>(())
//! ```
//!
//! # Thresholds from elsewhere
//!
//! A host that keeps thresholds in a table or a service is their [`ThresholdProvider`]. A check does not call it:
//! [`Engine::guard_with`] does at the first sight of a fingerprint, [`Engine::renew_thresholds`] later, on a timer of the host's.
//! Its failures are counted, and bridged by what it said before.
//!
//! ```
//! use sqlthrottle::{Engine, Fingerprint, RuleFile, Statement, Threshold, ThresholdProvider};
//! use std::time::Duration;
//!
//! struct OneOfEach;
//!
//! impl ThresholdProvider for OneOfEach {
//!     type Error = std::convert::Infallible;
//!
//!     fn threshold(&self, _: &Fingerprint) -> Result<(Option<Threshold>, Duration), Self::Error> {
//!         Ok((Some(Threshold::new(1)), Duration::from_secs(60)))
//!     }
//! }
//!
//! let engine = Engine::builder(RuleFile::default()).asks_provider(true).build()?;
//! let statement = Statement::new("select * from users where id = 7");
//! assert!(engine.guard_with(&statement, &OneOfEach).is_ok());
//! assert!(engine.guard_with(&statement, &OneOfEach).is_err());
//! # Ok::<(), sqlthrottle::LoadError>(())
//! ```
//!
//! # Seeing what it does
//!
//! A [`Snapshot`] has the counters of each rule, and [writes](Snapshot::prometheus) them for Prometheus. [`Engine::top`] lists the
//! statements that are sent most often, and of those whose time is [recorded](Engine::record_duration) the ones that take most of it.
//! [`Engine::explain`] says of a statement which rules match it, by which keys they count it, and which field of the others
//! differs; it counts nothing.
//!
//! ```
//! use sqlthrottle::{Engine, RuleFile, RulePart, Statement};
//! use std::time::Duration;
//!
//! let rules = "rules: [{name: reports, match: {tables: reports}, limit: {fixed_window: {max: 1, window: 1h}}}]";
//! let engine = Engine::new(RuleFile::parse(rules)?)?;
//! for _ in 0..3 {
//!     let decision = engine.check("select * from reports");
//!     if let Some(fingerprint) = decision.fingerprint.filter(|_| decision.is_allowed()) {
//!         engine.record_duration(&fingerprint, Duration::from_millis(250));
//!     }
//! }
//! let snapshot = engine.snapshot();
//! assert_eq!((snapshot.rules[0].passed, snapshot.rules[0].aborted), (1, 2));
//! assert!(snapshot.prometheus().contains("sql_throttle_decisions_total{rule=\"reports\",verdict=\"abort\"} 2\n"));
//! assert_eq!(engine.top(10).by_time[0].time, Duration::from_millis(250));
//!
//! let explanation = engine.explain(&Statement::new("select * from users"));
//! assert_eq!(explanation.rules[0].part, RulePart::Differs { field: "tables" });
//! # Ok::<(), sqlthrottle::LoadError>(())
//! ```
//!
//! # Time
//!
//! An engine reads a [`Clock`]: the machine's monotone one, or a [`ManualClock`] that a test moves, so no test sleeps to see
//! a window pass. Rules [expire](Rule::expires) by the wall clock. A [`SlidingWindow`] counts events of any kind in the same way.
//!
//! # Forks and failures
//!
//! A process may fork while its threads check; the child calls [`Engine::after_fork`] first, which drops the places and tickets of
//! the parent's statements and keeps rules and counts. Who catches a panic at the boundary of a language asks
//! [`Engine::guard_error`], which counts it, what the file's `on_error` answers.
//!
//! # What never happens
//!
//! - `check` never fails, never panics and never blocks, whatever the bytes. Once a shape is known it allocates nothing where up
//!   to eight rules match; more of them, one that reads constants, and a statement that is to wait need memory.
//! - There are no threads and no globals, and a check does no I/O and calls nobody: files are read by `open` and `refresh`,
//!   a provider is called, and a statement's wait slept, in the guards alone, and a quota that instances share is asked by
//!   [`Engine::refill`] and the guards. State lives in the [`Engine`], and nothing in it grows without bound.
//! - No byte of a constant appears in a normalised text, a decision or a metric; an [`Explanation`] shows the keys of its statement.
//! - No more than a rule allows is sent, but for what its share passes over, what has waited for a fixed delay, and what outlives
//!   the lease of its place. Of a sliding window that holds for any interval as long as the window.
//! - No check sees half of two sets of rules, and no faulty set takes the place of one that works.
//!
//! [`fingerprint`] normalises and analyses statements without an engine; `docs/fingerprint.md` specifies the normalised text,
//! and `ARCHITECTURE.md` says how all of this works.

#![forbid(unsafe_code)]

pub mod fingerprint;
pub mod rule;

mod clock;
mod context;
mod decision;
mod engine;
mod error;
mod limit;
mod metrics;
mod name;
mod quota;
mod statement;
mod strategy;
mod stripe;

pub use clock::{Clock, ManualClock};
pub use context::Context;
pub use decision::{Decision, Permit, Reason, RuleName, Ticket, Verdict};
pub use engine::{
    AdminAnswer, Builder, Engine, ExplainedRule, Explanation, Guard, Prepared, RefillRequest, Refilled, RulePart,
    ThresholdProvider, Throttled, Top, TopStatement,
};
pub use error::{Fault, LoadError};
pub use fingerprint::{Dialect, Fingerprint, FingerprintOptions, HashKind, InLists, Normalizer};
pub use limit::{SlidingWindow, WindowError};
pub use metrics::{RuleMode, RuleStats, Snapshot, Waits};
pub use name::UnknownName;
pub use quota::{ClusterQuota, QuotaAsk, QuotaError, QuotaGrant, QuotaKey};
pub use rule::{Limit, Mode, Rule, RuleFile, Threshold};
pub use statement::{Fakes, Statement};
pub use strategy::{Delay, InvalidShare, Share, Strategy};
