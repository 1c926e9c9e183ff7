//! What a byte can begin.

/// What a byte can begin.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Class {
    Space,
    Word,
    Digit,
    SingleQuote,
    DoubleQuote,
    Backquote,
    LParen,
    RParen,
    LBracket,
    RBracket,
    LBrace,
    RBrace,
    Comma,
    Dot,
    Semicolon,
    Minus,
    Slash,
    Hash,
    Dollar,
    At,
    Colon,
    Question,
    Operator,
    /// An operator too, and the beginning of the end of a comment.
    Star,
    Other,
}

/// What each byte begins.
pub(crate) static CLASSES: [Class; 256] = classes();

const fn classes() -> [Class; 256] {
    let mut table = [Class::Other; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b' ' | b'\t' | b'\n' | b'\r' | 0x0B | 0x0C => Class::Space,
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | 0x80.. => Class::Word,
            b'0'..=b'9' => Class::Digit,
            b'\'' => Class::SingleQuote,
            b'"' => Class::DoubleQuote,
            b'`' => Class::Backquote,
            b'(' => Class::LParen,
            b')' => Class::RParen,
            b'[' => Class::LBracket,
            b']' => Class::RBracket,
            b'{' => Class::LBrace,
            b'}' => Class::RBrace,
            b',' => Class::Comma,
            b'.' => Class::Dot,
            b';' => Class::Semicolon,
            b'-' => Class::Minus,
            b'/' => Class::Slash,
            b'#' => Class::Hash,
            b'$' => Class::Dollar,
            b'@' => Class::At,
            b':' => Class::Colon,
            b'?' => Class::Question,
            b'*' => Class::Star,
            b'=' | b'<' | b'>' | b'+' | b'%' | b'!' | b'&' | b'|' | b'^' | b'~' => Class::Operator,
            _ => Class::Other,
        };
        byte += 1;
    }
    table
}
