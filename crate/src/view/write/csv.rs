//! RFC 4180: one header row, lines end in CRLF.

use std::fmt::Write as _;

use super::{Cell, Sheet};

pub(super) const SHEET: Sheet = Sheet { head, row, foot: "" };

fn head(out: &mut String, names: &[&str]) {
    out.push_str(&names.join(","));
    out.push_str("\r\n");
}

fn row(out: &mut String, _: &[&str], cells: &[Cell]) {
    for (k, cell) in cells.iter().enumerate() {
        if k > 0 {
            out.push(',');
        }
        match cell {
            Cell::Text(text) if text.contains(['"', ',', '\n', '\r']) => {
                let _ = write!(out, "\"{}\"", text.replace('"', "\"\""));
            }
            Cell::Text(text) => out.push_str(text),
            Cell::Number(number) if number.is_finite() => {
                let _ = write!(out, "{number}");
            }
            Cell::Number(_) => {}
        }
    }
    out.push_str("\r\n");
}
