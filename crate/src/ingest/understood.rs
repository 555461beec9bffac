//! What was understood of a file, in words that a person can check and change.

use super::mapping::{Mapping, Role};
use super::pace::Unit;
use serde::Serialize;

/// How a file lays out its table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "wasm", derive(tsify::Tsify))]
pub enum Format {
    /// Rows of cells between delimiters: CSV, TSV and their kin.
    Csv,
    /// An array of objects.
    Json,
    /// One object after the other, usually one a line.
    JsonLines,
    /// An object of arrays, one for each column.
    JsonColumns,
    /// Columns that a plan carried inside.
    Plan,
}

/// One column, and what it is taken for.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "wasm", derive(tsify::Tsify))]
pub struct ColumnSummary {
    /// Its name: the header's, the key's, or "column 3".
    pub name: String,
    /// The first three different values.
    pub samples: Vec<String>,
    /// The share of numbers among the values of a sample of rows.
    pub numeric_share: f64,
    /// The share of empty cells in that sample.
    pub empty_share: f64,
    /// How many different values that sample has: "at least so many" for the whole column.
    pub distinct: usize,
    /// What the column is taken for.
    pub role: Role,
    /// The unit of its bare numbers, where the role has one.
    pub unit: Option<Unit>,
    /// Why, in a few words.
    pub reason: String,
}

/// What was understood of a file.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "wasm", derive(tsify::Tsify))]
pub struct Understood {
    /// How the table is laid out.
    pub format: Format,
    /// What stands between cells; none for JSON and for a single column.
    pub delimiter: Option<char>,
    /// What stands around cells that hold a delimiter; none for JSON.
    pub quote: Option<char>,
    /// The name of the text's encoding.
    pub encoding: &'static str,
    /// Whether the file was packed with gzip.
    pub gzip: bool,
    /// Whether numbers are written as 1,5.
    pub decimal_comma: bool,
    /// Whether the columns have names of their own.
    pub header: bool,
    /// How many rows of data there are.
    pub rows: usize,
    /// The columns, in the order of the file.
    pub columns: Vec<ColumnSummary>,
    /// What was assumed, in sentences.
    pub notes: Vec<String>,
}

impl Understood {
    /// The mapping that the guesses make; a person may change any of it.
    #[must_use]
    pub fn mapping(&self) -> Mapping {
        Mapping {
            roles: self.columns.iter().map(|column| column.role).collect(),
            units: self.columns.iter().map(|column| column.unit).collect(),
            decimal_comma: self.decimal_comma,
            header: self.header,
        }
    }
}
