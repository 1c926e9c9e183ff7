//! Where the state of limiters lives.

mod key;
mod local;

pub(crate) use key::Key;
pub(crate) use local::{KeyTable, Lookup};
