//! Which rules a statement matches.
//!
//! A [`Condition`] is what one rule asks, compiled. It is asked in three stages, because a shape has no constants and a
//! context has no shape: what [`ShapeFacts`] decide holds for every statement of the shape, what a
//! [`Context`](crate::Context) decides for every statement of its sender, and [`Constants`] are read for a single statement.
//! The [`Matcher`] holds the conditions of a file, and finds those a shape may meet without asking each of them.

mod account;
mod column;
mod compiled;
mod condition;
mod constants;
mod facts;
mod glob;
mod index;
mod keyword;
mod literals;
mod mismatch;
mod network;
mod open;
mod pattern;
mod table_glob;
#[cfg(test)]
mod tests;
mod workload;

pub(crate) use account::Account;
pub(crate) use column::Column;
pub(crate) use compiled::{CompiledPatterns, NotCompiled};
pub(crate) use condition::Condition;
pub(crate) use constants::Constants;
pub(crate) use facts::ShapeFacts;
pub(crate) use index::Matcher;
pub(crate) use keyword::Keyword;
pub(crate) use mismatch::Mismatch;
pub(crate) use table_glob::TableGlob;
pub(crate) use workload::Workload;
