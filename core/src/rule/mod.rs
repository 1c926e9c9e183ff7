//! The rule file: what may be sent how often, and what happens beyond.

mod bounds;
mod file;
mod limits;
mod mode;
mod prefix;
mod quantity;
mod rule_file;
mod threshold;

pub use limits::Limits;
pub use mode::Mode;
pub use prefix::{FingerprintPrefix, InvalidPrefix};
pub use rule_file::RuleFile;
pub use threshold::Threshold;

/// How a file writes a share, so that it is read alike everywhere.
pub(crate) use quantity::share as read_share;
