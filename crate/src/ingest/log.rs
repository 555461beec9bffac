//! Logs: a table of change events (item, time) or of visits (item, time, changed, last modified), as typed columns.
//!
//! Times are ISO 8601, Unix seconds or milliseconds, or plain numbers, which count as days; which of these a column holds is told
//! by its magnitude as a whole, and said. A row with a cell that cannot be read is left out and listed.

use super::Progress;
use super::instant::instant;
use super::mapped::{BadCells, ColumnCount};
use super::number::{Fault, amount, is_missing, number};
use super::table::Table;
use crate::change::estimate::MOST_TIME;
use crate::numeric::sort;
use crate::problem::{Kind, Problem, Result};
use hashbrown::HashMap;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Rows of one step: a few milliseconds.
const STEP: usize = 1 << 13;
/// How many cells of a column of times are looked at to tell what they are.
const SAMPLE: usize = 4_096;

const EMPTY: Fault = Fault::new("empty", "Fill in the cell.");
const NOT_A_BIT: Fault = Fault::new("neither yes nor no", "Write 1 or 0, true or false, yes or no.");
const NOT_A_TIME: Fault =
    Fault::new("not a time", "The other times of this column are numbers: write this one so too.");
const TOO_FAR: Fault = Fault::new("too far away to be a time", "Write days, seconds or milliseconds, or a date.");
const BELOW_ZERO: Fault = Fault::new("below 0", "Write a number that is 0 or more.");

/// What a column of a log holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "wasm", derive(tsify::Tsify))]
pub enum LogRole {
    /// Nothing that is needed.
    #[default]
    Ignore,
    /// Which item.
    Item,
    /// When it changed or was visited.
    Time,
    /// Whether the visit found a change: makes the log one of visits.
    Changed,
    /// When the item was last modified, by its own account.
    LastModified,
    /// Importance of the item.
    Weight,
}

/// The names that columns of each role go by, the surest first; matched on letters and digits alone.
const NAMES: [(LogRole, &[&str]); 5] = [
    (LogRole::LastModified, &["lastmodified", "modified", "modifiedat"]),
    (LogRole::Changed, &["changed", "haschanged", "change", "modifiedflag", "status"]),
    (
        LogRole::Time,
        &[
            "time",
            "timestamp",
            "changedat",
            "releasedat",
            "visitedat",
            "fetchedat",
            "date",
            "datetime",
            "at",
            "when",
            "day",
            "ts",
        ],
    ),
    (LogRole::Item, &["item", "id", "url", "page", "package", "documentid", "document", "name", "feed", "key", "path"]),
    (LogRole::Weight, &["weight", "importance", "dependents", "views", "hits"]),
];

/// What each column of a log is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "wasm", derive(tsify::Tsify))]
pub struct LogMapping {
    /// One role for each column.
    pub roles: Vec<LogRole>,
    /// Whether the first row names the columns.
    pub header: bool,
    /// Whether numbers are written as 1,5.
    pub decimal_comma: bool,
}

impl LogMapping {
    /// A guess by the columns' names, and for item and time by their cells.
    #[must_use]
    pub fn guess(table: &Table) -> Self {
        let understood = table.understood();
        let names = table.names(understood.header);
        let plain =
            |name: &str| name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
        let mut roles = vec![LogRole::Ignore; names.len()];
        for (role, known) in NAMES {
            let free = |column: &usize| roles[*column] == LogRole::Ignore;
            let found =
                known.iter().find_map(|word| (0..names.len()).filter(free).find(|&c| plain(&names[c]) == *word));
            if let Some(column) = found {
                roles[column] = role;
            }
        }
        let is_time = |column: usize| {
            let filled = (0..table.rows().min(50)).map(|row| table.cell(row, column)).filter(|cell| !is_missing(cell));
            filled.map(|cell| instant(&cell).is_ok()).reduce(|all, one| all && one).unwrap_or(false)
        };
        if !roles.contains(&LogRole::Time)
            && let Some(column) = (0..roles.len()).find(|&c| roles[c] == LogRole::Ignore && is_time(c))
        {
            roles[column] = LogRole::Time;
        }
        if !roles.contains(&LogRole::Item)
            && let Some(column) = roles.iter().position(|role| *role == LogRole::Ignore)
        {
            roles[column] = LogRole::Item;
        }
        Self { roles, header: understood.header, decimal_comma: understood.decimal_comma }
    }

