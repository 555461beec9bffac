//! Bytes to typed columns, every error with its place.
//!
//! A file becomes items in two jobs, each stepped so that a million rows show progress and can be cancelled by dropping
//! the job:
//!
//! 1. [`Reader`]: bytes → [`Table`]. Unpacks gzip, finds the encoding, the format, the delimiter, the quote and the header,
//!    and keeps every cell as a span of one text buffer. What it assumed is in [`Understood`], with a guess of what each
//!    column is.
//! 2. [`Mapper`]: [`Table`] and [`Mapping`] (the guess, or what the person made of it) → [`Mapped`]: one typed column for
//!    each role, and a list of every cell that could not be read. Nothing is dropped unless [`Mapped::drop_bad`] is called.
//!
//! A log of changes or visits goes through [`LogMapper`] instead, to a [`Log`].
//!
//! The unit of time inside is the day.
//!
//! ```
//! use afresh::ingest::{Mapper, Reader};
//!
//! let mut reader = Reader::new("pages.csv");
//! reader.push("page;every\nhome;3 weeks\nnews;12 h\n".as_bytes())?;
//! reader.end();
//! while !reader.step()?.done {}
//! let table = std::sync::Arc::new(reader.finish()?);
//!
//! let mut mapper = Mapper::new(table.clone(), table.understood().mapping())?;
//! while !mapper.step().done {}
//! let items = mapper.finish();
//! assert_eq!(items.rate, [1.0 / 21.0, 2.0]);
//! assert_eq!(items.ids.get(1), "news");
//! # Ok::<(), afresh::problem::Problem>(())
//! ```

mod container;
mod delimited;
mod encoding;
mod examples;
mod guess;
mod host;
mod instant;
mod json;
mod log;
mod mapped;
mod mapper;
mod mapping;
mod number;
mod pace;
mod reader;
mod relation;
mod repeats;
mod table;
#[cfg(test)]
#[allow(clippy::float_cmp, reason = "that values are exact is the claim")]
mod tests;
mod understood;
mod words;

#[cfg(test)]
pub(crate) use examples::bytes as example_bytes;
pub use examples::{EXAMPLES, Example, Search, example};
pub use instant::stamp;
pub(crate) use instant::{Moment, calendar};
#[cfg(feature = "wasm")]
pub(crate) use json::unescape;
pub use log::{Log, LogMapper, LogMapping, LogRole};
pub use mapped::{BadCell, BadCells, ColumnCount, Duplicate, Duplicates, Hosts, Ids, Mapped};
pub use mapper::Mapper;
pub use mapping::{Mapping, Role};
pub use pace::Unit;
pub use reader::Reader;
pub use relation::{
    CountColumns, CountReport, KeywordColumn, Related, RelationMapping, RelationReader, RelationRole, count_corpus,
    read_counts,
};
pub use table::Table;
pub use understood::{ColumnSummary, Format, Understood};

use crate::problem::{Kind, Problem};
use serde::Serialize;

/// The most bytes that a file may have, before and after unpacking: what a browser tab can hold with its table.
pub const MAX_BYTES: usize = 1 << 30;
/// The most columns of a table.
pub const MAX_COLUMNS: usize = 1_000;
/// The most cells of a table: eight bytes each.
pub const MAX_CELLS: usize = 1 << 26;
/// The longest cell. A longer one is nearly always a quote that was never closed.
pub const MAX_CELL: usize = 1 << 20;

/// How far a job has come.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "wasm", derive(tsify::Tsify))]
pub struct Progress {
    /// The share of the work that is done, from 0 to 1.
    pub fraction: f64,
    /// Whether the job can be finished.
    pub done: bool,
}

/// The file, or what it unpacks to, is larger than [`MAX_BYTES`].
fn too_large() -> Problem {
    Problem::new(
        Kind::Size,
        format!("the file holds more than {} MiB", MAX_BYTES >> 20),
        "Keep only the columns that matter, or split the file.",
    )
}

/// The tab has no memory left.
fn out_of_memory<T>(_: T) -> Problem {
    Problem::new(Kind::Size, "the file does not fit into memory", "Close other tabs, or split the file.")
}
