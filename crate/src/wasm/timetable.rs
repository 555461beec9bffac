//! `timetable`: frequencies laid out as visits.

use serde::{Deserialize, Serialize};
use tsify::Tsify;
use wasm_bindgen::prelude::*;

use super::fields::{Column, Float64Array, Uint32Array};
use super::{Thrown, read, reply, thrown};
use crate::problem::Result;
use crate::timetable as schedule;

/// What [`timetable`] is asked.
#[derive(Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct TimetableRequest {
    /// Visits per unit of time for each item, as `allocate` gives them.
    frequency: Column,
    /// How long the timetable is.
    horizon: f64,
    /// Length of a slot.
    #[tsify(optional)]
    slot: Option<f64>,
    /// Most visits in a slot; the fewest that fit unless given.
    #[tsify(optional)]
    capacity: Option<u32>,
    /// When each item was last visited, on the same clock as `start`; NaN where unknown.
    #[tsify(optional)]
    last_sync: Option<Column>,
    /// When the timetable starts; 0 unless given.
    #[serde(default)]
    #[tsify(optional)]
    start: f64,
}

/// What [`timetable`] answers.
#[derive(Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct TimetableReply {
    /// When each visit takes place, in order.
    time: Float64Array,
    /// Which item each visit is to.
    item: Uint32Array,
    /// Farthest that any item is ever ahead of or behind its even share, in visits.
    max_lag: f64,
    /// Visits in each slot.
    load: Uint32Array,
}

/// When to visit what: frequencies laid out as visits, each item's gaps and each slot's load as even as possible
/// (earliest eligible virtual deadline first).
///
/// ```js
/// const { time, item } = timetable({ frequency: plan.frequency, horizon: 7 });
/// ```
#[wasm_bindgen(js_name = timetable, unchecked_return_type = "TimetableReply")]
pub fn timetable_call(#[wasm_bindgen(unchecked_param_type = "TimetableRequest")] request: JsValue) -> Thrown<JsValue> {
    let request: TimetableRequest = read(request, "timetable")?;
    let answer = answer_timetable(&request).map_err(thrown)?;
    reply(&TimetableReply {
        time: (&answer.time).into(),
        item: (&answer.item).into(),
        max_lag: answer.max_lag,
        load: (&answer.load).into(),
    })
}

fn answer_timetable(request: &TimetableRequest) -> Result<schedule::Timetable> {
    let frequency = request.frequency.numbers("frequency")?;
    let last_sync = request.last_sync.as_ref().map(|column| column.numbers_or_unknown("lastSync")).transpose()?;
    schedule::timetable(&schedule::Request {
        frequency: &frequency,
        horizon: request.horizon,
        slot: request.slot,
        capacity: request.capacity,
        last_sync: last_sync.as_deref(),
        start: request.start,
    })
}
