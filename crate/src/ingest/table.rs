//! A table of text: one buffer and, column by column, where each cell stands in it.
//!
//! Unquoting and unescaping only ever shorten a cell, so cells are cleaned where they stand and nothing is copied: a million
//! rows of six columns cost the file itself and eight bytes a cell.

use super::understood::{Format, Understood};
use super::{MAX_CELL, MAX_CELLS, MAX_COLUMNS, guess};
use crate::problem::{Kind, Problem, Result};
use std::borrow::Cow;

/// Where a cell stands in the text; an empty one stands for a missing cell too.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Span {
    start: u32,
    length: u32,
}

impl Span {
    /// The span from `start` to `end`, which a size limit keeps below 2³².
    pub(super) fn new(start: usize, end: usize) -> Self {
        let narrow = |place: usize| u32::try_from(place).unwrap_or(u32::MAX);
        Self { start: narrow(start), length: narrow(end.saturating_sub(start)) }
    }

    pub(super) fn of(self, text: &[u8]) -> &[u8] {
        let start = self.start as usize;
        text.get(start..start + self.length as usize).unwrap_or_default()
    }

    pub(super) fn length(self) -> usize {
        self.length as usize
    }
}

/// A row whose number of fields is not that of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ragged {
    pub(super) record: u32,
    pub(super) found: u32,
}

/// The cells of a table, while it is read and after.
#[derive(Debug, Default)]
pub(super) struct Cells {
    pub(super) columns: Vec<Vec<Span>>,
    /// Rows with cells, a header included.
    pub(super) records: usize,
    /// In the order of the file.
    pub(super) ragged: Vec<Ragged>,
    /// From this record on, so many rows of the file hold no record (blank lines, comments, titles).
    skipped: Vec<(u32, u32)>,
}

impl Cells {
    /// Says that the row after the last record holds no record.
    pub(super) fn skip(&mut self, rows: usize) {
        if rows == 0 {
            return;
        }
        let rows = u32::try_from(rows).unwrap_or(u32::MAX);
        let record = u32::try_from(self.records).unwrap_or(u32::MAX);
        match self.skipped.last_mut() {
            Some((last, total)) if *last == record => *total += rows,
            last => {
                let total = last.map_or(0, |(_, total)| *total);
                self.skipped.push((record, total + rows));
            }
        }
    }

    /// The row of the file that holds this record, counted from 1.
    pub(super) fn file_row(&self, record: usize) -> usize {
        let after = self.skipped.partition_point(|(from, _)| *from as usize <= record);
        record + 1 + if after == 0 { 0 } else { self.skipped[after - 1].1 as usize }
    }

    /// Adds a column, empty for the records before.
    pub(super) fn add_column(&mut self) -> Result<usize> {
        if self.columns.len() == MAX_COLUMNS {
            return Err(self.too_wide());
        }
        self.columns.push(vec![Span::default(); self.records]);
        Ok(self.columns.len() - 1)
    }

    /// Refuses a table that would not fit into memory.
    pub(super) fn check_size(&self) -> Result<()> {
        if self.records.saturating_mul(self.columns.len()) > MAX_CELLS { Err(Self::too_many()) } else { Ok(()) }
    }

    pub(super) fn too_many() -> Problem {
        Problem::new(
            Kind::Size,
            format!("the table has more than {} million cells", MAX_CELLS / 1_000_000),
            "Keep only the columns that matter, or split the file.",
        )
    }

    /// The next record has more columns than there may be.
    pub(super) fn too_wide(&self) -> Problem {
        let row = self.file_row(self.records);
        Problem::new(
            Kind::Size,
            format!("row {row} has more than {MAX_COLUMNS} columns"),
            "Keep only the columns that matter.",
        )
        .at_row(row)
    }

    /// The next record has a cell that is surely a mistake.
    pub(super) fn too_long(&self) -> Problem {
        let row = self.file_row(self.records);
        let message = format!("row {row} has a cell of more than {} MiB", MAX_CELL >> 20);
        Problem::new(Kind::Size, message, "Check the quotes and line ends around that row.").at_row(row)
    }
}

/// A table read from a file: every cell as text, and what was understood of it.
#[derive(Debug)]
pub struct Table {
    pub(super) text: Vec<u8>,
    pub(super) cells: Cells,
    /// The names that the format itself gives (JSON); a delimited file's names are its header's.
    pub(super) keys: Option<Vec<String>>,
    /// What was assumed before any column was looked at.
    pub(super) file_notes: Vec<String>,
    pub(super) understood: Understood,
}

impl Table {
    /// A table of named columns of cells, as a plan carries them. All must be equally long, and there must be a row.
    /// `header` says whether the file that they come from named them in a row of its own.
    pub fn from_columns<'a, C>(columns: &[(&str, C)], header: bool) -> Result<Self>
    where
        C: Clone + ExactSizeIterator<Item = &'a str>,
    {
        let rows = columns.first().map_or(0, |(_, cells)| cells.len());
        if rows == 0 || columns.len() > MAX_COLUMNS || columns.iter().any(|(_, cells)| cells.len() != rows) {
            return Err(Problem::new(
                Kind::Format,
                "the plan's table has no rows, or columns of different lengths",
                "Ask for the plan again.",
            ));
        }
        let mut cells = Cells::default();
        // The rows count as they did in the file.
        cells.skip(usize::from(header));
        cells.records = rows;
        cells.check_size()?;
        let mut text = Vec::new();
        for (_, column) in columns {
            let spans = column.clone().map(|cell| {
                text.extend_from_slice(cell.as_bytes());
                Span::new(text.len() - cell.len(), text.len())
            });
            cells.columns.push(spans.collect());
        }
        let base = Understood {
            format: Format::Plan,
            delimiter: None,
            quote: None,
            encoding: "UTF-8",
            gzip: false,
            decimal_comma: false,
            header: true,
            rows,
            columns: Vec::new(),
            notes: Vec::new(),
        };
        let mut table = Self {
            text,
            cells,
            keys: Some(columns.iter().map(|(name, _)| (*name).into()).collect()),
            file_notes: Vec::new(),
            understood: base.clone(),
        };
        table.understood = guess::understand(&table, base, None);
        Ok(table)
    }

