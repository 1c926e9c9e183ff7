//! A quota that instances share: what an engine asks of whoever keeps it.

use super::Key;
use crate::rule::{Limit, Part};
use sha2::{Digest, Sha256};
use std::error::Error;
use std::fmt;
use std::time::Duration;

/// Keeps the counters of rules with the scope `cluster`, for all instances that share them: a server, or in a test whatever
/// stands in for one.
///
/// A check never calls it. [`Engine::refill`](crate::Engine::refill) does, in the thread that calls that, so that it may block;
/// for how long is its own to bound. Threads of one engine may call it at the same time.
pub trait ClusterQuota: Send + Sync {
    /// Takes from a counter what an instance may let pass in the time of [`QuotaAsk::ttl`]: at once, for all instances together,
    /// within [`QuotaAsk::limit`]. What is taken is counted as of now, whether or not it is spent.
    ///
    /// # Errors
    ///
    /// It cannot be asked now. What the rule says of failures holds then, for as long as a lease would.
    fn take(&self, ask: &QuotaAsk<'_>) -> Result<QuotaGrant, QuotaError>;
}

/// What an engine asks of a quota.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct QuotaAsk<'a> {
    /// What the names of all counters of the rule file begin with (`cluster.namespace`).
    pub namespace: &'a str,
    /// The name of the rule. Rules of the same name in all instances share their counters.
    pub rule: &'a str,
    /// Which counter of the rule.
    pub key: QuotaKey,
    /// How much the rule allows. A counter follows namespace, rule, kind of limit and key; another maximum, window or rate is to
    /// hold from the next call on. Never one that counts places or attempts, or that counts nothing.
    pub limit: Limit,
    /// The least that is of use, which is the weight of the statement that waits for it: 1 to the maximum of the limit.
    pub least: u32,
    /// The most that may be taken: what a lease is to hold, and never less than `least`.
    pub most: u32,
    /// How long it is good for. What is not spent by then has been taken in vain.
    pub ttl: Duration,
}

/// What a quota grants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QuotaGrant {
    /// How much is taken: `least` to `most`, or 0, where there is not enough. What is beyond `most` is not spent.
    pub granted: u32,
    /// With 0, how long until there may be enough: the rule is over its limit until then, and asks no more. None where that
    /// cannot be said: then it is for as long as a lease is good for.
    pub retry_after: Option<Duration>,
}

/// The counter of a rule: the same for the same values of what the rule counts by, in every instance, build and language.
///
/// It is the SHA-256 of what the rule counts by and of its values, each with its length, so that it takes the same room
/// whatever they are, and shows none of them. Displays as 64 hex digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct QuotaKey([u8; 32]);

/// Why a quota cannot be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuotaError(String);

impl QuotaKey {
    /// Its bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// That of a key of a rule; that of the counter which keys without a place share, where it is none.
    pub(crate) fn of(per: &[Part], key: Option<&Key>) -> Self {
        let mut hash = Sha256::new();
        let mut write = |bytes: &[u8]| {
            hash.update((bytes.len() as u64).to_le_bytes());
            hash.update(bytes);
        };
        for part in per {
            write(part.to_string().as_bytes());
        }
        if let Some(key) = key {
            let (kind, bytes) = key.parts();
            write(&[kind]);
            write(bytes);
        }
        Self(hash.finalize().into())
    }
}

impl fmt::Display for QuotaKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl QuotaError {
    /// An error that says this of itself.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

impl fmt::Display for QuotaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for QuotaError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_the_same_wherever_it_is_made() {
        // SHA-256 of the lengths (eight bytes, the lowest first) and bytes of `user`, of how the value is kept, and of the value.
        let user = QuotaKey::of(&[Part::User], Some(&Key::of(&[Some(b"dev")])));
        let mut written = Vec::new();
        for part in [&b"user"[..], &[3], b"dev"] {
            written.extend((part.len() as u64).to_le_bytes());
            written.extend(part);
        }
        assert_eq!(user.as_bytes()[..], Sha256::digest(&written)[..]);
        assert_eq!(user.to_string().len(), 64);
    }

    #[test]
    fn keys_differ_by_what_is_counted_and_by_value() {
        let keys = [
            QuotaKey::of(&[], None),
            QuotaKey::of(&[], Some(&Key::of(&[]))),
            QuotaKey::of(&[Part::User], None),
            QuotaKey::of(&[Part::User], Some(&Key::of(&[None]))),
            QuotaKey::of(&[Part::User], Some(&Key::of(&[Some(b"")]))),
            QuotaKey::of(&[Part::User], Some(&Key::of(&[Some(b"a")]))),
            QuotaKey::of(&[Part::Client], Some(&Key::of(&[Some(b"a")]))),
            QuotaKey::of(&[Part::User], Some(&Key::of(&[Some(&[b'a'; 33])]))),
        ];
        let distinct: std::collections::HashSet<_> = keys.iter().collect();
        assert_eq!(distinct.len(), keys.len());
    }
}
