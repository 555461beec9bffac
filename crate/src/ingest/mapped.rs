//! Items as typed columns, and the cells that could not be read.

use crate::change::Model;
use crate::problem::{Kind, Problem, Result};
use serde::Serialize;
use std::borrow::Cow;
use std::cmp::Ordering;

/// How many bad cells are listed; all are counted.
const LISTED: usize = 1_000;

/// The items' names in one buffer; an item without one is called by its row.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ids {
    pub(super) text: String,
    pub(super) ends: Vec<u32>,
    pub(super) rows: Vec<u32>,
}

impl Ids {
    /// How many items there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no item.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The name of an item, "row 12" if it has none.
    #[must_use]
    pub fn get(&self, item: usize) -> Cow<'_, str> {
        match self.written(item) {
            "" => Cow::Owned(format!("row {}", self.file_row(item))),
            name => Cow::Borrowed(name),
        }
    }

    /// The order of two items' names, by code point.
    #[inline(never)]
    pub(crate) fn compare(&self, a: usize, b: usize) -> Ordering {
        match (self.written(a), self.written(b)) {
            ("", _) | (_, "") => self.get(a).cmp(&self.get(b)),
            (a, b) => a.cmp(b),
        }
    }

    /// The row of the file, header = 1, that an item came from; 0 for an item that does not exist.
    #[must_use]
    pub fn file_row(&self, item: usize) -> usize {
        self.rows.get(item).map_or(0, |row| *row as usize)
    }

    /// The name that the file gives.
    #[inline] // for the sorting of a million names
    pub(super) fn written(&self, item: usize) -> &str {
        let end = self.ends.get(item).map_or(0, |end| *end as usize);
        let start = item.checked_sub(1).and_then(|before| self.ends.get(before)).map_or(0, |end| *end as usize);
        self.text.get(start..end).unwrap_or_default()
    }

    pub(super) fn push(&mut self, name: &str) {
        self.text.push_str(name);
        self.ends.push(u32::try_from(self.text.len()).unwrap_or(u32::MAX));
    }
}

impl FromIterator<String> for Ids {
    /// Names that come from no file; rows count from 1.
    fn from_iter<I: IntoIterator<Item = String>>(names: I) -> Self {
        let mut ids = Self::default();
        for (row, name) in (1..).zip(names) {
            ids.push(&name);
            ids.rows.push(row);
        }
        ids
    }
}

/// Which host serves each item.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hosts {
    /// For each item, the place of its host in `names`.
    pub index: Vec<u32>,
    /// The hosts, in the order of the file.
    pub names: Vec<String>,
}

/// A cell that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "wasm", derive(tsify::Tsify))]
pub struct BadCell {
    /// The row of the file, header = 1.
    pub row: u32,
    /// The column's name; none when the whole row is bad.
    pub column: Option<String>,
    /// What the cell says, up to 40 characters.
    pub text: String,
    /// What is wrong with it.
    pub reason: String,
    /// What to do about it.
    pub hint: String,
}

/// How many bad cells a column has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "wasm", derive(tsify::Tsify))]
pub struct ColumnCount {
    /// The column's name.
    pub column: String,
    /// Its bad cells.
    pub cells: usize,
}

/// The cells that could not be read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "wasm", derive(tsify::Tsify))]
pub struct BadCells {
    /// How many there are; a row with the wrong number of cells counts as one.
    pub total: usize,
    /// How many each column has, for those that have any.
    pub by_column: Vec<ColumnCount>,
    /// The first thousand.
    pub listed: Vec<BadCell>,
    /// The rows of the file, header = 1, that hold any.
    pub rows: Vec<u32>,
}

impl BadCells {
    /// Counts a cell that could not be read, and lists it if there is room.
    pub(super) fn list(&mut self, row: u32, column: Option<&str>, text: &str, reason: String, hint: &str) {
        self.total += 1;
        if self.listed.len() < LISTED {
            let mut shown: String = text.chars().take(40).collect();
            if shown.len() < text.len() {
                shown.push('…');
            }
            self.listed.push(BadCell { row, column: column.map(Into::into), text: shown, reason, hint: hint.into() });
        }
    }

    /// Refuses rows of which some could not be read, at the first bad cell.
    pub fn check(&self) -> Result<()> {
        let Some(first) = self.listed.first() else { return Ok(()) };
        let place = first.column.as_ref().map_or(String::new(), |column| format!(", column {column:?}"));
        let mut problem = Problem::new(
            Kind::Value,
            format!(
                "row {}{place}: {} ({} bad cells in {} rows)",
                first.row,
                first.reason,
                self.total,
                self.rows.len()
            ),
            format!("{} Or leave out the rows with bad cells.", first.hint),
        )
        .at_row(first.row as usize);
        problem.column.clone_from(&first.column);
        Err(problem)
    }
}

