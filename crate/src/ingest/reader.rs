//! Bytes to a table: the first job. Unpack, decode, sniff, split, understand; each in steps of a few milliseconds.

use super::container::{Gunzip, is_gzip, refuse_binary};
use super::delimited::{self, Splitter, check_delimiter, unclosed};
use super::encoding::{Decoded, Decoder};
use super::json::{self, Json};
use super::table::{Cells, Ragged, Span, Table, trim};
use super::understood::{Format, Understood};
use super::{MAX_BYTES, MAX_CELL, MAX_COLUMNS, Progress, guess, out_of_memory, too_large};
use crate::problem::{Kind, Problem, Result};
use xxhash_rust::xxh64::Xxh64;

/// Bytes split in one step: a few milliseconds.
const STEP: usize = 1 << 20;
/// How many lines above the table may be titles.
const MAX_TITLES: usize = 10;

/// Reads a file a step at a time: [`push`](Self::push) its bytes, say [`end`](Self::end), [`step`](Self::step) until done,
/// [`finish`](Self::finish). Dropping it cancels.
#[derive(Debug)]
pub struct Reader {
    name: String,
    delimiter: Option<u8>,
    stage: Stage,
    gzip: bool,
    /// The text of delimited files and JSON, once decoded.
    text: Vec<u8>,
    encoding: &'static str,
    notes: Vec<String>,
    cells: Cells,
    mark: Mark,
}

/// The bytes so far, digested.
struct Mark(Xxh64);

impl std::fmt::Debug for Mark {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:016x}", self.0.digest())
    }
}

#[derive(Debug)]
enum Stage {
    Loading(Vec<u8>),
    Loaded(Vec<u8>),
    Unpacking(Box<Gunzip>),
    Decoding(Decoder),
    Splitting(Box<Delimited>),
    Parsing(Json),
    Done(Layout),
}

/// What the sniffing found, kept for the summary.
#[derive(Debug)]
struct Layout {
    format: Format,
    delimiter: Option<u8>,
    quote: Option<u8>,
    keys: Option<Vec<String>>,
}

#[derive(Debug)]
struct Delimited {
    splitter: Splitter,
    dialect: delimited::Dialect,
    comments: usize,
    blanks: usize,
    titles: usize,
}

