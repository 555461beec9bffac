//! How often, in words and numbers: "3/day", "every 3 weeks", "7d", "P7D", "weekly", "never".

use super::number::{Fault, number};
use crate::numeric::decimal;
use serde::{Deserialize, Serialize};

/// A unit of time; a month is 30 days, a year 365.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "wasm", derive(tsify::Tsify))]
pub enum Unit {
    /// 1/86,400 of a day.
    Seconds,
    /// 1/1,440 of a day.
    Minutes,
    /// 1/24 of a day.
    Hours,
    /// The unit inside.
    Days,
    /// 7 days.
    Weeks,
    /// 30 days.
    Months,
    /// 365 days.
    Years,
}

impl Unit {
    /// How many of it a day has, and how many days it has: one of the two is 1, so that round values stay exact.
    fn ratio(self) -> (f64, f64) {
        match self {
            Self::Seconds => (86_400.0, 1.0),
            Self::Minutes => (1_440.0, 1.0),
            Self::Hours => (24.0, 1.0),
            Self::Days => (1.0, 1.0),
            Self::Weeks => (1.0, 7.0),
            Self::Months => (1.0, 30.0),
            Self::Years => (1.0, 365.0),
        }
    }

    /// A rate of `value` per unit, per day.
    #[must_use]
    pub fn rate(self, value: f64) -> f64 {
        let (in_a_day, days) = self.ratio();
        value * in_a_day / days
    }

    /// The rate per day of something that happens every `value` units.
    #[must_use]
    pub fn every(self, value: f64) -> f64 {
        let (in_a_day, days) = self.ratio();
        in_a_day / (value * days)
    }

    /// `value` units in days.
    #[must_use]
    pub fn days(self, value: f64) -> f64 {
        let (in_a_day, days) = self.ratio();
        value * days / in_a_day
    }

    /// The unit that a word names, with how many of it; `m` alone could be minutes or months.
    pub(super) fn named(word: &str) -> Option<(f64, Self)> {
        let unit = match word {
            "s" | "sec" | "secs" | "second" | "seconds" | "sekunde" | "sekunden" => Self::Seconds,
            "min" | "mins" | "minute" | "minutes" | "minuten" => Self::Minutes,
            "h" | "hr" | "hrs" | "hour" | "hours" | "stunde" | "stunden" | "heure" | "heures" => Self::Hours,
            "d" | "day" | "days" | "tag" | "tage" | "tagen" | "jour" | "jours" => Self::Days,
            "w" | "wk" | "wks" | "week" | "weeks" | "woche" | "wochen" | "semaine" | "semaines" => Self::Weeks,
            "fortnight" | "fortnights" => return Some((2.0, Self::Weeks)),
            "mo" | "mon" | "mth" | "month" | "months" | "monat" | "monate" | "monaten" | "mois" => Self::Months,
            "quarter" | "quarters" => return Some((3.0, Self::Months)),
            "y" | "yr" | "yrs" | "year" | "years" | "annum" | "jahr" | "jahre" | "jahren" | "an" | "ans" => Self::Years,
            _ => return None,
        };
        Some((1.0, unit))
    }
}

/// What a cell of a rate or interval column says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Pace {
    /// A bare number: the column says what it means.
    Bare(f64),
    /// So many a day, whatever the column.
    PerDay(f64),
}

const UNREADABLE: Fault = Fault::new(
    "neither a number nor a pace",
    "Write a number, or words such as \"3/day\", \"every 3 weeks\" or \"P7D\".",
);
const MINUTE_OR_MONTH: Fault = Fault::new("\"m\" could be minutes or months", "Write \"min\" or \"mo\".");
const BI: Fault = Fault::new("could mean twice in one or once in two", "Write \"every 2 weeks\" or \"2/week\".");
const ZERO: Fault = Fault::new("an interval of 0", "An interval is above 0; write \"never\" for what never changes.");
const NEGATIVE: Fault = Fault::new("below 0", "Rates and intervals are not negative.");

