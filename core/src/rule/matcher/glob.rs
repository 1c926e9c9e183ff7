//! A text with wildcards, any case.

/// Part of a text with wildcards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// This byte, in either case.
    Byte(u8),
    /// Any one byte.
    One,
    /// Any bytes, or none.
    Any,
}

/// A text with wildcards. ASCII letters match in either case, all other bytes as they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Glob(Box<[Piece]>);

impl Glob {
    pub(super) fn new(pieces: impl IntoIterator<Item = Piece>) -> Self {
        let mut kept: Vec<Piece> = Vec::new();
        for piece in pieces {
            // `%%` says nothing that `%` does not.
            if piece != Piece::Any || kept.last() != Some(&Piece::Any) {
                kept.push(piece);
            }
        }
        Self(kept.into())
    }

    pub(super) fn pieces(&self) -> &[Piece] {
        &self.0
    }

    /// Whether it matches whatever there is.
    pub(super) fn is_any(&self) -> bool {
        *self.0 == [Piece::Any]
    }

    /// Whether it matches the whole text. At most as many steps as the text has bytes times the glob pieces: what stands
    /// before the latest wildcard is never tried again.
    pub(super) fn matches(&self, text: &[u8]) -> bool {
        let (mut at, mut piece) = (0, 0);
        // The latest wildcard, and where what follows it is tried next.
        let mut resume: Option<(usize, usize)> = None;
        while at < text.len() {
            match self.0.get(piece) {
                Some(Piece::Any) => {
                    piece += 1;
                    resume = Some((piece, at));
                    continue;
                }
                Some(Piece::One) => {
                    (at, piece) = (at + 1, piece + 1);
                    continue;
                }
                Some(Piece::Byte(byte)) if byte.eq_ignore_ascii_case(&text[at]) => {
                    (at, piece) = (at + 1, piece + 1);
                    continue;
                }
                _ => {}
            }
            let Some((after, from)) = resume else {
                return false;
            };
            resume = Some((after, from + 1));
            (piece, at) = (after, from + 1);
        }
        self.0[piece..].iter().all(|piece| *piece == Piece::Any)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn glob(text: &str) -> Glob {
        Glob::new(text.bytes().map(|byte| match byte {
            b'*' => Piece::Any,
            b'?' => Piece::One,
            byte => Piece::Byte(byte),
        }))
    }

    /// The definition, piece by piece.
    fn brute(pieces: &[Piece], text: &[u8]) -> bool {
        match (pieces.split_first(), text.split_first()) {
            (None, _) => text.is_empty(),
            (Some((Piece::Any, rest)), _) => (0..=text.len()).any(|from| brute(rest, &text[from..])),
            (Some(_), None) => false,
            (Some((Piece::One, pieces)), Some((_, text))) => brute(pieces, text),
            (Some((Piece::Byte(a), pieces)), Some((b, text))) => a.eq_ignore_ascii_case(b) && brute(pieces, text),
        }
    }

    #[test]
    fn wildcards_and_case() {
        for (pattern, text, expected) in [
            ("", "", true),
            ("", "a", false),
            ("*", "", true),
            ("**", "anything", true),
            ("Orders", "oRDERS", true),
            ("orders", "orders_1", false),
            ("orders_*", "orders_", true),
            ("*a*b", "aab", true),
            ("*a*b", "aba", false),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("?", "", false),
            ("É", "é", false),
        ] {
            assert_eq!(glob(pattern).matches(text.as_bytes()), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn many_wildcards_take_no_exponential_time() {
        assert!(!glob(&"*a".repeat(500)).matches(&b"b".repeat(100_000)));
        assert!(!glob(&format!("{}c", "*a".repeat(500))).matches(&b"a".repeat(10_000)));
    }

    proptest! {
        #[test]
        fn it_matches_as_defined(pattern in "[aB*?]{0,8}", text in "[abB]{0,8}") {
            let glob = glob(&pattern);
            prop_assert_eq!(glob.matches(text.as_bytes()), brute(glob.pieces(), text.as_bytes()));
        }
    }
}
