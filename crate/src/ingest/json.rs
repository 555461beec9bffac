//! JSON as a table: an array of objects, JSON lines, or an object of arrays.
//!
//! The tokenizer is our own because it must stop after a few milliseconds and go on later, which no pull parser over a whole
//! document allows, and because strings are unescaped where they stand, so that cells are spans as in a delimited file.
//! Nested values become a cell of their own source text; they are only counted through, never recursed into.

use super::table::{Cells, Span};
use super::understood::Format;
use super::{MAX_CELL, MAX_CELLS, delimited};
use crate::problem::{Kind, Problem, Result};
use hashbrown::HashMap;

/// Nesting deeper than this is refused.
const MAX_DEPTH: usize = 128;
/// How much of the file decides between JSON lines and an object of arrays.
const SNIFFED: usize = 1 << 16;

/// Reads JSON a step at a time.
#[derive(Debug)]
pub(super) struct Json {
    pub(super) format: Format,
    pub(super) at: usize,
    pub(super) names: Vec<String>,
    by_name: HashMap<Vec<u8>, usize>,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Before the opening bracket or the first object of JSON lines.
    Start,
    /// Before a record, or before a key in an object of arrays; the flag says that it is the first.
    Next(bool),
    /// Inside the array of this column; the flag says that it is its first value.
    Column(usize, bool),
    End,
}

/// Whether the text is JSON, and how its table is laid out.
pub(super) fn sniff(text: &[u8], name: &str) -> Option<Format> {
    let start = skip_space(text, 0);
    let named = delimited::extension_is(name, &["json", "jsonl", "ndjson", "geojson"]);
    match text.get(start)? {
        // A delimited file may start with a bracket; JSON goes on with a value or its end.
        b'[' if named || matches!(text.get(skip_space(text, start + 1)), Some(b'{' | b'[' | b']')) => {
            Some(Format::Json)
        }
        b'{' if named || matches!(text.get(skip_space(text, start + 1)), Some(b'"' | b'}')) => {
            let head = &text[..text.len().min(SNIFFED)];
            let columns = match skip_nested(head, start) {
                Ok(end) if text.get(skip_space(text, end)) == Some(&b'{') => false,
                Ok(end) if skip_space(text, end) == text.len() => first_value(text, start) == Some(b'['),
                _ => !delimited::extension_is(name, &["jsonl", "ndjson"]) && first_value(text, start) == Some(b'['),
            };
            Some(if columns { Format::JsonColumns } else { Format::JsonLines })
        }
        _ => None,
    }
}

/// The first byte of the first value of the object at `start`.
fn first_value(text: &[u8], start: usize) -> Option<u8> {
    let key = skip_space(text, start + 1);
    let colon = skip_space(text, skip_string(text, key)?);
    text.get(skip_space(text, colon + 1)).copied()
}

impl Json {
    pub(super) fn new(format: Format) -> Self {
        Self { format, at: 0, names: Vec::new(), by_name: HashMap::new(), state: State::Start }
    }

    /// Reads until `reach` bytes are read or the text ends; true at its end.
    pub(super) fn read(&mut self, text: &mut [u8], cells: &mut Cells, reach: usize) -> Result<bool> {
        while self.at < reach && self.state != State::End {
            self.advance(text, cells)?;
        }
        Ok(self.state == State::End)
    }

    fn advance(&mut self, text: &mut [u8], cells: &mut Cells) -> Result<()> {
        match (self.state, self.format) {
            (State::Start, Format::JsonLines) => self.state = State::Next(true),
            (State::Start, _) => {
                self.at = skip_space(text, self.at) + 1;
                self.state = State::Next(true);
            }
            (State::Next(_), Format::JsonLines) => {
                let record = skip_space(text, self.at);
                let lines = text[self.at..record].split(|byte| *byte == b'\n').count() - 1;
                self.at = record;
                if record == text.len() {
                    self.state = State::End;
                } else {
                    cells.skip(lines.saturating_sub(usize::from(cells.records > 0)));
                    self.record(text, cells)?;
                }
            }
            (State::Next(first), Format::JsonColumns) => {
                if self.separated(text, cells, first, b'}')? {
                    let column = self.key(text, cells, None)?;
                    if !cells.columns[column].is_empty() {
                        return Err(self.wrong(cells, &format!("the key {:?} stands twice", self.names[column])));
                    }
                    if text.get(self.at) != Some(&b'[') {
                        let message = format!("{:?} is not an array, as the other columns are", self.names[column]);
                        return Err(self.wrong(cells, &message).in_column(&self.names[column]));
                    }
                    self.at += 1;
                    self.state = State::Column(column, true);
                } else {
                    self.check_lengths(cells)?;
                    self.close(text, cells)?;
                }
            }
            (State::Next(first), _) => {
                if self.separated(text, cells, first, b']')? {
                    self.record(text, cells)?;
                } else {
                    self.close(text, cells)?;
                }
            }
            (State::Column(column, first), _) => {
                if self.separated(text, cells, first, b']')? {
                    let value = self.value(text, cells, column)?;
                    cells.columns[column].push(value);
                    self.state = State::Column(column, false);
                    if cells.columns[column].len().saturating_mul(cells.columns.len()) > MAX_CELLS {
                        return Err(Cells::too_many());
                    }
                } else {
                    self.state = State::Next(false);
                }
            }
            (State::End, _) => {}
        }
        Ok(())
    }

