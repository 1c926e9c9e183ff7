//! The lines of a log, in a buffer that is kept: bounded memory, no allocation for each line.

use std::io::{self, ErrorKind, Read};
use std::ops::Range;

/// Bytes asked of the input at a time.
const CHUNK: usize = 256 * 1024;

/// How a line ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// At a line feed, or at the end of an input that was read to its end.
    Whole,
    /// It is longer than the limit; the rest of it was skipped.
    TooLong,
    /// The input failed before its end was seen.
    CutOff,
}

/// Cuts an input into lines, with one line of push-back.
pub(super) struct Lines {
    input: Box<dyn Read + Send>,
    buffer: Vec<u8>,
    /// What was read and not yet given out.
    unread: Range<usize>,
    line: Range<usize>,
    ending: Ending,
    number: u64,
    held: bool,
    exhausted: bool,
    fault: Option<io::Error>,
    longest: usize,
}

impl Lines {
    /// The lines of an input; of a line longer than `longest` bytes only the beginning is kept.
    pub(super) fn new(input: Box<dyn Read + Send>, longest: usize) -> Self {
        Self {
            input,
            buffer: vec![0; CHUNK],
            unread: 0..0,
            line: 0..0,
            ending: Ending::Whole,
            number: 0,
            held: false,
            exhausted: false,
            fault: None,
            longest,
        }
    }

    /// Goes to the next line; false at the end of the input, or where it failed.
    #[inline]
    pub(super) fn advance(&mut self) -> bool {
        if self.held {
            self.held = false;
            return true;
        }
        if let Some(len) = memchr::memchr(b'\n', &self.buffer[self.unread.clone()]) {
            self.give(len, 1, Ending::Whole);
            return true;
        }
        self.advance_slowly()
    }

    fn advance_slowly(&mut self) -> bool {
        let mut searched = self.unread.len();
        loop {
            if searched > self.longest {
                self.give(searched, 0, Ending::TooLong);
                self.skip_line();
                return true;
            }
            if !self.fill() {
                if self.unread.is_empty() {
                    return false;
                }
                let ending = if self.fault.is_some() { Ending::CutOff } else { Ending::Whole };
                self.give(self.unread.len(), 0, ending);
                return true;
            }
            if let Some(at) = memchr::memchr(b'\n', &self.buffer[self.unread.clone()][searched..]) {
                self.give(searched + at, 1, Ending::Whole);
                return true;
            }
            searched = self.unread.len();
        }
    }

    fn give(&mut self, len: usize, newline: usize, ending: Ending) {
        let start = self.unread.start;
        let kept = len.min(self.longest);
        self.line = start..start + kept;
        self.unread.start = start + len + newline;
        self.ending = if kept < len { Ending::TooLong } else { ending };
        self.number += 1;
    }

    /// Drops what is left of an over-long line. What is kept of it stays where it is.
    fn skip_line(&mut self) {
        let keep = self.line.end;
        loop {
            if let Some(at) = memchr::memchr(b'\n', &self.buffer[self.unread.clone()]) {
                self.unread.start += at + 1;
                return;
            }
            self.unread = keep..keep;
            if self.buffer.len() - keep < CHUNK {
                self.buffer.resize(keep + CHUNK, 0);
            }
            if !self.read_into(keep) {
                return;
            }
        }
    }

    /// Reads more behind what is unread; false at the end of the input.
    pub(super) fn fill(&mut self) -> bool {
        if self.unread.start > 0 {
            self.buffer.copy_within(self.unread.clone(), 0);
            self.unread = 0..self.unread.len();
        }
        if self.unread.end == self.buffer.len() {
            self.buffer.resize(self.buffer.len() * 2, 0);
        }
        self.read_into(self.unread.end)
    }

    fn read_into(&mut self, at: usize) -> bool {
        while !self.exhausted {
            match self.input.read(&mut self.buffer[at..]) {
                Ok(0) => self.exhausted = true,
                Ok(read) => {
                    self.unread.end = at + read;
                    return true;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    self.fault = Some(error);
                    self.exhausted = true;
                }
            }
        }
        false
    }

    /// What has been read and not given out.
    pub(super) fn unread(&self) -> &[u8] {
        &self.buffer[self.unread.clone()]
    }

