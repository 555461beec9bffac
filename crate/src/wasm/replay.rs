//! `replay`: what would have happened on a real history, policy by policy.

use serde::{Deserialize, Serialize};
use tsify::Tsify;
use wasm_bindgen::prelude::*;

use super::fields::{Column, Float64Array, ItemNames, Uint32Array};
use super::{Thrown, read, reply, thrown};
use crate::change::estimate::FirstEvent;
use crate::ingest::Progress;
use crate::problem::Result;
use crate::replay::history::{Outcome, Policy, Replay, Replayed, Request};
use crate::view::{PIXELS, thinned};

/// How much work one step of a job does: about ten milliseconds of it.
const VISITS_A_STEP: usize = 40_000;

/// What [`replay_call`] is asked. Times are days, on any clock; the rules of thumb know what a day is.
#[derive(Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct ReplayRequest {
    /// Which item each change is of: names, or numbers from 0.
    item: ItemNames,
    /// When it changed.
    time: Column,
    /// Start of the training part; the first event unless given.
    #[tsify(optional)]
    train_from: Option<f64>,
    /// Its end, where the test begins.
    train_to: f64,
    /// End of the test; the last event unless given.
    #[tsify(optional)]
    test_to: Option<f64>,
    /// Who is to be compared; all unless given.
    #[tsify(optional, type = "PolicyName[]")]
    policies: Option<Vec<String>>,
    /// Visits per day.
    budget: f64,
    /// Importance of each item, in the order in which names first come, or by number; all 1 unless given.
    #[tsify(optional)]
    weight: Option<Column>,
    /// A change within this span of the last one counted is not counted.
    #[serde(default)]
    #[tsify(optional)]
    merge_within: f64,
    /// Whether an item's first event is a "change", or the "start" of its being watched; "change" unless given.
    #[serde(default)]
    #[tsify(optional)]
    first_event: FirstEvent,
    /// How often "online" plans anew, in days; a twelfth of the test unless given.
    #[tsify(optional)]
    replan_every: Option<f64>,
    /// How many points the curves have; 400 unless given.
    #[tsify(optional)]
    points: Option<usize>,
}

#[wasm_bindgen(typescript_custom_section)]
const POLICY_NAME: &str = r#"/** The policies that a replay compares. */
export type PolicyName =
  | "uniform" | "proportional" | "optimal" | "gamma-poisson" | "weibull" | "age-optimal" | "harmonic-optimal" | "cube-root"
  | "greedy" | "nutch" | "storm-crawler" | "miniflux" | "online" | "hindsight";"#;

/// What a policy came to over the test.
#[derive(Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct PolicyReply {
    /// Who.
    #[tsify(type = "PolicyName")]
    name: &'static str,
    /// Visits made.
    visits: usize,
    /// Mean freshness.
    freshness: f64,
    /// Mean age in days.
    age: f64,
    /// What the model that planned expected of these visits; NaN for the rules of thumb, which have none.
    predicted_freshness: f64,
    /// Freshness above what was expected.
    difference: f64,
    /// What the model expected of age.
    predicted_age: f64,
    /// What a rule's intervals were multiplied by to make as many visits as the others; 1 for all else.
    factor: f64,
}

/// The curves and clouds of one policy.
#[derive(Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct PolicySeries {
    /// Freshness at each time.
    freshness: Float64Array,
    /// Age at each time.
    age: Float64Array,
    /// Freshness of each item of `items`.
    item_freshness: Float64Array,
    /// What the model expected of it.
    item_predicted: Float64Array,
    /// Visits to it.
    item_visits: Uint32Array,
}

/// What charts are drawn from.
#[derive(Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct ReplaySeries {
    /// Times of the curves.
    time: Float64Array,
    /// Items of the clouds, by number: all that were replayed, or every so many-th.
    items: Uint32Array,
    /// One entry for each policy.
    policies: Vec<PolicySeries>,
}

/// What [`replay_call`] answers.
#[derive(Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct ReplayReply {
    /// What each policy came to, in the order asked for.
    policies: Vec<PolicyReply>,
    /// What charts are drawn from.
    series: ReplaySeries,
    /// Who won, by how much, and whether the promise held.
    sentence: String,
    /// Which policy kept most up to date, by its place in `policies`; "hindsight", which nobody has, does not count.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[tsify(optional)]
    best: Option<usize>,
    /// Which had the least age, likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[tsify(optional)]
    youngest: Option<usize>,
    /// How many promises of freshness were made.
    promised: usize,
    /// How many of them held to within 2 points.
    kept: usize,
    /// What was assumed or left out, in sentences.
    notes: Vec<String>,
    /// Items that were replayed.
    items: usize,
    /// Changes in the training part.
    train_changes: usize,
    /// Changes in the test.
    test_changes: usize,
    /// Start of the training part.
    train_from: f64,
    /// The split.
    train_to: f64,
    /// End of the test.
    test_to: f64,
}

