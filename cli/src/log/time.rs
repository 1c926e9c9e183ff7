//! Times as logs write them, read by hand: a date library at every line would cost more than the rest of the reader.

use std::fmt;
use std::ops::Sub;
use std::time::{Duration, SystemTime};

const SECOND: i64 = 1_000_000;
/// The last second of the year 9999, the latest that any of the formats can write.
const LATEST: i64 = 253_402_300_799;

/// A moment of a log: microseconds since 1970, in UTC where the log says how far its clock is from UTC, else by the
/// log's own clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LogTime(i64);

impl LogTime {
    /// A moment, in microseconds since 1970.
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    /// Day and hour; none beyond the year 9999.
    fn civil(self) -> Option<jiff::civil::DateTime> {
        jiff::Timestamp::from_microsecond(self.0).ok().map(|moment| jiff::tz::Offset::UTC.to_datetime(moment))
    }

    /// Microseconds since 1970.
    pub(super) const fn micros(self) -> i64 {
        self.0
    }

    /// Moves the moment by microseconds, either way.
    pub(super) const fn moved(self, micros: i64) -> Self {
        Self(self.0.saturating_add(micros))
    }

    pub(super) const fn from_seconds(seconds: i64) -> Option<Self> {
        if seconds < 0 || seconds > LATEST { None } else { Some(Self(seconds * SECOND)) }
    }

    /// The whole second the moment lies in, counted from 1970.
    pub const fn second(self) -> i64 {
        self.0.div_euclid(SECOND)
    }

    /// The time of day that it is, for a clock that goes by it.
    pub(crate) fn of_day(self) -> SystemTime {
        let span = Duration::from_micros(self.0.unsigned_abs());
        // No log says a time that the system's clock could not hold.
        let time = if self.0 < 0 {
            SystemTime::UNIX_EPOCH.checked_sub(span)
        } else {
            SystemTime::UNIX_EPOCH.checked_add(span)
        };
        time.unwrap_or(SystemTime::UNIX_EPOCH)
    }

    /// Moves the moment later.
    #[must_use]
    pub fn plus(self, by: Duration) -> Self {
        Self(self.0.saturating_add(i64::try_from(by.as_micros()).unwrap_or(i64::MAX)))
    }

    pub(super) fn plus_seconds(self, by: i64) -> Self {
        Self(self.0.saturating_add(by.saturating_mul(SECOND)))
    }

    pub(super) fn plus_micros(self, by: u32) -> Self {
        Self(self.0.saturating_add(i64::from(by)))
    }
}

/// A moment as RFC 3339 writes it, to the microsecond; without an offset where the log does not say how far its clock is
/// from UTC.
#[derive(Clone, Copy, Debug)]
pub struct Rfc3339 {
    /// The moment.
    pub time: LogTime,
    /// Whether it is UTC.
    pub utc: bool,
}

impl fmt::Display for Rfc3339 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let zone = if self.utc { "Z" } else { "" };
        match self.time.civil() {
            Some(civil) => write!(
                f,
                "{}T{:02}:{:02}:{:02}.{:06}{zone}",
                civil.date(),
                civil.hour(),
                civil.minute(),
                civil.second(),
                civil.subsec_nanosecond() / 1_000
            ),
            None => self.time.fmt(f),
        }
    }
}

impl Sub for LogTime {
    type Output = Duration;

    /// How much later than `earlier`; zero where it is not later.
    fn sub(self, earlier: Self) -> Duration {
        Duration::from_micros(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }
}

impl fmt::Display for LogTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.civil() {
            Some(civil) => {
                let micros = civil.subsec_nanosecond() / 1_000;
                write!(f, "{} {:02}:{:02}:{:02}", civil.date(), civil.hour(), civil.minute(), civil.second())?;
                match micros {
                    0 => Ok(()),
                    _ if micros % 1_000 == 0 => write!(f, ".{:03}", micros / 1_000),
                    _ => write!(f, ".{micros:06}"),
                }
            }
            None => write!(f, "{}", self.0),
        }
    }
}

/// What stands where a time may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// Nothing that looks like a time.
    Absent,
    /// The form of a time, but no such day or hour exists.
    Impossible,
    /// A time.
    Time(Stamp),
}