    /// The cells of a column as a plan carries them. Rows with too many or too few cells are left out: no plan uses them.
    pub fn whole_rows(&self, column: usize, header: bool) -> impl Iterator<Item = Cow<'_, str>> {
        let first = usize::from(self.has_header_row(header));
        let mut ragged = self.cells.ragged.iter().map(|ragged| ragged.record as usize).peekable();
        (first..self.cells.records).filter_map(move |record| {
            while ragged.next_if(|&bad| bad < record).is_some() {}
            (ragged.peek() != Some(&record)).then(|| String::from_utf8_lossy(self.record(record, column)))
        })
    }

    /// How many rows [`whole_rows`](Self::whole_rows) has.
    #[must_use]
    pub fn count_whole_rows(&self, header: bool) -> usize {
        let first = usize::from(self.has_header_row(header));
        let ragged = self.cells.ragged.iter().filter(|ragged| ragged.record as usize >= first).count();
        self.cells.records.saturating_sub(first + ragged)
    }

    /// What was understood of the file.
    #[must_use]
    pub fn understood(&self) -> &Understood {
        &self.understood
    }

    /// The same, had the first row been taken as a header or not: for a person who knows better than the guess.
    /// JSON names its columns itself, so there the answer stays the same.
    #[must_use]
    pub fn understood_with(&self, header: bool) -> Understood {
        guess::understand(self, self.understood.clone(), Some(header))
    }

    /// How many rows of data there are, without the header.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.understood.rows
    }

    /// How many columns there are.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.cells.columns.len()
    }

    /// The text of a cell, without spaces around it; empty if there is none.
    #[must_use]
    pub fn cell(&self, row: usize, column: usize) -> Cow<'_, str> {
        String::from_utf8_lossy(self.record(row + usize::from(self.has_header_row(self.understood.header)), column))
    }

    /// The row of the file, header = 1, that holds this row of data.
    #[must_use]
    pub fn file_row(&self, row: usize) -> usize {
        self.cells.file_row(row + usize::from(self.has_header_row(self.understood.header)))
    }

    /// Whether the first record names the columns.
    pub(super) fn has_header_row(&self, header: bool) -> bool {
        header && self.keys.is_none()
    }

    /// A cell by record, the header being a record too.
    pub(super) fn record(&self, record: usize, column: usize) -> &[u8] {
        let span = self.cells.columns.get(column).and_then(|cells| cells.get(record)).copied().unwrap_or_default();
        trim(span.of(&self.text))
    }

    /// The columns' names.
    pub(super) fn names(&self, header: bool) -> Vec<String> {
        let numbered = |column: usize| format!("column {}", column + 1);
        if let Some(keys) = &self.keys {
            return keys.clone();
        }
        let mut names: Vec<String> = Vec::with_capacity(self.columns());
        for column in 0..self.columns() {
            let name =
                if header { String::from_utf8_lossy(self.record(0, column)).into_owned() } else { String::new() };
            let name = name.trim_start_matches('#').trim().chars().take(80).collect::<String>();
            // Two columns of one name could not be told apart in a message.
            let name = if name.is_empty() { numbered(column) } else { name };
            names.push(if names.contains(&name) { format!("{name} ({})", column + 1) } else { name });
        }
        names
    }
}

/// Without white space, no-break spaces and byte-order marks at either end.
pub(super) fn trim(mut cell: &[u8]) -> &[u8] {
    let plain = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_graphic);
    if plain(cell.first()) && plain(cell.last()) {
        return cell;
    }
    loop {
        let inner = cell.trim_ascii();
        let inner = inner.strip_prefix(b"\xef\xbb\xbf").or_else(|| inner.strip_prefix(b"\xc2\xa0")).unwrap_or(inner);
        let inner = inner.strip_suffix(b"\xef\xbb\xbf").or_else(|| inner.strip_suffix(b"\xc2\xa0")).unwrap_or(inner);
        if inner.len() == cell.len() {
            return cell;
        }
        cell = inner;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_rows_count_what_was_skipped() {
        let mut cells = Cells::default();
        cells.skip(2);
        cells.records = 3;
        cells.skip(1);
        cells.skip(1);
        assert_eq!([0, 2, 3, 9].map(|record| cells.file_row(record)), [3, 5, 8, 14]);
    }

    #[test]
    fn cells_are_trimmed_of_marks_and_no_break_spaces() {
        assert_eq!(trim("\u{feff} \u{a0}7,5\u{a0}\t".as_bytes()), b"7,5");
        assert_eq!(trim(b" \t"), b"");
    }
}
