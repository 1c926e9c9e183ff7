//! The words that steer the normaliser, found by one look-up in a table that is built at compile time.

/// A space stands between this word and `(`, and no value ends with it: a sign behind it belongs to a number.
const RESERVED: u8 = 1;
/// A value may end with this word, so that an operator behind it is a binary one.
const OPERAND: u8 = 2;
/// Ends the ORDER BY, GROUP BY or FROM list it stands behind.
const CLAUSE: u8 = 4;
/// Names a type: `date '2020-01-01'`, `convert(a, char(10))`.
const TYPE: u8 = 8;

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
    Of "of" RESERVED;
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
    Value "value" OPERAND;
    Values "values" RESERVED | CLAUSE;
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

/// Slots of the table: a power of two, four times the words, so that a look-up rarely probes twice.
const SLOTS: usize = 512;
static TABLE: [Slot; SLOTS] = build();

#[derive(Clone, Copy)]
struct Slot {
    /// The word, padded with zeros: sixteen bytes tell it apart from any other.
    low: u64,
    high: u64,
    keyword: Keyword,
}

const EMPTY: Slot = Slot { low: 0, high: 0, keyword: Keyword::None };

const fn build() -> [Slot; SLOTS] {
    let mut table = [EMPTY; SLOTS];
    let mut i = 0;
    while i < WORDS.len() {
        let (text, keyword) = WORDS[i];
        let text = text.as_bytes();
        let mut padded = [0; 16];
        let mut at = 0;
        while at < text.len() {
            padded[at] = text[at];
            at += 1;
        }
        let (low, high) = halves(u128::from_le_bytes(padded));
        let mut slot = home(low, high);
        while !matches!(table[slot].keyword, Keyword::None) {
            slot = (slot + 1) % SLOTS;
        }
        table[slot] = Slot { low, high, keyword };
        i += 1;
    }
    table
}

/// What keeps the first bytes of sixteen, by how many they are.
static MASKS: [u128; 17] = masks();

const fn masks() -> [u128; 17] {
    let mut masks = [0; 17];
    let mut len = 1;
    while len <= 16 {
        masks[len] = u128::MAX >> (128 - 8 * len);
        len += 1;
    }
    masks
}

/// The lower and the upper eight bytes.
const fn halves(bytes: u128) -> (u64, u64) {
    (bytes as u64, (bytes >> 64) as u64)
}

/// The first sixteen bytes of a word in lower case, the first one lowest: what [`Keyword::of`] takes.
pub(crate) fn lower_bytes(word: &[u8]) -> u128 {
    word.iter().take(16).rev().fold(0, |lower, byte| lower << 8 | u128::from(byte.to_ascii_lowercase()))
}

/// Multiplicative hashing (Knuth, The Art of Computer Programming, 6.4), with 2^64 divided by the golden ratio.
const fn home(low: u64, high: u64) -> usize {
    ((low ^ high.rotate_left(29)).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 55) as usize
}

impl Keyword {
    /// The keyword that the first `len` of sixteen lower-case bytes spell, the first one lowest; `len` is at most 16.
    #[inline]
    pub(crate) fn of(lower: u128, len: usize) -> Self {
        let (low, high) = halves(lower & MASKS[len]);
        let mut slot = home(low, high);
        loop {
            let candidate = &TABLE[slot];
            if (candidate.low == low && candidate.high == high) || matches!(candidate.keyword, Self::None) {
                return candidate.keyword;
            }
            slot = (slot + 1) % SLOTS;
        }
    }

    /// The keyword that a word spells, in whatever case.
    pub(crate) fn of_word(word: &[u8]) -> Self {
        if word.len() > 16 {
            return Self::None;
        }
        Self::of(lower_bytes(word), word.len())
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
        assert_eq!(of(""), Keyword::None);
        assert_eq!(of("abcdefgh"), Keyword::None);
        assert_eq!(of("materialize"), Keyword::None);
    }

    #[test]
    fn probing_stays_short() {
        for &(text, _) in WORDS {
            let mut padded = [0; 16];
            padded[..text.len()].copy_from_slice(text.as_bytes());
            let (low, high) = halves(u128::from_le_bytes(padded));
            let start = home(low, high);
            let found =
                (0..SLOTS).find(|i| TABLE[(start + i) % SLOTS].low == low && TABLE[(start + i) % SLOTS].high == high);
            assert!(found.is_some_and(|probes| probes < 6), "{text}: {found:?}");
        }
    }
}
