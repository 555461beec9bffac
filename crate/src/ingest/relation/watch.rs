//! Rates from what a table tells of past changes: how many there were (citations, new prices, releases), or when.
//!
//! A row with n changes while it was watched for τ has the rate (n + a)/(τ + b), the mean of its Gamma under the prior of all
//! rows ([`population`]), so that a row with little history borrows from the others. Watching begins at `since`, or with the
//! first change of any row, and ends at the row's last sync: what happened later is not known. Without a last sync it ends
//! with the last change of any row, or for mere counts now. A count without any span is of one unit of its column's time.

use super::super::instant::instant;
use super::super::mapped::{ColumnCount, Mapped};
use super::super::number::{Fault, amount, is_missing};
use super::super::pace::{Pace, Unit, pace};
use super::super::table::Table;
use super::{GUESSED_FROM, RelationMapping, RelationRole};
use crate::change::estimate::population;
use crate::numeric::sort;
use crate::problem::{Kind, Problem, Result};

const EMPTY: Fault = Fault::new("empty", "Fill in the cell.");
const BELOW_ZERO: Fault = Fault::new("below 0", "Write a number that is 0 or more.");
const NO_SPAN: Fault =
    Fault::new("not a span of time", "Write a number above 0, or words such as \"90 days\" or \"P3M\".");

/// The names that columns of each role go by; matched on letters and digits alone.
const NAMES: [(RelationRole, &[&str]); 4] = [
    (RelationRole::History, &["history", "changetimes", "changedates", "changedat", "releasedates", "updatedates"]),
    (RelationRole::Changes, &["changes", "citations", "numberofchanges", "changecount", "revisions", "updates"]),
    (RelationRole::Since, &["since", "firstseen", "watchedsince", "published", "publishedat", "created", "createdat"]),
    (RelationRole::Watched, &["watched", "watcheddays", "dayswatched", "watchedfor"]),
];

/// Finds the columns that tell of changes, where no other column says the rate. A count without a span may as well be a rate.
pub(super) fn guess(table: &Table, header: bool, roles: &mut [RelationRole]) {
    let plain =
        |name: &String| name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    let names: Vec<String> = table.names(header).iter().map(plain).collect();
    // A few cells may be bad, and are told as such.
    let readable = |role: RelationRole, column: usize| {
        let cells = (0..table.rows().min(GUESSED_FROM)).map(|row| table.cell(row, column));
        let read = |cell: &String| read(role, cell, Unit::Days, false, &mut |_| {}).is_ok();
        let (good, bad): (Vec<String>, Vec<String>) =
            cells.map(|cell| cell.to_string()).filter(|cell| !is_missing(cell)).partition(read);
        good.len() > 9 * bad.len()
    };
    let find = |wanted: [RelationRole; 2]| {
        let of_name = |column: usize| {
            let known = |(role, words): &&(RelationRole, &[&str])| {
                wanted.contains(role) && words.contains(&names[column].as_str()) && readable(*role, column)
            };
            NAMES.iter().find(known).map(|(role, _)| (column, *role))
        };
        (0..names.len()).find_map(of_name)
    };
    let rated = roles.iter().position(|role| matches!(role, RelationRole::Rate | RelationRole::Interval));
    let Some((column, role)) = find([RelationRole::History, RelationRole::Changes]) else { return };
    let span = find([RelationRole::Since, RelationRole::Watched]);
    if rated.is_some_and(|rated| rated != column || (role == RelationRole::Changes && span.is_none())) {
        return;
    }
    roles[column] = role;
    if let Some((column, role)) = span {
        roles[column] = role;
    }
}

/// Reads a cell: each of its times, or its one number, in days where it is a time or a span.
fn read(
    role: RelationRole,
    text: &str,
    unit: Unit,
    comma: bool,
    take: &mut dyn FnMut(f64),
) -> std::result::Result<(), Fault> {
    match role {
        RelationRole::History => {
            let mark = [';', '|'].into_iter().find(|&mark| text.contains(mark)).unwrap_or(',');
            for part in text.split(mark).map(str::trim).filter(|part| !part.is_empty()) {
                take(instant(part)?);
            }
        }
        _ if is_missing(text) => return Err(EMPTY),
        RelationRole::Since => take(instant(text)?),
        RelationRole::Changes => match amount(text, comma, false)? {
            count if count < 0.0 => return Err(BELOW_ZERO),
            count => take(count),
        },
        _ => match pace(text, comma).map_err(|_| NO_SPAN)? {
            Pace::Bare(span) if span > 0.0 => take(unit.days(span)),
            Pace::PerDay(often) if often > 0.0 => take(1.0 / often),
            _ => return Err(NO_SPAN),
        },
    }
    Ok(())
}

