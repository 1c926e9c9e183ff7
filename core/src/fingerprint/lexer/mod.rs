//! Bytes to tokens, in one forward pass: no recursion, no allocation, no failure whatever the bytes.
//!
//! What a byte means can depend on whether a value stands before it (`a - 1` or `= -1`; `a % s` or `= %s`), so the lexer
//! keeps track of that. It decides nothing about shapes: that is the normaliser's.

mod blanks;
mod class;
mod list;
mod number;
mod operator;
mod quotes;
mod word;

use super::dialect::Dialect;
use super::keyword::Keyword;
pub(crate) use class::{CLASSES, Class};
pub(crate) use word::last_bytes;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// An unquoted name, keyword or variable.
    Word,
    /// A quoted name.
    Quoted,
    /// A number with its sign.
    Number,
    /// A string of any form, a typed literal in braces, a hexadecimal or binary string.
    Text,
    /// A quoted name or string that the text ends in.
    Cut,
    /// A bind parameter.
    Placeholder,
    /// An operator.
    Operator,
    /// The `*` that stands for all columns.
    Wildcard,
    LParen,
    RParen,
    LBracket,
    RBracket,
    LBrace,
    RBrace,
    Comma,
    Dot,
    Semicolon,
    /// `/*+`, or Oracle's `--+`: what follows up to `HintEnd` is an optimiser hint.
    HintStart,
    HintEnd,
    /// A byte with no meaning in SQL, such as NUL.
    Other,
    /// The end of the text, again and again.
    End,
}

/// A token: its kind and its bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    /// The keyword, where the token is a `Word` that is one and that no dot precedes.
    pub(crate) keyword: Keyword,
    /// Where its bytes begin.
    pub(crate) start: usize,
    /// Where they end.
    pub(crate) end: usize,
}

/// Reads the tokens of a text.
#[derive(Clone, Debug)]
pub(crate) struct Lexer<'a> {
    /// What is being read: the text, or up to the end of a hint.
    bytes: &'a [u8],
    text: &'a [u8],
    pos: usize,
    dialect: Dialect,
    /// Whether a value ends with the last token.
    operand: bool,
    /// Whether the last token is a dot, so that a word behind it is a name.
    after_dot: bool,
    /// Whether the last token is a type's name, so that a question mark behind it is a literal's.
    after_type: bool,
    /// Whether the last token is `::`, so that a type's name behind it introduces no literal.
    after_cast: bool,
    /// Open brackets, where a colon divides bounds.
    brackets: u32,
    /// Open `/*! … */`, whose ends are white space.
    versioned: u32,
    /// Inside a hint: what `operand` and `after_dot` were before it.
    hint: Option<(bool, bool)>,
    /// Whether there was a comment.
    comments: bool,
    /// The last word's first sixteen bytes in lower case, the first one lowest.
    lower: u128,
}

impl TokenKind {
    /// Whether a value ends with a token of this kind; `keyword` is a word's.
    #[inline]
    pub(crate) const fn ends_operand(self, keyword: Keyword) -> bool {
        match self {
            Self::Word => keyword.ends_operand(),
            Self::Operator
            | Self::LParen
            | Self::LBracket
            | Self::LBrace
            | Self::Comma
            | Self::Dot
            | Self::Semicolon
            | Self::HintStart
            | Self::HintEnd
            | Self::Other
            | Self::End => false,
            _ => true,
        }
    }
}

impl<'a> Lexer<'a> {
    pub(crate) fn new(text: &'a [u8], dialect: Dialect) -> Self {
        Self {
            bytes: text,
            text,
            pos: 0,
            dialect,
            operand: false,
            after_dot: false,
            after_type: false,
            after_cast: false,
            brackets: 0,
            versioned: 0,
            hint: None,
            comments: false,
            lower: 0,
        }
    }

    /// Where the next token is looked for.
    #[inline]
    pub(crate) const fn position(&self) -> usize {
        self.pos
    }

    /// Goes on at `pos`, behind a token that someone else has read: `kind` and, of a word, `keyword`.
    #[inline]
    pub(crate) const fn go_on(&mut self, pos: usize, kind: TokenKind, keyword: Keyword) {
        self.pos = pos;
        self.operand = kind.ends_operand(keyword);
        self.after_dot = matches!(kind, TokenKind::Dot);
        self.after_type = matches!(kind, TokenKind::Word) && keyword.is_type();
        self.after_cast = false;
    }

