//! From SQL text to the fingerprint of its shape.
//!
//! [`Normalizer`] reads a statement once, left to right, and writes its normalised text: constants become `?`, lists of
//! constants become one, comments and spacing disappear. The [`Fingerprint`] is the hash of that text. [`analyse`] reads
//! a statement's grammar, at first sight only.

mod analyse;
mod dialect;
mod hash;
mod keyword;
mod lexer;
mod normalise;
mod options;
mod split;

pub use analyse::{Analysis, Kind, Operator, Predicate, TableName, Value, Where, analyse};
pub(crate) use analyse::{Classification, classify, is_never_checked};
pub use dialect::Dialect;
pub use hash::{Fingerprint, HashKind, InvalidFingerprint};
pub use normalise::{Normalized, Normalizer};
pub use options::{FingerprintOptions, InLists};
pub use split::split;
