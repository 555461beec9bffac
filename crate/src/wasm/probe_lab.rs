//! What the page holds for keyword probes: a relation with its server counts, runs under way, and the chosen queries.

use std::rc::Rc;
use std::sync::Arc;

use serde::Serialize;
use tsify::Tsify;
use wasm_bindgen::prelude::*;

use super::lab::{MapReport, Table, file_format};
use super::probe::{ProbeQuery, ProbeTotals, ProbesRequest, over_time_reply, query};
use super::simulate::seed as checked_seed;
use super::{Thrown, read, reply, thrown};
use crate::ingest::{self, CountColumns, Progress, Related, RelationMapping};
use crate::probe::over_time::{Scenario, Simulating};
use crate::probe::{self, Counts, Groups, Job, Report};
use crate::problem::{Kind, Problem};
use crate::view::queries::{self, QueriesQuery};
use crate::view::{PIXELS, Rows, Series, thinned, write};

/// How much work one step of a job does: about ten milliseconds of it.
const ROWS_A_STEP: usize = 1 << 18;
const CHANGES_A_STEP: usize = 20_000;

#[wasm_bindgen]
impl Table {
    /// The guess of which column is what for keyword probes.
    #[wasm_bindgen(js_name = relationMapping, unchecked_return_type = "RelationMapping")]
    pub fn relation_mapping(&self) -> Thrown<JsValue> {
        reply(&RelationMapping::guess(&self.cells))
    }

    /// Starts to turn the columns into a relation for keyword probes.
    pub fn relation(
        &self,
        #[wasm_bindgen(unchecked_param_type = "RelationMapping")] mapping: JsValue,
    ) -> Thrown<RelationJob> {
        let mapping: RelationMapping = read(mapping, "mapping")?;
        ingest::RelationReader::new(Arc::clone(&self.cells), &mapping).map(RelationJob).map_err(thrown)
    }
}

/// Columns being turned into a relation: `step()` until it is done, read the `report()`, then `finish()`.
#[wasm_bindgen]
pub struct RelationJob(ingest::RelationReader);

#[wasm_bindgen]
impl RelationJob {
    /// Does a little work.
    #[wasm_bindgen(unchecked_return_type = "Progress")]
    pub fn step(&mut self) -> Thrown<JsValue> {
        reply(&self.0.step().map_err(thrown)?)
    }

    /// What was found: how many rows, which cells cannot be used.
    #[wasm_bindgen(unchecked_return_type = "MapReport")]
    pub fn report(&self) -> Thrown<JsValue> {
        reply(&MapReport::from(self.0.mapped()))
    }

    /// The relation as of `now`, in days since the Unix epoch. Rows with bad cells are left out if `drop_bad`; otherwise there
    /// must be none.
    pub fn finish(self, drop_bad: bool, now: f64) -> Thrown<Relation> {
        let related = self.0.finish(drop_bad, now).map_err(thrown)?;
        Ok(Relation { related: Rc::new(related), given: Counts::default(), sample: None, scale: None })
    }
}

/// A relation and what is known of its server.
#[wasm_bindgen]
pub struct Relation {
    related: Rc<Related>,
    given: Counts,
    sample: Option<Counts>,
    scale: Option<f64>,
}

/// What a relation is.
#[derive(Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct RelationSummary {
    /// How many rows.
    rows: usize,
    /// The attributes' names.
    attributes: Vec<String>,
    /// How many keywords they have together.
    keywords: usize,
    /// Rows without any keyword.
    unreachable: usize,
    /// Counts of the server that can be used.
    given: usize,
    /// Counts of the sample that can be used.
    sampled: usize,
}

#[wasm_bindgen]
impl Relation {
    /// What the relation is.
    #[wasm_bindgen(unchecked_return_type = "RelationSummary")]
    pub fn summary(&self) -> Thrown<JsValue> {
        let relation = &self.related.relation;
        reply(&RelationSummary {
            rows: relation.len(),
            attributes: self.related.attributes.iter().map(|attribute| attribute.name.clone()).collect(),
            keywords: relation.vocabulary().len(),
            unreachable: relation.index().rows.iter().filter(|row| row.is_empty()).count(),
            given: self.given.len(),
            sampled: self.sample.as_ref().map_or(0, Counts::len),
        })
    }

