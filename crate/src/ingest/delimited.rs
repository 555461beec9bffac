//! Rows of cells between delimiters: the sniffing of the dialect, and the splitting.
//!
//! The splitter is our own because the text is already in memory and stays there: cells are spans of it, unquoted where
//! they stand, where `csv-core` copies every field out (for a million rows 55 MB more, and 0.1 s against 0.06 s), and because
//! messages need what it does not tell: the row in which a quote was opened, and how many rows were blank.

use super::table::Span;
use super::{MAX_CELL, MAX_COLUMNS};
use crate::problem::{Kind, Problem, Result};

/// The delimiters that are looked for; on a tie the earlier wins, because a comma is also a decimal sign.
const DELIMITERS: [u8; 4] = [b'\t', b';', b'|', b','];
/// How much of the file decides on the dialect.
const SNIFFED_BYTES: usize = 1 << 16;
const SNIFFED_ROWS: usize = 200;

/// How a delimited file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Dialect {
    /// None when every row is one cell.
    pub(super) delimiter: Option<u8>,
    pub(super) quote: u8,
    /// The commonest number of cells in a row.
    pub(super) width: usize,
    /// Whether the first line says `sep=;`, as spreadsheets write it, and is no row.
    pub(super) declared: bool,
}

/// Splits text into rows of cells.
#[derive(Debug)]
pub(super) struct Splitter {
    quote: u8,
    delimiter: Option<u8>,
    /// Which bytes end an unquoted cell.
    stop: [bool; 256],
    /// Where the next row starts.
    pub(super) at: usize,
    /// Blank rows met before the last record.
    pub(super) blank: usize,
    /// The cells of the last record.
    pub(super) cells: Vec<Span>,
}

/// A quote that is not closed by the end of the text, or of the longest cell that there may be.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Unclosed;

impl Splitter {
    pub(super) fn new(delimiter: Option<u8>, quote: u8) -> Self {
        let mut stop = [false; 256];
        for byte in [b'\n', b'\r'].into_iter().chain(delimiter) {
            stop[usize::from(byte)] = true;
        }
        Self { quote, delimiter, stop, at: 0, blank: 0, cells: Vec::new() }
    }

    /// Splits the next record into `cells`; false at the end of the text. Rows without a single character in a cell are
    /// counted in `blank` and passed over. A record past the size limits is returned as far as it was read.
    pub(super) fn record(&mut self, text: &mut [u8]) -> std::result::Result<bool, Unclosed> {
        self.blank = 0;
        while self.at < text.len() {
            self.cells.clear();
            let mut filled = false;
            loop {
                let cell = self.cell(text)?;
                filled = filled || !cell.of(text).trim_ascii().is_empty();
                self.cells.push(cell);
                if self.cells.len() > MAX_COLUMNS || cell.length() > MAX_CELL {
                    return Ok(true);
                }
                match text.get(self.at) {
                    Some(byte) if Some(*byte) == self.delimiter => self.at += 1,
                    Some(b'\r') if text.get(self.at + 1) == Some(&b'\n') => {
                        self.at += 2;
                        break;
                    }
                    Some(_) => {
                        self.at += 1;
                        break;
                    }
                    None => break,
                }
            }
            if filled {
                return Ok(true);
            }
            self.blank += 1;
        }
        self.cells.clear();
        Ok(false)
    }

    /// One cell, up to but without what ends it.
    fn cell(&mut self, text: &mut [u8]) -> std::result::Result<Span, Unclosed> {
        let mut start = self.at;
        if text[start..].starts_with(b"\xef\xbb\xbf") {
            start += 3;
        }
        let spaces = text[start..].iter().position(|byte| *byte != b' ').unwrap_or(0);
        if text.get(start + spaces) == Some(&self.quote) {
            return self.quoted(text, start + spaces + 1);
        }
        self.at = self.end_of_cell(text, start);
        Ok(Span::new(start, self.at))
    }

    /// Where the unquoted text from `start` ends; just past the longest cell if it does not end before.
    fn end_of_cell(&self, text: &[u8], start: usize) -> usize {
        let reach = text.len().min(start + MAX_CELL + 1);
        text[start..reach].iter().position(|byte| self.stop[usize::from(*byte)]).map_or(reach, |length| start + length)
    }

