//! Points in time, as RFC 3339 writes them: `2026-12-01T10:00:00Z`.

use super::quoted;
use jiff::Timestamp;
use jiff::civil::{Date, Time};
use jiff::tz::Offset;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const EXAMPLE: &str = "write a date, a time and a zone, such as `2026-12-01T10:00:00Z` or `2026-12-01T11:00:00+01:00`";
const ZONES: &str = "write `Z` for UTC, or an offset such as `+01:00`";

/// Why a text is no point in time: how, what was found, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum InvalidTimestamp {
    /// It is not written as one.
    Malformed(String, String),
    /// It does not say in which zone.
    WithoutZone(String, String),
    /// A zone by its name, or something else that is no offset.
    UnknownZone(String, String),
    /// There is no such day, time or offset, or it is before 1970.
    Impossible(String, String),
}

/// Reads a point in time. A leap second is the second that follows it.
pub(crate) fn timestamp(text: &str) -> Result<SystemTime, InvalidTimestamp> {
    use InvalidTimestamp::{Impossible, Malformed, UnknownZone, WithoutZone};
    let shown = quoted(text);
    let Some((date, rest)) = digits(text, "dddd-dd-dd") else {
        return Err(Malformed(format!("{shown} is not a point in time"), EXAMPLE.to_owned()));
    };
    let Some((time, rest)) = rest.strip_prefix(['T', 't', ' ']).and_then(|rest| digits(rest, "dd:dd:dd")) else {
        let expected =
            if rest.is_empty() { format!("did you mean `{text}T00:00:00Z`? {EXAMPLE}") } else { EXAMPLE.to_owned() };
        return Err(Malformed(format!("{shown} has no time of day with hours, minutes and seconds"), expected));
    };
    let (nanos, zone) = fraction(rest).ok_or_else(|| {
        let found = format!("the seconds of {shown} are not a number of up to nine digits behind the point");
        Malformed(found, EXAMPLE.to_owned())
    })?;
    let offset = match (zone, zone.strip_prefix(['+', '-']).and_then(|offset| digits(offset, "dd:dd"))) {
        ("", _) => return Err(WithoutZone(format!("{shown} has no zone"), ZONES.to_owned())),
        ("Z" | "z", _) => Some(0),
        (_, Some(([hours, minutes, _], ""))) if hours < 24 && minutes < 60 => {
            let seconds = hours * 3_600 + minutes * 60;
            Some(if zone.starts_with('-') { -seconds } else { seconds })
        }
        (_, Some((_, ""))) => None,
        _ => return Err(UnknownZone(format!("{} is an unknown zone", quoted(zone.trim())), ZONES.to_owned())),
    };
    let moment = offset.and_then(|offset| moment(date, time, nanos, offset));
    moment.ok_or_else(|| {
        let expected = "write a day and a time that there are, from the year 1970 on";
        Impossible(format!("there is no {shown}"), expected.to_owned())
    })
}

/// The numbers of a text that begins as the form has it, where `d` is a digit, and what follows.
fn digits<'t>(text: &'t str, form: &str) -> Option<([i32; 3], &'t str)> {
    let (mut numbers, mut at) = ([0; 3], 0);
    for (expected, found) in form.bytes().zip(text.bytes().map(Some).chain(std::iter::repeat(None))) {
        match (expected, found?) {
            (b'd', digit @ b'0'..=b'9') => numbers[at] = numbers[at] * 10 + i32::from(digit - b'0'),
            (separator, found) if separator == found && separator != b'd' => at += 1,
            _ => return None,
        }
    }
    Some((numbers, &text[form.len()..]))
}

/// The nanoseconds of a text that may begin with a decimal point, and what follows.
fn fraction(text: &str) -> Option<(i32, &str)> {
    let Some(rest) = text.strip_prefix('.') else {
        return Some((0, text));
    };
    let count = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (digits, zone) = rest.split_at(count);
    let nanos = (1..=9).contains(&count).then(|| format!("{digits:0<9}").parse().ok())??;
    Some((nanos, zone))
}