/// A time as it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    pub(super) time: LogTime,
    /// Whether the distance from UTC was written, so that the time is UTC; else it is the log's own clock.
    pub(super) absolute: bool,
    /// Bytes read.
    pub(super) len: usize,
}

/// Days from 1970-01-01 to a day of the Gregorian calendar; none where there is no such day.
///
/// Counts in years that begin in March, so that the leap day comes last: a 400-year cycle has 146,097 days.
fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let longest = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 => 28 + i64::from(leap),
        _ => return None,
    };
    if !(1..=longest).contains(&day) {
        return None;
    }
    let year = year - i64::from(month <= 2);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    Some(365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + day_of_year - 719_468)
}

fn seconds(date: Option<i64>, hour: i64, minute: i64, second: i64) -> Option<LogTime> {
    // A leap second is written as second 60 and counts as the first of the next minute.
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    LogTime::from_seconds(date? * 86_400 + hour * 3_600 + minute * 60 + second)
}

fn digits(text: &[u8]) -> Option<i64> {
    text.iter().try_fold(0, |value, byte| byte.is_ascii_digit().then(|| value * 10 + i64::from(byte - b'0')))
}

/// A fraction of a second with its dot: microseconds, and bytes read. Digits beyond the sixth are dropped.
pub(super) fn fraction(text: &[u8]) -> (u32, usize) {
    if text.first() != Some(&b'.') {
        return (0, 0);
    }
    let (mut micros, mut scale, mut len) = (0, 100_000, 1);
    for byte in text[1..].iter().take_while(|byte| byte.is_ascii_digit()) {
        micros += u32::from(byte - b'0') * scale;
        scale /= 10;
        len += 1;
    }
    if len == 1 { (0, 0) } else { (micros, len) }
}

/// Reads `2020-03-11 20:40:43.123` or `2020-03-11T20:40:43.123456Z`, and remembers the last second read: busy logs
/// write thousands of lines in each.
#[derive(Clone, Debug, Default)]
pub(super) struct CivilClock {
    last: [u8; 19],
    time: Option<LogTime>,
}

impl CivilClock {
    /// Whether a text begins with the form of a civil time.
    pub(super) fn has_form(text: &[u8]) -> bool {
        text.len() >= 19
            && text[..19].iter().zip(b"0000-00-00 00:00:00").all(|(byte, form)| match form {
                b'0' => byte.is_ascii_digit(),
                b' ' => matches!(byte, b' ' | b'T'),
                _ => byte == form,
            })
    }

    /// Reads the time that a text begins with, its fraction and its zone.
    pub(super) fn read(&mut self, text: &[u8]) -> Found {
        let Some(civil) = text.first_chunk::<19>() else {
            return Found::Absent;
        };
        if self.last != *civil {
            if !Self::has_form(civil) {
                return Found::Absent;
            }
            self.last = *civil;
            let part = |from: usize, to: usize| digits(&civil[from..to]).unwrap_or(0);
            self.time = seconds(days(part(0, 4), part(5, 7), part(8, 10)), part(11, 13), part(14, 16), part(17, 19));
        }
        let Some(time) = self.time else {
            return Found::Impossible;
        };
        let (micros, len) = fraction(&text[19..]);
        let (offset, zone) = zone(&text[19 + len..]);
        Found::Time(Stamp {
            time: time.plus_micros(micros).plus_seconds(-offset.unwrap_or(0)),
            absolute: offset.is_some(),
            len: 19 + len + zone,
        })
    }
}

