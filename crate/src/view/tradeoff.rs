//! Budget against freshness and age, around the plan's own budget.

use super::dataset::{Dataset, Solved};
use super::{Series, thinned};
use crate::allocate::{self, Items};
use crate::change::Model;
use crate::problem::Result;
use crate::staleness::Order;

#[cfg(feature = "wasm")]
use {serde::Serialize, tsify::Tsify};

/// Budgets along the trade-off chart; an even number, so that the plan's own stands in the middle.
const BUDGETS: usize = 24;

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

impl Dataset {
    /// What other budgets would bring. The lines depend on every knob but the budget, which only chooses the stretch of them
    /// that is swept: a dragged budget need not ask again.
    pub fn tradeoff(&self) -> Result<TradeoffView> {
        sweep(self.solved()?)
    }
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

fn sweep(solved: &Solved) -> Result<TradeoffView> {
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