    /// Passes the comma before the next element; false, past it, if the closing bracket stands there instead.
    fn separated(&mut self, text: &[u8], cells: &Cells, first: bool, close: u8) -> Result<bool> {
        self.at = skip_space(text, self.at);
        match text.get(self.at) {
            Some(byte) if *byte == close => {
                self.at += 1;
                Ok(false)
            }
            Some(b',') if !first => {
                self.at = skip_space(text, self.at + 1);
                Ok(true)
            }
            Some(_) if first => Ok(true),
            Some(_) => Err(self.wrong(cells, "a comma is missing")),
            None => Err(self.wrong(cells, "the file ends too early")),
        }
    }

    /// One object, as the next record.
    fn record(&mut self, text: &mut [u8], cells: &mut Cells) -> Result<()> {
        if text.get(self.at) != Some(&b'{') {
            let problem = self.wrong(cells, "an object { … } should stand here");
            return Err(Problem {
                hint: "Each row is an object: [{\"id\": \"a\", \"rate\": 1}, …].".into(),
                ..problem
            });
        }
        self.at += 1;
        let mut first = true;
        let mut guess = 0;
        while self.separated(text, cells, first, b'}')? {
            let column = self.key(text, cells, Some(guess))?;
            guess = column + 1;
            let value = self.value(text, cells, column)?;
            let known = &mut cells.columns[column];
            known.truncate(cells.records);
            known.push(value);
            first = false;
        }
        cells.records += 1;
        for column in &mut cells.columns {
            column.resize(cells.records, Span::default());
        }
        self.state = State::Next(false);
        cells.check_size()
    }

    /// A key and its colon; the column that it names, looked for first at `guess`.
    fn key(&mut self, text: &mut [u8], cells: &mut Cells, guess: Option<usize>) -> Result<usize> {
        if text.get(self.at) != Some(&b'"') {
            return Err(self.wrong(cells, "a key in double quotes should stand here"));
        }
        let name = self.string(text, cells)?;
        self.at = skip_space(text, self.at);
        if text.get(self.at) != Some(&b':') {
            return Err(self.wrong(cells, "a colon is missing after a key"));
        }
        self.at = skip_space(text, self.at + 1);
        let name = name.of(text);
        if let Some(column) = guess
            && self.names.get(column).is_some_and(|known| known.as_bytes() == name)
        {
            return Ok(column);
        }
        if let Some(column) = self.by_name.get(name) {
            return Ok(*column);
        }
        let column = cells.add_column()?;
        self.by_name.insert(name.to_vec(), column);
        self.names.push(String::from_utf8_lossy(name).into_owned());
        Ok(column)
    }

    /// One value as a cell: a string without its quotes, null as nothing, anything else as it is written.
    fn value(&mut self, text: &mut [u8], cells: &Cells, column: usize) -> Result<Span> {
        self.bare_value(text, cells).map_err(|problem| problem.in_column(&self.names[column]))
    }