/// Reads how often something happens.
pub(super) fn pace(text: &str, comma: bool) -> Result<Pace, Fault> {
    let refused = match number(text, comma) {
        Ok(value) => return Ok(Pace::Bare(value)),
        Err(fault) => fault,
    };
    // Digits alone that make no number are told as a number's fault, not as a pace's.
    if text.len() > 64 || !text.chars().any(|c| c.is_alphabetic() || c == '/') || text.starts_with(['{', '[']) {
        return Err(refused);
    }
    let lower = text.to_lowercase();
    if matches!(lower.trim_start_matches(['-', '+']), "nan" | "inf" | "infinity")
        || (lower != text && number(&lower, comma).is_ok())
    {
        return Err(refused);
    }
    match lower.as_str() {
        "never" | "static" => return Ok(Pace::PerDay(0.0)),
        "biweekly" | "bi-weekly" | "bimonthly" | "bi-monthly" | "biannual" | "biannually" => return Err(BI),
        _ => {}
    }
    if let Some((count, unit)) = adverb(&lower) {
        return Ok(Pace::PerDay(unit.every(count)));
    }
    if let Some(period) = ["every ", "each ", "once every "].iter().find_map(|lead| lower.strip_prefix(lead)) {
        return every(period.trim(), comma);
    }
    if lower.starts_with('p')
        && let Some(days) = iso_duration(&lower)
    {
        return interval(days);
    }
    if let Some((times, period)) = split_per(&lower) {
        return per(times, period, comma);
    }
    // A unit alone is more likely a name: "d" could be anything.
    if lower.contains(|c: char| c.is_ascii_digit()) { every(&lower, comma) } else { Err(UNREADABLE) }
}

fn adverb(word: &str) -> Option<(f64, Unit)> {
    Some(match word {
        "secondly" => (1.0, Unit::Seconds),
        "minutely" => (1.0, Unit::Minutes),
        "hourly" => (1.0, Unit::Hours),
        "daily" | "nightly" | "täglich" => (1.0, Unit::Days),
        "weekly" | "wöchentlich" => (1.0, Unit::Weeks),
        "fortnightly" => (2.0, Unit::Weeks),
        "monthly" | "monatlich" => (1.0, Unit::Months),
        "quarterly" => (3.0, Unit::Months),
        "yearly" | "annually" | "jährlich" => (1.0, Unit::Years),
        _ => return None,
    })
}

/// "3 times per week" → ("3 times", "week").
fn split_per(text: &str) -> Option<(&str, &str)> {
    // Names are mostly words without either: no need to look for five of them.
    if !text.bytes().any(|byte| matches!(byte, b'/' | b' ')) {
        return None;
    }
    ["/", " per ", " a ", " an ", " pro "]
        .iter()
        .find_map(|word| text.split_once(word))
        .map(|(a, b)| (a.trim(), b.trim()))
}

/// So many in a period; the period may have a number of its own: "1/7 days". Two bare numbers are a fraction.
fn per(times: &str, period: &str, comma: bool) -> Result<Pace, Fault> {
    let bare = [" times", "times", " time", "x", "×", " changes", " change", " visits", " visit", " updates"]
        .iter()
        .find_map(|word| times.strip_suffix(word))
        .unwrap_or(times);
    let times = match bare.trim() {
        "once" | "one" => 1.0,
        "twice" | "two" => 2.0,
        bare => number(bare, comma).map_err(|_| UNREADABLE)?,
    };
    if times < 0.0 {
        return Err(NEGATIVE);
    }
    if let Ok(parts) = number(period, comma) {
        return if parts > 0.0 { Ok(Pace::Bare(times / parts)) } else { Err(UNREADABLE) };
    }
    match one_part(period, comma)? {
        (count, unit) if count > 0.0 => Ok(Pace::PerDay(unit.rate(times) / count)),
        _ => Err(ZERO),
    }
}

/// A time between changes: "3 weeks", "7d", "1d 12h", and after "every" also "week".
fn every(text: &str, comma: bool) -> Result<Pace, Fault> {
    if let Ok((count, unit)) = one_part(text, comma) {
        // One unit alone keeps round values exact.
        return if count > 0.0 {
            Ok(Pace::PerDay(unit.every(count)))
        } else {
            Err(if count < 0.0 { NEGATIVE } else { ZERO })
        };
    }
    let mut days = 0.0;
    let mut rest = text;
    let mut parts = 0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| c.is_alphabetic()).ok_or(UNREADABLE)?;
        let word = rest[digits..].find(|c: char| !c.is_alphabetic()).map_or(rest.len(), |length| digits + length);
        let (count, unit) = one_part(&rest[..word], comma)?;
        if digits == 0 || count < 0.0 {
            return Err(UNREADABLE);
        }
        days += unit.days(count);
        parts += 1;
        rest = rest[word..].trim_start_matches([' ', ',']);
    }
    if parts == 0 { Err(UNREADABLE) } else { interval(days) }
}

fn interval(days: f64) -> Result<Pace, Fault> {
    if days > 0.0 { Ok(Pace::PerDay(1.0 / days)) } else { Err(ZERO) }
}

/// "3 weeks", "7d", "week", "other week".
fn one_part(text: &str, comma: bool) -> Result<(f64, Unit), Fault> {
    let (text, twice) = text.strip_prefix("other ").map_or((text, 1.0), |rest| (rest, 2.0));
    let place = text.find(|c: char| c.is_alphabetic()).ok_or(UNREADABLE)?;
    let (count, word) = (text[..place].trim(), text[place..].trim_end_matches(['.', '(', ')', ' ']));
    if word == "m" {
        return Err(MINUTE_OR_MONTH);
    }
    let (many, unit) = Unit::named(word).ok_or(UNREADABLE)?;
    let count = if count.is_empty() { 1.0 } else { number(count, comma).map_err(|_| UNREADABLE)? };
    Ok((count * many * twice, unit))
}

