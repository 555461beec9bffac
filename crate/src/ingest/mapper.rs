//! A table and a mapping to typed items: the second job.

use super::Progress;
use super::host;
use super::instant::instant;
use super::mapped::{ColumnCount, Hosts, Ids, Mapped};
use super::mapping::{Mapping, Role};
use super::number::{Fault, amount, is_missing};
use super::pace::{Pace, Unit, bare_interval, bare_rate, pace};
use super::repeats::Repeats;
use super::table::Table;
use crate::problem::Result;
use hashbrown::HashMap;
use std::borrow::Cow;
use std::sync::Arc;

/// Rows of one step: a few milliseconds.
const STEP: usize = 1 << 13;
/// The share of the work that is mapping; the rest is looking for repeated names.
const MAPPING_SHARE: f64 = 0.9;

const EMPTY: Fault = Fault::new("empty", "Fill in the cell.");
const BELOW_ZERO: Fault = Fault::new("below 0", "Write a number that is 0 or more.");
const NOT_ABOVE_ZERO: Fault = Fault::new("not above 0", "Write a number above 0.");
const OUT_OF_RANGE: Fault = Fault::new("too large or too small to work with", "Check the number and its unit.");
const CROSSED: Fault = Fault::new("max is below min", "Make the greatest frequency at least the least one.");

/// One column of numbers on its way.
#[derive(Debug)]
struct Measure {
    role: Role,
    column: usize,
    unit: Unit,
    values: Vec<f64>,
    /// Empty cells that got the default.
    defaulted: usize,
}

/// Turns a [`Table`] into [`Mapped`] items a step at a time.
#[derive(Debug)]
pub struct Mapper {
    table: Arc<Table>,
    mapping: Mapping,
    names: Vec<String>,
    first: usize,
    at: usize,
    next_ragged: usize,
    /// Shape before rate: the rate of a Weibull depends on it.
    measures: Vec<Measure>,
    id: Option<usize>,
    host: Option<(usize, Role)>,
    last_sync: Option<usize>,
    out: Mapped,
    bad_by_column: Vec<usize>,
    seen_hosts: HashMap<String, u32>,
    unknown_hosts: usize,
    repeats: Repeats,
    unnamed: usize,
}

impl Mapper {
    /// Prepares the work; refuses a mapping that does not fit or that lacks a role, and says which.
    pub fn new(table: Arc<Table>, mapping: Mapping) -> Result<Self> {
        let names = table.names(mapping.header);
        mapping.check(&names)?;
        Ok(Self::checked(table, mapping, names))
    }

    /// The same for a mapping that was checked.
    pub(super) fn checked(table: Arc<Table>, mapping: Mapping, names: Vec<String>) -> Self {
        let first = usize::from(table.has_header_row(mapping.header));
        let rows = table.cells.records.saturating_sub(first);
        let order = [
            Role::Shape,
            Role::Rate,
            Role::Interval,
            Role::Weight,
            Role::Cost,
            Role::Count,
            Role::Min,
            Role::Max,
            Role::Alpha,
            Role::Beta,
        ];
        let measure = |role| {
            let column = mapping.column(role)?;
            Some(Measure { role, column, unit: mapping.unit(column), values: Vec::with_capacity(rows), defaulted: 0 })
        };
        let host = [Role::Host, Role::Url].into_iter().find_map(|role| Some((mapping.column(role)?, role)));
        let id = mapping.column(Role::Id).or_else(|| mapping.column(Role::Url));
        let last_sync = mapping.column(Role::LastSync);
        let out = Mapped {
            ids: Ids { rows: Vec::with_capacity(rows), ..Ids::default() },
            host: host.map(|_| Hosts::default()),
            last_sync: last_sync.map(|_| Vec::with_capacity(rows)),
            ..Mapped::default()
        };
        Self {
            measures: order.into_iter().filter_map(measure).collect(),
            id,
            host,
            last_sync,
            bad_by_column: vec![0; names.len()],
            next_ragged: table.cells.ragged.partition_point(|ragged| (ragged.record as usize) < first),
            first,
            at: first,
            table,
            mapping,
            names,
            out,
            seen_hosts: HashMap::new(),
            unknown_hosts: 0,
            repeats: Repeats::new(if id.is_some() { rows } else { 0 }),
            unnamed: 0,
        }
    }

    /// Maps some more rows, then compares names.
    pub fn step(&mut self) -> Progress {
        let table = Arc::clone(&self.table);
        let end = table.cells.records.min(self.at + STEP);
        if self.at == end {
            let done = self.repeats.step(&self.out.ids);
            return Progress { fraction: MAPPING_SHARE + (1.0 - MAPPING_SHARE) * self.repeats.fraction(), done };
        }
        while self.at < end {
            self.row(&table, self.at);
            self.at += 1;
        }
        let rows = table.cells.records - self.first;
        Progress { fraction: MAPPING_SHARE * (self.at - self.first) as f64 / rows as f64, done: false }
    }

