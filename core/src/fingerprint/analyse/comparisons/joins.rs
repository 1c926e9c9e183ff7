//! Which rows a join keeps whatever its condition says of them.

/// The side of a join whose rows stay whatever the condition says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kept {
    Neither,
    Left,
    Right,
    /// Of a full join; and of one whose side is not certain.
    Both,
}

/// The joins of one FROM, as far as they have been read.
#[derive(Clone, Debug)]
pub(super) struct Joins {
    /// What stands before the next JOIN.
    side: Kept,
    /// Behind CROSS or NATURAL, whose JOIN has no condition.
    complete: bool,
    /// Joins whose ON is still to come.
    waiting: usize,
    /// More than one has waited: which ON belongs to which is for the grammar to say.
    nested: bool,
    /// And one of them is an outer join.
    outer: bool,
    /// What the last join keeps, and the source it joins; none for joins in parentheses.
    kept: Kept,
    pub(super) joined: Option<usize>,
}

impl Joins {
    pub(super) const NONE: Self = Self {
        side: Kept::Neither,
        complete: false,
        waiting: 0,
        nested: false,
        outer: false,
        kept: Kept::Neither,
        joined: None,
    };

    /// A word before JOIN. Returns whether it is one.
    pub(super) fn word(&mut self, word: &[u8]) -> bool {
        match word {
            b"left" => self.side = Kept::Left,
            b"right" => self.side = Kept::Right,
            b"full" | b"anti" => self.side = Kept::Both,
            b"cross" | b"natural" => self.complete = true,
            b"inner" | b"outer" => {}
            _ => return false,
        }
        true
    }

    /// JOIN itself, or APPLY, whose `source` is the next one.
    pub(super) fn begin(&mut self, source: usize, has_condition: bool) {
        self.kept = std::mem::replace(&mut self.side, Kept::Neither);
        self.joined = Some(source);
        if std::mem::take(&mut self.complete) || !has_condition {
            return;
        }
        self.waiting += 1;
        self.nested |= self.waiting > 1;
        self.outer |= self.kept != Kept::Neither;
    }

    /// Whether a join waits for its ON or USING.
    pub(super) const fn waits(&self) -> bool {
        self.waiting > 0
    }

    /// ON or USING: what the rows of the join it belongs to make of its condition.
    pub(super) fn condition(&mut self) -> (Kept, Option<usize>) {
        let kept = match (self.nested, self.outer) {
            (false, _) => self.kept,
            (true, false) => Kept::Neither,
            (true, true) => Kept::Both,
        };
        self.waiting = self.waiting.saturating_sub(1);
        if self.waiting == 0 {
            self.nested = false;
            self.outer = false;
        }
        (kept, self.joined)
    }
}
