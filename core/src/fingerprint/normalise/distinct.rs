//! `in_lists: distinct`: which constants of a list have been seen.

use ahash::RandomState;
use std::collections::HashSet;
use std::hash::{BuildHasher, Hasher};

/// The constants of the open lists, as they are written, and which of them have been seen.
///
/// Constants are told apart by 128 bits of a hash with a key of this process, which nobody can aim at.
#[derive(Debug)]
pub(super) struct Distinct {
    /// The tokens of the open lists, each with a zero byte behind it.
    tokens: Vec<u8>,
    seen: HashSet<u128, RandomState>,
    keys: [RandomState; 2],
    lists: u64,
    placeholders: u64,
}

impl Default for Distinct {
    fn default() -> Self {
        let keys = [RandomState::new(), RandomState::new()];
        Self { tokens: Vec::new(), seen: HashSet::default(), keys, lists: 0, placeholders: 0 }
    }
}

impl Distinct {
    /// Forgets the lists of the statement before.
    pub(super) fn clear(&mut self) {
        self.tokens.clear();
        self.seen.clear();
        self.lists = 0;
        self.placeholders = 0;
    }

    /// Gives back what a list of more than `bytes` has taken: to clear a large table is slow, however few it holds.
    pub(super) fn shrink(&mut self, bytes: usize) {
        const ENTRIES: usize = 1 << 16;
        if self.tokens.capacity() > bytes || self.seen.capacity() > ENTRIES {
            self.tokens = Vec::new();
            self.seen = HashSet::default();
        }
    }

    /// Begins a list, and names it.
    pub(super) fn begin_list(&mut self) -> u64 {
        self.lists += 1;
        self.lists
    }

    /// Where the next token will be kept.
    pub(super) fn mark(&self) -> usize {
        self.tokens.len()
    }

    /// Keeps a token. A sign is told from its digits by blanks and comments in many ways that are one.
    pub(super) fn token(&mut self, bytes: &[u8]) {
        let is_blank = |byte: &u8| byte.is_ascii_whitespace() || *byte == 0x0B || *byte == b'/';
        if let [sign @ (b'-' | b'+'), rest @ ..] = bytes {
            let digits = rest.iter().rposition(is_blank).map_or(rest, |i| &rest[i + 1..]);
            self.tokens.push(*sign);
            self.tokens.extend_from_slice(digits);
        } else {
            self.tokens.extend_from_slice(bytes);
        }
        self.tokens.push(0);
    }

    /// Keeps a placeholder: it equals no other, whatever will be bound to it.
    pub(super) fn placeholder(&mut self) {
        self.placeholders += 1;
        self.tokens.push(b'?');
        self.tokens.extend_from_slice(&self.placeholders.to_le_bytes());
    }

    /// Whether the constant made of the tokens since `mark` is the first of its kind in the list.
    pub(super) fn is_new(&mut self, list: u64, mark: usize) -> bool {
        let tokens = &self.tokens[mark..];
        let [low, high] = [0, 1].map(|i| {
            let mut hasher = self.keys[i].build_hasher();
            hasher.write_u64(list);
            hasher.write(tokens);
            u128::from(hasher.finish())
        });
        self.seen.insert(low | high << 64)
    }
}
