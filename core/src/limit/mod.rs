//! Limiters: the state of one rule for one key.

mod sliding_window;

pub(crate) use sliding_window::WindowLimiter;
pub use sliding_window::{SlidingWindow, WindowError};

use sqlthrottle_cells::pins::Pins;
use std::sync::Arc;

/// What a quota has to know of the limiters it keeps.
pub(crate) trait Limiter {
    /// What the rule fixes for all its limiters.
    type Params;

    /// A limiter that has counted nothing.
    fn fresh(params: &Self::Params, now: u64) -> Arc<Self>;

    /// What keeps the limiter from being let go while someone counts on it.
    fn pins(&self) -> &Pins;

    /// Whether the limiter is as good as a fresh one: to let go of it changes no count.
    fn is_fresh(&self, params: &Self::Params, now: u64) -> bool;
}