    fn column(&self, role: LogRole) -> Option<usize> {
        self.roles.iter().position(|known| *known == role)
    }

    fn check(&self, names: &[String]) -> Result<(usize, usize)> {
        if self.roles.len() != names.len() {
            let message = format!("the mapping has {} roles for {} columns", self.roles.len(), names.len());
            return Err(Problem::new(Kind::Length, message, "Give one role for each column."));
        }
        for (column, role) in self.roles.iter().enumerate().filter(|(_, role)| **role != LogRole::Ignore) {
            if let Some(first) = self.roles[..column].iter().position(|other| other == role) {
                let message = format!("columns {:?} and {:?} have the same role", names[first], names[column]);
                return Err(Problem::new(Kind::Field, message, "Keep one of them and set the other to ignore.")
                    .in_column(&names[column]));
            }
        }
        self.column(LogRole::Item).zip(self.column(LogRole::Time)).ok_or_else(|| {
            let message = "a log needs a column that says which item, and one that says when";
            Problem::new(Kind::Field, message, "Choose both columns.")
        })
    }
}

/// How a column of times is written.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Clock {
    /// ISO 8601.
    Dates,
    /// Numbers, so many to a day.
    Numbers(f64),
}

impl Clock {
    /// Told by the numbers of a column as a whole: seconds since 1970 have been above 10⁸ since 1973, and milliseconds are above
    /// 10¹¹ since then; smaller numbers are days from somewhere.
    fn of(table: &Table, column: usize, first: usize, comma: bool) -> Self {
        let rows = table.cells.records.saturating_sub(first);
        let mut sizes: Vec<f64> = Vec::new();
        let mut filled = 0;
        for record in (first..table.cells.records).step_by(rows.div_ceil(SAMPLE).max(1)) {
            let text = std::str::from_utf8(table.record(record, column)).unwrap_or_default();
            if !is_missing(text) {
                filled += 1;
                sizes.extend(number(text, comma).ok().map(f64::abs));
            }
        }
        if sizes.len() * 2 <= filled || sizes.is_empty() {
            return Self::Dates;
        }
        sort::floats(&mut sizes);
        Self::Numbers(match sizes[sizes.len() / 2] {
            size if size >= 1e11 => 86_400_000.0,
            size if size >= 1e8 => 86_400.0,
            _ => 1.0,
        })
    }

    fn read(self, text: &str, comma: bool) -> std::result::Result<f64, Fault> {
        match self {
            Self::Dates => instant(text),
            Self::Numbers(per_day) => match number(text, comma).map(|value| value / per_day) {
                Ok(days) if days.abs() <= MOST_TIME => Ok(days),
                Ok(_) => Err(TOO_FAR),
                Err(_) => Err(NOT_A_TIME),
            },
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Dates => "dates",
            Self::Numbers(per_day) if per_day > 1e6 => "milliseconds since 1970",
            Self::Numbers(per_day) if per_day > 1.0 => "seconds since 1970",
            Self::Numbers(_) => "plain numbers, counted as days",
        }
    }
}

/// A log as typed columns; one value for each row in those that are there.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Log {
    /// The items' names, in the order in which they first come.
    pub names: Vec<String>,
    /// Which item.
    pub item: Vec<u32>,
    /// When, in days; since 1970-01-01T00:00Z if `calendar`.
    pub time: Vec<f64>,
    /// Whether the visit found a change.
    pub changed: Option<Vec<bool>>,
    /// When the item was last modified, on the same clock; NaN where unknown.
    pub last_modified: Option<Vec<f64>>,
    /// Importance of each item: the last that the log gives, 1 where it gives none.
    pub weight: Option<Vec<f64>>,
    /// Whether times are moments of the calendar.
    pub calendar: bool,
    /// The cells that could not be read; their rows are left out.
    pub bad: BadCells,
    /// What was assumed, in sentences.
    pub notes: Vec<String>,
}

/// The share of a log to learn from where nothing is said.
const TRAINING: f64 = 0.75;

impl Log {
    /// The times of the first and the last entry; NaN where there is none.
    #[must_use]
    pub fn window(&self) -> (f64, f64) {
        self.time.iter().fold((f64::NAN, f64::NAN), |(first, last), &time| (first.min(time), last.max(time)))
    }

    /// Where to end the learning unless something else is wanted: three quarters through, on a whole day if that makes sense.
    #[must_use]
    pub fn split(&self) -> f64 {
        let (first, last) = self.window();
        let split = first + TRAINING * (last - first);
        let unit = if last - first > 20.0 { 1.0 } else { 1_000.0 };
        libm::round(unit * split) / unit
    }
}