impl Reader {
    /// A reader of the file of this name, which only helps to tell formats apart; "" for pasted text.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self {
            name: name.into(),
            delimiter: None,
            stage: Stage::Loading(Vec::new()),
            gzip: false,
            text: Vec::new(),
            encoding: "UTF-8",
            notes: Vec::new(),
            cells: Cells::default(),
            mark: Mark(Xxh64::new(0)),
        }
    }

    /// What the bytes pushed so far are known by: 16 hexadecimal digits that two different files do not share by chance.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        format!("{:?}", self.mark)
    }

    /// The same reader, told the delimiter instead of guessing it.
    pub fn delimited_by(mut self, delimiter: char) -> Result<Self> {
        self.delimiter = Some(check_delimiter(delimiter)?);
        Ok(self)
    }

    /// Makes room for a file of this size at once, so that it is not copied while it grows.
    pub fn expect(&mut self, bytes: usize) -> Result<()> {
        if bytes > MAX_BYTES {
            return Err(too_large());
        }
        match &mut self.stage {
            Stage::Loading(loaded) => loaded.try_reserve_exact(bytes).map_err(out_of_memory),
            _ => Ok(()),
        }
    }

    /// Takes the next bytes of the file.
    pub fn push(&mut self, chunk: &[u8]) -> Result<()> {
        let Stage::Loading(loaded) = &mut self.stage else {
            return Err(Problem::new(Kind::Internal, "bytes after the end of the file", "Start a new reader."));
        };
        if chunk.len() > MAX_BYTES - loaded.len() {
            return Err(too_large());
        }
        loaded.try_reserve(chunk.len()).map_err(out_of_memory)?;
        loaded.extend_from_slice(chunk);
        self.mark.0.update(chunk);
        Ok(())
    }

    /// Says that the file is complete.
    pub fn end(&mut self) {
        if let Stage::Loading(loaded) = &mut self.stage {
            self.stage = Stage::Loaded(std::mem::take(loaded));
        }
    }

    /// Works for a few milliseconds. Before [`end`](Self::end) there is nothing to do.
    pub fn step(&mut self) -> Result<Progress> {
        let (unpacked, decoded) = if self.gzip { (0.4, 0.45) } else { (0.0, 0.1) };
        let between = |from: f64, to: f64, share: f64| Progress { fraction: from + (to - from) * share, done: false };
        match &mut self.stage {
            Stage::Loading(_) => Ok(between(0.0, 0.0, 0.0)),
            Stage::Loaded(bytes) => {
                let bytes = std::mem::take(bytes);
                self.gzip = is_gzip(&bytes);
                self.stage = if self.gzip {
                    Stage::Unpacking(Box::new(Gunzip::new(bytes, MAX_BYTES)))
                } else {
                    refuse_binary(&bytes)?;
                    Stage::Decoding(Decoder::new(bytes))
                };
                Ok(between(0.0, 0.0, 0.0))
            }
            Stage::Unpacking(gunzip) => {
                let done = gunzip.step()?;
                let progress = between(0.0, unpacked, gunzip.fraction());
                if done {
                    let bytes = gunzip.take();
                    refuse_binary(&bytes)?;
                    self.stage = Stage::Decoding(Decoder::new(bytes));
                }
                Ok(progress)
            }
            Stage::Decoding(work) => {
                let done = work.step()?;
                let progress = between(unpacked, decoded, work.fraction());
                if done {
                    let text = work.take();
                    self.begin_table(text)?;
                }
                Ok(progress)
            }
            Stage::Splitting(work) => {
                let done = work.split(&mut self.text, &mut self.cells)?;
                let progress = between(decoded, 1.0, work.splitter.at as f64 / self.text.len().max(1) as f64);
                if done {
                    work.note(&mut self.notes, &self.cells);
                    let (delimiter, quote) = (work.dialect.delimiter, Some(work.dialect.quote));
                    self.stage = Stage::Done(Layout { format: Format::Csv, delimiter, quote, keys: None });
                }
                Ok(progress)
            }
            Stage::Parsing(json) => {
                let reach = json.at + STEP;
                let done = json.read(&mut self.text, &mut self.cells, reach)?;
                let progress = between(decoded, 1.0, json.at as f64 / self.text.len().max(1) as f64);
                if done {
                    let keys = Some(std::mem::take(&mut json.names));
                    self.stage = Stage::Done(Layout { format: json.format, delimiter: None, quote: None, keys });
                }
                Ok(progress)
            }
            Stage::Done(_) => Ok(Progress { fraction: 1.0, done: true }),
        }
    }

    fn begin_table(&mut self, decoded: Decoded) -> Result<()> {
        self.text = decoded.text;
        self.encoding = decoded.name;
        self.notes.extend(decoded.note);
        if trim(&self.text).is_empty() {
            return Err(Problem::new(Kind::Format, "the file is empty", "Give a table with one row for each item."));
        }
        self.stage = match json::sniff(&self.text, &self.name).filter(|_| self.delimiter.is_none()) {
            Some(format) => Stage::Parsing(Json::new(format)),
            None => Stage::Splitting(Box::new(Delimited::new(&self.text, &self.name, self.delimiter))),
        };
        Ok(())
    }

    /// The table; reads what is left first.
    pub fn finish(mut self) -> Result<Table> {
        self.end();
        while !self.step()?.done {}
        let Stage::Done(layout) = self.stage else {
            return Err(Problem::new(Kind::Internal, "the file was not read to its end", "Read it again."));
        };
        let base = Understood {
            format: layout.format,
            delimiter: layout.delimiter.map(char::from),
            quote: layout.quote.map(char::from),
            encoding: self.encoding,
            gzip: self.gzip,
            decimal_comma: false,
            header: true,
            rows: 0,
            columns: Vec::new(),
            notes: Vec::new(),
        };
        let mut table = Table {
            text: self.text,
            cells: self.cells,
            keys: layout.keys,
            file_notes: self.notes,
            understood: base.clone(),
        };
        table.understood = guess::understand(&table, base, None);
        if table.understood.rows == 0 || table.columns() == 0 {
            let message =
                if table.cells.records == 0 { "the file holds no rows" } else { "the file holds a header and no rows" };
            return Err(Problem::new(Kind::Format, message, "Give a table with one row for each item."));
        }
        Ok(table)
    }
}

