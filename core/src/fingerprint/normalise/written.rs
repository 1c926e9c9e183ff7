//! The text that is being written.

use std::ops::{Deref, DerefMut};

/// The text written so far, in a buffer that stands ready behind it.
///
/// A `Vec` moves its length through memory with every byte. Here the buffer is made beforehand, so a loop keeps its place
/// in a register, writes a word as sixteen bytes whatever its length, and says once, at its end, how far it came.
#[derive(Debug, Default)]
pub(super) struct Written {
    /// Never shorter than what is written; behind that, what was left of earlier texts.
    buffer: Vec<u8>,
    len: usize,
}

impl Written {
    /// Forgets the text, and makes room for one of `bytes`. A buffer of more than `most` is given back first.
    pub(super) fn begin(&mut self, bytes: usize, most: usize) {
        self.len = 0;
        if self.buffer.len() > most {
            self.buffer = Vec::new();
        }
        if self.buffer.len() < bytes {
            self.grow_to(bytes);
        }
    }

    /// Writes a byte.
    #[inline]
    pub(super) fn push(&mut self, byte: u8) {
        if self.len == self.buffer.len() {
            self.grow_to(self.len + 1);
        }
        self.buffer[self.len] = byte;
        self.len += 1;
    }

    /// Writes bytes.
    #[inline]
    pub(super) fn extend_from_slice(&mut self, bytes: &[u8]) {
        let end = self.len + bytes.len();
        if end > self.buffer.len() {
            self.grow_to(end);
        }
        self.buffer[self.len..end].copy_from_slice(bytes);
        self.len = end;
    }

    /// Takes back what was written behind the first `len` bytes.
    #[inline]
    pub(super) fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    /// Writes one byte in place of those from `start` to `end`.
    pub(super) fn replace(&mut self, start: usize, end: usize, byte: u8) {
        self.buffer[start] = byte;
        self.buffer.copy_within(end..self.len, start + 1);
        self.len -= end - start - 1;
    }

    /// The whole buffer, with what is written at its beginning. What a loop writes into it counts once it is
    /// [`accept`](Self::accept)ed.
    #[inline]
    pub(super) fn buffer(&mut self) -> &mut [u8] {
        &mut self.buffer
    }

    /// Takes the first `len` bytes of the buffer as what is written.
    #[inline]
    pub(super) fn accept(&mut self, len: usize) {
        self.len = len.min(self.buffer.len());
    }

    /// At least doubles the buffer, so that writing takes linear time.
    #[cold]
    fn grow_to(&mut self, bytes: usize) {
        self.buffer.resize(bytes.max(self.buffer.len() * 2), 0);
    }
}

impl Deref for Written {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        &self.buffer[..self.len]
    }
}

impl DerefMut for Written {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.buffer[..self.len]
    }
}
