//! Words the lexer knows.
