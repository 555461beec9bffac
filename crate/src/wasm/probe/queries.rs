//! `probes`: few keyword queries that refresh what matters.

use serde::{Deserialize, Serialize};
use tsify::Tsify;
use wasm_bindgen::prelude::*;

use super::raw::Raw;
use super::server::ServerFields;
use super::wrong;
use crate::probe::{Calibration, Counts, Currency, Job, Knobs, Relation, Report, Server, Source, Staleness};
use crate::problem::Result;
use crate::wasm::fields::{Column, Uint32Array};
use crate::wasm::{Thrown, read, reply, thrown};

/// When to stop besides full coverage.
#[derive(Default, Deserialize, Tsify)]
pub struct StopFields {
    /// The most queries.
    #[tsify(optional)]
    queries: Option<usize>,
    /// The most requests; a query that would exceed them ends the run.
    #[tsify(optional)]
    requests: Option<f64>,
    /// The share of the rows that is enough.
    #[tsify(optional)]
    coverage: Option<f64>,
}

/// What [`probes`] is asked. The page gives a loaded relation only what comes after `server`.
#[derive(Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct ProbesRequest {
    /// The keywords of each row.
    #[tsify(optional, type = "string[][]")]
    rows: Option<Raw>,
    /// Importance of each row; 1 unless given.
    #[tsify(optional)]
    weight: Option<Column>,
    /// Changes per unit of time of each row; 1 unless given.
    #[tsify(optional)]
    rate: Option<Column>,
    /// Time since the last sync of each row; 1 unless given.
    #[tsify(optional)]
    elapsed: Option<Column>,
    /// What is known of the server; without it every keyword is taken to be as rare there as here.
    #[tsify(optional)]
    server: Option<ServerFields>,
    /// How stale a row is, t after its sync: "quadratic" ½λt² unless given, "linear" λt, or "unit" 1.
    #[serde(default)]
    #[tsify(optional)]
    staleness: Staleness,
    /// 1: read all result pages (unless given); 2: the first page only.
    #[tsify(optional, type = "1 | 2")]
    method: Option<u8>,
    /// Results on a page; 10 unless given.
    #[tsify(optional)]
    page_size: Option<f64>,
    /// The most results that the site returns; no limit unless given.
    #[tsify(optional)]
    result_cap: Option<f64>,
    /// What method 1 pays for: "tuples" transmitted (the paper's Eqn 2) unless given, or "requests" sent.
    #[serde(default)]
    #[tsify(optional)]
    cost: Currency,
    /// The most keywords of a query, 1 to 3; 2 unless given.
    #[tsify(optional)]
    max_terms: Option<usize>,
    /// How many of the most frequent keywords each round considers; all unless given.
    #[tsify(optional)]
    top_k: Option<usize>,
    /// When to stop; at full coverage unless given.
    #[serde(default)]
    #[tsify(optional)]
    stop: StopFields,
}

impl ProbesRequest {
    pub(in crate::wasm) fn knobs(&self) -> Knobs {
        let usual = Knobs::default();
        Knobs {
            staleness: self.staleness,
            method: self.method.unwrap_or(usual.method),
            page_size: self.page_size.unwrap_or(usual.page_size),
            result_cap: self.result_cap,
            cost: self.cost,
            max_terms: self.max_terms.unwrap_or(usual.max_terms),
            top_k: self.top_k,
            queries: self.stop.queries,
            requests: self.stop.requests,
            coverage: self.stop.coverage,
        }
    }
}

/// A query to send.
#[derive(Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct ProbeQuery {
    /// Its keywords.
    terms: Vec<String>,
    /// The rows that it is the first to refresh.
    rows: Uint32Array,
    /// How many rows match it, those refreshed before included.
    matches: usize,
    /// What the rows are worth: Σ weight × staleness.
    gain: f64,
    /// How many tuples of the server match it.
    server_count: f64,
    /// Where that count comes from.
    source: Source,
    /// Requests it takes.
    requests: f64,
    /// Expected gain over cost, by which it was chosen.
    score: f64,
}

/// What [`probes`] answers.
#[derive(Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct ProbesReply {
    /// The queries, in the order they were chosen.
    queries: Vec<ProbeQuery>,
    #[serde(flatten)]
    totals: ProbeTotals,
    /// Rows that no query refreshes.
    uncovered: Uint32Array,
    /// Those of them that none can: they have no keywords.
    unreachable: Uint32Array,
}

