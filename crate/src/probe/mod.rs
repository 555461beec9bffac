//! Probe: refreshing a relation through keyword search (Yang, Wang, Lim, Wang, "Optimizing content freshness of relations
//! extracted from the web using keyword search", 2010; `spec/probe.md`).
//!
//! A source answers only keyword queries, and one query refreshes every local row that it returns. [`Relation`] is the local
//! table as rows of keywords, [`Server`] what is known of the source, [`Job`] chooses few queries that refresh what matters
//! and bounds how far they are from the cheapest, [`order_queries`], [`pace`](pace()) and [`frequencies`] say when to send
//! them, and [`over_time`] shows what that brings.
//!
//! ```
//! use afresh::probe::{Collector, Counts, Job, Knobs, Relation};
//!
//! let mut collector = Collector::default();
//! for row in [["web", "crawling"], ["web", "search"], ["web", "mining"]] {
//!     for keyword in row {
//!         collector.keyword(0, keyword)?;
//!     }
//!     collector.end_row();
//! }
//! let relation = Relation::new(collector, None, None, None)?;
//! let server = relation.server(Counts::default(), None, None)?;
//! let report = Job::new(&relation, server, &Knobs::default())?.finish();
//! assert_eq!(report.coverage, 1.0);
//! # Ok::<(), afresh::problem::Problem>(())
//! ```

mod certificate;
mod cost;
mod greedy;
mod index;
mod keywords;
mod order;
pub mod over_time;
mod pace;
mod server;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use cost::{Cost, Currency};
pub use greedy::{Probe, Stop};
pub use index::{Index, Lists};
pub use keywords::{Collector, Cut, MOST_OCCURRENCES, Vocabulary, cut};
pub use order::{Frequencies, Groups, QueryOrder, end_of_round, frequencies, order_queries};
pub use pace::{growth, pace};
pub use server::{Calibration, Counts, Server, Source, calibrate, most_likely_pair};

use crate::numeric::sum::sum;
use crate::problem::{Kind, Problem, Result};
use certificate::Certificate;
use greedy::{Candidates, Greedy};

/// How stale a row is taken to be, t after its last sync.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "wasm", derive(tsify::Tsify))]
pub enum Staleness {
    /// ½λt², the expected sum of the delays of all missed changes.
    #[default]
    Quadratic,
    /// λt, the expected number of missed changes.
    Linear,
    /// 1: every row alike.
    Unit,
}

/// The local table: rows of keywords, and what refreshing each is worth.
#[derive(Debug, Clone)]
pub struct Relation {
    vocabulary: Arc<Vocabulary>,
    index: Arc<Index>,
    weight: Option<Arc<Vec<f64>>>,
    rate: Option<Arc<Vec<f64>>>,
    elapsed: Option<Arc<Vec<f64>>>,
}

impl Relation {
    /// The rows that were collected, with the importance, the rate of change and the time since the last sync of each; what is
    /// not given is 1 for all.
    pub fn new(
        rows: Collector,
        weight: Option<Vec<f64>>,
        rate: Option<Vec<f64>>,
        elapsed: Option<Vec<f64>>,
    ) -> Result<Self> {
        let (vocabulary, rows) = rows.finish();
        for (name, column) in [("weight", &weight), ("rate", &rate), ("elapsed", &elapsed)] {
            if let Some(column) = column {
                order::measures(column, rows.len(), name)?;
            }
        }
        if rows.is_empty() {
            return Err(Problem::new(Kind::Value, "there are no rows", "Give at least one row.").in_column("rows"));
        }
        let index = Arc::new(Index::new(rows, vocabulary.len()));
        let [weight, rate, elapsed] = [weight, rate, elapsed].map(|column| column.map(Arc::new));
        Ok(Self { vocabulary: Arc::new(vocabulary), index, weight, rate, elapsed })
    }

    /// The same rows with only the keywords of one attribute.
    #[must_use]
    pub fn only(&self, attribute: u16) -> Self {
        let of = |row: &[u32]| -> Vec<u32> {
            row.iter().copied().filter(|&keyword| self.vocabulary.attribute(keyword) == attribute).collect()
        };
        let rows = self.index.rows.iter().map(of).collect();
        Self { index: Arc::new(Index::new(rows, self.vocabulary.len())), ..self.clone() }
    }

    /// The keywords.
    #[must_use]
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// Which rows have which keywords.
    #[must_use]
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.index.rows.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Importance of each row, if given.
    #[must_use]
    pub fn weight(&self) -> Option<&[f64]> {
        self.weight.as_ref().map(|column| column.as_slice())
    }

    /// Rate of change of each row, if given.
    #[must_use]
    pub fn rate(&self) -> Option<&[f64]> {
        self.rate.as_ref().map(|column| column.as_slice())
    }

