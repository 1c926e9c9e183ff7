//! The log of a window, sliding or fixed.

use crate::event::{Event, assert_within_latest_limit};

/// How a window forgets.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Span {
    /// Buckets of so many nanoseconds, and how many.
    Sliding { bucket: u64, buckets: u64 },
    /// So many nanoseconds.
    Fixed { length: u64 },
}

impl Span {
    /// Whether what happens at `at` counts at `now`.
    fn counts(self, at: u64, now: u64) -> bool {
        match self {
            Self::Sliding { bucket, buckets } => at / bucket + buckets >= now / bucket,
            Self::Fixed { length } => at / length >= now / length,
        }
    }

    /// The earliest time that counts as the same as `at` where a clock is behind.
    fn floor(self, at: u64) -> u64 {
        let (Self::Sliding { bucket: grain, .. } | Self::Fixed { length: grain }) = self;
        at / grain * grain
    }
}

/// What was admitted, as far as it may still count.
#[derive(Debug)]
pub(crate) struct WindowLog {
    span: Span,
    events: Vec<Event>,
}

impl WindowLog {
    pub(crate) const fn new(span: Span) -> Self {
        Self { span, events: Vec::new() }
    }

    /// Begins anew with what another cell counted, taken over at a time by the clock `now`, which may be behind: `seen` is
    /// the newest time of what the old cell is known to have counted. Returns the same for the new one.
    pub(crate) fn succeed(&mut self, span: Span, total: u64, (now, seen, newest): (u64, u64, u64)) -> u64 {
        let from = now.max(self.span.floor(seen));
        self.span = span;
        // Whatever limit there was: it was another's.
        self.events = vec![Event { from, to: newest, n: total, round: 0, max: u64::MAX }];
        from
    }

    /// Adds the events of a round, and checks that no interval of the window's length is over the limit, and that the cell
    /// counts what it should; true where that was a single number.
    pub(crate) fn check(&mut self, events: impl IntoIterator<Item = Event>, total: u64, newest: u64) -> bool {
        self.events.extend(events);
        self.events.sort_unstable_by_key(|event| event.from);
        match self.span {
            Span::Sliding { bucket, buckets } => {
                let length = bucket * buckets;
                for (i, first) in self.events.iter().enumerate() {
                    let end = first.from.saturating_add(length);
                    let rest = self.events[i..].iter().take_while(|event| event.from <= end);
                    assert_within_latest_limit(rest.filter(|event| event.to <= end), "sliding window");
                }
            }
            Span::Fixed { length } => {
                let certain = self.events.iter().filter(|event| event.from / length == event.to / length);
                let certain: Vec<_> = certain.collect();
                for window in certain.chunk_by(|one, other| one.from / length == other.from / length) {
                    assert_within_latest_limit(window.iter().copied(), "fixed window");
                }
            }
        }
        let sum = |counts: &dyn Fn(&Event) -> bool| {
            self.events.iter().filter(|event| counts(event)).map(|event| event.n).sum()
        };
        let (least, most): (u64, u64) =
            (sum(&|event| self.span.counts(event.from, newest)), sum(&|event| self.span.counts(event.to, newest)));
        assert!((least..=most).contains(&total), "{:?}: {total} is not within {least} and {most}", self.span);
        self.events.retain(|event| self.span.counts(event.to, newest));
        least == most
    }
}
