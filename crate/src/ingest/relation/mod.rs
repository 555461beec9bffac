//! A table to a relation for keyword probes (spec "Probe: Input").
//!
//! Names, weights, rates and times of sync are read by the [`Mapper`] like those of any table; columns of keywords are cut up
//! beside it, and where a table tells of past changes instead of rates, those are estimated ([`watch`]). Server counts come
//! from a second table ([`counts`]).

mod counts;
mod watch;

pub use counts::{CountColumns, CountReport, count_corpus, read_counts};

use super::Progress;
use super::mapped::{Ids, Mapped};
use super::mapper::Mapper;
use super::mapping::{Mapping, Role};
use super::pace::Unit;
use super::table::Table;
use crate::probe::{Collector, Cut, Relation};
use crate::problem::{Kind, Problem, Result};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use watch::Watch;

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
    /// How many changes were seen while the row was watched.
    Changes,
    /// The times of the changes, as a list.
    History,
    /// How long the row was watched.
    Watched,
    /// When the watching began.
    Since,
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
        let mut roles: Vec<RelationRole> = roles.iter().enumerate().map(role).collect();
        watch::guess(table, header, &mut roles);
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
    watch: Option<Watch>,
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
        let watch = Watch::new(mapping, &names)?;
        let first = usize::from(table.has_header_row(mapping.header));
        let mapper = Some(Mapper::checked(Arc::clone(&table), plain, names));
        let (mapped, collector) = (Mapped::default(), Collector::default());
        Ok(Self { table, mapper, mapped, attributes, collector, watch, first, at: first })
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
            if let Some(watch) = &mut self.watch {
                watch.row(&self.table, self.at, self.at - self.first, &mut self.mapped);
            }
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
            if let Some(watch) = &mut self.watch {
                watch.retain(&keep);
            }
        }
        self.mapped.check()?;
        let Mapped { ids, mut rate, weight, last_sync, .. } = self.mapped;
        if let Some(watch) = self.watch {
            rate = watch.rates(last_sync.as_deref(), now);
        }
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

#[cfg(test)]
mod tests {
    use super::super::Reader;
    use super::*;
    use crate::probe::{Counts, Job, Knobs};

    pub(in crate::ingest::relation) fn table(text: &str) -> Arc<Table> {
        let mut reader = Reader::new("table.csv");
        reader.push(text.as_bytes()).unwrap();
        reader.end();
        while !reader.step().unwrap().done {}
        Arc::new(reader.finish().unwrap())
    }

    pub(in crate::ingest::relation) fn mapping(roles: &[RelationRole]) -> RelationMapping {
        RelationMapping { roles: roles.to_vec(), units: vec![None; roles.len()], decimal_comma: false, header: true }
    }

    const PAPERS: &str = "paper,authors,title,w,synced\n\
        p1,Doe; Roe,The web of crawling,2,2026-01-01\n\
        p2,Roe,Crawling the Web,1,2026-01-03\n\
        p3,,,x,2026-01-03\n\
        p4,Poe,Älteste Suche,4,\n";
    const ROLES: [RelationRole; 5] =
        [RelationRole::Id, RelationRole::List, RelationRole::Words, RelationRole::Weight, RelationRole::LastSync];

    pub(in crate::ingest::relation) fn related() -> Related {
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
}