    /// What is known of the server, for the keywords of these rows.
    pub fn server(&self, given: Counts, sample: Option<Counts>, scale: Option<f64>) -> Result<Arc<Server>> {
        let local: Vec<usize> = self.index.postings.iter().map(<[u32]>::len).collect();
        Server::new(given, sample, scale, &local, self.len()).map(Arc::new)
    }

    /// w·F of each row.
    fn values(&self, staleness: Staleness) -> Result<Vec<f64>> {
        let of = |column: &Option<Arc<Vec<f64>>>, row: usize| column.as_ref().map_or(1.0, |column| column[row]);
        let value = |row: usize| {
            let (rate, elapsed) = (of(&self.rate, row), of(&self.elapsed, row));
            of(&self.weight, row)
                * match staleness {
                    Staleness::Quadratic => 0.5 * rate * elapsed * elapsed,
                    Staleness::Linear => rate * elapsed,
                    Staleness::Unit => 1.0,
                }
        };
        let values: Vec<f64> = (0..self.len()).map(value).collect();
        if values.iter().sum::<f64>() < 1e300 {
            return Ok(values);
        }
        Err(Problem::new(
            Kind::Value,
            "the rows' weights, rates and times are too large to add up",
            "Use a larger unit of time, or smaller weights.",
        ))
    }
}

/// What a person can choose.
#[derive(Debug, Clone, PartialEq)]
pub struct Knobs {
    /// How stale rows are taken to be.
    pub staleness: Staleness,
    /// 1: read all result pages; 2: the first page only.
    pub method: u8,
    /// Results on a page.
    pub page_size: f64,
    /// The most results that the site returns.
    pub result_cap: Option<f64>,
    /// What method 1 pays for.
    pub cost: Currency,
    /// The most keywords of a query, 1 to 3.
    pub max_terms: usize,
    /// How many keywords each round considers; all if none.
    pub top_k: Option<usize>,
    /// The most queries.
    pub queries: Option<usize>,
    /// The most requests.
    pub requests: Option<f64>,
    /// The share of rows that is enough.
    pub coverage: Option<f64>,
}

impl Default for Knobs {
    fn default() -> Self {
        Self {
            staleness: Staleness::default(),
            method: 1,
            page_size: 10.0,
            result_cap: None,
            cost: Currency::default(),
            max_terms: 2,
            top_k: None,
            queries: None,
            requests: None,
            coverage: None,
        }
    }
}

impl Knobs {
    fn check(&self) -> Result<(Cost, Stop)> {
        let refuse = |name: &str, value: String, range: &str| {
            Err(Problem::new(Kind::Value, format!("`{name}` is {value}, not {range}"), format!("Choose {range}."))
                .in_column(name))
        };
        if !(1..=2).contains(&self.method) {
            return refuse("method", self.method.to_string(), "1 (all result pages) or 2 (the first page)");
        }
        if !(1..=3).contains(&self.max_terms) {
            return refuse("maxTerms", self.max_terms.to_string(), "1, 2 or 3");
        }
        let at_least_one = |value: f64| value >= 1.0 && value.is_finite();
        if !at_least_one(self.page_size) {
            return refuse("pageSize", self.page_size.to_string(), "a number of results from 1 up");
        }
        if let Some(cap) = self.result_cap
            && !at_least_one(cap)
        {
            return refuse("resultCap", cap.to_string(), "a number of results from 1 up");
        }
        if self.top_k == Some(0) {
            return refuse("topK", "0".into(), "a number of keywords from 1 up");
        }
        if let Some(requests) = self.requests
            && !(requests >= 0.0 && requests.is_finite())
        {
            return refuse("requests", requests.to_string(), "a number of requests from 0 up");
        }
        let coverage = self.coverage.unwrap_or(1.0);
        if !(0.0..=1.0).contains(&coverage) {
            return refuse("coverage", coverage.to_string(), "a share of the rows from 0 to 1");
        }
        let cost = Cost {
            first_page: self.method == 2,
            page: self.page_size,
            cap: self.result_cap.unwrap_or(f64::INFINITY),
            currency: self.cost,
        };
        let stop = Stop {
            queries: self.queries.unwrap_or(usize::MAX),
            requests: self.requests.unwrap_or(f64::INFINITY),
            coverage,
        };
        Ok((cost, stop))
    }
}

/// The share of the work that is choosing; the rest is proving.
const CHOOSING: f64 = 0.7;

/// The choice of queries and its certificate, in steps.
#[derive(Debug)]
pub struct Job {
    candidates: Candidates,
    width: Option<usize>,
    greedy: Greedy,
    certificate: Option<Certificate>,
    done: bool,
}