/// A column and what it holds.
#[derive(Debug)]
struct Told {
    role: RelationRole,
    column: usize,
    name: String,
    unit: Unit,
    /// One value for each row, or of a history, all times after one another.
    values: Vec<f64>,
    /// Of a history: where the times of each row end.
    ends: Vec<usize>,
}

impl Told {
    /// Keeps only some rows.
    fn retain(&mut self, keep: &[bool]) {
        let (mut values, mut ends) = (Vec::new(), Vec::new());
        for row in (0..self.ends.len()).filter(|&row| keep.get(row).copied().unwrap_or(true)) {
            values.extend_from_slice(self.of(row));
            ends.push(values.len());
        }
        (self.values, self.ends) = (values, ends);
    }

    fn of(&self, row: usize) -> &[f64] {
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.values[start..self.ends[row]]
    }
}

/// Past changes being read, a row at a time.
#[derive(Debug)]
pub(super) struct Watch {
    changes: Told,
    span: Option<Told>,
    comma: bool,
}

impl Watch {
    /// The columns that tell of changes, if any do; refuses those that contradict each other.
    pub(super) fn new(mapping: &RelationMapping, names: &[String]) -> Result<Option<Self>> {
        let told = |role: &RelationRole| {
            let column = mapping.roles.iter().position(|known| known == role)?;
            let unit = mapping.units.get(column).copied().flatten().unwrap_or(Unit::Days);
            let name = names.get(column)?.clone();
            Some(Told { role: *role, column, name, unit, values: Vec::new(), ends: Vec::new() })
        };
        let refuse = |column: usize, message: &str, hint: &str| {
            Err(Problem::new(Kind::Field, message, hint).in_column(names.get(column).map_or("", String::as_str)))
        };
        let says = |roles: &[RelationRole]| -> Vec<usize> {
            let columns = mapping.roles.iter().enumerate().filter(|(_, role)| roles.contains(role));
            columns.map(|(column, _)| column).collect()
        };
        let often = says(&[RelationRole::Rate, RelationRole::Interval, RelationRole::Changes, RelationRole::History]);
        if let [_, second, ..] = *often {
            let message = "two columns say how often rows change";
            return refuse(second, message, "Keep one of: the rate, the interval, the number of changes, their times.");
        }
        let spans = says(&[RelationRole::Watched, RelationRole::Since]);
        if let [_, second, ..] = *spans {
            return refuse(second, "two columns say how long rows were watched", "Keep one of them.");
        }
        let Some(changes) = [RelationRole::Changes, RelationRole::History].iter().find_map(told) else {
            return match *spans {
                [span] => refuse(
                    span,
                    "a column says how long rows were watched, and none how many changes were seen",
                    "Choose the column of the number of changes or of their times, or set this one to not used.",
                ),
                _ => Ok(None),
            };
        };
        let span = [RelationRole::Watched, RelationRole::Since].iter().find_map(told);
        Ok(Some(Self { changes, span, comma: mapping.decimal_comma }))
    }

    /// Reads a row, and puts what cannot be read among the bad cells.
    pub(super) fn row(&mut self, table: &Table, record: usize, item: usize, mapped: &mut Mapped) {
        for told in [Some(&mut self.changes), self.span.as_mut()].into_iter().flatten() {
            let text = String::from_utf8_lossy(table.record(record, told.column));
            let before = told.values.len();
            let result = read(told.role, text.trim(), told.unit, self.comma, &mut |value| told.values.push(value));
            if let Err(fault) = result {
                told.values.truncate(before);
                bad_cell(mapped, table.cells.file_row(record), item, &told.name, &text, fault);
            }
            told.ends.push(told.values.len());
        }
    }

    /// Leaves out the rows that are not to be kept.
    pub(super) fn retain(&mut self, keep: &[bool]) {
        self.changes.retain(keep);
        if let Some(span) = &mut self.span {
            span.retain(keep);
        }
    }

