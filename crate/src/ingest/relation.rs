//! A table to a relation for keyword probes, and tables of server counts (spec "Probe: Input").
//!
//! Names, weights, rates and times of sync are read by the [`Mapper`] like those of any table; columns of keywords are cut up
//! beside it. Server counts come from a second table: a keyword, or a pair, and its count.

use super::Progress;
use super::mapped::{BadCells, ColumnCount, Ids, Mapped};
use super::mapper::Mapper;
use super::mapping::{Mapping, Role};
use super::number::number;
use super::pace::Unit;
use super::table::Table;
use crate::numeric::sort;
use crate::probe::{Collector, Counts, Cut, Lists, Relation, Vocabulary, cut};
use crate::problem::{Kind, Problem, Result};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Rows of one step: a few milliseconds.
const STEP: usize = 1 << 12;
/// The share of the work that is reading numbers; the rest is cutting up cells.
const MAPPING_SHARE: f64 = 0.3;

/// What a column of a relation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "wasm", derive(tsify::Tsify))]
pub enum RelationRole {
    /// Nothing that is needed.
    #[default]
    Ignore,
    /// The row's name.
    Id,
    /// Importance.
    Weight,
    /// Changes per unit of time.
    Rate,
    /// Mean time between changes.
    Interval,
    /// When the row was last synced.
    LastSync,
    /// An attribute: the cell is one keyword.
    Whole,
    /// An attribute: the cell is a list of keywords.
    List,
    /// An attribute: the cell is text, cut into words.
    Words,
}

impl RelationRole {
    fn cut(self) -> Option<Cut> {
        match self {
            Self::Whole => Some(Cut::Whole),
            Self::List => Some(Cut::List),
            Self::Words => Some(Cut::Words),
            _ => None,
        }
    }
}

/// What each column of a table is, for a relation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "wasm", derive(tsify::Tsify))]
pub struct RelationMapping {
    /// One role for each column.
    pub roles: Vec<RelationRole>,
    /// The unit of each column's bare rates and intervals; none is days.
    pub units: Vec<Option<Unit>>,
    /// Whether numbers are written as 1,5.
    pub decimal_comma: bool,
    /// Whether the first row names the columns.
    pub header: bool,
}

/// The share of cells with a separator that makes a column one of lists, and with a space that makes it one of words.
const LISTS_FROM: f64 = 0.5;
const WORDS_FROM: f64 = 0.1;
/// The rows that a guess looks at.
const GUESSED_FROM: usize = 1_000;

impl RelationMapping {
    /// Names, weights, rates and syncs as in any table; what else is text becomes keywords, cut as its cells suggest.
    #[must_use]
    pub fn guess(table: &Table) -> Self {
        let Mapping { roles, units, decimal_comma, header } = table.understood().mapping();
        let share = |column: usize, marks: &[char]| {
            let (mut filled, mut marked) = (0_u32, 0_u32);
            for row in 0..table.rows().min(GUESSED_FROM) {
                let cell = table.cell(row, column);
                filled += u32::from(!cell.is_empty());
                marked += u32::from(cell.contains(marks));
            }
            f64::from(marked) / f64::from(filled.max(1))
        };
        let role = |(column, role): (usize, &Role)| match role {
            Role::Id => RelationRole::Id,
            Role::Weight => RelationRole::Weight,
            Role::Rate => RelationRole::Rate,
            Role::Interval => RelationRole::Interval,
            Role::LastSync => RelationRole::LastSync,
            _ if table.understood().columns[column].numeric_share > 0.5 => RelationRole::Ignore,
            _ if share(column, &[';', ',', '|']) >= LISTS_FROM => RelationRole::List,
            _ if share(column, &[' ']) >= WORDS_FROM => RelationRole::Words,
            _ => RelationRole::Whole,
        };
        let roles = roles.iter().enumerate().map(role).collect();
        Self { roles, units, decimal_comma, header }
    }
}

/// An attribute: a column whose cells become keywords.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeywordColumn {
    /// Which column.
    pub column: usize,
    /// Its name.
    pub name: String,
    /// How its cells become keywords.
    pub cut: Cut,
}

/// Turns a [`Table`] into a [`Relation`] a step at a time.
#[derive(Debug)]
pub struct RelationReader {
    table: Arc<Table>,
    mapper: Option<Mapper>,
    mapped: Mapped,
    attributes: Vec<KeywordColumn>,
    collector: Collector,
    first: usize,
    at: usize,
}