    /// The items; maps what is left first.
    #[must_use]
    pub fn finish(mut self) -> Mapped {
        while !self.step().done {}
        self.out.duplicates = std::mem::replace(&mut self.repeats, Repeats::new(0)).finish(&self.out.ids);
        self.note_defaults();
        let mut out = self.out;
        out.bad.by_column = self
            .names
            .into_iter()
            .zip(self.bad_by_column)
            .filter(|(_, cells)| *cells > 0)
            .map(|(column, cells)| ColumnCount { column, cells })
            .collect();
        for measure in self.measures {
            let values = measure.values;
            match measure.role {
                Role::Rate | Role::Interval => out.rate = values,
                Role::Weight => out.weight = Some(values),
                Role::Cost => out.cost = Some(values),
                Role::Count => out.count = Some(values),
                Role::Min => out.min = Some(values),
                Role::Max => out.max = Some(values),
                Role::Shape => out.shape = Some(values),
                Role::Alpha => out.alpha = Some(values),
                _ => out.beta = Some(values),
            }
        }
        if self.mapping.column(Role::Rate).or(self.mapping.column(Role::Interval)).is_none()
            && let (Some(alpha), Some(beta)) = (&out.alpha, &out.beta)
        {
            out.rate = alpha.iter().zip(beta).map(|(alpha, beta)| alpha / beta).collect();
            out.notes.push("Rates are alpha / beta, the mean of the Gamma.".into());
        }
        out
    }

    fn row(&mut self, table: &Table, record: usize) {
        let file_row = u32::try_from(table.cells.file_row(record)).unwrap_or(u32::MAX);
        let bad_before = self.out.bad.total;
        self.out.ids.rows.push(file_row);
        if let Some(ragged) = table.cells.ragged.get(self.next_ragged).filter(|ragged| ragged.record as usize == record)
        {
            self.next_ragged += 1;
            let reason = format!("{} cells, expected {}", ragged.found, table.columns());
            self.report(file_row, None, "", reason, "Check the delimiters and quotes of this row.");
        }
        let cell = |column| std::str::from_utf8(table.record(record, column)).unwrap_or_default();
        let (mut shape, mut min) = (None, None);
        for place in 0..self.measures.len() {
            let measure = &mut self.measures[place];
            let (role, column, text) = (measure.role, measure.column, cell(measure.column));
            let value = if is_missing(text) {
                let default = default(role);
                measure.defaulted += usize::from(default.is_ok());
                default
            } else {
                read(role, text, measure.unit, self.mapping.decimal_comma, shape)
            };
            let value = match value {
                Ok(value) if role == Role::Max && min.is_some_and(|min| value < min) => Err(CROSSED),
                value => value,
            };
            match role {
                Role::Shape => shape = value.ok(),
                Role::Min => min = value.ok(),
                _ => {}
            }
            measure.values.push(value.unwrap_or(f64::NAN));
            if let Err(fault) = value {
                self.report(file_row, Some(column), text, fault.reason.into(), fault.hint);
            }
        }
        if let Some(column) = self.last_sync {
            let text = cell(column);
            let unknown = is_missing(text) || text.eq_ignore_ascii_case("never");
            let moment = if unknown { Ok(f64::NAN) } else { instant(text) };
            if let Some(moments) = &mut self.out.last_sync {
                moments.push(moment.unwrap_or(f64::NAN));
            }
            if let Err(fault) = moment {
                self.report(file_row, Some(column), text, fault.reason.into(), fault.hint);
            }
        }
        let name = self.id.map(cell);
        if let Some((column, role)) = self.host {
            // An address is mostly the name too.
            let text = name.filter(|_| self.id == Some(column)).unwrap_or_else(|| cell(column));
            self.add_host(file_row, column, role, text);
        }
        if let Some(name) = name {
            self.add_id(name);
        }
        if self.out.bad.total > bad_before {
            let item = u32::try_from(self.out.ids.rows.len() - 1).unwrap_or(u32::MAX);
            self.out.bad_items.push(item);
            self.out.bad.rows.push(file_row);
        }
    }

    fn add_host(&mut self, file_row: u32, column: usize, role: Role, text: &str) {
        let name = match role {
            _ if is_missing(text) => {
                self.unknown_hosts += 1;
                Cow::Borrowed("(no host)")
            }
            Role::Url => match host::host(text) {
                Ok(name) => name,
                Err(fault) => {
                    self.report(file_row, Some(column), text, fault.reason.into(), fault.hint);
                    Cow::Borrowed("(no host)")
                }
            },
            _ => host::normal(text),
        };
        let Some(hosts) = &mut self.out.host else { return };
        // Lists of addresses mostly come host by host.
        let last = hosts.index.last().copied().filter(|last| hosts.names[*last as usize] == name);
        let index = if let Some(last) = last {
            last
        } else if let Some(index) = self.seen_hosts.get(name.as_ref()) {
            *index
        } else {
            let index = u32::try_from(hosts.names.len()).unwrap_or(u32::MAX);
            hosts.names.push(name.clone().into_owned());
            self.seen_hosts.insert(name.into_owned(), index);
            index
        };
        hosts.index.push(index);
    }