    /// The rate of each row, per day.
    pub(super) fn rates(self, last_sync: Option<&[f64]>, now: f64) -> Vec<f64> {
        let history = self.changes.role == RelationRole::History;
        let of_all = |first: f64, pick: fn(f64, f64) -> f64| self.changes.values.iter().copied().fold(first, pick);
        let (first, last) = (of_all(f64::INFINITY, f64::min), of_all(f64::NEG_INFINITY, f64::max));
        let evidence: Vec<(f64, f64)> = (0..self.changes.ends.len())
            .map(|row| {
                let own = self.changes.of(row);
                let told = self.span.as_ref().and_then(|span| Some((span.role, *span.of(row).first()?)));
                let synced = last_sync.map(|moments| moments[row]).filter(|moment| !moment.is_nan());
                let end = synced.unwrap_or(if history { last } else { now });
                let (start, exposure) = match told {
                    Some((RelationRole::Since, since)) => (since, end - since),
                    Some((_, watched)) => (end - watched, watched),
                    None if history => (first, end - first),
                    None => (0.0, self.changes.unit.days(1.0)),
                };
                let count = if history { distinct(own, start, end) } else { own.first().copied().unwrap_or(0.0) };
                // A row that came after the end of the watching was not watched.
                (count, if exposure.is_finite() { exposure.max(0.0) } else { 0.0 })
            })
            .collect();
        let prior = population(&evidence);
        let mean = |&(count, exposure): &(f64, f64)| {
            let time = prior.beta + exposure;
            (prior.alpha + count) / if time > 0.0 { time } else { 1.0 }
        };
        evidence.iter().map(mean).collect()
    }
}

/// How many different moments there are within a span, its ends included.
fn distinct(times: &[f64], start: f64, end: f64) -> f64 {
    let mut within: Vec<f64> = times.iter().copied().filter(|time| (start..=end).contains(time)).collect();
    sort::floats(&mut within);
    within.dedup();
    within.len() as f64
}