/// How good the queries are.
#[derive(Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct ProbeTotals {
    /// The share of rows that match a query.
    coverage: f64,
    /// The share of rows expected among the results that are read.
    expected_coverage: f64,
    /// Requests sent.
    requests: f64,
    /// Tuples transmitted.
    tuples: f64,
    /// Requests per refreshed row; NaN if no row is.
    requests_per_row: f64,
    /// How many times fewer requests than asking for each refreshed row by its ID.
    speedup: f64,
    /// What the queries cost, in `costUnit`.
    cost: f64,
    /// "tuples" or "requests".
    cost_unit: Currency,
    /// No queries, whatever `topK`, bring the same expected gain for less than this, given the same server counts.
    lower_bound: f64,
    /// `cost` is at most so many times the least.
    ratio: f64,
    /// How many of the rows that no query refreshes have keywords but nothing to gain: their weight, rate or age is 0.
    worthless: usize,
    /// Set where conjunctions were formed only from so many of the most frequent keywords of each row.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[tsify(optional)]
    width: Option<usize>,
    /// How the sample's scale factor was fitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[tsify(optional)]
    calibration: Option<Calibration>,
    /// How many tuples of the server one of the sample stands for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[tsify(optional)]
    scale: Option<f64>,
    /// How many tuples the server is taken to have.
    server_size: f64,
}

impl ProbeTotals {
    pub(in crate::wasm) fn new(report: &Report, server: &Server) -> Self {
        Self {
            coverage: report.coverage,
            expected_coverage: report.expected_coverage,
            requests: report.requests,
            tuples: report.tuples,
            requests_per_row: report.requests_per_row,
            speedup: report.speedup,
            cost: report.cost,
            cost_unit: if report.in_requests { Currency::Requests } else { Currency::Tuples },
            lower_bound: report.lower_bound,
            ratio: report.ratio,
            worthless: report.worthless,
            width: report.width,
            calibration: server.calibration,
            scale: server.scale(),
            server_size: server.size(),
        }
    }
}

/// One query of a report, for JavaScript.
pub(in crate::wasm) fn query(relation: &Relation, report: &Report, number: usize) -> ProbeQuery {
    let probe = &report.queries[number];
    ProbeQuery {
        terms: probe.terms.iter().map(|&term| relation.vocabulary().text(term).into()).collect(),
        rows: report.groups.get(number).into(),
        matches: probe.local,
        gain: probe.gain,
        server_count: probe.server,
        source: probe.source,
        requests: probe.requests,
        score: probe.score,
    }
}

/// Few keyword queries that refresh what matters, and how far they are from the cheapest.
///
/// ```js
/// const { queries, coverage, ratio } = probes({
///   rows: [["web", "crawling"], ["web", "search"], ["mining"]],
///   server: { size: 1e6, counts: { web: 90000, crawling: 800, search: 20000, mining: 4000 } },
/// });
/// queries[0].terms; // ["crawling", "web"]: few results, and one of them is a row
/// ```
#[wasm_bindgen(js_name = probes, unchecked_return_type = "ProbesReply")]
pub fn probes_call(
    #[wasm_bindgen(unchecked_param_type = "ProbesRequest & { rows: string[][] }")] request: JsValue,
) -> Thrown<JsValue> {
    let request: ProbesRequest = read(request, "probes")?;
    answer_probes(&request).map_err(thrown).and_then(|answer| reply(&answer))
}

fn answer_probes(request: &ProbesRequest) -> Result<ProbesReply> {
    let Some(rows) = &request.rows else {
        return Err(wrong("rows", "probes needs `rows`".into(), "Give the keywords of each row."));
    };
    let numbers = |column: &Option<Column>, name: &str| column.as_ref().map(|c| c.numbers(name)).transpose();
    let relation = Relation::new(
        rows.rows()?,
        numbers(&request.weight, "weight")?,
        numbers(&request.rate, "rate")?,
        numbers(&request.elapsed, "elapsed")?,
    )?;
    let server = match &request.server {
        Some(server) => server.server(&relation)?,
        None => relation.server(Counts::default(), None, None)?,
    };
    let report = Job::new(&relation, server.clone(), &request.knobs())?.finish();
    Ok(ProbesReply {
        queries: (0..report.queries.len()).map(|number| query(&relation, &report, number)).collect(),
        totals: ProbeTotals::new(&report, &server),
        uncovered: (&report.uncovered).into(),
        unreachable: (&report.unreachable).into(),
    })
}
