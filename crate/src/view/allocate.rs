//! Everything that the Allocate lab draws for one position of its knobs.

use super::dataset::{Dataset, Knobs, Solved};
use super::{PIXELS, Rows, Series, thinned};
use crate::allocate::{self, Averages, Items, Sketch};
use crate::change::{Change, Model};
use crate::ingest::Ids;
use crate::problem::Result;
use crate::staleness::{Metric, Order, Staleness};

#[cfg(feature = "wasm")]
use {serde::Serialize, tsify::Tsify};

/// Budgets along the trade-off chart; an even number, so that the plan's own stands in the middle.
const BUDGETS: usize = 24;
/// Rows that shape the curve of a typical item.
const SAMPLE: usize = 20_000;

/// One position of the knobs, answered.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "wasm", derive(Serialize, Tsify), serde(rename_all = "camelCase"))]
pub struct AllocateView {
    /// The numbers of the answer in one sentence.
    pub answer: Answer,
    /// The optimal-frequency curve with the items on it.
    pub curve: CurveView,
    /// Budget against freshness and age, for the three policies.
    pub tradeoff: TradeoffView,
    /// How the split between exactly two items moves with the budget (Fig. 9).
    #[cfg_attr(feature = "wasm", serde(skip_serializing_if = "Option::is_none"), tsify(optional))]
    pub split: Option<SplitView>,
}

/// The numbers of the answer in one sentence.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "wasm", derive(Serialize, Tsify), serde(rename_all = "camelCase"))]
pub struct Answer {
    /// Visits a day asked for, or the fewest that reach the target.
    pub budget: f64,
    /// Visits a day used.
    pub spent: f64,
    /// What a visit must buy to be worth it.
    pub price: f64,
    /// Relative duality gap of the optimal plan.
    pub gap: f64,
    /// Means under the chosen policy.
    pub chosen: Averages,
    /// Means when all are visited alike, with the same budget.
    pub uniform: Averages,
    /// Means when visits follow the rate of change, with the same budget.
    pub proportional: Averages,
    /// Means of the optimal plan, with the same budget.
    pub optimal: Averages,
    /// Rows.
    pub items: usize,
    /// Items that the rows stand for.
    pub total_count: f64,
    /// Rows that get no visit under the chosen policy.
    pub idle: usize,
    /// … because they change too fast for what they are worth.
    pub idle_too_fast: usize,
    /// … because they never change.
    pub idle_never_change: usize,
    /// … because they carry no weight.
    pub idle_no_weight: usize,
    /// … because there is no budget at all.
    pub idle_no_budget: usize,
    /// Rows held up by their lowest frequency.
    pub at_min: usize,
    /// Rows held down by their highest frequency.
    pub at_max: usize,
    /// Hosts whose cap binds.
    pub hosts_at_cap: usize,
    /// What one more visit a day buys, in the weighted mean of the metric.
    pub next_visit_gain: f64,
    /// Whether uniform is at least as good as proportional here, by the chosen metric. Theorem 3 says so when every item
    /// changes; items that never change can make proportional win.
    pub uniform_beats_proportional: bool,
}

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

/// One policy along the budgets.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "wasm", derive(Serialize, Tsify))]
pub struct PolicyView {
    /// Mean freshness.
    pub freshness: Series,
    /// Mean age in days.
    pub age: Series,
}

/// Budget against freshness and age.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "wasm", derive(Serialize, Tsify), serde(rename_all = "camelCase"))]
pub struct TradeoffView {
    /// Visits a day.
    pub budget: Series,
    /// What one more visit a day buys the optimal plan, in the weighted mean of the metric.
    pub gain: Series,
    /// All alike.
    pub uniform: PolicyView,
    /// In proportion to the rate of change.
    pub proportional: PolicyView,
    /// The best for the metric.
    pub optimal: PolicyView,
    /// From how many rows the lines were computed.
    pub sampled: usize,
    /// Whether a host cap of the plan is left out of the lines.
    pub without_hosts: bool,
}

/// Fig. 9: what a split of the budget between two items brings.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "wasm", derive(Serialize, Tsify))]
pub struct SplitView {
    /// Names of the two items.
    #[cfg_attr(feature = "wasm", tsify(type = "[string, string]"))]
    pub ids: [String; 2],
    /// One line per budget.
    pub lines: Vec<SplitLine>,
}

