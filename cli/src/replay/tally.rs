//! What is known of each shape of statement in a log, in bounded memory.

use super::outcome::Outcome;
use super::peak::{AtOnce, Peak};
use super::rate::Rate;
use crate::log::LogTime;
use ahash::RandomState;
use sqlthrottle::Fingerprint;
use sqlthrottle::fingerprint::Normalized;
use std::collections::HashMap;
use std::time::Duration;

/// Most shapes that are followed at once.
const MAX_SHAPES: usize = 100_000;
/// Most bytes of normalised text that are kept, all shapes together.
const MAX_TEXT: usize = 64 << 20;
/// Longest text that is kept of one shape, in bytes; the rest is nothing that a person would read in a list.
const LONGEST_TEXT: usize = 64 << 10;

/// One shape of statement.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    pub(super) fingerprint: Fingerprint,
    /// The normalised text, for people.
    pub(super) text: Box<str>,
    /// How often it was sent.
    pub(super) count: u64,
    /// How long its executions took, as far as the log tells.
    pub(super) query_time: Duration,
    pub(super) before: Rate,
    pub(super) outcome: Outcome,
    /// Where the rule that it last matched stands in the replay's list.
    pub(super) rule: Option<usize>,
    /// What it came to by itself, where that is asked for and the shape has been followed from its first statement on.
    pub(super) own: Option<Box<Own>>,
}

/// What a shape came to by itself, whatever else there was.
#[derive(Clone, Debug)]
pub(super) struct Own {
    /// For each of the windows that are asked for.
    pub(super) peaks: Box<[Peak]>,
    pub(super) at_once: AtOnce,
    /// How many statements a text of the shape has, each of which counts.
    pub(super) statements: u32,
}

/// What was sent of shapes that are not followed any more.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Others {
    pub(super) count: u64,
    pub(super) query_time: Duration,
}

/// The shapes of a log.
///
/// When there are too many, the rarer half is let go and counted together, so that a flood of shapes that occur once
/// cannot push out, or keep out, one that occurs often. What is counted of a shape is exact from when it was last taken in;
/// the sum over all shapes and [`others`](Self::others) is always exact.
#[derive(Debug)]
pub(super) struct Tally {
    places: HashMap<Fingerprint, usize, RandomState>,
    shapes: Vec<Shape>,
    text: usize,
    others: Others,
    max_shapes: usize,
    max_text: usize,
}

impl Default for Tally {
    fn default() -> Self {
        Self::with_limits(MAX_SHAPES, MAX_TEXT)
    }
}

impl Tally {
    fn with_limits(max_shapes: usize, max_text: usize) -> Self {
        Self {
            places: HashMap::default(),
            shapes: Vec::new(),
            text: 0,
            others: Others::default(),
            max_shapes,
            max_text,
        }
    }

