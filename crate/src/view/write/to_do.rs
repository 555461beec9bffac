//! The timetable as a list to tick off, day by day on the person's own clock.

use std::fmt::Write as _;

use super::{Visits, one_line};
use crate::ingest::{Moment, calendar};

const WEEKDAYS: [&str; 7] = ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"];
pub(super) const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

pub(super) fn to_do(visits: &Visits, offset: i32) -> String {
    let Visits { about, ids, start, horizon, timetable } = *visits;
    let local = |time: f64| Moment::at(time + f64::from(offset) / 1_440.0);
    let sign = if offset < 0 { '−' } else { '+' };
    let (hours, minutes) = (offset.abs() / 60, offset.abs() % 60);
    let mut out = format!(
        "Visits to {} of {}, made by Afresh\nTimes are UTC{sign}{hours:02}:{minutes:02}\n",
        one_line(&about.plural),
        one_line(&about.title)
    );
    let moments: Vec<Moment> = timetable.time.iter().map(|&time| local(time)).collect();
    let mut next = local(start).date;
    let mut k = 0;
    while k < moments.len() {
        let date = moments[k].date;
        idle(&mut out, next, date);
        let today = moments[k..].iter().take_while(|moment| moment.date == date).count();
        let _ = writeln!(out, "\n{} · {today} {}", day(date), if today == 1 { "visit" } else { "visits" });
        for (moment, &item) in moments[k..k + today].iter().zip(&timetable.item[k..]) {
            let name = ids.get(item as usize);
            let _ = writeln!(out, "[ ] {:02}:{:02} {}", moment.hour, moment.minute, one_line(&name));
        }
        k += today;
        next = date + 1;
    }
    // A timetable that ends at midnight does not reach into the next day.
    let end = local(start + horizon);
    let ends_at_midnight = (end.hour, end.minute, end.second) == (0, 0, 0);
    idle(&mut out, next, end.date + i64::from(!ends_at_midnight));
    out
}

/// Says that there are no visits from the day `from` to the day before `until`.
fn idle(out: &mut String, from: i64, until: i64) {
    match until - from {
        ..=0 => {}
        1 => {
            let _ = writeln!(out, "\n{} · no visits", day(from));
        }
        _ => {
            let _ = writeln!(out, "\n{} to {} · no visits", day(from), day(until - 1));
        }
    }
}

/// "Wednesday 18 November 2026"
fn day(date: i64) -> String {
    let (year, month, day) = calendar(date);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a remainder of 7, a month of 12")]
    let (weekday, month) = (date.rem_euclid(7) as usize, month as usize - 1);
    format!("{} {day} {} {year}", WEEKDAYS[weekday], MONTHS[month])
}