    /// The rest of a cell whose quote opened before `start`: `""` is a quote, and what follows the closing quote is kept.
    fn quoted(&mut self, text: &mut [u8], start: usize) -> std::result::Result<Span, Unclosed> {
        let (mut read, mut write) = (start, start);
        loop {
            let reach = text.len().min(start + MAX_CELL);
            let length = text.get(read..reach).and_then(|rest| rest.iter().position(|byte| *byte == self.quote));
            let length = length.ok_or(Unclosed)?;
            text.copy_within(read..read + length, write);
            write += length;
            read += length + 1;
            if text.get(read) == Some(&self.quote) {
                text[write] = self.quote;
                write += 1;
                read += 1;
            } else {
                break;
            }
        }
        self.at = self.end_of_cell(text, read);
        if text[read..self.at].iter().any(|byte| *byte != b' ') {
            text.copy_within(read..self.at, write);
            write += self.at - read;
        }
        Ok(Span::new(start, write))
    }
}

/// A quote that the file never closes, as a problem of the row where it opened.
pub(super) fn unclosed(row: usize) -> Problem {
    Problem::new(
        Kind::Format,
        format!("row {row}: a quote is opened and never closed"),
        "Close the quote in that row, or double it (\"\") where it is part of the text.",
    )
    .at_row(row)
}

/// Finds the delimiter, the quote and the width from the start of the text. `wanted` is a delimiter that a person chose.
pub(super) fn sniff(text: &[u8], name: &str, wanted: Option<u8>) -> Dialect {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let first = text.split(|byte| *byte == b'\n').next().unwrap_or_default().trim_ascii();
    if let [s, e, p, b'=', delimiter] = first
        && [s, e, p].map(u8::to_ascii_lowercase) == *b"sep"
    {
        let rest = &text[text.len().min(first.len() + 1)..];
        return Dialect { declared: true, ..sniff(rest, name, wanted.or(Some(*delimiter))) };
    }
    let whole = text.len() <= SNIFFED_BYTES;
    let head = &text[..text.len().min(SNIFFED_BYTES)];
    let quote = sniff_quote(head);
    let candidates: Vec<u8> = wanted.map_or_else(|| DELIMITERS.to_vec(), |wanted| vec![wanted]);
    let mut best = Dialect { delimiter: wanted, quote, width: 1, declared: false };
    let mut best_share = 0.0;
    for delimiter in candidates {
        let widths = widths(head, Some(delimiter), quote, whole);
        let (width, share) = commonest(&widths);
        // A list inside every cell of a column looks like a delimiter too, but the header does not have it.
        let share = share + if widths.first() == Some(&width) { 0.1 } else { 0.0 };
        let named = delimiter == b'\t' && extension_is(name, &["tsv", "tab"]);
        // A comma is also a decimal sign: a single column of "1,5" is one cell a row.
        let decimal = delimiter == b',' && width == 2 && wanted.is_none() && only_decimals(head);
        if width > 1 && !decimal && (named || share > best_share + 0.05) {
            best = Dialect { delimiter: Some(delimiter), quote, width, declared: false };
            best_share = if named { 2.0 } else { share };
        }
    }
    best
}

/// Whether a file name ends in one of these, before any `.gz`.
pub(super) fn extension_is(name: &str, extensions: &[&str]) -> bool {
    let name = name.to_ascii_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    name.rsplit_once('.').is_some_and(|(_, extension)| extensions.contains(&extension))
}

/// How many cells each of the first rows has.
fn widths(head: &[u8], delimiter: Option<u8>, quote: u8, whole: bool) -> Vec<usize> {
    let mut scratch = head.to_vec();
    let mut splitter = Splitter::new(delimiter, quote);
    let mut widths = Vec::new();
    while widths.len() < SNIFFED_ROWS && splitter.record(&mut scratch) == Ok(true) {
        // The row that the sample cuts off says nothing.
        if whole || splitter.at < scratch.len() {
            let comment = splitter.cells.first().is_some_and(|cell| cell.of(&scratch).starts_with(b"#"));
            if !(comment && splitter.cells.len() == 1) {
                widths.push(splitter.cells.len());
            }
        }
    }
    widths
}

/// The commonest width above one, and the share of rows that have it.
fn commonest(widths: &[usize]) -> (usize, f64) {
    let mut best = (1, 0);
    for &width in widths {
        let rows = widths.iter().filter(|other| **other == width).count();
        if width > 1 && rows > best.1 {
            best = (width, rows);
        }
    }
    (best.0, best.1 as f64 / widths.len().max(1) as f64)
}

