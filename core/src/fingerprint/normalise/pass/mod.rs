//! The pass over the tokens of a text.

mod brackets;
mod constants;
mod cut;
mod plain;
#[cfg(test)]
mod tests;
mod words;

use super::distinct::Distinct;
use super::frame::{Frame, FrameKind, Rows};
use super::naming::Naming;
use super::spacing::Last;
use super::written::Written;
use crate::fingerprint::keyword::Keyword;
use crate::fingerprint::lexer::{Lexer, Token, TokenKind};
use crate::fingerprint::options::FingerprintOptions;

/// What was written, though what follows may change it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pending {
    Nothing,
    /// An ordinal or the length of a type, unless an operator makes it part of an expression.
    Ordinal(usize),
    /// The index of `->`, unless a dot makes it another number.
    Index(usize),
    /// PostgreSQL: the `?` of a constant behind a value. Before another value it would read as an operator.
    Ambiguous(usize),
}

/// Where a name was written and where it stands in the text.
#[derive(Clone, Copy, Debug)]
struct Name {
    written: usize,
    start: usize,
    end: usize,
    /// Whether it stands in a table's position.
    is_table: bool,
}

/// What is set aside while an optimiser hint is read.
#[derive(Clone, Copy, Debug)]
struct Hint {
    before: TokenKind,
    keyword: Keyword,
    frames: usize,
}

/// One pass over a text.
pub(super) struct Pass<'p> {
    sql: &'p [u8],
    lexer: Lexer<'p>,
    options: &'p FingerprintOptions,
    out: &'p mut Written,
    /// The frames around the current one.
    outer: &'p mut Vec<Frame>,
    distinct: &'p mut Distinct,
    /// The innermost frame.
    frame: Frame,
    /// Brackets open beyond [`MAX_FRAMES`].
    beyond: usize,

    last: Last,
    /// The token before, and its keyword.
    before: TokenKind,
    keyword: Keyword,
    /// Whether the token before is `->` or `->>`.
    arrow: bool,
    pending: Pending,
    naming: Naming,
    /// Whether the token is a name that was written `?`.
    folded: bool,
    /// Whether a value stands before the token.
    behind_operand: bool,
    name: Option<Name>,
    hint: Option<Hint>,
    /// The first keyword of the statement; none before its first token.
    first: Option<Keyword>,
    /// Whether a `;` is to be written before the next statement.
    divide: bool,
    statements: usize,
}

impl<'p> Pass<'p> {
    pub(super) fn new(
        sql: &'p [u8],
        options: &'p FingerprintOptions,
        out: &'p mut Written,
        outer: &'p mut Vec<Frame>,
        distinct: &'p mut Distinct,
    ) -> Self {
        outer.clear();
        distinct.clear();
        Self {
            sql,
            lexer: Lexer::new(sql, options.dialect),
            options,
            out,
            outer,
            distinct,
            frame: Frame::new(FrameKind::Statement, 0, false),
            beyond: 0,
            last: Last::Open,
            before: TokenKind::End,
            keyword: Keyword::None,
            arrow: false,
            pending: Pending::Nothing,
            naming: Naming::None,
            folded: false,
            behind_operand: false,
            name: None,
            hint: None,
            first: None,
            divide: false,
            statements: 0,
        }
    }

