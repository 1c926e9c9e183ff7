//! Long lists of plain constants, passed over without a token for each.

use super::Lexer;
use sqlthrottle_cells::scan::{decimal_head, number_run};

/// Numbers in a row behind which more are looked for in blocks: a shorter list is read faster one by one.
const NUMBERS: u32 = 4;

impl Lexer<'_> {
    /// Passes over what continues a list of plain constants behind the last token, a constant: `, 1, 'x', -2.5`.
    ///
    /// Stops before the first comma behind which something else stands. Returns how many constants were passed over.
    pub(crate) fn skip_constants(&mut self) -> usize {
        let mut count = 0;
        let mut numbers = 0;
        loop {
            if numbers == NUMBERS {
                numbers = 0;
                let run = self.number_run_from(self.pos);
                count += memchr::memchr_iter(b',', &self.bytes[self.pos..run]).count();
                self.pos = run;
            }
            let comma = self.blanks_from(self.pos);
            if self.bytes.get(comma) != Some(&b',') {
                return count;
            }
            let constant = self.blanks_from(comma + 1);
            match self.plain_constant(constant) {
                Some(behind) => self.pos = behind,
                None => return count,
            }
            numbers = if self.bytes[constant].is_ascii_digit() { numbers + 1 } else { 0 };
            count += 1;
        }
    }

    /// The end of the numbers that are certain to continue the list, each with a comma or a closing parenthesis behind it.
    fn number_run_from(&self, from: usize) -> usize {
        let end = from + number_run(self.bytes, from);
        if matches!(self.bytes.get(self.blanks_from(end)), Some(b',' | b')')) {
            return end;
        }
        // The last number goes on as something else, `99 + 5`.
        memchr::memrchr(b',', &self.bytes[from..end]).map_or(from, |comma| {
            let digits = self.bytes[from..from + comma].iter().rposition(u8::is_ascii_digit);
            digits.map_or(from, |last| from + last + 1)
        })
    }

    /// Passes over rows of plain constants behind a row: `, (1, 'x'), (2, 'y')`. `width` is the number of constants of the row.
    pub(crate) fn skip_rows(&mut self, width: usize) {
        loop {
            let comma = self.blanks_from(self.pos);
            if self.bytes.get(comma) != Some(&b',') {
                return;
            }
            let paren = self.blanks_from(comma + 1);
            if self.bytes.get(paren) != Some(&b'(') {
                return;
            }
            let Some(behind) = self.plain_constant(self.blanks_from(paren + 1)) else {
                return;
            };
            let row = self.pos;
            self.pos = behind;
            let count = 1 + self.skip_constants();
            let close = self.blanks_from(self.pos);
            if count != width || self.bytes.get(close) != Some(&b')') {
                self.pos = row;
                return;
            }
            self.pos = close + 1;
        }
    }

    /// The end of NULL, TRUE or FALSE at `at`, which are constants within a list.
    fn null_end(&self, at: usize) -> Option<usize> {
        let rest = &self.bytes[at..];
        let is = |word: &[u8]| rest.get(..word.len()).is_some_and(|bytes| bytes.eq_ignore_ascii_case(word));
        [&b"null"[..], b"true", b"false"].into_iter().find(|word| is(word)).map(|word| at + word.len())
    }

    /// Where the comma or closing parenthesis stands that follows a plain constant at `at`: an unsigned or signed decimal
    /// number, an unprefixed string, NULL, TRUE or FALSE.
    #[inline]
    pub(super) fn plain_constant(&self, at: usize) -> Option<usize> {
        let end = match *self.bytes.get(at)? {
            b'\'' => self.plain_string_end(at)?,
            b'0'..=b'9' => self.decimal_end(at)?,
            b'-' | b'+' if self.peek(at + 1).is_ascii_digit() => self.decimal_end(at + 1)?,
            b'n' | b'N' | b't' | b'T' | b'f' | b'F' => self.null_end(at)?,
            _ => return None,
        };
        let behind = self.blanks_from(end);
        matches!(self.bytes.get(behind), Some(b',' | b')')).then_some(behind)
    }

    /// The end of the digits at `at`, with at most one dot among them.
    #[inline]
    fn decimal_end(&self, at: usize) -> Option<usize> {
        if let Some(head) = self.bytes.get(at..).and_then(<[u8]>::first_chunk) {
            let (len, dots) = decimal_head(head);
            if len < head.len() {
                return (dots <= 1).then_some(at + len);
            }
        }
        let end = self.digits_from(at);
        Some(if self.peek(end) == b'.' { self.digits_from(end + 1) } else { end })
    }
}