impl RelationReader {
    /// Prepares the work; refuses a mapping that does not fit or that has no attribute.
    pub fn new(table: Arc<Table>, mapping: &RelationMapping) -> Result<Self> {
        let names = table.names(mapping.header);
        let role = |role: &RelationRole| match role {
            RelationRole::Id => Role::Id,
            RelationRole::Weight => Role::Weight,
            RelationRole::Rate => Role::Rate,
            RelationRole::Interval => Role::Interval,
            RelationRole::LastSync => Role::LastSync,
            _ => Role::Ignore,
        };
        let plain = Mapping {
            roles: mapping.roles.iter().map(role).collect(),
            units: mapping.units.clone(),
            decimal_comma: mapping.decimal_comma,
            header: mapping.header,
        };
        plain.check_roles(&names)?;
        let attribute = |(column, role): (usize, &RelationRole)| {
            Some(KeywordColumn { column, name: names[column].clone(), cut: role.cut()? })
        };
        let attributes: Vec<_> = mapping.roles.iter().enumerate().filter_map(attribute).collect();
        if attributes.is_empty() {
            return Err(Problem::new(
                Kind::Field,
                "no column gives keywords to search for",
                "Choose at least one column as keywords: a whole cell, a list, or words.",
            ));
        }
        let first = usize::from(table.has_header_row(mapping.header));
        let mapper = Some(Mapper::checked(Arc::clone(&table), plain, names));
        let (mapped, collector) = (Mapped::default(), Collector::default());
        Ok(Self { table, mapper, mapped, attributes, collector, first, at: first })
    }

    /// Reads some more rows.
    pub fn step(&mut self) -> Result<Progress> {
        if let Some(mapper) = &mut self.mapper {
            let progress = mapper.step();
            if progress.done {
                self.mapped = self.mapper.take().map(Mapper::finish).unwrap_or_default();
            }
            return Ok(Progress { fraction: MAPPING_SHARE * progress.fraction, done: false });
        }
        let records = self.table.cells.records;
        let end = records.min(self.at + STEP);
        while self.at < end {
            for (number, attribute) in (0_u16..).zip(&self.attributes) {
                let cell = String::from_utf8_lossy(self.table.record(self.at, attribute.column));
                self.collector.cell(number, &cell, attribute.cut)?;
            }
            self.collector.end_row();
            self.at += 1;
        }
        let share = (self.at - self.first) as f64 / (records - self.first).max(1) as f64;
        Ok(Progress { fraction: MAPPING_SHARE + (1.0 - MAPPING_SHARE) * share, done: self.at == records })
    }

    /// What was found of the numbers: bad cells, notes. Complete when the steps are done.
    #[must_use]
    pub fn mapped(&self) -> &Mapped {
        &self.mapped
    }

    /// The relation as of `now`, in days since the epoch; rows with bad cells are left out if `drop_bad`, else there must be
    /// none. A row whose last sync is not known counts as synced when the longest unsynced one was.
    pub fn finish(mut self, drop_bad: bool, now: f64) -> Result<Related> {
        while !self.step()?.done {}
        if drop_bad {
            let mut keep = vec![true; self.mapped.len()];
            for &item in &self.mapped.bad_items {
                keep[item as usize] = false;
            }
            self.collector.retain(&keep);
            self.mapped = self.mapped.drop_bad();
        }
        self.mapped.check()?;
        let Mapped { ids, rate, weight, last_sync, .. } = self.mapped;
        let elapsed = last_sync.map(|moments| {
            let mut elapsed: Vec<f64> = moments.iter().map(|moment| (now - moment).max(0.0)).collect();
            // `max` has made 0 of what is not known.
            let longest = Some(elapsed.iter().copied().fold(0.0, f64::max)).filter(|&longest| longest > 0.0);
            for (elapsed, moment) in elapsed.iter_mut().zip(&moments) {
                if moment.is_nan() {
                    *elapsed = longest.unwrap_or(1.0);
                }
            }
            elapsed
        });
        let rate = Some(rate).filter(|rate| !rate.is_empty());
        let relation = Relation::new(self.collector, weight, rate, elapsed)?;
        Ok(Related { relation, ids, attributes: self.attributes })
    }
}

