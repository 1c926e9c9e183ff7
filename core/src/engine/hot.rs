//! What each core has at hand: the texts of late with their shapes, and the limiters of those shapes.

use super::at_hand::AtHand;
use super::generations::{Generations, Outlived};
use super::shape::Shape;
use crate::fingerprint::{Dialect, FingerprintOptions, Normalizer};
use crate::stripe::{self, Striped};
use ahash::RandomState;
use sqlthrottle_cells::try_lock::{Guard, TryLock};
use std::sync::Arc;

/// Bytes of the table for each place of its doorkeeper: fewer than most texts take, so that a text which is to have room is
/// still known by the time it comes again.
const BYTES_A_PLACE: usize = 128;

/// The tables of every core.
///
/// A check takes its own core's table and is done there: nothing it writes is written by another core. Should another
/// thread have the table, the check takes the longer way, by the normalised text and the limiter itself; nobody waits.
///
/// A text that is not known is normalised, and its normalised text looked up alike: it is a text of the same shape. Other
/// texts enter at their second coming: those with fresh constants come once, and would only push out the others. Whether a
/// text has come before is told by a few bits of its hash, the *doorkeeper* of Einziger, Friedman and Manes, `TinyLFU` (ACM
/// Transactions on Storage, 2017).
#[derive(Debug)]
pub(super) struct Hot {
    hasher: RandomState,
    tables: Striped<TryLock<Table>>,
}

/// What one core knows.
#[derive(Debug)]
pub(super) struct Table {
    texts: Generations<Text>,
    hands: Generations<Hand>,
    /// The doorkeeper: bits of the text that came last by each place.
    seen: Box<[u32]>,
    reader: Normalizer,
    outlived: OutlivedEntries,
}

/// What had to make room: to be dropped where no lock is held.
#[derive(Debug, Default)]
pub(super) struct OutlivedEntries {
    texts: Outlived<Text>,
    hands: Outlived<Hand>,
}

#[derive(Debug)]
struct Text {
    bytes: Box<[u8]>,
    dialect: Dialect,
    /// The shape's number: its limiter is looked for before the shape itself is come to.
    number: u64,
    shape: Arc<Shape>,
}

/// The limiter of a shape, at hand.
#[derive(Debug)]
struct Hand {
    shape: u64,
    at_hand: AtHand,
}

/// A text as it is looked up: with its hash, under a key that no attacker knows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sought<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) dialect: Dialect,
    hash: u64,
}

impl Hot {
    /// Tables of at most `bytes` together.
    pub(super) fn new(bytes: usize, options: FingerprintOptions) -> Self {
        let tables = Striped::new(|| {
            let each = bytes / stripe::count();
            let (texts, hands) = (Generations::new(each / 2), Generations::new(each / 2));
            let seen = vec![0; (each / BYTES_A_PLACE).next_power_of_two()].into();
            TryLock::new(Table {
                texts,
                hands,
                seen,
                reader: Normalizer::new(options),
                outlived: OutlivedEntries::default(),
            })
        });
        Self { hasher: RandomState::new(), tables }
    }

    /// A text to be looked up.
    #[inline]
    pub(super) fn sought<'a>(&self, bytes: &'a [u8], dialect: Dialect) -> Sought<'a> {
        Sought { bytes, dialect, hash: self.hasher.hash_one(bytes) }
    }

    /// This core's table, unless another thread has it.
    #[inline]
    pub(super) fn table(&self) -> Option<Guard<'_, Table>> {
        self.tables.mine().try_lock()
    }
}

impl Table {
    /// The shape of a text, and what is at hand for it, if this core knows both.
    #[inline]
    pub(super) fn known(&mut self, text: Sought<'_>) -> Option<(&Shape, &mut AtHand)> {
        let text = self.texts.get(text.hash, |kept| kept.is(text))?;
        Some((&text.shape, self.hands.of(text.number)?))
    }

    /// The shape of a text that is not known, and what is at hand for it, if this core knows its normalised text. Takes note
    /// of the text, and keeps it if it has come before.
    pub(super) fn recognised(&mut self, text: Sought<'_>, hot: &Hot) -> Option<(&Shape, &mut AtHand)> {
        // What a giant statement needs to be read is not kept for every core.
        if text.bytes.len() > self.reader.options().max_sql_bytes {
            return None;
        }
        self.reader.set_dialect(text.dialect);
        let normalized = hot.sought(self.reader.normalize(text.bytes).as_bytes(), text.dialect);
        if knock(&mut self.seen, text) {
            let shape = Arc::clone(&self.texts.get(normalized.hash, |kept| kept.is(normalized))?.shape);
            self.outlived.texts = self.texts.keep(text, shape);
        }
        let known = self.texts.get(normalized.hash, |kept| kept.is(normalized))?;
        Some((&known.shape, self.hands.of(known.number)?))
    }

    /// What is at hand for a shape, if anything is.
    #[inline]
    pub(super) fn at_hand(&mut self, shape: &Shape) -> Option<&mut AtHand> {
        self.hands.of(shape.number)
    }

    /// What is at hand for a shape from now on; none where there is no room for anything. Its text is known from now on.
    pub(super) fn take_in_hand(&mut self, shape: &Arc<Shape>, hot: &Hot) -> Option<&mut AtHand> {
        let text = hot.sought(&shape.text, shape.dialect);
        if self.texts.get(text.hash, |kept| kept.is(text)).is_none() {
            self.outlived.texts = self.texts.keep(text, Arc::clone(shape));
        }
        if self.hands.of(shape.number).is_none() {
            let at_hand = shape.at_hand();
            let owned = at_hand.bytes();
            self.outlived.hands = self.hands.insert(hash(shape.number), Hand { shape: shape.number, at_hand }, owned);
        }
        self.hands.of(shape.number)
    }

    /// What had to make room of late.
    pub(super) fn take_outlived(&mut self) -> OutlivedEntries {
        std::mem::take(&mut self.outlived)
    }
}

impl Generations<Text> {
    fn keep(&mut self, text: Sought<'_>, shape: Arc<Shape>) -> Outlived<Text> {
        let kept = Text { bytes: text.bytes.into(), dialect: text.dialect, number: shape.number, shape };
        self.insert(text.hash, kept, text.bytes.len())
    }
}

impl Generations<Hand> {
    #[inline]
    fn of(&mut self, shape: u64) -> Option<&mut AtHand> {
        self.get(hash(shape), |hand| hand.shape == shape).map(|hand| &mut hand.at_hand)
    }
}

/// Multiplicative hashing; nobody chooses the numbers.
#[inline]
const fn hash(shape: u64) -> u64 {
    shape.wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// Whether the doorkeeper lets a text in: it was the last to knock at its place before.
fn knock(seen: &mut [u32], text: Sought<'_>) -> bool {
    let (place, tag) = (text.hash as usize & (seen.len() - 1), (text.hash >> 32) as u32 | 1);
    std::mem::replace(&mut seen[place], tag) == tag
}

impl Text {
    #[inline]
    fn is(&self, text: Sought<'_>) -> bool {
        self.dialect == text.dialect && *self.bytes == *text.bytes
    }
}
