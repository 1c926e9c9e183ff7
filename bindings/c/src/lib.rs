//! The C library: `include/sqlthrottle.h`, function by function.
//!
//! A function is three steps: what came in is looked at and converted ([`input`]), the engine is asked, and what it answers is
//! converted and written ([`output`]). Nothing about rules is decided here.
//!
//! Types and constants are called here what the header calls them, so that either is found by the other's name. `xtask header`
//! writes the header from these sources, with their documentation.

#![allow(unsafe_code, reason = "pointers come from C")]
#![allow(non_camel_case_types, reason = "named as in the header")]
#![allow(
    clippy::doc_markdown,
    clippy::missing_safety_doc,
    reason = "written for readers of the header, which says it once"
)]

// What C calls, in the order of the header; the empty lines keep it.
pub mod version;

pub mod status;

pub mod error;

pub mod engine;

pub mod statement;

pub mod decision;

pub mod check;

pub mod prepared;

pub mod refill;

pub mod threshold;

pub mod fingerprint;

pub mod report;

pub mod window;

pub mod clock;

mod growing;
mod guard;
mod handle;
mod input;
mod output;
