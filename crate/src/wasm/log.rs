//! Logs of changes or visits, read from a table: their columns are what `estimateRates` and `replay` take.

use std::sync::Arc;

use serde::Serialize;
use tsify::Tsify;
use wasm_bindgen::prelude::*;

use super::fields::{Float64Array, Uint32Array};
use super::lab::Table;
use super::{Thrown, read, reply, thrown};
use crate::ingest::{BadCells, LogMapper, LogMapping};
use crate::view;

#[wasm_bindgen]
impl Table {
    /// The guess of which column of a log is what.
    #[wasm_bindgen(js_name = logMapping, unchecked_return_type = "LogMapping")]
    pub fn log_mapping(&self) -> Thrown<JsValue> {
        reply(&LogMapping::guess(&self.cells))
    }

    /// Starts to read the table as a log, as this mapping says.
    #[wasm_bindgen(js_name = logMapper)]
    pub fn log_mapper(
        &self,
        #[wasm_bindgen(unchecked_param_type = "LogMapping")] mapping: JsValue,
    ) -> Thrown<LogReading> {
        let mapping: LogMapping = read(mapping, "mapping")?;
        Ok(LogReading(LogMapper::new(Arc::clone(&self.cells), mapping).map_err(thrown)?))
    }
}

/// A table being read as a log: `step()` until it is done, then `finish()`.
#[wasm_bindgen]
pub struct LogReading(LogMapper);

/// A log as columns; one entry for each row that could be read.
#[derive(Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct LogColumns {
    /// The items' names.
    names: Vec<String>,
    /// Which item, by its place in `names`.
    item: Uint32Array,
    /// When, in days; since 1970-01-01 if `calendar`.
    time: Float64Array,
    /// 1 where a visit found a change; makes it a log of visits.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[tsify(optional)]
    changed: Option<Uint32Array>,
    /// When the item was last modified; NaN where unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[tsify(optional)]
    last_modified: Option<Float64Array>,
    /// Importance of each item.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[tsify(optional)]
    weight: Option<Float64Array>,
    /// The times of the first and the last entry; NaN where there is none.
    first: f64,
    /// See `first`.
    last: f64,
    /// Where to end the learning of a replay unless something else is wanted.
    split: f64,
    /// Whether times are moments of the calendar.
    calendar: bool,
    /// The cells that could not be read; their rows were left out.
    bad: BadCells,
    /// What was assumed, in sentences.
    notes: Vec<String>,
}

#[wasm_bindgen]
impl LogReading {
    /// Does a little work.
    #[wasm_bindgen(unchecked_return_type = "Progress")]
    pub fn step(&mut self) -> Thrown<JsValue> {
        reply(&self.0.step())
    }

    /// The log; reads what is left first.
    #[wasm_bindgen(unchecked_return_type = "LogColumns")]
    pub fn finish(self) -> Thrown<JsValue> {
        let log = self.0.finish();
        let ((first, last), split) = (log.window(), log.split());
        let bits = |changed: Vec<bool>| Uint32Array::from(&changed.into_iter().map(u32::from).collect::<Vec<u32>>());
        reply(&LogColumns {
            names: log.names,
            item: (&log.item).into(),
            time: (&log.time).into(),
            changed: log.changed.map(bits),
            last_modified: log.last_modified.as_ref().map(Into::into),
            weight: log.weight.as_ref().map(Into::into),
            first,
            last,
            split,
            calendar: log.calendar,
            bad: log.bad,
            notes: log.notes,
        })
    }
}

/// How many events each of `bins` equal stretches from `from` to `to` holds.
#[wasm_bindgen]
#[must_use]
pub fn timeline(time: &[f64], from: f64, to: f64, bins: usize) -> Vec<f64> {
    view::timeline::timeline(time, from, to, bins)
}