/// A zone: seconds east of UTC where it is `Z`, `UTC`, `GMT` or a number, and bytes read. Other abbreviations mean
/// different offsets to different people; the log's own clock serves as well, and where it is set back, as in autumn,
/// [`Timeline`](super::timeline::Timeline) sees it.
fn zone(text: &[u8]) -> (Option<i64>, usize) {
    let space = usize::from(text.first() == Some(&b' '));
    let text = &text[space..];
    for name in [&b"UTC"[..], b"GMT", b"Z"] {
        if text.starts_with(name) && !text.get(name.len()).is_some_and(u8::is_ascii_alphanumeric) {
            return (Some(0), space + name.len());
        }
    }
    let sign = match text.first() {
        Some(b'+') => 1,
        Some(b'-') => -1,
        _ => return (None, 0),
    };
    let Some(hours) = text.get(1..3).and_then(digits).filter(|hours| *hours <= 15) else {
        return (None, 0);
    };
    let colon = usize::from(text.get(3) == Some(&b':'));
    let minutes = text.get(3 + colon..5 + colon).and_then(digits).filter(|minutes| *minutes <= 59);
    let len = if minutes.is_some() { 5 + colon } else { 3 };
    (Some(sign * (hours * 3_600 + minutes.unwrap_or(0) * 60)), space + len)
}

/// Reads `1583955644.123`, as PostgreSQL's `%n` writes it.
pub(super) fn epoch(text: &[u8]) -> Found {
    let Some(time) = text.get(..10).and_then(digits).and_then(LogTime::from_seconds) else {
        return Found::Absent;
    };
    let (micros, len) = fraction(&text[10..]);
    // Without the fraction any number of ten digits would be taken for a time.
    if len != 4 || text.get(14).is_some_and(u8::is_ascii_digit) {
        return Found::Absent;
    }
    Found::Time(Stamp { time: time.plus_micros(micros), absolute: true, len: 14 })
}

/// Reads `071218 11:48:27` or `081127  8:51:20`, as MySQL wrote them before 5.7 and MariaDB still does.
pub(super) fn short(text: &[u8]) -> Found {
    let Some(date) = text.get(..6).and_then(digits) else {
        return Found::Absent;
    };
    if text.get(6) != Some(&b' ') {
        return Found::Absent;
    }
    let clock = text[6..].trim_ascii_start();
    let hour_len = clock.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let form =
        (1..=2).contains(&hour_len) && clock.get(hour_len) == Some(&b':') && clock.get(hour_len + 3) == Some(&b':');
    let part = |from: usize| clock.get(from..from + 2).and_then(digits);
    let (true, Some(hour), Some(minute), Some(second)) =
        (form, digits(&clock[..hour_len]), part(hour_len + 1), part(hour_len + 4))
    else {
        return Found::Absent;
    };
    // Slow logs exist since the nineties; 70 is where two-digit years of Unix turn.
    let year = date / 10_000;
    let year = if year < 70 { 2_000 + year } else { 1_900 + year };
    let Some(time) = seconds(days(year, date / 100 % 100, date % 100), hour, minute, second) else {
        return Found::Impossible;
    };
    let rest = &clock[hour_len + 6..];
    let (micros, len) = fraction(rest);
    Found::Time(Stamp { time: time.plus_micros(micros), absolute: false, len: text.len() - rest.len() + len })
}