/// One budget of Fig. 9.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "wasm", derive(Serialize, Tsify))]
pub struct SplitLine {
    /// Visits a day.
    pub budget: f64,
    /// Whether this is the budget of the plan.
    pub current: bool,
    /// Share of the budget given to the second item.
    pub share: Series,
    /// Mean freshness at each share.
    pub freshness: Series,
    /// Mean age at each share.
    pub age: Series,
    /// The best split.
    pub best: SplitPoint,
    /// The split of all alike.
    pub uniform: SplitPoint,
    /// The split in proportion to the rates.
    pub proportional: SplitPoint,
}

/// One split of one budget.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "wasm", derive(Serialize, Tsify))]
pub struct SplitPoint {
    /// Share of the budget given to the second item.
    pub share: f64,
    /// Mean freshness.
    pub freshness: f64,
    /// Mean age.
    pub age: f64,
}

/// Why a row has the frequency that it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "wasm", derive(Serialize, Tsify), serde(rename_all = "kebab-case"))]
pub enum Reason {
    /// Its next visit is worth exactly the price, like everyone's.
    Optimal,
    /// All are visited alike.
    Uniform,
    /// Visits follow the rate of change.
    Proportional,
    /// Even the first visit is worth less than the price: it changes too fast for its importance.
    TooFast,
    /// It never changes.
    NeverChanges,
    /// It carries no weight.
    NoWeight,
    /// There is no budget.
    NoBudget,
    /// Its lowest frequency holds it up.
    AtMin,
    /// Its highest frequency holds it down.
    AtMax,
    /// Its host's cap holds it down.
    HostCap,
}

impl Dataset {
    /// Plans for these knobs and describes the plan.
    pub fn plan(&mut self, knobs: &Knobs) -> Result<AllocateView> {
        self.solve(knobs)?;
        let solved = self.solved()?;
        Ok(AllocateView {
            answer: answer(solved),
            curve: curve(solved)?,
            tradeoff: tradeoff(solved)?,
            split: split(solved, &self.ids)?,
        })
    }
}

impl Solved {
    /// Why row `i` has the frequency that it has.
    pub(super) fn reason(&self, i: usize) -> Reason {
        let (items, frequency) = (&self.items, self.chosen.frequency[i]);
        let host_price = self.chosen.host_price.as_ref().zip(items.host(i)).map(|(prices, host)| prices[host as usize]);
        let capped = host_price.is_some_and(|price| price > self.chosen.price * (1.0 + 1e-9));
        if frequency == 0.0 {
            if items.change(i).never() {
                Reason::NeverChanges
            } else if items.weight(i) == 0.0 {
                Reason::NoWeight
            } else if self.budget == 0.0 {
                Reason::NoBudget
            } else if capped {
                Reason::HostCap
            } else {
                Reason::TooFast
            }
        } else if frequency <= items.min(i) {
            Reason::AtMin
        } else if frequency >= items.max(i) {
            Reason::AtMax
        } else if capped {
            Reason::HostCap
        } else {
            match self.knobs.policy {
                allocate::Policy::Optimal => Reason::Optimal,
                allocate::Policy::Uniform => Reason::Uniform,
                allocate::Policy::Proportional => Reason::Proportional,
            }
        }
    }
}

fn answer(solved: &Solved) -> Answer {
    let Solved { knobs, items, budget, chosen, uniform, proportional, optimal } = solved;
    let mut tally = [0_usize; 10];
    for i in 0..items.len() {
        tally[solved.reason(i) as usize] += 1;
    }
    let of = |reason: Reason| tally[reason as usize];
    let cost = |plan: &Sketch| match knobs.metric {
        Metric::Freshness => 1.0 - plan.averages.freshness,
        metric => plan.averages.get(metric),
    };
    let hosts_at_cap = chosen
        .host_price
        .as_ref()
        .map_or(0, |prices| prices.iter().filter(|&&price| price > chosen.price * (1.0 + 1e-9)).count());
    Answer {
        budget: *budget,
        spent: chosen.spent,
        price: optimal.price,
        gap: optimal.gap,
        chosen: chosen.averages,
        uniform: uniform.averages,
        proportional: proportional.averages,
        optimal: optimal.averages,
        items: items.len(),
        total_count: items.total_count(),
        idle: chosen.idle,
        idle_too_fast: of(Reason::TooFast),
        idle_never_change: of(Reason::NeverChanges),
        idle_no_weight: of(Reason::NoWeight),
        idle_no_budget: of(Reason::NoBudget),
        at_min: of(Reason::AtMin),
        at_max: of(Reason::AtMax),
        hosts_at_cap,
        next_visit_gain: if items.total_stake() > 0.0 { optimal.price / items.total_stake() } else { 0.0 },
        uniform_beats_proportional: cost(uniform) <= cost(proportional) * (1.0 + 1e-12),
    }
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
        rate.sort_by(f64::total_cmp);
    }
    let frequency = rate.iter().map(|&r| staleness.demand(&typical.with_mean_rate(r), price).frequency).collect();
    Ok(Line { rate, frequency, peak, cutoff })
}

