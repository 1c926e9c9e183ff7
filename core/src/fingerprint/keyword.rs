//! The words that steer the normaliser, found by one look-up in a table that is built at compile time.

/// A space stands between this word and `(`, and no value ends with it: a sign behind it belongs to a number.
const RESERVED: u8 = 1;
/// A value may end with this word, so that an operator behind it is a binary one.
const OPERAND: u8 = 2;
/// Ends the ORDER BY, GROUP BY or FROM list it stands behind.
const CLAUSE: u8 = 4;
/// Names a type: `date '2020-01-01'`, `convert(a, char(10))`.
const TYPE: u8 = 8;
/// Changes how the words behind it are read, besides what the other flags say.
const STEERS: u8 = 16;

macro_rules! keywords {
    ($($name:ident $text:literal $flags:expr;)*) => {
        /// A word with a meaning to the normaliser; every other word is [`Keyword::None`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub(crate) enum Keyword {
            /// Any other word: a name, or a keyword that changes nothing here.
            None,
            $(#[allow(missing_docs)] $name,)*
        }

        const WORDS: &[(&str, Keyword)] = &[$(($text, Keyword::$name),)*];
        const FLAGS: [u8; WORDS.len() + 1] = [OPERAND, $($flags,)*];
    };
}

keywords! {
    All "all" RESERVED;
    And "and" RESERVED;
    Any "any" RESERVED;
    Array "array" OPERAND;
    As "as" RESERVED;
    At "at" RESERVED;
    Between "between" RESERVED;
    By "by" RESERVED;
    Case "case" RESERVED;
    Cast "cast" OPERAND;
    Check "check" RESERVED;
    Close "close" 0;
    Collate "collate" RESERVED;
    Convert "convert" OPERAND;
    Cross "cross" RESERVED | CLAUSE;
    Current "current" OPERAND;
    Cursor "cursor" OPERAND;
    Deallocate "deallocate" 0;
    Declare "declare" 0;
    Default "default" 0;
    Delete "delete" RESERVED;
    Distinct "distinct" RESERVED;
    Div "div" RESERVED;
    Else "else" RESERVED;
    End "end" OPERAND;
    Escape "escape" RESERVED;
    Except "except" RESERVED | CLAUSE;
    Exists "exists" RESERVED;
    False "false" OPERAND;
    Fetch "fetch" CLAUSE;
    Field "field" OPERAND;
    Filter "filter" RESERVED;
    First "first" 0;
    For "for" RESERVED | CLAUSE;
    Foreign "foreign" RESERVED;
    From "from" RESERVED | CLAUSE;
    Full "full" 0;
    Group "group" RESERVED | CLAUSE;
    Groups "groups" CLAUSE;
    Having "having" RESERVED | CLAUSE;
    Ilike "ilike" RESERVED;
    In "in" RESERVED;
    Inner "inner" RESERVED | CLAUSE;
    Insert "insert" OPERAND;
    Intersect "intersect" RESERVED | CLAUSE;
    Interval "interval" RESERVED | TYPE;
    Into "into" RESERVED | CLAUSE;
    Is "is" RESERVED;
    Join "join" RESERVED | CLAUSE;
    Key "key" RESERVED;
    Lateral "lateral" RESERVED;
    Left "left" OPERAND;
    Like "like" RESERVED;
    Limit "limit" RESERVED | CLAUSE;
    Materialized "materialized" RESERVED;
    Merge "merge" OPERAND;
    Minus "minus" RESERVED | CLAUSE;
    Move "move" 0;
    Natural "natural" RESERVED | CLAUSE;
    Next "next" 0;
    Not "not" RESERVED;
    Null "null" OPERAND;
    Of "of" RESERVED | STEERS;
    Offset "offset" RESERVED | CLAUSE;
    On "on" RESERVED | CLAUSE;
    Only "only" RESERVED;
    Open "open" 0;
    Or "or" RESERVED;
    Order "order" RESERVED | CLAUSE;
    Outer "outer" RESERVED;
    Over "over" RESERVED;
    Partition "partition" RESERVED | CLAUSE;
    Primary "primary" RESERVED;
    Range "range" CLAUSE;
    Recursive "recursive" RESERVED;
    References "references" RESERVED;
    Regexp "regexp" RESERVED;
    Release "release" 0;
    Replace "replace" OPERAND;
    Returning "returning" RESERVED | CLAUSE;
    Right "right" OPERAND;
    Rlike "rlike" RESERVED;
    Rollback "rollback" 0;
    Row "row" OPERAND;
    Rows "rows" CLAUSE;
    SafeCast "safe_cast" OPERAND;
    Save "save" 0;
    Savepoint "savepoint" 0;
    Select "select" RESERVED | CLAUSE;
    Separator "separator" RESERVED | CLAUSE;
    Set "set" RESERVED | CLAUSE;
    Similar "similar" RESERVED;
    Some "some" RESERVED;
    Table "table" RESERVED;
    Then "then" RESERVED;
    To "to" RESERVED;
    Top "top" RESERVED;
    Truncate "truncate" OPERAND;
    Tran "tran" 0;
    Transaction "transaction" 0;
    True "true" OPERAND;
    TryCast "try_cast" OPERAND;
    TryConvert "try_convert" OPERAND;
    Uescape "uescape" RESERVED;
    Union "union" RESERVED | CLAUSE;
    Unique "unique" RESERVED;
    Update "update" RESERVED;
    Using "using" RESERVED | CLAUSE;
    Value "value" OPERAND | STEERS;
    Values "values" RESERVED | CLAUSE | STEERS;
    When "when" RESERVED;
    Where "where" RESERVED | CLAUSE;
    Window "window" RESERVED | CLAUSE;
    With "with" RESERVED | CLAUSE;
    Within "within" RESERVED;
    Work "work" 0;
    Xor "xor" RESERVED;

    Binary "binary" OPERAND | TYPE;
    Bit "bit" OPERAND | TYPE;
    Box "box" OPERAND | TYPE;
    Bytea "bytea" OPERAND | TYPE;
    Char "char" OPERAND | TYPE;
    Character "character" OPERAND | TYPE;
    Cidr "cidr" OPERAND | TYPE;
    Circle "circle" OPERAND | TYPE;
    Date "date" OPERAND | TYPE;
    Datetime "datetime" OPERAND | TYPE;
    Datetime2 "datetime2" OPERAND | TYPE;
    DatetimeOffset "datetimeoffset" OPERAND | TYPE;
    Decimal "decimal" OPERAND | TYPE;
    Float "float" OPERAND | TYPE;
    Inet "inet" OPERAND | TYPE;
    Json "json" OPERAND | TYPE;
    Jsonb "jsonb" OPERAND | TYPE;
    Line "line" OPERAND | TYPE;
    Nchar "nchar" OPERAND | TYPE;
    Numeric "numeric" OPERAND | TYPE;
    Nvarchar "nvarchar" OPERAND | TYPE;
    Path "path" OPERAND | TYPE;
    Point "point" OPERAND | TYPE;
    Polygon "polygon" OPERAND | TYPE;
    Regclass "regclass" OPERAND | TYPE;
    Text "text" OPERAND | TYPE;
    Time "time" OPERAND | TYPE;
    Timestamp "timestamp" OPERAND | TYPE;
    Timestamptz "timestamptz" OPERAND | TYPE;
    Timetz "timetz" OPERAND | TYPE;
    Uuid "uuid" OPERAND | TYPE;
    Varbinary "varbinary" OPERAND | TYPE;
    Varchar "varchar" OPERAND | TYPE;
    Xml "xml" OPERAND | TYPE;
}