/// Reads a number of seconds or milliseconds, `0.000012` or `2`, in units of `unit` nanoseconds; with the bytes read.
pub(super) fn duration(text: &[u8], unit: u64) -> Option<(Duration, usize)> {
    let whole_len = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    // Twelve digits of seconds are 30,000 years.
    if whole_len == 0 || whole_len > 12 {
        return None;
    }
    let whole = u64::try_from(digits(&text[..whole_len])?).ok()?;
    let (micros, len) = fraction(&text[whole_len..]);
    let nanos = u128::from(whole) * u128::from(unit) + u128::from(micros) * u128::from(unit) / 1_000_000;
    Some((Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX)), whole_len + len))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn civil(text: &str) -> Found {
        CivilClock::default().read(text.as_bytes())
    }

    fn time(found: Found) -> String {
        match found {
            Found::Time(stamp) => stamp.time.to_string(),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn days_agree_with_a_calendar_for_every_day_of_nine_centuries() {
        let mut day = jiff::civil::date(1970, 1, 1);
        let mut count = 0;
        while day.year() < 2_900 {
            assert_eq!(days(day.year().into(), day.month().into(), day.day().into()), Some(count), "{day}");
            day = day.tomorrow().unwrap();
            count += 1;
        }
    }

    #[test]
    fn days_that_do_not_exist_are_refused() {
        for (year, month, day) in
            [(2020, 13, 1), (2020, 0, 1), (2020, 2, 30), (2021, 2, 29), (1900, 2, 29), (2020, 4, 31)]
        {
            assert_eq!(days(year, month, day), None, "{year}-{month}-{day}");
            assert!(jiff::civil::Date::new(year as i16, month as i8, day as i8).is_err());
        }
        assert!(days(2000, 2, 29).is_some());
    }

    #[test]
    fn civil_times_are_read_with_fraction_and_zone() {
        assert_eq!(time(civil("2020-03-11 20:40:43 CET:")), "2020-03-11 20:40:43");
        assert_eq!(time(civil("2020-03-11 20:40:43.120 CET")), "2020-03-11 20:40:43.120");
        assert_eq!(time(civil("2020-03-11T20:40:43.123456Z")), "2020-03-11 20:40:43.123456");
        assert_eq!(time(civil("2020-03-11T20:40:43.123456+01:00")), "2020-03-11 19:40:43.123456");
        assert_eq!(time(civil("2020-03-11 20:40:43 -0330")), "2020-03-12 00:10:43");
        assert_eq!(time(civil("2020-03-11 20:40:43 +03")), "2020-03-11 17:40:43");
        assert_eq!(time(civil("2016-12-31 23:59:60 UTC")), "2017-01-01 00:00:00");
    }

    #[test]
    fn what_looks_like_a_time_but_is_none_is_told_from_what_does_not() {
        assert_eq!(civil("2020-13-45 20:40:43 CET"), Found::Impossible);
        assert_eq!(civil("2020-02-30 20:40:43 CET"), Found::Impossible);
        assert_eq!(civil("2020-02-28 24:40:43 CET"), Found::Impossible);
        assert_eq!(civil("2020-02-28 2x:40:43 CET"), Found::Absent);
        assert_eq!(civil("2020-02-28"), Found::Absent);
        assert_eq!(short(b"071318 11:48:27"), Found::Impossible);
        assert_eq!(short(b"071218 11:61:27"), Found::Impossible);
        assert_eq!(short(b"0712 11:48:27"), Found::Absent);
        assert_eq!(short(b"071218 11:48"), Found::Absent);
    }

    #[test]
    fn an_impossible_second_is_not_remembered_as_the_one_before() {
        let mut clock = CivilClock::default();
        assert!(matches!(clock.read(b"2020-03-11 20:40:43 CET"), Found::Time(_)));
        assert_eq!(clock.read(b"2020-02-30 20:40:43 CET"), Found::Impossible);
        assert_eq!(clock.read(b"2020-02-30 20:40:43 CET"), Found::Impossible);
        assert_eq!(time(clock.read(b"2020-03-11 20:40:43.5 CET")), "2020-03-11 20:40:43.500");
    }

    #[test]
    fn rfc_3339_has_all_digits_and_an_offset_where_it_is_known() {
        for (micros, utc, text) in [
            (1_704_103_200_000_000, true, "2024-01-01T10:00:00.000000Z"),
            (1_704_103_200_000_120, false, "2024-01-01T10:00:00.000120"),
        ] {
            assert_eq!(Rfc3339 { time: LogTime::from_micros(micros), utc }.to_string(), text);
        }
    }

    #[test]
    fn short_times_and_numbers_of_seconds() {
        assert_eq!(time(short(b"071218 11:48:27 # User@Host")), "2007-12-18 11:48:27");
        assert_eq!(time(short(b"081127  8:51:20")), "2008-11-27 08:51:20");
        assert_eq!(time(short(b"991127  8:51:20.25")), "1999-11-27 08:51:20.250");
        assert_eq!(time(epoch(b"1583955644.123 [1]")), "2020-03-11 19:40:44.123");
        assert_eq!(epoch(b"1583955644 [1]"), Found::Absent);
        assert_eq!(epoch(b"15839556441.123"), Found::Absent);
        assert_eq!(duration(b"0.027 ms", 1_000_000), Some((Duration::from_micros(27), 5)));
        assert_eq!(duration(b"2  Lock", 1_000_000_000), Some((Duration::from_secs(2), 1)));
        assert_eq!(duration(b"-2", 1_000_000_000), None);
    }
}
