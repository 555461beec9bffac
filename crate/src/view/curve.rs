//! The optimal-frequency curve with the items on it (Figs 10, 17, 18).

use super::dataset::Solved;
use super::{PIXELS, Rows, Series, thinned};
use crate::allocate::{self, Items};
use crate::change::{Change, Model};
use crate::numeric::sort;
use crate::problem::Result;
use crate::staleness::{Metric, Staleness};

#[cfg(feature = "wasm")]
use {serde::Serialize, tsify::Tsify};

/// Rows that a typical item is taken from.
const SAMPLE: usize = 20_000;

/// The optimal-frequency curve with the items on it.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "wasm", derive(Serialize, Tsify), serde(rename_all = "camelCase"))]
pub struct CurveView {
    /// Rates of the line, for an item of median importance.
    pub rate: Series,
    /// Its best frequency at each rate.
    pub frequency: Series,
    /// Where that is largest, if anywhere.
    #[cfg_attr(feature = "wasm", serde(skip_serializing_if = "Option::is_none"), tsify(optional))]
    pub peak: Option<Point>,
    /// The rate from which on a visit is not worth it, if any.
    #[cfg_attr(feature = "wasm", serde(skip_serializing_if = "Option::is_none"), tsify(optional))]
    pub cutoff: Option<f64>,
    /// Rates of the items shown.
    pub item_rate: Series,
    /// Their frequencies under the chosen policy.
    pub item_frequency: Series,
    /// Which rows they are.
    pub item_row: Rows,
    /// Their rates with importance divided out: under the optimum all lie on one line.
    pub scaled_rate: Series,
    /// Their frequencies with importance divided out.
    pub scaled_frequency: Series,
    /// That line.
    pub scaled_line_rate: Series,
    /// That line's frequency.
    pub scaled_line_frequency: Series,
    /// Its peak.
    #[cfg_attr(feature = "wasm", serde(skip_serializing_if = "Option::is_none"), tsify(optional))]
    pub scaled_peak: Option<Point>,
    /// Its cut-off.
    #[cfg_attr(feature = "wasm", serde(skip_serializing_if = "Option::is_none"), tsify(optional))]
    pub scaled_cutoff: Option<f64>,
    /// Whether weight per cost differs between items.
    pub importance_varies: bool,
}

/// A point of the curve.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "wasm", derive(Serialize, Tsify))]
pub struct Point {
    /// Rate of change.
    pub rate: f64,
    /// Frequency of visits.
    pub frequency: f64,
}

/// The power of importance (weight / cost) by which a metric's rates and frequencies scale: a visit's benefit carries
/// 1/rate for freshness and harmonic, 1/rate² for age and content.
fn importance_scale(metric: Metric, importance: f64) -> f64 {
    match metric {
        Metric::Freshness | Metric::Harmonic => importance,
        Metric::Age | Metric::Content => importance.sqrt(),
    }
}

/// An item like those of the set, but with this mean rate: the same shape of uncertainty or burstiness as the median item.
struct Typical {
    model: Model,
    shape: f64,
}

impl Typical {
    fn of(items: &Items) -> Self {
        let shape = |i: usize| match items.change(i) {
            Change::Poisson { .. } => 1.0,
            Change::Weibull { shape, .. } => shape,
            Change::GammaPoisson { alpha, .. } => alpha,
        };
        let mut shapes: Vec<f64> =
            thinned(items.len(), SAMPLE).filter(|&i| !items.change(i).never()).map(shape).collect();
        Self { model: items.model(), shape: median(&mut shapes).unwrap_or(1.0) }
    }

    fn with_mean_rate(&self, rate: f64) -> Change {
        match self.model {
            Model::Poisson => Change::Poisson { rate },
            Model::Weibull => Change::Weibull { rate: Change::weibull_rate(rate, self.shape), shape: self.shape },
            Model::GammaPoisson => Change::GammaPoisson { alpha: self.shape, beta: self.shape / rate },
        }
    }

    fn with_parameter(&self, rate: f64) -> Change {
        match self.model {
            Model::Weibull => Change::Weibull { rate, shape: self.shape },
            _ => self.with_mean_rate(rate),
        }
    }

    fn parameter(&self) -> Option<f64> {
        (self.model != Model::Poisson).then_some(self.shape)
    }
}

fn median(values: &mut [f64]) -> Option<f64> {
    let middle = values.len() / 2;
    (!values.is_empty()).then(|| *values.select_nth_unstable_by(middle, f64::total_cmp).1)
}