/// Slots of the table: a power of two with so much room that a perfect hash is soon found.
const SLOTS: usize = 2048;
static TABLE: Table = Table::new();

/// Every keyword in the slot that its hash says, no two in one: a *perfect* hash, so that a word is looked up by one
/// multiplication and one comparison. The compiler finds the multiplier. (Fredman, Komlós and Szemerédi, Storing a Sparse
/// Table with O(1) Worst Case Access Time, 1984, show that one is to be found where there are slots enough.)
struct Table {
    multiplier: u64,
    folded: [u64; SLOTS],
    keywords: [Keyword; SLOTS],
    /// How each keyword is spelt.
    spelt: [Spelling; WORDS.len() + 1],
}

impl Table {
    const fn new() -> Self {
        // 2^64 divided by the golden ratio; and its powers, all of them odd.
        const SEED: u64 = 0x9E37_79B9_7F4A_7C15;
        let mut multiplier = SEED;
        loop {
            if let Some(table) = Self::with_multiplier(multiplier) {
                return table;
            }
            multiplier = multiplier.wrapping_mul(SEED);
        }
    }

    const fn with_multiplier(multiplier: u64) -> Option<Self> {
        let nothing = Spelling { high: 0, low: 0 };
        let mut table = Self {
            multiplier,
            folded: [0; SLOTS],
            keywords: [Keyword::None; SLOTS],
            spelt: [nothing; WORDS.len() + 1],
        };
        let mut i = 0;
        while i < WORDS.len() {
            let (text, keyword) = WORDS[i];
            let mut lower = 0;
            let mut at = text.len();
            while at > 0 {
                at -= 1;
                lower = lower << 8 | text.as_bytes()[at] as u128;
            }
            let spelling = Spelling::of(lower, text.len());
            let slot = table.slot(spelling);
            if table.folded[slot] != 0 {
                return None;
            }
            table.folded[slot] = spelling.folded();
            table.keywords[slot] = keyword;
            table.spelt[keyword as usize] = spelling;
            i += 1;
        }
        Some(table)
    }