fn moment(
    [year, month, day]: [i32; 3],
    [hour, minute, second]: [i32; 3],
    nanos: i32,
    offset: i32,
) -> Option<SystemTime> {
    let part = |part: i32| i8::try_from(part).ok();
    let (second, leap) = if second == 60 { (59, 1) } else { (second, 0) };
    let date = Date::new(i16::try_from(year).ok()?, part(month)?, part(day)?).ok()?;
    let time = Time::new(part(hour)?, part(minute)?, part(second)?, nanos).ok()?;
    let moment = Offset::from_seconds(offset).ok()?.to_timestamp(date.to_datetime(time)).ok()?;
    let seconds = u64::try_from(moment.as_second()).ok()?.checked_add(leap)?;
    let nanos = u32::try_from(moment.subsec_nanosecond()).ok()?;
    UNIX_EPOCH.checked_add(Duration::new(seconds, nanos))
}

/// A point in time as RFC 3339 writes it, to the second.
pub(crate) fn write_timestamp(moment: SystemTime) -> String {
    let seconds = moment.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let moment = i64::try_from(seconds).ok().and_then(|seconds| Timestamp::from_second(seconds).ok());
    moment.map_or_else(|| "a time after the year 9999".to_owned(), |moment| moment.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Duration, &'static str> {
        let moment = timestamp(text).map_err(|invalid| match invalid {
            InvalidTimestamp::Malformed(..) => "malformed",
            InvalidTimestamp::WithoutZone(..) => "without zone",
            InvalidTimestamp::UnknownZone(..) => "unknown zone",
            InvalidTimestamp::Impossible(..) => "impossible",
        })?;
        Ok(moment.duration_since(UNIX_EPOCH).unwrap())
    }

    #[test]
    fn points_in_time_are_read_as_rfc_3339_has_them() {
        let at = |seconds| Ok(Duration::from_secs(seconds));
        let cases = [
            ("1970-01-01T00:00:00Z", at(0)),
            ("2026-12-01T10:00:00Z", at(1_796_119_200)),
            ("2026-12-01t10:00:00z", at(1_796_119_200)),
            ("2026-12-01 10:00:00Z", at(1_796_119_200)),
            ("2026-12-01T11:30:00+01:30", at(1_796_119_200)),
            ("2026-12-01T02:00:00-08:00", at(1_796_119_200)),
            ("2026-12-01T10:00:00-00:00", at(1_796_119_200)),
            ("2016-12-31T23:59:60Z", at(1_483_228_800)),
            ("2026-12-01T10:00:00.25Z", Ok(Duration::new(1_796_119_200, 250_000_000))),
            ("2026-12-01T10:00:00.123456789Z", Ok(Duration::new(1_796_119_200, 123_456_789))),
            ("2024-02-29T00:00:00Z", at(1_709_164_800)),
            ("2026-12-01", Err("malformed")),
            ("2026-12-01T10:00Z", Err("malformed")),
            ("2026-12-01T10:00:00.Z", Err("malformed")),
            ("2026-12-01T10:00:00.1234567890Z", Err("malformed")),
            ("20261201T100000Z", Err("malformed")),
            ("2026-1-1T10:00:00Z", Err("malformed")),
            ("+2026-12-01T10:00:00Z", Err("malformed")),
            ("tomorrow", Err("malformed")),
            ("", Err("malformed")),
            ("２０２６-12-01T10:00:00Z", Err("malformed")),
            ("2026-12-01T10:00:00", Err("without zone")),
            ("2026-12-01T10:00:00.5", Err("without zone")),
            ("2026-12-01T10:00:00 CET", Err("unknown zone")),
            ("2026-12-01T10:00:00+0100", Err("unknown zone")),
            ("2026-12-01T10:00:00+01", Err("unknown zone")),
            ("2026-12-01T10:00:00+01:00[Europe/Berlin]", Err("unknown zone")),
            ("2026-12-01T10:00:00Europe/Berlin", Err("unknown zone")),
            ("2026-12-01T10:00:00Zé", Err("unknown zone")),
            ("2026-02-29T00:00:00Z", Err("impossible")),
            ("2026-13-01T00:00:00Z", Err("impossible")),
            ("2026-00-01T00:00:00Z", Err("impossible")),
            ("2026-12-01T24:00:00Z", Err("impossible")),
            ("2026-12-01T10:60:00Z", Err("impossible")),
            ("2026-12-01T10:00:61Z", Err("impossible")),
            ("2026-12-01T10:00:00+24:00", Err("impossible")),
            ("2026-12-01T10:00:00+01:60", Err("impossible")),
            ("1969-12-31T23:59:59Z", Err("impossible")),
            ("0000-01-01T00:00:00Z", Err("impossible")),
            ("9999-12-31T23:59:59-23:59", Err("impossible")),
        ];
        for (text, expected) in cases {
            assert_eq!(read(text), expected, "{text}");
        }
    }
}