/// An ISO 8601 duration in days, lower case: p7d, pt12h, p1dt12h, p2w.
fn iso_duration(text: &str) -> Option<f64> {
    let mut rest = text.strip_prefix('p')?;
    let (mut days, mut in_time, mut parts) = (0.0, false, 0);
    while !rest.is_empty() {
        if let Some(time) = rest.strip_prefix('t') {
            (in_time, rest) = (true, time);
            continue;
        }
        let place = rest.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',')))?;
        let count = decimal::nearest(&rest[..place].replace(',', "."))?;
        let unit = match (in_time, rest.as_bytes()[place]) {
            (false, b'y') => Unit::Years,
            (false, b'm') => Unit::Months,
            (false, b'w') => Unit::Weeks,
            (false, b'd') => Unit::Days,
            (true, b'h') => Unit::Hours,
            (true, b'm') => Unit::Minutes,
            (true, b's') => Unit::Seconds,
            _ => return None,
        };
        days += unit.days(count);
        parts += 1;
        rest = &rest[place + 1..];
    }
    (parts > 0).then_some(days)
}

/// A bare number of a rate column, per day.
pub(super) fn bare_rate(value: f64, unit: Unit) -> Result<f64, Fault> {
    if value < 0.0 { Err(NEGATIVE) } else { Ok(unit.rate(value)) }
}

/// A bare number of an interval column, as a rate per day.
pub(super) fn bare_interval(value: f64, unit: Unit) -> Result<f64, Fault> {
    match value {
        _ if value < 0.0 => Err(NEGATIVE),
        0.0 => Err(ZERO),
        _ => Ok(unit.every(value)),
    }
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "that values are exact is the claim")]
mod tests {
    use super::*;

    #[test]
    fn paces_are_exact_where_they_are_round() {
        for (text, per_day) in [
            ("every 3 weeks", 1.0 / 21.0),
            ("3 weeks", 1.0 / 21.0),
            ("21d", 1.0 / 21.0),
            ("P3W", 1.0 / 21.0),
            ("P7D", 1.0 / 7.0),
            ("PT12H", 2.0),
            ("P1DT12H", 1.0 / 1.5),
            ("1d 12h", 1.0 / 1.5),
            ("7d", 1.0 / 7.0),
            ("2 weeks", 1.0 / 14.0),
            ("every other day", 0.5),
            ("3/day", 3.0),
            ("3 per week", 3.0 / 7.0),
            ("2x/week", 2.0 / 7.0),
            ("1/7 days", 1.0 / 7.0),
            ("twice a day", 2.0),
            ("once a month", 1.0 / 30.0),
            ("3 times per hour", 72.0),
            ("Weekly", 1.0 / 7.0),
            ("daily", 1.0),
            ("hourly", 24.0),
            ("yearly", 1.0 / 365.0),
            ("never", 0.0),
        ] {
            assert_eq!(pace(text, false), Ok(Pace::PerDay(per_day)), "{text}");
        }
        assert_eq!(pace("0,5/Tag", true), Ok(Pace::PerDay(0.5)));
        assert_eq!(pace("1/8", false), Ok(Pace::Bare(0.125)));
        assert_eq!(pace("1,234.5", false), Ok(Pace::Bare(1234.5)));
    }

    #[test]
    fn what_could_mean_two_things_is_refused() {
        assert_eq!(pace("5m", false), Err(MINUTE_OR_MONTH));
        assert_eq!(pace("biweekly", false), Err(BI));
        assert_eq!(pace("every 0 days", false), Err(ZERO));
        assert_eq!(pace("P0D", false), Err(ZERO));
        assert_eq!(pace("-3/day", false), Err(NEGATIVE));
        assert_eq!(pace("soon", false), Err(UNREADABLE));
        for text in ["every", "d", "weeks", "per day", "P", "PT", "3 parsecs", "/", "1/0", "é", "7 d d", "pünktlich"]
        {
            assert!(pace(text, false).is_err(), "{text}");
        }
    }

    #[test]
    fn units_convert_both_ways() {
        assert_eq!(Unit::Weeks.every(3.0), 1.0 / 21.0);
        assert_eq!(Unit::Hours.every(12.0), 2.0);
        assert_eq!(Unit::Hours.rate(0.5), 12.0);
        assert_eq!(Unit::Days.rate(0.1), 0.1);
        assert_eq!(Unit::Years.rate(730.0), 2.0);
        assert_eq!(Unit::Hours.days(36.0), 1.5);
    }
}
