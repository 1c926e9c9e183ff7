//! The rule file: what may be sent how often, and what happens beyond.

pub(crate) mod admin;
mod bounds;
mod cluster;
mod conflict;
mod file;
mod key;
mod limit;
mod limits;
mod match_field;
pub(crate) mod matcher;
mod matching;
mod mode;
mod on_error;
mod patterns;
mod prefix;
mod quantity;
mod rate;
#[expect(clippy::module_inception, reason = "a file of rules, and a rule")]
mod rule;
mod rule_file;
mod text;
mod threshold;
mod validate;
mod warnings;

pub use cluster::{Cluster, Lease, OnFailure, Redis};
pub use key::{ColumnName, Part};
pub use limit::{Count, Limit};
pub use limits::Limits;
pub use matching::{Matching, WholeTable};
pub use mode::Mode;
pub use on_error::OnError;
pub use prefix::{FingerprintPrefix, InvalidPrefix};
pub use rate::{InvalidRate, Rate};
pub use rule::{On, Rule, Scope, Then};
pub use rule_file::RuleFile;
pub use threshold::Threshold;

pub(crate) use match_field::MatchField;
/// How a file writes a share, so that it is read alike everywhere.
pub(crate) use quantity::share as read_share;
