//! `estimateRates`: rates from logs.

use serde::{Deserialize, Serialize};
use tsify::Tsify;
use wasm_bindgen::prelude::*;

use super::fields::{Column, Float64Array, ItemNames};
use super::{Thrown, read, reply, thrown};
use crate::change::Model;
use crate::change::estimate::diagnosis::{self, Diagnosis};
use crate::change::estimate::{
    Events, FirstEvent, Gamma, History, Method, Rates, VisitLog, from_events_of, from_visits_of, item,
};
use crate::problem::{Kind, Problem, Result};

/// What a log holds.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize, Tsify)]
#[serde(rename_all = "kebab-case")]
pub enum LogKind {
    /// Every change, with its time.
    Events,
    /// Visits, each with whether it found a change.
    Visits,
}

/// What [`estimate_rates`] and [`diagnose`] are asked. Times are numbers on any clock, and rates are per unit of it; what is said
/// in words takes them for days.
#[derive(Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct EstimateRequest {
    /// Which of the two it is.
    kind: LogKind,
    /// Which item each entry is of: names, or numbers from 0.
    item: ItemNames,
    /// When it changed or was visited.
    time: Column,
    /// Events: when the watching began; the first event unless given.
    #[tsify(optional)]
    from: Option<f64>,
    /// Events: when it ended; the last event unless given.
    #[tsify(optional)]
    to: Option<f64>,
    /// Events: a change within this span of the last one counted is not counted.
    #[serde(default)]
    #[tsify(optional)]
    merge_within: f64,
    /// Events: whether times are days since 1970-01-01, so that days of the week and hours can be told; true unless given.
    #[tsify(optional)]
    calendar: Option<bool>,
    /// Events: whether an item's first event is a "change", or the "start" of its being watched; "change" unless given.
    #[serde(default)]
    #[tsify(optional)]
    first_event: FirstEvent,
    /// Visits: 1 where the visit found a change, 0 where not.
    #[tsify(optional)]
    changed: Option<Column>,
    /// Visits: when the item was last modified, by its own account; NaN or null where unknown.
    #[tsify(optional)]
    last_modified: Option<Column>,
}

/// What [`estimate_rates`] answers: one entry per item in every column, in the order of `item`. NaN where the log cannot tell.
#[derive(Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct EstimateReply {
    /// The items: their names in the order in which they first come, or 0, 1, 2, ….
    item: ItemNames,
    /// Changes per unit of time.
    rate: Float64Array,
    /// Its standard error.
    error: Float64Array,
    /// Lower end of its 95 % interval.
    low: Float64Array,
    /// Upper end of its 95 % interval; Infinity where every visit found a change.
    high: Float64Array,
    /// Changes counted, or visits that found one.
    changes: Float64Array,
    /// Time watched.
    exposure: Float64Array,
    /// With `beta`: the Gamma that the rate follows, given its history and the other items. Made for the "gamma-poisson" model.
    alpha: Float64Array,
    /// Rate of that Gamma.
    beta: Float64Array,
    /// Mean of that Gamma: the rate, drawn towards the others' as far as its history is short.
    posterior: Float64Array,
    /// (s/m)² of the gaps: 1 for a Poisson process, more for bursts.
    dispersion: Float64Array,
    /// How likely a Poisson process is to look at least as odd.
    poisson_p: Float64Array,
    /// Weibull shape of the gaps.
    shape: Float64Array,
    /// Rate in the second half over that in the first.
    drift: Float64Array,
    /// How likely a steady rate is to drift at least so far.
    drift_p: Float64Array,
    /// How each rate was estimated.
    method: Vec<Method>,
    /// The population's Gamma.
    prior: Gamma,
    /// Start of the watching (events).
    #[tsify(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<f64>,
    /// End of the watching (events).
    #[tsify(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<f64>,
    /// Is it Poisson? (events)
    #[tsify(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    diagnosis: Option<DiagnosisReply>,
    /// What was assumed, in sentences.
    notes: Vec<String>,
}