fn curve(solved: &Solved) -> Result<CurveView> {
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

/// Budgets from a twentieth to twenty times the plan's, on a log scale, with the plan's own among them.
fn budgets(budget: f64) -> Vec<f64> {
    let half = BUDGETS / 2;
    (0..=BUDGETS).map(|k| budget * libm::pow(20.0, (k as f64 - half as f64) / half as f64)).collect()
}

/// How many rows the trade-off is computed from at most, so that a knob does not feel heavy: a Poisson item is priced in
/// nanoseconds, a renewal in a microsecond, and one under random order needs an integral unless all share one shape.
fn tradeoff_rows(items: &Items, order: Order) -> usize {
    match (items.model(), order) {
        (Model::Poisson, _) => 10_000,
        (_, Order::Fixed) => 500,
        _ if items.curves().is_some() => 500,
        _ => 25,
    }
}

fn tradeoff(solved: &Solved) -> Result<TradeoffView> {
    let most = tradeoff_rows(&solved.items, solved.knobs.order);
    let sample: Vec<usize> = thinned(solved.items.len(), most).collect();
    let items = solved.items.select(&sample);
    let part = items.total_count() / solved.items.total_count();
    let least: f64 = (0..items.len()).map(|i| items.size(i) * items.min(i)).sum();
    let budget: Vec<f64> = budgets(if solved.budget > 0.0 { solved.budget } else { solved.items.total_count() })
        .into_iter()
        .map(|budget| (budget * part).max(least))
        .collect();
    let swept = allocate::tradeoff(&items, solved.knobs.staleness(), &budget)?;
    let policy = |curve: allocate::PolicyCurve| PolicyView { freshness: curve.freshness.into(), age: curve.age.into() };
    Ok(TradeoffView {
        budget: swept.budget.iter().map(|budget| budget / part).collect(),
        gain: swept.price.iter().map(|price| price * part / items.total_stake()).collect(),
        uniform: policy(swept.uniform),
        proportional: policy(swept.proportional),
        optimal: policy(swept.optimal),
        sampled: items.len(),
        without_hosts: solved.knobs.host_cap.is_some(),
    })
}

fn split(solved: &Solved, ids: &Ids) -> Result<Option<SplitView>> {
    if ids.len() != 2 || solved.budget <= 0.0 {
        return Ok(None);
    }
    let lines = [(0.1, false), (0.3, false), (1.0, true), (3.0, false)]
        .map(|(factor, current)| {
            let budget = solved.budget * factor;
            let curve = allocate::split_curve(&solved.items, solved.knobs.staleness(), budget, 200)?;
            let point = |split: &allocate::Split| SplitPoint {
                share: split.share,
                freshness: split.averages.freshness,
                age: split.averages.age,
            };
            let each = |value: fn(&allocate::Split) -> f64| -> Series { curve.splits.iter().map(value).collect() };
            Ok(SplitLine {
                budget,
                current,
                share: each(|split| split.share),
                freshness: each(|split| split.averages.freshness),
                age: each(|split| split.averages.age),
                best: point(&curve.optimal),
                uniform: point(&curve.uniform),
                proportional: point(&curve.proportional),
            })
        })
        .into_iter()
        .collect::<Result<_>>()?;
    Ok(Some(SplitView { ids: [ids.get(0).into_owned(), ids.get(1).into_owned()], lines }))
}
