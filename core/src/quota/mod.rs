//! Where the state of limiters lives.

mod cluster;
mod key;
mod local;

pub use cluster::{ClusterQuota, QuotaAsk, QuotaError, QuotaGrant, QuotaKey};
pub(crate) use key::Key;
pub(crate) use local::{KeyTable, Lookup};
