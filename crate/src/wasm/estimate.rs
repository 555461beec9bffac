//! `estimateRates`: rates from logs.

use serde::{Deserialize, Serialize};
use tsify::Tsify;
use wasm_bindgen::prelude::*;

use super::fields::{Column, Float64Array, ItemNames};
use super::{Thrown, read, reply, thrown};
use crate::change::Model;
use crate::change::estimate::diagnosis::{self, Diagnosis};
use crate::change::estimate::{Events, FirstEvent, Gamma, History, Method, Rates, VisitLog, from_events, from_visits};
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

/// What [`estimate_rates`] is asked. Times are numbers on any clock, and rates are per unit of it; the profiles by day and hour
/// need days since 1970-01-01.
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

/// What a history says of the Poisson assumption.
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
    /// Middle of each bin of gaps, in mean gaps of the item.
    gap: Float64Array,
    /// Share of the gaps in each bin.
    gap_share: Float64Array,
    /// Share that a Poisson process would have there.
    gap_expected: Float64Array,
    /// How many gaps there are.
    gaps: usize,
    /// Changes on each day of the week, Monday first.
    weekday: Float64Array,
    /// Changes in each hour of the day, UTC.
    hour: Float64Array,
    /// The model to plan with.
    suggests: Model,
    /// What was found, in sentences.
    findings: Vec<String>,
}

impl From<Diagnosis> for DiagnosisReply {
    fn from(found: Diagnosis) -> Self {
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
            hour: (&found.hour).into(),
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

fn answer(request: &EstimateRequest) -> Result<EstimateReply> {
    let (item, items) = request.item.indices()?;
    let time = request.time.numbers("time")?;
    if request.kind == LogKind::Visits {
        let stray = [
            ("from", request.from.is_some()),
            ("to", request.to.is_some()),
            ("mergeWithin", request.merge_within != 0.0),
            ("firstEvent", request.first_event != FirstEvent::Change),
        ];
        refuse(&stray, "visits", "events")?;
        let changed = request.changed.as_ref().ok_or_else(|| missing("changed"))?.indices("changed")?;
        if let Some(row) = changed.iter().position(|bit| *bit > 1) {
            let message = format!("`changed` of visit {row} (counting from 0) is {}, neither 0 nor 1", changed[row]);
            return Err(Problem::new(Kind::Value, message, "Give 1 where the visit found a change, else 0.")
                .at_row(row)
                .in_column("changed"));
        }
        let changed: Vec<bool> = changed.into_iter().map(|bit| bit == 1).collect();
        let modified =
            request.last_modified.as_ref().map(|column| column.numbers_or_unknown("lastModified")).transpose()?;
        let log = VisitLog { item: &item, time: &time, changed: &changed, last_modified: modified.as_deref(), items };
        let notes = vec!["The first visit to an item only sets the clock.".into()];
        return Ok(answered(&request.item, &from_visits(&log)?, notes));
    }
    let stray = [("changed", request.changed.is_some()), ("lastModified", request.last_modified.is_some())];
    refuse(&stray, "events", "visits")?;
    let history = History::new(&Events {
        item: &item,
        time: &time,
        items,
        from: request.from,
        to: request.to,
        merge_within: request.merge_within,
        first: request.first_event,
    })?;
    let mut notes = Vec::new();
    if request.from.is_none() || request.to.is_none() {
        notes.push(
            "The observation window was taken from the first and last event: give `from` and `to` if it was longer."
                .into(),
        );
    }
    if history.merged > 0 {
        notes.push(format!("{} changes that came too soon after another were not counted.", history.merged));
    }
    if history.outside > 0 {
        notes.push(format!("{} events lie outside the window and were not counted.", history.outside));
    }
    let rates = from_events(&history);
    let mut reply = answered(&request.item, &rates, notes);
    (reply.from, reply.to) = (Some(history.from()), Some(history.to()));
    reply.diagnosis = Some(diagnosis::of_set(&history, &rates).into());
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
