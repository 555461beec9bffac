//! `allocate`, `tradeoff` and `frequencyCurve`: how often to visit each item.

use serde::{Deserialize, Serialize};
use tsify::Tsify;
use wasm_bindgen::prelude::*;

use super::fields::{Column, Float64Array};
use super::items::ItemColumns;
use super::{Thrown, read, reply, thrown};
use crate::allocate::{self, Goal, Policy, PolicyCurve, Question};
use crate::change::Model;
use crate::problem::{Kind, Problem, Result};
use crate::staleness::{Metric, Order, Staleness};

/// What [`allocate`] is asked.
#[derive(Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct AllocateRequest {
    /// The items.
    items: ItemColumns,
    /// How they change; "poisson" unless given.
    #[serde(default)]
    #[tsify(optional)]
    model: Model,
    /// What is wanted; "freshness" unless given.
    #[serde(default)]
    #[tsify(optional)]
    metric: Metric,
    /// How visits are shared out; "optimal" unless given.
    #[serde(default)]
    #[tsify(optional)]
    policy: Policy,
    /// How regular the visits to an item are; "fixed" unless given.
    #[serde(default)]
    #[tsify(optional)]
    order: Order,
    /// Visits (times their cost) per unit of time that can be afforded; this or `target`.
    #[tsify(optional)]
    budget: Option<f64>,
    /// Weighted mean of the metric to reach with the least budget; this or `budget`.
    #[tsify(optional)]
    target: Option<f64>,
    /// Most visits (times cost) per unit of time for each host; `items.host` indexes it.
    #[tsify(optional)]
    host_caps: Option<Column>,
}

/// What [`allocate`] answers.
#[derive(Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct AllocateReply {
    /// Visits per unit of time for each item.
    frequency: Float64Array,
    /// What one more unit of budget buys: the fall of Σ count·weight·cost-of-staleness.
    price: f64,
    /// Budget used.
    spent: f64,
    /// Mean freshness, weighted by weight × count; NaN where undefined, like the next three.
    freshness: f64,
    /// Mean age.
    age: f64,
    /// Mean content staleness: the summed delays of all missed changes.
    content: f64,
    /// Mean harmonic penalty.
    harmonic: f64,
    /// Relative duality gap: no plan within the same limits can be better by more than this share. Tiny for the optimal
    /// policy; for the others it says how far they are from the optimum at most.
    gap: f64,
    /// How many entries get no visit.
    idle: usize,
    /// Price of each host; under the optimal policy above `price` where the host's cap binds, and equal to it elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[tsify(optional)]
    host_price: Option<Float64Array>,
}

/// How often to visit each item: the best freshness (or age, …) for a budget, or the least budget for a target.
///
/// ```js
/// const plan = allocate({ items: { rate: [1, 2, 3, 4, 5] }, budget: 5 });
/// plan.frequency; // [1.15, 1.36, 1.35, 1.14, 0]: the fastest is not worth a visit
/// plan.freshness; // 0.3739, proven optimal to within plan.gap
/// ```
///
/// Throws an `Error` with `kind`, `message`, `hint` and, where there is one, `row` and `column`.
#[wasm_bindgen(js_name = allocate, unchecked_return_type = "AllocateReply")]
pub fn allocate_call(#[wasm_bindgen(unchecked_param_type = "AllocateRequest")] request: JsValue) -> Thrown<JsValue> {
    let request: AllocateRequest = read(request, "allocate")?;
    let answer = answer_allocate(&request).map_err(thrown)?;
    reply(&AllocateReply {
        frequency: (&answer.frequency).into(),
        price: answer.price,
        spent: answer.spent,
        freshness: answer.averages.freshness,
        age: answer.averages.age,
        content: answer.averages.content,
        harmonic: answer.averages.harmonic,
        gap: answer.gap,
        idle: answer.idle,
        host_price: answer.host_price.as_ref().map(Into::into),
    })
}

fn answer_allocate(request: &AllocateRequest) -> Result<allocate::Allocation> {
    let goal = match (request.budget, request.target) {
        (Some(budget), None) => Goal::Budget(budget),
        (None, Some(target)) => Goal::Target(target),
        (both, _) => {
            return Err(Problem::new(
                Kind::Field,
                if both.is_some() {
                    "allocate takes exactly one of `budget` and `target`, not both"
                } else {
                    "allocate takes exactly one of `budget` and `target`, and here is none"
                },
                "Give `budget` to get the best plan for it, or `target` to get the least budget that reaches it.",
            )
            .in_column("budget"));
        }
    };
    let items = request.items.check(request.model)?;
    let host_caps = request.host_caps.as_ref().map(|caps| caps.numbers("hostCaps")).transpose()?.unwrap_or_default();
    let staleness = Staleness { metric: request.metric, order: request.order };
    allocate::allocate(&items, &Question { staleness, policy: request.policy, goal, host_caps })
}

/// What [`tradeoff`] is asked.
#[derive(Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct TradeoffRequest {
    /// The items.
    items: ItemColumns,
    /// How they change; "poisson" unless given.
    #[serde(default)]
    #[tsify(optional)]
    model: Model,
    /// What the optimal policy optimises; "freshness" unless given.
    #[serde(default)]
    #[tsify(optional)]
    metric: Metric,
    /// How regular visits are; "fixed" unless given.
    #[serde(default)]
    #[tsify(optional)]
    order: Order,
    /// The budgets to answer for.
    budgets: Column,
}

