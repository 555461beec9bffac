//! Files to take away: the table of items with its plan, and the timetable, one file of this folder for each format.

mod crontab;
mod csv;
mod ical;
mod json;
mod queries;
#[cfg(test)]
mod tests;
mod to_do;

use serde::Deserialize;

pub use queries::{QueriesFormat, queries, query_text};

use super::dataset::{About, Dataset};
use crate::ingest::{Ids, stamp};
use crate::problem::Result;
use crate::timetable::Timetable;

/// A format of the plan as a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "wasm", derive(tsify::Tsify))]
pub enum PlanFormat {
    /// RFC 4180, one header row.
    Csv,
    /// An array of objects.
    Json,
    /// A table for cron: every item at the nearest pace that cron can keep.
    Crontab,
}

/// A format of the timetable as a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "wasm", derive(tsify::Tsify))]
pub enum TimetableFormat {
    /// RFC 4180, one header row.
    Csv,
    /// An array of objects.
    Json,
    /// RFC 5545, an event for each slot that has visits.
    Ical,
    /// Plain text, day by day, a box to tick for each visit.
    ToDo,
}

/// A timetable and what it visits.
#[derive(Clone, Copy)]
pub struct Visits<'a> {
    /// What the set is and how to speak of its items.
    pub about: &'a About,
    /// Their names.
    pub ids: &'a Ids,
    /// When the timetable starts, in days since the Unix epoch.
    pub start: f64,
    /// How many days it covers.
    pub horizon: f64,
    /// When to visit what.
    pub timetable: &'a Timetable,
}

/// The clock of the person who takes a file away.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Clock {
    /// The present moment, in days since the Unix epoch.
    pub now: f64,
    /// Minutes that the person's clock is ahead of UTC.
    pub offset: i32,
}

/// A cell of a table.
enum Cell<'a> {
    Text(&'a str),
    /// Not finite: an empty cell in CSV, null in JSON.
    Number(f64),
}

/// Starts, continues and ends a table as text; rows are told apart by what is written already.
struct Sheet {
    head: fn(&mut String, &[&str]),
    row: fn(&mut String, &[&str], &[Cell]),
    foot: &'static str,
}

impl Sheet {
    /// Lays out the rows that `each` hands over.
    fn lay_out(&self, names: &[&str], each: impl FnOnce(&mut dyn FnMut(&[Cell]))) -> String {
        let mut out = String::new();
        (self.head)(&mut out, names);
        each(&mut |cells| (self.row)(&mut out, names, cells));
        out.push_str(self.foot);
        out
    }
}

/// A name with nothing in it that could end its line.
fn one_line(name: &str) -> String {
    name.chars().map(|c| if breaks_a_line(c) { ' ' } else { c }).collect()
}

fn breaks_a_line(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
}

/// The beginning of a name, where there is no room for more.
fn shortened(name: &str) -> String {
    const ROOM: usize = 60;
    match name.char_indices().nth(ROOM) {
        None => name.into(),
        Some((cut, _)) => format!("{}…", name[..cut].trim_end()),
    }
}

impl Dataset {
    /// The table of items with the plan, as a file.
    pub fn text(&self, format: PlanFormat) -> Result<String> {
        const NAMES: [&str; 10] = [
            "id",
            "changes_per_day",
            "weight",
            "cost",
            "count",
            "visits_per_day",
            "visit_every_days",
            "freshness",
            "age_days",
            "share_of_budget",
        ];
        let solved = self.solved()?;
        let sheet = match format {
            PlanFormat::Csv => &csv::SHEET,
            PlanFormat::Json => &json::SHEET,
            PlanFormat::Crontab => return crontab::crontab(&self.about, &self.ids, &solved.chosen.frequency),
        };
        Ok(sheet.lay_out(&NAMES, |row| {
            for i in 0..self.len() {
                let frequency = solved.chosen.frequency[i];
                row(&[
                    Cell::Text(&self.ids.get(i)),
                    Cell::Number(solved.items.mean_rate(i)),
                    Cell::Number(solved.items.weight(i)),
                    Cell::Number(solved.items.cost(i)),
                    Cell::Number(solved.items.count(i)),
                    Cell::Number(frequency),
                    Cell::Number(1.0 / frequency),
                    Cell::Number(solved.freshness(i)),
                    Cell::Number(solved.age(i)),
                    Cell::Number(solved.share(i)),
                ]);
            }
        }))
    }

    /// What the set is and how to speak of its items.
    #[must_use]
    pub fn about(&self) -> &About {
        &self.about
    }
}

impl Visits<'_> {
    /// The timetable as a file.
    pub fn text(&self, format: TimetableFormat, clock: Clock) -> Result<String> {
        let sheet = match format {
            TimetableFormat::Csv => &csv::SHEET,
            TimetableFormat::Json => &json::SHEET,
            TimetableFormat::Ical => return ical::ical(self, clock.now),
            TimetableFormat::ToDo => return Ok(to_do::to_do(self, clock.offset)),
        };
        Ok(sheet.lay_out(&["time", "day", "id"], |row| {
            for (&time, &item) in self.timetable.time.iter().zip(&self.timetable.item) {
                let name = self.ids.get(item as usize);
                row(&[Cell::Text(&stamp(time)), Cell::Number(time - self.start), Cell::Text(&name)]);
            }
        }))
    }
}
