//! What each core has at hand: the texts of late with their shapes, and the limiters that count them.

use super::generations::Generations;
use super::hands::Hands;
use super::readers::same_but_dialect;
use super::shape::Shape;
use crate::fingerprint::{Dialect, FingerprintOptions, Normalized, Normalizer};
use crate::stripe::{self, Striped};
use ahash::RandomState;
use sqlthrottle_cells::lock::{Guard, Lock};
use std::sync::Arc;

/// Bytes of the table for each text that its doorkeeper knows: fewer than most texts take, so that a text which is to have
/// room is still known by the time it comes again.
const BYTES_A_TEXT: usize = 128;

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
    tables: Striped<Lock<Table>>,
    /// What a table begins with: its bytes, and how its texts are normalised.
    first: (usize, FingerprintOptions),
}

/// What one core knows.
#[derive(Debug)]
pub(super) struct Table {
    texts: Generations<Text>,
    pub(super) hands: Hands,
    /// The doorkeeper: bits of the two texts that came last by each place.
    seen: Box<[[u32; 2]]>,
    reader: Normalizer,
    /// A shape that is too large to be kept, while it is looked at.
    unkept: Option<Arc<Shape>>,
    /// The shape of requests, if one came.
    requests: Option<Arc<Shape>>,
    /// The version of the rules that it was adapted to.
    version: u64,
}

#[derive(Debug)]
struct Text {
    bytes: Box<[u8]>,
    dialect: Dialect,
    shape: Arc<Shape>,
    /// How often it was checked here.
    checks: u64,
}

/// A text as it is looked up: with its hash, under a key that no attacker knows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sought<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) dialect: Dialect,
    pub(super) hash: u64,
}

impl<'a> Sought<'a> {
    /// The normalised text of a shape.
    fn of(shape: &'a Shape) -> Self {
        Self { bytes: &shape.text, dialect: shape.dialect, hash: shape.hash }
    }
}

impl Sought<'_> {
    /// The same text, as it is read in a dialect.
    pub(super) fn in_dialect(self, dialect: Dialect) -> Self {
        Self { dialect, ..self }
    }
}

impl Hot {
    /// Tables of at most `bytes` together.
    pub(super) fn new(bytes: usize, options: FingerprintOptions) -> Self {
        let first = (bytes / stripe::count(), options);
        Self { hasher: RandomState::new(), tables: Striped::numbered(|core| Lock::new(Table::new(first, core))), first }
    }

    /// The hasher of all that is looked up here.
    pub(super) fn hasher(&self) -> &RandomState {
        &self.hasher
    }

    /// A text to be looked up.
    #[inline]
    pub(super) fn sought<'a>(&self, bytes: &'a [u8], dialect: Dialect) -> Sought<'a> {
        Sought { bytes, dialect, hash: self.hasher.hash_one(bytes) }
    }

    /// This core's table, unless another thread has it.
    #[inline]
    pub(super) fn table(&self) -> Option<Guard<'_, Table>> {
        let (core, table) = self.tables.mine_numbered();
        table.try_lock_or(|| Table::new(self.first, core))
    }

    /// Shows the shapes that each core knows, with how often each was checked there by one of its texts. The core's checks
    /// take the longer way meanwhile.
    pub(super) fn for_each_shape(&self, mut each: impl FnMut(&Shape, u64)) {
        for (core, table) in self.tables.iter().enumerate() {
            for text in table.read_or(|| Table::new(self.first, core)).texts.iter() {
                each(&text.shape, text.checks);
            }
        }
    }

    /// Lets go of what every core has at hand, after a fork. Only where no other thread checks.
    pub(super) fn after_fork(&self) {
        for (core, table) in self.tables.iter().enumerate() {
            table.lock_or(|| Table::new(self.first, core)).hands.clear_limiters();
        }
    }
}

impl Table {
    fn new((bytes, options): (usize, FingerprintOptions), core: usize) -> Self {
        let seen = vec![[0; 2]; (bytes / BYTES_A_TEXT / 2).next_power_of_two()].into();
        let (texts, hands) = (Generations::new(texts(bytes)), Hands::new(bytes - texts(bytes), core));
        Self { texts, hands, seen, reader: Normalizer::new(options), unkept: None, requests: None, version: 0 }
    }

    /// The version of the rules that it was adapted to.
    pub(super) fn version(&self) -> u64 {
        self.version
    }

    /// Adapts to the rules of a version: makes sure that texts are normalised by these options, within so many bytes of all
    /// tables. Where they were by others, no text is known any more.
    pub(super) fn adapt(&mut self, version: u64, options: FingerprintOptions, bytes: usize) {
        self.version = version;
        let each = bytes / stripe::count();
        self.hands.set_bytes(each - texts(each));
        if same_but_dialect(*self.reader.options(), options) {
            self.texts.set_bytes(texts(each));
        } else {
            self.texts = Generations::new(texts(each));
            self.reader = Normalizer::new(options);
        }
    }

    /// The shape of a text, if this core knows it, and what is at hand.
    #[inline]
    pub(super) fn known(&mut self, text: Sought<'_>) -> Option<(&Shape, &mut Hands)> {
        let kept = self.texts.get(text.hash, |kept| kept.is(text))?;
        kept.checks += 1;
        Some((&kept.shape, &mut self.hands))
    }

