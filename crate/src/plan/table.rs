//! Between a table that was read and the table of a plan.

use serde::Deserialize;

use super::{Cell, PlanColumn, PlanTable};
use crate::ingest::Table;
use crate::problem::{Kind, Problem, Result};

/// The role of a column that no plan needs.
const IGNORED: &str = "ignore";

/// What each column of a table means, in the words of a lab.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "wasm", derive(tsify::Tsify))]
pub struct Meaning {
    /// One role for each column; "ignore" for one that is not needed.
    pub roles: Vec<String>,
    /// The unit of each column's bare numbers, where it has one.
    #[serde(default)]
    pub units: Vec<Option<String>>,
    /// Whether numbers are written as 1,5.
    pub decimal_comma: bool,
    /// Whether the first row names the columns.
    pub header: bool,
}

impl PlanTable {
    /// The table of a plan: with the cells of the columns in use where they have at most `most` bytes, and otherwise with
    /// the names of all columns and the fingerprint.
    pub fn of(
        table: &Table,
        name: &str,
        fingerprint: &str,
        meaning: &Meaning,
        drop_bad: bool,
        most: usize,
    ) -> Result<Self> {
        let names = table.understood_with(meaning.header).columns;
        if meaning.roles.len() != names.len() {
            return Err(Problem::new(
                Kind::Length,
                format!("there are {} roles for {} columns", meaning.roles.len(), names.len()),
                "Give one role for each column.",
            ));
        }
        let in_use = || (0..names.len()).filter(|&column| meaning.roles[column] != IGNORED);
        let mut left = most;
        let fits = in_use().all(|column| {
            table.whole_rows(column, meaning.header).all(|cell| {
                left = left.saturating_sub(cell.len() + 1);
                left > 0
            })
        });
        let about = |column: usize| PlanColumn {
            name: names[column].name.clone(),
            role: meaning.roles[column].clone(),
            unit: meaning.units.get(column).cloned().flatten(),
            cells: fits.then(|| table.whole_rows(column, meaning.header).map(|cell| Cell(cell.into_owned())).collect()),
        };
        Ok(Self {
            name: name.into(),
            fingerprint: (!fits).then(|| fingerprint.into()),
            rows: table.count_whole_rows(meaning.header),
            decimal_comma: meaning.decimal_comma,
            header: meaning.header,
            drop_bad,
            columns: if fits { in_use().map(about).collect() } else { (0..names.len()).map(about).collect() },
        })
    }

    /// The table that travelled inside the plan.
    pub fn table(&self) -> Result<Table> {
        let columns: Vec<(&str, _)> = self
            .columns
            .iter()
            .map(|column| {
                let cells = column.cells.as_deref().unwrap_or_default();
                (column.name.as_str(), cells.iter().map(|cell| cell.0.as_str()))
            })
            .collect();
        Table::from_columns(&columns, self.header)
    }
}
