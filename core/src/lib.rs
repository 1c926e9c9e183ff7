//! Stops bursts of SQL before they reach a database.
//!
//! A statement comes in as bytes, a [`Decision`] goes out: send it, raise an error, return nothing, or wait. Statements of one
//! shape, whatever their constants, share a [`Fingerprint`]; a [`Threshold`] says how many of a shape may be sent in any
//! interval of a window.
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
//! | [`Allow`](Verdict::Allow) | sends the statement |
//! | [`Abort`](Verdict::Abort) | raises an error of its own, with `rule`, `fingerprint`, `reason` and `retry_after` |
//! | [`Ignore`](Verdict::Ignore) | does not send it, and returns an empty result of the right type |
//! | [`Delay`](Verdict::Delay) | waits for `delay` by its own means, then calls [`Engine::resume`] with `ticket` |
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
//! # Rules
//!
//! A [`RuleFile`] is read from YAML, or built in code; `docs/rules.md` describes every key. A file with faults is refused whole,
//! and a [`LoadError`] tells all of them, each with its place, what would be right and a code that stays the same. With
//! [`Mode::Observe`] everything is decided and counted, nothing is refused, and [`Decision::observed`] says what would have
//! been done: the way to begin.
//!
//! # Time
//!
//! An engine reads a [`Clock`]: the machine's monotone one, or a [`ManualClock`] that a test moves, so no test sleeps to see
//! a window pass. A [`SlidingWindow`] counts events of any kind in the same way.
//!
//! # What never happens
//!
//! - `check` never fails, never panics and never blocks, whatever the bytes; it allocates nothing once a shape is known.
//! - There are no threads, no callbacks and no I/O; state lives in the [`Engine`], and nothing in it grows without bound.
//! - No byte of a constant appears in a normalised text or a decision.
//! - No more than [`Threshold::max_count`] is sent in any interval of its window, but for what a share passes over and for
//!   what has waited for a fixed delay.
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
    AdminAnswer, Builder, Engine, ExplainedRule, Explanation, Guard, Prepared, RulePart, ThresholdProvider, Throttled,
    Top, TopStatement,
};
pub use error::{Fault, LoadError};
pub use fingerprint::{Dialect, Fingerprint, FingerprintOptions, HashKind, InLists, Normalizer};
pub use limit::{SlidingWindow, WindowError};
pub use metrics::{RuleMode, RuleStats, Snapshot, Waits};
pub use name::UnknownName;
pub use rule::{Limit, Mode, Rule, RuleFile, Threshold};
pub use statement::{Fakes, Statement};
pub use strategy::{Delay, InvalidShare, Share, Strategy};