    /// Takes note that a statement was checked which came with its shape, and not by a text: counted it is by its normalised text.
    #[inline]
    pub(super) fn count(&mut self, shape: &Arc<Shape>) {
        match self.texts.get(shape.hash, |kept| Arc::ptr_eq(&kept.shape, shape)) {
            Some(kept) => kept.checks += 1,
            None => self.count_first(shape),
        }
    }

    #[cold]
    fn count_first(&mut self, shape: &Arc<Shape>) {
        let (sought, plan) = (Sought::of(shape), shape.planned.plan.bytes());
        match self.texts.get(shape.hash, |kept| kept.is(sought)) {
            Some(kept) => {
                kept.checks += 1;
                kept.shape = Arc::clone(shape);
                self.texts.recharge(shape.hash, |kept| kept.is(sought), sought.bytes.len() + plan);
            }
            None => self.texts.keep(sought, Arc::clone(shape), 1, plan),
        }
    }

    /// Whether texts of this length are read here: what a giant statement needs to be read is not kept for every core.
    pub(super) fn reads(&self, text: Sought<'_>) -> bool {
        text.bytes.len() <= self.reader.options().max_sql_bytes
    }

    /// The shape of a text that is not known, or `is_stale`, and what is at hand. Where its normalised text is not known either, or
    /// what is known of it is not current, `find` finds it. Takes note of the text, and keeps it if it has come before.
    pub(super) fn read(
        &mut self,
        (text, is_stale): (Sought<'_>, bool),
        hot: &Hot,
        is_current: impl Fn(&Shape) -> bool,
        find: impl Fn(&Normalized<'_>) -> Arc<Shape>,
    ) -> (&Shape, &mut Hands) {
        self.reader.set_dialect(text.dialect);
        let normalized = self.reader.normalize(text.bytes);
        let sought = hot.sought(normalized.as_bytes(), text.dialect);
        let mut place = self.texts.locate(sought.hash, |kept| kept.is(sought));
        if let Some(kept) = place.and_then(|place| self.texts.at(place)) {
            kept.checks += 1;
            if !is_current(&kept.shape) {
                kept.shape = find(&normalized);
                let owned = sought.bytes.len() + kept.shape.planned.plan.bytes();
                self.texts.recharge(sought.hash, |kept| kept.is(sought), owned);
            }
        } else {
            let shape = find(&normalized);
            let plan = shape.planned.plan.bytes();
            if !self.texts.has_room(sought.bytes.len() + plan) {
                return (self.unkept.insert(shape), &mut self.hands);
            }
            self.texts.keep(sought, shape, 1, plan);
            place = self.texts.locate(sought.hash, |kept| kept.is(sought));
        }
        // The text itself: what is known of it is brought up to date, and what has come before is kept.
        if (is_stale || knock(&mut self.seen, text))
            && let Some(shape) = place.and_then(|place| self.texts.at(place)).map(|kept| Arc::clone(&kept.shape))
        {
            match self.texts.get(text.hash, |kept| kept.is(text)) {
                Some(kept) => kept.shape = shape,
                None => self.texts.keep(text, shape, 0, 0),
            }
            place = self.texts.locate(sought.hash, |kept| kept.is(sought));
        }
        match place.and_then(|place| self.texts.at(place)) {
            Some(kept) => (&kept.shape, &mut self.hands),
            // It was kept just now, so only a table with room for one of the two texts has let go of it.
            None => (self.unkept.insert(find(&normalized)), &mut self.hands),
        }
    }

    /// The shape of requests, and what is at hand.
    pub(super) fn requests(
        &mut self,
        is_current: impl Fn(&Shape) -> bool,
        find: impl FnOnce() -> Arc<Shape>,
    ) -> (&Shape, &mut Hands) {
        if !self.requests.as_deref().is_some_and(is_current) {
            self.requests = None;
        }
        (self.requests.get_or_insert_with(find), &mut self.hands)
    }

    /// What had to make room of late: to be dropped where the table is no longer held.
    pub(super) fn take_outlived(&mut self) -> impl Sized + use<> {
        (self.texts.take_outlived(), self.hands.take_outlived())
    }
}

impl Generations<Text> {
    /// The shape is counted where all cores have it in common, but for `plan`, the bytes of a large plan: it lives as long as
    /// the normalised text is kept here.
    fn keep(&mut self, text: Sought<'_>, shape: Arc<Shape>, checks: u64, plan: usize) {
        let kept = Text { bytes: text.bytes.into(), dialect: text.dialect, shape, checks };
        self.insert(text.hash, kept, text.bytes.len() + plan);
    }
}

/// How many of a table's bytes are for texts: a statement has one or two, and a hand that takes somewhat less than both.
const fn texts(bytes: usize) -> usize {
    bytes / 24 * 13
}

/// Whether the doorkeeper lets a text in: it was one of the last two to knock at its place before.
fn knock(seen: &mut [[u32; 2]], text: Sought<'_>) -> bool {
    let (place, tag) = (text.hash as usize & (seen.len() - 1), (text.hash >> 32) as u32 | 1);
    let [last, before] = seen[place];
    // With one only, two texts of a place that come in turns would never get in.
    seen[place] = if last == tag { [tag, before] } else { [tag, last] };
    last == tag || before == tag
}

impl Text {
    #[inline]
    fn is(&self, text: Sought<'_>) -> bool {
        self.dialect == text.dialect && *self.bytes == *text.bytes
    }
}