/// One policy along the budgets.
#[derive(Serialize, Tsify)]
pub struct TradeoffCurve {
    /// Mean freshness at each budget.
    freshness: Float64Array,
    /// Mean age at each budget.
    age: Float64Array,
}

impl From<&PolicyCurve> for TradeoffCurve {
    fn from(curve: &PolicyCurve) -> Self {
        Self { freshness: (&curve.freshness).into(), age: (&curve.age).into() }
    }
}

/// What [`tradeoff`] answers.
#[derive(Serialize, Tsify)]
pub struct TradeoffReply {
    /// The budgets, as asked.
    budget: Float64Array,
    /// What one more unit of budget buys the optimal policy.
    price: Float64Array,
    /// All alike.
    uniform: TradeoffCurve,
    /// In proportion to the rate of change.
    proportional: TradeoffCurve,
    /// The best for the metric.
    optimal: TradeoffCurve,
}

impl From<&allocate::Tradeoff> for TradeoffReply {
    fn from(tradeoff: &allocate::Tradeoff) -> Self {
        Self {
            budget: (&tradeoff.budget).into(),
            price: (&tradeoff.price).into(),
            uniform: (&tradeoff.uniform).into(),
            proportional: (&tradeoff.proportional).into(),
            optimal: (&tradeoff.optimal).into(),
        }
    }
}

/// Freshness and age of the three policies along a list of budgets.
///
/// ```js
/// const { budget, optimal } = tradeoff({ items: { rate: [9, 1] }, budgets: [1, 2, 5, 10] });
/// ```
#[wasm_bindgen(js_name = tradeoff, unchecked_return_type = "TradeoffReply")]
pub fn tradeoff_call(#[wasm_bindgen(unchecked_param_type = "TradeoffRequest")] request: JsValue) -> Thrown<JsValue> {
    let request: TradeoffRequest = read(request, "tradeoff")?;
    let answer = request
        .items
        .check(request.model)
        .and_then(|items| {
            let budgets = request.budgets.numbers("budgets")?;
            let staleness = Staleness { metric: request.metric, order: request.order };
            allocate::tradeoff(&items, staleness, &budgets)
        })
        .map_err(thrown)?;
    reply(&TradeoffReply::from(&answer))
}

/// What [`frequencyCurve`] is asked.
#[derive(Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct FrequencyCurveRequest {
    /// What is wanted; "freshness" unless given.
    #[serde(default)]
    #[tsify(optional)]
    metric: Metric,
    /// How items change; "poisson" unless given.
    #[serde(default)]
    #[tsify(optional)]
    model: Model,
    /// Weibull's shape, or the Gamma's shape α (with β = α / rate) for Gamma–Poisson.
    #[tsify(optional)]
    shape: Option<f64>,
    /// How regular visits are; "fixed" unless given.
    #[serde(default)]
    #[tsify(optional)]
    order: Order,
    /// What a visit must buy to be worth it, > 0.
    price: f64,
    /// Largest rate of the curve, > 0.
    max_rate: f64,
    /// How many rates, equally spaced from 0 to `maxRate`.
    points: usize,
}

/// A point of the frequency curve.
#[derive(Serialize, Tsify)]
pub struct CurvePoint {
    /// Rate of change.
    rate: f64,
    /// Best frequency of visits.
    frequency: f64,
}

/// What [`frequencyCurve`] answers.
#[derive(Serialize, Tsify)]
pub struct FrequencyCurveReply {
    /// Rates of change.
    rate: Float64Array,
    /// The best frequency for each.
    frequency: Float64Array,
    /// Where the frequency is largest; absent where it grows without end.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[tsify(optional)]
    peak: Option<CurvePoint>,
    /// From this rate on no visit is worth it; Infinity where there is no such rate.
    cutoff: f64,
}

/// The best frequency as a function of the rate of change, at a price: it rises, peaks, and falls to zero at the cut-off.
///
/// ```js
/// const curve = frequencyCurve({ price: 1, maxRate: 1.2, points: 200 });
/// curve.peak; // { rate: 0.535, frequency: 0.298 }; curve.cutoff is 1
/// ```
#[wasm_bindgen(js_name = frequencyCurve, unchecked_return_type = "FrequencyCurveReply")]
pub fn frequency_curve_call(
    #[wasm_bindgen(unchecked_param_type = "FrequencyCurveRequest")] request: JsValue,
) -> Thrown<JsValue> {
    let request: FrequencyCurveRequest = read(request, "frequencyCurve")?;
    let staleness = Staleness { metric: request.metric, order: request.order };
    let curve = allocate::frequency_curve(
        staleness,
        request.model,
        request.shape,
        request.price,
        request.max_rate,
        request.points,
    )
    .map_err(thrown)?;
    reply(&FrequencyCurveReply {
        rate: (&curve.rate).into(),
        frequency: (&curve.frequency).into(),
        peak: curve.peak.map(|(rate, frequency)| CurvePoint { rate, frequency }),
        cutoff: curve.cutoff,
    })
}