    fn bare_value(&mut self, text: &mut [u8], cells: &Cells) -> Result<Span> {
        let start = self.at;
        match text.get(start) {
            Some(b'"') => self.string(text, cells),
            Some(b'{' | b'[') => {
                let reach = text.len().min(start + MAX_CELL);
                match skip_nested(&text[..reach], start) {
                    Ok(end) => {
                        self.at = end;
                        Ok(Span::new(start, end))
                    }
                    Err(Nesting::TooDeep) => Err(self.wrong(cells, "values are nested too deep")),
                    Err(Nesting::Open) if reach < text.len() => Err(cells.too_long()),
                    Err(Nesting::Open) => Err(self.wrong(cells, "the file ends too early")),
                }
            }
            Some(_) => {
                let reach = text.len().min(start + 64);
                let ends = |byte: &u8| matches!(byte, b',' | b']' | b'}') || byte.is_ascii_whitespace();
                let end = text[start..reach].iter().position(ends).map_or(reach, |length| start + length);
                let word = &text[start..end];
                let number = word.first().is_some_and(|byte| byte.is_ascii_digit() || *byte == b'-')
                    && word
                        .iter()
                        .all(|byte| byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.' | b'e' | b'E'));
                // Python writes NaN and Infinity, against the standard: they become bad cells, not a bad file.
                if !number && !matches!(word, b"null" | b"true" | b"false" | b"NaN" | b"Infinity" | b"-Infinity") {
                    let message = format!("{:?} is not a JSON value", String::from_utf8_lossy(word));
                    return Err(self.wrong(cells, &message));
                }
                self.at = end;
                Ok(if word == b"null" { Span::default() } else { Span::new(start, end) })
            }
            None => Err(self.wrong(cells, "the file ends too early")),
        }
    }

    /// A string, unescaped where it stands.
    fn string(&mut self, text: &mut [u8], cells: &Cells) -> Result<Span> {
        let start = self.at + 1;
        let (mut read, mut write) = (start, start);
        loop {
            let reach = text.len().min(read + MAX_CELL);
            let length = text[read..reach].iter().position(|byte| matches!(byte, b'"' | b'\\'));
            let Some(length) = length else {
                let cut = reach < text.len();
                return Err(if cut { cells.too_long() } else { self.wrong(cells, "a string is not closed") });
            };
            if write != read {
                text.copy_within(read..read + length, write);
            }
            write += length;
            read += length + 1;
            if text[read - 1] == b'"' {
                self.at = read;
                return if write - start > MAX_CELL { Err(cells.too_long()) } else { Ok(Span::new(start, write)) };
            }
            let (c, used) = unescape(&text[read..]).ok_or_else(|| self.wrong(cells, "a broken \\ escape"))?;
            let mut utf8 = [0; 4];
            let utf8 = c.encode_utf8(&mut utf8).as_bytes();
            text[write..write + utf8.len()].copy_from_slice(utf8);
            write += utf8.len();
            read += used;
        }
    }

    /// Columns of an object of arrays must be equally long.
    fn check_lengths(&self, cells: &mut Cells) -> Result<()> {
        let longest = (0..cells.columns.len()).max_by_key(|column| cells.columns[*column].len()).unwrap_or(0);
        cells.records = cells.columns.get(longest).map_or(0, Vec::len);
        let Some(short) = cells.columns.iter().position(|column| column.len() < cells.records) else {
            return cells.check_size();
        };
        let (name, length) = (&self.names[short], cells.columns[short].len());
        Err(Problem::new(
            Kind::Length,
            format!("column {name:?} has {length} values, {:?} has {}", self.names[longest], cells.records),
            "Every array must have one value for each row; write null where there is none.",
        )
        .at_row(length + 1)
        .in_column(name))
    }

    /// Past the end of the document, only white space may stand.
    fn close(&mut self, text: &[u8], cells: &Cells) -> Result<()> {
        self.at = skip_space(text, self.at);
        if self.at < text.len() {
            return Err(self.wrong(cells, "something stands after the end of the JSON"));
        }
        self.state = State::End;
        Ok(())
    }

    fn wrong(&self, cells: &Cells, what: &str) -> Problem {
        let row = match self.state {
            State::Column(column, _) => cells.columns[column].len() + 1,
            _ => cells.file_row(cells.records),
        };
        Problem::new(
            Kind::Format,
            format!("row {row}: {what} (byte {})", self.at),
            "Check the JSON there, or save the table as CSV.",
        )
        .at_row(row)
    }
}

fn skip_space(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    let space = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, 0xef | 0xbb | 0xbf);
    at.min(text.len()) + rest.iter().position(|byte| !space(byte)).unwrap_or(rest.len())
}

enum Nesting {
    Open,
    TooDeep,
}

/// The place just after the bracket that closes the one at `start`.
fn skip_nested(text: &[u8], start: usize) -> std::result::Result<usize, Nesting> {
    let (mut at, mut depth) = (start, 0);
    while let Some(byte) = text.get(at) {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            b'"' => {
                at = skip_string(text, at).ok_or(Nesting::Open)?;
                continue;
            }
            _ => {}
        }
        at += 1;
        if depth == 0 {
            return Ok(at);
        }
        if depth > MAX_DEPTH {
            return Err(Nesting::TooDeep);
        }
    }
    Err(Nesting::Open)
}

/// The place just after the string that opens at `start`.
fn skip_string(text: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    loop {
        match text.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// The character that an escape stands for, and how many bytes it takes after its backslash. A lone half of a surrogate
/// pair becomes U+FFFD.
pub(crate) fn unescape(rest: &[u8]) -> Option<(char, usize)> {
    let plain = |c| Some((c, 1));
    match rest.first()? {
        b'n' => plain('\n'),
        b't' => plain('\t'),
        b'r' => plain('\r'),
        b'b' => plain('\u{8}'),
        b'f' => plain('\u{c}'),
        byte @ (b'"' | b'\\' | b'/') => plain(char::from(*byte)),
        b'u' => {
            let high = hex(rest.get(1..5)?)?;
            if (0xd800..0xdc00).contains(&high)
                && rest.get(5..7) == Some(b"\\u")
                && let Some(low @ 0xdc00..0xe000) = rest.get(7..11).and_then(hex)
            {
                return Some((char::from_u32(0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00))?, 11));
            }
            Some((char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER), 5))
        }
        _ => None,
    }
}

fn hex(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0, |value, byte| Some(value * 16 + char::from(*byte).to_digit(16)?))
}
