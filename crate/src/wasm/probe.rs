//! `probes`, `orderQueries`, `pace`, `queryFrequencies` and `contentFreshness`: refreshing a relation through keyword search.

use serde::{Deserialize, Deserializer, Serialize};
use tsify::Tsify;
use wasm_bindgen::prelude::*;

use super::fields::{Column, Float64Array, Uint32Array, describe};
use super::simulate::seed;
use super::writing::passed;
use super::{Thrown, read, reply, thrown};
use crate::ingest::unescape;
use crate::probe::over_time::{Line, Scenario, Simulating};
use crate::probe::{
    self, Calibration, Collector, Counts, Currency, Groups, Job, Knobs, Lists, Relation, Report, Source, Staleness,
    Vocabulary,
};
use crate::problem::{Kind, Problem, Result};

/// A value that is read by hand, because it is large and of text.
#[derive(Debug)]
struct Raw(JsValue);

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        passed(deserializer).map(Self)
    }
}

fn wrong(column: &str, message: String, hint: &str) -> Problem {
    Problem::new(Kind::Field, message, hint).in_column(column)
}

impl Raw {
    fn list(&self, name: &str) -> Result<&js_sys::Array> {
        self.0
            .dyn_ref()
            .ok_or_else(|| wrong(name, format!("`{name}` is {}, not an array", describe(&self.0)), "Pass an array."))
    }

    /// Rows of keywords. A million texts cross as one, written as JSON: one by one they take four times as long.
    fn rows(&self) -> Result<Collector> {
        self.list("rows")?;
        let text = js_sys::JSON::stringify(&self.0).ok().and_then(|text| text.as_string()).unwrap_or_default();
        let mut collector = Collector::default();
        let (mut at, mut row) = (1, 0);
        let mut keyword = String::new();
        let bytes = text.as_bytes();
        while bytes.get(at).is_some_and(|&byte| byte != b']') {
            let fault = |what: &str| {
                let hint = "Give each row the array of its keywords: [[\"web\", \"crawling\"], [\"web\"]].";
                wrong("rows", format!("row {row} (counting from 0) {what}"), hint).at_row(row)
            };
            if bytes[at] != b'[' {
                return Err(fault("is not an array"));
            }
            at += 1;
            while bytes.get(at).is_some_and(|&byte| byte != b']') {
                if bytes[at] != b'"' {
                    return Err(fault("has a keyword that is not a text"));
                }
                keyword.clear();
                let mut start = at + 1;
                loop {
                    // Neither a quote nor a backslash is ever a part of another character.
                    let special = |byte: &u8| matches!(byte, b'"' | b'\\');
                    let Some(length) = bytes[start..].iter().position(special) else { return Err(fault("has no end")) };
                    keyword.push_str(&text[start..start + length]);
                    start += length + 1;
                    if bytes[start - 1] == b'"' {
                        break;
                    }
                    let Some((c, length)) = unescape(&bytes[start..]) else { return Err(fault("has no end")) };
                    keyword.push(c);
                    start += length;
                }
                collector.cell(0, &keyword, probe::Cut::Whole)?;
                at = start + usize::from(bytes.get(start) == Some(&b','));
            }
            collector.end_row();
            row += 1;
            at += 1 + usize::from(bytes.get(at + 1) == Some(&b','));
        }
        Ok(collector)
    }

    /// A record of keyword → count.
    fn counts(&self, vocabulary: &Vocabulary, counts: &mut Counts) -> Result<()> {
        let hint = "Give an object of keyword: count, such as { web: 120000, crawling: 900 }.";
        if !self.0.is_object() || js_sys::Array::is_array(&self.0) {
            return Err(wrong("counts", format!("`counts` is {}, not an object", describe(&self.0)), hint));
        }
        for entry in js_sys::Object::entries(self.0.unchecked_ref()).iter() {
            let entry: js_sys::Array = entry.unchecked_into();
            let (keyword, count) = (entry.get(0).as_string().unwrap_or_default(), entry.get(1));
            let Some(count) = count.as_f64() else {
                let message = format!("the count of {keyword:?} is {}, not a number", describe(&count));
                return Err(wrong("counts", message, hint));
            };
            counts.keyword(vocabulary, 0, keyword.trim(), count)?;
        }
        Ok(())
    }

    /// Pairs and their counts.
    fn pairs(&self, vocabulary: &Vocabulary, counts: &mut Counts) -> Result<()> {
        for (number, pair) in self.list("pairs")?.iter().enumerate() {
            let parts = pair.dyn_ref::<js_sys::Array>().filter(|pair| pair.length() == 3);
            let parts = parts
                .and_then(|pair| Some((pair.get(0).as_string()?, pair.get(1).as_string()?, pair.get(2).as_f64()?)));
            let Some((a, b, count)) = parts else {
                let message = format!("pair {number} (counting from 0) is not two texts and a number");
                return Err(wrong("pairs", message, "Write each as [\"web\", \"crawling\", 450].").at_row(number));
            };
            counts.pair(vocabulary, (0, a.trim()), (0, b.trim()), count)?;
        }
        Ok(())
    }

