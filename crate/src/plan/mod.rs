//! The plan document: everything that restores what a person sees. The lab, the data or what they are known by, what each
//! column means, and every knob, a simulation's seed among them.
//!
//! A plan travels in two dresses that say the same: a link (`p1.…`, see [`encode`] and [`decode`]) and a file that a person
//! can read (the same fields as JSON, through serde). Both are checked in full before anybody acts on them, and both leave
//! out what has its usual value: reading lays a plan over the usual values, so a plan written before a knob existed opens
//! for ever after.
//!
//! ```
//! use afresh::plan::{self, PlanData, Plan, KnobValue};
//!
//! let plan = Plan {
//!     lab: "allocate".into(),
//!     data: PlanData::Example("packages".into()),
//!     knobs: [("budget".into(), KnobValue::Number(50.0))].into(),
//!     beside: vec![],
//! };
//! let link = plan::encode(&plan)?;
//! assert!(link.starts_with("p1."));
//! assert_eq!(plan::decode(&link)?.knobs["budget"], KnobValue::Number(50.0));
//! # Ok::<(), afresh::problem::Problem>(())
//! ```

mod allocate;
mod bytes;
mod cells;
mod knobs;
mod link;
mod probe;
mod replay;
mod table;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::de::{Deserializer, Visitor};
use serde::{Deserialize, Serialize, Serializer};

pub use knobs::KnobValue;
pub use link::{FORMAT, LONGEST_LINK, decode, encode};
pub use table::Meaning;

use crate::numeric::decimal;
use crate::problem::{Kind, Problem, Result};

/// The most tables that a plan has beside its data.
const MOST_TABLES: usize = 20;
/// The most columns that a plan carries or names.
const MOST_COLUMNS: usize = 1_000;
/// The most cells that a plan carries, and the most bytes that they may have together.
const MOST_CELLS: usize = 2_000_000;
const MOST_TEXT: usize = 32 << 20;
/// The longest name of a file, a column, a role.
const LONGEST_NAME: usize = 500;

/// Everything that restores a view.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "wasm", derive(tsify::Tsify))]
pub struct Plan {
    /// The lab that it opens in.
    pub lab: String,
    /// What it is about.
    pub data: PlanData,
    /// What the person chose, by name; a knob that is not here has its usual value.
    #[serde(default)]
    #[cfg_attr(feature = "wasm", tsify(optional, type = "Record<string, KnobValue>"))]
    pub knobs: BTreeMap<String, KnobValue>,
    /// Tables that the lab uses beside its data, known by what their columns are: counts of a server, or a sample of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "wasm", tsify(optional))]
    pub beside: Vec<PlanTable>,
}

/// The data of a plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "wasm", derive(tsify::Tsify))]
pub enum PlanData {
    /// A built-in example, by its name.
    Example(String),
    /// A person's own table.
    Table(PlanTable),
}

/// A person's own table: with its cells, or by the fingerprint of the file that has them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "wasm", derive(tsify::Tsify))]
pub struct PlanTable {
    /// The file's name.
    pub name: String,
    /// What the file is known by: 16 hexadecimal digits over its bytes. Needed where the cells are left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "wasm", tsify(optional))]
    pub fingerprint: Option<String>,
    /// How many rows of data it has.
    pub rows: usize,
    /// Whether numbers are written as 1,5.
    #[serde(default)]
    #[cfg_attr(feature = "wasm", tsify(optional))]
    pub decimal_comma: bool,
    /// Whether the file's first row names the columns.
    #[serde(default)]
    #[cfg_attr(feature = "wasm", tsify(optional))]
    pub header: bool,
    /// Whether rows with cells that cannot be read were left out.
    #[serde(default)]
    #[cfg_attr(feature = "wasm", tsify(optional))]
    pub drop_bad: bool,
    /// Its columns: those in use with their cells, or all of them without any.
    pub columns: Vec<PlanColumn>,
}

/// A column of a table, and what it means.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "wasm", derive(tsify::Tsify))]
pub struct PlanColumn {
    /// Its name.
    pub name: String,
    /// What the lab takes it for: "rate".
    pub role: String,
    /// The unit of its bare numbers: "weeks".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "wasm", tsify(optional))]
    pub unit: Option<String>,
    /// Its cells, one a row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "wasm", tsify(optional, type = "(string | number)[]"))]
    pub cells: Option<Vec<Cell>>,
}

/// A cell as its file writes it. One that is written as a number is, outside, a number.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cell(pub String);