    /// The names of some rows.
    #[must_use]
    pub fn ids(&self, rows: &[u32]) -> Vec<String> {
        rows.iter().map(|&row| self.related.ids.get(row as usize).into_owned()).collect()
    }

    /// Says how many tuples the server has, and by how much a sample's counts are multiplied (fitted if left out).
    #[wasm_bindgen(js_name = setServer)]
    pub fn set_server(&mut self, size: Option<f64>, scale: Option<f64>) -> Thrown<()> {
        self.given.size = Counts::new(size).map_err(thrown)?.size;
        self.scale = scale;
        Ok(())
    }

    /// The guess of which column of a table of counts is what.
    #[wasm_bindgen(js_name = countColumns, unchecked_return_type = "CountColumns")]
    pub fn count_columns(&self, table: &Table) -> Thrown<JsValue> {
        reply(&CountColumns::guess(&table.cells, &self.related.attributes).map_err(thrown)?)
    }

    /// Adds the counts of a table: those of the server, or of a sample of it.
    #[wasm_bindgen(js_name = addCounts, unchecked_return_type = "CountReport")]
    pub fn add_counts(
        &mut self,
        table: &Table,
        #[wasm_bindgen(unchecked_param_type = "CountColumns")] columns: JsValue,
        of_sample: bool,
    ) -> Thrown<JsValue> {
        let columns: CountColumns = read(columns, "columns")?;
        let counts = if of_sample { self.sample.get_or_insert_default() } else { &mut self.given };
        let Related { relation, attributes, .. } = &*self.related;
        let report = ingest::read_counts(&table.cells, &columns, attributes, relation.vocabulary(), counts);
        reply(&report.map_err(thrown)?)
    }

    /// Takes a table with the same attributes as a sample of the server, in place of what was known of one.
    #[wasm_bindgen(js_name = setCorpus, unchecked_return_type = "CountReport")]
    pub fn set_corpus(&mut self, table: &Table, header: bool) -> Thrown<JsValue> {
        let Related { relation, attributes, .. } = &*self.related;
        let corpus = ingest::count_corpus(&table.cells, header, attributes, relation.vocabulary());
        let (counts, report) = corpus.map_err(thrown)?;
        self.sample = Some(counts);
        reply(&report)
    }

    /// Forgets all counts.
    #[wasm_bindgen(js_name = clearCounts)]
    pub fn clear_counts(&mut self) {
        (self.given, self.sample, self.scale) = (Counts::default(), None, None);
    }

    /// Starts to choose queries; of one attribute only, by its place, if given.
    pub fn probe(
        &self,
        #[wasm_bindgen(
            unchecked_param_type = "Omit<ProbesRequest, \"rows\" | \"weight\" | \"rate\" | \"elapsed\" | \"server\">"
        )]
        knobs: JsValue,
        attribute: Option<u16>,
    ) -> Thrown<ProbeJob> {
        let knobs = read::<ProbesRequest>(knobs, "knobs")?.knobs();
        let whole = &self.related.relation;
        let relation = attribute.map_or_else(|| whole.clone(), |attribute| whole.only(attribute));
        let server = relation.server(self.given.clone(), self.sample.clone(), self.scale).map_err(thrown)?;
        let job = Job::new(&relation, Arc::clone(&server), &knobs).map_err(thrown)?;
        Ok(ProbeJob { job, server, related: Rc::clone(&self.related) })
    }
}

/// Queries being chosen: `step()` until it is done, then `finish()`; drop it to cancel.
#[wasm_bindgen]
pub struct ProbeJob {
    job: Job,
    server: Arc<probe::Server>,
    related: Rc<Related>,
}

#[wasm_bindgen]
impl ProbeJob {
    /// Does a little work.
    #[wasm_bindgen(unchecked_return_type = "Progress")]
    pub fn step(&mut self) -> Thrown<JsValue> {
        let fraction = self.job.step(ROWS_A_STEP);
        reply(&Progress { fraction, done: fraction >= 1.0 })
    }

    /// How many queries are chosen so far.
    #[must_use]
    pub fn queries(&self) -> usize {
        self.job.queries()
    }