    /// Groups of rows.
    fn groups(&self) -> Result<Lists> {
        let mut groups = Lists::default();
        for group in self.list("groups")?.iter() {
            Column::from(group).indices("groups")?.into_iter().for_each(|row| groups.push(row));
            groups.end_list();
        }
        Ok(groups)
    }
}

/// What is known of the server.
#[derive(Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct ServerFields {
    /// How many tuples it has.
    #[tsify(optional)]
    size: Option<f64>,
    /// How many of them match each keyword; keywords that no row has are ignored.
    #[tsify(type = "Record<string, number>")]
    counts: Raw,
    /// How many match two keywords.
    #[tsify(optional, type = "[string, string, number][]")]
    pairs: Option<Raw>,
    /// Without `sample`: `counts`, `pairs` and `size` are those of a sample, and one tuple of it stands for so many of the server.
    /// With `sample`: the factor of the sample's counts; fitted to `counts` unless given.
    #[tsify(optional)]
    scale: Option<f64>,
    /// Counts of a sample corpus, for what `counts` and `pairs` do not say.
    #[tsify(optional)]
    sample: Option<SampleFields>,
}

/// Counts of a sample corpus.
#[derive(Deserialize, Tsify)]
pub struct SampleFields {
    /// How many tuples it has.
    #[tsify(optional)]
    size: Option<f64>,
    /// How many of them match each keyword.
    #[tsify(type = "Record<string, number>")]
    counts: Raw,
    /// How many match two keywords.
    #[tsify(optional, type = "[string, string, number][]")]
    pairs: Option<Raw>,
}

fn counts(vocabulary: &Vocabulary, size: Option<f64>, counts: &Raw, pairs: Option<&Raw>) -> Result<Counts> {
    let mut all = Counts::new(size)?;
    counts.counts(vocabulary, &mut all)?;
    if let Some(pairs) = pairs {
        pairs.pairs(vocabulary, &mut all)?;
    }
    Ok(all)
}

impl ServerFields {
    fn server(&self, relation: &Relation) -> Result<std::sync::Arc<probe::Server>> {
        let vocabulary = relation.vocabulary();
        let own = counts(vocabulary, self.size, &self.counts, self.pairs.as_ref())?;
        match (&self.sample, self.scale) {
            (Some(sample), scale) => {
                let sample = counts(vocabulary, sample.size, &sample.counts, sample.pairs.as_ref())?;
                relation.server(own, Some(sample), scale)
            }
            (None, Some(scale)) => relation.server(Counts::default(), Some(own), Some(scale)),
            (None, None) => relation.server(own, None, None),
        }
    }
}

/// When to stop besides full coverage.
#[derive(Default, Deserialize, Tsify)]
pub struct StopFields {
    /// The most queries.
    #[tsify(optional)]
    pub(super) queries: Option<usize>,
    /// The most requests; a query that would exceed them ends the run.
    #[tsify(optional)]
    pub(super) requests: Option<f64>,
    /// The share of the rows that is enough.
    #[tsify(optional)]
    pub(super) coverage: Option<f64>,
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
    pub(super) fn knobs(&self) -> Knobs {
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
    /// No queries refresh the same rows for less than this, given the same server counts.
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
    /// How many tuples the server is taken to have.
    server_size: f64,
}

impl ProbeTotals {
    pub(super) fn new(report: &Report, server: &probe::Server) -> Self {
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
            server_size: server.size(),
        }
    }
}

/// One query of a report, for JavaScript.
pub(super) fn query(relation: &Relation, report: &Report, number: usize) -> ProbeQuery {
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

/// Queries as the groups of rows that they refresh, and what one of the calls asks about them.
#[derive(Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct GroupsRequest {
    /// The rows that each query refreshes; a row that several name belongs to the first.
    #[tsify(optional, type = "Column[]")]
    groups: Option<Raw>,
    /// Changes per unit of time of each row.
    #[tsify(optional)]
    rate: Option<Column>,
    /// Importance of each row; 1 unless given.
    #[tsify(optional)]
    weight: Option<Column>,
    /// The requests that each query takes; 1 unless given. For `queryFrequencies` and `contentFreshness`.
    #[tsify(optional)]
    requests: Option<Column>,
    /// `orderQueries`: the time between two queries.
    #[tsify(optional)]
    interval: Option<f64>,
    /// `pace`: the share of its unhindered growth that content freshness may reach.
    #[tsify(optional)]
    alpha: Option<f64>,
    /// Requests per unit of time, for `queryFrequencies` and `contentFreshness`; 10 for the latter unless given.
    #[tsify(optional)]
    budget: Option<f64>,
    /// `contentFreshness`: how long; 500 unless given.
    #[tsify(optional)]
    horizon: Option<f64>,
    /// `contentFreshness`: times to report on; 501 unless given, 2,000 at most.
    #[tsify(optional)]
    points: Option<usize>,
    /// `contentFreshness`: the same seed gives the same run, to the bit.
    #[tsify(optional)]
    seed: Option<f64>,
}

