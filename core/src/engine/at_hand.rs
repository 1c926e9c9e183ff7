//! A rule's limiter for one key, as one core has it at hand.

use crate::decision::RuleName;
use crate::limit::WindowLimiter;
use crate::stripe;
use sqlthrottle_cells::WindowShape;
use sqlthrottle_cells::sliding_window::Lease;
use std::sync::Arc;

/// Most counts that a core takes beforehand. With 64, one check in 64 comes to the cell.
const MAX_BLOCK: u32 = 64;

/// What a core keeps of a rule for one key: the limiter, to be found without a look-up, and a block of its counts where
/// other cores count on it too.
#[derive(Debug)]
pub(crate) struct AtHand {
    /// A copy of the rule's name, so that a decision which is handed out touches nothing that another core touches.
    name: RuleName,
    limiter: Option<Arc<WindowLimiter>>,
    /// None until the limiter is hot.
    leased: Option<Box<Leased>>,
}

#[derive(Debug, Default)]
struct Leased {
    lease: Lease,
    /// How many counts the next block is to have.
    block: u32,
}

impl AtHand {
    /// Nothing yet.
    pub(crate) fn new(name: &RuleName) -> Self {
        let name = match name {
            RuleName::Threshold(name) => RuleName::Threshold(Arc::from(&**name)),
            name => name.clone(),
        };
        Self { name, limiter: None, leased: None }
    }
}
