//! A word as it is compared.

use crate::fingerprint::lexer::{Token, TokenKind};

/// A word's bytes in lower case. Words too long to be a keyword or a function known here come out empty.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lower {
    bytes: [u8; 40],
    len: usize,
}

impl Lower {
    /// A word that equals no other.
    pub(super) const NONE: Self = Self { bytes: [0; 40], len: 0 };

    pub(super) fn of(word: &[u8]) -> Self {
        let mut lower = Self::NONE;
        if let Some(bytes) = lower.bytes.get_mut(..word.len()) {
            bytes.copy_from_slice(word);
            bytes.make_ascii_lowercase();
            lower.len = word.len();
        }
        lower
    }

    /// The text of a name, without its quotes. Quotes within it are left as they are: no name known here has any.
    pub(super) fn of_name(sql: &[u8], token: Token) -> Self {
        match (token.kind, &sql[token.start..token.end]) {
            (TokenKind::Quoted, [_, inner @ .., _]) => Self::of(inner),
            (_, bytes) => Self::of(bytes),
        }
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}
