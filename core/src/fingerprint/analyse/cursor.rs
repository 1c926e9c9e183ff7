//! The tokens of a text one by one, with the one behind and the one ahead, and the positions of placeholders.

use super::word::Lower;
use crate::fingerprint::Dialect;
use crate::fingerprint::keyword::Keyword;
use crate::fingerprint::lexer::{Lexer, Token, TokenKind};

/// Where a reading stands in a text. A copy goes on from the same place, so that what does not fit can be read anew.
#[derive(Clone, Debug)]
pub(super) struct Cursor<'a> {
    pub(super) sql: &'a [u8],
    pub(super) dialect: Dialect,
    lexer: Lexer<'a>,
    pub(super) previous: Token,
    pub(super) token: Token,
    pub(super) next: Token,
    /// Placeholders up to and with the token.
    placeholders: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(sql: &'a [u8], dialect: Dialect) -> Self {
        let mut lexer = Lexer::new(sql, dialect);
        let previous = Token { kind: TokenKind::Semicolon, keyword: Keyword::None, start: 0, end: 0 };
        let token = next_outside_hints(&mut lexer);
        let next = if token.kind == TokenKind::End { token } else { next_outside_hints(&mut lexer) };
        let placeholders = usize::from(token.kind == TokenKind::Placeholder);
        Self { sql, dialect, lexer, previous, token, next, placeholders }
    }

    /// Goes on to the next token; at the end it stays.
    pub(super) fn advance(&mut self) {
        if self.token.kind == TokenKind::End {
            return;
        }
        self.previous = self.token;
        self.token = self.next;
        self.placeholders += usize::from(self.token.kind == TokenKind::Placeholder);
        if self.next.kind != TokenKind::End {
            self.next = next_outside_hints(&mut self.lexer);
        }
    }

    /// The position of the parameter that the token stands for, where it is a placeholder: the one it gives itself, else the
    /// one after those before it.
    pub(super) fn position(&self) -> Option<usize> {
        let is_placeholder = self.token.kind == TokenKind::Placeholder;
        is_placeholder.then(|| numbered(self.bytes()).unwrap_or(self.placeholders - 1))
    }

    /// The token's bytes.
    pub(super) fn bytes(&self) -> &'a [u8] {
        self.bytes_of(self.token)
    }

    pub(super) fn bytes_of(&self, token: Token) -> &'a [u8] {
        &self.sql[token.start..token.end]
    }

    /// The token's word, unless a dot beside it says that it is a name.
    pub(super) fn word(&self) -> Lower {
        if self.previous.kind == TokenKind::Dot || self.next.kind == TokenKind::Dot {
            return Lower::NONE;
        }
        self.word_of(self.token)
    }

    /// The word of a token, whatever stands beside it.
    pub(super) fn word_of(&self, token: Token) -> Lower {
        if token.kind == TokenKind::Word { Lower::of(self.bytes_of(token)) } else { Lower::NONE }
    }

    /// Whether the token is this operator.
    pub(super) fn is_operator(&self, operator: &[u8]) -> bool {
        self.token.kind == TokenKind::Operator && self.bytes() == operator
    }
}

/// The next token, past any optimiser hints.
fn next_outside_hints(lexer: &mut Lexer<'_>) -> Token {
    let mut token = lexer.next();
    while token.kind == TokenKind::HintStart {
        while !matches!(token.kind, TokenKind::HintEnd | TokenKind::End) {
            token = lexer.next();
        }
        if token.kind == TokenKind::HintEnd {
            token = lexer.next();
        }
    }
    token
}

/// The position that a numbered placeholder gives itself: `$2`, `?2` and `:2` are the second, position 1.
fn numbered(mark: &[u8]) -> Option<usize> {
    std::str::from_utf8(mark.get(1..)?).ok()?.parse::<usize>().ok()?.checked_sub(1)
}
