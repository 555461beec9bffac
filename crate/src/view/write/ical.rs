//! iCalendar (RFC 5545): an event for each slot of the timetable that has visits, from the slot's beginning to its end.

use super::{Visits, one_line, shortened};
use crate::ingest::{Moment, stamp};
use crate::numeric::sort;
use crate::problem::{Kind, Problem, Result};

/// The most events of one file: calendars refuse or choke on more.
const MOST_EVENTS: usize = 5_000;
/// Names in an event's title; the description has all of them.
const NAMED: usize = 3;
/// The most octets of a line, its end not counted.
const LINE: usize = 75;

pub(super) fn ical(visits: &Visits, now: f64) -> Result<String> {
    let Visits { about, start, horizon, timetable, .. } = *visits;
    let events = timetable.load.iter().filter(|&&load| load > 0).count();
    if events > MOST_EVENTS {
        return Err(Problem::new(
            Kind::Size,
            format!("the timetable has {events} slots with visits, but a calendar takes {MOST_EVENTS} events at most"),
            "Make the slots longer or the horizon shorter, or take the timetable as CSV.",
        ));
    }
    let mut out = String::new();
    for text in ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Afresh//Timetable//EN", "CALSCALE:GREGORIAN"] {
        line(&mut out, text);
    }
    let set = fingerprint(&[about.title.as_bytes(), &start.to_le_bytes(), &timetable.slot.to_le_bytes()]);
    let made = basic(now);
    let mut first = 0;
    for (slot, &load) in timetable.load.iter().enumerate() {
        let range = first..first + load as usize;
        first = range.end;
        if load == 0 {
            continue;
        }
        let from = slot as f64 * timetable.slot;
        let lasts = libm::round(timetable.slot.min(horizon - from) * 86_400.0).max(1.0);
        line(&mut out, "BEGIN:VEVENT");
        // The same slot of the same set keeps its name: a new plan, imported again, takes the place of the old one.
        line(&mut out, &format!("UID:{set:016x}-{slot}@afresh"));
        line(&mut out, &format!("DTSTAMP:{made}"));
        line(&mut out, &format!("DTSTART:{}", basic(start + from)));
        line(&mut out, &format!("DURATION:PT{lasts}S"));
        // Visits are the work of a machine: nobody is busy meanwhile.
        line(&mut out, "TRANSP:TRANSPARENT");
        line(&mut out, &format!("SUMMARY:{}", escaped(&summary(visits, &timetable.item[range.clone()]))));
        let mut list = String::from("DESCRIPTION:");
        for k in range.clone() {
            if k > range.start {
                list.push_str("\\n");
            }
            list.push_str(&stamp(timetable.time[k]));
            list.push(' ');
            list.push_str(&escaped(&one_line(&visits.ids.get(timetable.item[k] as usize))));
        }
        line(&mut out, &list);
        line(&mut out, "END:VEVENT");
    }
    line(&mut out, "END:VCALENDAR");
    Ok(out)
}

/// What is visited in a slot: "Visit numpy", "Visit 3 packages: a, b, c", "7 visits to 3 packages: a, b, c".
fn summary(visits: &Visits, items: &[u32]) -> String {
    let mut distinct = items.to_vec();
    sort::numbers(&mut distinct);
    distinct.dedup();
    let name = |&item: &u32| shortened(&one_line(&visits.ids.get(item as usize)));
    match (distinct.len(), items.len()) {
        (1, 1) => format!("Visit {}", name(&items[0])),
        (1, times) => format!("Visit {} {times} times", name(&items[0])),
        (many, times) => {
            // In the order of their first visits.
            let mut named: Vec<u32> = Vec::new();
            for &item in items {
                if named.len() < NAMED && !named.contains(&item) {
                    named.push(item);
                }
            }
            let names: Vec<String> = named.iter().map(name).collect();
            let (names, more) = (names.join(", "), if many > NAMED { ", …" } else { "" });
            let plural = one_line(&visits.about.plural);
            if many == times {
                format!("Visit {many} {plural}: {names}{more}")
            } else {
                format!("{times} visits to {many} {plural}: {names}{more}")
            }
        }
    }
}

/// A moment in the basic format of ISO 8601: "20260302T123011Z".
fn basic(days: f64) -> String {
    let Moment { year, month, day, hour, minute, second, .. } = Moment::at(days);
    format!("{year:04}{month:02}{day:02}T{hour:02}{minute:02}{second:02}Z")
}

/// A value of type TEXT (section 3.3.11), of one line.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '\\' | ';' | ',') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// Adds a content line, folded (section 3.1) between characters.
fn line(out: &mut String, content: &str) {
    let mut octets = 0;
    for c in content.chars() {
        if octets + c.len_utf8() > LINE {
            out.push_str("\r\n ");
            octets = 1;
        }
        out.push(c);
        octets += c.len_utf8();
    }
    out.push_str("\r\n");
}

/// FNV-1a over parts that are kept apart.
fn fingerprint(parts: &[&[u8]]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in parts.iter().flat_map(|part| part.iter().chain(&[0xff])) {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    }
    hash
}