struct Line {
    rate: Vec<f64>,
    frequency: Vec<f64>,
    peak: Option<Point>,
    cutoff: Option<f64>,
}

/// The best frequency along rates from `low` to beyond `high`, dense where it falls off.
fn line(staleness: Staleness, typical: &Typical, price: f64, low: f64, high: f64) -> Result<Line> {
    const POINTS: usize = 240;
    // Peak and cut-off in the model's own parameter, which under Weibull is not the mean rate.
    let marks = allocate::frequency_curve(staleness, typical.model, typical.parameter(), price, 1.0, 2)?;
    let peak = marks.peak.map(|(rate, frequency)| Point { rate: typical.with_parameter(rate).mean_rate(), frequency });
    let cutoff =
        Some(marks.cutoff).filter(|rate| rate.is_finite()).map(|rate| typical.with_parameter(rate).mean_rate());
    let top = cutoff.map_or(high, |cutoff| high.clamp(cutoff * 1.25, cutoff * 100.0));
    let low = low.min(cutoff.unwrap_or(top) / 10.0).max(top * 1e-12);
    let span = libm::log(top / low);
    let mut rate: Vec<f64> = (0..=POINTS).map(|k| low * libm::exp(span * k as f64 / POINTS as f64)).collect();
    if let Some(cutoff) = cutoff {
        // Near the cut-off the curve drops like 1/ln: steps that halve the distance follow it down.
        rate.extend((1..48).map(|k| cutoff * (1.0 - libm::pow(0.5, f64::from(k)))));
        rate.push(cutoff);
        rate.retain(|&r| r >= low);
        sort::floats(&mut rate);
    }
    let frequency = rate.iter().map(|&r| staleness.demand(&typical.with_mean_rate(r), price).frequency).collect();
    Ok(Line { rate, frequency, peak, cutoff })
}

pub(super) fn curve(solved: &Solved) -> Result<CurveView> {
    let (items, staleness) = (&solved.items, solved.knobs.staleness());
    let importance = |i: usize| items.weight(i) / items.cost(i);
    let shown: Vec<usize> = thinned(items.len(), PIXELS).collect();
    let mut weights: Vec<f64> = shown.iter().map(|&i| importance(i)).filter(|&q| q > 0.0).collect();
    let middle = median(&mut weights).unwrap_or(1.0);
    let importance_varies = weights.iter().any(|&q| (q - middle).abs() > 1e-12 * middle);

    let rate: Vec<f64> = shown.iter().map(|&i| items.mean_rate(i)).collect();
    let frequency: Vec<f64> = shown.iter().map(|&i| solved.chosen.frequency[i]).collect();
    let scale: Vec<f64> = shown.iter().map(|&i| importance_scale(staleness.metric, importance(i))).collect();
    let divided = |values: &[f64]| -> Series { values.iter().zip(&scale).map(|(&value, &s)| value / s).collect() };
    let (scaled_rate, scaled_frequency) = (divided(&rate), divided(&frequency));

    let typical = Typical::of(items);
    let price = solved.optimal.price;
    let draw = |price: f64, rates: &[f64]| {
        let positive = || rates.iter().copied().filter(|&r| r > 0.0 && r.is_finite());
        let (low, high) = (positive().fold(f64::INFINITY, f64::min), positive().fold(0.0, f64::max));
        if price > 0.0 && price.is_finite() && low.is_finite() {
            line(staleness, &typical, price, low, high)
        } else {
            Ok(Line { rate: Vec::new(), frequency: Vec::new(), peak: None, cutoff: None })
        }
    };
    let own = draw(price / middle, &rate)?;
    let scaled = draw(price, &scaled_rate.0)?;
    Ok(CurveView {
        rate: own.rate.into(),
        frequency: own.frequency.into(),
        peak: own.peak,
        cutoff: own.cutoff,
        item_rate: rate.into(),
        item_frequency: frequency.into(),
        item_row: Rows(shown.iter().map(|&i| u32::try_from(i).unwrap_or(u32::MAX)).collect()),
        scaled_rate,
        scaled_frequency,
        scaled_line_rate: scaled.rate.into(),
        scaled_line_frequency: scaled.frequency.into(),
        scaled_peak: scaled.peak,
        scaled_cutoff: scaled.cutoff,
        importance_varies,
    })
}
