//! Files to take away: the table of items, the timetable and the queries of a probe run as CSV and JSON.

use std::borrow::Cow;
use std::fmt::Write as _;

use serde::Deserialize;

use super::dataset::Dataset;
use crate::ingest::{Ids, stamp};
use crate::probe::{Relation, Report, Vocabulary};
use crate::problem::Result;
use crate::timetable::Timetable;

/// A format of files to take away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "wasm", derive(tsify::Tsify))]
pub enum FileFormat {
    /// RFC 4180, one header row.
    Csv,
    /// An array of objects.
    Json,
}

/// A cell of a file.
enum Cell<'a> {
    Text(&'a str),
    Number(f64),
}

/// Lays rows of named cells out as a file. Numbers that are not finite become empty cells in CSV and null in JSON.
fn lay_out<'a, R: AsRef<[Cell<'a>]>>(format: FileFormat, names: &[&str], rows: impl Iterator<Item = R>) -> String {
    let mut out = String::new();
    match format {
        FileFormat::Csv => {
            out.push_str(&names.join(","));
            out.push_str("\r\n");
            for row in rows {
                for (k, cell) in row.as_ref().iter().enumerate() {
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
        }
        FileFormat::Json => {
            out.push('[');
            for (n, row) in rows.enumerate() {
                out.push_str(if n > 0 { ",\n{" } else { "\n{" });
                for (k, (name, cell)) in names.iter().zip(row.as_ref()).enumerate() {
                    let _ = write!(out, "{}\"{name}\":", if k > 0 { "," } else { "" });
                    match cell {
                        Cell::Text(text) => quote(&mut out, text),
                        Cell::Number(number) if number.is_finite() => {
                            let _ = write!(out, "{number}");
                        }
                        Cell::Number(_) => out.push_str("null"),
                    }
                }
                out.push('}');
            }
            out.push_str("\n]\n");
        }
    }
    out
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

/// The queries of a probe run in the order they are to be sent, as a file. `attributes` names the attributes of the keywords.
#[must_use]
pub fn queries(
    format: FileFormat,
    relation: &Relation,
    attributes: &[String],
    report: &Report,
    order: &[u32],
) -> String {
    const NAMES: [&str; 9] =
        ["query", "attributes", "rows", "new_rows", "gain", "server_count", "source", "requests", "score"];
    let vocabulary = relation.vocabulary();
    let texts: Vec<(String, String)> = order
        .iter()
        .map(|&query| {
            let terms = &report.queries[query as usize].terms;
            let of = |&term: &u32| attributes.get(usize::from(vocabulary.attribute(term))).map_or("", String::as_str);
            (query_text(vocabulary, terms), terms.iter().map(of).collect::<Vec<_>>().join(";"))
        })
        .collect();
    let rows = order.iter().zip(&texts).map(|(&query, (text, attributes))| {
        let probe = &report.queries[query as usize];
        [
            Cell::Text(text),
            Cell::Text(attributes),
            Cell::Number(probe.local as f64),
            Cell::Number(probe.new as f64),
            Cell::Number(probe.gain),
            Cell::Number(probe.server),
            Cell::Text(probe.source.word()),
            Cell::Number(probe.requests),
            Cell::Number(probe.score),
        ]
    });
    lay_out(format, &NAMES, rows)
}

/// A query as it is typed into a search box: keywords of several words in quotes.
#[must_use]
pub fn query_text(vocabulary: &Vocabulary, terms: &[u32]) -> String {
    let mut text = String::new();
    for &term in terms {
        let keyword = vocabulary.text(term);
        let quotes = if keyword.contains(char::is_whitespace) { "\"" } else { "" };
        let gap = if text.is_empty() { "" } else { " " };
        let _ = write!(text, "{gap}{quotes}{keyword}{quotes}");
    }
    text
}

impl Dataset {
    /// The table of items with the plan, as a file.
    pub fn text(&self, format: FileFormat) -> Result<String> {
        const NAMES: [&str; 10] = [
            "id",
            "changes_per_day",
            "weight",
            "cost",
            "count",
            "visits_per_day",
            "visit_every_days",
            "freshness",
            "age_days",
            "share_of_budget",
        ];
        let solved = self.solved()?;
        let ids: Vec<Cow<'_, str>> = (0..self.len()).map(|i| self.ids.get(i)).collect();
        Ok(lay_out(
            format,
            &NAMES,
            (0..self.len()).map(|i| {
                let frequency = solved.chosen.frequency[i];
                [
                    Cell::Text(&ids[i]),
                    Cell::Number(solved.items.mean_rate(i)),
                    Cell::Number(solved.items.weight(i)),
                    Cell::Number(solved.items.cost(i)),
                    Cell::Number(solved.items.count(i)),
                    Cell::Number(frequency),
                    Cell::Number(1.0 / frequency),
                    Cell::Number(solved.freshness(i)),
                    Cell::Number(solved.age(i)),
                    Cell::Number(solved.share(i)),
                ]
            }),
        ))
    }
}

/// A timetable as a file: when (UTC), days from its start, which item.
#[must_use]
pub fn timetable(format: FileFormat, ids: &Ids, start: f64, timetable: &Timetable) -> String {
    let stamps: Vec<String> = timetable.time.iter().map(|&time| stamp(time)).collect();
    let names: Vec<Cow<'_, str>> = timetable.item.iter().map(|&item| ids.get(item as usize)).collect();
    lay_out(
        format,
        &["time", "day", "id"],
        (0..stamps.len())
            .map(|k| [Cell::Text(&stamps[k]), Cell::Number(timetable.time[k] - start), Cell::Text(&names[k])]),
    )
}
