//! Moments as days since 1970-01-01T00:00Z: ISO 8601 dates and times, and Unix times.
//!
//! Written out: the formats accepted are few and fixed, and a date library would add more to the module than this file.

use super::number::{Fault, number};

const UNREADABLE: Fault =
    Fault::new("not a date", "Write dates as 2026-03-02 or 2026-03-02T12:30:11Z, or as Unix seconds.");
const AMBIGUOUS: Fault = Fault::new("day and month could be swapped", "Write dates as 2026-03-02: year, month, day.");

/// Days since the epoch; times without an offset are UTC.
pub(super) fn instant(text: &str) -> Result<f64, Fault> {
    if text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') && text.matches('.').count() < 2 {
        return match number(text, false)? {
            // Twelve digits of seconds are the year 33658: from 1e11 on they are milliseconds.
            value if value >= 1e11 => Ok(value / 86_400_000.0),
            value if value >= 1e8 => Ok(value / 86_400.0),
            _ => Err(UNREADABLE),
        };
    }
    let bytes = text.as_bytes();
    if !text.is_ascii() || bytes.len() < 10 {
        let parts = text.split(['/', '.', '-']).count();
        return Err(if parts == 3 && text.starts_with(|c: char| c.is_ascii_digit()) { AMBIGUOUS } else { UNREADABLE });
    }
    let (date, time) = text.split_at(10);
    if !matches!((bytes[4], bytes[7]), (b'-', b'-') | (b'/', b'/')) {
        return Err(if matches!((bytes[2], bytes[5]), (b'/' | b'.' | b'-', b'/' | b'.' | b'-')) {
            AMBIGUOUS
        } else {
            UNREADABLE
        });
    }
    let day = (|| civil(digits(&date[..4])?, digits(&date[5..7])?, digits(&date[8..])?))().ok_or(UNREADABLE)?;
    let seconds = time_of_day(time).ok_or(UNREADABLE)?;
    Ok(day as f64 + seconds / 86_400.0)
}

fn digits(text: &str) -> Option<i64> {
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) { text.parse().ok() } else { None }
}

/// Seconds since midnight UTC of "T12:30:11.5+02:00", any part of which may be missing from the right.
fn time_of_day(text: &str) -> Option<f64> {
    let Some(rest) = text.strip_prefix(['T', 't', ' ']) else { return text.is_empty().then_some(0.0) };
    let rest = rest.trim();
    let (clock, offset) = match rest.find(['Z', 'z', '+', '-']) {
        Some(place) => (rest[..place].trim(), &rest[place..]),
        None => (rest.trim_end_matches(" UTC"), "Z"),
    };
    let mut parts = clock.splitn(3, ':');
    let hours = digits(parts.next()?).filter(|hours| *hours <= 24)?;
    let minutes = digits(parts.next()?).filter(|minutes| *minutes < 60)?;
    let seconds = match parts.next() {
        Some(text) => number(text, text.contains(',')).ok().filter(|seconds| (0.0..61.0).contains(seconds))?,
        None => 0.0,
    };
    let shift = if offset.eq_ignore_ascii_case("z") {
        0
    } else {
        let (sign, value) = offset.split_at(1);
        let value = value.replace(':', "");
        let (hours, minutes) = if value.len() == 4 { value.split_at(2) } else { (value.as_str(), "0") };
        let minutes =
            digits(hours).filter(|hours| *hours < 24)? * 60 + digits(minutes).filter(|minutes| *minutes < 60)?;
        if sign == "-" { -minutes } else { minutes }
    };
    Some((hours * 3600 + minutes * 60 - shift * 60) as f64 + seconds)
}

/// Days from 1970-01-01 in the Gregorian calendar, counting years from March so that leap days come last.
fn civil(year: i64, month: i64, day: i64) -> Option<i64> {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let longest = match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=longest).contains(&day) {
        return None;
    }
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    Some(year * 365 + leap_days + (153 * month + 2) / 5 + day - 1 - 719_468)
}

/// A moment on the calendar and the clock, to the second.
pub(crate) struct Moment {
    /// The day, counted from 1970-01-01.
    pub(crate) date: i64,
    pub(crate) year: i64,
    pub(crate) month: i64,
    pub(crate) day: i64,
    pub(crate) hour: i64,
    pub(crate) minute: i64,
    pub(crate) second: i64,
}

impl Moment {
    /// The nearest second to so many days since the epoch.
    pub(crate) fn at(days: f64) -> Self {
        // Beyond the years 0 to 9999 the formats have no room, and nobody plans there.
        let seconds = libm::round(days.clamp(-719_528.0, 2_932_896.0) * 86_400.0);
        #[allow(clippy::cast_possible_truncation, reason = "clamped just above; NaN becomes 0")]
        let seconds = seconds as i64;
        let (date, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
        let (year, month, day) = calendar(date);
        Self { date, year, month, day, hour: second / 3600, minute: second / 60 % 60, second: second % 60 }
    }
}

/// A moment as people and programs read it, to the second: "2026-03-02T12:30:11Z".
#[must_use]
pub fn stamp(days: f64) -> String {
    let Moment { year, month, day, hour, minute, second, .. } = Moment::at(days);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// The inverse of [`civil`]: year, month and day of a day counted from 1970-01-01.
pub(crate) fn calendar(day: i64) -> (i64, i64, i64) {
    let day = day + 719_468;
    let (era, of_era) = (day.div_euclid(146_097), day.rem_euclid(146_097));
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let from_march = (5 * of_year + 2) / 153;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (era * 400 + year + i64::from(month <= 2), month, of_year - (153 * from_march + 2) / 5 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_are_read_back_as_the_moment_they_were_made_of() {
        for day in (-200_000..400_000).step_by(97) {
            let days = f64::from(day) + 0.25;
            assert_eq!(instant(&stamp(days)), Ok(days), "{}", stamp(days));
        }
        assert_eq!(stamp(20_753.999_999_9), "2026-10-28T00:00:00Z");
        assert_eq!(stamp(f64::NAN), "1970-01-01T00:00:00Z");
        assert_eq!(stamp(f64::INFINITY), "9999-12-31T00:00:00Z");
    }

    #[test]
    fn dates_and_times_count_from_the_epoch() {
        for (text, days) in [
            ("1970-01-01", 0.0),
            ("2000-03-01", 11_017.0),
            ("2024-02-29", 19_782.0),
            ("2026-10-27T00:00:00Z", 20_753.0),
            ("2026-10-27 06:00", 20_753.25),
            ("2026-10-27T02:00:00+02:00", 20_753.0),
            ("2026-10-26T18:00:00-0600", 20_753.0),
            ("2026-10-27T12:00:00.000Z", 20_753.5),
            ("1969-12-31", -1.0),
            ("1793059200", 20_753.0),
            ("1793059200000", 20_753.0),
        ] {
            assert_eq!(instant(text), Ok(days), "{text}");
        }
    }

    #[test]
    fn swapped_or_impossible_dates_are_refused() {
        assert_eq!(instant("02/03/2026"), Err(AMBIGUOUS));
        assert_eq!(instant("2.3.2026"), Err(AMBIGUOUS));
        for text in
            ["2026-02-29", "2026-13-01", "yesterday", "2026-01-01T25:00", "2026-01-01T1", "12", "2026-01-01x", "éééééé"]
        {
            assert_eq!(instant(text), Err(UNREADABLE), "{text}");
        }
    }
}