/// Lists a cell that cannot be read, and marks its row as bad unless it is already.
fn bad_cell(mapped: &mut Mapped, row: usize, item: usize, column: &str, text: &str, fault: Fault) {
    let (row, item) = (u32::try_from(row).unwrap_or(u32::MAX), u32::try_from(item).unwrap_or(u32::MAX));
    mapped.bad.list(row, Some(column), text, fault.reason.into(), fault.hint);
    match mapped.bad.by_column.iter_mut().find(|known| known.column == column) {
        Some(known) => known.cells += 1,
        None => mapped.bad.by_column.push(ColumnCount { column: column.into(), cells: 1 }),
    }
    if let Err(place) = mapped.bad_items.binary_search(&item) {
        mapped.bad_items.insert(place, item);
        mapped.bad.rows.insert(place.min(mapped.bad.rows.len()), row);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{mapping, table};
    use super::super::{RelationReader, RelationRole::*};
    use super::*;

    fn rates(text: &str, roles: &[RelationRole], now: f64) -> Vec<f64> {
        let related = RelationReader::new(table(text), &mapping(roles)).unwrap().finish(false, now).unwrap();
        related.relation.rate().unwrap().to_vec()
    }

    fn means(evidence: &[(f64, f64)]) -> Vec<f64> {
        let prior = population(evidence);
        evidence.iter().map(|(count, time)| (count + prior.alpha) / (time + prior.beta)).collect()
    }

    #[test]
    fn changes_over_the_time_watched_are_rates_that_borrow_from_each_other() {
        let spans =
            "paper,title,citations,watched\na,web,12,365\nb,search,0,2 years\nc,mining,40,P365D\nd,crawl,3,10\n";
        let expected = means(&[(12.0, 365.0), (0.0, 730.0), (40.0, 365.0), (3.0, 10.0)]);
        assert_eq!(rates(spans, &[Id, Whole, Changes, Watched], 0.0), expected);
        assert!(expected[1] > 0.0 && expected[1] < expected[0]);
        let since =
            "paper,title,citations,first seen\na,web,12,2025-01-01\nb,search,0,2024-01-01\nc,mining,9,2025-06-01\n";
        let expected = means(&[(12.0, 365.0), (0.0, 731.0), (9.0, 214.0)]);
        assert_eq!(rates(since, &[Id, Whole, Changes, Since], 20_454.0), expected);
        // Without a span each count is of one unit of its column.
        let bare = "paper,title,changes\na,web,12\nb,search,1\nc,mining,4\n";
        assert_eq!(rates(bare, &[Id, Whole, Changes], 0.0), means(&[(12.0, 1.0), (1.0, 1.0), (4.0, 1.0)]));
    }

    #[test]
    fn histories_are_watched_from_the_first_change_to_the_last_sync_or_the_last_change() {
        let text = "name,topic,history,synced\n\
            a,web,2024-01-01; 2024-01-11; 2024-01-11; 2024-03-01,2024-02-10\n\
            b,search,,2024-02-10\n\
            c,mining,2024-02-20,\n";
        // The first change of all is on January 1, the last on March 1; what came after a's sync is not counted.
        let expected = means(&[(2.0, 40.0), (0.0, 40.0), (1.0, 60.0)]);
        assert_eq!(rates(text, &[Id, Whole, History, LastSync], 99_999.0), expected);
    }

    #[test]
    fn every_bad_cell_has_its_row_and_column_and_can_be_dropped() {
        let text = "name,topic,changes,watched\na,web,-1,10\nb,search,2,never\nc,mining,many,\nd,crawl,2,20\n";
        let roles = mapping(&[Id, Whole, Changes, Watched]);
        let mut reader = RelationReader::new(table(text), &roles).unwrap();
        while !reader.step().unwrap().done {}
        let bad = &reader.mapped().bad;
        let places: Vec<_> = bad.listed.iter().map(|cell| (cell.row, cell.column.as_deref().unwrap())).collect();
        assert_eq!(places, [(2, "changes"), (3, "watched"), (4, "changes"), (4, "watched")]);
        assert_eq!(bad.rows, [2, 3, 4]);
        let related = reader.finish(true, 0.0).unwrap();
        assert_eq!(related.relation.rate().unwrap(), means(&[(2.0, 20.0)]));
        let history = "name,topic,history\na,web,2024-01-01; soon\n";
        let problem = RelationReader::new(table(history), &mapping(&[Id, Whole, History])).unwrap().finish(false, 0.0);
        let problem = problem.unwrap_err();
        assert_eq!((problem.row, problem.column.as_deref()), (Some(2), Some("history")));
    }

    #[test]
    fn columns_that_contradict_each_other_are_refused_by_name() {
        let text = "name,topic,one,two,three\na,web,1,2,3\n";
        for (roles, column) in [
            ([Id, Whole, Rate, Changes, Ignore], "two"),
            ([Id, Whole, History, Ignore, Changes], "three"),
            ([Id, Whole, Watched, Changes, Since], "three"),
            ([Id, Whole, Ignore, Since, Ignore], "two"),
            ([Id, Whole, Changes, Changes, Ignore], "two"),
        ] {
            let problem = RelationReader::new(table(text), &mapping(&roles)).unwrap_err();
            assert_eq!(problem.column.as_deref(), Some(column), "{roles:?}");
        }
    }

    #[test]
    fn columns_of_changes_are_guessed_by_name_and_cells_unless_there_is_a_rate() {
        let roles = |text: &str| RelationMapping::guess(&table(text)).roles;
        let cited = "id,title,citations,first seen\na,The web,3,2024-01-01\nb,Search,4,2024-02-01\n";
        assert_eq!(roles(cited)[2..], [Changes, Since]);
        let times = "id,title,history\na,The web,2024-01-01; 2024-02-01\nb,Search,2024-02-03\n";
        assert_eq!(roles(times)[2..], [History]);
        let rows: Vec<String> = (1..=20).map(|k| format!("p{k},The web {k},{k},2024-01-{k:02}")).collect();
        let mostly = format!("id,title,citations,first seen\n{}\nx,Search,-4,soon\n", rows.join("\n"));
        assert_eq!(roles(&mostly)[2..], [Changes, Since]);
        let words = "id,title,history\na,The web,ancient rome\nb,Search,modern greece\n";
        assert_eq!(roles(words)[2..], [Words]);
        let rated = "id,title,rate,citations\na,The web,1,3\nb,Search,2,4\n";
        assert_eq!(roles(rated)[2], Rate);
        assert_ne!(roles(rated)[3], Changes);
    }
}
