//! The native library for Java: what the classes `Native…` of `java/sqlthrottle` call, method by method.
//!
//! A method is three steps: what came in is read ([`array`], [`context`]), the engine is asked, and what it answers is written
//! ([`answer`], [`reply`]). Nothing about rules is decided here.
//!
//! Methods take and return primitives and arrays of them. None calls back into Java, looks up a class, or attaches a thread, so there
//! is nothing that a class loader, a lock of the JVM or its end could be in the way of; and none throws: one that can fail returns a
//! [`reply`]. The environment is called by its table alone, for which the types of `jni-sys` suffice.

#![allow(unsafe_code, reason = "handles and arrays come from Java")]
#![allow(
    clippy::missing_safety_doc,
    reason = "the callers are the native methods of Java, whose promises stand in `handle` and `array`"
)]
#![allow(missing_docs, reason = "methods are documented where Java declares them")]
#![allow(clippy::cast_possible_wrap, reason = "all numbers of Java have a sign")]
#![allow(non_snake_case, reason = "named as the JVM looks for them")]

pub mod check;
pub mod clock;
pub mod engine;
pub mod fingerprint;
pub mod library;
pub mod prepared;
pub mod report;
pub mod threshold;
pub mod window;

mod answer;
mod array;
mod context;
mod error;
mod guard;
mod handle;
mod reply;