    #[inline]
    const fn slot(&self, spelling: Spelling) -> usize {
        (spelling.folded().wrapping_mul(self.multiplier) >> (u64::BITS - SLOTS.trailing_zeros())) as usize
    }

    #[inline]
    const fn find(&self, spelling: Spelling) -> Keyword {
        let slot = self.slot(spelling);
        // Most words are no keywords, and most of those are told by this.
        if self.folded[slot] != spelling.folded() {
            return Keyword::None;
        }
        let keyword = self.keywords[slot];
        let spelt = self.spelt[keyword as usize];
        if spelt.high == spelling.high && spelt.low == spelling.low { keyword } else { Keyword::None }
    }
}

/// The bytes of a word of up to sixteen, and nothing else: moved to the top, so that those behind it are gone. Words of
/// different lengths differ in it, because no byte of a word is zero.
#[derive(Clone, Copy)]
struct Spelling {
    high: u64,
    low: u64,
}

impl Spelling {
    /// Of the first `len` of sixteen bytes, the first one lowest; `len` is 1 to 16.
    #[inline]
    const fn of(lower: u128, len: usize) -> Self {
        if len <= 8 {
            return Self { high: (lower as u64).wrapping_shl(64 - 8 * len as u32), low: 0 };
        }
        let moved = lower.wrapping_shl(128 - 8 * len as u32);
        Self { high: (moved >> 64) as u64, low: moved as u64 }
    }

    #[inline]
    const fn folded(self) -> u64 {
        self.high ^ self.low
    }
}

/// The first sixteen bytes of a word in lower case, the first one lowest: what [`Keyword::of`] takes.
pub(crate) fn lower_bytes(word: &[u8]) -> u128 {
    word.iter().take(16).rev().fold(0, |lower, byte| lower << 8 | u128::from(byte.to_ascii_lowercase()))
}

impl Keyword {
    /// The keyword that the first `len` of sixteen lower-case bytes spell, the first one lowest; `len` is 1 to 16.
    #[inline]
    pub(crate) const fn of(lower: u128, len: usize) -> Self {
        TABLE.find(Spelling::of(lower, len))
    }

    /// The keyword that a word spells, in whatever case.
    pub(crate) fn of_word(word: &[u8]) -> Self {
        if (1..=16).contains(&word.len()) { Self::of(lower_bytes(word), word.len()) } else { Self::None }
    }

    #[inline]
    const fn has(self, flag: u8) -> bool {
        FLAGS[self as usize] & flag != 0
    }

    /// Whether a space stands between this word and `(`.
    #[inline]
    pub(crate) const fn is_reserved(self) -> bool {
        self.has(RESERVED)
    }

    /// Whether a value may end with this word.
    #[inline]
    pub(crate) const fn ends_operand(self) -> bool {
        self.has(OPERAND)
    }

    /// Whether this word ends an ORDER BY, GROUP BY or FROM list.
    #[inline]
    pub(crate) const fn ends_clause(self) -> bool {
        self.has(CLAUSE)
    }

    /// Whether what follows this word is read in another way for its sake.
    #[inline]
    pub(crate) const fn steers(self) -> bool {
        self.has(STEERS)
    }

    /// Whether this word names a type.
    #[inline]
    pub(crate) const fn is_type(self) -> bool {
        self.has(TYPE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Keyword {
        let mut padded = *b"################";
        padded[..text.len()].copy_from_slice(text.as_bytes());
        Keyword::of(u128::from_le_bytes(padded), text.len())
    }

    #[test]
    fn every_word_is_found_and_no_other() {
        for &(text, keyword) in WORDS {
            assert_eq!(of(text), keyword, "{text}");
            assert_eq!(of(&format!("{text}x")), Keyword::None, "{text}x");
        }
        assert_eq!(Keyword::of_word(b""), Keyword::None);
        assert_eq!(Keyword::of_word(b"materialized_views"), Keyword::None);
        assert_eq!(of("abcdefgh"), Keyword::None);
        assert_eq!(of("materialize"), Keyword::None);
    }

    #[test]
    fn a_word_that_folds_like_a_keyword_is_not_that_keyword() {
        let Spelling { high, low } = TABLE.spelt[Keyword::Materialized as usize];
        let alike = (high ^ low).to_le_bytes();
        assert_eq!(Keyword::of(u128::from(u64::from_le_bytes(alike)), 8), Keyword::None);
    }
}
