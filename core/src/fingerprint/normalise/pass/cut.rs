//! What is left open where a statement is cut off.

use super::Pass;
use crate::fingerprint::normalise::frame::{FrameKind, Rows};

impl Pass<'_> {
    /// Leaves the frames beyond the first `depth`, whose brackets never closed: what is cut off reads as its like.
    pub(super) fn unwind(&mut self, depth: usize) {
        self.beyond = 0;
        while self.outer.len() > depth {
            self.trim_cut_element();
            self.trim_cut_rows();
            let Some(outer) = self.outer.pop() else { return };
            let inner = std::mem::replace(&mut self.frame, outer);
            self.frame.take_closed(&inner);
            if inner.kind == FrameKind::ValuesRow {
                self.trim_cut_row();
            }
        }
    }

    /// Drops the last element of a list that is cut off where it may have been going to repeat the one before, and those
    /// before it of which the same could be said once it is gone.
    pub(super) fn trim_cut_element(&mut self) {
        let Some(partial) = self.out.get(self.frame.element..) else { return };
        let repeats = self.frame.constant_before.is_some_and(|before| self.out[before..].starts_with(partial));
        let divided = self.frame.commas > 0
            && matches!(self.frame.kind, FrameKind::List | FrameKind::Distinct | FrameKind::ValuesRow);
        if divided && (partial.is_empty() || repeats) {
            let from = self.frame.beginnings.unwrap_or(self.frame.element);
            self.out.truncate(from - 1);
            while self.end_byte() == b',' {
                self.out.truncate(self.out.len() - 1);
            }
        } else {
            self.end_element(false);
        }
    }

    /// Drops a comma behind the last row of VALUES.
    pub(super) fn trim_cut_rows(&mut self) {
        if let (Rows::Expected, Some((_, end))) = (self.frame.rows, self.frame.row_before) {
            self.out.truncate(end);
        }
    }

    /// Drops a row of VALUES that is cut off where it may have been going to repeat the one before.
    pub(super) fn trim_cut_row(&mut self) {
        if let Some(before) = self.frame.row_before
            && self.out[before.0..before.1].starts_with(&self.out[self.frame.row..])
        {
            self.out.truncate(before.1);
        }
        self.frame.rows = Rows::None;
    }
}
