//! `orderQueries`, `pace` and `queryFrequencies`: when to send queries that are known by the rows that they refresh.

use serde::{Deserialize, Serialize};
use tsify::Tsify;
use wasm_bindgen::prelude::*;

use super::raw::Raw;
use super::wrong;
use crate::probe::{self, Groups};
use crate::problem::Result;
use crate::wasm::fields::{Column, Float64Array, Uint32Array};
use crate::wasm::{Thrown, read, reply, thrown};

/// Queries as the groups of rows that they refresh, and what one of the calls asks about them.
#[derive(Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct GroupsRequest {
    /// The rows that each query refreshes; a row that several name belongs to the first.
    #[tsify(optional, type = "Column[]")]
    pub(super) groups: Option<Raw>,
    /// Changes per unit of time of each row.
    #[tsify(optional)]
    pub(super) rate: Option<Column>,
    /// Importance of each row; 1 unless given.
    #[tsify(optional)]
    pub(super) weight: Option<Column>,
    /// The requests that each query takes; 1 unless given. For `queryFrequencies` and `contentFreshness`.
    #[tsify(optional)]
    pub(super) requests: Option<Column>,
    /// `orderQueries`: the time between two queries.
    #[tsify(optional)]
    interval: Option<f64>,
    /// `pace`: the share of its unhindered growth that content freshness may reach.
    #[tsify(optional)]
    alpha: Option<f64>,
    /// Requests per unit of time, for `queryFrequencies` and `contentFreshness`; 10 for the latter unless given.
    #[tsify(optional)]
    pub(super) budget: Option<f64>,
    /// `contentFreshness`: how long; 500 unless given.
    #[tsify(optional)]
    pub(super) horizon: Option<f64>,
    /// `contentFreshness`: times to report on; 501 unless given, 2,000 at most.
    #[tsify(optional)]
    pub(super) points: Option<usize>,
    /// `contentFreshness`: the same seed gives the same run, to the bit.
    #[tsify(optional)]
    pub(super) seed: Option<f64>,
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
}

pub(super) fn or_ones(column: Option<&Column>, name: &str, length: usize) -> Result<Vec<f64>> {
    column.map_or_else(|| Ok(vec![1.0; length]), |column| column.numbers(name))
}

pub(super) fn needed(value: Option<f64>, name: &str, what: &str) -> Result<f64> {
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