    /// Gives the current line out again at the next [`advance`](Self::advance).
    pub(super) fn hold(&mut self) {
        self.held = true;
    }

    /// The current line, without its line feed and a carriage return before it.
    #[inline]
    pub(super) fn bytes(&self) -> &[u8] {
        let line = &self.buffer[self.line.clone()];
        line.strip_suffix(b"\r").unwrap_or(line)
    }

    /// How the current line ends.
    pub(super) fn ending(&self) -> Ending {
        self.ending
    }

    /// The number of the current line, from 1.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// What stopped the input before its end.
    pub(super) fn fault(&self) -> Option<&io::Error> {
        self.fault.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives out at most `step` bytes a read, then fails or ends.
    struct Drip {
        bytes: Vec<u8>,
        at: usize,
        step: usize,
        fails: bool,
    }

    impl Read for Drip {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let len = self.step.min(into.len()).min(self.bytes.len() - self.at);
            if len == 0 && self.fails {
                return Err(io::Error::new(ErrorKind::UnexpectedEof, "cut"));
            }
            into[..len].copy_from_slice(&self.bytes[self.at..self.at + len]);
            self.at += len;
            Ok(len)
        }
    }

    fn lines(text: &str, step: usize, fails: bool, longest: usize) -> (Vec<(u64, String, Ending)>, bool) {
        let mut lines = Lines::new(Box::new(Drip { bytes: text.into(), at: 0, step, fails }), longest);
        let mut all = Vec::new();
        while lines.advance() {
            all.push((lines.number(), String::from_utf8_lossy(lines.bytes()).into_owned(), lines.ending()));
        }
        (all, lines.fault().is_some())
    }

    fn line(number: u64, text: &str, ending: Ending) -> (u64, String, Ending) {
        (number, text.to_owned(), ending)
    }

    #[test]
    fn lines_do_not_depend_on_how_the_input_is_divided() {
        for step in [1, 2, 3, 1000] {
            let (all, failed) = lines("one\r\n\ntwo\nlast", step, false, 100);
            assert!(!failed);
            assert_eq!(
                all,
                [
                    line(1, "one", Ending::Whole),
                    line(2, "", Ending::Whole),
                    line(3, "two", Ending::Whole),
                    line(4, "last", Ending::Whole)
                ]
            );
        }
    }

    #[test]
    fn a_failing_input_cuts_off_only_the_line_it_fails_in() {
        let (all, failed) = lines("one\ntw", 3, true, 100);
        assert!(failed);
        assert_eq!(all, [line(1, "one", Ending::Whole), line(2, "tw", Ending::CutOff)]);
        let (all, failed) = lines("one\n", 3, true, 100);
        assert!(failed);
        assert_eq!(all, [line(1, "one", Ending::Whole)]);
    }

    #[test]
    fn an_over_long_line_keeps_its_beginning_and_costs_one_line() {
        for step in [1, 7, 1000] {
            let (all, _) = lines("0123456789abcdef\nnext\n0123456789", step, false, 8);
            assert_eq!(
                all,
                [
                    line(1, "01234567", Ending::TooLong),
                    line(2, "next", Ending::Whole),
                    line(3, "01234567", Ending::TooLong)
                ],
                "step {step}"
            );
        }
    }

    #[test]
    fn an_endless_line_does_not_grow_the_buffer() {
        let endless = Lines::new(Box::new(io::repeat(b'x').take(64 << 20)), 1 << 20);
        let mut endless = endless;
        assert!(endless.advance());
        assert_eq!(endless.ending(), Ending::TooLong);
        assert!(endless.buffer.len() <= 4 << 20);
        assert!(!endless.advance());
    }

    #[test]
    fn a_line_held_is_given_out_again() {
        let mut lines = Lines::new(Box::new(&b"one\ntwo\n"[..]), 100);
        assert!(lines.advance());
        lines.hold();
        assert!(lines.advance());
        assert_eq!((lines.bytes(), lines.number()), (&b"one"[..], 1));
        assert!(lines.advance());
        assert_eq!((lines.bytes(), lines.number()), (&b"two"[..], 2));
    }
}