/// Turns a [`Table`] into a [`Log`] a step at a time.
#[derive(Debug)]
pub struct LogMapper {
    table: Arc<Table>,
    mapping: LogMapping,
    names: Vec<String>,
    item: usize,
    time: usize,
    clock: Clock,
    modified_clock: Clock,
    first: usize,
    at: usize,
    seen: HashMap<String, u32>,
    bad_by_column: Vec<usize>,
    out: Log,
}

impl LogMapper {
    /// Prepares the work; refuses a mapping that does not fit.
    pub fn new(table: Arc<Table>, mapping: LogMapping) -> Result<Self> {
        let names = table.names(mapping.header);
        let (item, time) = mapping.check(&names)?;
        let first = usize::from(table.has_header_row(mapping.header));
        let clock = Clock::of(&table, time, first, mapping.decimal_comma);
        let modified = mapping.column(LogRole::LastModified);
        let modified_clock = modified.map_or(clock, |column| Clock::of(&table, column, first, mapping.decimal_comma));
        let out = Log {
            changed: mapping.column(LogRole::Changed).map(|_| Vec::new()),
            last_modified: modified.map(|_| Vec::new()),
            weight: mapping.column(LogRole::Weight).map(|_| Vec::new()),
            calendar: !matches!(clock, Clock::Numbers(per_day) if per_day <= 1.0),
            notes: vec![format!("Times are {}.", clock.words())],
            ..Log::default()
        };
        let bad_by_column = vec![0; names.len()];
        let seen = HashMap::new();
        Ok(Self {
            item,
            time,
            clock,
            modified_clock,
            first,
            at: first,
            seen,
            bad_by_column,
            out,
            names,
            table,
            mapping,
        })
    }

    /// Maps some more rows.
    pub fn step(&mut self) -> Progress {
        let table = Arc::clone(&self.table);
        let end = table.cells.records.min(self.at + STEP);
        while self.at < end {
            self.row(&table, self.at);
            self.at += 1;
        }
        let rows = (table.cells.records - self.first).max(1);
        Progress { fraction: (self.at - self.first) as f64 / rows as f64, done: self.at == table.cells.records }
    }

    /// The log; maps what is left first.
    #[must_use]
    pub fn finish(mut self) -> Log {
        while !self.step().done {}
        let mut out = self.out;
        out.bad.by_column = (self.names.into_iter().zip(self.bad_by_column))
            .filter(|(_, cells)| *cells > 0)
            .map(|(column, cells)| ColumnCount { column, cells })
            .collect();
        out
    }

    fn row(&mut self, table: &Table, record: usize) {
        let cell = |column| std::str::from_utf8(table.record(record, column)).unwrap_or_default();
        let comma = self.mapping.decimal_comma;
        let mut bad: Vec<(usize, Fault)> = Vec::new();
        let mut keep = |column: usize, value: std::result::Result<f64, Fault>| {
            value.unwrap_or_else(|fault| {
                bad.push((column, fault));
                f64::NAN
            })
        };
        let name = cell(self.item);
        keep(self.item, if name.is_empty() { Err(EMPTY) } else { Ok(0.0) });
        let text = cell(self.time);
        let time = keep(self.time, if is_missing(text) { Err(EMPTY) } else { self.clock.read(text, comma) });
        let changed = self.mapping.column(LogRole::Changed).map(|column| keep(column, bit(cell(column))));
        let modified = self.mapping.column(LogRole::LastModified).map(|column| {
            let text = cell(column);
            if is_missing(text) { f64::NAN } else { keep(column, self.modified_clock.read(text, comma)) }
        });
        let weight = self.mapping.column(LogRole::Weight).map(|column| {
            let text = cell(column);
            let value = if is_missing(text) { Ok(f64::NAN) } else { amount(text, comma, true) };
            keep(column, value.and_then(|value| if value < 0.0 { Err(BELOW_ZERO) } else { Ok(value) }))
        });
        if !bad.is_empty() {
            let row = u32::try_from(table.cells.file_row(record)).unwrap_or(u32::MAX);
            for (column, fault) in bad {
                self.bad_by_column[column] += 1;
                self.out.bad.list(row, Some(&self.names[column]), cell(column), fault.reason.into(), fault.hint);
            }
            self.out.bad.rows.push(row);
            return;
        }
        let item = self.item_of(name);
        self.out.item.push(item);
        self.out.time.push(time);
        if let (Some(column), Some(changed)) = (&mut self.out.changed, changed) {
            column.push(changed > 0.0);
        }
        if let (Some(column), Some(modified)) = (&mut self.out.last_modified, modified) {
            column.push(modified);
        }
        if let (Some(column), Some(weight)) = (&mut self.out.weight, weight.filter(|weight| !weight.is_nan())) {
            column[item as usize] = weight;
        }
    }

