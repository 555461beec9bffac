//! Tables of server counts: a keyword, or a pair, and its count; or a sample of the server, whose rows are counted here.

use super::super::mapped::{BadCells, ColumnCount};
use super::super::number::number;
use super::super::table::Table;
use super::{GUESSED_FROM, KeywordColumn};
use crate::numeric::sort;
use crate::probe::{Counts, Cut, Lists, Vocabulary, cut};
use crate::problem::{Kind, Problem, Result};
use serde::{Deserialize, Serialize};

/// Which columns of a table hold server counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "wasm", derive(tsify::Tsify))]
pub struct CountColumns {
    /// The keyword.
    pub keyword: usize,
    /// The attribute that it is a keyword of, by its column's name; a keyword without one counts for every attribute.
    #[cfg_attr(feature = "wasm", tsify(optional))]
    pub attribute: Option<usize>,
    /// The other keyword of a pair.
    #[cfg_attr(feature = "wasm", tsify(optional))]
    pub second: Option<usize>,
    /// The attribute of the other keyword; that of the first if there is no such column.
    #[cfg_attr(feature = "wasm", tsify(optional))]
    pub second_attribute: Option<usize>,
    /// The count.
    pub count: usize,
    /// Whether the first row names the columns.
    pub header: bool,
    /// Whether numbers are written as 1,5.
    pub decimal_comma: bool,
}

impl CountColumns {
    /// A guess by the cells: columns that hold names of attributes, texts before them or beside them that are keywords, and
    /// the last column of numbers.
    pub fn guess(table: &Table, attributes: &[KeywordColumn]) -> Result<Self> {
        let understood = table.understood();
        let rows = table.rows().min(GUESSED_FROM);
        let names_attributes = |&column: &usize| {
            (0..rows).all(|row| attributes.iter().any(|attribute| attribute.name == table.cell(row, column)))
        };
        let numeric = |&column: &usize| understood.columns[column].numeric_share > 0.5;
        let count = (0..understood.columns.len()).rev().find(numeric);
        let (named, keywords): (Vec<usize>, Vec<usize>) =
            (0..understood.columns.len()).filter(|&column| Some(column) != count).partition(names_attributes);
        let (Some(&keyword), Some(count)) = (keywords.first(), count) else {
            return Err(Problem::new(
                Kind::Field,
                "the file of counts has no column of keywords with a column of counts",
                "Give a table with a keyword, or two, in each row and how many results the server has for it.",
            ));
        };
        Ok(Self {
            keyword,
            attribute: named.first().copied(),
            second: keywords.get(1).copied(),
            second_attribute: named.get(1).copied(),
            count,
            header: understood.header,
            decimal_comma: understood.decimal_comma,
        })
    }
}

/// What was found in a table of counts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "wasm", derive(tsify::Tsify))]
pub struct CountReport {
    /// Rows of data.
    pub rows: usize,
    /// Rows whose keywords some row of the relation has.
    pub used: usize,
    /// Cells that could not be read; their rows are left out.
    pub bad: BadCells,
}

/// Adds the counts of a table to `counts`.
pub fn read_counts(
    table: &Table,
    columns: &CountColumns,
    attributes: &[KeywordColumn],
    vocabulary: &Vocabulary,
    counts: &mut Counts,
) -> Result<CountReport> {
    let names = table.names(columns.header);
    let all = [Some(columns.keyword), columns.attribute, columns.second, columns.second_attribute, Some(columns.count)];
    if let Some(column) = all.into_iter().flatten().find(|&column| column >= names.len()) {
        return Err(Problem::new(
            Kind::Field,
            format!("there is no column {column} (counting from 0) in the counts"),
            "Choose the columns of the keyword and of its count.",
        ));
    }
    let first = usize::from(table.has_header_row(columns.header));
    let mut report = CountReport { rows: table.cells.records.saturating_sub(first), ..CountReport::default() };
    let text = |record: usize, column: usize| String::from_utf8_lossy(table.record(record, column));
    let mut bad_counts = 0;
    for record in first..table.cells.records {
        let written = text(record, columns.count);
        let count = match number(&written, columns.decimal_comma) {
            Ok(count) if count >= 0.0 => count,
            found => {
                let row = u32::try_from(table.cells.file_row(record)).unwrap_or(u32::MAX);
                let (reason, hint) =
                    found.map_or_else(|fault| (fault.reason, fault.hint), |_| ("below 0", "Write a number from 0 up."));
                report.bad.list(row, Some(&names[columns.count]), &written, reason.into(), hint);
                report.bad.rows.push(row);
                bad_counts += 1;
                continue;
            }
        };
        let attribute = columns.attribute.map(|column| text(record, column));
        let keyword = text(record, columns.keyword);
        let mut used = false;
        for (number, known) in (0_u16..).zip(attributes) {
            if attribute.as_ref().is_some_and(|name| *name != known.name) {
                continue;
            }
            let Some(keyword) = one_keyword(&keyword, known.cut) else { continue };
            let Some(second) = columns.second else {
                used |= vocabulary.find(number, &keyword).is_some();
                counts.keyword(vocabulary, number, &keyword, count)?;
                continue;
            };
            let second = text(record, second);
            let other_attribute = columns.second_attribute.map(|column| text(record, column));
            for (other_number, other) in (0_u16..).zip(attributes) {
                let fits = other_attribute.as_ref().map_or(other_number == number, |name| *name == other.name);
                if let (true, Some(second)) = (fits, one_keyword(&second, other.cut)) {
                    used |=
                        vocabulary.find(number, &keyword).is_some() && vocabulary.find(other_number, &second).is_some();
                    counts.pair(vocabulary, (number, &keyword), (other_number, &second), count)?;
                }
            }
        }
        report.used += usize::from(used);
    }
    if bad_counts > 0 {
        report.bad.by_column = vec![ColumnCount { column: names[columns.count].clone(), cells: bad_counts }];
    }
    Ok(report)
}

