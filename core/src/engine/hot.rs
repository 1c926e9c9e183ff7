//! What each core has at hand: the texts of late with their shapes, and the limiters of those shapes.

use super::at_hand::AtHand;
use super::generations::{Generations, Outlived};
use super::shape::Shape;
use crate::fingerprint::Dialect;
use crate::stripe::{self, Striped};
use ahash::RandomState;
use sqlthrottle_cells::try_lock::TryLock;
use std::sync::Arc;

/// Texts that each core can tell to have come before, in its doorkeeper.
const SEEN: usize = 1 << 11;

/// The tables of every core.
///
/// A check takes its own core's table and is done there: nothing it writes is written by another core. Should another
/// thread have the table, the check takes the longer way, by the normalised text and the limiter itself; nobody waits.
///
/// A text enters at its second coming: texts with fresh constants come once, and would only push out the others. Whether a
/// text has come before is told by a few bits of its hash, the *doorkeeper* of Einziger, Friedman and Manes, `TinyLFU` (ACM
/// Transactions on Storage, 2017).
#[derive(Debug)]
pub(super) struct Hot {
    hasher: RandomState,
    tables: Striped<TryLock<Table>>,
}

#[derive(Debug)]
struct Table {
    texts: Generations<Text>,
    hands: Generations<Hand>,
    seen: Box<[u32]>,
}

#[derive(Debug)]
struct Text {
    bytes: Box<[u8]>,
    dialect: Dialect,
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
    pub(super) fn new(bytes: usize) -> Self {
        let tables = Striped::new(|| {
            let each = bytes / stripe::count();
            let (texts, hands) = (Generations::new(each - each / 4), Generations::new(each / 4));
            TryLock::new(Table { texts, hands, seen: vec![0; SEEN].into() })
        });
        Self { hasher: RandomState::new(), tables }
    }

    /// A text to be looked up.
    #[inline]
    pub(super) fn sought<'a>(&self, bytes: &'a [u8], dialect: Dialect) -> Sought<'a> {
        Sought { bytes, dialect, hash: self.hasher.hash_one(bytes) }
    }

    /// Hands the shape of a text, and what is at hand for it, to `decide`, if this core knows the text.
    #[inline]
    pub(super) fn find<T>(&self, text: Sought<'_>, decide: impl FnOnce(&Shape, &mut AtHand) -> T) -> Option<T> {
        let mut guard = self.tables.mine().try_lock()?;
        let table = &mut *guard;
        let shape = &*table.texts.get(text.hash, |kept| kept.is(text))?.shape;
        let (decision, outlived) = table.hands.with(shape, |at_hand| decide(shape, at_hand));
        drop(guard);
        drop(outlived);
        Some(decision)
    }

    /// Hands what is at hand for a shape to `decide`, and keeps the text if it has come before.
    pub(super) fn meet<T>(&self, text: Sought<'_>, shape: &Arc<Shape>, decide: impl FnOnce(&mut AtHand) -> T) -> T {
        let Some(mut table) = self.tables.mine().try_lock() else { return decide(&mut AtHand::default()) };
        let (decision, outlived_hands) = table.hands.with(shape, decide);
        let outlived_texts = table.note(text, shape);
        drop(table);
        drop((outlived_hands, outlived_texts));
        decision
    }

    /// Hands what is at hand for a shape to `decide`.
    #[inline]
    pub(super) fn hand<T>(&self, shape: &Shape, decide: impl FnOnce(&mut AtHand) -> T) -> T {
        let Some(mut table) = self.tables.mine().try_lock() else { return decide(&mut AtHand::default()) };
        let (decision, outlived) = table.hands.with(shape, decide);
        drop(table);
        drop(outlived);
        decision
    }
}

impl Table {
    /// Takes note of a text, and keeps it if it has come before.
    fn note(&mut self, text: Sought<'_>, shape: &Arc<Shape>) -> Option<Outlived<Text>> {
        let (place, tag) = (text.hash as usize % SEEN, (text.hash >> 32) as u32 | 1);
        let before = std::mem::replace(&mut self.seen[place], tag);
        // Another thread of this stripe may have kept it meanwhile.
        if before != tag || self.texts.get(text.hash, |kept| kept.is(text)).is_some() {
            return None;
        }
        let kept = Text { bytes: text.bytes.into(), dialect: text.dialect, shape: Arc::clone(shape) };
        Some(self.texts.insert(text.hash, kept, text.bytes.len()))
    }
}

impl Generations<Hand> {
    /// Hands what is at hand for a shape to `decide`. Returns also what had to make room.
    #[inline]
    fn with<T>(&mut self, shape: &Shape, decide: impl FnOnce(&mut AtHand) -> T) -> (T, Option<Outlived<Hand>>) {
        // Multiplicative hashing; nobody chooses the numbers.
        let hash = shape.number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        if let Some(hand) = self.get(hash, |hand| hand.shape == shape.number) {
            return (decide(&mut hand.at_hand), None);
        }
        let mut at_hand = shape.at_hand();
        let decision = decide(&mut at_hand);
        let owned = at_hand.bytes();
        (decision, Some(self.insert(hash, Hand { shape: shape.number, at_hand }, owned)))
    }
}

impl Text {
    #[inline]
    fn is(&self, text: Sought<'_>) -> bool {
        self.dialect == text.dialect && *self.bytes == *text.bytes
    }
}
