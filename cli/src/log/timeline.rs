//! The times of a log as one line of time that never runs backwards, which is what limiters count on.
//!
//! Clocks of servers do run backwards: by an hour every autumn where the log is written in local time, by any amount
//! where somebody sets them, and in one entry where its time was garbled. A step is told from a lone entry by the entry
//! that follows.

use super::Totals;
use super::time::LogTime;
use std::time::Duration;

/// How much a time may be before that of the entry before it without a word: several processes write to one log, each
/// with a time taken a little before.
pub const USUAL_DISORDER: Duration = Duration::from_secs(5);

/// Longest silence that is believed. A clock that is further on was set, and no window of a limiter is as long.
const LONGEST_SILENCE: Duration = Duration::from_secs(366 * 86_400);

/// When an entry says it happened.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    pub(super) time: LogTime,
    /// How long the statement took. MySQL writes the time at which it began, in the order in which statements end.
    pub(super) query_time: Duration,
}

/// Puts the times of a log in order.
#[derive(Debug, Default)]
pub(super) struct Timeline {
    now: LogTime,
    /// Whether any entry has said its time.
    known: bool,
    /// Microseconds by which the log's clock has been set back, as far as it was noticed.
    shift: i64,
}

/// Where a time is, seen from where the line of time stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Further back than disorder and the duration of the statement explain.
    Behind,
    /// No later than the entry before it.
    Late,
    /// Later, by little.
    Next,
    /// Later, by more than disorder, as after any silence, or where its time is wrong.
    Ahead,
}

impl Timeline {
    /// Where the line of time stands.
    pub(super) fn now(&self) -> LogTime {
        self.now
    }

    /// Whether it takes the entry that follows to know what the time of an entry is worth.
    #[inline]
    pub(super) fn doubts(&self, moment: Moment) -> bool {
        !self.known || matches!(self.place(moment), Place::Behind | Place::Ahead)
    }

    /// When an entry happened that does not say so. Before any time is known, it begins when the one before it was done.
    pub(super) fn untimed(&mut self, query_time: Duration, totals: &mut Totals) -> LogTime {
        let begun = self.now;
        if !self.known {
            totals.untimed += 1;
            self.now = begun.plus(query_time);
        }
        begun
    }

    /// When an entry happened. `next` is the moment of the entry that follows: it is asked for only in
    /// [doubt](Self::doubts), and none where that entry does not say.
    #[inline]
    pub(super) fn timed(&mut self, moment: Moment, next: Option<Moment>, totals: &mut Totals) -> LogTime {
        if !self.known {
            return self.begin(moment, next, totals);
        }
        match self.place(moment) {
            Place::Next => self.now = self.at(moment),
            Place::Late => {
                let late = self.now - self.at(moment);
                totals.late += u64::from(!late.is_zero());
                totals.latest = totals.latest.max(late);
            }
            Place::Ahead | Place::Behind => self.decide(moment, next, totals),
        }
        self.now
    }

    fn decide(&mut self, moment: Moment, next: Option<Moment>, totals: &mut Totals) {
        let at = self.at(moment);
        let behind = self.place(moment) == Place::Behind;
        // The entry that follows goes on from the one before, as if this one were not there.
        let alone = next.is_some_and(|next| {
            self.place(next) != Place::Behind && (behind || is_behind(self.at(next), next.query_time, at))
        });
        if alone {
            totals.astray += 1;
        } else if behind || at - self.now > LONGEST_SILENCE {
            self.step(moment, totals);
        } else {
            self.now = at;
        }
    }

    /// Takes the first moment that is known.
    fn begin(&mut self, moment: Moment, next: Option<Moment>, totals: &mut Totals) -> LogTime {
        self.known = true;
        let mut first = moment;
        if let Some(next) = next.filter(|next| is_behind(next.time, next.query_time, moment.time)) {
            totals.astray += 1;
            first = next;
        }
        // Entries without a time came before, and lasted longer than the log's clock has run.
        if first.time < self.now {
            self.step(first, totals);
        } else {
            self.now = first.time;
        }
        self.now
    }

    /// Takes it that the log's clock was set, and lets the time go on from where it stands.
    fn step(&mut self, moment: Moment, totals: &mut Totals) {
        totals.steps += 1;
        self.shift = self.now.micros().saturating_sub(moment.time.micros());
    }

