//! Bytes to tokens.
