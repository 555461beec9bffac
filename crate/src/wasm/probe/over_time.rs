//! `contentFreshness`: the queries at work, simulated and expected.

use serde::Serialize;
use tsify::Tsify;
use wasm_bindgen::prelude::*;

use super::groups::{GroupsRequest, needed, or_ones};
use super::wrong;
use crate::probe::over_time::{Line, Scenario, Simulating};
use crate::problem::{Kind, Problem, Result};
use crate::wasm::fields::Float64Array;
use crate::wasm::probe_lab::OverTimeJob;
use crate::wasm::simulate::seed;
use crate::wasm::{Thrown, read, reply, thrown};

impl GroupsRequest {
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
pub(in crate::wasm) fn over_time_reply(job: Simulating) -> Thrown<JsValue> {
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
) -> Thrown<OverTimeJob> {
    let request: GroupsRequest = read(request, "contentFreshness")?;
    request.simulation().map(OverTimeJob::new).map_err(thrown)
}