impl GroupsRequest {
    fn groups(&self, what: &str) -> Result<Groups> {
        let (Some(groups), Some(rate)) = (&self.groups, &self.rate) else {
            let hint = "Give the rows that each query refreshes, and the rate of each row.";
            return Err(wrong("groups", format!("{what} needs `groups` and `rate`"), hint));
        };
        let weight = self.weight.as_ref().map(|column| column.numbers("weight")).transpose()?;
        Groups::new(&groups.groups()?, weight.as_deref(), &rate.numbers("rate")?)
    }

    fn simulation(&self) -> Result<Simulating> {
        let seed = seed(needed(self.seed, "seed", "contentFreshness")?)?;
        let scenario = match (&self.groups, &self.rate) {
            (Some(groups), Some(rate)) => {
                let (groups, rate) = (groups.groups()?, rate.numbers("rate")?);
                Scenario {
                    weight: or_ones(self.weight.as_ref(), "weight", rate.len())?,
                    requests: or_ones(self.requests.as_ref(), "requests", groups.len())?,
                    groups,
                    rate,
                }
            }
            (None, None) => Scenario::citations(1_000, 200, seed)?,
            _ => {
                let hint = "Leave out both for the synthetic citations of the paper.";
                return Err(wrong(
                    "groups",
                    "contentFreshness takes both `groups` and `rate`, or neither".into(),
                    hint,
                ));
            }
        };
        let (budget, horizon) = (self.budget.unwrap_or(10.0), self.horizon.unwrap_or(500.0));
        Simulating::new(scenario, budget, horizon, self.points.unwrap_or(501), seed)
    }
}

fn or_ones(column: Option<&Column>, name: &str, length: usize) -> Result<Vec<f64>> {
    column.map_or_else(|| Ok(vec![1.0; length]), |column| column.numbers(name))
}

fn needed(value: Option<f64>, name: &str, what: &str) -> Result<f64> {
    value.ok_or_else(|| wrong(name, format!("{what} needs `{name}`"), "Compare the request with the type declaration."))
}

/// What [`orderQueries`] answers.
#[derive(Serialize, Tsify)]
pub struct OrderReply {
    /// Which query goes out first, second, ….
    order: Uint32Array,
    /// aᵢ of each query: what its rows gather in one interval.
    a: Float64Array,
    /// The expected content freshness at the end of the round.
    value: f64,
}

/// The order of queries that leaves the relation freshest at the end of a round.
///
/// ```js
/// orderQueries({ groups: [[0, 1], [2, 3]], rate: [1, 2, 3, 4], interval: 1 }).value; // 0.375
/// ```
#[wasm_bindgen(js_name = orderQueries, unchecked_return_type = "OrderReply")]
pub fn order_queries_call(#[wasm_bindgen(unchecked_param_type = "OrderRequest")] request: JsValue) -> Thrown<JsValue> {
    let request: GroupsRequest = read(request, "orderQueries")?;
    let best = needed(request.interval, "interval", "orderQueries")
        .and_then(|interval| probe::order_queries(&request.groups("orderQueries")?, interval))
        .map_err(thrown)?;
    reply(&OrderReply { order: (&best.order).into(), a: (&best.a).into(), value: best.value })
}

/// What [`pace`] answers.
#[derive(Serialize, Tsify)]
pub struct PaceReply {
    /// The longest time between two queries; Infinity when one query refreshes all that changes.
    interval: f64,
}

/// The slowest pace that keeps content freshness at the end of a round within `alpha` of its growth without any query.
#[wasm_bindgen(js_name = pace, unchecked_return_type = "PaceReply")]
pub fn pace_call(#[wasm_bindgen(unchecked_param_type = "PaceRequest")] request: JsValue) -> Thrown<JsValue> {
    let request: GroupsRequest = read(request, "pace")?;
    let interval = needed(request.alpha, "alpha", "pace")
        .and_then(|alpha| probe::pace(&request.groups("pace")?, alpha))
        .map_err(thrown)?;
    reply(&PaceReply { interval })
}