impl From<&Replayed> for ReplayReply {
    fn from(found: &Replayed) -> Self {
        let shown: Vec<usize> = thinned(found.item.len(), PIXELS).collect();
        let some = |values: &[f64]| Float64Array::from(&shown.iter().map(|&i| values[i]).collect::<Vec<f64>>());
        let series = |outcome: &Outcome| PolicySeries {
            freshness: (&outcome.freshness_curve).into(),
            age: (&outcome.age_curve).into(),
            item_freshness: some(&outcome.item_freshness),
            item_predicted: some(&outcome.item_predicted),
            item_visits: (&shown.iter().map(|&i| outcome.item_visits[i]).collect::<Vec<u32>>()).into(),
        };
        let policy = |outcome: &Outcome| PolicyReply {
            name: outcome.policy.name(),
            visits: outcome.visits,
            freshness: outcome.freshness,
            age: outcome.age,
            predicted_freshness: outcome.predicted_freshness,
            difference: outcome.difference,
            predicted_age: outcome.predicted_age,
            factor: outcome.factor,
        };
        Self {
            policies: found.outcomes.iter().map(policy).collect(),
            series: ReplaySeries {
                time: (&found.time).into(),
                items: (&shown.iter().map(|&i| found.item[i]).collect::<Vec<u32>>()).into(),
                policies: found.outcomes.iter().map(series).collect(),
            },
            sentence: found.verdict.sentence.clone(),
            best: found.verdict.best,
            youngest: found.verdict.youngest,
            promised: found.verdict.promised,
            kept: found.verdict.kept,
            notes: found.notes.clone(),
            items: found.item.len(),
            train_changes: found.train_changes,
            test_changes: found.test_changes,
            train_from: found.train_from,
            train_to: found.train_to,
            test_to: found.test_to,
        }
    }
}

fn start(request: &ReplayRequest) -> Result<Replay> {
    let (item, items) = request.item.indices()?;
    let time = request.time.numbers("time")?;
    let weight = request.weight.as_ref().map(|column| column.numbers("weight")).transpose()?;
    // Weights may also speak of items that never changed.
    let items = if request.item.are_numbers() {
        weight.as_ref().map_or(items, |weight| items.max(weight.len()))
    } else {
        items
    };
    let policies: Vec<Policy> = match &request.policies {
        Some(names) => names.iter().map(|name| Policy::named(name)).collect::<Result<_>>()?,
        None => Policy::ALL.to_vec(),
    };
    Replay::new(&Request {
        item: &item,
        time: &time,
        items,
        train_from: request.train_from,
        train_to: request.train_to,
        test_to: request.test_to,
        policies: &policies,
        budget: request.budget,
        weight: weight.as_deref(),
        merge_within: request.merge_within,
        first: request.first_event,
        replan_every: request.replan_every,
        points: request.points.unwrap_or(400),
    })
}

/// What would have happened: fits on the history up to `trainTo`, plans, and replays each policy over the rest, with what was
/// promised beside what was had.
///
/// ```js
/// const { policies, sentence } = replay({ item, time, trainTo: 300, policies: ["uniform", "gamma-poisson"], budget: 50 });
/// ```
#[wasm_bindgen(js_name = replay, unchecked_return_type = "ReplayReply")]
pub fn replay_call(#[wasm_bindgen(unchecked_param_type = "ReplayRequest")] request: JsValue) -> Thrown<JsValue> {
    let mut job = Replaying::new(request)?;
    while job.job.step(usize::MAX).map_err(thrown)? < 1.0 {}
    job.finish()
}

/// A replay under way: `step()` until it is done, then `finish()`; free it to cancel.
#[wasm_bindgen]
pub struct Replaying {
    job: Replay,
}

#[wasm_bindgen]
impl Replaying {
    /// Reads the history and fits the models.
    #[wasm_bindgen(constructor)]
    pub fn new(#[wasm_bindgen(unchecked_param_type = "ReplayRequest")] request: JsValue) -> Thrown<Self> {
        let request: ReplayRequest = read(request, "replay")?;
        Ok(Self { job: start(&request).map_err(thrown)? })
    }

    /// Does a little work.
    #[wasm_bindgen(unchecked_return_type = "Progress")]
    pub fn step(&mut self) -> Thrown<JsValue> {
        let fraction = self.job.step(VISITS_A_STEP).map_err(thrown)?;
        reply(&Progress { fraction, done: fraction >= 1.0 })
    }

    /// What was found.
    #[wasm_bindgen(unchecked_return_type = "ReplayReply")]
    pub fn finish(self) -> Thrown<JsValue> {
        reply(&ReplayReply::from(&self.job.finish().map_err(thrown)?))
    }
}