/// Whether every row with a comma is a single number with a decimal comma.
fn only_decimals(head: &[u8]) -> bool {
    head.split(|byte| matches!(byte, b'\n' | b'\r'))
        .skip(1)
        .map(<[u8]>::trim_ascii)
        .filter(|line| line.contains(&b','))
        .all(|line| {
            let (whole, part) = line.split_at(line.iter().position(|byte| *byte == b',').unwrap_or(0));
            let digits = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
            digits(whole) && digits(&part[1..])
        })
        && !head.split(|byte| *byte == b'\n').next().unwrap_or_default().contains(&b',')
}

/// A single quote only if cells open and close with it and none with a double quote.
fn sniff_quote(head: &[u8]) -> u8 {
    let edges = |quote: u8| {
        let edge =
            |byte: Option<&u8>| byte.is_none_or(|byte| matches!(byte, b'\n' | b'\r' | b',' | b';' | b'\t' | b'|'));
        let (mut opens, mut closes) = (0, 0);
        for (place, _) in head.iter().enumerate().filter(|(_, byte)| **byte == quote) {
            opens += usize::from(edge(place.checked_sub(1).and_then(|before| head.get(before))));
            closes += usize::from(edge(head.get(place + 1)));
        }
        opens.min(closes)
    };
    if edges(b'\'') > 1 && edges(b'"') == 0 { b'\'' } else { b'"' }
}

/// Refuses a delimiter that cannot be one.
pub(super) fn check_delimiter(delimiter: char) -> Result<u8> {
    match u8::try_from(delimiter) {
        Ok(byte)
            if byte.is_ascii()
                && !byte.is_ascii_alphanumeric()
                && !matches!(byte, b'"' | b'\'' | b'\n' | b'\r' | 0) =>
        {
            Ok(byte)
        }
        _ => Err(Problem::new(
            Kind::Value,
            format!("{delimiter:?} cannot be a delimiter"),
            "Choose a comma, a semicolon, a tab or a pipe.",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str, delimiter: u8) -> Vec<Vec<String>> {
        let mut text = text.as_bytes().to_vec();
        let mut splitter = Splitter::new(Some(delimiter), b'"');
        let mut rows = Vec::new();
        while splitter.record(&mut text).unwrap() {
            rows.push(splitter.cells.iter().map(|cell| String::from_utf8_lossy(cell.of(&text)).into_owned()).collect());
        }
        rows
    }

    #[test]
    fn quotes_protect_delimiters_newlines_and_quotes() {
        assert_eq!(split("\"a,\"\"b\"\"\nc\",2\n\"\",\"x\"y\n", b','), [["a,\"b\"\nc", "2"], ["", "xy"]]);
        assert_eq!(split("a, \"b,c\" ,d", b','), [["a", "b,c", "d"]]);
    }

    #[test]
    fn every_line_end_ends_a_row() {
        assert_eq!(split("a,1\r\nb,2\rc,3\nd,4", b','), [["a", "1"], ["b", "2"], ["c", "3"], ["d", "4"]]);
    }

    #[test]
    fn an_open_quote_is_noticed() {
        let mut splitter = Splitter::new(Some(b','), b'"');
        assert_eq!(splitter.record(&mut b"\"a,1\nb,2\n".to_vec()), Err(Unclosed));
    }

    #[test]
    fn each_delimiter_is_found() {
        for (text, delimiter) in [
            ("id,rate\na,1\n", b','),
            ("id;rate\na;1,5\nb;2,5\n", b';'),
            ("a;1,5;2,5\nb;2,5;3,5\n", b';'),
            ("id\trate\na, b\t1\n", b'\t'),
            ("id|rate\na,b|1\n", b'|'),
            ("id,tags\na,x;y\nb,z;w\n", b','),
        ] {
            assert_eq!(sniff(text.as_bytes(), "", None).delimiter, Some(delimiter), "{text}");
        }
        assert_eq!(sniff(b"rate\n1,5\n2,5\n", "", None).delimiter, None);
        assert_eq!(
            sniff(b"sep=|\na,b|1\n", "", None),
            Dialect { delimiter: Some(b'|'), quote: b'"', width: 2, declared: true }
        );
    }

    #[test]
    fn single_quotes_are_found() {
        assert_eq!(sniff(b"id,rate\n'a,b',1\n'c',2\n", "", None).quote, b'\'');
        assert_eq!(sniff(b"id,rate\nit's,1\n", "", None).quote, b'"');
    }
}