/// A relation that was read from a table.
#[derive(Debug)]
pub struct Related {
    /// The rows.
    pub relation: Relation,
    /// Their names.
    pub ids: Ids,
    /// What their keywords were cut from; a keyword's attribute is a place in this list.
    pub attributes: Vec<KeywordColumn>,
}

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

/// The counts of a sample corpus: a table with columns of the same names as the attributes.
pub fn count_corpus(
    table: &Table,
    header: bool,
    attributes: &[KeywordColumn],
    vocabulary: &Vocabulary,
) -> Result<Counts> {
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
    Ok(Counts::of_corpus(&rows))
}

#[cfg(test)]
mod tests {
    use super::super::Reader;
    use super::*;
    use crate::probe::{Job, Knobs, Source};

    fn table(text: &str) -> Arc<Table> {
        let mut reader = Reader::new("table.csv");
        reader.push(text.as_bytes()).unwrap();
        reader.end();
        while !reader.step().unwrap().done {}
        Arc::new(reader.finish().unwrap())
    }

    fn mapping(roles: &[RelationRole]) -> RelationMapping {
        RelationMapping { roles: roles.to_vec(), units: vec![None; roles.len()], decimal_comma: false, header: true }
    }

    const PAPERS: &str = "paper,authors,title,w,synced\n\
        p1,Doe; Roe,The web of crawling,2,2026-01-01\n\
        p2,Roe,Crawling the Web,1,2026-01-03\n\
        p3,,,x,2026-01-03\n\
        p4,Poe,Älteste Suche,4,\n";
    const ROLES: [RelationRole; 5] =
        [RelationRole::Id, RelationRole::List, RelationRole::Words, RelationRole::Weight, RelationRole::LastSync];

    fn related() -> Related {
        RelationReader::new(table(PAPERS), &mapping(&ROLES)).unwrap().finish(true, 20_454.0 + 4.0).unwrap()
    }

    #[test]
    fn columns_become_rows_of_keywords_with_their_numbers() {
        let Related { relation, ids, attributes } = related();
        assert_eq!(
            attributes.iter().map(|a| (a.name.as_str(), a.cut)).collect::<Vec<_>>(),
            [("authors", Cut::List), ("title", Cut::Words)]
        );
        assert_eq!((0..3).map(|item| ids.get(item).into_owned()).collect::<Vec<_>>(), ["p1", "p2", "p4"]);
        let words: Vec<Vec<&str>> = relation
            .index()
            .rows
            .iter()
            .map(|row| row.iter().map(|&keyword| relation.vocabulary().text(keyword)).collect())
            .collect();
        assert_eq!(
            words,
            [vec!["Doe", "Roe", "crawling", "web"], vec!["Roe", "crawling", "web"], vec!["Poe", "suche", "älteste"]]
        );
        assert_eq!(relation.weight(), Some(&[2.0, 1.0, 4.0][..]));
        let report = Job::new(&relation, relation.server(Counts::default(), None, None).unwrap(), &Knobs::default())
            .unwrap()
            .finish();
        assert!((report.coverage - 1.0).abs() < 1e-15);
    }

    #[test]
    fn bad_cells_are_told_with_row_and_column_and_refused_unless_dropped() {
        let reader = RelationReader::new(table(PAPERS), &mapping(&ROLES)).unwrap();
        let problem = reader.finish(false, 0.0).unwrap_err();
        assert_eq!((problem.row, problem.column.as_deref()), (Some(4), Some("w")));
        for roles in [[RelationRole::Ignore; 5], [RelationRole::Weight; 5]] {
            assert!(RelationReader::new(table(PAPERS), &mapping(&roles)).is_err());
        }
        assert!(RelationReader::new(table(PAPERS), &mapping(&ROLES[..2])).is_err());
    }

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
        let counts = count_corpus(&corpus, true, &attributes, relation.vocabulary()).unwrap();
        let server = relation.server(Counts::default(), Some(counts), Some(10.0)).unwrap();
        let find = |text| relation.vocabulary().find(1, text).unwrap();
        assert_eq!(server.count(&[find("web")], 2), (20.0, Source::Sample));
        assert_eq!(server.count(&[find("crawling"), find("web")], 2), (10.0, Source::Sample));
        assert!(count_corpus(&table("x,y\n1,2\n"), true, &attributes, relation.vocabulary()).is_err());
    }
}