    /// Counts a statement that was sent. Its text is asked for only where the shape is new.
    #[inline]
    pub(super) fn sent<'a>(
        &mut self,
        fingerprint: Fingerprint,
        at: LogTime,
        query_time: Option<Duration>,
        normalize: impl FnOnce() -> Normalized<'a>,
    ) -> &mut Shape {
        let place = match self.places.get(&fingerprint) {
            Some(place) => *place,
            None => self.take_in(fingerprint, cut(&normalize().text())),
        };
        let shape = &mut self.shapes[place];
        shape.count += 1;
        shape.before.record(at);
        if let Some(query_time) = query_time {
            shape.query_time = shape.query_time.saturating_add(query_time);
        }
        shape
    }

    fn take_in(&mut self, fingerprint: Fingerprint, text: Box<str>) -> usize {
        while !self.shapes.is_empty()
            && (self.shapes.len() >= self.max_shapes || self.text + text.len() > self.max_text)
        {
            self.let_go();
        }
        let place = self.shapes.len();
        self.text += text.len();
        self.shapes.push(Shape::new(fingerprint, text));
        self.places.insert(fingerprint, place);
        place
    }

    /// Lets go of the rarer half, at least of one.
    fn let_go(&mut self) {
        let going = self.shapes.len().div_ceil(2);
        self.shapes.select_nth_unstable_by_key(going - 1, |shape| shape.count);
        for shape in self.shapes.drain(..going) {
            self.others.count += shape.count;
            self.others.query_time = self.others.query_time.saturating_add(shape.query_time);
            self.text -= shape.text.len();
        }
        self.places.clear();
        self.places.extend(self.shapes.iter().enumerate().map(|(place, shape)| (shape.fingerprint, place)));
    }

    /// A shape that is still followed.
    pub(super) fn get_mut(&mut self, fingerprint: &Fingerprint) -> Option<&mut Shape> {
        let place = *self.places.get(fingerprint)?;
        self.shapes.get_mut(place)
    }

    /// The same, to be looked at.
    pub(super) fn get(&self, fingerprint: &Fingerprint) -> Option<&Shape> {
        self.shapes.get(*self.places.get(fingerprint)?)
    }

    /// Every shape that is followed, in no order.
    pub(super) fn shapes(&self) -> &[Shape] {
        &self.shapes
    }

    /// What is not followed any more.
    pub(super) fn others(&self) -> Others {
        self.others
    }

    /// The first `n` shapes by a key, the greatest first; of equal ones those with the greater count, then by fingerprint
    /// so that the order does not depend on chance.
    pub(super) fn top<K: Ord>(&self, n: usize, key: impl Fn(&Shape) -> K) -> Vec<&Shape> {
        let mut shapes: Vec<&Shape> = self.shapes.iter().collect();
        shapes.sort_unstable_by(|a, b| {
            key(b).cmp(&key(a)).then(b.count.cmp(&a.count)).then(a.fingerprint.cmp(&b.fingerprint))
        });
        shapes.truncate(n);
        shapes
    }
}

impl Shape {
    fn new(fingerprint: Fingerprint, text: Box<str>) -> Self {
        Self {
            fingerprint,
            text,
            count: 0,
            query_time: Duration::ZERO,
            before: Rate::default(),
            outcome: Outcome::default(),
            rule: None,
            own: None,
        }
    }
}

/// A text, cut with a mark where it is too long to be kept.
fn cut(text: &str) -> Box<str> {
    if text.len() <= LONGEST_TEXT {
        return text.into();
    }
    let len = (0..=LONGEST_TEXT).rev().find(|len| text.is_char_boundary(*len)).unwrap_or(0);
    format!("{}…", &text[..len]).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sqlthrottle::{FingerprintOptions, Normalizer};

    fn send(tally: &mut Tally, sql: &str) {
        let mut normalizer = Normalizer::new(FingerprintOptions::default());
        let fingerprint = normalizer.normalize(sql.as_bytes()).fingerprint();
        let shape = tally.sent(fingerprint, LogTime::default(), Some(Duration::from_millis(1)), || {
            normalizer.normalize(sql.as_bytes())
        });
        assert_eq!(shape.fingerprint, fingerprint);
    }

    fn sum(tally: &Tally) -> u64 {
        tally.shapes().iter().map(|shape| shape.count).sum::<u64>() + tally.others().count
    }

    #[test]
    fn a_flood_of_shapes_neither_hides_a_busy_one_nor_loses_a_count() {
        let mut tally = Tally::with_limits(100, usize::MAX);
        for i in 0..5_000 {
            send(&mut tally, &format!("select c{i} from t"));
            // The busy one first comes when the table has been full for long.
            if i >= 2_000 && i % 10 == 0 {
                send(&mut tally, "select busy from t");
            }
        }
        assert!(tally.shapes().len() <= 100);
        assert_eq!(sum(&tally), 5_300);
        let top = tally.top(1, |shape| shape.count);
        assert_eq!((&*top[0].text, top[0].count), ("select busy from t", 300));
        let time: Duration = tally.shapes().iter().map(|shape| shape.query_time).sum();
        assert_eq!(time + tally.others().query_time, Duration::from_millis(5_300));
    }

    #[test]
    fn the_text_that_is_kept_is_bounded() {
        let mut tally = Tally::with_limits(usize::MAX, 1_000);
        for i in 0..100 {
            send(&mut tally, &format!("select c{i} from {}", "t".repeat(200)));
            assert!(tally.text <= 1_000);
            assert_eq!(tally.text, tally.shapes().iter().map(|shape| shape.text.len()).sum::<usize>());
        }
        send(&mut tally, &format!("select {}", "c".repeat(2_000)));
        assert_eq!(sum(&tally), 101);
    }
}