    fn item_of(&mut self, name: &str) -> u32 {
        if let Some(&item) = self.seen.get(name) {
            return item;
        }
        let item = u32::try_from(self.out.names.len()).unwrap_or(u32::MAX);
        self.seen.insert(name.to_owned(), item);
        self.out.names.push(name.to_owned());
        if let Some(weight) = &mut self.out.weight {
            weight.push(1.0);
        }
        item
    }
}

/// 1 or 0.
fn bit(text: &str) -> std::result::Result<f64, Fault> {
    let is = |words: &[&str]| words.iter().any(|word| text.eq_ignore_ascii_case(word));
    match () {
        () if is(&["1", "true", "yes", "y", "changed", "modified", "200"]) => Ok(1.0),
        () if is(&["0", "false", "no", "n", "unchanged", "not modified", "notmodified", "304"]) => Ok(0.0),
        () => Err(NOT_A_BIT),
    }
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "that values are exact is the claim")]
mod tests {
    use super::*;
    use crate::ingest::Reader;

    fn log(text: &str) -> Log {
        let mut reader = Reader::new("log.csv");
        reader.push(text.as_bytes()).unwrap();
        let table = Arc::new(reader.finish().unwrap());
        let mapping = LogMapping::guess(&table);
        LogMapper::new(table, mapping).unwrap().finish()
    }

    #[test]
    fn events_are_read_whatever_the_clock() {
        let expected = [20_753.0, 20_753.5, 20_754.0];
        for text in [
            "package,released_at\na,2026-10-27\nb,2026-10-27T12:00:00Z\na,2026-10-28\n",
            "url;timestamp\na;1793059200\nb;1793102400\na;1793145600\n",
            "timestamp,item\n1793059200000,a\n1793102400000,b\n1793145600000,a\n",
            "item,time\na,20753\nb,20753.5\na,20754\n",
        ] {
            let log = log(text);
            assert_eq!((&log.time[..], &log.item[..]), (&expected[..], &[0, 1, 0][..]), "{text}");
            assert_eq!(log.names, ["a", "b"]);
            assert_eq!(log.calendar, !text.contains("20753.5"));
        }
    }

    #[test]
    fn visits_bring_their_bits_stamps_and_weights() {
        let log = log("page,time,changed,last_modified,weight\na,1,0,,2\na,2,yes,1.5,3\nb,2,FALSE,,\n");
        assert_eq!(log.changed.unwrap(), [false, true, false]);
        assert_eq!(log.last_modified.unwrap()[1], 1.5);
        assert_eq!(log.weight.unwrap(), [3.0, 1.0]);
    }

    #[test]
    fn what_cannot_be_read_is_left_out_and_listed() {
        let log = log("page,time,changed\na,2026-10-27,1\n,2026-10-27,1\nb,tomorrow,maybe\n");
        assert_eq!(log.item, [0]);
        assert_eq!(log.bad.rows, [3, 4]);
        assert_eq!(log.bad.total, 3);
        assert_eq!((log.bad.listed[1].row, log.bad.listed[1].column.as_deref()), (4, Some("time")));
        assert!(log.bad.check().unwrap_err().message.contains("row 3"));
    }

    #[test]
    fn the_split_is_three_quarters_through() {
        let days = log("item,time\na,100\nb,0\na,40\n");
        assert_eq!((days.window(), days.split()), ((0.0, 100.0), 75.0));
        assert_eq!(log("item,time\na,1\na,1.5\n").split(), 1.375);
        assert_eq!(log("item,time\na,1\nb,2\na,1e300\n").bad.rows, [4]);
        assert!(log("item,time\na,someday\n").split().is_nan());
    }

    #[test]
    fn a_log_without_times_is_refused() {
        let mut reader = Reader::new("log.csv");
        reader.push(b"page,size\na,1\nb,2\n").unwrap();
        let table = Arc::new(reader.finish().unwrap());
        let mapping = LogMapping::guess(&table);
        assert!(LogMapper::new(table, mapping).is_err());
    }
}
