//! Everything that the Allocate lab draws for one position of its knobs.

use super::curve::{CurveView, curve};
use super::dataset::{Dataset, Knobs, Solved};
use super::split::{SplitView, split};
use crate::allocate::{self, Averages, Sketch};
use crate::problem::Result;
use crate::staleness::Metric;

#[cfg(feature = "wasm")]
use {serde::Serialize, tsify::Tsify};

/// One position of the knobs, answered.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "wasm", derive(Serialize, Tsify), serde(rename_all = "camelCase"))]
pub struct AllocateView {
    /// The numbers of the answer in one sentence.
    pub answer: Answer,
    /// The optimal-frequency curve with the items on it.
    pub curve: CurveView,
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
        Ok(AllocateView { answer: answer(solved), curve: curve(solved)?, split: split(solved, &self.ids)? })
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