impl Delimited {
    fn new(text: &[u8], name: &str, wanted: Option<u8>) -> Self {
        let dialect = delimited::sniff(text, name, wanted);
        let splitter = Splitter::new(dialect.delimiter, dialect.quote);
        Self { splitter, dialect, comments: 0, blanks: 0, titles: 0 }
    }

    /// Splits a step's worth of rows; true at the end of the text.
    fn split(&mut self, text: &mut [u8], cells: &mut Cells) -> Result<bool> {
        if cells.columns.is_empty() {
            if self.dialect.declared {
                self.splitter.at = text.iter().position(|byte| *byte == b'\n').map_or(text.len(), |end| end + 1);
                cells.skip(1);
            }
            cells.columns.resize_with(self.dialect.width.min(MAX_COLUMNS), Vec::new);
        }
        let reach = self.splitter.at + STEP;
        while self.splitter.at < reach {
            let more = self.splitter.record(text);
            cells.skip(self.splitter.blank);
            self.blanks += self.splitter.blank;
            match more {
                Ok(true) => self.keep(text, cells)?,
                Ok(false) => return Ok(true),
                Err(delimited::Unclosed) => return Err(unclosed(cells.file_row(cells.records))),
            }
        }
        Ok(false)
    }

    /// Adds the record that was just split to the table, unless it is a comment or a title above it.
    fn keep(&mut self, text: &[u8], cells: &mut Cells) -> Result<()> {
        let (record, width) = (&self.splitter.cells, cells.columns.len());
        let filled = |cell: &Span| !trim(cell.of(text)).is_empty();
        if record.len() > MAX_COLUMNS {
            return Err(cells.too_wide());
        }
        if record.iter().any(|cell| cell.length() > MAX_CELL) {
            return Err(cells.too_long());
        }
        if record[0].of(text).starts_with(b"#") && (record.len() != width || width == 1) {
            self.comments += 1;
            cells.skip(1);
            return Ok(());
        }
        if cells.records == 0
            && width > 1
            && self.titles < MAX_TITLES
            && record.iter().filter(|cell| filled(cell)).count() == 1
        {
            self.titles += 1;
            cells.skip(1);
            return Ok(());
        }
        // A delimiter at the end of a row makes no cell.
        if record.len() < width || record[width..].iter().any(filled) {
            let narrow = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
            cells.ragged.push(Ragged { record: narrow(cells.records), found: narrow(record.len()) });
        }
        for (place, column) in cells.columns.iter_mut().enumerate() {
            column.push(record.get(place).copied().unwrap_or_default());
        }
        cells.records += 1;
        cells.check_size()
    }

    /// Says what was passed over.
    fn note(&self, notes: &mut Vec<String>, cells: &Cells) {
        for (count, what) in [
            (self.titles, "above the table"),
            (self.comments, "that start with # (comments)"),
            (self.blanks, "without any cell"),
        ] {
            if count > 0 {
                notes.push(format!(
                    "{count} {} {what} {} passed over.",
                    if count == 1 { "line" } else { "lines" },
                    if count == 1 { "was" } else { "were" }
                ));
            }
        }
        if let Some(first) = cells.ragged.first().filter(|ragged| ragged.record == 0) {
            notes.push(format!("The first row has {} cells, most rows have {}.", first.found, cells.columns.len()));
        }
    }
}