    /// The queries.
    pub fn finish(self) -> Thrown<Probes> {
        let report = self.job.finish();
        let relation = &self.related.relation;
        let ones = vec![1.0; relation.len()];
        let groups =
            Groups::new(&report.groups, relation.weight(), relation.rate().unwrap_or(&ones)).map_err(thrown)?;
        Ok(Probes { report, groups, server: self.server, related: self.related })
    }
}

/// Chosen queries.
#[wasm_bindgen]
pub struct Probes {
    report: Report,
    groups: Groups,
    server: Arc<probe::Server>,
    related: Rc<Related>,
}

/// Chosen queries in numbers, with how coverage grows.
#[derive(Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct ProbesView {
    /// How many queries.
    queries: usize,
    #[serde(flatten)]
    totals: ProbeTotals,
    /// How many rows no query refreshes.
    uncovered: usize,
    /// The first of the rows that none can.
    unreachable: Rows,
    /// How many those are.
    unreachable_rows: usize,
    /// After how many queries: at most 2,000 points, the last included.
    growth_queries: Series,
    /// Requests by then.
    growth_requests: Series,
    /// The share of rows covered by then.
    growth_coverage: Series,
    /// The share expected among the results read by then.
    growth_expected: Series,
}

/// How a round is sent.
#[derive(Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct ProbeOrder {
    /// Content freshness at the end of a round.
    value: f64,
    /// α at each interval is this times the interval.
    growth: f64,
    /// Content freshness on average when queries are sent in turn, whatever the order.
    alike: f64,
    /// The same at cube-root frequencies.
    cube_root: f64,
}

/// Some of the queries.
#[derive(Serialize, Tsify)]
pub struct ProbePage {
    /// The queries.
    queries: Vec<ProbeQuery>,
    /// Their numbers in the order of the choosing, from 0.
    number: Rows,
    /// How often to send each at cube-root frequencies, per unit of time.
    frequency: Series,
    /// Its place in a round, from 0.
    place: Series,
    /// Its aᵢ.
    a: Series,
}

impl Probes {
    fn requests(&self) -> Vec<f64> {
        self.report.queries.iter().map(|query| query.requests).collect()
    }
}

#[wasm_bindgen]
impl Probes {
    /// The queries in numbers.
    #[wasm_bindgen(unchecked_return_type = "ProbesView")]
    pub fn view(&self) -> Thrown<JsValue> {
        let Report { queries, rows, expected, unreachable, uncovered, .. } = &self.report;
        let mut sums = Vec::with_capacity(queries.len());
        let (mut requests, mut covered, mut seen) = (0.0, 0.0, 0.0);
        for (query, expected) in queries.iter().zip(expected) {
            requests += query.requests;
            covered += query.new as f64;
            seen += expected;
            sums.push((requests, covered / *rows as f64, seen / *rows as f64));
        }
        let last = queries.len().saturating_sub(1);
        let mut shown: Vec<usize> = thinned(queries.len(), PIXELS - 1).collect();
        if shown.last().is_some_and(|&shown| shown < last) {
            shown.push(last);
        }
        let first: Vec<u32> = unreachable.iter().copied().take(PIXELS).collect();
        reply(&ProbesView {
            queries: queries.len(),
            totals: ProbeTotals::new(&self.report, &self.server),
            uncovered: uncovered.len(),
            unreachable: Rows(first),
            unreachable_rows: unreachable.len(),
            growth_queries: shown.iter().map(|&query| (query + 1) as f64).collect(),
            growth_requests: shown.iter().map(|&query| sums[query].0).collect(),
            growth_coverage: shown.iter().map(|&query| sums[query].1).collect(),
            growth_expected: shown.iter().map(|&query| sums[query].2).collect(),
        })
    }

    /// The order, pace and frequencies for one query per `interval`.
    #[wasm_bindgen(unchecked_return_type = "ProbeOrder")]
    pub fn order(&self, interval: f64) -> Thrown<JsValue> {
        let best = probe::order_queries(&self.groups, interval).map_err(thrown)?;
        let growth = probe::growth(&self.groups).map_err(thrown)?;
        let requests = self.requests();
        let often = probe::frequencies(&self.groups, &requests, 1.0 / interval).map_err(thrown)?;
        reply(&ProbeOrder { value: best.value, growth, alike: often.alike, cube_root: often.average })
    }

