//! The key of a limiter: what a rule counts a statement by.

use sha2::{Digest, Sha256};
use smallvec::SmallVec;

/// The bytes of a key: as they are up to 32 of them, beyond that their SHA-256. So keys are compared in full, whatever their
/// length, and each takes the same room.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    bytes: [u8; Self::BYTES],
    /// How many bytes are the key; beyond them [`Self::DIGEST`] or [`Self::ABSENT`].
    len: u8,
}

impl Key {
    const BYTES: usize = 32;
    const DIGEST: u8 = u8::MAX;
    const ABSENT: u8 = u8::MAX - 1;

    /// The key of parts, each of which may be absent. Of as many parts, keys are equal only if all parts are; a part that is
    /// empty is not absent.
    pub(crate) fn of(parts: &[Option<&[u8]>]) -> Self {
        match parts {
            // So that a fingerprint is kept as it is.
            [Some(part)] => Self::new(part),
            [None] => Self { bytes: [0; Self::BYTES], len: Self::ABSENT },
            _ => {
                let mut written: SmallVec<[u8; 128]> = SmallVec::new();
                for part in parts {
                    // Zero is absent, so a length is one more than it is.
                    let len = part.map_or(0, |part| part.len() as u64 + 1);
                    // Usual lengths take one byte, so that a short key remains short enough to be kept as it is.
                    match u8::try_from(len) {
                        Ok(len) if len < u8::MAX => written.push(len),
                        _ => {
                            written.push(u8::MAX);
                            written.extend_from_slice(&len.to_le_bytes());
                        }
                    }
                    written.extend_from_slice(part.unwrap_or_default());
                }
                Self::new(&written)
            }
        }
    }

    /// The key of bytes.
    pub(crate) fn new(key: &[u8]) -> Self {
        let mut bytes = [0; Self::BYTES];
        let len = if let Some(place) = bytes.get_mut(..key.len()) {
            place.copy_from_slice(key);
            key.len() as u8
        } else {
            bytes = Sha256::digest(key).into();
            Self::DIGEST
        };
        Self { bytes, len }
    }

    /// What makes it up: its length or what stands for that, and its bytes.
    pub(crate) fn parts(&self) -> (u8, &[u8]) {
        let len = match self.len {
            Self::DIGEST => Self::BYTES,
            Self::ABSENT => 0,
            len => usize::from(len),
        };
        (self.len, self.bytes.get(..len).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn keys_differ_where_a_part_does() {
        let long = [b'a'; 300];
        let parts: [&[Option<&[u8]>]; 10] = [
            &[None, None],
            &[None, Some(b"")],
            &[Some(b""), None],
            &[Some(b""), Some(b"")],
            &[Some(b"ab"), Some(b"c")],
            &[Some(b"a"), Some(b"bc")],
            &[Some(&long), Some(b"")],
            &[Some(&long[1..]), Some(b"a")],
            &[Some(&long[..253]), Some(&long[253..])],
            &[Some(&long[..254]), Some(&long[254..])],
        ];
        let keys: HashSet<Key> = parts.iter().map(|parts| Key::of(parts)).collect();
        assert_eq!(keys.len(), parts.len());
        assert_eq!(Key::of(parts[8]), Key::of(parts[8]));
        assert_ne!(Key::of(&[None]), Key::of(&[Some(b"")]));
        assert_eq!(Key::of(&[]), Key::new(b""));
    }

    #[test]
    fn a_digest_is_no_key_of_32_bytes() {
        let long = [b'x'; 33];
        let digest: [u8; 32] = Sha256::digest(long).into();
        assert_ne!(Key::new(&long), Key::new(&digest));
        assert_ne!(Key::new(&[0]), Key::new(&[0, 0]));
    }
}