    /// The first sixteen bytes of the last `Word`, in lower case.
    #[inline]
    pub(crate) const fn lower(&self) -> [u8; 16] {
        self.lower.to_le_bytes()
    }

    /// Whether a value ends with the last token, one that is not a type's name before a literal.
    #[inline]
    pub(crate) const fn after_operand(&self) -> bool {
        self.operand && !self.after_type
    }

    /// Says that the last token, a name, is read as a constant.
    pub(crate) const fn take_as_constant(&mut self) {
        self.operand = true;
        self.after_type = false;
    }

    /// Whether a mark is open whose end reads as white space.
    #[inline]
    pub(crate) const fn is_versioned_code(&self) -> bool {
        self.versioned > 0
    }

    /// Whether a comment has been passed over.
    pub(crate) const fn saw_comment(&self) -> bool {
        self.comments
    }

    /// The next token.
    #[inline]
    pub(crate) fn next(&mut self) -> Token {
        loop {
            let start = self.pos;
            let Some(&byte) = self.bytes.get(start) else {
                return self.end_of_bytes();
            };
            return match CLASSES[usize::from(byte)] {
                Class::Space => {
                    self.pos = start + 1;
                    continue;
                }
                Class::Word => self.word(start),
                Class::Minus | Class::Slash | Class::Hash | Class::Star if self.skip_comment() => continue,
                Class::Digit => self.number(start, start),
                Class::SingleQuote => self.string(start, start, self.has_backslashes()),
                Class::LParen => self.single(TokenKind::LParen, false),
                Class::RParen => self.single(TokenKind::RParen, true),
                Class::Comma => self.single(TokenKind::Comma, false),
                Class::Dot => self.dot(start),
                Class::Operator | Class::Star => self.operator(start),
                Class::Question => self.question(start),
                Class::Minus => self.minus(start),
                Class::Slash => self.slash(start),
                Class::DoubleQuote if self.dialect == Dialect::MySql => self.string(start, start, true),
                Class::DoubleQuote | Class::Backquote => self.quoted(start, byte),
                Class::LBracket => self.bracket(start),
                Class::RBracket => {
                    self.brackets = self.brackets.saturating_sub(1);
                    self.single(TokenKind::RBracket, true)
                }
                Class::LBrace => self.brace(start),
                Class::RBrace => self.single(TokenKind::RBrace, true),
                // Within a hint it divides nothing.
                Class::Semicolon if self.hint.is_some() => self.single(TokenKind::Other, false),
                Class::Semicolon => self.single(TokenKind::Semicolon, false),
                Class::Hash => self.hash(start),
                Class::Dollar => self.dollar(start),
                Class::At => self.at(start),
                Class::Colon => self.colon(start),
                Class::Other => self.single(TokenKind::Other, false),
            };
        }
    }

    #[inline]
    fn single(&mut self, kind: TokenKind, operand: bool) -> Token {
        let start = self.pos;
        self.token(kind, start, start + 1, operand)
    }

    #[inline]
    fn token(&mut self, kind: TokenKind, start: usize, end: usize, operand: bool) -> Token {
        self.pos = end;
        self.operand = operand;
        self.after_dot = false;
        self.after_type = false;
        self.after_cast = false;
        Token { kind, keyword: Keyword::None, start, end }
    }

    fn end_of_bytes(&mut self) -> Token {
        let at = self.bytes.len();
        let Some((operand, after_dot)) = self.hint.take() else {
            return Token { kind: TokenKind::End, keyword: Keyword::None, start: at, end: at };
        };
        // A hint that is cut off ends with the text.
        let end = if self.text[at..].starts_with(b"*/") { at + 2 } else { at };
        let cut = at == self.text.len();
        self.bytes = self.text;
        let kind = if cut { TokenKind::End } else { TokenKind::HintEnd };
        let token = self.token(kind, at, end, operand);
        self.after_dot = after_dot;
        token
    }

    #[inline]
    pub(crate) fn peek(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }
}