impl Job {
    /// Checks the knobs and gets ready for the first round.
    pub fn new(relation: &Relation, server: Arc<Server>, knobs: &Knobs) -> Result<Self> {
        let (cost, stop) = knobs.check()?;
        let value = Arc::new(greedy::on_grid(&relation.values(knobs.staleness)?));
        let index = Arc::clone(&relation.index);
        let widest = index.rows.iter().map(<[u32]>::len).max().unwrap_or(0);
        let width = Some(greedy::width(&index.rows, knobs.max_terms)).filter(|&width| width < widest);
        let narrow = width.map_or_else(|| Arc::clone(&index), |width| Arc::new(index.narrowed(width)));
        let candidates = Candidates { index, narrow, server, cost, max_terms: knobs.max_terms };
        let greedy = Greedy::new(candidates.clone(), value, knobs.top_k, stop);
        Ok(Self { candidates, width, greedy, certificate: None, done: false })
    }

    /// Does work for about so many rows looked at; returns the fraction that is done, 1 at the end.
    pub fn step(&mut self, rows: usize) -> f64 {
        if !self.greedy.done() {
            self.greedy.step(rows);
            return CHOOSING * self.greedy.fraction();
        }
        let certificate = self.certificate.get_or_insert_with(|| Certificate::new(&self.candidates, &self.greedy));
        self.done = certificate.step(&self.candidates, &self.greedy, rows);
        let keywords = self.candidates.index.postings.len();
        if self.done { 1.0 } else { CHOOSING + (1.0 - CHOOSING) * certificate.fraction(keywords) }
    }

    /// How many queries are chosen so far.
    #[must_use]
    pub fn queries(&self) -> usize {
        self.greedy.queries.len()
    }

    /// The report; does what is left first.
    #[must_use]
    pub fn finish(mut self) -> Report {
        while !self.done {
            self.step(1 << 20);
        }
        let cost_of = self.candidates.cost;
        let lower_bound = self.certificate.map_or(0.0, |certificate| certificate.bound(cost_of));
        let covered = self.greedy.covered();
        let rows = covered.len();
        let of = |wanted: &dyn Fn(usize) -> bool| -> Vec<u32> {
            (0_u32..).take(rows).filter(|&row| wanted(row as usize)).collect()
        };
        let uncovered = of(&|row| !covered[row]);
        let unreachable = of(&|row| self.candidates.index.rows.get(row).is_empty());
        let queries = std::mem::take(&mut self.greedy.queries);
        let cost = sum(queries.iter().map(|query| cost_of.of(query.server)));
        let requests = sum(queries.iter().map(|query| query.requests));
        let refreshed = (rows - uncovered.len()) as f64;
        let expected: Vec<f64> = queries.iter().map(|query| query.expected(cost_of)).collect();
        Report {
            rows,
            coverage: refreshed / rows as f64,
            expected_coverage: sum(expected.iter().copied()) / rows as f64,
            requests,
            tuples: sum(queries.iter().map(|query| query.tuples)),
            requests_per_row: requests / refreshed,
            speedup: refreshed / requests,
            cost,
            in_requests: cost_of.in_requests(),
            lower_bound: lower_bound.min(cost),
            ratio: if queries.is_empty() { 1.0 } else { (cost / lower_bound).max(1.0) },
            width: self.width,
            groups: std::mem::take(&mut self.greedy.groups),
            expected,
            queries,
            uncovered,
            unreachable,
            worthless: self.greedy.worthless(),
        }
    }
}

impl Probe {
    /// `E_cov`: how many of its rows are expected among the results that are read, at most those it is the first to cover.
    fn expected(&self, cost: Cost) -> f64 {
        (cost.seen(self.server) * self.local as f64).min(self.new as f64)
    }
}

/// The chosen queries and how good they are.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// How many rows the table has.
    pub rows: usize,
    /// The queries, in the order they were chosen.
    pub queries: Vec<Probe>,
    /// The rows that each is the first to cover, ascending.
    pub groups: Lists,
    /// `E_cov` of each query.
    pub expected: Vec<f64>,
    /// The share of rows that match a query.
    pub coverage: f64,
    /// `Σ E_cov/|L|`: the share that is expected among the results that are read.
    pub expected_coverage: f64,
    /// Requests sent.
    pub requests: f64,
    /// Tuples transmitted.
    pub tuples: f64,
    /// Requests per refreshed row; NaN if there is none.
    pub requests_per_row: f64,
    /// Its reciprocal: how many times faster than asking for each row by its ID.
    pub speedup: f64,
    /// What the queries cost, in tuples or requests.
    pub cost: f64,
    /// Whether that is requests.
    pub in_requests: bool,
    /// No queries bring the same expected gain for less.
    pub lower_bound: f64,
    /// Cost over that bound: at most so many times the least.
    pub ratio: f64,
    /// Rows that no query covers.
    pub uncovered: Vec<u32>,
    /// Rows that no query can reach, for want of keywords.
    pub unreachable: Vec<u32>,
    /// How many of the uncovered rows have keywords but nothing to gain: their weight, rate or age is 0.
    pub worthless: usize,
    /// Where conjunctions were formed only from the most frequent keywords of a row: how many.
    pub width: Option<usize>,
}