/// What [`queryFrequencies`] answers.
#[derive(Serialize, Tsify)]
pub struct FrequenciesReply {
    /// How often to send each query.
    frequency: Float64Array,
    /// The content freshness that keeps on average.
    average: f64,
    /// The same when all queries are sent equally often, in any order.
    alike: f64,
}

/// How often to send each query in the long run: in proportion to the cube root of what changes per request.
#[wasm_bindgen(js_name = queryFrequencies, unchecked_return_type = "FrequenciesReply")]
pub fn query_frequencies_call(
    #[wasm_bindgen(unchecked_param_type = "FrequenciesRequest")] request: JsValue,
) -> Thrown<JsValue> {
    let request: GroupsRequest = read(request, "queryFrequencies")?;
    let best = needed(request.budget, "budget", "queryFrequencies")
        .and_then(|budget| {
            let groups = request.groups("queryFrequencies")?;
            let requests = or_ones(request.requests.as_ref(), "requests", groups.len())?;
            probe::frequencies(&groups, &requests, budget)
        })
        .map_err(thrown)?;
    reply(&FrequenciesReply { frequency: (&best.frequency).into(), average: best.average, alike: best.alike })
}

#[wasm_bindgen(typescript_custom_section)]
const REQUESTS: &str = r#"type GroupFields = { groups: Column[]; rate: Column; weight?: Column };
/** What orderQueries is asked. */
export type OrderRequest = GroupFields & { interval: number };
/** What pace is asked. */
export type PaceRequest = GroupFields & { alpha: number };
/** What queryFrequencies is asked. */
export type FrequenciesRequest = GroupFields & { budget: number; requests?: Column };
/** What contentFreshness is asked: groups and rate, or neither for the citations of the paper's section 5.2. */
export type ContentFreshnessRequest = Omit<GroupsRequest, "interval" | "alpha" | "seed"> & { seed: number };"#;

/// Content freshness over time under one way of sending queries.
#[derive(Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct FreshnessLine {
    /// In the run, at each time.
    simulated: Float64Array,
    /// Expected, at each time.
    expected: Float64Array,
    /// Mean of the run.
    mean: f64,
    /// Mean of what is expected.
    mean_expected: f64,
}

impl From<&Line> for FreshnessLine {
    fn from(line: &Line) -> Self {
        let Line { simulated, expected, mean, mean_expected } = line;
        Self { simulated: simulated.into(), expected: expected.into(), mean: *mean, mean_expected: *mean_expected }
    }
}

/// What [`contentFreshness`] answers.
#[derive(Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct ContentFreshnessReply {
    /// The times.
    time: Float64Array,
    /// By ID, all rows in turn.
    naive1: FreshnessLine,
    /// By ID, only rows that change less than once per unit of time.
    naive2: FreshnessLine,
    /// The queries in the paper's order.
    greedy: FreshnessLine,
    /// The queries at cube-root frequencies.
    cube_root: FreshnessLine,
}

/// The reply of a finished run.
pub(super) fn over_time_reply(job: Simulating) -> Thrown<JsValue> {
    let run = job.finish();
    let [naive1, naive2, greedy, cube_root] = run.lines.as_slice() else {
        return Err(thrown(Problem::new(Kind::Internal, "a line is missing", "This is a bug in Afresh.")));
    };
    reply(&ContentFreshnessReply {
        time: (&run.time).into(),
        naive1: naive1.into(),
        naive2: naive2.into(),
        greedy: greedy.into(),
        cube_root: cube_root.into(),
    })
}

/// Content freshness over time under four ways of sending the same number of requests: a seeded run and what is expected.
///
/// ```js
/// const { time, naive1, greedy } = contentFreshness({ seed: 1 }); // the paper's 1,000 citations
/// ```
#[wasm_bindgen(js_name = contentFreshness, unchecked_return_type = "ContentFreshnessReply")]
pub fn content_freshness_call(
    #[wasm_bindgen(unchecked_param_type = "ContentFreshnessRequest")] request: JsValue,
) -> Thrown<JsValue> {
    let request: GroupsRequest = read(request, "contentFreshness")?;
    over_time_reply(request.simulation().map_err(thrown)?)
}

/// Starts the simulation that [`contentFreshness`] makes at once.
#[wasm_bindgen(js_name = startContentFreshness)]
pub fn start_content_freshness(
    #[wasm_bindgen(unchecked_param_type = "ContentFreshnessRequest")] request: JsValue,
) -> Thrown<super::probe_lab::OverTimeJob> {
    let request: GroupsRequest = read(request, "contentFreshness")?;
    request.simulation().map(super::probe_lab::OverTimeJob::new).map_err(thrown)
}
