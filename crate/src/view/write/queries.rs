//! The queries of a probe run, in the order they are to be sent.

use std::fmt::Write as _;

use serde::Deserialize;

use super::{Cell, csv, json};
use crate::probe::{Relation, Report, Vocabulary};

/// A format of the queries as a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "wasm", derive(tsify::Tsify))]
pub enum QueriesFormat {
    /// RFC 4180, one header row.
    Csv,
    /// An array of objects.
    Json,
    /// One query a line, as it is typed into a search box.
    Text,
}

/// The queries as a file. `attributes` names the attributes of the keywords.
#[must_use]
pub fn queries(
    format: QueriesFormat,
    relation: &Relation,
    attributes: &[String],
    report: &Report,
    order: &[u32],
) -> String {
    const NAMES: [&str; 9] =
        ["query", "attributes", "rows", "new_rows", "gain", "server_count", "source", "requests", "score"];
    let vocabulary = relation.vocabulary();
    let probes = || order.iter().map(|&query| &report.queries[query as usize]);
    let sheet = match format {
        QueriesFormat::Csv => &csv::SHEET,
        QueriesFormat::Json => &json::SHEET,
        QueriesFormat::Text => {
            return probes().map(|probe| query_text(vocabulary, &probe.terms) + "\n").collect();
        }
    };
    sheet.lay_out(&NAMES, |row| {
        for probe in probes() {
            let of = |&term: &u32| attributes.get(usize::from(vocabulary.attribute(term))).map_or("", String::as_str);
            row(&[
                Cell::Text(&query_text(vocabulary, &probe.terms)),
                Cell::Text(&probe.terms.iter().map(of).collect::<Vec<_>>().join(";")),
                Cell::Number(probe.local as f64),
                Cell::Number(probe.new as f64),
                Cell::Number(probe.gain),
                Cell::Number(probe.server),
                Cell::Text(probe.source.word()),
                Cell::Number(probe.requests),
                Cell::Number(probe.score),
            ]);
        }
    })
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
