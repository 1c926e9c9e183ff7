//! A rule: what it matches, what it counts by, how much is allowed, what happens beyond.

use super::{Limit, Matching, Mode, OnFailure, Part};
use crate::name::named;
use crate::strategy::{Share, Strategy};
use std::time::SystemTime;

/// A rule.
///
/// ```
/// use sqlthrottle::rule::{Limit, Part, Rule};
///
/// let mut rule = Rule::new("reports-per-user", Limit::concurrency(2));
/// rule.matching.tables.push("reports".to_owned());
/// rule.per.push(Part::User);
/// ```
///
/// [`RuleFile::validate`](super::RuleFile::validate) says whether its values are within their bounds and fit together.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rule {
    /// What it is called in decisions, snapshots and metrics: unique in a file, 1 to 128 characters.
    pub name: String,
    /// What it matches (the file calls it `match`): all that is given must hold. With nothing given it matches everything.
    pub matching: Matching,
    /// Whether it is asked about statements or about requests.
    pub on: On,
    /// What it counts by: one limiter for each key; empty for one limiter in all.
    pub per: Vec<Part>,
    /// How much is allowed.
    pub limit: Limit,
    /// What is done to what is over the limit (the file calls it `then`).
    pub then: Then,
    /// Where its counters live.
    pub scope: Scope,
    /// Whether its decisions are carried out; the softer of this and the file's holds. None for the file's.
    pub mode: Option<Mode>,
    /// What is done when the cluster does not answer; none for what the file's `cluster` says. Only with [`Scope::Cluster`].
    pub on_failure: Option<OnFailure>,
    /// Who answers for it.
    pub owner: Option<String>,
    /// Why it is there.
    pub reason: Option<String>,
    /// When it ends, by the wall clock; none for never.
    pub expires: Option<SystemTime>,
}

impl Rule {
    /// A rule that matches every statement, with one limiter; what is over the limit is aborted.
    pub fn new(name: impl Into<String>, limit: Limit) -> Self {
        Self {
            name: name.into(),
            matching: Matching::default(),
            on: On::default(),
            per: Vec::new(),
            limit,
            then: Then::default(),
            scope: Scope::default(),
            mode: None,
            on_failure: None,
            owner: None,
            reason: None,
            expires: None,
        }
    }

    /// Whether it names statements by their fingerprint or by an example, so that the default threshold does not apply to
    /// them.
    pub(crate) fn names_statements(&self) -> bool {
        !self.matching.fingerprints.is_empty() || !self.matching.like.is_empty()
    }
}

/// What is done to a statement over the limit of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Then {
    /// What is done.
    pub strategy: Strategy,
    /// The part of over-limit statements it is done to.
    pub share: Share,
    /// How many statements may wait at once: 1 to 100,000. Beyond it they are aborted.
    pub max_delayed: u32,
}

impl Default for Then {
    /// All are aborted.
    fn default() -> Self {
        Self { strategy: Strategy::Abort, share: Share::ALL, max_delayed: 100 }
    }
}

/// What a rule is asked about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum On {
    /// Statements.
    #[default]
    Statement,
    /// Requests of a gateway or a web filter, which have a context and no SQL.
    Request,
}

/// Where the counters of a rule live.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Scope {
    /// In this process.
    #[default]
    Process,
    /// In a cluster, shared by all its instances.
    Cluster,
}

impl On {
    /// Both, in the order of the documentation.
    pub const ALL: [Self; 2] = [Self::Statement, Self::Request];

    /// The name used in rule files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Statement => "statement",
            Self::Request => "request",
        }
    }
}

named!(On, "thing to be asked about");

impl Scope {
    /// Every scope, in the order of the documentation.
    pub const ALL: [Self; 2] = [Self::Process, Self::Cluster];

    /// The name used in rule files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Process => "process",
            Self::Cluster => "cluster",
        }
    }
}

named!(Scope, "scope");