impl Cell {
    /// The number that this text, and no other, is the shortest way to write.
    pub(crate) fn number(&self) -> Option<f64> {
        // What cannot be a number is most of what there is, and parsing it costs more than a look at its ends.
        if !self.0.as_bytes().first().is_some_and(|first| first.is_ascii_digit() || *first == b'-') {
            return None;
        }
        let value = decimal::nearest(&self.0)?;
        (value.is_finite() && value.to_bits() != (-0.0_f64).to_bits() && value.to_string() == self.0).then_some(value)
    }
}

impl Serialize for Cell {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        match self.number() {
            Some(value) => serializer.serialize_f64(value),
            None => serializer.serialize_str(&self.0),
        }
    }
}

impl<'de> Deserialize<'de> for Cell {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct Read;

        impl Visitor<'_> for Read {
            type Value = Cell;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("text or a number")
            }

            fn visit_str<E>(self, text: &str) -> std::result::Result<Cell, E> {
                Ok(Cell(text.into()))
            }

            fn visit_f64<E>(self, value: f64) -> std::result::Result<Cell, E> {
                Ok(Cell(value.to_string()))
            }

            fn visit_i64<E>(self, value: i64) -> std::result::Result<Cell, E> {
                Ok(Cell(value.to_string()))
            }

            fn visit_u64<E>(self, value: u64) -> std::result::Result<Cell, E> {
                Ok(Cell(value.to_string()))
            }
        }

        deserializer.deserialize_any(Read)
    }
}

impl Plan {
    /// The plan with every knob that it does not name at its usual value, if all of it makes sense.
    pub fn check(mut self) -> Result<Self> {
        let fields = knobs::fields(&self.lab)?;
        for (name, value) in &mut self.knobs {
            let field = knobs::field(fields, name)?;
            field.check(value)?;
        }
        for field in fields {
            if let Some(usual) = field.usual()
                && !self.knobs.contains_key(field.name)
            {
                self.knobs.insert(field.name.into(), usual);
            }
        }
        match &self.data {
            PlanData::Example(name) => short(name, "the example's name")?,
            PlanData::Table(table) => table.check()?,
        }
        if self.beside.len() > MOST_TABLES {
            let message =
                format!("the plan has {} tables beside its data, and {MOST_TABLES} is the most", self.beside.len());
            return Err(invalid(message, "beside"));
        }
        self.beside.iter().try_for_each(PlanTable::check)?;
        Ok(self)
    }
}

impl PlanTable {
    /// Whether the cells travel with the plan.
    #[must_use]
    pub fn has_cells(&self) -> bool {
        self.columns.iter().any(|column| column.cells.is_some())
    }

    fn check(&self) -> Result<()> {
        short(&self.name, "the file's name")?;
        if self.columns.is_empty() || self.columns.len() > MOST_COLUMNS {
            return Err(invalid(
                format!("the plan's table has {} columns, not 1 to {MOST_COLUMNS}", self.columns.len()),
                "columns",
            ));
        }
        let mut text = 0_usize;
        for column in &self.columns {
            short(&column.name, "a column's name")?;
            short(&column.role, "a column's role")?;
            short(column.unit.as_deref().unwrap_or_default(), "a column's unit")?;
            if column.cells.is_some() != self.has_cells() {
                return Err(invalid("some columns of the plan's table have cells and some have none".into(), "cells"));
            }
            if let Some(cells) = &column.cells {
                if cells.len() != self.rows {
                    return Err(Problem::new(
                        Kind::Length,
                        format!("column {:?} has {} cells for {} rows", column.name, cells.len(), self.rows),
                        "Give every column one cell for each row.",
                    )
                    .in_column(&column.name));
                }
                text = cells.iter().fold(text, |sum, cell| sum.saturating_add(cell.0.len()));
            }
        }
        if self.has_cells() && (text > MOST_TEXT || self.rows.saturating_mul(self.columns.len()) > MOST_CELLS) {
            return Err(Problem::new(
                Kind::Size,
                "the table is too large to travel inside a plan",
                "Leave the cells out and give the file's fingerprint; whoever opens the plan is asked for the file.",
            ));
        }
        let known = |mark: &String| mark.len() == 16 && mark.bytes().all(|digit| digit.is_ascii_hexdigit());
        if !self.has_cells() && self.fingerprint.is_none() || self.fingerprint.as_ref().is_some_and(|mark| !known(mark))
        {
            return Err(invalid(
                "a table without cells needs the fingerprint of its file, 16 hexadecimal digits".into(),
                "fingerprint",
            ));
        }
        Ok(())
    }
}

fn short(name: &str, what: &str) -> Result<()> {
    if name.len() <= LONGEST_NAME {
        return Ok(());
    }
    Err(Problem::new(Kind::Size, format!("{what} has more than {LONGEST_NAME} bytes"), "Shorten it."))
}

fn invalid(message: String, column: &str) -> Problem {
    Problem::new(Kind::Field, message, "Compare the plan with the type declaration.").in_column(column)
}