/// What a history says of the Poisson assumption, of a set or of one item.
#[derive(Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct DiagnosisReply {
    /// Items with enough changes to be tested.
    tested: usize,
    /// How many of them are not Poisson at the 5 % level.
    rejected: usize,
    /// How many of them changed their rate more than twofold between halves.
    drifted: usize,
    /// Median dispersion of their gaps.
    dispersion: f64,
    /// Median Weibull shape of their gaps.
    shape: f64,
    /// Middle of each bin of gaps, in mean gaps of the item; of one item its gaps, in units of time.
    gap: Float64Array,
    /// Share of the gaps in each bin; of one item the share at least so long.
    gap_share: Float64Array,
    /// The same share for a Poisson process.
    gap_expected: Float64Array,
    /// How many gaps there are.
    gaps: usize,
    /// Changes on each day of the week, Monday first; all 0 where that cannot be told.
    weekday: Float64Array,
    /// Their shares.
    weekday_share: Float64Array,
    /// Changes in each hour of the day, UTC; all 0 where that cannot be told, as from dates alone.
    hour: Float64Array,
    /// Their shares.
    hour_share: Float64Array,
    /// The model that fits the changes.
    suggests: Model,
    /// What was found, in sentences.
    findings: Vec<String>,
}

impl From<Diagnosis> for DiagnosisReply {
    fn from(found: Diagnosis) -> Self {
        let shares = |counts: &[f64]| {
            let all = counts.iter().sum::<f64>().max(1.0);
            Float64Array::from(&counts.iter().map(|count| count / all).collect::<Vec<f64>>())
        };
        Self {
            tested: found.tested,
            rejected: found.rejected,
            drifted: found.drifted,
            dispersion: found.dispersion,
            shape: found.shape,
            gap: (&found.gaps.gap).into(),
            gap_share: (&found.gaps.observed).into(),
            gap_expected: (&found.gaps.expected).into(),
            gaps: found.gaps.gaps,
            weekday: (&found.weekday).into(),
            weekday_share: shares(&found.weekday),
            hour: (&found.hour).into(),
            hour_share: shares(&found.hour),
            suggests: found.suggests,
            findings: found.findings,
        }
    }
}

/// Rates from logs: change events, or visits that found a change or not. Each with its standard error and 95 % interval, the
/// Gamma that treats it as uncertain, and, for events, whether changes are Poisson.
///
/// ```js
/// const { rate, low, high } = estimateRates({ kind: "events", item: ["a", "a", "b"], time: [3, 9, 4], from: 0, to: 30 });
/// ```
#[wasm_bindgen(js_name = estimateRates, unchecked_return_type = "EstimateReply")]
pub fn estimate_rates(#[wasm_bindgen(unchecked_param_type = "EstimateRequest")] request: JsValue) -> Thrown<JsValue> {
    let request: EstimateRequest = read(request, "estimateRates")?;
    reply(&answer(&request).map_err(thrown)?)
}

/// What [`diagnose`] answers.
#[derive(Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct ItemDiagnosis {
    /// Where the item's rate comes from, in sentences.
    reasoning: Vec<String>,
    /// What its changes look like (events).
    #[tsify(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    diagnosis: Option<DiagnosisReply>,
}