/// A keyword as the attribute's cells would give it; none if they would give several.
fn one_keyword(text: &str, how: Cut) -> Option<String> {
    let how = if how == Cut::List { Cut::Whole } else { how };
    let mut all = Vec::new();
    cut(text, how, |keyword| all.push(keyword.to_string()));
    if all.len() == 1 { all.pop() } else { None }
}

/// The counts of a sample corpus: a table with columns of the same names as the attributes. Used are the rows that have a
/// keyword of the relation.
pub fn count_corpus(
    table: &Table,
    header: bool,
    attributes: &[KeywordColumn],
    vocabulary: &Vocabulary,
) -> Result<(Counts, CountReport)> {
    let names = table.names(header);
    let columns: Vec<Option<usize>> =
        attributes.iter().map(|attribute| names.iter().position(|name| *name == attribute.name)).collect();
    if columns.iter().all(Option::is_none) {
        return Err(Problem::new(
            Kind::Field,
            "the sample has no column that is named like an attribute",
            "Name its columns like those of the table whose keywords are used.",
        ));
    }
    let first = usize::from(table.has_header_row(header));
    let mut rows = Lists::default();
    let mut row: Vec<u32> = Vec::new();
    for record in first..table.cells.records {
        row.clear();
        for ((number, attribute), column) in (0_u16..).zip(attributes).zip(&columns) {
            let Some(column) = *column else { continue };
            let cell = String::from_utf8_lossy(table.record(record, column));
            cut(&cell, attribute.cut, |keyword| row.extend(vocabulary.find(number, keyword)));
        }
        sort::numbers(&mut row);
        row.dedup();
        for &keyword in &row {
            rows.push(keyword);
        }
        rows.end_list();
    }
    let used = rows.iter().filter(|row| !row.is_empty()).count();
    Ok((Counts::of_corpus(&rows), CountReport { rows: rows.len(), used, ..CountReport::default() }))
}

#[cfg(test)]
mod tests {
    use super::super::Related;
    use super::super::tests::{related, table};
    use super::*;
    use crate::probe::Source;

    #[test]
    fn counts_find_their_keywords_by_attribute() {
        let Related { relation, attributes, .. } = related();
        let (vocabulary, mut counts) = (relation.vocabulary(), Counts::new(None).unwrap());
        let columns = CountColumns {
            keyword: 0,
            attribute: Some(1),
            second: None,
            second_attribute: None,
            count: 2,
            header: true,
            decimal_comma: false,
        };
        let singles = table(
            "keyword,attribute,count\nRoe,authors,70\nWEB,title,900\nroe,title,5\nDoe,authors,-1\nweb,title,many\n",
        );
        let report = read_counts(&singles, &columns, &attributes, vocabulary, &mut counts).unwrap();
        assert_eq!((report.rows, report.used, report.bad.total, report.bad.rows.clone()), (5, 2, 2, vec![5, 6]));
        let pairs = table("a,of_a,b,of_b,count\nRoe,authors,web,title,7\ncrawling,title,web,title,30\n");
        let columns = CountColumns { second: Some(2), second_attribute: Some(3), count: 4, ..columns };
        let report = read_counts(&pairs, &columns, &attributes, vocabulary, &mut counts).unwrap();
        assert_eq!((report.used, report.bad.total), (2, 0));
        assert!(
            read_counts(&pairs, &CountColumns { count: 9, ..columns }, &attributes, vocabulary, &mut counts).is_err()
        );
        let server = relation.server(counts, None, None).unwrap();
        let find = |attribute, text| vocabulary.find(attribute, text).unwrap();
        assert_eq!(server.count(&[find(0, "Roe")], 2), (70.0, Source::Given));
        assert_eq!(server.count(&[find(0, "Roe"), find(1, "web")], 2), (7.0, Source::Given));
    }

    #[test]
    fn a_corpus_counts_the_keywords_of_the_relation() {
        let Related { relation, attributes, .. } = related();
        let corpus = table("title,year\nWeb search,2001\nCrawling the web,2002\nOther,2003\n");
        let (counts, report) = count_corpus(&corpus, true, &attributes, relation.vocabulary()).unwrap();
        assert_eq!((report.rows, report.used), (3, 2));
        let server = relation.server(Counts::default(), Some(counts), Some(10.0)).unwrap();
        let find = |text| relation.vocabulary().find(1, text).unwrap();
        assert_eq!(server.count(&[find("web")], 2), (20.0, Source::Sample));
        assert_eq!(server.count(&[find("crawling"), find("web")], 2), (10.0, Source::Sample));
        assert!(count_corpus(&table("x,y\n1,2\n"), true, &attributes, relation.vocabulary()).is_err());
    }
}
