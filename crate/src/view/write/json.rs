//! A JSON array with an object for each row.

use std::fmt::Write as _;

use super::{Cell, Sheet};

pub(super) const SHEET: Sheet = Sheet { head, row, foot: "\n]\n" };

fn head(out: &mut String, _: &[&str]) {
    out.push('[');
}

fn row(out: &mut String, names: &[&str], cells: &[Cell]) {
    out.push_str(if out.len() > 1 { ",\n{" } else { "\n{" });
    for (k, (name, cell)) in names.iter().zip(cells).enumerate() {
        let _ = write!(out, "{}\"{name}\":", if k > 0 { "," } else { "" });
        match cell {
            Cell::Text(text) => quote(out, text),
            Cell::Number(number) if number.is_finite() => {
                let _ = write!(out, "{number}");
            }
            Cell::Number(_) => out.push_str("null"),
        }
    }
    out.push('}');
}

/// A JSON string.
fn quote(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}