    fn add_id(&mut self, name: &str) {
        let ids = &mut self.out.ids;
        let item = u32::try_from(ids.ends.len()).unwrap_or(u32::MAX);
        ids.push(name);
        if name.is_empty() {
            self.unnamed += 1;
        } else {
            self.repeats.add(item, name);
        }
    }

    fn report(&mut self, row: u32, column: Option<usize>, text: &str, reason: String, hint: &str) {
        if let Some(column) = column {
            self.bad_by_column[column] += 1;
        }
        self.out.bad.list(row, column.map(|column| self.names[column].as_str()), text, reason, hint);
    }

    /// Says what was assumed where cells were empty, repeated or converted.
    fn note_defaults(&mut self) {
        let notes = &mut self.out.notes;
        for measure in self.measures.iter().filter(|measure| measure.defaulted > 0) {
            let value = match measure.role {
                Role::Min => "no lower bound",
                Role::Max => "no upper bound",
                _ => "1",
            };
            let name = &self.names[measure.column];
            notes.push(format!("{} empty cells of {name:?} count as {value}.", measure.defaulted));
        }
        if self.unnamed > 0 {
            notes.push(format!("{} items without a name are called by their row.", self.unnamed));
        }
        if let Some(first) = self.out.duplicates.listed.first() {
            let total = self.out.duplicates.total;
            notes.push(format!(
                "{total} rows repeat a name (the first is {:?} in row {}, before in row {}); all are kept as items of their own.",
                first.id, first.row, first.first_row
            ));
        }
        if self.host.is_some_and(|(_, role)| role == Role::Url) {
            notes.push("Hosts are the host part of the addresses, in lower case, without a leading \"www.\".".into());
        }
        if self.unknown_hosts > 0 {
            notes.push(format!("{} items without a host share the group \"(no host)\".", self.unknown_hosts));
        }
        if self.mapping.column(Role::Shape).is_some() && self.mapping.column(Role::Interval).is_some() {
            notes.push("Mean intervals became the rates of Weibull changes with those means.".into());
        }
    }
}

/// What an empty cell means.
fn default(role: Role) -> std::result::Result<f64, Fault> {
    match role {
        Role::Weight | Role::Cost | Role::Count => Ok(1.0),
        Role::Min => Ok(0.0),
        Role::Max => Ok(f64::INFINITY),
        _ => Err(EMPTY),
    }
}

/// The value of a cell that is not empty. `shape` is the Weibull shape of the same row.
fn read(role: Role, text: &str, unit: Unit, comma: bool, shape: Option<f64>) -> std::result::Result<f64, Fault> {
    let value = match role {
        Role::Rate | Role::Interval | Role::Min | Role::Max => match (pace_or_percent(text, comma)?, role) {
            (Pace::Bare(value), Role::Interval) => weibull_mean(bare_interval(value, unit)?, shape),
            (Pace::Bare(value), Role::Rate) => {
                // λ t^γ is a pure number, so λ scales by the unit to the power γ.
                let shape = shape.filter(|_| unit != Unit::Days);
                shape.map_or_else(
                    || bare_rate(value, unit),
                    |shape| Ok(bare_rate(value, Unit::Days)? * libm::pow(unit.rate(1.0), shape)),
                )?
            }
            (Pace::Bare(value), _) => bare_rate(value, unit)?,
            (Pace::PerDay(value), Role::Rate | Role::Interval) => weibull_mean(value, shape),
            (Pace::PerDay(value), _) => value,
        },
        Role::Beta => unit.days(amount(text, comma, false)?),
        Role::Weight | Role::Cost => amount(text, comma, true)?,
        _ => amount(text, comma, false)?,
    };
    match role {
        _ if !value.is_finite() => Err(OUT_OF_RANGE),
        Role::Cost | Role::Count | Role::Shape | Role::Beta if value <= 0.0 => Err(NOT_ABOVE_ZERO),
        _ if value < 0.0 => Err(BELOW_ZERO),
        _ => Ok(value),
    }
}

fn pace_or_percent(text: &str, comma: bool) -> std::result::Result<Pace, Fault> {
    match pace(text, comma) {
        Err(_) if text.ends_with('%') => Ok(Pace::Bare(amount(text, comma, false)?)),
        known => known,
    }
}

/// The λ of S(t) = exp(−λ t^γ) whose mean interval Γ(1 + 1/γ) λ^(−1/γ) is 1/`rate`; without a shape, `rate` itself.
fn weibull_mean(rate: f64, shape: Option<f64>) -> f64 {
    shape.map_or(rate, |shape| libm::pow(libm::tgamma(1.0 + 1.0 / shape) * rate, shape))
}
