//! The rule file: what may be sent how often, and what happens beyond.

mod bounds;
mod file;
mod limits;
mod prefix;
mod quantity;
mod rule_file;
mod state;
mod threshold;

pub use limits::Limits;
pub use prefix::{FingerprintPrefix, InvalidPrefix};
pub use rule_file::{Mode, RuleFile};
pub(crate) use state::{RuleSet, RuleState};
pub use threshold::Threshold;
