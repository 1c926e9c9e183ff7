//! The hot cells of `sqlthrottle`: what runs on every check and must cost next to nothing.
//!
//! Byte scanners (SIMD where the machine has it) and atomic limiter state. This is the one crate of the engine that may
//! hold `unsafe`, so it is small, and it is what the model checker and the sanitizers run on.

#![allow(unsafe_code)]

pub mod claim;
pub mod concurrency;
pub mod fixed_window;
pub mod forks;
pub mod lock;
pub mod pins;
pub mod scan;
pub mod share_counter;
pub mod sliding_window;
pub mod token_bucket;

mod sync;
mod window_shape;

#[cfg(test)]
#[cfg(not(loom))]
mod testing;

pub use window_shape::{ShapeError, WindowShape};
