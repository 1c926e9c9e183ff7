//! Where the state of limiters lives.

mod local;

pub(crate) use local::KeyTable;
