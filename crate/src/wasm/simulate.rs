//! `simulate`: a plan at work, by seeded Monte Carlo.

use serde::{Deserialize, Serialize};
use tsify::Tsify;
use wasm_bindgen::prelude::*;

use super::fields::{Column, Float64Array};
use super::items::ItemColumns;
use super::{Thrown, read, reply, thrown};
use crate::change::Model;
use crate::problem::{Kind, Problem, Result};
use crate::replay::{self, Simulation};
use crate::staleness::Order;

/// What [`simulate`] is asked.
#[derive(Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct SimulateRequest {
    /// The items.
    items: ItemColumns,
    /// Visits per unit of time for each item.
    frequency: Column,
    /// How they change; "poisson" unless given.
    #[serde(default)]
    #[tsify(optional)]
    model: Model,
    /// How regular visits are; "fixed" unless given.
    #[serde(default)]
    #[tsify(optional)]
    order: Order,
    /// How long each run is.
    horizon: f64,
    /// The same seed gives the same runs, to the bit.
    seed: f64,
    /// How many runs.
    runs: usize,
    /// How many times to report on, equally spaced.
    points: usize,
}

/// What [`simulate`] answers; `Low` and `High` bound where 95 % of single runs lie at that time, `mean…Low` and `mean…High`
/// are the 95 % interval of the mean over time.
#[derive(Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct SimulateReply {
    /// The times reported on.
    time: Float64Array,
    /// Mean freshness over the runs at each time.
    freshness: Float64Array,
    /// Lower end of its 95 % band.
    freshness_low: Float64Array,
    /// Upper end of its 95 % band.
    freshness_high: Float64Array,
    /// Mean age over the runs at each time.
    age: Float64Array,
    /// Lower end of its 95 % band.
    age_low: Float64Array,
    /// Upper end of its 95 % band.
    age_high: Float64Array,
    /// Freshness averaged over time and runs.
    mean_freshness: f64,
    /// Lower end of its 95 % interval.
    mean_freshness_low: f64,
    /// Upper end of its 95 % interval.
    mean_freshness_high: f64,
    /// Age averaged over time and runs.
    mean_age: f64,
    /// Lower end of its 95 % interval.
    mean_age_low: f64,
    /// Upper end of its 95 % interval.
    mean_age_high: f64,
    /// Runs made.
    runs: usize,
    /// The seed used.
    seed: f64,
}

impl From<&Simulation> for SimulateReply {
    fn from(simulation: &Simulation) -> Self {
        Self {
            time: (&simulation.time).into(),
            freshness: (&simulation.freshness).into(),
            freshness_low: (&simulation.freshness_low).into(),
            freshness_high: (&simulation.freshness_high).into(),
            age: (&simulation.age).into(),
            age_low: (&simulation.age_low).into(),
            age_high: (&simulation.age_high).into(),
            mean_freshness: simulation.mean_freshness,
            mean_freshness_low: simulation.mean_freshness_low,
            mean_freshness_high: simulation.mean_freshness_high,
            mean_age: simulation.mean_age,
            mean_age_low: simulation.mean_age_low,
            mean_age_high: simulation.mean_age_high,
            runs: simulation.runs,
            seed: simulation.seed as f64,
        }
    }
}

/// A plan at work: seeded runs of any model under any order, with the mean and its 95 % band over time.
///
/// ```js
/// const { meanFreshness } = simulate({ items, frequency: plan.frequency, horizon: 30, seed: 1, runs: 200, points: 100 });
/// ```
#[wasm_bindgen(js_name = simulate, unchecked_return_type = "SimulateReply")]
pub fn simulate_call(#[wasm_bindgen(unchecked_param_type = "SimulateRequest")] request: JsValue) -> Thrown<JsValue> {
    let request: SimulateRequest = read(request, "simulate")?;
    let answer = answer_simulate(&request).map_err(thrown)?;
    reply(&SimulateReply::from(&answer))
}

fn answer_simulate(request: &SimulateRequest) -> Result<Simulation> {
    let items = request.items.check(request.model)?;
    let frequency = request.frequency.numbers("frequency")?;
    let (changes, weight): (Vec<_>, Vec<_>) =
        (0..items.len()).map(|i| (items.change(i), items.weight(i) * items.count(i))).unzip();
    replay::simulate(&replay::Request {
        changes: &changes,
        weight: &weight,
        frequency: &frequency,
        order: request.order,
        horizon: request.horizon,
        seed: seed(request.seed)?,
        runs: request.runs,
        points: request.points,
    })
}

/// A seed as JavaScript has it: a whole number that a double holds exactly.
pub(super) fn seed(value: f64) -> Result<u64> {
    const EXACT: f64 = 9_007_199_254_740_992.0; // 2^53
    if (0.0..EXACT).contains(&value) && value.fract() == 0.0 {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked just above")]
        return Ok(value as u64);
    }
    Err(Problem::new(
        Kind::Value,
        format!("`seed` is {value}, not a whole number from 0 up, below 2^53"),
        "Any such number will do; the same one gives the same runs.",
    )
    .in_column("seed"))
}
