//! An open bracket, the element of it that is being written, and what is known of both.

use crate::fingerprint::keyword::Keyword;

/// What an open bracket holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FrameKind {
    /// The statement itself.
    Statement,
    /// Elements whose runs of equal constants are written once: IN, ARRAY, a row.
    List,
    /// Elements whose duplicates are dropped (`in_lists: distinct`).
    Distinct,
    /// A row of VALUES.
    ValuesRow,
    /// Arguments, columns, or a type's lengths in a definition: the number of elements is shape.
    Call,
    /// Arguments of CAST: a type follows AS.
    Cast,
    /// Arguments of CONVERT: one of them may be a type.
    Convert,
    /// The lengths of a type, which are shape.
    Type,
    /// A subscript, `a[1]` or `int[]`.
    Subscript,
}

/// The list that commas divide at the level of a frame, outside its brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Clause {
    /// None that matters.
    Other,
    /// ORDER BY or GROUP BY: a bare integer is an ordinal.
    By,
    /// Tables.
    From,
    /// What is selected: a string behind AS is an alias.
    Select,
}

/// Where the rows of VALUES stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rows {
    /// There are none.
    None,
    /// VALUES or a comma is written: a row may follow.
    Expected,
    /// A row is written: a comma may follow.
    Behind,
}

/// An open bracket. Positions are those of the written text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) kind: FrameKind,
    pub(super) clause: Clause,
    /// Whether elements are being judged as constants: this frame folds them, or one around it does.
    pub(super) judged: bool,
    /// Whether the next name is a table's.
    pub(super) table_due: bool,
    /// Whether a `]` closes it, and whether it is an ARRAY's.
    pub(super) bracket: bool,
    pub(super) is_array: bool,

    /// Where the current element begins.
    pub(super) element: usize,
    /// Where the element before it begins, if that one is constant.
    pub(super) constant_before: Option<usize>,
    /// Whether one element in the brackets may be a mere expression, not a list: `and (true)`.
    pub(super) groups: bool,
    /// Where the last elements begin of which each reads like the beginning of the one before it. Where the list is cut off
    /// behind them, they cannot be told from elements that are cut off themselves.
    pub(super) beginnings: Option<usize>,
    /// Elements begun before the current one.
    pub(super) commas: usize,

    /// Tokens of the current element.
    tokens: u32,
    /// Constants among them.
    constants: u32,
    /// Whether all its tokens so far can belong to a constant.
    constant: bool,
    /// Whether it begins with NULL, TRUE or FALSE and holds nothing else yet.
    nullish: bool,
    /// Whether it ends in a name that must turn out to be a function's or a type's.
    name_open: bool,
    /// Whether words in it belong to a type, behind `::` or CAST's AS.
    pub(super) typed: bool,
    /// Whether words in it are units, behind INTERVAL.
    units: bool,

    /// Whether all elements so far are constants, and each a single one.
    all_constant: bool,
    pub(super) all_plain: bool,

    /// The rows of VALUES at this level.
    pub(super) rows: Rows,
    /// Where the current row begins.
    pub(super) row: usize,
    /// The row before, if any.
    pub(super) row_before: Option<(usize, usize)>,

    /// The list's name and the current element's first token, in [`Distinct`](super::distinct::Distinct).
    pub(super) list: u64,
    pub(super) mark: usize,
}

impl Frame {
    pub(super) const fn new(kind: FrameKind, element: usize, judged: bool) -> Self {
        Self {
            kind,
            clause: Clause::Other,
            judged: judged || matches!(kind, FrameKind::List | FrameKind::Distinct | FrameKind::ValuesRow),
            table_due: false,
            bracket: false,
            is_array: false,
            element,
            constant_before: None,
            groups: false,
            beginnings: None,
            commas: 0,
            tokens: 0,
            constants: 0,
            constant: true,
            nullish: false,
            name_open: false,
            typed: false,
            units: false,
            all_constant: true,
            all_plain: true,
            rows: Rows::None,
            row: 0,
            row_before: None,
            list: 0,
            mark: 0,
        }
    }

    /// Takes what a keyword says of types: whether the words behind it belong to one.
    pub(super) fn take_type_keyword(&mut self, keyword: Keyword) {
        match keyword {
            Keyword::As => self.typed = self.kind == FrameKind::Cast,
            // `timestamp with time zone`
            Keyword::With if self.typed => {}
            _ if keyword.is_reserved() => self.typed = false,
            _ => {}
        }
    }

    /// Takes a word into the current element.
    pub(super) fn take_word(&mut self, keyword: Keyword, after_dot: bool) {
        let first = self.tokens == 0;
        self.tokens += 1;
        self.end_nullish();
        match keyword {
            Keyword::Null | Keyword::True | Keyword::False if first => self.nullish = true,
            Keyword::Interval => self.units = true,
            _ if self.typed || self.units => self.constant &= self.typed || !keyword.is_reserved(),
            _ if keyword.is_reserved() => self.constant = false,
            _ => {
                if self.name_open && !after_dot {
                    self.constant = false;
                }
                self.name_open = true;
            }
        }
    }

    /// Takes a constant or placeholder into the current element.
    pub(super) fn take_constant(&mut self) {
        self.tokens += 1;
        self.constants += 1;
        self.end_nullish();
        // `date '2020-01-01'`: the name was a type's.
        self.name_open = false;
    }

    /// Takes an operator into the current element.
    pub(super) fn take_operator(&mut self) {
        self.tokens += 1;
        self.end_nullish();
        if self.name_open {
            self.constant = false;
        }
    }

    /// Takes a dot: the name goes on.
    pub(super) fn take_dot(&mut self) {
        self.tokens += 1;
        self.end_nullish();
    }

    /// Takes an opening bracket: the name before it is a function's.
    pub(super) fn take_open(&mut self) {
        self.tokens += 1;
        self.end_nullish();
        self.name_open = false;
    }

    /// Takes what a bracket within the current element turned out to hold.
    pub(super) fn take_closed(&mut self, inner: &Self) {
        self.constant &= inner.all_constant;
        self.constants += u32::from(inner.all_constant);
    }

    /// Takes a token that no constant holds.
    pub(super) fn take_other(&mut self) {
        self.tokens += 1;
        self.constant = false;
    }

    fn end_nullish(&mut self) {
        if self.nullish {
            self.nullish = false;
            self.constant = false;
        }
    }

    /// Whether the current element is NULL, TRUE or FALSE and nothing else, so that it may be a constant of a list.
    pub(super) const fn is_nullish(&self) -> bool {
        self.nullish
    }

    /// Says that NULL, TRUE or FALSE at the start of the element is a constant.
    pub(super) fn settle_nullish(&mut self) {
        self.nullish = false;
        self.constants += 1;
    }

    /// Whether the current element is one plain constant.
    #[inline]
    pub(super) const fn is_plain_constant(&self) -> bool {
        self.tokens == 1 && self.constants == 1
    }

    /// Whether the current element, now complete, is built of constants alone.
    pub(super) const fn is_constant(&self) -> bool {
        self.constant && self.constants > 0 && !self.name_open
    }

    /// Ends the current element.
    pub(super) fn close_element(&mut self) {
        self.all_constant &= self.is_constant();
        self.all_plain &= self.is_plain_constant();
        self.tokens = 0;
        self.constants = 0;
        self.constant = true;
        self.nullish = false;
        self.name_open = false;
        self.units = false;
    }
}