    #[inline]
    fn at(&self, moment: Moment) -> LogTime {
        moment.time.moved(self.shift)
    }

    #[inline]
    fn place(&self, moment: Moment) -> Place {
        let at = self.at(moment);
        if is_behind(at, moment.query_time, self.now) {
            Place::Behind
        } else if at <= self.now {
            Place::Late
        } else if at - self.now <= USUAL_DISORDER {
            Place::Next
        } else {
            Place::Ahead
        }
    }
}

/// Whether a statement that began at `at` cannot have been logged after one of time `now` by the same clock.
fn is_behind(at: LogTime, query_time: Duration, now: LogTime) -> bool {
    at < now && now - at > query_time.saturating_add(USUAL_DISORDER)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(second: i64) -> Moment {
        Moment { time: LogTime::from_micros(second * 1_000_000), query_time: Duration::ZERO }
    }

    /// Places moments as the reader does.
    fn place(moments: &[Moment]) -> (Vec<i64>, Totals) {
        let (mut timeline, mut totals) = (Timeline::default(), Totals::default());
        let mut places = Vec::new();
        for (i, moment) in moments.iter().enumerate() {
            let next = if timeline.doubts(*moment) { moments.get(i + 1).copied() } else { None };
            places.push(timeline.timed(*moment, next, &mut totals).second());
        }
        (places, totals)
    }

    fn placed(times: &[i64]) -> (Vec<i64>, Totals) {
        place(&times.iter().map(|second| seconds(*second)).collect::<Vec<_>>())
    }

    #[test]
    fn silence_and_usual_disorder_are_no_steps() {
        let (places, totals) = placed(&[100, 103, 99, 103, 5_000, 5_001, 90_000]);
        assert_eq!(places, [100, 103, 103, 103, 5_000, 5_001, 90_000]);
        assert_eq!((totals.late, totals.latest, totals.steps, totals.astray), (1, Duration::from_secs(4), 0, 0));
    }

    #[test]
    fn a_clock_set_back_goes_on_from_where_it_stood() {
        let (places, totals) = placed(&[3_600, 3_660, 60, 120, 180, 3_700]);
        assert_eq!(places, [3_600, 3_660, 3_660, 3_720, 3_780, 7_300]);
        assert_eq!((totals.late, totals.steps, totals.astray), (0, 1, 0));
    }

    #[test]
    fn one_entry_of_a_wrong_time_moves_no_other() {
        for wrong in [0, 1_000, 100_000, 253_402_300_799] {
            let (places, totals) = placed(&[10_000, 10_001, wrong, 10_003, 10_010]);
            assert_eq!(places, [10_000, 10_001, 10_001, 10_003, 10_010], "{wrong}");
            assert_eq!((totals.late, totals.steps, totals.astray), (0, 0, 1), "{wrong}");
        }
        assert_eq!(placed(&[253_402_300_799, 100, 101]).0, [100, 100, 101]);
    }

    #[test]
    fn a_clock_that_was_wrong_for_a_while_does_not_run_away() {
        let wrong = 253_402_300_000;
        let (places, totals) = placed(&[100, 101, wrong, wrong + 1, wrong + 2, 105, 106]);
        assert_eq!(places, [100, 101, 101, 102, 103, 103, 104]);
        assert_eq!((totals.steps, totals.astray), (2, 0));
    }

    #[test]
    fn a_statement_that_took_long_began_early() {
        let long = Moment { query_time: Duration::from_secs(660), ..seconds(1_000) };
        let (places, totals) = place(&[seconds(1_650), long, long, seconds(1_661)]);
        assert_eq!(places, [1_650, 1_650, 1_650, 1_661]);
        assert_eq!((totals.late, totals.latest, totals.steps), (2, Duration::from_secs(650), 0));
    }

    #[test]
    fn entries_without_a_time_never_leave_it_running_backwards() {
        let (mut timeline, mut totals) = (Timeline::default(), Totals::default());
        timeline.untimed(Duration::from_secs(1 << 40), &mut totals);
        let before = timeline.untimed(Duration::ZERO, &mut totals);
        assert!(timeline.timed(seconds(100), None, &mut totals) >= before);
        assert_eq!(timeline.timed(seconds(107), None, &mut totals) - before, Duration::from_secs(7));
        assert_eq!((totals.untimed, totals.steps), (2, 1));
    }
}