    /// The longest interval between queries for a target α; Infinity when any will do.
    pub fn pace(&self, alpha: f64) -> Thrown<f64> {
        probe::pace(&self.groups, alpha).map_err(thrown)
    }

    /// Some queries, sorted, with how often and when in a round to send each.
    #[wasm_bindgen(unchecked_return_type = "ProbePage")]
    pub fn page(&self, #[wasm_bindgen(unchecked_param_type = "QueriesQuery")] wanted: JsValue) -> Thrown<JsValue> {
        let wanted: QueriesQuery = read(wanted, "page")?;
        let often = probe::frequencies(&self.groups, &self.requests(), wanted.budget).map_err(thrown)?.frequency;
        let round = probe::order_queries(&self.groups, wanted.interval).map_err(thrown)?;
        let relation = &self.related.relation;
        let number = queries::wanted(&wanted, relation, &self.report, &round, &often);
        let of = |column: &[f64]| number.iter().map(|&query| column[query as usize]).collect();
        reply(&ProbePage {
            queries: number.iter().map(|&number| query(relation, &self.report, number as usize)).collect(),
            frequency: of(&often),
            place: of(&queries::places(&round.order)),
            a: of(&round.a),
            number: Rows(number),
        })
    }

    /// Starts to simulate content freshness over time with these queries: `budget` requests per unit of time, for so long,
    /// reported at so many times.
    #[wasm_bindgen(js_name = overTime)]
    pub fn over_time(&self, budget: f64, horizon: f64, points: usize, seed: f64) -> Thrown<OverTimeJob> {
        let relation = &self.related.relation;
        let or_ones = |column: Option<&[f64]>| column.map_or_else(|| vec![1.0; relation.len()], <[f64]>::to_vec);
        let scenario = Scenario {
            rate: or_ones(relation.rate()),
            weight: or_ones(relation.weight()),
            groups: self.report.groups.clone(),
            requests: self.requests(),
        };
        let seed = checked_seed(seed).map_err(thrown)?;
        Simulating::new(scenario, budget, horizon, points, seed).map(OverTimeJob::new).map_err(thrown)
    }

    /// The queries in the order of a round, as a file.
    pub fn text(&self, #[wasm_bindgen(unchecked_param_type = "QueriesFormat")] format: JsValue) -> Thrown<String> {
        let format = file_format(format, "Ask for \"csv\", \"json\" or \"text\".")?;
        let order = probe::order_queries(&self.groups, 1.0).map_err(thrown)?.order;
        let names: Vec<String> = self.related.attributes.iter().map(|attribute| attribute.name.clone()).collect();
        Ok(write::queries(format, &self.related.relation, &names, &self.report, &order))
    }

    /// The rows that a query is the first to refresh.
    #[wasm_bindgen(js_name = rowsOf)]
    pub fn rows_of(&self, query: usize) -> Thrown<Vec<u32>> {
        if query >= self.report.queries.len() {
            return Err(thrown(Problem::new(
                Kind::Value,
                format!("there is no query {query} (counting from 0)"),
                "Ask for one of the queries.",
            )));
        }
        Ok(self.report.groups.get(query).to_vec())
    }
}

/// A simulation of content freshness under way: `step()` until it is done, then `finish()`.
#[wasm_bindgen]
pub struct OverTimeJob(Simulating);

impl OverTimeJob {
    pub(super) fn new(job: Simulating) -> Self {
        Self(job)
    }
}

#[wasm_bindgen]
impl OverTimeJob {
    /// Does a little work.
    #[wasm_bindgen(unchecked_return_type = "Progress")]
    pub fn step(&mut self) -> Thrown<JsValue> {
        let fraction = self.0.step(CHANGES_A_STEP);
        reply(&Progress { fraction, done: fraction >= 1.0 })
    }

    /// The lines.
    #[wasm_bindgen(unchecked_return_type = "ContentFreshnessReply")]
    pub fn finish(self) -> Thrown<JsValue> {
        over_time_reply(self.0)
    }
}
