//! What each core has at hand: the texts of late with their shapes, and the limiters of those shapes.

use super::at_hand::AtHand;
use super::generations::Generations;
use super::rules::RuleState;
use super::shape::{LimiterKey, Shape};
use crate::fingerprint::{Dialect, Fingerprint, FingerprintOptions, Normalizer};
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
}

#[derive(Debug)]
struct Text {
    bytes: Box<[u8]>,
    dialect: Dialect,
    shape: Arc<Shape>,
}

/// A limiter, at hand.
#[derive(Debug)]
struct Hand {
    key: LimiterKey,
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
            // A statement has a text or two, and a hand that takes somewhat less than both.
            let (texts, hands) = (Generations::new(each / 12 * 7), Generations::new(each / 12 * 5));
            let seen = vec![0; (each / BYTES_A_PLACE).next_power_of_two()].into();
            TryLock::new(Table { texts, hands, seen, reader: Normalizer::new(options) })
        });
        Self { hasher: RandomState::new(), tables }
    }

    /// The key of a fingerprint's limiter.
    pub(super) fn key(&self, rule: Option<&Arc<RuleState>>, fingerprint: &Fingerprint) -> LimiterKey {
        LimiterKey::new(rule, fingerprint, &self.hasher)
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
        let shape = &*self.texts.get(text.hash, |kept| kept.is(text))?.shape;
        Some((shape, self.hands.of(&shape.counted_by)?))
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
            self.texts.keep(text, shape);
        }
        let shape = &*self.texts.get(normalized.hash, |kept| kept.is(normalized))?.shape;
        Some((shape, self.hands.of(&shape.counted_by)?))
    }

    /// The limiter of a key, if it is at hand.
    #[inline]
    pub(super) fn at_hand(&mut self, key: &LimiterKey) -> Option<&mut AtHand> {
        self.hands.of(key)
    }

    /// What is at hand for a shape from now on; none where there is no room for anything. Its text is known from now on.
    pub(super) fn take_in_hand(&mut self, shape: &Arc<Shape>, hot: &Hot) -> Option<&mut AtHand> {
        // A text that is too large is not worth its hash either.
        if self.texts.has_room(shape.text.len()) {
            let text = hot.sought(&shape.text, shape.dialect);
            if self.texts.get(text.hash, |kept| kept.is(text)).is_none() {
                self.texts.keep(text, Arc::clone(shape));
            }
        }
        let key = &shape.counted_by;
        if self.hands.of(key).is_none() {
            let at_hand = shape.at_hand();
            let owned = at_hand.bytes();
            self.hands.insert(key.hash(), Hand { key: *key, at_hand }, owned);
        }
        self.hands.of(key)
    }

    /// What had to make room of late: to be dropped where the table is no longer held.
    pub(super) fn take_outlived(&mut self) -> impl Sized + use<> {
        (self.texts.take_outlived(), self.hands.take_outlived())
    }
}

impl Generations<Text> {
    /// The shape is counted where all cores have it in common.
    fn keep(&mut self, text: Sought<'_>, shape: Arc<Shape>) {
        let kept = Text { bytes: text.bytes.into(), dialect: text.dialect, shape };
        self.insert(text.hash, kept, text.bytes.len());
    }
}

impl Generations<Hand> {
    #[inline]
    fn of(&mut self, key: &LimiterKey) -> Option<&mut AtHand> {
        self.get(key.hash(), |hand| hand.key == *key).map(|hand| &mut hand.at_hand)
    }
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