    /// Writes the normalised text and returns the number of statements.
    ///
    /// `PLAIN`: plain tokens are taken in runs. Without, the same comes of it by slower steps, which the tests compare.
    pub(super) fn run<const PLAIN: bool>(&mut self) -> usize {
        loop {
            if PLAIN && self.is_plain() {
                self.plain_tokens();
            }
            self.behind_operand = self.lexer.after_operand();
            let token = self.lexer.next();
            if self.first.is_none() && !matches!(token.kind, TokenKind::End | TokenKind::Semicolon) {
                self.begin_statement(&token);
            }
            let adjacent = token.kind == TokenKind::Text && self.before == TokenKind::Text;
            if self.pending != Pending::Nothing && !adjacent {
                self.settle(&token);
            }
            let arrow = std::mem::take(&mut self.arrow);
            if self.naming != Naming::None
                && !adjacent
                && matches!(token.kind, TokenKind::Number | TokenKind::Text | TokenKind::Placeholder | TokenKind::Cut)
            {
                self.naming.constant();
            }
            match token.kind {
                TokenKind::Word => self.word(&token),
                TokenKind::Number => self.number(&token, arrow),
                TokenKind::Text => self.text(&token, arrow),
                TokenKind::Placeholder | TokenKind::Cut => self.constant(&token),
                TokenKind::Operator => self.operator(&token),
                TokenKind::Comma => self.comma(),
                TokenKind::Dot => self.dot(),
                TokenKind::LParen => self.open_paren(),
                TokenKind::RParen => self.close(false),
                TokenKind::LBracket => self.open_bracket(),
                TokenKind::RBracket => self.close(true),
                TokenKind::Quoted => self.quoted(&token),
                TokenKind::Wildcard => {
                    self.space_if(self.last != Last::Open);
                    self.verbatim(&token, Last::Value);
                }
                TokenKind::LBrace => {
                    self.space_if(self.last.spaces_word());
                    self.verbatim(&token, Last::Open);
                }
                TokenKind::RBrace => self.verbatim(&token, Last::Close),
                TokenKind::Other => self.verbatim(&token, Last::Open),
                TokenKind::HintStart => {
                    self.begin_hint();
                    continue;
                }
                TokenKind::HintEnd => {
                    self.end_hint();
                    continue;
                }
                TokenKind::Semicolon => {
                    self.end_statement();
                    continue;
                }
                TokenKind::End => {
                    self.end_statement();
                    if self.out.is_empty() && self.lexer.saw_comment() {
                        self.out.extend_from_slice(b"/**/");
                    }
                    return self.statements;
                }
            }
            (self.before, self.keyword) = if std::mem::take(&mut self.folded) {
                (TokenKind::Placeholder, Keyword::None)
            } else {
                (token.kind, token.keyword)
            };
        }
    }

    fn begin_statement(&mut self, token: &Token) {
        if std::mem::take(&mut self.divide) {
            self.out.push(b';');
            self.frame = Frame::new(FrameKind::Statement, self.out.len(), false);
        }
        self.statements += 1;
        self.first = Some(token.keyword);
        self.last = Last::Open;
        self.keyword = Keyword::None;
        self.before = TokenKind::Semicolon;
        self.naming = Naming::None;
    }

    fn end_statement(&mut self) {
        self.unwind(0);
        self.trim_cut_rows();
        if self.first.take().is_some() {
            self.divide = true;
        }
        self.pending = Pending::Nothing;
        self.hint = None;
    }

    /// Writes a space where `due`.
    #[inline]
    fn space_if(&mut self, due: bool) {
        if due {
            self.out.push(b' ');
        }
    }

    #[inline]
    fn end_byte(&self) -> u8 {
        self.out.last().copied().unwrap_or(0)
    }

    /// Writes a token as it stands; no constant holds it.
    fn verbatim(&mut self, token: &Token, last: Last) {
        self.out.extend_from_slice(&self.sql[token.start..token.end]);
        self.last = last;
        self.frame.take_other();
        self.frame.rows = Rows::None;
        self.naming = Naming::None;
    }

    /// Settles what the token before left open, now that the next one is known.
    fn settle(&mut self, next: &Token) {
        match std::mem::replace(&mut self.pending, Pending::Nothing) {
            Pending::Ordinal(at) => {
                let expression = matches!(
                    next.kind,
                    TokenKind::Operator | TokenKind::Dot | TokenKind::LParen | TokenKind::LBracket | TokenKind::LBrace
                ) || next.keyword == Keyword::Collate;
                if expression {
                    self.withdraw(at);
                }
            }
            Pending::Index(at) if next.kind == TokenKind::Dot => self.withdraw(at),
            Pending::Ambiguous(at) => {
                let operand = match next.kind {
                    TokenKind::Word => next.keyword.ends_operand() || next.keyword == Keyword::Case,
                    TokenKind::Quoted
                    | TokenKind::Number
                    | TokenKind::Text
                    | TokenKind::Cut
                    | TokenKind::Placeholder
                    | TokenKind::LParen => true,
                    // `?|`, `?&`, `?#`, `?-` and `??` are operators of one piece.
                    TokenKind::Operator => matches!(self.sql[next.start], b'|' | b'&' | b'#' | b'-' | b'?'),
                    _ => false,
                };
                if operand && self.out.len() == at + 1 {
                    self.out.truncate(at);
                    self.out.extend_from_slice(b"$1");
                }
            }
            Pending::Index(_) | Pending::Nothing => {}
        }
    }

    /// Writes `?` instead of the number that was kept at `at`.
    fn withdraw(&mut self, at: usize) {
        self.out.truncate(at);
        self.space_if(Last::Operator.spaces_constant(self.options.dialect, self.end_byte()));
        self.out.push(b'?');
    }
}