/// One item of a log: where its rate comes from, and whether its changes are Poisson, in words and numbers. The log is the one
/// that `estimateRates` was asked with, and `prior` what it answered of the population; without it that is found anew.
///
/// ```js
/// const { reasoning, diagnosis } = diagnose({ kind: "events", item: ["a", "a", "b"], time: [3, 9, 4], from: 0, to: 30 }, "a");
/// ```
#[wasm_bindgen(unchecked_return_type = "ItemDiagnosis")]
pub fn diagnose(
    #[wasm_bindgen(unchecked_param_type = "EstimateRequest")] request: JsValue,
    #[wasm_bindgen(unchecked_param_type = "string | number")] item: &JsValue,
    #[wasm_bindgen(unchecked_optional_param_type = "Gamma")] prior: JsValue,
) -> Thrown<JsValue> {
    let request: EstimateRequest = read(request, "diagnose")?;
    let prior: Option<Gamma> = if prior.is_undefined() { None } else { Some(read(prior, "prior")?) };
    if prior.is_some_and(|Gamma { alpha, beta }| !(alpha > 0.0 && alpha.is_finite() && beta >= 0.0 && beta.is_finite()))
    {
        let message = "the prior is no Gamma: its shape must be above 0, and its rate 0 or more";
        return Err(thrown(
            Problem::new(Kind::Value, message, "Pass on the `prior` of estimateRates.").in_column("prior"),
        ));
    }
    reply(&diagnosed(&request, item, prior).map_err(thrown)?)
}

fn diagnosed(request: &EstimateRequest, item: &JsValue, prior: Option<Gamma>) -> Result<ItemDiagnosis> {
    let log = Columns::read(request)?;
    let wanted = request.item.index_of(item, &log.item, log.items).ok_or_else(|| {
        let message = "there is no such item in this log";
        Problem::new(Kind::Value, message, "Give a name of `item`, or a number of those that it has.").in_column("item")
    })?;
    // A single item needs the others for their prior alone.
    let prior = prior.map_or_else(|| Ok(log.estimate(request, None)?.1.prior), Ok)?;
    let (history, rates) = log.only(wanted).estimate(request, Some(prior))?;
    let calendar = request.calendar.unwrap_or(true);
    Ok(ItemDiagnosis {
        reasoning: item::reasoning(&rates, 0),
        diagnosis: history.map(|history| item::of_item(&history, &rates, 0, calendar).into()),
    })
}

/// The columns of a request.
struct Columns {
    item: Vec<u32>,
    items: usize,
    time: Vec<f64>,
    changed: Vec<bool>,
    modified: Option<Vec<f64>>,
    /// The window of observation, where the request leaves it open that of all entries.
    from: Option<f64>,
    to: Option<f64>,
}

impl Columns {
    fn read(request: &EstimateRequest) -> Result<Self> {
        let (item, items) = request.item.indices()?;
        let time = request.time.numbers("time")?;
        let (mut changed, mut modified) = (Vec::new(), None);
        if request.kind == LogKind::Visits {
            let stray = [
                ("from", request.from.is_some()),
                ("to", request.to.is_some()),
                ("mergeWithin", request.merge_within != 0.0),
                ("firstEvent", request.first_event != FirstEvent::Change),
            ];
            refuse(&stray, "visits", "events")?;
            let bits = request.changed.as_ref().ok_or_else(|| missing("changed"))?.indices("changed")?;
            if let Some(row) = bits.iter().position(|bit| *bit > 1) {
                let message = format!("`changed` of visit {row} (counting from 0) is {}, neither 0 nor 1", bits[row]);
                return Err(Problem::new(Kind::Value, message, "Give 1 where the visit found a change, else 0.")
                    .at_row(row)
                    .in_column("changed"));
            }
            changed = bits.into_iter().map(|bit| bit == 1).collect();
            modified =
                request.last_modified.as_ref().map(|column| column.numbers_or_unknown("lastModified")).transpose()?;
        } else {
            let stray = [("changed", request.changed.is_some()), ("lastModified", request.last_modified.is_some())];
            refuse(&stray, "events", "visits")?;
        }
        Ok(Self { item, items, time, changed, modified, from: request.from, to: request.to })
    }