/// A name that came before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "wasm", derive(tsify::Tsify))]
pub struct Duplicate {
    /// The name.
    pub id: String,
    /// The row of the file that has it first.
    pub first_row: u32,
    /// The row that has it again.
    pub row: u32,
}

/// Names that stand in several rows. Those rows are kept: each is an item of its own.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "wasm", derive(tsify::Tsify))]
pub struct Duplicates {
    /// How many rows repeat a name.
    pub total: usize,
    /// The first of them.
    pub listed: Vec<Duplicate>,
}

/// Items as typed columns, one value each. Time is in days. Where `bad` is not empty, the values of those rows are NaN:
/// ask [`Mapped::check`] or call [`Mapped::drop_bad`] before use.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Mapped {
    /// The items' names.
    pub ids: Ids,
    /// Changes per day; under a Weibull shape γ the λ of S = exp(−λ t^γ) with t in days.
    pub rate: Vec<f64>,
    /// Importance.
    pub weight: Option<Vec<f64>>,
    /// What a visit costs.
    pub cost: Option<Vec<f64>>,
    /// How many alike items the row stands for.
    pub count: Option<Vec<f64>>,
    /// The least frequency, per day.
    pub min: Option<Vec<f64>>,
    /// The greatest frequency, per day; infinite where there is none.
    pub max: Option<Vec<f64>>,
    /// The Weibull shape.
    pub shape: Option<Vec<f64>>,
    /// The Gamma's shape.
    pub alpha: Option<Vec<f64>>,
    /// The Gamma's rate, in days.
    pub beta: Option<Vec<f64>>,
    /// The hosts.
    pub host: Option<Hosts>,
    /// When each item was last synced, in days since 1970-01-01T00:00Z; NaN where that is not known.
    pub last_sync: Option<Vec<f64>>,
    /// The cells that could not be read.
    pub bad: BadCells,
    /// Names that stand in several rows.
    pub duplicates: Duplicates,
    /// What was assumed, in sentences.
    pub notes: Vec<String>,
    /// The items that have bad cells.
    pub(super) bad_items: Vec<u32>,
}

impl Mapped {
    /// How many items there are, those with bad cells included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there is no item.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// The change model that the columns make: Weibull with a shape, Gamma–Poisson with alpha and beta, else Poisson.
    #[must_use]
    pub fn model(&self) -> Model {
        match (&self.shape, &self.alpha) {
            (Some(_), _) => Model::Weibull,
            (None, Some(_)) => Model::GammaPoisson,
            (None, None) => Model::Poisson,
        }
    }

    /// Refuses items of which some could not be read, at the first bad cell.
    pub fn check(&self) -> Result<()> {
        self.bad.check()?;
        if self.is_empty() {
            return Err(Problem::new(
                Kind::Value,
                "no row is left",
                "Correct the file, or change what its columns are.",
            ));
        }
        Ok(())
    }

    /// The same items without the rows that have bad cells, and with a note that says how many.
    #[must_use]
    pub fn drop_bad(mut self) -> Self {
        if self.bad_items.is_empty() {
            return self;
        }
        let mut keep = vec![true; self.len()];
        for &item in &self.bad_items {
            keep[item as usize] = false;
        }
        let mut ids = Ids { text: String::with_capacity(self.ids.text.len()), ..Ids::default() };
        let named = !self.ids.ends.is_empty();
        for item in (0..keep.len()).filter(|item| keep[*item]) {
            ids.rows.push(self.ids.rows[item]);
            if named {
                ids.push(self.ids.written(item));
            }
        }
        self.ids = ids;
        let columns = [
            Some(&mut self.rate),
            self.weight.as_mut(),
            self.cost.as_mut(),
            self.count.as_mut(),
            self.min.as_mut(),
            self.max.as_mut(),
            self.shape.as_mut(),
            self.alpha.as_mut(),
            self.beta.as_mut(),
            self.last_sync.as_mut(),
        ];
        for column in columns.into_iter().flatten() {
            retain(column, &keep);
        }
        if let Some(hosts) = &mut self.host {
            retain(&mut hosts.index, &keep);
        }
        self.notes.push(format!("{} rows with cells that could not be read were left out.", self.bad_items.len()));
        self.bad_items.clear();
        self.bad = BadCells::default();
        self
    }
}

fn retain<T>(column: &mut Vec<T>, keep: &[bool]) {
    let mut kept = keep.iter();
    column.retain(|_| kept.next().copied().unwrap_or(true));
}