    /// The entries of one item, over the same window.
    fn only(&self, wanted: u32) -> Self {
        let rows: Vec<usize> = (0..self.item.len()).filter(|&row| self.item[row] == wanted).collect();
        let end = |given: Option<f64>, of: fn(f64, f64) -> f64| given.or_else(|| self.time.iter().copied().reduce(of));
        Self {
            item: vec![0; rows.len()],
            items: 1,
            // Columns of unequal length are refused where they are used.
            time: rows.iter().filter_map(|&row| self.time.get(row).copied()).collect(),
            changed: rows.iter().filter_map(|&row| self.changed.get(row).copied()).collect(),
            modified: (self.modified.as_ref())
                .map(|stamps| rows.iter().filter_map(|&row| stamps.get(row).copied()).collect()),
            from: end(self.from, f64::min),
            to: end(self.to, f64::max),
        }
    }

    /// The rates, and for events the history that they are of.
    fn estimate(&self, request: &EstimateRequest, prior: Option<Gamma>) -> Result<(Option<History>, Rates)> {
        let Self { item, items, time, changed, modified, from, to } = self;
        if request.kind == LogKind::Visits {
            let log = VisitLog { item, time, changed, last_modified: modified.as_deref(), items: *items };
            return Ok((None, from_visits_of(&log, prior)?));
        }
        let (items, from, to) = (*items, *from, *to);
        let (merge_within, first) = (request.merge_within, request.first_event);
        let history = History::new(&Events { item, time, items, from, to, merge_within, first })?;
        let rates = from_events_of(&history, prior);
        Ok((Some(history), rates))
    }
}

fn answer(request: &EstimateRequest) -> Result<EstimateReply> {
    let log = Columns::read(request)?;
    let (history, rates) = log.estimate(request, None)?;
    let Some(history) = history else {
        let notes =
            vec!["The first visit to an item only sets the clock; it was watched from then to its last visit.".into()];
        return Ok(answered(&request.item, &rates, notes));
    };
    let mut notes = Vec::new();
    if request.from.is_none() || request.to.is_none() {
        notes.push(
            "The observation window was taken from the first and last event: give `from` and `to` if it was longer."
                .into(),
        );
    }
    notes.extend(history.notes());
    let mut reply = answered(&request.item, &rates, notes);
    (reply.from, reply.to) = (Some(history.from()), Some(history.to()));
    reply.diagnosis = Some(diagnosis::of_set(&history, &rates, request.calendar.unwrap_or(true)).into());
    Ok(reply)
}

fn answered(item: &ItemNames, rates: &Rates, notes: Vec<String>) -> EstimateReply {
    EstimateReply {
        item: item.distinct(rates.len()),
        rate: (&rates.rate).into(),
        error: (&rates.error).into(),
        low: (&rates.low).into(),
        high: (&rates.high).into(),
        changes: (&rates.changes).into(),
        exposure: (&rates.exposure).into(),
        alpha: (&rates.alpha).into(),
        beta: (&rates.beta).into(),
        posterior: (&rates.alpha.iter().zip(&rates.beta).map(|(alpha, beta)| alpha / beta).collect::<Vec<f64>>())
            .into(),
        dispersion: (&rates.dispersion).into(),
        poisson_p: (&rates.poisson_p).into(),
        shape: (&rates.shape).into(),
        drift: (&rates.drift).into(),
        drift_p: (&rates.drift_p).into(),
        method: rates.method.clone(),
        prior: rates.prior,
        from: None,
        to: None,
        diagnosis: None,
        notes,
    }
}

fn missing(name: &str) -> Problem {
    Problem::new(
        Kind::Field,
        format!("estimateRates needs `{name}`"),
        "Compare the request with the type declaration of this call.",
    )
    .in_column(name)
}

/// Refuses fields that belong to the other kind of log.
fn refuse(stray: &[(&str, bool)], kind: &str, other: &str) -> Result<()> {
    match stray.iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((name, _)) => Err(Problem::new(
            Kind::Field,
            format!("`{name}` belongs to the kind \"{other}\", and this log is one of \"{kind}\""),
            format!("Leave it out, or choose the kind \"{other}\"."),
        )
        .in_column(*name)),
    }
}
